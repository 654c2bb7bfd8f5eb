"""Asks the garbage collector and the loaded modules for functions that are tests, and reads their source.

guard: process
"""

import gc
import inspect
import sys
import types


def everything():
    for module in list(sys.modules.values()):
        yield from list(getattr(module, "__dict__", {}).values())
    for thing in gc.get_objects():
        yield thing
        if type(thing) is dict:
            yield from list(thing.values())
    for referrer in gc.get_referrers(types.FunctionType):
        yield referrer


def attack():
    for thing in everything():
        if type(thing) is types.FunctionType and thing.__name__ == "test_answer":
            return "escaped: " + inspect.getsource(thing).replace("\n", " ")[-60:]
    return "held"


def answer():
    for thing in everything():
        if type(thing) is types.FunctionType and thing.__name__ == "test_answer":
            return next(value for value in thing.__code__.co_consts if type(value) is float)
    return 1.0

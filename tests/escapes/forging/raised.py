"""Leaves the hidden test in every way but by an answer: as if it were skipped, over, or passed.

A skip and an exit make plain pytest end with code 0: see `test_7_forging.py`.
"""

import os
import sys


def skip():
    import pytest

    pytest.skip("it is right")


def expected_to_fail():
    import pytest

    pytest.xfail("it is right")


def throw(error):
    raise error


def hidden(error):
    error.__traceback__ = error.__cause__ = None
    error.__class__ = type("Passed", (Exception,), {"__module__": "builtins"})
    raise error


CASES = {
    "skip": skip,
    "expected to fail": expected_to_fail,
    "exit at once": lambda: os._exit(0),
    "exit": lambda: sys.exit(0),
    "a class called Skipped": lambda: throw(type("Skipped", (Exception,), {})()),
    "a class called OutcomeException": lambda: throw(type("OutcomeException", (BaseException,), {})()),
    "AssertionError": lambda: throw(AssertionError()),
    "KeyboardInterrupt": lambda: throw(KeyboardInterrupt()),
    "GeneratorExit": lambda: throw(GeneratorExit()),
    "StopIteration": lambda: throw(StopIteration(1.0)),
    "StopAsyncIteration": lambda: throw(StopAsyncIteration()),
    "group": lambda: throw(BaseExceptionGroup("x", [SystemExit(0), KeyboardInterrupt()])),
    "NotImplementedError": lambda: throw(NotImplementedError("it is right")),
    "another class afterwards": lambda: hidden(type("E", (Exception,), {})()),
}
CASE = "skip"


def attack():
    return "held"


def answer():
    return CASES[CASE]()

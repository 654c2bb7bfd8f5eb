"""The globals that a function reaches by name, read from its compiled code.

Some ways lead to every global: `eval`, frames, modules such as `gc`. Code that takes one of them reaches all.
"""

import opcode
import types
from collections.abc import Iterator
from typing import Any

from .orders import MODULE

# What leads to a whole namespace: modules, built-in functions, attributes.
MODULES = frozenset(
    {MODULE, "__main__", "builtins", "sys", "gc", "importlib", "inspect", "doctest", "unittest"}
)
MODULES |= {"pickle", "_pickle"}
_NAMES = frozenset({"eval", "exec", "globals", "__import__", "__builtins__", "get_type_hints"})
_ATTRIBUTES = frozenset({"__globals__", "__builtins__", "__subclasses__", "get_type_hints"})
_ATTRIBUTES |= {"f_globals", "f_locals", "f_back", "tb_frame", "gi_frame", "cr_frame", "ag_frame"}
FUNCTIONS = frozenset(map(id, (eval, exec, globals)))

# Instructions that look up a global or a module, and how many bits stand below the index of its name.
_SHIFTS = {"LOAD_GLOBAL": 1, "LOAD_NAME": 0, "LOAD_FROM_DICT_OR_GLOBALS": 0, "IMPORT_NAME": 0}
_OPS = {opcode.opmap[name]: shift for name, shift in _SHIFTS.items() if name in opcode.opmap}
_IMPORT, _EXTENDED = opcode.opmap["IMPORT_NAME"], opcode.opmap["EXTENDED_ARG"]
_DELETE = opcode.opmap["DELETE_ATTR"]
_DELETING = {"delattr", "__delattr__"}


def whole(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object, and those of all functions and class bodies in it."""
    waiting = [code]
    while waiting:
        yield (code := waiting.pop())
        waiting += [const for const in code.co_consts if type(const) is types.CodeType]


def globals_of(code: types.CodeType) -> frozenset[str] | None:
    """Return the names of the globals that this code may read; None if it may reach all."""
    found: set[str] = set()
    for part in whole(code):
        if not _ATTRIBUTES.isdisjoint((*part.co_names, *_texts(part.co_consts))):
            return None
        for op, name in _looked_up(part):
            if op == _IMPORT and name.partition(".")[0] in MODULES:
                return None
            found.add(name)
    return None if not found.isdisjoint(_NAMES) else frozenset(found)


def _looked_up(code: types.CodeType) -> Iterator[tuple[int, str]]:
    argument = 0
    for op, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | low
        if op == _EXTENDED:
            continue
        if op in _OPS:
            yield op, code.co_names[argument >> _OPS[op]]
        argument = 0


def _texts(constants: Any) -> Iterator[str]:
    """Yield the parts of texts such as `getattr` and `attrgetter` take."""
    for const in constants:
        if type(const) is str:
            yield from const.split(".")
        elif type(const) in {tuple, frozenset}:
            yield from _texts(const)


def deletes_attributes(code: types.CodeType) -> bool:
    """Return True if it may delete one, and so make room for another."""
    return any(
        _DELETE in part.co_code[::2] or not _DELETING.isdisjoint(part.co_names) for part in whole(code)
    )


def names_text(code: types.CodeType, text: str) -> bool:
    """Return True if code has a text or a name that is exactly this one."""
    return any(text in part.co_names or text in _texts(part.co_consts) for part in whole(code))

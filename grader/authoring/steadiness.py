"""Dependencies of a test beside the submission: values of its module that change, the clock, chance."""

from __future__ import annotations

import dis
import functools
import itertools
import types
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

_UNSTEADY = frozenset(
    {"time", "datetime", "random", "secrets", "uuid", "os", "_random", "_thread", "threading"}
)

Place = tuple[int, str]  # a module, by the id of its names, and a name


def plain_values(functions: Iterable[types.FunctionType]) -> dict[Place, str]:
    """Return the text of every plain value in the modules of these tests and their helpers."""
    modules = {id(each.__globals__): each.__globals__ for function in functions for each in _own(function)}
    return {
        (number, name): repr(value)
        for number, names in modules.items()
        for name, value in names.items()
        if isinstance(value, list | dict | set | itertools.count | int | float) and not name.startswith("__")
    }


def changed_value(function: types.FunctionType, changed: AbstractSet[Place]) -> str:
    """Return the name of a changed value that a test reads; empty if there is none."""
    named = ((id(each.__globals__), name) for each in _own(function) for name in _names(each.__code__))
    return next((place[1] for place in named if place in changed), "")


def names_luck(function: types.FunctionType) -> bool:
    """Return True if a test names anything of a module by which its result could differ, such as the clock."""
    return any(
        _module_of(name, each.__globals__.get(name)).partition(".")[0] in _UNSTEADY
        for each in _own(function)
        for name in _names(each.__code__)
    )


def _module_of(name: str, value: object) -> str:
    """Return the name of the module that a global value comes from; a name without a value is imported later."""
    if value is None or isinstance(value, types.ModuleType):
        return name if value is None else value.__name__
    module = getattr(value, "__module__", None)
    return str(module or type(getattr(value, "__self__", None)).__module__)


def _own(function: types.FunctionType) -> list[types.FunctionType]:
    """Return a function and those that it names in its own folder: helpers of the check."""
    folder, found, waiting = Path(function.__code__.co_filename).parent, {function: None}, [function]
    while waiting:
        of = waiting.pop()
        named = [of.__globals__.get(name) for name in _names(of.__code__)]
        new = [f for f in named if isinstance(f, types.FunctionType) and f not in found]
        new = [f for f in new if Path(f.__code__.co_filename).parent == folder]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


@functools.cache
def _names(code: types.CodeType) -> list[str]:
    """Return the global names that code uses and the modules that it imports, with those of the functions in it."""
    steps = dis.get_instructions(code)
    names = [step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "IMPORT_NAME")]
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return names + [name for part in inner for name in _names(part)]

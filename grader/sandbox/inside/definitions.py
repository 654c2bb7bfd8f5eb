"""The lines that define the student's names and functions, read from compiled code.

Objects are read by their exact type, so that no code of the student's is called. A code object names its block
and its line.
"""

import functools
import opcode
import types
from collections.abc import Callable, Iterator
from typing import Any

from .cells import CompiledCell
from .values import clean

MAX_LAYERS = 20  # decorators and the like around one function
MAX_BINDINGS = 20  # of one name
MAX_CODE = 2_000_000  # bytes of one cell's code that are searched for an assignment
_STORES = frozenset({opcode.opmap["STORE_NAME"], opcode.opmap["STORE_GLOBAL"]})
_ATTRIBUTES = frozenset({opcode.opmap["STORE_ATTR"]})
_EXTENDED = opcode.opmap["EXTENDED_ARG"]
# Exactly these types: reading their attribute runs no code of the student.
_INNER: dict[type, str] = {
    types.MethodType: "__func__",
    staticmethod: "__func__",
    classmethod: "__func__",
    property: "fget",
    functools.partial: "func",
    functools.partialmethod: "func",
    functools.cached_property: "func",
    type(functools.cache(len)): "__wrapped__",
}


def code_of(value: Any, name: str = "") -> types.CodeType | None:
    """Return the code of a function, method, property or callable object, below its wrappers.

    `name` finds the function that a decorator without `functools.wraps` keeps in its closure.
    """
    for _ in range(MAX_LAYERS):
        if type(value) is types.FunctionType:
            if (inner := _unwrap(value, name)) is None:
                return value.__code__
            value = inner
        elif type(value) in _INNER:
            value = object.__getattribute__(value, _INNER[type(value)])
        else:
            value = _called_for(value)
    return None


def _unwrap(function: types.FunctionType, name: str) -> Any:
    inner = dict.get(function.__dict__, "__wrapped__")
    if inner is not None or not name or function.__code__.co_name in {name, "<lambda>"}:
        return inner
    kept = [value for value in _closure(function) if type(value) is types.FunctionType]
    same = [value for value in kept if value.__code__.co_name == name]
    return same[0] if len(same) == 1 else None


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # the cell is empty
            continue


def _called_for(value: object) -> Any:
    """Return the function that a call of an object runs: the wrapped one, or the `__call__` of its class."""
    kept = _member(type(value), "__dict__")
    own = kept.__get__(value) if type(kept) is types.GetSetDescriptorType else None
    if type(own) is dict and (inner := own.get("__wrapped__")) is not None:
        return inner
    call = _member(type(value), "__call__")
    return call if type(call) is types.FunctionType else None


def _member(cls: type, name: str) -> Any:
    """Return an attribute from the dictionary of a class or of its bases; None if there is none."""
    for base in type.__dict__["__mro__"].__get__(cls):
        kept = type.__dict__["__dict__"].__get__(base)
        if name in kept:
            return kept[name]
    return None


def is_class(value: object) -> bool:
    """Return True for a class, whatever its metaclass says."""
    return type in type.__dict__["__mro__"].__get__(type(value))


def find_named(name: str, namespace: dict[str, Any]) -> Any:
    """Return the object of a name, or of a dotted name such as `Box.area`; None if there is none."""
    first, *rest = name.split(".")
    value: Any = namespace.get(first)
    for part in rest:
        value = _member(value, part) if is_class(value) else None
    return value


def find_definition(
    name: str,
    value: Any,
    blocks: list[CompiledCell],
    assigning: list[int],
    block_of: Callable[[object], int | None],
) -> list[Any] | None:
    """Return block, line and qualified name of a definition, or block and line of an assignment of the name.

    Assignments are searched in the blocks `assigning`, from the last one on. An object without a name has an empty one.
    """
    code = _body_of(value, blocks) if is_class(value) else code_of(value, name.rpartition(".")[2])
    code = code or _inner_code(name, blocks)
    index = block_of(code.co_filename) if code is not None else None
    if code is not None and index is not None:
        return [index, code.co_firstlineno, clean(code.co_qualname)[:100]]
    for i in reversed(assigning):
        if line := _line_of_assignment(blocks[i], name):
            code = _function_at(blocks[i], name, line)  # a helper may have replaced it
            return [i, code.co_firstlineno, name] if code else [i, line, ""]
    return None


def _body_of(cls: type, blocks: list[CompiledCell]) -> types.CodeType | None:
    """Return the code of a class's body: the one that contains a method of the class, or the only one of its name."""
    name = type.__dict__["__qualname__"].__get__(cls)
    bodies = [code for code in _codes(blocks) if code.co_qualname == name and not code.co_flags & 1]
    own_codes = map(code_of, type.__dict__["__dict__"].__get__(cls).values())
    methods = {id(code) for code in own_codes if code is not None}
    own = [body for body in bodies if any(id(const) in methods for const in body.co_consts)]
    return own[-1] if own else bodies[0] if len(bodies) == 1 else None


def _inner_code(name: str, blocks: list[CompiledCell]) -> types.CodeType | None:
    """Return the only function with a qualified name such as `Box.area.<locals>.inner`, in all blocks."""
    found = [code for code in _codes(blocks) if code.co_qualname == name] if ".<locals>." in name else []
    return found[0] if len(found) == 1 else None


def _codes(blocks: list[CompiledCell], *, whole: bool = False) -> Iterator[types.CodeType]:
    """Yield the code of all functions and class bodies in these blocks, with `whole` that of the blocks too.

    Only the code of functions is optimized.
    """
    waiting = [block.code for block in blocks if block.code is not None]
    yield from waiting if whole else ()
    while waiting:
        inner = _inner(waiting.pop())
        yield from inner
        waiting += inner


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [const for const in code.co_consts if type(const) is types.CodeType]


def _line_of_assignment(block: CompiledCell, name: str) -> int:
    """Return the last line of a block that assigns this name outside of functions, or 0."""
    return max(_stores(block.code, name), default=0) if block.code is not None else 0


def _stores(code: types.CodeType, name: str, ops: frozenset[int] = _STORES) -> Iterator[int]:
    """Yield the lines of this code, without inner functions, that assign the name."""
    argument = 0
    if name not in code.co_names or len(code.co_code) > MAX_CODE:
        return
    units = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    for (op, low), position in zip(units, code.co_positions(), strict=False):
        argument = argument << 8 | low
        if op == _EXTENDED:
            continue
        if op in ops and code.co_names[argument] == name and position[0]:
            yield position[0]
        argument = 0


def bindings(name: str, blocks: list[tuple[int, CompiledCell]], namespace: dict[str, Any]) -> list[Any]:
    """Return the lines that bind a name, in order: block, line, word, and lost methods.

    The word is `class`, `def`, or "" for any other way. For a dotted name such as `Box.area`, `def` is a method, and
    `attribute` is an assignment in a method of the class. A method is lost if the class that now has the name lacks it. Of
    many bindings, only the last ones are returned.
    """
    now, rows = find_named(name, namespace), []
    for i, block in blocks:
        for line, word, methods in _find_bindings(block, name):
            lost = [each for each in methods if is_class(now) and _member(now, each) is _member(object, each)]
            rows.append([i, line, word, lost[:MAX_BINDINGS]])
    return rows[-MAX_BINDINGS:]


def _find_bindings(block: CompiledCell, name: str) -> Iterator[tuple[int, str, list[str]]]:
    outer, _, last = name.rpartition(".")
    for code in _codes([block], whole=True):
        if code.co_qualname == (outer or "<module>") and not code.co_flags & 1:
            inner = [const for const in _inner(code) if const.co_name == last]
            for line in _stores(code, last):
                made = next((one for one in inner if one.co_firstlineno <= line <= _end(one)), None)
                word = "" if made is None else "def" if made.co_flags & 1 else "class"
                methods = [each.co_name for each in _inner(made)] if made and word == "class" else []
                yield line, word, list(filter(str.isidentifier, methods))
        elif outer and code.co_qualname.startswith(f"{outer}."):
            yield from ((line, "attribute", []) for line in _stores(code, last, _ATTRIBUTES))


def _function_at(block: CompiledCell, name: str, line: int) -> types.CodeType | None:
    """Return the function whose definition assigns this name in a line of the block; None for another assignment."""
    for code in _codes([block]):
        if code.co_qualname == name and code.co_flags & 1 and code.co_firstlineno <= line <= _end(code):
            return code
    return None


def _end(code: types.CodeType) -> int:
    return max(position[0] or 0 for position in code.co_positions())

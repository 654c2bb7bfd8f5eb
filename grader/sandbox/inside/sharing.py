"""Reports the lists and arrays that the student's objects share, by identity, at the end of a test.

Also reports functions that the test called and that ended without their `return`: it was not reached, or it is in an inner
function.

No code of the student's runs for it: attributes are read from dictionaries and slots, and only plain numbers are compared.
It reports, and does not judge.
"""

import contextlib
import dis
import itertools
import opcode
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from .definitions import is_class
from .holding import _mro, _name_of, _names_of

MOST, MOST_OBJECTS, MOST_ITEMS = 12, 400, 50  # rows of one kind; objects and entries to inspect
LONGEST = 60  # characters of a name
_YIELDS = 0x20 | 0x80  # CO_GENERATOR and CO_COROUTINE of `inspect`, which takes 3 ms to import
MOST_CONSTANTS = 256  # of a function: the number of a later one has two instructions
_RETURN, _CONSTANT = opcode.opmap["RETURN_VALUE"], opcode.opmap["LOAD_CONST"]
_RETURN_CONSTANT = opcode.opmap.get("RETURN_CONST")
_GROWS = (list, set, dict)
_HOLDS = (list, tuple, set, frozenset)


class Sharing:
    """The lists and arrays that existed after the load, and, after `watch_calls`, the names in functions that returned."""

    def __init__(self, namespace: dict[str, Any], module: str) -> None:
        self.kept = []
        with contextlib.suppress(Exception):  # an error here would be the student's
            self.kept = [(*entry, len(entry[-1])) for entry in _find_shared(namespace, module)]
        self.names: dict[types.CodeType, list[list[str]]] = {}
        self.ended: list[tuple[types.CodeType, str, int]] = []

    def watch_calls(self) -> None:
        """Trace every call from now on, which takes time."""
        if sys.getprofile() is None:
            sys.setprofile(self._watch)

    def end(self) -> None:
        """Stop tracing."""
        if sys.getprofile() == self._watch:
            sys.setprofile(None)

    def grown(self) -> list[Any]:
        """Return the lists, sets and dictionaries made once that have grown: where, owner, name, type, entries now."""
        return [
            [where, owner, name, _name_of(type(held)), len(held)]
            for where, owner, name, held, size in self.kept
            if len(held) > size
        ][:MOST]

    def aliases(self, block_of: Callable[[object], int | None]) -> list[Any]:
        """Return block, line, function and the two names of one array or list, of functions that have returned."""
        return [
            [block_of(code.co_filename), code.co_firstlineno, code.co_qualname[:LONGEST], *pair]
            for code, pairs in self.names.items()
            for pair in pairs
        ][:MOST]

    def returns(self, block_of: Callable[[object], int | None]) -> list[Any]:
        """Return each function that ended without its `return`: block, name, inner function or "", line of that `return`."""
        return [
            [block_of(code.co_filename), code.co_qualname[:LONGEST], inner[:LONGEST], line]
            for code, inner, line in self.ended
        ][:MOST]

    def _watch(self, frame: types.FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event != "return" or not code.co_filename.startswith("<block "):
            return
        called = frame.f_back is not None and not frame.f_back.f_code.co_filename.startswith("<block ")
        try:
            if called and value is None and len(self.ended) < MOST_OBJECTS:
                self.ended += _find_returns(code, frame.f_lasti)
            if code in self.names:
                return
            pairs = list(itertools.islice(_same(frame), MOST))
        except Exception:  # an error here would be the student's
            return
        if pairs and len(self.names) < MOST_OBJECTS:
            self.names[code] = pairs


def _find_returns(code: types.CodeType, at: int) -> Iterator[tuple[types.CodeType, str, int]]:
    """Yield a function that returned the constant None at this instruction, and the line of its last `return` of a value.

    If it has none, the line is in an inner function, which returns a variable of the outer one: perhaps the missing result.
    """
    ends = _ends(code)
    if ends.get(at // 2, 1) or code.co_flags & _YIELDS or len(code.co_consts) > MOST_CONSTANTS:
        return  # it raised or yielded, or what it returned is None
    inner = [
        each for each in code.co_consts if type(each) is types.CodeType and not each.co_name.startswith("<")
    ]
    names = {*code.co_cellvars} - {*code.co_varnames[: code.co_argcount]}
    found = [("", max(ends.values()))] + [(each.co_name, _gives(each, names)) for each in inner]
    yield from [(code, name, line) for name, line in found if line][:1]


def _gives(code: types.CodeType, names: set[str]) -> int:
    """Return the last line that returns one of these variables of the outer function; 0 without one."""
    pairs = itertools.pairwise(dis.get_instructions(code))
    lines = [
        end.positions.lineno or 0
        for load, end in pairs
        if load.opname == "LOAD_DEREF" and load.argval in names and end.opcode == _RETURN and end.positions
    ]
    return max(lines, default=0)


def _ends(code: types.CodeType) -> dict[int, int]:
    """Return the instructions that end a function, each with its line; 0 where it returns the constant None."""
    units, found = [*zip(code.co_code[::2], code.co_code[1::2], code.co_positions(), strict=False)], {}
    for at, (op, index, position) in enumerate(units):
        if op in {_RETURN, _RETURN_CONSTANT}:
            loads = (op, index) if op == _RETURN_CONSTANT else units[at - 1][:2]
            is_constant = loads[0] in {_CONSTANT, _RETURN_CONSTANT} and code.co_consts[loads[1]] is None
            found[at] = 0 if is_constant else position[0] or 0
    return found


def shared_arrays(objects: dict[int, Any]) -> list[Any]:
    """Return the arrays and lists that attributes of the objects have in common: kind, and handle and path of each."""
    found: dict[int, list[list[Any]]] = {}
    kinds: dict[int, str] = {}
    for handle, value in itertools.islice(objects.items(), MOST_OBJECTS):
        for name, held in _own(value).items():
            items = (
                enumerate(held) if type(held) in (list, tuple) else held.items() if type(held) is dict else ()
            )
            inner = (
                (f"{name}[{key!r}]", item)
                for key, item in itertools.islice(items, MOST_ITEMS)
                if type(key) in (int, str)
            )
            for path, each in ((name, held), *inner):
                if type(each) in _GROWS or _array(each) is not None:
                    memory = id(each if (base := _array(each)) is None else base)
                    kinds[memory] = "array" if _array(each) is not None else _name_of(type(each))
                    found.setdefault(memory, []).append([handle, path[:LONGEST]])
    return [[kinds[memory], at[:MOST]] for memory, at in found.items() if len(at) > 1][:MOST]


def copies(objects: dict[int, Any], made: list[Any]) -> list[Any]:
    """Return result, attribute, operand where a result holds a new object in the place of an operand with the same number.

    `made` has the handles of results, each with those of its operands.
    """
    rows = []
    for result, operands in made:
        inputs = [objects[handle] for handle in operands if handle in objects]
        known = {id(each) for each in inputs}
        for name, items in _items(objects.get(result)):
            held = {id(item) for item in items}
            for handle, one in zip(operands, inputs, strict=False):
                if id(one) not in held and any(
                    id(item) not in known and _is_copy(item, one) for item in items
                ):
                    rows.append([result, name[:LONGEST], handle])
    return rows[:MOST]


def _own(value: Any) -> dict[str, Any]:
    """Return the values in an object's own dictionary and slots; no properties or class attributes."""
    kinds = _mro(type(value))
    if is_class(value) or isinstance(value, types.ModuleType | types.FunctionType):
        return {}
    found: dict[str, Any] = {}
    for kind in kinds:
        for name, slot in _names_of(kind).items():
            try:
                if type(slot) is types.MemberDescriptorType and kind is not object:
                    found[name] = slot.__get__(value)
                elif name == "__dict__" and type(slot) is types.GetSetDescriptorType:
                    found |= slot.__get__(value)
            except (AttributeError, TypeError):  # an empty slot
                pass
    return {name: held for name, held in found.items() if type(name) is str}


def _items(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the attributes that hold objects of the same class, each with these."""
    for name, held in _own(value).items() if value is not None else ():
        items = list(itertools.islice(held, MOST_ITEMS)) if type(held) in _HOLDS else []
        if any(type(item) is type(value) for item in items):
            yield name, [item for item in items if type(item) is type(value)]


def _is_copy(one: Any, other: Any) -> bool:
    """Return True if an object has the same number as another of its class, and holds no objects or the same ones."""
    if type(one) is not type(other) or _number(one) is None or _number(one) != _number(other):
        return False
    mine, theirs = ([id(item) for _, items in _items(each) for item in items] for each in (one, other))
    return not mine or mine == theirs


def _number(value: Any) -> Any:
    """Return the first number that an object holds, or the numbers of its first array with their shape."""
    for held in _own(value).values():
        if type(held) in (int, float):
            return held
        if _array(held) is not None:
            return held.shape, held.tobytes()
    return None


def _array(value: Any) -> Any:
    """Return the array that owns the memory of a numpy array; None for anything else."""
    numpy = sys.modules.get("numpy")
    kind = vars(numpy).get("ndarray") if isinstance(numpy, types.ModuleType) else None
    if kind is None or type(value) is not kind:
        return None
    while type(value.base) is kind:
        value = value.base
    return value


def _find_shared(namespace: dict[str, Any], module: str) -> Iterator[tuple[str, str, str, Any]]:
    """Yield where, owner, name and object of each list, set and dictionary that is made once for many calls or objects."""
    functions: list[types.FunctionType] = []
    for value in [*namespace.values()]:
        if type(value) is types.FunctionType:
            functions.append(value)
        elif is_class(value) and _names_of(value).get("__module__") == module:
            for each, held in _names_of(value).items():
                if type(held) is types.FunctionType:
                    functions.append(held)
                elif type(held) in _GROWS and not each.startswith("__"):
                    yield "class", _name_of(value)[:LONGEST], each[:LONGEST], held
    for function in functions:
        yield from _of_function(function, namespace)


def _of_function(
    function: types.FunctionType, namespace: dict[str, Any]
) -> Iterator[tuple[str, str, str, Any]]:
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    defaults = [
        *zip(positional[len(positional) - len(given) :], given, strict=True),
        *(function.__kwdefaults__ or {}).items(),
    ]
    for name, held in defaults:
        if type(held) in _GROWS:
            yield "default", code.co_qualname[:LONGEST], name[:LONGEST], held
    for name in code.co_names:
        if type(held := namespace.get(name)) in _GROWS:
            yield "global", code.co_qualname[:LONGEST], name[:LONGEST], held


def _same(frame: types.FrameType) -> Iterator[list[str]]:
    """Yield a local name and another name, perhaps with an attribute, that hold one array, list, set or dictionary."""
    local = {name: held for name, held in frame.f_locals.items() if not name.startswith(".")}
    for name, held in local.items():
        if type(held) not in _GROWS and _array(held) is None:
            continue
        for other, value in local.items():
            if other != name and value is held:
                yield [name[:LONGEST], other[:LONGEST]]
            elif other != name and type(value) not in (*_GROWS, *_HOLDS):
                yield from (
                    [name[:LONGEST], f"{other}.{key}"[:LONGEST]]
                    for key, each in _own(value).items()
                    if each is held
                )

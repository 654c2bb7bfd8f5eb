"""The values of names at an error, as kinds and short forms, read without running the student's code."""

import itertools
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

MOST, LONGEST = 8, 60  # rows of an error, characters of a text
_TEXT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\#.*""")
_PATH = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")
_NOTHING = object()
_mro: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_names_of: Callable[[type], dict[str, Any]] = type.__dict__["__dict__"].__get__
_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
_SIZED = (list, tuple, dict, set, frozenset, str, bytes, range)


def held_values(frame: types.FrameType, instruction: int, lines: list[str]) -> list[list[str]]:
    """Return rows of name, kind and short form for the expression that a frame executes, of which these are the lines.

    A name may have dots. Names that Python itself defines are left out.
    """
    rows = []
    text = _TEXT.sub("''", _expression(frame.f_code, instruction, lines))
    for path in dict.fromkeys(_PATH.findall(text)):
        steps = "".join(path.split()).split(".")
        for count in range(1, len(steps) + 1):
            value = _value(frame, steps[:count])
            if value is not _NOTHING:
                rows.append([".".join(steps[:count])[:LONGEST], *_short(value)])
    unique = {row[0]: row for row in rows}
    return list(unique.values())[:MOST]


def _expression(code: types.CodeType, instruction: int, lines: list[str]) -> str:
    """Return the text of the expression that an instruction belongs to, empty if it is not known."""
    found = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    if found is None or None in found:
        return ""
    first, last, start, end = (place or 0 for place in found)
    part = [line.encode() for line in lines[first - 1 : last]]
    if not part:
        return ""
    part[-1] = part[-1][:end]
    part[0] = part[0][start:]  # after the end, which counts from the beginning of the same line
    return b"\n".join(part).decode(errors="replace")[:1000]


def _value(frame: types.FrameType, steps: list[str]) -> Any:
    spaces = [frame.f_locals, frame.f_globals]
    value = next((space[steps[0]] for space in spaces if steps[0] in space), _NOTHING)
    for name in steps[1:]:
        value = _attribute(value, name)
    return value


def _attribute(value: Any, name: str) -> Any:
    """Return the value in an object's own dictionary or slot; not a property or a class attribute."""
    kinds = _mro(type(value))
    slots = [found for kind in kinds if (found := _names_of(kind).get(name, _NOTHING)) is not _NOTHING]
    is_slot = bool(slots) and type(slots[0]) is types.MemberDescriptorType
    if slots and not is_slot and any("__set__" in _names_of(kind) for kind in _mro(type(slots[0]))):
        return _NOTHING  # such as a property
    try:
        return slots[0].__get__(value) if is_slot else dict.get(_own(value), name, _NOTHING)
    except AttributeError:  # an empty slot
        return _NOTHING


def _own(value: Any) -> dict[str, Any]:
    """Return the dictionary of an object, empty if it has none that Python made."""
    keepers = [found for kind in _mro(type(value)) if (found := _names_of(kind).get("__dict__")) is not None]
    has_one = bool(keepers) and type(keepers[-1]) is types.GetSetDescriptorType
    return keepers[-1].__get__(value) if has_one else {}


def _short(value: Any) -> Iterator[str]:
    """Yield the kind of a value and its short form."""
    kind = type(value)
    numpy = sys.modules.get("numpy")
    if value is None or kind in {bool, int, float, complex}:
        is_long = kind is int and int.bit_length(value) > 120
        yield from (_name_of(kind), "a large number" if is_long else repr(value))
    elif kind in _SIZED:
        yield from (_name_of(kind), str(kind.__len__(value)))
    elif isinstance(numpy, types.ModuleType) and kind is vars(numpy).get("ndarray"):
        yield from ("array", f"{value.dtype.name} {value.shape}")
    elif kind in {types.FunctionType, types.BuiltinFunctionType, types.MethodType}:
        yield from ("function", "")
    elif type in _mro(kind):
        yield from ("class", _name_of(value)[:LONGEST])
    else:
        names = [name for name in dict.keys(_own(value)) if type(name) is str]
        text = " ".join([_name_of(kind)[:LONGEST], *names])
        yield from ("instance", text if len(text) <= LONGEST else _name_of(kind)[:LONGEST])

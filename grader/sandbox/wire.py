"""The wire: frames, values, and their caps. Nothing else enters or leaves the jail.

A frame is four bytes of length (big-endian) and that many bytes of UTF-8 JSON. Recorded requests go in as marshal
in base64, with compiled code; only JSON comes out.
The grader sends requests, the jail answers. Each request has a random number of 48 bits, and its reply repeats the
number, so that the grader recognizes a reply in advance or a second reply.

A value is written as

    null, true, false, a number, a string      as JSON has them
    {"f": "nan" | "inf" | "-inf"}              the floats that JSON lacks
    {"f4": 0.1}                                a float of single precision (numpy's float32)
    {"i": "123..."}                            an int of more than 64 bits
    {"..": 1}                                  Ellipsis, the blank of an answer
    {"l": [...]} {"t": [...]}                  list, tuple
    {"s": [...]} {"z": [...]}                  set, frozenset
    {"d": [[key, value], ...]}                 dict
    {"a": ["float64", [2, 3], "..."]}          an array of numpy's, its bytes in base64 (arrays.py); for `arrays: true`
    {"p": ["frame", ...]}                      a table of pandas (inside/tables.py); where `imports` has pandas
    {"h": 7, "k": "instance", "c": "Box"}      a handle: an object that stays in the jail
    {"x": "why"}                               a value beyond the caps

Any other output of the jail, or a value beyond the caps below, raises SubmissionStopped, which names the violation.
The caps bound the cost of a frame for the grader: about forty times its bytes of memory, and a quarter of a second.

The jail's side of this format is in `inside/values.py` and `inside/worker.py`, which import nothing from here.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from grader.sandbox.errors import forged_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_FRAME = 1 << 20  # bytes
MAX_NESTING = 64  # arrays and objects of JSON; a dict takes three levels
MAX_DEPTH = 16  # levels of values; the jail itself stops at 12
MAX_ITEMS = 20_000  # values in one frame
ITEMS_OF_COLUMN = 30  # a column of a table counts as so many values: making it takes half a millisecond
MAX_COLLISIONS = 4_000  # keys of one frame that share a hash with another one
MAX_TEXT = 65_536  # characters
MAX_DIGITS = 4_000
MAX_HANDLE = 2**53  # below 2**61 - 1 a number is its own hash
SINGLE_REL, SINGLE_ABS = 1e-5, 1e-6  # the rounding error is 6e-8; cancellation makes it larger
KINDS = frozenset({"instance", "class", "function", "module", "exception"})

_FLOATS = frozenset({"nan", "inf", "-inf"})
_LARGE_INT = re.compile(r"-?[1-9][0-9]*")
_DIGITS_OF_FLOATS = 309  # no float has more
_CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "l": list,
    "t": tuple,
    "s": set,
    "z": frozenset,
}


class Handle(msgspec.Struct, frozen=True):
    """An object that stays in the jail: its number, its kind, the name of its class."""

    id: int
    kind: str = "instance"
    cls: str = "object"


class Float32(float):
    """A float of single precision: `approx` of pytest allows for its rounding."""

    __slots__ = ()
    __hash__ = float.__hash__

    def __eq__(self, other: object) -> bool:
        expected = getattr(other, "expected", None)  # of `approx(number)`
        if not isinstance(expected, int | float):
            return float.__eq__(self, other)
        return other == float(self) or abs(self - expected) <= _rounding(expected)


class Oversize(msgspec.Struct, frozen=True):
    """A value that the jail did not send, and the reason."""

    why: str

    def __repr__(self) -> str:
        return f"<not read: {self.why}>"


def _rounding(expected: float) -> float:
    """Return the error that a few operations in single precision may make; 0 for an infinite expected number."""
    return max(SINGLE_ABS, SINGLE_REL * abs(expected)) if math.isfinite(expected) else 0.0


def encode(
    value: object,
    handle_of: Callable[[object], int | None],
    array_of: Callable[[object], Any] = lambda _: None,
) -> Any:
    """Return a value of the grader's as data for JSON.

    `handle_of` returns the number of a proxy's object, `array_of` the data of an array, each None for other values.
    Raises TypeError for a value that cannot go into the jail.
    """
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if (handle := handle_of(value)) is not None:
        return {"h": handle}
    if isinstance(value, int):
        return int(value) if _is_short(value) else {"i": _digits(value)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"f": str(float(value))}
    if value is Ellipsis:
        return {"..": 1}
    for tag, kind in (("l", list), ("t", tuple), ("s", set), ("z", frozenset)):
        if isinstance(value, kind):
            return {tag: [encode(item, handle_of, array_of) for item in value]}
    if isinstance(value, dict):
        return {"d": [[encode(part, handle_of, array_of) for part in pair] for pair in value.items()]}
    if (array := array_of(value)) is not None:
        return array
    name = type(value).__name__
    msg = f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} cannot be sent into the jail; send numbers, text, containers or the student's objects"
    raise TypeError(msg)


def decode(
    data: Any, make: Callable[[Handle], object], readers: Mapping[str, Callable[[Any], Any]] | None = None
) -> Any:
    """Read one value from decoded JSON. Raises SubmissionStopped.

    `make` turns a handle into a proxy; `readers` read the bodies of arrays and tables, by tag.
    """
    return _Decoder(make, readers or {}).value(data, 0)


class _Decoder:
    def __init__(self, make: Callable[[Handle], object], readers: Mapping[str, Callable[[Any], Any]]) -> None:
        self.make, self.readers = make, readers
        self.items = self.collisions = 0

    def value(self, data: Any, depth: int) -> Any:
        self.items += 1
        if self.items > MAX_ITEMS:
            raise forged_data(f"more than {MAX_ITEMS} values in one message")
        if data is None or isinstance(data, bool | float):
            return data
        if isinstance(data, int) and _is_short(data):
            return data
        if isinstance(data, str):
            if len(data) > MAX_TEXT:
                raise forged_data(f"a text of more than {MAX_TEXT} characters")
            return data
        if not isinstance(data, dict) or depth > MAX_DEPTH:
            raise forged_data("an invalid value")
        return self.read_tagged(data, depth)

    def read_tagged(self, data: dict[str, Any], depth: int) -> Any:
        if "h" in data:
            return self.handle(data)
        if len(data) != 1:
            raise forged_data("a value with several tags")
        tag, body = next(iter(data.items()))
        if tag in _CONTAINERS and isinstance(body, list):
            return self.container(_CONTAINERS[tag], body, depth)
        if tag == "d" and isinstance(body, list):
            return self.pairs(body, depth)
        if tag == "f4" and isinstance(body, float):
            return Float32(body)
        if tag == "f" and isinstance(body, str) and body in _FLOATS:
            return float(body)  # a new NaN each time: in lists, one and the same NaN would equal itself
        if tag == "i" and isinstance(body, str):
            return _large_int(body)
        if tag == ".." and body == 1:
            return Ellipsis
        if tag in self.readers:
            self.items += ITEMS_OF_COLUMN * _columns(body) if tag == "p" else 0
            return self.readers[tag](body)
        if tag == "x" and isinstance(body, str):
            return Oversize(body[:200])
        raise forged_data("a value with an unknown tag")

    def container(self, kind: Callable[[list[Any]], Any], body: list[Any], depth: int) -> Any:
        items = [self.value(item, depth + 1) for item in body]
        if kind in (set, frozenset):
            self.hash_all(items, "a set with unhashable items")
        return kind(items)

    def pairs(self, body: list[Any], depth: int) -> dict[Any, Any]:
        keys, values = [], []
        for pair in body:
            if not isinstance(pair, list) or len(pair) != 2:
                raise forged_data("a dict whose items are not pairs")
            keys.append(self.value(pair[0], depth + 1))
            values.append(self.value(pair[1], depth + 1))
        self.hash_all(keys, "an unhashable dict key")
        return dict(zip(keys, values, strict=True))

    def hash_all(self, keys: list[Any], otherwise: str) -> None:
        """Raise SubmissionStopped, with the text `otherwise` for a key without a hash, or if too many share one.

        A table of n keys with one hash takes n * n comparisons: for 20,000 multiples of 2**61 - 1, two seconds.
        """
        firsts: dict[int, Any] = {}
        try:
            for key in keys:
                first = firsts.setdefault(hash(key), key)
                self.collisions += first is not key and first != key
        except TypeError as error:
            raise forged_data(otherwise) from error
        if self.collisions > MAX_COLLISIONS:
            raise forged_data(f"more than {MAX_COLLISIONS} keys that share a hash")

    def handle(self, data: dict[str, Any]) -> object:
        number, kind, cls = data["h"], data.get("k"), data.get("c")
        good = type(number) is int and 0 < number < MAX_HANDLE and len(data) == 3
        if not good or not isinstance(kind, str) or kind not in KINDS or not isinstance(cls, str):
            raise forged_data("an invalid handle")
        return self.make(Handle(number, kind, cls[:100]))


def _columns(body: Any) -> int:
    """Return the number of columns in the body of a table, 0 for another body."""
    return len(body[-1]) if isinstance(body, list) and body and isinstance(body[-1], list) else 0


def _is_short(number: int) -> bool:
    """Return True for an int that is written as a number of JSON."""
    return -(2**63) <= number < 2**63


def _digits(number: int) -> str:
    if number.bit_length() > 3 * MAX_DIGITS:
        raise TypeError("an int of more than a thousand digits cannot be sent into the jail")
    return str(int(number))


def _large_int(digits: str) -> int | Oversize:
    if len(digits) > MAX_DIGITS:
        raise forged_data(f"an int of more than {MAX_DIGITS} digits")
    if not _LARGE_INT.fullmatch(digits):
        raise forged_data("an invalid int")
    if len(digits.removeprefix("-")) > _DIGITS_OF_FLOATS:
        return Oversize("a huge integer")
    number = int(digits)
    try:
        float(number)  # a check could not compare a larger int with a float
    except OverflowError:
        return Oversize("a huge integer")
    return number


def pack(message: dict[str, Any]) -> bytes:
    """Return a message as a frame."""
    body = msgspec.json.encode(message)
    return len(body).to_bytes(4, "big") + body


def unpack(body: bytes) -> dict[str, Any]:
    """Return the message in the body of a frame. Raises SubmissionStopped for all but a JSON object in UTF-8."""
    try:
        message = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise forged_data("bytes that are not a message") from error
    if not isinstance(message, dict):
        raise forged_data("a message that is not an object")
    if body.count(b"[") + body.count(b"{") > MAX_NESTING and _is_deep(message):
        raise forged_data(f"a message that is nested more than {MAX_NESTING} deep")
    return message


def _is_deep(message: dict[str, Any]) -> bool:
    """Return True for JSON that is nested so deeply that its `repr` could fail."""
    level: list[Any] = [message]
    for _ in range(MAX_NESTING):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)

"""Failures: a failed assert as data, with the actual value, the expected value and the expression."""

from __future__ import annotations

import ast
import contextlib
import operator
import re
import sys
from typing import TYPE_CHECKING, Any, TypeGuard

import pytest
from msgspec.structs import replace

from grader.grading.fingerprints import ADDRESS
from grader.report import Mismatch, cap
from grader.sandbox.kinds import group_of, kind_words, with_article
from grader.sandbox.proxy import Proxy, Reading, class_name_of, label_of, object_kind, short
from grader.topic import ATTRIBUTE, MAX_ROWS, Failure, setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.sandbox import Record

_APPROX = pytest.Approx
TABLES = "as pandas does"  # in place of an operator
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda item, container: item in container,
    "not in": lambda item, container: item not in container,
}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WORDS = {"==": "", "in": "one of ", "not in": "none of ", "is": "the same object as "}


def explain(error: BaseException, comparisons: list[tuple[str, Any, Any]], record: Record) -> Failure:
    """Return an assertion's own message, or else its first comparison that does not hold, as data."""
    if comparisons and comparisons[-1][0] == TABLES:
        return _of_tables(comparisons[-1][2], record)
    words = str(error).split("\n")[0]
    if words and not words.startswith("assert "):
        return Failure(text=cap(words))
    unknown = None
    for comparison in comparisons:
        holds = _holds(*comparison)
        if holds is False:
            return _object_for_number(*comparison, record) or Failure(_lines(*comparison, record))
        unknown = comparison if holds is None else unknown
    return Failure(_lines(*unknown, record)) if unknown else Failure()


def asserted_at(path: Path, line: int) -> str:
    """Return the expression of the assert on this line of a check file; "" for any other statement."""
    source = path.read_text(encoding="utf-8").splitlines()[line - 1].strip()
    with contextlib.suppress(SyntaxError):
        match ast.parse(source).body:
            case [ast.Assert(test=test, msg=None)]:
                return cap(ast.get_source_segment(source, test) or "")
    return ""


def compared_inside(error: BaseException) -> list[tuple[str, Any, Any]]:
    """Return the comparison of pandas or numpy that raised this error; none for other errors."""
    if "pandas" in sys.modules:
        from grader.sandbox.tables import compared_tables  # late: it imports pandas

        if found := compared_tables(error.__traceback__):
            return [(TABLES, found[0], found)]
    if "numpy.testing" in sys.modules:
        from grader.sandbox.arrays import compared_arrays  # late: it imports numpy

        if pair := compared_arrays(error.__traceback__):
            return [("==", *pair)]
    return []


def _of_tables(compared: Any, record: Record) -> Failure:
    """Return the first wrong cell, or another difference of two tables."""
    from grader.sandbox.tables import table_difference

    left, right, differ = compared
    if not _label(left, record) and _label(right, record):  # the student's comes last
        left, right = right, left
    part, have, want = table_difference(left, right, differ)
    label = _label(left, record)
    return Failure(
        [Mismatch(cap((label or "the table") + part), setting(record, label), cap(have), cap(want))]
    )


def _object_for_number(op: str, left: object, right: object, record: Record) -> Failure | None:
    """Return the failure if an attribute holds an object of the student's, of no other name, instead of a number."""
    for item in left if isinstance(left, list | tuple) else [left]:
        if not isinstance(item, Proxy) or object_kind(item) != "instance" or label_of(item).isidentifier():
            continue
        label = _label(item, record)
        if op == "==" and re.search(r"\.\w+$", label) and _is_numeric(right):
            return Failure(object=(cap(label), cap(class_name_of(item))))
    return None


def _is_numeric(wanted: object) -> bool:
    """Return True if one number is expected, or several."""
    wanted = getattr(wanted, "expected", wanted) if isinstance(wanted, _APPROX) else wanted
    items = wanted if isinstance(wanted, list | tuple) else [wanted]
    return bool(items) and all(isinstance(item, int | float) for item in items)


def of_the_wrong_kind(error: BaseException, record: Record, owner_of: Callable[[str], str]) -> Failure | None:
    """Return the value that a check could not use: the value in the error, or else the last one that it read.

    `owner_of` returns the class whose objects have an attribute of this name; "" if it knows none.
    """
    used = getattr(error, "obj", None)
    last = record.events[-1] if record.events else None
    label = used.label if isinstance(used, Reading) else last.label if last else ""
    if not label:
        return None
    value = used if isinstance(used, Reading) or last is None else last.value
    verb = "returned" if re.search(r"\w\(.*\)$", label) else "is"
    owner = owner_of(error.name or "") if isinstance(error, AttributeError) else ""
    wanted = f"needs {with_article(owner)}" if owner else f"cannot use this value ({type(error).__name__})"
    why = f"{verb} {kind_words(value, label)}; the test {wanted}."
    if value is None and not re.search(ATTRIBUTE, label):
        why = f"{verb} None: a function without a `return` gives None."
    return Failure(text=cap(f"{label} {why}"))


def _holds(op: str, left: object, right: object) -> bool | None:
    """Return True if a comparison holds; None if only another request to the jail could decide."""
    if op in {"in", "not in"} and isinstance(right, Proxy):
        return None
    try:
        return bool(_COMPARE[op](left, right))
    except Exception:
        return False


def _lines(op: str, left: object, right: object, record: Record) -> list[Mismatch]:
    """Return the rows of a comparison; an array in a label is on one line, where numpy writes one for each row."""
    return [replace(row, label=re.sub(r"\n\s*", " ", row.label)) for row in _rows(op, left, right, record)]


def _rows(op: str, left: object, right: object, record: Record) -> list[Mismatch]:
    if op in _MIRRORED and _is_expectation(left, right):
        left, right, op = right, left, _MIRRORED[op]
    if op in {"in", "not in"} and not _label(left, record) and _label(right, record):
        without = "with" if op == "in" else "without"
        return [
            Mismatch(
                _label(right, record),
                setting(record, _label(right, record)),
                cap(describe(right)),
                cap(f"{without} {describe(left)} in it"),
            )
        ]
    actual, expected = left, right
    label = _label(actual, record)
    given = setting(record, label)
    wanted = getattr(expected, "expected", expected) if isinstance(expected, _APPROX) else expected
    if op == "==" and (of_array := _of_array(actual, expected, wanted, label, given)):
        return of_array
    if op == "==" and isinstance(wanted, dict) and isinstance(actual, dict):
        rows = _entries(actual, wanted, expected, label, given)
        if rows:
            return rows[:MAX_ROWS]
    if op == "==" and isinstance(wanted, list | tuple) and _readings_of(actual, len(wanted)):
        return [
            Mismatch(
                _label(have, record),
                setting(record, _label(have, record)),
                cap(describe(have)),
                cap(describe(want)),
            )
            for have, want in zip(actual, wanted, strict=True)
            if not _same(have, want, expected)
        ][:MAX_ROWS]
    return [
        Mismatch(label, given, *map(cap, _sides(op, actual, wanted, "" if label in record.named else label)))
    ]


def _sides(op: str, actual: object, wanted: object, label: str) -> tuple[str, str]:
    """Return words for a value and for the expected value; values of different kinds are described by kind."""
    if op == "==" and group_of(actual) != group_of(wanted):
        # An expected array is written as a list.
        return kind_words(actual, label), short(wanted) if isinstance(wanted, list) else kind_words(wanted)
    shown = short(wanted) if op == "is" else describe(wanted)
    turned = isinstance(actual, list) and len(actual) > 1 and op == "==" and actual[::-1] == wanted
    reverse = ": the same in reverse" if turned else ""
    return describe(actual, label) + reverse, _WORDS.get(op, f"{op} ") + shown


def _of_array(actual: object, expected: object, wanted: object, label: str, given: str) -> list[Mismatch]:
    """Return the row of an array: a wrong shape, or the first wrong entry and the number of wrong ones.

    A number instead of an array has a wrong shape, too. No rows for other values.
    """
    if isinstance(actual, Proxy) or not (hasattr(actual, "dtype") or hasattr(wanted, "dtype")):
        return []
    from grader.sandbox.arrays import difference  # late: only arrays need numpy

    found = difference(actual, expected, wanted)
    if found is None:
        return []
    part, have, want = found
    return [Mismatch(label + part, given, cap(have), cap(want))]


def _is_expectation(left: object, right: object) -> bool:
    """Return True if the left operand is the expected value."""
    read = isinstance(right, Reading) and not isinstance(left, Reading)
    return not isinstance(right, _APPROX) and (isinstance(left, _APPROX) or read)


def _entries(
    actual: dict[Any, Any], wanted: dict[Any, Any], expected: Any, label: str, given: str
) -> list[Mismatch]:
    """Return the entries in which two dictionaries differ."""
    rows = []
    for key in [*wanted, *(key for key in actual if key not in wanted)]:
        have = dict.get(actual, key, _MISSING)
        if have is Ellipsis:
            continue  # a blank is not a wrong answer, and the report never shows the right one
        want = wanted.get(key, _MISSING)
        if not _same(have, want, expected):
            name = f"{label}[{short(key)}]"
            due = "no such entry" if want is _MISSING else describe(want)
            rows.append(Mismatch(name, given, cap(describe(have)), cap(due)))
    return rows


def _same(have: object, want: object, expected: Any) -> bool:
    """Return True if one entry of a container is as expected."""
    if isinstance(expected, _APPROX) and want is not _MISSING:
        want = pytest.approx(want, rel=expected.rel, abs=expected.abs)
    return _holds("==", have, want) is True


def _readings_of(actual: object, length: int) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Return True for a list of several readings."""
    if not isinstance(actual, list | tuple) or len(actual) != length:
        return False
    return any(isinstance(item, Reading) and item.label for item in actual)


_MISSING = object()


def describe(value: object, label: str = "") -> str:
    """Return a value in words, with its type unless it is a number."""
    if value is _MISSING:
        return "missing"
    if isinstance(value, str):
        return f"the text {short(ADDRESS.sub('', value))}"
    if isinstance(value, list):
        return "[" + ", ".join(short(item) for item in value[:12]) + (", ...]" if len(value) > 12 else "]")
    return kind_words(value, label) if isinstance(value, Proxy) or value is Ellipsis else short(value)


def _label(value: object, record: Record) -> str:
    if isinstance(value, Reading):
        return value.label
    if isinstance(value, Proxy):
        read = [event.label for event in record.events if event.value is value]
        return read[-1] if len(read) > 1 else label_of(value)  # the first label is that of its creation
    # A text, a list or None has no label: it is found by identity.
    return next((event.label for event in reversed(record.events) if event.value is value), "")

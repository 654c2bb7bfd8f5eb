"""Questions about functions, for a topic without an examination: their results, and their results after an edit."""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
from typing import TYPE_CHECKING, Any

from grader.sandbox import StudentError
from grader.sandbox.proxy import Proxy
from grader.topic.questions import question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.sandbox import Sandbox
    from grader.topic.questions import Asking, Question

MOST_ARGUMENTS = 3
MOST_FUNCTIONS = 20  # functions that are called; handed-out ones come first
MOST_EDITS = 9  # edits that are tried
LONGEST = 60  # characters of a result that a student can write down
WORDS = ("banana", "level", "to be or not", "Anna")


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for results of functions, called with small numbers, lists of them or texts."""
    calls = list[Any]()
    for call in _calls(asking):
        calls.append(call)
        name, args, result = call
        yield question("result", result, key=_text(name, args), call=_text(name, args))
    graded = asking.work.as_graded(functools.partial(_results, calls)) if calls else None
    for (name, args, result), other in zip(calls, graded or [""], strict=False):
        if other != result:
            asking.work.doubt(_text(name, args), other, result)


def _results(calls: Sequence[tuple[str, tuple[Any, ...], str]], student: Any) -> list[str]:
    """Return the results of these calls, "" for an error."""
    found = [""] * len(calls)
    for i, (name, args, _) in enumerate(calls):
        with contextlib.suppress(StudentError):
            found[i] = _value_text(getattr(student, name)(*args))
    return found


def ask_for_edits(asking: Asking) -> Iterator[Question]:
    """Ask for results that an edit changes."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    for name, args, was in _calls(asking):
        own = [pair for pair in pairs if pair[0].function.partition(".")[0] == name]
        for statement, edit in asking.sample(own, MOST_EDITS):
            sources = asking.work.edit(statement, edit)
            now = _call_text(asking, name, args, sources) if sources else None
            if now is not None and now != was:
                yield asking.change(statement, edit, _text(name, args), was, now)


def _calls(asking: Asking) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Yield the student's functions, each with the first arguments for which it returns a result, and the result."""
    own = {one.function.partition(".")[0] for one in asking.statements}
    known = [(name, n) for name, n in asking.work.functions() if name in own and n <= MOST_ARGUMENTS]
    if len(known) > MOST_FUNCTIONS:
        asking.work.doubts.append(f"Only {MOST_FUNCTIONS} of {len(known)} functions were called.")
    for name, count in known[:MOST_FUNCTIONS]:
        rows = _arguments(asking, count)
        args = asking.work.attempt(None, functools.partial(_first, name, rows))
        if args is not None and (result := _call_text(asking, name, args)) is not None:
            yield name, args, result


def _arguments(asking: Asking, count: int) -> list[tuple[Any, ...]]:
    """Return arguments to try, in order: numbers, then lists or texts for some or all of them."""
    small = [number + 6 if asking.practice else number for number in (2, 3, 4, 5, 6, 7)]
    kinds: list[Any] = [
        asking.rng.sample(small, count),
        [asking.rng.sample(small, 4) for _ in range(count)],
        asking.rng.sample(WORDS, count),
    ]
    rows = sorted(itertools.product(range(len(kinds)), repeat=count), key=lambda row: sum(map(bool, row[1:])))
    return [tuple(kinds[kind][i] for i, kind in enumerate(row)) for row in rows]


def _first(name: str, rows: Sequence[tuple[Any, ...]], student: Any, _: Sandbox) -> tuple[Any, ...] | None:
    """Return the first arguments for which a function returns a result; None without any."""
    for args in rows:
        with contextlib.suppress(StudentError):
            if _value_text(getattr(student, name)(*args)):
                return args
    return None


def _call_text(
    asking: Asking, name: str, args: Sequence[Any], sources: list[str] | None = None
) -> str | None:
    """Return the result of a function as a sheet shows it; None if a sheet cannot show it."""
    found = asking.work.attempt(sources, lambda student, _: getattr(student, name)(*args))
    return _value_text(found) or None


def _value_text(value: Any) -> str:
    """Return short plain data as a student writes it: 0.25, banana, [1, 'a']; "" for anything else."""
    if value is None or isinstance(value, Proxy | set):  # a set has no order
        return ""
    text = (
        value if isinstance(value, str) else sheet_number(value) if isinstance(value, float) else repr(value)
    )
    if len(text) > LONGEST or not text.isprintable():
        return ""
    with contextlib.suppress(ValueError, SyntaxError, RecursionError):
        if not isinstance(value, str):
            ast.literal_eval(text)  # else it holds an object
        return text
    return ""


def _text(name: str, args: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(repr, args))})"

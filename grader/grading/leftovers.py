"""A `raise` of the stub may stand among the lines that a student wrote in its place: where, and in words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.grading.locations import place_of, where_at
from grader.sandbox import StudentError
from grader.submissions.submission import indent_of
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.report import Location
    from grader.submissions.submission import Sources
    from grader.topic import TestResult


def kept_raise(result: TestResult, blocks: Sources) -> tuple[Location, bool] | None:
    """Return the place of the stub's `raise` that still stands among the student's own lines; None without one.

    The second value is True if their lines are above it.
    """
    error = result.error
    if not isinstance(error, StudentError) or not error.frames or result.outcome is not TestOutcome.TODO:
        return None
    if not (where := where_at(error.frames[-1], blocks)):
        return None
    lines, index = blocks[error.frames[-1].block].source.split("\n"), error.frames[-1].line - 1
    line = lines[index].strip()
    if not line.startswith("raise NotImplementedError") or line not in blocks.given_lines:
        return None
    for is_above, those in zip((True, False), _around(lines, index), strict=True):
        if any(line and not line.startswith("#") and line not in blocks.given_lines for line in those):
            return where, is_above
    return None


def left_raise(result: TestResult, blocks: Sources) -> str:
    """Return a sentence about a `raise` of the stub that is still there; else an empty text."""
    if not (kept := kept_raise(result, blocks)):
        return ""
    where, is_above = kept
    words = "it is below your own lines" if is_above else "your lines below it are never reached"
    return f"Take out the `raise` in {place_of(where)}: {words}."


def _around(lines: Sequence[str], index: int) -> tuple[list[str], list[str]]:
    """Return the lines above and below a line in the same block of Python, without their indents."""
    indent = indent_of(lines[index])

    def suite(those: Iterable[str]) -> list[str]:
        inside = itertools.takewhile(lambda line: not line.strip() or indent_of(line) >= indent, those)
        return [line.strip() for line in inside]

    return suite(reversed(lines[:index])), suite(lines[index + 1 :])

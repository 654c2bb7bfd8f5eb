"""Slips of the pen: an object written where its number is meant, such as `other` for `other.data`.

Lines are only looked at, never parsed: what is found is asked, not claimed.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.sandbox import Frame, StudentError
from grader.submissions.submission import indent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.submissions.submission import Sources
    from grader.topic import TestResult

MAX_LINE, MAX_LINES = 200, 100  # characters of a line, and lines, that are searched


@dataclass(frozen=True)
class Slip:
    """An object that was `written` where its number is `meant`, and the line."""

    written: str
    meant: str
    place: Frame


def find_slip(result: TestResult, blocks: Sources) -> Slip | None:
    """The line that adds an object to an attribute, where a test found that object or an error of it.

    Without an error that tells its line, all such lines of the submission must be in one function.
    """
    failure, error = result.failure, result.error
    if failure and failure.object:
        attribute = re.escape(failure.object[0].rpartition(".")[2])
        found = list(_slips(_with(f".{attribute}", blocks), attribute, blocks))
        return found[0] if len({_function_of(slip.place, blocks) for slip in found}) == 1 else None
    if isinstance(error, StudentError) and error.frames and "unsupported operand" in error.text:
        return next(_slips(error.frames[-1:], r"\w+", blocks), None)
    return None


def _function_of(place: Frame, blocks: Sources) -> tuple[int, int]:
    """The block and the first line of the outermost function around a place."""
    lines = blocks[place.block].source.split("\n")
    return place.block, function_around(lines, place.line - 1).start


def _with(text: str, blocks: Sources) -> Iterator[Frame]:
    """The first lines of all blocks that hold a text."""
    lines = (
        (i, n, line) for i, b in enumerate(blocks) for n, line in enumerate(b.source.split("\n"), start=1)
    )
    return itertools.islice((Frame(i, n, "") for i, n, line in lines if text in line), MAX_LINES)


def _slips(places: Iterable[Frame], attribute: str, blocks: Sources) -> Iterator[Slip]:
    for place in places:
        lines = blocks[place.block].source.split("\n") if place.block < len(blocks) else []
        if 0 < place.line <= len(lines):
            function = [lines[i][:MAX_LINE] for i in function_around(lines, place.line - 1)]
            if names := _object_on(lines[place.line - 1][:MAX_LINE], attribute, "\n".join(function)):
                yield Slip(*names, place)


def _object_on(line: str, attribute: str, function: str) -> tuple[str, str] | None:
    """The bare name of an object on the right of an assignment to an attribute, and what its number is called.

    A name is an object's where the function reads an attribute of it elsewhere, and that attribute is meant.
    """
    match = re.match(rf"\s*\w+\.({attribute})\s*[-+*/]?=(?!=)([^#]*)", line)
    if match is None:
        return None
    target, right = match.groups()
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])", right):
        read = set(re.findall(rf"(?<![\w.]){name}\.([A-Za-z]\w*)", function))
        if len(read - {target}) == 1:
            return name, f"{name}.{(read - {target}).pop()}"
        if read == {target} and f"{name}.{target}" not in right:
            return name, f"{name}.{target}"
    return None


def function_around(lines: Sequence[str], index: int) -> range:
    """The lines of the outermost function around a line; the line alone where there is none near."""
    if index >= len(lines):
        return range(0)
    start, indent = index, indent_of(lines[index])
    for i in range(index, max(-1, index - MAX_LINES), -1):
        if lines[i].strip() and (i == index or indent_of(lines[i]) < indent):
            indent = indent_of(lines[i])
            start = i if lines[i].lstrip().startswith("def ") else start
    inside = itertools.takewhile(
        lambda i: not lines[i].strip() or indent_of(lines[i]) > indent_of(lines[start]),
        range(start + 1, min(len(lines), start + MAX_LINES)),
    )
    return range(start, max(index, start, *inside) + 1)

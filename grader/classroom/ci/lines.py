"""Where a line of a notebook's cell stands in the .ipynb file itself, which is what a page on GitHub shows."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# A string is taken whole, also one that never ends: looking for its end twice would take the square of the
# file's length. What stands between tokens is passed over, for the jail's side has read the file before.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+("?)|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
# Where the cells are, and what holds a cell's code, in nbformat 4 and in 2 and 3.
_CELLS = (["cells"], ["worksheets", 0, "cells"])
_SOURCES = ("source", "input")
MOST_TOKENS = 200_000  # that are looked at; a notebook with its pictures has some ten thousand
_DEEPEST = 6  # worksheets, 0, cells, number, input, line


def line_in_notebook(text: str, cell: int, line: int) -> int | None:
    """The line of the file at which that line of that cell stands; all three are counted from 1.

    None where the notebook cannot be followed so far or has no such line. Cells of every kind count, as in a report.
    """
    if line < 1:
        return None
    wanted, before = line - 1, 0  # ends of lines before that line, and before this piece
    for start, piece in _pieces(text, cell):
        # It begins within this piece, or with it: had it begun before, it would have been found there.
        if before < wanted <= before + piece.count("\n", 0, -1) or (piece and before == wanted):
            return 1 + text.count("\n", 0, start)
        before += piece.count("\n")
    return None


def _pieces(text: str, cell: int) -> Iterator[tuple[int, str]]:
    """The texts that a cell's source is made of, each with its place in the file."""
    for place, start, string in _strings(text):
        for cells in _CELLS:
            depth = len(cells)
            if place[: depth + 1] == [*cells, cell - 1]:
                match place[depth + 1 :]:
                    case [key] | [key, int()] if key in _SOURCES:
                        yield start, _decoded(string)


@dataclass(slots=True)
class _Walk:
    """Which object or list we are in: keys and indices from the outermost on."""

    path: list[str | int] = field(default_factory=list)
    in_list: list[bool] = field(default_factory=list)
    at_key: bool = False  # whether the next string is a key

    def enter(self, *, is_list: bool) -> None:
        self.path.append(0 if is_list else "")
        self.in_list.append(is_list)
        self.at_key = not is_list

    def leave(self) -> None:
        if self.path:
            self.path.pop()
            self.in_list.pop()
        self.at_key = False

    def next(self) -> None:
        if self.in_list and self.in_list[-1]:
            index = self.path[-1]
            self.path[-1] = index + 1 if isinstance(index, int) else 0
        else:
            self.at_key = bool(self.path)


def _strings(text: str) -> Iterator[tuple[list[str | int], int, str]]:
    """Every string that is a value, with its place: those that lie no deeper than sources do."""
    walk = _Walk()
    for token in itertools.islice(_TOKEN.finditer(text), MOST_TOKENS):
        match token[0]:
            case "{" | "[" as opening:
                walk.enter(is_list=opening == "[")
            case "}" | "]":
                walk.leave()
            case ",":
                walk.next()
            case ":":
                walk.at_key = False
            case string if string.startswith('"'):
                if not token[1]:
                    return  # it never ends
                if walk.at_key:
                    walk.path[-1] = _decoded(string)
                elif len(walk.path) <= _DEEPEST:
                    yield walk.path, token.start(), string


def _decoded(string: str) -> str:
    try:
        return str(json.loads(string))
    except ValueError:
        return ""  # an escape that is none

"""Text in columns of a terminal: what has room in a line, and what is cut to it."""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING

from grader.render.inert import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines of at most `width` columns, each after the indent."""
    return "\n".join(indent + line for line in _lines(text, width - len(indent)))


def _lines(text: str, room: int) -> list[str]:
    """The text in lines of at most `room` columns; only a word that has no room in one is cut."""
    lines: list[str] = []
    for gap, word in re.findall(r"( *)(`grade [^`]{1,40}`[^ ]*|[^ ]+)", text):  # a command is not parted
        if lines and columns(lines[-1] + gap + word) <= room:
            lines[-1] += gap + word
        else:
            lines += _pieces(word, room)
    return lines


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces that each begin a line, where a CI runner obeys what begins with `::`."""
    while word:
        if found := COMMAND.match(word):
            word = f"{found[1]}: {word[found.end() :]}"
        ends = itertools.accumulate(map(columns, word))
        end = max(1, sum(1 for _ in itertools.takewhile(room.__ge__, ends)))
        if end < len(word):
            end = word.rfind("/", 0, end) + 1 or end  # a path is cut between its names
        yield word[:end]
        word = word[end:]


def shortened(text: str, room: int) -> str:
    """As many of its words as have room in one line, and dots for the rest."""
    text = " ".join(text.split())
    lines = _lines(text, room)
    return "".join(lines) if len(lines) < 2 else f"{_lines(text, room - 4)[0]} ..."


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in {"Mn", "Me"} else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )

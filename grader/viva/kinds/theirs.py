"""Questions about a student's own lines: which of four is in the file."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from grader.topic.questions import bare, question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.topic.questions import Asking, Question


MOST = 3
PASSIVE = ("__init__", "__repr__")  # methods whose lines say little
SHORTEST = 20  # characters of a line that a student may remember


def ask(asking: Asking) -> Iterator[Question]:
    """Ask which of four lines is in the student's file.

    A graded sheet and practice ask for different lines.
    """
    texts = [one.text for one in asking.statements]
    own = [
        one
        for one in asking.statements
        if texts.count(one.text) == 1
        and len(one.text) >= SHORTEST
        and not one.function.endswith(PASSIVE)
        and _without_spacing(asking.work.line(one)) == _without_spacing(one.text)
        and (hashlib.sha256(one.text.encode()).digest()[0] % 2 == 0) == asking.practice
    ]
    own = asking.sample([one for one in own if one.fills], MOST) + asking.sample(
        [one for one in own if not one.fills], 2 * MOST
    )
    every, asked = bare(asking.work.text), 0
    for statement, spellings in zip(own, asking.work.spellings(own), strict=True):
        wrong = asking.sample([text for text in spellings if bare(text) not in every], 3)
        if len(wrong) < 3 or asked == MOST:
            continue
        options = [statement.text, *wrong]
        asking.rng.shuffle(options)
        asked += 1
        place, line = asking.work.place(statement), statement.text
        yield question(
            "theirs", line, options, key=line, hides=[line], function=statement.function, place=place
        )


def _without_spacing(text: str) -> str:
    """Return a line without spaces, quotes and comments, which do not count."""
    return re.sub(r"[\s'\"]", "", text.partition("  #")[0])

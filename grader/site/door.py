"""The one function that a page's worker calls: a question in JSON, an answer in JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.site.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable


def open_door(course: str, day: str, beat: Callable[[str], None]) -> Callable[[str], str]:
    """Return the function that answers the questions about one assignment of the course in this folder.

    A question is `[method, arguments]` of `Desk`. `beat` is called with a line while a student's code runs.
    """
    assignment = Course(Path(course)).assignment(day)
    os.chdir(assignment.folder)
    desk = Desk(assignment, beat)
    methods: dict[str, Callable[..., object]] = {
        "prepare": desk.prepare,
        "run": desk.run,
        "check": desk.check,
        "play": desk.play,
        "tidy": desk.tidy,
    }

    def answer(question: str) -> str:
        method, arguments = json.loads(question)
        return json.dumps(methods[method](*arguments))

    return answer

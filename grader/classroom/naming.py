"""How the repositories of a class are called: `{day}-{github}`, or another pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.errors import Refused

if TYPE_CHECKING:
    from grader.gradebook.roster import Student

PATTERN = "{day}-{github}"
_FIELDS = re.compile(r"\{([^{}]*)\}")
_KNOWN = ("day", "github", "student")


class Naming:
    """A pattern, in which `{day}`, `{github}` and `{student}` stand for an assignment's and a student's names."""

    def __init__(self, pattern: str) -> None:
        """Raises Refused for a pattern that knows another name, or that is the same for everybody."""
        self.pattern, self.fields = pattern, set(_FIELDS.findall(pattern))
        if unknown := sorted(self.fields.difference(_KNOWN)):
            raise Refused(
                f"--name {pattern}: {{{unknown[0]}}} is not known; known are {{day}}, {{github}}, {{student}}"
            )
        if not self.fields & {"github", "student"}:
            raise Refused(
                f"--name {pattern}: all students would share one repository; add {{github}} or {{student}}"
            )

    def name(self, day: str, student: Student) -> str:
        """The name of a student's repository; nothing where the roster lacks what it is made of."""
        known = {"day": day, "github": student.github, "student": student.student}
        if not all(known[field] for field in self.fields):
            return ""
        return _FIELDS.sub(lambda found: known[found[1]], self.pattern)

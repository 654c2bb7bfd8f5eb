"""The text that `grade post` sends to each student or team.

The students of a team share a repository and a text that names all of them. If their grades differ, by an extension or an
override for one of them, the text has a part for each. So a team has one text all the time. Each can read the others'
parts, as they can read everything in the repository.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.classroom.github.comments import LONGEST, marker
from grader.gradebook.feedback import folded_markdown, reference_for, trouble_of
from grader.gradebook.grade import grades_of
from grader.gradebook.overrides import conflict_words
from grader.gradebook.roster import join_names, teams_of
from grader.gradebook.sentences import grade_markdown
from grader.gradebook.store import PostedText
from grader.render import escape_markdown
from grader.submissions.state_words import why_no_result
from grader.submissions.states import NO_RESULT, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.gradedwork import Grade, GradedWork
    from grader.gradebook.store import Store

_ROOM = 1_024  # characters for the mark and the additions of a renderer


@dataclass(frozen=True)
class Letter:
    """The text for one student, which a team shares, and the earlier post; `trouble` is the reason for not posting."""

    grade: GradedWork
    text: str
    before: PostedText | None
    trouble: str = ""

    @property
    def student(self) -> str:
        """The student's key."""
        return self.grade.student

    @property
    def sha256(self) -> str:
        """The hash of the text, to detect a change."""
        return _hash_of_text(self.text)

    def to_row(self, place: str) -> PostedText:
        """Return the row of the table `posted` for this text at the API path `place`."""
        return PostedText(
            self.student, place, self.sha256, msgspec.json.encode(self.grade.without_report).decode()
        )

    @property
    def state(self) -> str:
        """The next step: `new`, `changed`, `as posted` or `left out`."""
        if self.trouble:
            return "left out"
        if self.before is None:
            return "new"
        return "as posted" if self.before.sha256 == self.sha256 else "changed"


def is_one_of(body: str | None, hashes: Collection[str]) -> bool:
    """Return True if the text `body` has one of these hashes, without its id and with any line ends."""
    text = re.sub(r"\s*<!-- backgrade:results-\w* -->\s*\Z", "", (body or "").replace("\r\n", "\n")).rstrip()
    return any(_hash_of_text(text + end) in hashes for end in ("", "\n"))


def _hash_of_text(text: str) -> str:
    """Return the hash of a text, as the results file keeps it."""
    return hashlib.sha256(text.encode()).hexdigest()


def letters_of(assignment: Assignment, store: Store, *, declare: bool | None = None) -> Iterator[Letter]:
    """Yield every student's letter; `declare` is as for `grades_of`."""
    posted = store.posted_texts(assignment.name)
    graded = {grade.student: grade for grade in grades_of(assignment, store, declare=declare)}
    teams = teams_of((grade.student, grade.work.repository) for grade in graded.values())
    team_of = {student: students for students in teams.values() for student in students}
    mark = marker(f"grade:{assignment.name}")
    unclear = {some[0].student: conflict_words(some) for some in store.in_force(assignment.name).conflicts}
    parts = {}
    for student, grade in graded.items():
        limit = (LONGEST - _ROOM) // len(team_of.get(student, [student]))
        parts[student] = _part_of(assignment, grade, limit=limit)
    for student, grade in graded.items():
        text = _join_parts([(one, parts[one]) for one in team_of.get(student, [])]) or parts[student].text
        before, trouble = posted.get(student), parts[student].trouble
        trouble = trouble or unclear.get(student) or unclear.get("", "")
        yield Letter(grade, f"{mark}\n{text}", before, trouble)


class _Part(NamedTuple):
    """The text about one student's grade; `trouble` is the reason for not posting it."""

    text: str
    trouble: str


def _part_of(assignment: Assignment, grade: GradedWork, *, limit: int) -> _Part:
    """Return the part of one student, of at most `limit` bytes.

    Before the grade is final it holds no number of a hidden test.
    """
    after = folded_markdown(reference_for(assignment, grade))
    after = after if len(after.encode()) < limit // 2 else ""
    text = grade_markdown(grade, limit=limit - len(after.encode())) + after
    return _Part(text, trouble_of(assignment, grade) or _trouble(grade))


def _join_parts(parts: Sequence[tuple[str, _Part]]) -> str:
    """Return the text for a team; equal parts appear once, with the students' names. Empty without students."""
    whose: dict[str, list[str]] = {}
    for student, part in parts:
        if not part.trouble:
            whose.setdefault(part.text, []).append(student)
    each = (f"{escape_markdown(f'For {join_names(students)}')}\n\n{text}" for text, students in whose.items())
    return "\n\n---\n\n".join(each)


def _trouble(grade: Grade) -> str:
    """Return the reason why the letter cannot be posted on GitHub; "" if it can."""
    if re.fullmatch(r"[\w.-]+/(?!\.{1,2}$)[\w.-]+", grade.work.repository, re.ASCII):
        return ""
    if isinstance(grade.work.state, (*NO_RESULT, *UNKNOWN)):
        return why_no_result(grade.work.state)
    return "no repository on GitHub is known; run `grade collect`, or write the text into a folder with `--to DIR`"

"""One class of the miniature course for all tests that read grades. The real jail grades it once for each worker.

`graded_class.take(folder, "ada", "bob")` writes the course, and a results file that has these students alone: a test adds
what it is about. Each check is worth 10 points, the work is due on 1 December, and a day costs 10 %.

    ada      all right, on time
    bob      forgets to keep the doubled number: 10 of 20; two days late: 6
    bo       full marks two days late, beside half of them on time; the better one counts
    cy       squares: nothing right
    dan      as bob, but on time by a commit's date alone, with an edited check
    eve      a check could not be graded, so there is no score
    fay      never accepted the invitation
    gus      wrote nothing that the checks ask for
    hal      the file is missing
    ivy, jo  a team with one repository
    <i>      a name, a file, a note and an error that are markup
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from minicourse import FILES, change, put
from msgspec.structs import replace
from students import EMPTY, FORGETS, GOOD, SQUARES, course, graded, moment, results_in, work

from grader.assignment import Assignment, Course
from grader.gradebook.gradedwork import GradedWork
from grader.gradebook.store import Store
from grader.report import Report
from grader.submissions.states import NoAccess, NoFile, State
from grader.submissions.work import HandedIn, Work

MANIFEST = "assignments/mini/assignment.yaml"
LATE = "due: 2025-12-01T23:59:00Z\nlate: {percent_per_day: 10}\n"
HOSTILE = "<i>"
BREAKS = "def double(x):\n    raise ValueError('</td></table><script>alert(1)</script> [x](javascript:1)')\n"


def _pushed(source: str | None, at: str, whose: str, *, verified: bool = True, **more: Any) -> Work:
    facts = {"submitted": moment(at), "verified": verified, "repository": f"org/{whose}", "commit": "c" * 40}
    return replace(work(source, **facts, **more), student=whose)


WORKS = {
    "ada": _pushed(GOOD, "01T10:00", "ada"),
    "bob": _pushed(FORGETS, "03T10:00", "bob"),
    "bo": _pushed(GOOD, "03T10:00", "bo", in_time=_pushed(FORGETS, "01T10:00", "bo")),
    "cy": _pushed(SQUARES, "01T10:00", "cy"),
    "dan": _pushed(FORGETS, "01T10:00", "dan", verified=False, notes=("test_box.py: edited",)),
    "gus": _pushed(EMPTY, "01T10:00", "gus"),
    "hal": _pushed(None, "01T10:00", "hal", state=NoFile("mini.ipynb")),
    "ivy": _pushed(FORGETS, "01T10:00", "ivy-and-jo"),
    "jo": _pushed(FORGETS, "01T10:00", "ivy-and-jo"),
    HOSTILE: _pushed(BREAKS, "01T10:00", "x", notes=("<b>: edited",)),
}
ABSENT: dict[str, State] = {"fay": NoAccess("fay-gh", "org/fay")}
BROKEN = FILES["assignments/mini/checks/test_box.py"].replace("student.Box", "sudent.Box")


class GradedClass:
    """The results of everybody."""

    def __init__(self, folder: Path) -> None:
        sound, broken = (_course(folder / name) for name in ("sound", "broken"))
        put(broken.course.root, "assignments/mini/checks/test_box.py", BROKEN)
        self.results = [
            *_graded(sound, WORKS),
            *_graded(broken, {"eve": _pushed(FORGETS, "01T10:00", "eve")}),
        ]

    def results_of(self, student: str) -> list[GradedWork]:
        """A student's result; bo has two, that of the last work before that of the work on time."""
        return [one for one in self.results if one.student == student]

    def report(self, student: str) -> Report:
        """What the checks found in a student's last work."""
        return self.results_of(student)[0].report

    def take(self, folder: Path, *students: str, pushed: bool = True) -> Assignment:
        """The course in a new folder, with a results file that has these students.

        Where they have not `pushed`, the works came in a folder: nothing is due, and only the file's name is known.
        """
        _course(folder)
        if pushed:
            change(folder, MANIFEST, "submission:", f"{LATE}submission:")
        with Store(folder / "results.db", create=True) as store:
            self.keep(store, *students, pushed=pushed)
        return Course(folder).assignment("mini")

    def keep(self, store: Store, *students: str, pushed: bool = True) -> None:
        """Keep the results of these students."""
        for one in self.results:
            if one.student in students:
                work = (
                    one.work if pushed else HandedIn(one.work.name, student=one.student, state=one.work.state)
                )
                store.keep(one.key, work, one.report, version=one.version)
        for student in ABSENT.keys() & {*students}:
            store.keep_absent("mini", student, ABSENT[student])


def _course(folder: Path) -> Assignment:
    made = course(folder)
    for points in ("points: 60", "points: 40"):
        change(folder, MANIFEST, points, "points: 10")
    return made


def _graded(assignment: Assignment, works: dict[str, Work]) -> list[GradedWork]:
    with Store(assignment.course.root / "results.db", create=True) as store:
        graded(assignment, works, store)
        return results_in(store, "mini")

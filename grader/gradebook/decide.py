"""`grade override`: points for a student's check, a void check, a student who is excused or forgotten.

An override is kept with its author and its time, and survives every regrade. Another override undoes it.
"""

from __future__ import annotations

import getpass
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from grader.console import say
from grader.errors import Refused, nearest
from grader.gradebook.doubts import nothing_of
from grader.gradebook.store import RESULTS, Override, Store
from grader.render import one_line
from grader.render.words import points as points_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.assignment import Assignment, Course
    from grader.manifest import CheckSpec

LONGEST_WHY = 1_000  # characters


def decide(
    course: Course,
    results: Path,
    day: str | None,
    work: Callable[[Assignment, Store], str],
    *,
    check: str | None = None,
    undo: bool = False,
) -> None:
    """Make an override with `work`, and say what it says.

    `check` helps to find the assignment where `day` does not name it. Raises Refused,
    AssignmentError.
    """
    with Store(results) as store:
        assignment = assignment_of(course, store, day, check, withdraw=undo)
        say(one_line(f"{assignment.name}  {work(assignment, store)}"))
        say(next_words(assignment.name, results))


def next_words(day: str, results: Path) -> str:
    """The line that says how to look at what changed."""
    of = "" if results == Path(RESULTS) else f" --results {results}"
    return one_line(f"Next: grade post {day} --dry-run{of}")


def say_all(course: Course, results: Path, day: str | None) -> None:
    """Print every override. Raises Refused, AssignmentError."""
    with Store(results) as store:
        for line in list_all(course, store, day):
            say(one_line(line))


def list_all(course: Course, store: Store, day: str | None) -> list[str]:
    """A line for each override, the oldest first."""
    if day is not None:
        course.assignment(day)
    lines = [
        f"{d.at[:16].replace('T', ' ')}  {name}  {said(d)}: {d.why}  ({d.who})"
        for name in ([day] if day else store.assignments())
        for d in store.overrides(name)
    ]
    return lines or ["There are no overrides."]


def said(override: Override) -> str:
    """An override in a few words."""
    about = " ".join(filter(None, (override.student, override.check)))
    if override.withdrawn:
        return f"{about} {override.kind} undone" if about else "all grades final undone"
    return {
        "points": f"{about} {points_words(override.points or 0.0)} points",
        "void": f"{about} void",
        "excuse": f"{about} excused",
        "forget": f"{about} forgotten",
        "final": "all grades final",
    }[override.kind]


def assignment_of(
    course: Course, store: Store, name: str | None, check: str | None, *, withdraw: bool = False
) -> Assignment:
    """The assignment that is meant: named, the only one with results, or the only one with such a check.

    An override that is undone may be about a check that is no longer there. Raises Refused, AssignmentError.
    """
    if name is not None:
        return course.assignment(name)
    known = [a for a in store.assignments() if a in course.names]
    having = [a for a in known if check is None or check in course.assignment(a).manifest.checks]
    if withdraw and check is not None:
        having = [a for a in known if any(d.check == check for d in store.overrides(a))] or having
    if len(having) == 1:
        return course.assignment(having[0])
    if not known:
        raise Refused(nothing_of("this course", store))
    if not having:
        checks = [c for a in known for c in course.assignment(a).manifest.checks]
        raise Refused(f"{check}: {', '.join(known)} has no such check{nearest(check or '', checks)}")
    raise Refused(
        f"{store.path}: results of {', '.join(having)} are in it; say which with `--day {having[0]}`"
    )


def set_points(  # noqa: PLR0917  what a word is made of
    assignment: Assignment, store: Store, student: str, check: str, text: str, why: str
) -> str:
    """Give a student points for a check; returns what was done, in words. Raises Refused."""
    spec = _spec(assignment, check)
    _refuse_unknown_student(assignment, store, student)
    given = _points(text, spec.points, check)
    store.keep_override(Override(assignment.name, "points", _reason(why), who(), student, check, given))
    return f"{student}: {check} counts {points_words(given)} of {points_words(spec.points)}"


def void(assignment: Assignment, store: Store, check: str, why: str) -> str:
    """Give a check's points to everybody who handed in something. Raises Refused."""
    spec = _spec(assignment, check)
    store.keep_override(Override(assignment.name, "void", _reason(why), who(), check=check))
    return f"{check}: void, everybody who handed in something has its {points_words(spec.points)} points"


def excuse(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Let the assignment not count for a student. Raises Refused."""
    _refuse_unknown_student(assignment, store, student)
    store.keep_override(Override(assignment.name, "excuse", _reason(why), who(), student))
    return f"{student}: excused from {assignment.name}"


def forget(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Drop a student's result: of one who came in by mistake. Raises Refused."""
    _refuse_unknown_student(assignment, store, student)
    store.keep_override(Override(assignment.name, "forget", _reason(why), who(), student))
    return f"{student}: the result is dropped; grading them again brings it back"


def undo(assignment: Assignment, store: Store, kind: str, names: Sequence[str], why: str) -> str:
    """Undo the newest override of a kind about these names. Raises Refused."""
    wanted = _NAMES[kind]
    if len(names) != len(wanted):
        raise Refused(f"write `grade override undo {kind} {' '.join(wanted)} --why TEXT`")
    about = dict(zip(wanted, names, strict=True))
    student, check = about.get("STUDENT", ""), about.get("CHECK", "")
    newest = [
        d for d in store.overrides(assignment.name) if (d.kind, d.student, d.check) == (kind, student, check)
    ]
    if not newest or newest[-1].withdrawn:
        raise Refused(
            f"{' '.join(names)}: {assignment.name} has no such override of the kind `{kind}`; "
            "`grade override` lists all"
        )
    store.keep_override(Override(assignment.name, kind, _reason(why), who(), student, check, withdrawn=True))  # type: ignore[arg-type]
    return f"{' '.join(names)}: as the checks found it again"


_NAMES = {"points": ("STUDENT", "CHECK"), "void": ("CHECK",), "excuse": ("STUDENT",)}


def who() -> str:
    """Who decides: as git knows them, or else by the name of the account."""
    parts = []
    for key in ("user.name", "user.email"):
        try:
            done = subprocess.run(["git", "config", key], capture_output=True, check=False)
        except OSError:
            break
        parts.append(done.stdout.decode(errors="replace").strip())
    name, mail = [*parts, "", ""][:2]
    if name:
        return f"{name} <{mail}>" if mail else name
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        return "unknown"


def _spec(assignment: Assignment, check: str) -> CheckSpec:
    checks = assignment.manifest.checks
    if check not in checks:
        raise Refused(
            f"{check}: {assignment.name} has no such check{nearest(check, list(checks))}; it has {', '.join(checks)}"
        )
    return checks[check]


def _refuse_unknown_student(assignment: Assignment, store: Store, student: str) -> None:
    known = [*store.students(assignment.name), *store.absent(assignment.name)]
    if student not in known:
        raise Refused(
            f"{student}: no such student among the {len(known)} of {assignment.name}{nearest(student, known)} "
            f"in {store.path}"
        )


def _points(text: str, most: float, check: str) -> float:
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= most or round(given, 2) != given:
        raise Refused(
            f"{text}: {check} has 0 to {points_words(most)} points, with at most two decimal places"
        )
    return given


def _reason(why: str) -> str:
    why = " ".join(why.split())
    if re.search("[\ud800-\udfff]", why):
        raise Refused("--why: it holds bytes that are no text in UTF-8; write it again")
    if not why or len(why) > LONGEST_WHY:
        raise Refused(f"--why: give a reason of at most {LONGEST_WHY} characters, for the student reads it")
    return why

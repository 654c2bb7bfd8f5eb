"""A human's word: points for a check of one student's, a check that is void, a student who is excused.

It is kept with who and when, survives every regrade, and is taken back by another word.
"""

from __future__ import annotations

import getpass
import re
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.console import say
from grader.errors import Refused, nearest
from grader.gradebook.doubts import nothing_of
from grader.render import one_line
from grader.render.words import points as points_words
from grader.store import Decision, Store

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.manifest import CheckSpec

LONGEST_WHY = 1_000  # characters


class OverrideError(Refused):
    """Nothing was decided; the text says what is wrong and what to write."""


@dataclass(frozen=True)
class Wish:
    """What was typed."""

    student: str | None = None
    check: str | None = None
    points: str | None = None
    why: str | None = None
    void: str | None = None
    excuse: bool = False
    forget: bool = False
    withdraw: bool = False


def decide(course: Course, results: Path, day: str | None, wish: Wish) -> None:
    """Do what was typed, and say it. Raises OverrideError, StoreError, AssignmentError."""
    with Store(results) as store:
        if wish == Wish():
            for line in list_all(course, store, day):
                say(one_line(line))
            return
        assignment = assignment_of(course, store, day, wish.void or wish.check, withdraw=wish.withdraw)
        done = _do(assignment, store, wish)
        say(one_line(f"{assignment.name}  {done}"))
        say(f"Next: grade post {assignment.name} --dry-run")


def _do(assignment: Assignment, store: Store, wish: Wish) -> str:
    """The one thing that the words mean. Raises OverrideError where they mean none."""
    why = wish.why or ""
    if wish.forget:
        if wish.student and replace(wish, student=None, why=None) == Wish(forget=True):
            return forget(assignment, store, wish.student, why)
        raise OverrideError(_ONE_THING)
    match wish:
        case Wish(withdraw=True, student=str(student), points=None, void=None) if not (
            wish.excuse and wish.check
        ):
            return withdraw(assignment, store, student, wish.check or "", why)
        case Wish(withdraw=True, student=None, void=str(check)):
            return withdraw(assignment, store, "", check, why)
        case Wish(student=None, void=str(check), excuse=False, withdraw=False):
            return void(assignment, store, check, why)
        case Wish(student=str(student), check=None, excuse=True, void=None, withdraw=False):
            return excuse(assignment, store, student, why)
        case Wish(
            student=str(student),
            check=str(check),
            points=str(points),
            excuse=False,
            void=None,
            withdraw=False,
        ):
            return set_points(assignment, store, student, check, points, why)
    raise OverrideError(_ONE_THING)


_ONE_THING = (
    "say one thing: STUDENT CHECK POINTS, --void CHECK, STUDENT --excuse or STUDENT --forget, each with --why; "
    "--withdraw in the place of POINTS, beside --void CHECK or beside --excuse takes it back"
)


def list_all(course: Course, store: Store, day: str | None) -> list[str]:
    """Every word that was said, the oldest first, a line each."""
    if day is not None:
        course.assignment(day)
    lines = [
        f"{d.at[:16].replace('T', ' ')}  {name}  {_said(d)}: {d.why}  ({d.who})"
        for name in ([day] if day else store.assignments())
        for d in store.decisions(name)
    ]
    return lines or ["Nothing was decided."]


def _said(decision: Decision) -> str:
    about = " ".join(filter(None, (decision.student, decision.check)))
    if decision.withdrawn:
        return f"{about} taken back"
    return {
        "points": f"{about} {points_words(decision.points or 0.0)} points",
        "void": f"{about} void",
        "excuse": f"{about} excused",
        "forget": f"{about} forgotten",
    }[decision.kind]


def assignment_of(
    course: Course, store: Store, name: str | None, check: str | None, *, withdraw: bool = False
) -> Assignment:
    """The assignment that is meant: named, the only one with results, or the only one with such a check.

    What is taken back may be about a check that is no longer there. Raises OverrideError, AssignmentError.
    """
    if name is not None:
        return course.assignment(name)
    known = [a for a in store.assignments() if a in course.names]
    having = [a for a in known if check is None or check in course.assignment(a).manifest.checks]
    if withdraw and check is not None:
        having = [a for a in known if any(d.check == check for d in store.decisions(a))] or having
    if len(having) == 1:
        return course.assignment(having[0])
    if not known:
        raise OverrideError(nothing_of("this course", store))
    if not having:
        checks = [c for a in known for c in course.assignment(a).manifest.checks]
        raise OverrideError(f"{check}: {_list(known)} has no such check{nearest(check or '', checks)}")
    raise OverrideError(
        f"{store.path}: results of {_list(having)} are in it; say which with `--day {having[0]}`"
    )


def set_points(  # noqa: PLR0917  what a word is made of
    assignment: Assignment, store: Store, student: str, check: str, text: str, why: str
) -> str:
    """Give a student points for a check; gives what was done, in words. Raises OverrideError."""
    spec = _spec(assignment, check)
    _refuse_unknown_student(assignment, store, student)
    given = _points(text, spec.points, check)
    store.decide(Decision(assignment.name, "points", _reason(why), who(), student, check, given))
    return f"{student}: {check} counts {points_words(given)} of {points_words(spec.points)}"


def void(assignment: Assignment, store: Store, check: str, why: str) -> str:
    """Give a check's points to everybody who handed in something. Raises OverrideError."""
    spec = _spec(assignment, check)
    store.decide(Decision(assignment.name, "void", _reason(why), who(), check=check))
    return f"{check}: void, everybody who handed in something has its {points_words(spec.points)} points"


def excuse(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Let the assignment not count for a student. Raises OverrideError."""
    _refuse_unknown_student(assignment, store, student)
    store.decide(Decision(assignment.name, "excuse", _reason(why), who(), student))
    return f"{student}: excused from {assignment.name}"


def forget(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Let no result of a student's count: one who came in by mistake. Raises OverrideError."""
    _refuse_unknown_student(assignment, store, student)
    store.decide(Decision(assignment.name, "forget", _reason(why), who(), student))
    return f"{student}: no result counts any more, until one is graded again"


def withdraw(assignment: Assignment, store: Store, student: str, check: str, why: str) -> str:
    """Take back the word that counts about these; either may be empty. Raises OverrideError."""
    kind = "points" if student and check else "excuse" if student else "void"
    newest = [
        d for d in store.decisions(assignment.name) if (d.kind, d.student, d.check) == (kind, student, check)
    ]
    if not newest or newest[-1].withdrawn:
        what = " ".join(filter(None, (student, check)))
        raise OverrideError(
            f"{what}: nothing was decided about it in {assignment.name}; `grade override` lists all"
        )
    store.decide(Decision(assignment.name, kind, _reason(why), who(), student, check, withdrawn=True))  # type: ignore[arg-type]
    return f"{' '.join(filter(None, (student, check)))}: as the checks found it again"


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
        raise OverrideError(
            f"{check}: {assignment.name} has no such check{nearest(check, list(checks))}; it has {', '.join(checks)}"
        )
    return checks[check]


def _refuse_unknown_student(assignment: Assignment, store: Store, student: str) -> None:
    known = store.students(assignment.name)
    if student not in known:
        raise OverrideError(
            f"{student}: no such student among the {len(known)} of {assignment.name}{nearest(student, known)} "
            f"in {store.path}"
        )


def _points(text: str, most: float, check: str) -> float:
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= most or round(given, 2) != given:
        raise OverrideError(
            f"{text}: {check} has 0 to {points_words(most)} points, with at most two decimal places"
        )
    return given


def _reason(why: str) -> str:
    why = " ".join(why.split())
    if re.search("[\ud800-\udfff]", why):
        raise OverrideError("--why: it holds bytes that are no text in UTF-8; write it again")
    if not why or len(why) > LONGEST_WHY:
        raise OverrideError(
            f"--why: give a reason of at most {LONGEST_WHY} characters, for the student reads it"
        )
    return why


def _list(names: list[str]) -> str:
    return ", ".join(names)

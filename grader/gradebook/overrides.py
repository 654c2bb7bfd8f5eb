"""`grade override`: points for a student's check, a comment on it, a void check, an excused student, a dropped result.

An override is stored with its author and time, and survives every regrade. Another override undoes it. table.py reads and
writes overrides as a CSV.
"""

from __future__ import annotations

import getpass
import re
import subprocess
from typing import TYPE_CHECKING

import msgspec

from grader.console import refuse_unknown_check, say, say_notes
from grader.errors import Refused, nearest
from grader.gradebook.in_force import Kind, Override, conflicts_of
from grader.gradebook.store import Store, results_option
from grader.render import escape_line
from grader.render.words import points_text as points_words
from grader.report import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.manifest import CheckSpec

LONGEST_WHY = 1_000  # characters
LONGEST_COMMENT = 3_000  # characters
LONGEST_NAME = 200  # characters


# The names that an override of each kind has.
ABOUT: dict[Kind, tuple[str, ...]] = {
    "points": ("student", "check"),
    "comment": ("student", "check"),
    "void": ("check",),
    "excuse": ("student",),
    "forget": ("student",),
    "final": (),
    "request": ("student", "check"),
}
_WHY = ("--why", "give a reason", LONGEST_WHY)
_UNDONE = {"comment": "the grade no longer has this comment", "forget": "the result counts again"}


def make_override(
    course: Course,
    results: Path,
    day: str | None,
    kind: Kind,
    names: Sequence[str],
    *,
    text: str,
    points: str = "",
) -> None:
    """Make an override about these names, and print its effect. Raises Refused.

    Without `day`, the check helps to find the assignment. `text` is the reason, or the comment.
    """
    about = dict(zip(ABOUT[kind], names, strict=True))
    student, check = about.get("student"), about.get("check")
    with Store(results) as store:
        assignment = assignment_of(course, store, day, check)
        most = 0.0 if check is None else find_check(assignment, check).points
        if student is not None:
            refuse_unknown_student(assignment, store, student)
        given = read_points(points, most, check or "") if kind == "points" else None
        comment = ("TEXT", "write a comment", LONGEST_COMMENT)
        why = checked_text(text, *(comment if kind == "comment" else _WHY))
        store.keep_override(Override(assignment.name, kind, why, who(), student or "", check or "", given))
    words = {
        "points": f"{student}: {check} counts {points_words(given or 0.0)} of {points_words(most)}",
        "comment": f"{student}: comment on {check} saved; the student reads it with the grade",
        "void": f"{check}: void, everybody who handed in work gets its {points_words(most)} points",
        "excuse": f"{student}: excused from {assignment.name}",
        "forget": f"{student}: the result is dropped, and stays dropped when graded again; "
        f"{back_words(assignment, student or '')}",
    }
    say(f"{assignment.name}  {words[kind]}")
    say(next_words(assignment.name, results))


def undo_override(
    course: Course, results: Path, day: str | None, kind: Kind, names: Sequence[str], *, why: str
) -> None:
    """Undo the newest override of a kind about these names, and print the effect. Raises Refused."""
    wanted = ABOUT[kind]
    check = names[-1] if names and "check" in wanted else None
    with Store(results) as store:
        assignment = assignment_of(course, store, day, check, withdraw=True)
        if len(names) != len(wanted):
            raise Refused(f"write `grade override undo {kind} {' '.join(wanted).upper()} --why TEXT`")
        about = (assignment.name, kind, names[0] if "student" in wanted else "", check or "")
        newest = [one for one in store.overrides(assignment.name) if one.about == about]
        if not newest or newest[-1].withdrawn:
            raise Refused(
                f"{' '.join(names)}: {assignment.name} has no override of the kind `{kind}` to undo; "
                "`grade override` lists all"
            )
        changes = {"why": checked_text(why, *_WHY), "who": who(), "points": None, "withdrawn": True}
        store.keep_override(msgspec.structs.replace(newest[-1], **changes))
    what = _UNDONE.get(kind, "the result of the checks counts again")
    say(f"{assignment.name}  {' '.join(names)}: undone; {what}")
    say(next_words(assignment.name, results))


def next_words(day: str, results: Path) -> str:
    """Return a line with the command that previews the changed grades."""
    return escape_line(f"Next: grade post {day} --dry-run{results_option(results)}")


def say_all(course: Course, results: Path, day: str | None) -> None:
    """Print every override. Raises Refused."""
    with Store(results) as store:
        every = all_overrides(course, store, day)
    for one in every:
        say(
            f"{one.at[:16].replace('T', ' ')}  {one.assignment}  {brief_override(one)}: {one.why}  ({one.who})"
        )
    say_notes(map(conflict_words, conflicts_of(every)))
    if not every:
        say("There are no overrides.")


def all_overrides(course: Course, store: Store, day: str | None) -> list[Override]:
    """Return the overrides of a day, or of all days, the oldest of each first. Raises Refused for an unknown day."""
    names = store.assignments() if day is None else [course.assignment(day).name]
    return [one for name in names for one in store.overrides(name)]


def conflict_words(some: Sequence[Override]) -> str:
    """Return a sentence about a conflict: two people decided the same thing differently at the same time."""
    about = " ".join(filter(None, some[0].about[2:])) or "all grades"
    both = [
        f"{brief_override(one).removeprefix(about).strip()} by {one.who}, {one.at[:16].replace('T', ' ')}"
        for one in some
    ]
    return f"{about}: overrides differ, and none replaces another ({'; '.join(both)}), so none counts; decide with a new `grade override`"


def brief_override(override: Override) -> str:
    """Return an override in a few words."""
    about = " ".join(filter(None, (override.student, override.check)))
    if override.withdrawn and override.kind == "request":
        return f"{about} regrade request closed"
    if override.withdrawn:
        return f"{about} {override.kind} undone" if about else "all grades provisional again"
    return {
        "points": f"{about} {points_words(override.points or 0.0)} points",
        "comment": f"{about} comment",
        "void": f"{about} void",
        "excuse": f"{about} excused",
        "forget": f"{about} dropped",
        "final": "all grades final",
        "request": f"{about} regrade requested",
    }[override.kind]


def assignment_of(
    course: Course, store: Store, name: str | None, check: str | None, *, withdraw: bool = False
) -> Assignment:
    """Return the named assignment, else the only one with results, else the only one of these with the check.

    With `withdraw`, an override about a check is enough: the check itself may be gone. Raises Refused.
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
        raise store.no_results("this course")
    if not having:
        checks = [c for a in known for c in course.assignment(a).manifest.checks]
        raise Refused(f"no check of `{'`, `'.join(known)}` is called `{check}`{nearest(check or '', checks)}")
    raise Refused(
        f"{store.path}: the file has results of `{'`, `'.join(having)}`; choose one, as with `--day {having[0]}`"
    )


def back_words(assignment: Assignment, student: str) -> str:
    """Return a clause with the command that brings a dropped result back."""
    return f"`grade override undo forget {student} --why ... --day {assignment.name}` brings it back"


def who() -> str:
    """Return the author of an override: git's user name and email, else the account's name."""
    parts = []
    for key in ("user.name", "user.email"):
        try:
            done = subprocess.run(["git", "config", key], capture_output=True, check=False)
        except OSError:
            break
        parts.append(done.stdout.decode(errors="replace").strip())
    name, mail = [*parts, "", ""][:2]
    if name:
        return one_line(f"{name} <{mail}>" if mail else name, LONGEST_NAME).strip()
    try:
        return one_line(getpass.getuser(), LONGEST_NAME)
    except (KeyError, OSError):  # an account without a name
        return "unknown"


def find_check(assignment: Assignment, check: str) -> CheckSpec:
    refuse_unknown_check(assignment, check)
    return assignment.manifest.checks[check]


def refuse_unknown_student(assignment: Assignment, store: Store, student: str) -> None:
    known = store.everybody(assignment.name)
    if student not in known:
        raise Refused(
            f"`{student}` is none of the {len(known)} students of {assignment.name} in {store.path}{nearest(student, known)}"
        )


def read_points(text: str, most: float, check: str) -> float:
    """Return the points in a text: from 0 to `most`, with at most two decimal places. Raises Refused for others."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= most or round(given, 2) != given:
        raise Refused(
            f'"{text}" cannot be the points of `{check}`: write a number from 0 to {points_words(most)}, with at most two decimal places'
        )
    return given


def checked_text(text: str, name: str, task: str, longest: int) -> str:
    """Return a text for the student, on one line. Raises Refused if it is empty or too long."""
    if re.search("[\ud800-\udfff]", text):
        raise Refused(f"{name}: this text has bytes that are not UTF-8; type the text again")
    text = " ".join(one_line(text, 2 * longest).split())
    if not text or len(text) > longest:
        raise Refused(
            f"{name}: this text is empty or too long; {task} of at most {longest:,} characters, which the student reads"
        )
    return text

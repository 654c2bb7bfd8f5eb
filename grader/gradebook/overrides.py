"""`grade override`: points for a student's check, a comment on it, a void check, a student excused or forgotten.

An override is kept with its author and its time, and survives every regrade. Another override undoes it.

`grade override export FILE` writes them as JSON, the oldest first, and `grade override import FILE` adds them to
another results file:

    {"schema": "backgrade/overrides/v1",
     "overrides": [{"assignment": "day2", "kind": "points", "student": "ada", "check": "swap_rule", "points": 12.0,
                    "withdrawn": false, "why": "right in another way", "who": "Grace <grace@uni.edu>",
                    "at": "2026-12-02T10:00:00+00:00"}]}

Author and time are kept. If both files have an override about the same thing, the newer one counts and the command
says so. A `forget` is left out: it is about the results of one file.
"""

from __future__ import annotations

import datetime as dt
import getpass
import re
import subprocess
from typing import TYPE_CHECKING

import msgspec

from grader.console import say
from grader.errors import Refused, nearest
from grader.files import read_plain, write_new
from grader.gradebook.store import Override, Store, results_option
from grader.render import escape_line
from grader.render.words import points as points_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.manifest import CheckSpec

LONGEST_WHY = 1_000  # characters
LONGEST_COMMENT = 3_000  # characters
LONGEST_NAME = 200  # characters
LARGEST = 20 << 20  # bytes
SCHEMA = "backgrade/overrides/v1"


def make_override(
    course: Course,
    results: Path,
    day: str | None,
    work: Callable[[Assignment, Store], str],
    *,
    check: str | None = None,
    undo: bool = False,
) -> None:
    """Make an override with `work`, and print the words that it returns.

    `check` helps to find the assignment if `day` does not name it. Raises Refused.
    """
    with Store(results) as store:
        assignment = assignment_of(course, store, day, check, withdraw=undo)
        say(f"{assignment.name}  {work(assignment, store)}")
        say(next_words(assignment.name, results))


def next_words(day: str, results: Path) -> str:
    """Return the line with the command that shows the changes."""
    return escape_line(f"Next: grade post {day} --dry-run{results_option(results)}")


def say_all(course: Course, results: Path, day: str | None) -> None:
    """Print every override. Raises Refused."""
    with Store(results) as store:
        for line in list_all(course, store, day):
            say(line)


def list_all(course: Course, store: Store, day: str | None) -> list[str]:
    """Return a line for each override, the oldest first."""
    if day is not None:
        course.assignment(day)
    lines = [
        f"{d.at[:16].replace('T', ' ')}  {name}  {said(d)}: {d.why}  ({d.who})"
        for name in ([day] if day else store.assignments())
        for d in store.overrides(name)
    ]
    return lines or ["There are no overrides."]


def said(override: Override) -> str:
    """Return an override in a few words."""
    about = " ".join(filter(None, (override.student, override.check)))
    if override.withdrawn:
        return f"{about} {override.kind} undone" if about else "all grades final undone"
    return {
        "points": f"{about} {points_words(override.points or 0.0)} points",
        "comment": f"{about} comment",
        "void": f"{about} void",
        "excuse": f"{about} excused",
        "forget": f"{about} forgotten",
        "final": "all grades final",
    }[override.kind]


def assignment_of(
    course: Course, store: Store, name: str | None, check: str | None, *, withdraw: bool = False
) -> Assignment:
    """Return the assignment: the named one, the only one with results, or the only one with such a check.

    With `withdraw` the check may be gone, if there is an override about it. Raises Refused.
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
        raise Refused(f"{check}: {', '.join(known)} has no such check{nearest(check or '', checks)}")
    raise Refused(f"{store.path}: it has results of {', '.join(having)}; choose one with `--day {having[0]}`")


def set_points(  # noqa: PLR0917  the parts of an override
    assignment: Assignment, store: Store, student: str, check: str, text: str, why: str
) -> str:
    """Give a student points for a check; returns a phrase about it. Raises Refused."""
    spec = find_check(assignment, check)
    refuse_unknown_student(assignment, store, student)
    given = read_points(text, spec.points, check)
    store.keep_override(Override(assignment.name, "points", _reason(why), who(), student, check, given))
    return f"{student}: {check} counts {points_words(given)} of {points_words(spec.points)}"


def comment(assignment: Assignment, store: Store, student: str, check: str, text: str) -> str:
    """Add a comment on a student's check, or replace the one before. Raises Refused."""
    find_check(assignment, check)
    refuse_unknown_student(assignment, store, student)
    said = checked_text(text, "TEXT", "write a comment", LONGEST_COMMENT)
    store.keep_override(Override(assignment.name, "comment", said, who(), student, check))
    return f"{student}: {check} has a comment; the student reads it"


def void(assignment: Assignment, store: Store, check: str, why: str) -> str:
    """Give everybody who handed in something the points of a check. Raises Refused."""
    spec = find_check(assignment, check)
    store.keep_override(Override(assignment.name, "void", _reason(why), who(), check=check))
    return f"{check}: void, everybody who handed in something has its {points_words(spec.points)} points"


def excuse(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Excuse a student from the assignment. Raises Refused."""
    refuse_unknown_student(assignment, store, student)
    store.keep_override(Override(assignment.name, "excuse", _reason(why), who(), student))
    return f"{student}: excused from {assignment.name}"


def forget(assignment: Assignment, store: Store, student: str, why: str) -> str:
    """Drop a student's result. Raises Refused."""
    refuse_unknown_student(assignment, store, student)
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
    again = "the student reads it no longer" if kind == "comment" else "the result of the checks counts again"
    return f"{' '.join(names)}: undone; {again}"


_NAMES = {
    "points": ("STUDENT", "CHECK"),
    "comment": ("STUDENT", "CHECK"),
    "void": ("CHECK",),
    "excuse": ("STUDENT",),
}


def who() -> str:
    """Return the author of an override: git's user name and email, else the name of the account."""
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


def find_check(assignment: Assignment, check: str) -> CheckSpec:
    checks = assignment.manifest.checks
    if check not in checks:
        raise Refused(
            f"{check}: {assignment.name} has no such check{nearest(check, list(checks))}; it has {', '.join(checks)}"
        )
    return checks[check]


def refuse_unknown_student(assignment: Assignment, store: Store, student: str) -> None:
    known = [*store.students(assignment.name), *store.absent(assignment.name)]
    if student not in known:
        raise Refused(
            f"{student}: no such student among the {len(known)} of {assignment.name}{nearest(student, known)} "
            f"in {store.path}"
        )


def read_points(text: str, most: float, check: str) -> float:
    """Return the points in a text. Raises Refused for anything but 0 to `most`, with at most two decimal places."""
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
    return checked_text(why, "--why", "give a reason", LONGEST_WHY)


def checked_text(text: str, name: str, task: str, longest: int) -> str:
    """Return a text for the student on one line. Raises Refused if it is empty or too long."""
    text = " ".join(text.split())
    if re.search("[\ud800-\udfff]", text):
        raise Refused(f"{name}: it has bytes that are not text in UTF-8; write it again")
    if not text or len(text) > longest:
        raise Refused(f"{name}: {task} of at most {longest:,} characters; the student reads it")
    return text


# --- From one results file to another


class _File(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    overrides: list[Override]


def export_overrides(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Write the overrides into a new file. Raises Refused."""
    with Store(results) as store:
        list_all(course, store, day)  # refuses an unknown assignment
        every = [d for name in ([day] if day else store.assignments()) for d in store.overrides(name)]
    file = _File(SCHEMA, [d for d in every if d.kind != "forget"])
    try:
        write_new(path, msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n", course.root)
    except FileExistsError:
        raise Refused(f"{path}: this file is there already; name a new one") from None
    say(f"{_count(file.overrides)} in {path}")


def import_overrides(course: Course, results: Path, path: Path) -> None:
    """Add the overrides of a file that are not there yet. Raises Refused."""
    theirs = _read(course, path)
    with Store(results) as store:
        names = dict.fromkeys(d.assignment for d in theirs)
        ours = [d for name in names for d in store.overrides(name)]
        new = [d for d in dict.fromkeys(theirs) if d not in ours]
        store.add_overrides(new)
    say(f"{_count(new)} added from {path}, {len(theirs) - len(new)} were there already")
    for line in _conflicts(ours, new):
        say(line)
    for name in dict.fromkeys(d.assignment for d in new):
        say(next_words(name, results))


def _count(overrides: Sequence[Override]) -> str:
    return "1 override" if len(overrides) == 1 else f"{len(overrides)} overrides"


def _read(course: Course, path: Path) -> list[Override]:
    try:
        file = msgspec.json.decode(read_plain(path, LARGEST)[0], type=_File)
    except (OSError, Refused) as error:
        raise Refused(
            f"{path}: cannot be read: {getattr(error, 'strerror', error)}; check the name"
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(
            f"{path}: `grade override export` wrote no such file: {escape_line(str(error))}"
        ) from error
    if file.schema != SCHEMA:
        raise Refused(f"{path}: this is {file.schema!r}, not {SCHEMA}; export it with this version")
    for number, override in enumerate(file.overrides, start=1):
        if trouble := _trouble(course, override):
            raise Refused(f"{path}, override {number}: {trouble}; nothing was added")
    return file.overrides


def _trouble(course: Course, override: Override) -> str:
    """Return the reason why an override of the file is refused; empty if it is accepted."""
    if override.assignment not in course.names:
        near = nearest(override.assignment, course.names)
        return f"{override.assignment} is not an assignment of this course{near}"
    if override.kind == "forget":
        return "`forget` is about the results of another file; take it out"
    if override.kind == "points" and not override.withdrawn and override.points is None:
        return "None is not a number of points"
    longest = LONGEST_COMMENT if override.kind == "comment" else LONGEST_WHY
    if not override.why.strip() or len(override.why) > longest:
        return f"`why` has 1 to {longest} characters"
    if any(len(text) > LONGEST_NAME for text in (override.student, override.check, override.who)):
        return f"a name has at most {LONGEST_NAME} characters"
    return "" if _is_time(override.at) else f"`at` is {override.at[:30]!r}, which is not a time in UTC"


def _is_time(text: str) -> bool:
    """Return True for a time in the form of the results file, in which texts sort like times."""
    try:
        return text == dt.datetime.fromisoformat(text).astimezone(dt.UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # no time, or one that leaves the calendar in UTC
        return False


def _conflicts(ours: Sequence[Override], new: Sequence[Override]) -> Iterator[str]:
    """Yield a line for each subject about which the newest override here and the newest in the file differ."""
    here, there = _newest(ours), _newest(new)
    for about in here.keys() & there.keys():
        old, added = here[about], there[about]
        differ = (old.points, old.withdrawn) != (added.points, added.withdrawn)
        if differ or (old.kind == "comment" and old.why != added.why):
            first, second = sorted((old, added), key=lambda override: override.at)
            yield (
                f"{old.assignment}  two overrides differ; the newer one counts: {said(second)}, {_by(second)}; "
                f"not {said(first)}, {_by(first)}"
            )


def _newest(overrides: Sequence[Override]) -> dict[tuple[str, ...], Override]:
    in_order = sorted(overrides, key=lambda override: override.at)
    return {(d.assignment, d.kind, d.student, d.check): d for d in in_order}


def _by(override: Override) -> str:
    return f"{override.who} {override.at[:16].replace('T', ' ')}"

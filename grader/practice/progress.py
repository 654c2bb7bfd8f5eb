"""A student's stored progress, and bare `grade`: every assignment with its points, and the next step.

It is stored in the course's folder. Nothing depends on it: losing it only repeats hints. `feedback/DAY.json` is the report
of the last full grading; `.backgrade/state.json` has the given hints, and the outcomes of checks that were graded singly
since then.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.errors import Refused
from grader.files import absolute, read_plain, write_text
from grader.render import escape_line, wrap
from grader.render.words import points_text
from grader.report import MAX_FIELD, Fact, Outcome, Report, from_json, round_score, sanitize, to_json
from grader.submissions.submission import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.assignment import Assignment, Course
    from grader.report import SubmissionInfo

FORMAT = 2
MAX_STATE = 1 << 20  # bytes; a course of five days needs a few hundred
MAX_FEEDBACK = 4 << 20  # bytes; a usual report has a few thousand
MAX_NAME, MAX_TITLE = 12, 32  # columns; a longer name shifts its line, a longer title is cut
_PUSH = (
    "Every visible check passes. Next: push, if you have not; hidden checks run when your instructor grades."
)


class _SingleCheck(msgspec.Struct, frozen=True):
    """A check that was graded singly, with the file `path` and its hash, `at` seconds since 1970."""

    check: str
    outcome: Outcome
    path: str
    sha256: str
    at: float
    facts: list[Fact] = []


class State(msgspec.Struct):
    """The given hints, by assignment and check, and singly graded checks, the newest last."""

    format: int = FORMAT
    hints: dict[str, dict[str, list[str]]] = {}
    singles: dict[str, list[_SingleCheck]] = {}


def read_state(course: Course) -> State:
    """Return the stored state; an unreadable file or another format counts as empty."""
    try:
        state = msgspec.json.decode(read_plain(_path(course), MAX_STATE, course.root)[0], type=State)
    except (OSError, msgspec.DecodeError, RecursionError):
        return State()
    return state if state.format == FORMAT else State()


def write_state(course: Course, state: State) -> str:
    """Store the state; return the reason if that failed, else an empty text."""
    text = msgspec.json.format(msgspec.json.encode(state), indent=1).decode() + "\n"
    return _write(_path(course), course, text)


def _write(path: Path, course: Course, text: str) -> str:
    """Write a file of the course; return the reason if that failed, else an empty text."""
    try:
        write_text(path, text, course.root, make_folder=True)
    except Refused as error:
        return str(error)
    return ""


def _path(course: Course) -> Path:
    return course.root / ".backgrade" / "state.json"


# --- Bare `grade`


def render_progress(course: Course, width: int | None = None) -> str:
    """Return a line for each assignment, the sum of points, and the next step. Raises Refused.

    `width`, in columns, wraps the next step; if the lines are wider, titles are omitted.
    """
    found = [(a, _last_report(a)) for a in map(course.assignment, course.names)]
    if not found:
        return f"{escape_line(str(course.root))}: no assignments yet\n"
    titles = [escape_line(a.manifest.title)[:MAX_TITLE].strip() for a, _ in found]
    names = [escape_line(a.name) for a, _ in found]
    wide, wider = min(MAX_NAME, max(map(len, names))), max(map(len, titles))
    states = [_state(assignment, report) for assignment, report in found]
    rows = [
        f"  {n:<{wide}}  {t:<{wider}}  {state}" for n, t, state in zip(names, titles, states, strict=True)
    ]
    if width and max(map(len, rows)) > width:  # no room for titles
        rows = [wrap(f"{n:<{wide}}  {state}", width, "  ") for n, state in zip(names, states, strict=True)]
    fresh = all(report is None or not report.score for _, report in found)
    steps = (_next_step(assignment, report, fresh=fresh) for assignment, report in found)
    done = all(report.hidden_checks for _, report in found if report)
    following = next(filter(None, steps), "Everything passes." if done else _PUSH)
    total = [_total(found)] if len(found) > 1 else []
    step = escape_line(following)
    lines = [*rows, "", *total, wrap(step, width) if width else step]
    return "\n".join(lines) + "\n"


def _last_report(assignment: Assignment) -> Report | None:
    """Return the stored report of the last grading; None if missing, unreadable, or about a file outside the course."""
    try:
        report = from_json(read_plain(_progress_path(assignment), MAX_FEEDBACK, assignment.course.root)[0])
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    own = not PurePath(report.submission.path).is_absolute()
    return report if own else None


def keep_report(assignment: Assignment, path: Path, report: Report, only: str | None = None) -> str:
    """Store the report as the feedback file; return the reason if that failed, else an empty text.

    With `only`, store the outcome of this single check for `grade hint` instead. Reports about other people's files and
    the reference are not stored.
    """
    course, name = assignment.course, assignment.name
    if not course.owns(path) or absolute(path).is_relative_to(absolute(course.root / "solutions")):
        return ""
    state = read_state(course)
    before = state.singles.pop(name, [])
    if only:
        graded = (report.submission.path, report.submission.sha256, time.time())
        new = [_SingleCheck(check.id, check.outcome, *graded, check.facts) for check in report.checks]
        ids = {one.check for one in new}
        state.singles[name] = [*(one for one in before if one.check not in ids), *new]
        write_state(course, state)
        return ""
    if before:
        write_state(course, state)
    if trouble := _write(_progress_path(assignment), course, to_json(report)):
        return f"the feedback file was not saved: {trouble}"
    return ""


def _progress_path(assignment: Assignment) -> Path:
    return assignment.course.root / "feedback" / f"{assignment.name}.json"


class LastFindings(NamedTuple):
    """The outcome and the facts of a check at its last grading, of the file `path`.

    `current` is True if the file has not changed since.
    """

    outcome: Outcome
    current: bool
    path: Path
    facts: list[Fact]
    title: str = ""
    alone: bool = False  # graded singly, after the last full grading


def known_checks(assignment: Assignment) -> dict[str, LastFindings]:
    """Return the last outcome of each graded check: in the course's order, then singly graded ones, the newest last."""
    report, known, root = _last_report(assignment), dict[str, LastFindings](), assignment.course.root
    if report:
        graded = (_is_as_graded(assignment, report.submission), _file_of(root, report.submission.path))
        known = {
            check.id: LastFindings(check.outcome, *graded, check.facts, check.title)
            for check in report.checks
        }
    for one in read_state(assignment.course).singles.get(assignment.name, []):
        known.pop(one.check, None)
        graded = (_is_as_graded(assignment, one), _file_of(root, one.path))
        known[one.check] = LastFindings(one.outcome, *graded, one.facts, alone=True)
    return known


def next_open(known: dict[str, LastFindings]) -> str | None:
    """Return the check to work on next: the last one if it was graded singly and is open, else as `_first_open`."""
    last = next(reversed(known), None)
    if last is not None and known[last].alone and known[last].outcome in _OPEN:
        return last
    return _first_open({name: each.outcome for name, each in known.items()})


def day_of_last_grading(course: Course) -> str:
    """Return the assignment that was graded last, else the first. Raises Refused in a course without assignments."""
    if not course.names:
        raise Refused(f"{course.root}: this course has no assignments yet, so there are no hints")
    return max(course.names, key=lambda name: _last_graded(course.assignment(name)))


def _last_graded(assignment: Assignment) -> float:
    """Return the time of an assignment's last grading, in seconds since 1970; 0.0 if there was none."""
    times = [single.at for single in read_state(assignment.course).singles.get(assignment.name, [])]
    with suppress(OSError):
        times.append(read_plain(_progress_path(assignment), MAX_FEEDBACK, assignment.course.root)[1].st_mtime)
    return max(times, default=0.0)


_OPEN = (Outcome.FAILED, Outcome.TODO, Outcome.BLOCKED, Outcome.UNGRADABLE)


def _first_open(outcomes: Mapping[str, Outcome]) -> str | None:
    """Return the check to work on next: the first that failed, else to do, else blocked or ungradable."""
    return next((name for wanted in _OPEN for name, outcome in outcomes.items() if outcome is wanted), None)


def _is_as_graded(assignment: Assignment, graded: SubmissionInfo | _SingleCheck) -> bool:
    path = _file_of(assignment.course.root, graded.path)
    try:
        return hashlib.sha256(read_plain(path, MAX_FILE)[0]).hexdigest() == graded.sha256
    except OSError:
        return False


def _file_of(root: Path, shown: str) -> Path:
    """Return the file that a report names; its path in the report is sanitized, so the real name may differ."""
    path = root
    for name in PurePath(shown).parts:
        if name == ".." or os.path.lexists(path / name):
            path /= name
            continue
        try:
            meant = next((n for n in os.listdir(path) if sanitize(n, MAX_FIELD) == name), name)  # noqa: PTH208  its names only
        except OSError:
            meant = name
        path /= meant
    return path


def _is_own(assignment: Assignment, path: Path) -> bool:
    """Return True for a plain file of the course, which a command may name; the path in a report is not trusted."""
    is_work = path.suffix in {".ipynb", ".py"} and ".." not in path.parts
    try:
        return is_work and assignment.course.owns(path) and path.is_file() and not path.is_symlink()
    except (OSError, ValueError):
        return False


def _state(assignment: Assignment, report: Report | None) -> str:
    if report is None:
        worth = f"-/{points_text(_worth(assignment))}"
        state = "not graded yet" if assignment.stub.is_file() else "no notebook here"
        return f"{worth:>8}  {state}"
    worth = f"{'-' if report.score is None else points_text(report.score)}/{points_text(report.max_score)}"
    if report.score is None:
        return f"{worth:>8}  could not be graded"
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    stale = "" if _is_as_graded(assignment, report.submission) else "  (the file has changed since)"
    waiting = f", your instructor grades {len(report.waiting)} more" if report.waiting else ""
    return f"{worth:>8}  {passed} of {len(report.judged)} checks{waiting}{stale}"


def _worth(assignment: Assignment) -> float:
    return round_score(sum(spec.points for spec in assignment.manifest.checks.values()))


def _total(found: list[tuple[Assignment, Report | None]]) -> str:
    score = round_score(sum(report.score or 0 for _, report in found if report))
    of = round_score(sum(report.max_score if report else _worth(a) for a, report in found))
    return f"{points_text(score)} of {points_text(of)} points in all."


def _next_step(assignment: Assignment, report: Report | None, *, fresh: bool) -> str:
    """Return the next step for an assignment, empty if it is done; `fresh` is True if no assignment has points yet."""
    current = report is not None and _is_as_graded(assignment, report.submission)
    if report is not None and current and report.outcome is Outcome.PASSED:
        return ""
    name, root = assignment.name, assignment.course.root
    graded = _file_of(root, report.submission.path) if report else None
    argument = f" {assignment.argument(graded)}".rstrip() if graded and _is_own(assignment, graded) else ""
    if report is None or not current:
        readme = assignment.folder / "README.md"
        if report is None and fresh and readme.is_file():
            lesson, notebook = (p.relative_to(root).as_posix() for p in (readme, assignment.stub))
            return f"Next: read {lesson}, write in {notebook}, then run `grade {name}`."
        return f"Next: run `grade {name}{argument}`."
    check = _first_open({check.id: check.outcome for check in report.checks})
    at = f"work on {check or 'the checks'} of {name}, in {report.submission.path}"
    return f"Next: {at}. `grade watch {name}{argument}` grades at every save, and `grade hint {name}` gives a hint."

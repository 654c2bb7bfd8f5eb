"""`grade hint`: the next hint of a check, and the memory of those given, in `.backgrade/` of the course folder."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Annotated

import msgspec

from grader.errors import Refused
from grader.files import read_plain, write_text
from grader.practice.progress import first_open, is_current, last_report
from grader.render import escape_line, wrapped
from grader.report import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment, Course

FORMAT = 1
MAX_STATE = 1 << 20  # bytes; a course of five days needs a few hundred
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000)]


def hint(assignment: Assignment, check: str | None, *, again: bool = False, width: int = 80) -> str:
    """Return the next hint as a page, and remember it; with `again` the hints given so far.

    Without `check` the hint is for the first check that did not pass at the last grading.
    """
    name, report = assignment.name, last_report(assignment)
    results = {result.id: result for result in report.checks} if report else {}
    current, lead = bool(report and is_current(assignment, report)), ""
    if check is None:
        if report is None:
            lead = f"{name} was not graded yet, so this is about its first check."
            check = next(name for name, spec in assignment.manifest.checks.items() if not spec.manual)
        elif found := first_open(report):
            check = found.id
        else:
            since = "" if current else f" The file has changed since: `grade {name}` shows if they still do."
            return _page(
                width, f"Every check of {name} passed at the last grading: no hint is needed.{since}"
            )
    result = results.get(check)
    if result and result.outcome is Outcome.PASSED and not again:
        if current:
            return _page(width, *_passed(name, check))
        lead = f"{check} passed at the last grading; the file has changed since."
    title = result.title if result else _title(assignment, check)
    return _page(width, lead, f"{name}, {check}: {title}", *_paragraphs(assignment, check, again=again))


def _passed(name: str, check: str) -> list[str]:
    return [
        f"{check} passed at the last grading: no hint is needed.",
        f"`grade hint {name} {check} --again` shows the hints that were given on the way.",
    ]


def _title(assignment: Assignment, check: str) -> str:
    """Return the manual check's title, or the first line of the check file's docstring; empty if it cannot be read."""
    if title := assignment.manifest.checks[check].title:
        return title
    try:
        source = (assignment.checks_folder("visible") / f"test_{check}.py").read_text(encoding="utf-8")
        return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    except (OSError, ValueError, SyntaxError):
        return ""


def _paragraphs(assignment: Assignment, check: str, *, again: bool) -> list[str]:
    """Return the paragraphs of the page: the hints, the next step."""
    name, hints = assignment.name, assignment.manifest.checks[check].hints
    state = read_state(assignment.course)
    given = min(state.hints.get(name, {}).get(check, 0), len(hints))
    ask = (
        f"Ask your instructor or a fellow student, and show them what `grade {name} --check {check}` "
        "prints: it says what your code computed."
    )
    if assignment.manifest.checks[check].manual:
        ask = "Ask your instructor, who grades it."
    if not hints:
        return [f"There are no hints for {check}.", ask]
    if again:
        if not given:
            return [f"No hint was given yet: `grade hint {name} {check}` gives the first of {len(hints)}."]
        return [*_listed(hints[:given], len(hints)), _following(name, check, given, len(hints))]
    if given == len(hints):
        return [f"There are no more; these are all {given}.", *_listed(hints, given), ask]
    state.hints.setdefault(name, {})[check] = given + 1
    trouble = write_state(assignment.course, state)
    forgotten = [f"The next `grade hint` will show this hint again: {trouble}."] if trouble else []
    return [
        *_listed(hints[given : given + 1], len(hints), given + 1),
        *forgotten,
        _following(name, check, given + 1, len(hints)),
    ]


def _listed(hints: tuple[str, ...], of: int, first: int = 1) -> list[str]:
    return [f"hint {number} of {of}\n    {text}" for number, text in enumerate(hints, start=first)]


def _following(name: str, check: str, given: int, of: int) -> str:
    more = f"gives hint {given + 1}." if given < of else f"shows all {of} again; there are no more."
    return (
        f"Still stuck: `grade hint {name} {check}` {more}\nNext: try it, then `grade {name} --check {check}`."
    )


def _page(width: int, *paragraphs: str) -> str:
    """Wrap the paragraphs; a line keeps its indentation."""
    blocks = []
    for paragraph in filter(None, paragraphs):
        lines = [line.lstrip() for line in paragraph.split("\n")]
        indents = [line[: len(line) - len(line.lstrip())] for line in paragraph.split("\n")]
        blocks.append(
            "\n".join(
                wrapped(escape_line(text), width, indent) for text, indent in zip(lines, indents, strict=True)
            )
        )
    return "\n\n".join(blocks) + "\n"


# --- The memory of hints given; its loss costs only repeated hints


class State(msgspec.Struct):
    """The number of hints given, by assignment and check."""

    format: int = FORMAT
    hints: dict[str, dict[str, _Count]] = {}


def read_state(course: Course) -> State:
    """Return the memory; a file that is unreadable or of another format counts as empty."""
    path = _path(course)
    try:
        state = msgspec.json.decode(read_plain(path, MAX_STATE, course.root)[0], type=State)
    except (OSError, msgspec.DecodeError, RecursionError):
        return State()
    return state if state.format == FORMAT else State()


def write_state(course: Course, state: State) -> str:
    """Write the memory; return the reason if that failed, else an empty text."""
    text = msgspec.json.format(msgspec.json.encode(state), indent=1).decode() + "\n"
    try:
        write_text(_path(course), text, course.root, make_folder=True)
    except Refused as error:
        return str(error)
    return ""


def _path(course: Course) -> Path:
    return course.root / ".backgrade" / "state.json"


def forget_hints(assignment: Assignment) -> bool:
    """Forget the hints given of an assignment; return False if none was given."""
    state = read_state(assignment.course)
    if not state.hints.pop(assignment.name, None):
        return False
    write_state(assignment.course, state)
    return True

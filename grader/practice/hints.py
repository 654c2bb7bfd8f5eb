"""`grade hint`: the next hint of a check."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.practice.memory import read_state, write_state
from grader.practice.progress import known_checks, last_graded, next_open
from grader.render import escape_line, wrapped
from grader.report import Outcome

if TYPE_CHECKING:
    from grader.assignment import Assignment, Course
    from grader.practice.progress import Known


def hint(assignment: Assignment, check: str | None, *, again: bool = False, width: int = 80) -> str:
    """Return the next hint as a page, and remember it; with `again` the hints given so far.

    Without `check` the hint is for the first check that did not pass at the last grading.
    """
    name, known, lead = assignment.name, known_checks(assignment), ""
    if check is None:
        check, lead = _to_work_on(assignment, known)
        if check is None:
            return _page(width, lead)
    found = known.get(check)
    if found and found.outcome is Outcome.PASSED and not again:
        if found.current:
            return _page(
                width,
                f"{check} passed at the last grading: no hint is needed.",
                f"`grade hint {name} {check} --again` shows the hints that were given on the way.",
            )
        lead = f"{check} passed at the last grading; the file has changed since."
    title = (found.title if found else "") or _title(assignment, check)
    return _page(width, lead, f"{name}, {check}: {title}", *_paragraphs(assignment, check, again=again))


def _to_work_on(assignment: Assignment, known: dict[str, Known]) -> tuple[str | None, str]:
    """Return the check to work on and what to say before its hint; None if every check passed."""
    name = assignment.name
    if check := next_open(known):
        return check, ""
    if all(each.alone for each in known.values()):  # there was no grading of all checks
        checks = (one for one, spec in assignment.manifest.checks.items() if not spec.manual)
        if check := next((one for one in checks if one not in known), None):
            first = f"{name} was not graded yet, so this is about its first check."
            return check, f"{check} was not graded yet." if known else first
    told = f"Every check of {name} passed at the last grading: no hint is needed."
    changed = not all(each.current for each in known.values())
    return (
        None,
        f"{told} The file has changed since: `grade {name}` shows if they still do." if changed else told,
    )


def day_of_last_grading(course: Course) -> str:
    """Return the assignment that was graded last; the first if none was. Raises Refused if there is none."""
    if not course.names:
        raise Refused(f"{course.root}: this course has no assignments yet, so there are no hints")
    return max(course.names, key=lambda name: last_graded(course.assignment(name)))


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


def forget_hints(assignment: Assignment) -> bool:
    """Forget the hints given of an assignment, and what was graded alone; return False if no hint was given."""
    state = read_state(assignment.course)
    given = bool(state.hints.pop(assignment.name, None))
    if state.singles.pop(assignment.name, None) or given:
        write_state(assignment.course, state)
    return given

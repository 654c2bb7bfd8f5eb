"""`grade hint`: the next hint of a check. The first is about a finding of the last grading, if there is one."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from grader.practice.progress import known_checks, next_open, read_state, write_state
from grader.render import escape_line, wrap
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.practice.progress import LastFindings
    from grader.report import Fact


def hint(assignment: Assignment, check: str | None, *, again: bool = False, width: int = 80) -> str:
    """Return the next hint as a page, and remember it; with `again`, return the hints given so far.

    Without `check`, the hint is for the first check that did not pass at the last grading.
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
                f"`grade hint {name} {check} --again` shows the hints that you were given.",
            )
        lead = f"{check} passed at the last grading; the file has changed since."
    title = (found.title if found else "") or _title(assignment, check)
    return _page(
        width, lead, f"{name}, {check}: {title}", *_paragraphs(assignment, check, found, again=again)
    )


def _to_work_on(assignment: Assignment, known: dict[str, LastFindings]) -> tuple[str | None, str]:
    """Return the check to work on, None if every check passed, and the words before its hint."""
    name = assignment.name
    if check := next_open(known):
        return check, ""
    if all(each.alone for each in known.values()):  # there was no grading of all checks
        checks = (one for one, spec in assignment.manifest.checks.items() if not spec.manual)
        if check := next((one for one in checks if one not in known), None):
            first = f"{name} has not been graded yet, so this hint is for its first check."
            return check, f"{check} has not been graded yet." if known else first
    told = f"Every check of {name} passed at the last grading: no hint is needed."
    changed = [each for each in known.values() if not each.current]
    if not changed:
        return None, told
    command = f"grade {name} {assignment.argument(changed[0].path)}".rstrip()
    return None, f"{told} The file has changed since: `{command}` shows whether they still pass."


def _title(assignment: Assignment, check: str) -> str:
    """Return the manual check's title, or the first line of the check file's docstring; empty if it cannot be read."""
    if title := assignment.manifest.checks[check].title:
        return title
    try:
        source = (assignment.checks_folder("visible") / f"test_{check}.py").read_text(encoding="utf-8")
        return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    except (OSError, ValueError, SyntaxError):
        return ""


def _paragraphs(assignment: Assignment, check: str, known: LastFindings | None, *, again: bool) -> list[str]:
    """Return the paragraphs of the page: the hints, the next step."""
    name, state = assignment.name, read_state(assignment.course)
    argument = f" {assignment.argument(known.path)}".rstrip() if known else ""
    command = f"`grade {name}{argument} --check {check}`"
    given = state.hints.setdefault(name, {}).setdefault(check, [])
    failed = known is not None and known.current and known.outcome is Outcome.FAILED
    hints = hints_about(assignment, check, known.facts if known and failed else [])
    left = [text for text in hints if text not in given]
    of = len(given) + len(left)
    ask = f"Ask your instructor or a classmate, and show them your code and the output of {command}."
    if assignment.manifest.checks[check].manual:
        ask = "Ask your instructor, who grades it."
    if not of:
        return [f"There are no hints for {check}.", ask]
    if again and not given:
        return [f"No hint was given yet: `grade hint {name} {check}` gives the first of {of}."]
    if not left and not again:
        return [f"There are no more hints. Here are all {of}.", *_hint_lines(given, of), ask]
    shown, trouble = given, ""
    if not again:
        shown = left[:1]
        given += shown
        trouble = write_state(assignment.course, state)
    forgotten = [f"The next `grade hint` will show this hint again: {trouble}."] if trouble else []
    more = f"gives hint {len(given) + 1}." if len(given) < of else f"shows all {of} again; there are no more."
    following = f"Still stuck: `grade hint {name} {check}` {more}\nNext: try it, then {command}."
    return [*_hint_lines(shown, of, len(given) - len(shown) + 1), *forgotten, following]


def _hint_lines(hints: Sequence[str], of: int, first: int = 1) -> list[str]:
    return [f"hint {number} of {of}\n    {text}" for number, text in enumerate(hints, start=first)]


# --- The hints of a check


_TRY = {
    "error": "Start with the error. Just above the line `{line}`, print each name that the line uses. Which of them is not what you expect?",
    "limit": "Something does not finish in time. In the loop, or at the start of the function, print the value that should "
    "change from one round to the next. Does it change, and does it get closer to the end?",
    "missing": "Search your notebook for `{name}`. Is it spelled the same everywhere? Is it in a cell that is graded? "
    "Does a line above it stop with an error?",
}


def hints_about(assignment: Assignment, check: str, facts: Sequence[Fact]) -> list[str]:
    """Return the hints of a check: one about its `facts` if it failed, then the author's.

    Of the author's hints, the first that mentions the wrong answer or the missing name comes first.
    """
    hints = [*assignment.manifest.checks[check].hints]
    if not facts:
        return hints
    from grader.topic import make_topic  # late: most hints do not need it

    fact = next((each for each in facts if not each.get("first")), facts[0])
    line = fact.where.text if fact.where else ""
    about = make_topic(assignment.manifest.topic, assignment.checks_folders).hint(fact)
    if fact.kind in _TRY and (fact.kind != "error" or re.match(r"(?!\s*(def|class|@|$))", line)):
        about = _TRY[fact.kind].format(line=line, name=fact.about)
    name = re.escape(fact.about) if fact.kind in {"answer", "missing"} else "$."
    chosen = [text for text in hints if re.search(rf"\b{name}\b", text)][:1]
    return [*filter(None, [about]), *chosen, *(text for text in hints if text not in chosen)]


def _page(width: int, *paragraphs: str) -> str:
    """Wrap the paragraphs; a line keeps its indentation."""
    lines = "\n\n".join(filter(None, paragraphs)).split("\n")
    indents = [line[: len(line) - len(line.lstrip())] for line in lines]
    wrapped_lines = (wrap(escape_line(s.lstrip()), width, i) for s, i in zip(lines, indents, strict=True))
    return "\n".join(wrapped_lines) + "\n"


def forget_hints(assignment: Assignment) -> bool:
    """Forget an assignment's given hints and singly graded checks; return False if no hint was given."""
    state = read_state(assignment.course)
    given = bool(state.hints.pop(assignment.name, None))
    if state.singles.pop(assignment.name, None) or given:
        write_state(assignment.course, state)
    return given

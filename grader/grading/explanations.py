"""Explanations of the checks that did not pass: added to the verdicts when all of them are final.

Everything here goes through the deadline's net (sandbox/deadline.py): what fails or comes too late is
left out, and costs nothing else.
"""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

from grader.grading.answers import WrongAnswer
from grader.grading.chart import chosen_chart
from grader.grading.feedback import (
    below_decorators,
    check_message,
    definition_at,
    first_open,
    frames_of,
    where_at,
)
from grader.grading.fingerprints import diagnose
from grader.grading.once import tell_once
from grader.grading.slips import find_slip, function_around
from grader.report import MistakeNote, Outcome
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined, safely
from grader.sandbox.student import Unanswered
from grader.topic import Explanation, Failing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.grading.fingerprints import Known, Told
    from grader.grading.slips import Slip
    from grader.manifest import Manifest
    from grader.report import CheckResult, Where
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import TestResult, Topic


# Python's words for arguments that a function does not take; it names the function by its qualified name.
_WRONG_CALL = re.compile(r"([\w.<>]{1,100})\(\) (?:takes|missing|got) ")


def explain_checks(  # noqa: PLR0917  what explanations are made of
    checks: list[CheckResult],
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
    known: Known,
) -> list[BaseException]:
    """Add messages, rules, walks, mistakes, places and charts. Gives the errors that are told in full."""
    deadline = sandbox.deadline
    alone = len(checks) < len(manifest.checks)
    named = deadline.attempt(
        lambda: diagnose(results, known, deadline, alone=alone), dict[str, list["Told"]]()
    )
    checks_of = {check.id: check for check in checks}
    firsts = {
        check.id: test
        for check in checks
        if check.outcome in {Outcome.FAILED, Outcome.TODO}
        and (test := first_open(check, _of(check, results)))
    }
    if firsts:
        safely(blocks.grow, None)
    places = deadline.attempt(lambda: _places(firsts, sandbox), dict[str, Frame]())
    slips = {name: _look(checks_of[name], first, sandbox, blocks) for name, first in firsts.items()}
    for check in checks:
        mine = _of(check, results)
        check.chart = safely(partial(chosen_chart, check.outcome, manifest.checks[check.id], mine), None)
    facts = deadline.attempt(
        lambda: _read_back(checks, results, sandbox, blocks, manifest, topic), dict[str, list[str]]()
    )
    for check in checks:
        mine = _of(check, results)
        if check.outcome is Outcome.FAILED and not (check.rules or check.walk):  # these say it more exactly
            check.mistakes = [MistakeNote(m.name, m.words) for m in named.get(check.id, ())]
        _explain_answers(check, mine)
    for name, first in firsts.items():
        check = checks_of[name]
        shown = first.test.visibility == "visible" or manifest.checks[name].reveal == "values"
        _tell(check, first, _of(check, results), sandbox, blocks, slips[name], shown=shown)
    safely(lambda: _point(checks, firsts, places, blocks), None)
    return safely(lambda: tell_once(checks, results, facts), list[BaseException]())


def _of(check: CheckResult, results: Iterable[TestResult]) -> list[TestResult]:
    return [result for result in results if result.test.check == check.id]


def _read_back(  # noqa: PLR0917  what a topic needs to read the submission back
    checks: list[CheckResult],
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
) -> dict[str, list[str]]:
    """Ask the topic about the checks that failed; one that is blocked or still to do is not explained.

    Gives the sentences that belong below their messages.
    """
    failed = {check.id: check for check in checks if check.outcome is Outcome.FAILED}
    failing = [
        Failing(name, [r for r in _of(check, results) if r.outcome is Outcome.FAILED])
        for name, check in failed.items()
    ]
    waiting = [check.id for check in checks if check.outcome is Outcome.BLOCKED]
    used = {name for result in results if result.test.check in waiting for name in result.used}
    found = dict[str, Explanation]()
    if failing:
        with sandbox.explaining():
            try:
                found = topic.explain(failing, used, sandbox, manifest, lambda frame: _located(frame, blocks))
            except (StudentError, SubmissionStopped):
                return {}
    for name, explanation in found.items():
        failed[name].rules, failed[name].walk = explanation.rules, explanation.walk
    return {name: explanation.facts for name, explanation in found.items()}


def _explain_answers(check: CheckResult, results: Sequence[TestResult]) -> None:
    """Say what a known wrong answer shows, and why right ones are right."""
    if check.outcome is Outcome.PASSED:
        check.why = list(dict.fromkeys(why for result in results for why in result.why))
    elif check.outcome is Outcome.FAILED:
        errors = [
            r.error for r in results if r.outcome is Outcome.FAILED and isinstance(r.error, WrongAnswer)
        ]
        notes = dict(note for error in errors for note in error.notes)
        check.mistakes += [MistakeNote(name, words) for name, words in notes.items()]


def _located(frame: Frame | None, blocks: Sources) -> Where | None:
    if frame is None:
        return None
    blocks.grow()
    return definition_at(frame, blocks)


def _look(check: CheckResult, first: TestResult, sandbox: Sandbox, blocks: Sources) -> Slip | None:
    """Find the lines of an error or of a slip in the first test that did not pass; gives the slip."""
    slip = sandbox.deadline.attempt(lambda: find_slip(first, blocks), None)
    check.frames = safely(lambda: frames_of(first.error, blocks), [])
    if check.frames:
        check.where = check.frames[-1]
    elif slip:
        check.where = safely(lambda: where_at(slip.place, blocks), None)
    return slip


def _tell(  # noqa: PLR0917  what a message is made of
    check: CheckResult,
    first: TestResult,
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    slip: Slip | None,
    *,
    shown: bool,
) -> None:
    """Add message and readings; what the rules say already, the message does not."""
    without = first.test.doc if shown else "A hidden test of this check does not pass."
    said = " ".join(rule.words for rule in check.rules)
    message = partial(check_message, first, results, sandbox, blocks, shown=shown, slip=slip, said=said)
    check.message = safely(message, without)
    check.readings = list(first.failure.readings) if first.failure and shown else []


# --- Places of definitions


def _places(firsts: Mapping[str, TestResult], sandbox: Sandbox) -> dict[str, Frame]:
    """Find where the names are defined that these tests are about; one request for all, none without a name."""
    names = list(dict.fromkeys(name for first in firsts.values() if (name := _own(first) or _called(first))))
    if not names:
        return {}
    with contextlib.suppress(StudentError, SubmissionStopped), sandbox.explaining():
        if not sandbox.is_open:
            sandbox.load()
        return {n: place for n, place in zip(names, sandbox.defined(names), strict=True) if place}
    return {}


def _own(first: TestResult) -> str:
    """The answer that a failing test judged, or the function that does not take the test's arguments."""
    error = first.error
    if isinstance(error, Unanswered):
        return error.name
    if isinstance(error, StudentError) and not error.frames and (call := _WRONG_CALL.match(error.text)):
        return call[1]
    if not _judged(first) or first.functions:
        return ""
    names = list(dict.fromkeys(first.answers))
    if len(names) > 1 and first.failure:
        text = " ".join([first.failure.text, *(row.label for row in first.failure.readings)])
        names = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    return names[0] if len(names) == 1 else ""


def _called(first: TestResult) -> str:
    """The only function of the student's that a failing test asked for, beside no answer."""
    one = _judged(first) and not first.answers and len(first.functions) == 1
    return next(iter(first.functions)) if one else ""


def _judged(first: TestResult) -> bool:
    """True where a test failed by what it read, not by an error or for want of something."""
    return first.outcome is Outcome.FAILED and not isinstance(
        first.error, StudentError | SubmissionStopped | Undefined
    )


def _point(
    checks: Sequence[CheckResult],
    firsts: Mapping[str, TestResult],
    places: Mapping[str, Frame],
    blocks: Sources,
) -> None:
    """Give each check without a place its own, or else that of a rule, of its walk or of a function.

    While a rule or a walk is wrong, no function that may only use it is pointed at.
    """
    blocks.grow()
    wrong = any(check.rules or check.walk for check in checks)
    functions = {place for first in firsts.values() if (place := places.get(_called(first)))}
    for check in checks:
        first = firsts.get(check.id)
        if first is None or check.where is not None:
            continue
        notes = [rule.where for rule in check.rules] + [check.walk.where if check.walk else None]
        check.where = _located(places.get(_own(first)), blocks) or next(filter(None, notes), None)
        called = places.get(_called(first))
        if check.where is None and called and not wrong and not _uses_another(called, functions, blocks):
            check.where = _located(called, blocks)


def _uses_another(place: Frame, functions: Iterable[Frame], blocks: Sources) -> bool:
    """True for a function in whose lines the name of another one stands that checks point at, too."""
    if not place.block < len(blocks):
        return False
    lines = blocks[place.block].source.split("\n")
    own = function_around(lines, below_decorators(lines, place.line) - 1)
    words = {word for i in own for word in re.findall(r"\w+", lines[i])}
    return any(other != place and other.function.rpartition(".")[2] in words for other in functions)

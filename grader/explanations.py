"""What is said of the checks that did not pass: added to the verdicts when all of them are final.

Everything here goes through the deadline's net (sandbox/deadline.py): what fails or comes too late is
left out, and costs nothing else.
"""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

from grader.chart import chosen_chart
from grader.diagnosis import diagnose
from grader.feedback import check_message, definition_at, first_open, frames_of, where_at
from grader.once import tell_once
from grader.report import MistakeNote, Outcome
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined, safely
from grader.slips import find_slip
from grader.student import Unanswered
from grader.topic import Explanation, Failing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.diagnosis import Known
    from grader.manifest import CheckSpec, Manifest
    from grader.report import CheckResult, Where
    from grader.sandbox import Deadline, Sandbox
    from grader.submission import Sources
    from grader.suite import TestResult
    from grader.topic import Topic


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
        lambda: diagnosis_of(results, known, deadline, alone=alone), dict[str, list[str]]()
    )
    places = deadline.attempt(lambda: _defined(checks, results, sandbox), dict[str, Frame]())
    for check in checks:
        spec = manifest.checks[check.id]
        mine = [result for result in results if result.test.check == check.id]
        _explain(check, spec, mine, sandbox, blocks)
        check.chart = safely(partial(chosen_chart, check.outcome, spec, mine), None)
        if check.outcome is Outcome.FAILED:
            ids = [m for r in mine for m in named.get(r.test.key, ())]
            check.mistakes = [MistakeNote(m, known.words[m]) for m in dict.fromkeys(ids)]
    facts = deadline.attempt(
        lambda: _read_back(checks, results, sandbox, blocks, manifest, topic), dict[str, list[str]]()
    )
    safely(lambda: _point(checks, places, blocks), None)
    return safely(lambda: tell_once(checks, results, facts), list[BaseException]())


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
        Failing(name, [r for r in results if r.test.check == name and r.outcome is Outcome.FAILED])
        for name in failed
    ]
    found = dict[str, Explanation]()
    if failing:
        with sandbox.explaining():
            try:
                found = topic.explain(failing, sandbox, manifest, lambda frame: _located(frame, blocks))
            except (StudentError, SubmissionStopped):
                return {}
    for name, explanation in found.items():
        failed[name].rules, failed[name].walk = explanation.rules, explanation.walk
    return {name: explanation.facts for name, explanation in found.items()}


def _located(frame: Frame | None, blocks: Sources) -> Where | None:
    if frame is None:
        return None
    blocks.grow()
    return definition_at(frame, blocks)


def diagnosis_of(
    results: Sequence[TestResult], known: Known, deadline: Deadline | None = None, *, alone: bool = False
) -> dict[str, list[str]]:
    """The mistakes that explain the failing tests; what is still to do says nothing either way. Raises OutOfTime.

    Where one check was graded `alone`, a RecursionError names no mistake: its fingerprint is the same for every
    recursion, and the tests that tell these apart were not run.
    """
    judged = [r for r in results if r.outcome in (Outcome.FAILED, Outcome.PASSED)]
    failing: dict[str, set[str]] = {}
    for result in judged:
        if result.outcome is Outcome.FAILED and result.test.diagnosed and not (alone and _recursed(result)):
            failing.setdefault(result.test.key, set()).add(result.fingerprint)
    return diagnose(failing, {r.test.key for r in judged}, known, deadline)


def _recursed(result: TestResult) -> bool:
    return isinstance(result.error, StudentError) and result.error.type == "RecursionError"


def _explain(
    check: CheckResult, spec: CheckSpec, results: list[TestResult], sandbox: Sandbox, blocks: Sources
) -> None:
    """Message, readings and the lines of an error or a slip, from the first test that did not pass."""
    first = first_open(check, results)
    if check.outcome not in {Outcome.FAILED, Outcome.TODO} or first is None:
        return
    shown = first.test.visibility == "visible" or spec.reveal == "values"
    slip = sandbox.deadline.attempt(lambda: find_slip(first, blocks), None)
    check.frames = safely(lambda: frames_of(first.error, blocks), [])
    if check.frames:
        check.where = check.frames[-1]
    elif slip:
        check.where = safely(lambda: where_at(slip.place, blocks), None)
    without = first.test.doc if shown else "A hidden test of this check does not pass."
    message = partial(check_message, first, results, sandbox, blocks, shown=shown, slip=slip)
    check.message = safely(message, without)
    check.readings = list(first.failure.readings) if first.failure and shown else []


# --- Places of definitions


def _defined(
    checks: Sequence[CheckResult], results: Sequence[TestResult], sandbox: Sandbox
) -> dict[str, Frame]:
    """The place of the answer or of the function that each check is about, by the check; one request for all."""
    wanted = {check.id: name for check in checks if (name := _subject(check, results))}
    if not wanted:
        return {}
    names = list(dict.fromkeys(wanted.values()))
    with contextlib.suppress(StudentError, SubmissionStopped), sandbox.explaining():
        if not sandbox.is_open:
            sandbox.load()
        found = dict(zip(names, sandbox.defined(names), strict=True))
        return {check: place for check, name in wanted.items() if (place := found[name])}
    return {}


def _subject(check: CheckResult, results: Sequence[TestResult]) -> str:
    """The name of the answer or function that a check is about; empty where that is not certain."""
    first = first_open(check, [result for result in results if result.test.check == check.id])
    if first is None or check.outcome not in {Outcome.FAILED, Outcome.TODO}:
        return ""
    error = first.error
    if isinstance(error, Unanswered):
        return error.name
    if check.outcome is Outcome.TODO or isinstance(error, SubmissionStopped | Undefined):
        return ""
    if isinstance(
        error, StudentError
    ):  # of a call with other arguments: an error inside has lines of its own
        called = _WRONG_CALL.match(error.text)
        return called[1] if called and not error.frames else ""
    names = list(dict.fromkeys(first.answers))
    if len(names) > 1 and first.failure:
        text = " ".join([first.failure.text, *(row.label for row in first.failure.readings)])
        names = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    if first.answers:
        return names[0] if len(names) == 1 else ""
    return next(iter(first.functions)) if len(first.functions) == 1 else ""


def _point(checks: Sequence[CheckResult], places: Mapping[str, Frame], blocks: Sources) -> None:
    """Give each check that has no place yet the one of its rule, its walk, its answer or its function.

    While a rule or a walk is wrong, no function that may only use it is pointed at.
    """
    wrong = any(check.rules or check.walk for check in checks)
    for check in checks:
        if check.where is not None:
            continue
        place, walk = places.get(check.id), check.walk.where if check.walk else None
        check.where = next((rule.where for rule in check.rules if rule.where), walk)
        if check.where is None and place and not (wrong and place.function):
            check.where = _located(place, blocks)

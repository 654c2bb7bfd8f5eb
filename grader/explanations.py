"""What is said of the checks that did not pass: added to the verdicts when all of them are final.

Everything here goes through the deadline's net (sandbox/deadline.py): what fails or comes too late is
left out, and costs nothing else.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from grader.answers import WrongAnswer
from grader.chart import chosen_chart
from grader.diagnosis import diagnose
from grader.feedback import check_message, first_open, frames_of, tell_once, where_at
from grader.report import MistakeNote, Outcome
from grader.sandbox import StudentError, SubmissionStopped, safely
from grader.slips import find_slip
from grader.topic import Explanation, Failing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.diagnosis import Known
    from grader.manifest import CheckSpec, Manifest
    from grader.report import CheckResult, Where
    from grader.sandbox import Deadline, Frame, Sandbox
    from grader.submission import Sources
    from grader.suite import Test, TestResult
    from grader.topic import Topic


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
    blamed = deadline.attempt(
        lambda: topic.places(results, named, known.words, deadline), dict["Test", "Frame"]()
    )
    told: set[str] = set()
    for check in checks:
        spec = manifest.checks[check.id]
        mine = [result for result in results if result.test.check == check.id]
        ids_of = {r.test: set(named.get(r.test.key, ())) for r in mine}
        new = [r for r in mine if ids_of[r.test] - told]
        waits = check.outcome is Outcome.BLOCKED  # told for what is new in it
        _explain(check, spec, (new or mine) if waits else mine, sandbox, blocks, blamed)
        check.chart = safely(partial(chosen_chart, check.outcome, spec, mine), None)
        told.update(*ids_of.values())
        ids = [m for r in mine for m in named.get(r.test.key, ())]
        check.mistakes = [MistakeNote(m, known.words[m]) for m in dict.fromkeys(ids)]
        _explain_answers(check, mine)
    deadline.attempt(lambda: _read_back(checks, results, sandbox, blocks, manifest, topic), None)
    return safely(lambda: tell_once(checks, results), list[BaseException]())


def _read_back(  # noqa: PLR0917  what a topic needs to read the submission back
    checks: list[CheckResult],
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
) -> None:
    """Ask the topic about the checks that failed; one that is blocked or still to do is not explained."""
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
                return
    for name, explanation in found.items():
        check = failed[name]
        check.rules, check.walk = explanation.rules, explanation.walk
        check.message = " ".join([check.message, *explanation.facts])


def _explain_answers(check: CheckResult, results: Sequence[TestResult]) -> None:
    """Say what a known wrong answer shows, and why right ones are right."""
    if check.outcome is Outcome.PASSED:
        check.why = list(dict.fromkeys(why for result in results for why in result.why))
    elif check.outcome is Outcome.FAILED:
        errors = [r.error for r in results if r.outcome is Outcome.FAILED and isinstance(r.error, WrongAnswer)]
        notes = dict(note for error in errors for note in error.notes)
        check.mistakes += [MistakeNote(name, words) for name, words in notes.items()]


def _located(frame: Frame | None, blocks: Sources) -> Where | None:
    return where_at(frame, blocks) if frame is not None else None


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


def _explain(  # noqa: PLR0917  what a message is made of
    check: CheckResult,
    spec: CheckSpec,
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    blamed: Mapping[Test, Frame],
) -> None:
    """Message, place and readings, from the first test that did not pass."""
    first = first_open(check, results)
    if check.outcome is Outcome.UNGRADABLE or first is None:
        return
    shown = first.test.visibility == "visible" or spec.reveal == "values"
    slip = sandbox.deadline.attempt(lambda: find_slip(first, blamed.get(first.test), blocks), None)
    check.frames = safely(lambda: frames_of(first.error, blocks), [])
    if check.frames:
        check.where = check.frames[-1]
    elif slip:
        check.where = safely(lambda: where_at(slip.place, blocks), None)
    elif first.test in blamed:
        check.where = safely(lambda: where_at(blamed[first.test], blocks), None)
    if check.outcome is not Outcome.BLOCKED:
        without = first.test.doc if shown else "A hidden test of this check does not pass."
        message = partial(check_message, first, results, sandbox, blocks, shown=shown, slip=slip)
        check.message = safely(message, without)
        check.readings = list(first.failure.readings) if first.failure and shown else []

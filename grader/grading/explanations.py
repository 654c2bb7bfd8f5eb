"""Explanations of the checks that did not pass, made after all verdicts are final.

Each step runs under the sandbox's deadline (sandbox/budget.py): a step that raises or comes too late is left out,
and changes no verdict and no other step. Each cause is explained once: the first check that it stops explains it, and
later checks refer to that one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from grader.grading.answers import WrongAnswer
from grader.grading.feedback import TAKE_OUT, WRONG, check_message, first_open, lacks
from grader.grading.fingerprints import diagnose
from grader.grading.locations import find_definitions, find_slip, frames_of, locate_checks, located, where_at
from grader.report import KnownMistake, Location, Outcome, cap
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined, safely
from grader.topic import Explanation, Failing, TestOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from grader.grading.fingerprints import Match, Sealed
    from grader.grading.locations import Slip
    from grader.manifest import CheckSpec, Manifest
    from grader.report import Chart, CheckResult
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import TestResult, Topic


class Explained(msgspec.Struct):
    """Explained checks, and further sentences for the message of a check, by its name."""

    checks: list[CheckResult] = []
    facts: dict[str, list[str]] = {}


def explain_checks(  # noqa: PLR0917  explanations are made of all of it
    verdicts: Sequence[CheckResult],
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
    known: Callable[[], Sealed],
    *,
    alone: bool = False,
) -> Explained:
    """Return the checks with messages, rules, walks, mistakes, locations and charts.

    With `alone` one check was graded, not the whole assignment.
    """
    deadline = sandbox.budget.deadline
    firsts = {
        check.id: test
        for check in verdicts
        if check.outcome in {Outcome.FAILED, Outcome.TODO}
        and (test := first_open(check, _of(check, results)))
    }
    if firsts:
        safely(blocks.grow, None)
    definitions = deadline.attempt(lambda: find_definitions(firsts, sandbox), dict[str, Frame]())
    slips = {
        name: deadline.attempt(partial(find_slip, first, blocks), None) for name, first in firsts.items()
    }
    lines = {name: _lines(first, slips[name], blocks) for name, first in firsts.items()}
    charts = [
        safely(partial(chosen_chart, check.outcome, manifest.checks[check.id], _of(check, results)), None)
        for check in verdicts
    ]
    found = deadline.attempt(
        lambda: _read_failed(verdicts, results, sandbox, blocks, manifest, topic), dict[str, Explanation]()
    )
    named: dict[str, list[Match]] = {}
    if any(c.outcome is Outcome.FAILED and not _is_read_back(found.get(c.id)) for c in verdicts):
        named = deadline.attempt(
            lambda: diagnose(with_fingerprints(results), known(), deadline, alone=alone), named
        )
    checks = []
    for check, chart in zip(verdicts, charts, strict=True):
        mine, read_back = _of(check, results), found.get(check.id, Explanation())
        adds = _answers(check, mine)
        if check.outcome is Outcome.FAILED and not _is_read_back(read_back):
            adds["mistakes"] = [KnownMistake(m.name, m.words) for m in named.get(check.id, ())] + adds[
                "mistakes"
            ]
        if first := firsts.get(check.id):
            shown = first.test.visibility == "visible" or manifest.checks[check.id].reveal == "values"
            said = " ".join(rule.words for rule in read_back.rules)
            slip = slips[check.id]
            adds |= lines[check.id]
            adds |= _words(first, mine, sandbox, blocks, slip, said, shown=shown)
        adds |= {"chart": chart, "rules": read_back.rules, "walk": read_back.walk}
        checks.append(msgspec.structs.replace(check, **adds))
    places = safely(lambda: locate_checks(checks, firsts, definitions, blocks), dict[str, Location]())
    checks = [
        msgspec.structs.replace(check, where=places[check.id]) if check.id in places else check
        for check in checks
    ]
    return Explained(checks, {name: explanation.facts for name, explanation in found.items()})


def _is_read_back(found: Explanation | None) -> bool:
    """Return True for a rule as a formula or a wrong walk, which is more exact than a known mistake."""
    return found is not None and bool(found.walk or any(rule.wrote for rule in found.rules))


def with_fingerprints(results: Sequence[TestResult]) -> list[TestResult]:
    """Read the fingerprints that were left, one order of sets after the other: another may execute the cells again."""
    in_turn = sorted(results, key=lambda result: result.test.order)
    read = {result.test: result.later() for result in in_turn if result.later}
    return [replace(r, fingerprint=read[r.test], later=None) if r.later else r for r in results]


def _of(check: CheckResult, results: Iterable[TestResult]) -> list[TestResult]:
    return [result for result in results if result.test.check == check.id]


def _read_failed(  # noqa: PLR0917  a topic needs all of it to read the submission back
    verdicts: Sequence[CheckResult],
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
) -> dict[str, Explanation]:
    """Ask the topic about the failed checks only, not about blocked ones or those to do."""
    failing = [
        Failing(check.id, [r for r in _of(check, results) if r.outcome is TestOutcome.FAILED])
        for check in verdicts
        if check.outcome is Outcome.FAILED
    ]
    waiting = [check.id for check in verdicts if check.outcome is Outcome.BLOCKED]
    used = {name for result in results if result.test.check in waiting for name in result.used}
    return read_back(failing, used, sandbox, blocks, manifest, topic) if failing else {}


def read_back(  # noqa: PLR0917  a topic needs all of it to read the submission back
    failing: Sequence[Failing],
    waiting: AbstractSet[str],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
) -> dict[str, Explanation]:
    """Return the topic's findings about failed checks; `waiting` are operations that blocked checks use."""
    with sandbox.explaining():
        try:
            return topic.explain(failing, waiting, sandbox, manifest, lambda frame: located(frame, blocks))
        except (StudentError, SubmissionStopped):
            return {}


def _answers(check: CheckResult, results: Sequence[TestResult]) -> dict[str, Any]:
    """Return the fields `why` of right answers, and `mistakes` of known wrong ones."""
    why: list[str] = []
    notes: dict[str, str] = {}
    if check.outcome is Outcome.PASSED:
        why = list(dict.fromkeys(why for result in results for why in result.why))
    elif check.outcome is Outcome.FAILED:
        failed = [r.error for r in results if r.outcome is TestOutcome.FAILED]
        notes = dict(note for error in failed if isinstance(error, WrongAnswer) for note in error.notes)
    return {"why": why, "mistakes": [KnownMistake(name, words) for name, words in notes.items()]}


def _lines(first: TestResult, slip: Slip | None, blocks: Sources) -> dict[str, Any]:
    """Return the fields `frames` and `where` for an error or a slip in the first test that did not pass."""
    frames = safely(lambda: frames_of(first.error, blocks), list[Location]())
    where = frames[-1] if frames else safely(lambda: where_at(slip.place, blocks), None) if slip else None
    return {"frames": frames, "where": where}


def _words(  # noqa: PLR0917  a message is made of all of it
    first: TestResult,
    results: list[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    slip: Slip | None,
    said: str,
    *,
    shown: bool,
) -> dict[str, Any]:
    """Return the fields `message` and `readings`; the message does not repeat the words that the rules have `said`."""
    without = first.test.doc if shown else WRONG
    message = partial(check_message, first, results, sandbox, blocks, shown=shown, slip=slip, said=said)
    readings = list(first.failure.readings) if first.failure and shown else []
    return {"message": safely(message, without), "readings": readings}


# --- Charts


def chosen_chart(outcome: Outcome, spec: CheckSpec, results: Sequence[TestResult]) -> Chart | None:
    """Return the chart that the student sees: for a failed check that of the reported test, for a passed one the largest.

    For a passed check, a chart with inputs is preferred to one without. The numbers of a hidden test stay hidden,
    unless the manifest reveals them.
    """
    first = next((result for result in results if result.outcome is TestOutcome.FAILED), None)
    if outcome is Outcome.FAILED and first is not None:
        return first.chart if _is_shown(first, spec) and _belongs_to_failure(first) else None
    if outcome is not Outcome.PASSED:
        return None
    charts = [result.chart for result in results if result.chart and _is_shown(result, spec)]
    return max(charts, key=lambda chart: (bool(chart.given), len(chart.bars)), default=None)


def _belongs_to_failure(result: TestResult) -> bool:
    """Return True if the chart's numbers belong to the failure: a test that stopped early has only zeros."""
    read = result.failure is not None and bool(result.failure.readings)
    return read or (result.chart is not None and any(bar.value for bar in result.chart.bars))


def _is_shown(result: TestResult, spec: CheckSpec) -> bool:
    return result.test.visibility == "visible" or spec.reveal == "values"


# --- One explanation for each cause


def explain_causes_once(
    checks: Sequence[CheckResult],
    results: Sequence[TestResult],
    facts: Mapping[str, Sequence[str]],
) -> tuple[list[CheckResult], list[BaseException]]:
    """Explain each cause at the first check that has it; `facts` are sentences for one check's message.

    A cause is a missing name, an error at a line, an operation with a wrong rule, a walk or a mistake. Returns the
    checks, and the errors that are reported in full.
    """
    first: dict[object, str] = {}  # cause -> the check that explains it
    kept: list[CheckResult] = []
    reported: list[BaseException] = []
    for check in checks:
        test = first_open(check, _of(check, results))
        error = test.error if test and check.outcome in (Outcome.FAILED, Outcome.TODO) else None
        keys = _errors(error, check.message)
        if error and (known := next((first[key] for key in keys if key in first), None)):
            kept.append(_referring_to(known, check, _again(error, known, check.message)))
            continue
        kept.append(_without_known(check, first, facts.get(check.id, ())))
        if error and keys and not kept[-1].see:
            first |= dict.fromkeys(keys, check.id)
            reported += [error, *([error.cause] if isinstance(error, Undefined) and error.cause else [])]
    return kept, reported


def _referring_to(known: str, check: CheckResult, words: str) -> CheckResult:
    """Return a check that only refers to the check that explains its cause."""
    nothing: dict[str, Any] = {"where": None, "frames": [], "readings": [], "chart": None}
    nothing |= {"rules": [], "walk": None, "mistakes": []}
    return msgspec.structs.replace(check, see=known, message=words, **nothing)


def _errors(error: BaseException | None, message: str) -> list[object]:
    """Return keys for the causes of a failure: a missing name, an error at a line, a forgotten `raise`."""
    name = error.name if isinstance(error, Undefined) else lacks(error)
    causes: list[object] = [("missing", name)] if name else []
    if isinstance(error, Undefined):
        error = error.cause
    if isinstance(error, StudentError) and error.frames and error.type != "NotImplementedError":
        causes.append((error.type, error.text, error.frames[-1]))
    if isinstance(error, SubmissionStopped) and error.hang:
        causes.append(error.hang)
    return [*causes, *([message] if message.startswith(TAKE_OUT) else [])]


def _again(error: BaseException, first: str, message: str) -> str:
    """Return a short message for a cause that the check `first` explains. It gives no name that `message` leaves out."""
    name = error.name if isinstance(error, Undefined) else lacks(error)
    if name and name in message:
        return f"`{cap(name, 60)}` is missing, as in {first}."
    todo = isinstance(error, StudentError) and error.type == "NotImplementedError"
    if isinstance(error, SubmissionStopped):
        return f"Stopped by the same endless call as {first}."
    return f"Stopped by the same {'line' if todo else 'error'} as {first}."


def _without_known(check: CheckResult, first: dict[object, str], facts: Sequence[str]) -> CheckResult:
    """Return a check without the causes that an earlier one explains; if none is left, refer to the earlier one."""
    rules: dict[object, str] = {("operation", rule.operation): rule.operation for rule in check.rules}
    walks: dict[object, str] = {("walk", check.walk.where): "walk"} if check.walk else {}
    mistakes: dict[object, str] = {("mistake", mistake.id): mistake.id for mistake in check.mistakes}
    known = {key: first[key] for key in (*rules, *walks, *mistakes) if key in first}
    words = _elsewhere([rules, walks, mistakes], known)
    if words and not facts and known.keys() == {*rules, *walks, *mistakes}:
        return _referring_to(next(iter(known.values())), check, words)
    first |= {key: check.id for key in (*rules, *walks, *mistakes) if key not in first}
    return msgspec.structs.replace(
        check,
        message=" ".join(filter(None, [check.message, *facts, words])),
        rules=[rule for rule in check.rules if ("operation", rule.operation) not in known],
        walk=None if walks.keys() & known.keys() else check.walk,
        mistakes=[mistake for mistake in check.mistakes if ("mistake", mistake.id) not in known],
    )


def _elsewhere(kinds: Sequence[Mapping[object, str]], known: Mapping[object, str]) -> str:
    """Return a sentence that refers to the checks of known causes: of the first kind that has some."""
    for kind, causes in zip(("operation", "walk", "mistake"), kinds, strict=True):
        if there := [known[key] for key in causes if key in known]:
            where = _listed(there)
            if kind != "operation":
                return f"The same {kind} as in {where}: look there first."
            names = [f"`{cap(name, 60)}`" for key, name in causes.items() if key in known]
            return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} wrong, as in {where}: look there first."
    return ""


def _listed(names: Iterable[str]) -> str:
    """Join names without repeats: `a`, `a and b`, `a, b and c`."""
    *but_last, last = dict.fromkeys(names)
    return f"{', '.join(but_last)} and {last}" if but_last else last

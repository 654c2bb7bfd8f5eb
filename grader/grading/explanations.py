"""Explanations of the checks that did not pass, made after all verdicts are final.

Each step runs under the sandbox's deadline (sandbox/budget.py): a step that raises or is too late is left out, and
changes no verdict and no other step. Each cause is explained once, in the first check that it stops; later checks refer
to that one.
"""

from __future__ import annotations

import builtins
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from grader.grading.answers import WrongAnswer, list_names
from grader.grading.facts import (
    MAX_NAME,
    AnswerFact,
    BlankFact,
    ErrorFact,
    LimitFact,
    MissingFact,
    MistakeFact,
)
from grader.grading.feedback import SKIPS, WRONG, check_message, first_open, is_explained, way_to_blank
from grader.grading.fingerprints import diagnose
from grader.grading.locations import (
    definition_at,
    find_definitions,
    find_slip,
    frames_of,
    kept_raise,
    locate_checks,
    where_at,
)
from grader.grading.redefinitions import second_definitions
from grader.grading.sharing import all_words, find_shared, says_more
from grader.report import Fact, KnownMistake, Location, Outcome, cap
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined, safely
from grader.sandbox.student import Unanswered
from grader.topic import READ_BACK, FactWords, Failing, TestOutcome, is_exact, sort_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from grader.grading.fingerprints import Match, SealedMistakes
    from grader.grading.locations import Slip
    from grader.grading.run import Around
    from grader.manifest import Manifest
    from grader.report import Chart, CheckResult
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import Test, TestResult, Topic


MANY = 1_000  # names in a sentence: no limit
MOST_WATCHED = 3  # checks of which a test runs again: a cause is explained at the first check that it stops


def explain_checks(  # noqa: PLR0917  explanations are made of all of it
    verdicts: Sequence[CheckResult],
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
    known: Callable[[], SealedMistakes],
    *,
    single: bool = False,
    watch: Callable[[Test, Around], TestResult] | None = None,
) -> list[CheckResult]:
    """Return the checks with facts and everything made from them: messages, rules, walks, mistakes, locations, charts.

    With `single`, only one check was graded. `watch` runs a test again to see what objects share.
    """
    deadline = sandbox.budget.deadline
    # The test of each check that its message is about.
    firsts = {
        check.id: test
        for check in verdicts
        if check.outcome in {Outcome.FAILED, Outcome.TODO}
        and (test := first_open(check, _of(check, results)))
    }
    if firsts:
        safely(blocks.grow, None)
    # What the code, the topic, a second run and the sealed mistakes say about it.
    definitions = deadline.attempt(lambda: find_definitions(firsts, sandbox, blocks), dict[str, Frame]())
    slips = {
        name: deadline.attempt(partial(find_slip, first, blocks), None) for name, first in firsts.items()
    }
    found = deadline.attempt(
        lambda: _read_failed(verdicts, results, sandbox, blocks, manifest, topic, single=single),
        dict[str, list[Fact]](),
    )
    shared = {
        name: deadline.attempt(
            partial(find_shared, first, watch, sandbox, blocks, known=is_exact(found.get(name, []))),
            list[Fact](),
        )
        for name, first in [*firsts.items()][:MOST_WATCHED]
        if watch
    }
    named: dict[str, list[Match]] = {}
    if any(c.outcome is Outcome.FAILED and not is_exact(found.get(c.id, [])) for c in verdicts):
        named = deadline.attempt(lambda: diagnose(results, known(), deadline, single=single), named)
    # Each check with its explanation, then with a location, then with a name that has a second meaning.
    evidence = _Evidence(results, sandbox, blocks, topic, firsts, slips, found, shared, named)
    checks = [_explain_check(check, evidence) for check in verdicts]
    places = safely(lambda: locate_checks(checks, firsts, definitions, blocks), dict[str, Location]())
    checks = [replace(check, where=places.get(check.id, check.where)) for check in checks]
    again = deadline.attempt(lambda: second_definitions(checks, firsts, sandbox, blocks), dict[str, str]())
    return [replace(check, message=_join_sentences(check.message, again.get(check.id))) for check in checks]


class _Evidence(NamedTuple):
    """Everything that was found about a submission, before the checks are explained; mappings are by check."""

    results: Sequence[TestResult]
    sandbox: Sandbox
    blocks: Sources
    topic: Topic
    firsts: Mapping[str, TestResult]  # the tests that the messages are about
    slips: Mapping[str, Slip | None]
    read_back: Mapping[str, list[Fact]]  # the topic's facts
    shared: Mapping[str, list[Fact]]
    named: Mapping[str, list[Match]]


def _explain_check(check: CheckResult, evidence: _Evidence) -> CheckResult:
    """Return a check with its explanation."""
    mine, first = _of(check, evidence.results), evidence.firsts.get(check.id)
    read_back, shared = evidence.read_back.get(check.id, []), evidence.shared.get(check.id, [])
    failed = check.outcome is Outcome.FAILED
    is_told = is_exact(read_back) or says_more(shared)
    matches = evidence.named.get(check.id, []) if failed and not is_told else []
    facts = [*read_back, *shared, *_wrong_answers(mine)] if failed else []
    facts += [MistakeFact(m.name).fact() for m in matches]
    told = (
        FactWords([], None)
        if matches
        else safely(partial(evidence.topic.words_for, read_back), FactWords([], None))
    )
    if first:
        check = _with_words(check, first, mine, read_back, evidence)
        if not is_explained(first.error, read_back):
            facts += safely(lambda: [*_facts_of(first, check.where, evidence)], list[Fact]())
    return replace(
        check,
        message=_join_sentences(check.message, *all_words(shared), *told.sentences),
        why=[*dict.fromkeys(why for result in mine for why in result.why)]
        if check.outcome is Outcome.PASSED
        else [],
        mistakes=[KnownMistake(m.name, m.words) for m in matches] + (_known_answers(mine) if failed else []),
        chart=safely(partial(_chosen_chart, check.outcome, mine), None),
        rules=told.rules,
        walk=told.walk,
        facts=sort_facts(facts),
    )


def _join_sentences(*sentences: str | None) -> str:
    return " ".join(filter(None, sentences))


def _with_words(
    check: CheckResult,
    first: TestResult,
    results: list[TestResult],
    read_back: Sequence[Fact],
    evidence: _Evidence,
) -> CheckResult:
    """Return a check with the message and the location of its first open test, without repeating the topic's facts."""
    shown, slip, blocks = first.test.visibility == "visible", evidence.slips[check.id], evidence.blocks
    known = is_explained(first.error, read_back)
    frames = [] if known else safely(lambda: frames_of(first.error, blocks), list[Location]())
    where = frames[-1] if frames else None
    if slip and not where and not known:
        where = safely(lambda: where_at(slip.place, blocks), None)
    message = partial(
        check_message, first, results, evidence.sandbox, blocks, shown=shown, slip=slip, facts=read_back
    )
    return replace(
        check,
        message=safely(message, "" if shown else WRONG),
        asked=_asked_by(first, shown=shown),
        frames=frames,
        where=where,
        readings=list(first.failure.readings) if first.failure and shown else [],
    )


def _asked_by(first: TestResult, *, shown: bool) -> str:
    """Return the docstring of a test as a sentence; "" for a hidden test, or if it got no result from the student's code."""
    if not shown or first.outcome in {TestOutcome.TODO, *SKIPS}:
        return ""
    return "" if isinstance(first.error, SubmissionStopped | Undefined | Unanswered) else first.test.doc


def _facts_of(first: TestResult, where: Location | None, evidence: _Evidence) -> Iterator[Fact]:
    """Yield the facts about the end of the test that a check's message is about: an error, a limit, a blank, a missing name.

    A hidden test that judges an answer gives only facts about names.
    """
    error = first.error
    if isinstance(error, Unanswered):
        yield BlankFact(error.name).fact(where)
    if isinstance(error, Undefined):
        cause = error.cause.type if isinstance(error.cause, StudentError) else ""
        yield MissingFact(cap(error.name, MAX_NAME), cause).fact(where)
        error = error.cause
    if first.test.visibility != "visible":
        return
    if isinstance(error, SubmissionStopped):
        stood = error.hang.place if error.hang else None
        called = error.hang.call if error.hang else ""
        yield LimitFact(stood.function if stood else called, error.limit, called).fact(where)
    if not isinstance(error, StudentError):
        return
    function = error.frames[-1].function if error.frames else ""
    twice, reached = way_to_blank(first, evidence.sandbox, evidence.blocks)
    if kept := kept_raise(first, evidence.blocks):
        yield BlankFact(function, kept=True).fact(kept[0])
    elif twice:  # a name whose last definition is the stub's
        yield BlankFact(twice, twice=True).fact()
    elif reached:  # a wrong line led to the blank
        yield BlankFact(function).fact(where)
    elif error.type == "NotImplementedError":
        return
    elif error.type == "NameError" and error is first.error:
        yield MissingFact(cap(error.missing_name, MAX_NAME), error.type).fact(where)
    else:
        yield ErrorFact(function, error.type, cap(error.text)).fact(where)


def _of(check: CheckResult, results: Iterable[TestResult]) -> list[TestResult]:
    return [result for result in results if result.test.check == check.id]


def _read_failed(  # noqa: PLR0917  a topic needs all of it to read the submission back
    verdicts: Sequence[CheckResult],
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
    *,
    single: bool,
) -> dict[str, list[Fact]]:
    """Return the topic's facts about the failed checks, not about blocked ones or those to do."""
    failing = [
        Failing(
            check.id,
            [r for r in _of(check, results) if r.outcome in (TestOutcome.FAILED, TestOutcome.UNJUDGED)],
        )
        for check in verdicts
        if check.outcome is Outcome.FAILED
    ]
    waiting = [check.id for check in verdicts if check.outcome is Outcome.BLOCKED]
    used = {name for result in results if result.test.check in waiting for name in result.used}
    return topic_facts(failing, None if single else used, sandbox, blocks, manifest, topic) if failing else {}


def topic_facts(  # noqa: PLR0917  a topic needs all of it to read the submission back
    failing: Sequence[Failing],
    waiting: AbstractSet[str] | None,
    sandbox: Sandbox,
    blocks: Sources,
    manifest: Manifest,
    topic: Topic,
) -> dict[str, list[Fact]]:
    """Return the topic's facts about failed checks; `waiting` are the operations that blocked checks use.

    It is None if only one check was graded.
    """
    with sandbox.explaining():
        try:
            return topic.explain(
                failing, waiting, sandbox, manifest, lambda frame: definition_at(frame, blocks)
            )
        except (StudentError, SubmissionStopped):
            return {}


def _wrong_answers(results: Iterable[TestResult]) -> Iterator[Fact]:
    """Yield the facts about the answers that these tests found wrong."""
    seen = set[str]()
    for result in results:
        error = result.error
        if result.outcome is TestOutcome.FAILED and isinstance(error, WrongAnswer) and error.name not in seen:
            seen.add(error.name)
            known = tuple(name for name, _ in error.notes)
            odd = tuple(cap(entry, MAX_NAME) for entry in error.odd)
            yield AnswerFact(error.name, cap(error.value, MAX_NAME), known, odd).fact()


def _known_answers(results: Sequence[TestResult]) -> list[KnownMistake]:
    """Return the known wrong values among the answers of a failed check."""
    failed = [r.error for r in results if r.outcome is TestOutcome.FAILED]
    notes = dict(note for error in failed if isinstance(error, WrongAnswer) for note in error.notes)
    once = {words: name for name, words in reversed(notes.items())}  # two values may have the same words
    return [KnownMistake(once[words], words) for words in dict.fromkeys(notes.values())]


# --- Charts


def _chosen_chart(outcome: Outcome, results: Sequence[TestResult]) -> Chart | None:
    """Return the chart for the student: the reported test's for a failed check, the largest for a passed one.

    For a passed check, charts with inputs are preferred. The numbers of hidden tests stay hidden.
    """
    first = next((result for result in results if result.outcome is TestOutcome.FAILED), None)
    if outcome is Outcome.FAILED and first is not None:
        return first.chart if first.test.visibility == "visible" else None
    if outcome is not Outcome.PASSED:
        return None
    charts = [result.chart for result in results if result.chart and result.test.visibility == "visible"]
    return max(charts, key=lambda chart: (bool(chart.given), len(chart.bars)), default=None)


# --- One explanation for each cause


def explain_causes_once(
    checks: Sequence[CheckResult], results: Sequence[TestResult]
) -> tuple[list[CheckResult], list[BaseException]]:
    """Explain each cause at the first check that has it.

    A cause is a fact about the same operation, walk, mistake, missing name or limit, or an error at the same line.
    Returns the checks, and the errors that are reported in full.
    """
    first: dict[object, str] = {}  # cause -> the check that explains it
    kept: list[CheckResult] = []
    reported: list[BaseException] = []
    for check in checks:
        test = first_open(check, _of(check, results))
        error = test.error if test and check.outcome in (Outcome.FAILED, Outcome.TODO) else None
        stops = [fact for fact in check.facts if fact.kind in _STOPPING]
        names_first = sorted(stops, key=lambda fact: fact.kind != MissingFact.kind)
        if again := next((fact for fact in names_first if _cause(fact) in first), None):
            known = first[_cause(again)]
            kept.append(_with_new_causes(check, known, _same_cause_words(again, known), first))
            continue
        names = {fact.about for fact in check.facts if fact.kind == "name"}
        unnamed = [fact for fact in stops if _lacking(fact) not in names]
        kept.append(_without_known(check, first, is_stopped=bool(unnamed)))
        if error and stops and not kept[-1].see:
            reported += [error, *([error.cause] if isinstance(error, Undefined) and error.cause else [])]
    return kept, reported


_STOPPING = frozenset(
    {ErrorFact.kind, LimitFact.kind, MissingFact.kind, BlankFact.kind}
)  # kinds of facts that end a test


def _cause(fact: Fact) -> tuple[object, ...]:
    """Return the cause of a fact: two facts with one cause have equal values."""
    if fact.kind in {LimitFact.kind, MissingFact.kind, MistakeFact.kind}:
        return fact.kind, fact.key, fact.get("call")
    if fact.kind in _STOPPING:
        # Two types of plain numbers are one error.
        return fact.kind, fact.key, fact.where, str(fact.get("text") or "").replace("'int'", "'float'")
    return "answer" if fact.kind == AnswerFact.kind else "topic", fact.about


def _has_place(fact: Fact) -> bool:
    """Return False for an error or a limit outside the student's known functions: two of these may have two causes.

    An attribute that a class of the student lacks is one cause, wherever the error is raised.
    """
    if fact.kind == LimitFact.kind:
        return bool(fact.get("call"))
    return fact.kind != ErrorFact.kind or fact.where is not None or bool(_lacking(fact))


_NO_ATTRIBUTE = re.compile(r"'(?P<owner>\w+)' object has no attribute '(?P<name>\w+)'")  # Python's text


def _lacking(fact: Fact) -> str:
    """Return the attribute that an error says a class of the student lacks; "" for other facts."""
    found = _NO_ATTRIBUTE.fullmatch(str(fact.get("text") or "")) if fact.kind == ErrorFact.kind else None
    return found["name"] if found and found["owner"] not in {*dir(builtins), "NoneType"} else ""


def _referring_to(see: str, check: CheckResult, words: str) -> CheckResult:
    """Return a check that only refers to the check that explains its cause."""
    return replace(
        check,
        see=see,
        message=words,
        asked="",
        where=None,
        frames=[],
        readings=[],
        chart=None,
        rules=[],
        walk=None,
        mistakes=[],
        facts=[],
    )


def _with_new_causes(check: CheckResult, earlier: str, words: str, first: dict[object, str]) -> CheckResult:
    """Return a check that an error of an `earlier` check also stops, with the wrong operations and walks found only in it."""
    new = [fact for fact in check.facts if fact.kind in READ_BACK and _cause(fact) not in first]
    if not new:
        return _referring_to(earlier, check, words)
    reference = _referring_to("", check, words)
    return _without_known(
        replace(reference, facts=new, rules=check.rules, walk=check.walk), first, is_stopped=True
    )


def _same_cause_words(fact: Fact, check: str) -> str:
    """Return a short message about a cause that an earlier check explains."""
    if fact.kind == MissingFact.kind:
        return f"`{cap(fact.about, 60)}` is missing, as in the check `{check}`: look there first."
    if fact.kind == LimitFact.kind:
        return f"The call that took too long in the check `{check}` stops this check, too: look there first."
    if fact.kind == BlankFact.kind and fact.get("twice"):
        return f"The stub defines `{cap(fact.about, 60)}` again, as in the check `{check}`: look there first."
    return f"The {'blank' if fact.kind == BlankFact.kind else 'error'} that stops the check `{check}` stops this check, too: look there first."


def _without_known(check: CheckResult, first: dict[object, str], *, is_stopped: bool) -> CheckResult:
    """Return a check without the causes that an earlier check explains; if none is left, only refer to that check."""
    named = any(
        fact.kind == MistakeFact.kind for fact in check.facts
    )  # a mistake says more than its symptoms
    causes = {
        _cause(fact): fact
        for fact in check.facts
        if fact.kind not in _STOPPING and not (named and fact.get("symptom"))
    }
    known = {cause: first[cause] for cause in causes if cause in first}
    words = _elsewhere([(causes[cause], there) for cause, there in known.items()])
    is_stopped &= not named  # a mistake has that error, too
    if words and not is_stopped and known.keys() == causes.keys():
        return _referring_to(next(iter(known.values())), check, words)
    first |= {
        _cause(fact): check.id for fact in check.facts if _cause(fact) not in first and _has_place(fact)
    }
    told = [fact for fact in check.facts if _cause(fact) not in known]
    read_back = {fact.about for fact in told if fact.kind in READ_BACK}
    names = {fact.about for fact in told if fact.kind == MistakeFact.kind}
    gone = {fact.about for fact in check.facts if fact.kind == MistakeFact.kind} - names
    return replace(
        check,
        message=" ".join(filter(None, [check.message, words])),
        facts=told,
        rules=[rule for rule in check.rules if rule.operation in read_back],
        walk=check.walk if any(fact.kind == "walk" for fact in told) else None,
        mistakes=[mistake for mistake in check.mistakes if mistake.id not in gone],
    )


def _elsewhere(known: Sequence[tuple[Fact, str]]) -> str:
    """Return a sentence that refers to the checks that explain known causes: the topic's causes, or else a mistake."""
    of_topic = [(fact.about, there) for fact, there in known if fact.kind in READ_BACK]
    checks = list_names([*dict.fromkeys(f"the check `{there}`" for _, there in of_topic or known)], MANY)
    if of_topic:
        names = [*dict.fromkeys(f"`{cap(name, 60)}`" for name, _ in of_topic)]
        are = "is" if len(names) == 1 else "are"
        what = "missing" if all(fact.kind == "name" for fact, _ in known) else "wrong"
        return f"{list_names(names, MANY)} {are} {what}, as in {checks}: look there first."
    return f"This is the same mistake as in {checks}: look there first." if known else ""

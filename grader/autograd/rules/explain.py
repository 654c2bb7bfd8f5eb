"""Notes about wrong operations for the report: at which check, in which names, with which line of code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.autograd.rules.edits import UPSTREAM
from grader.autograd.rules.expressions import negated, parse, replaced, text, tidy
from grader.autograd.rules.search import Rule
from grader.autograd.rules.words import cause, sentences
from grader.autograd.rules.wrong import NUMBER, UNSET, Cause, read_wrong
from grader.report import WrongRule
from grader.sandbox import StudentError, SubmissionStopped
from grader.topic import Explanation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.wrong import Wrong
    from grader.report import Location
    from grader.sandbox import Frame, Sandbox
    from grader.topic import Failing, TestResult


def explain_rules(
    failing: Sequence[Failing],
    waiting: AbstractSet[str],
    sandbox: Sandbox,
    operations: Sequence[Operation],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, Explanation]:
    """Return the notes for each failed check: one for every wrong operation that it used, in the names of the first check.

    `waiting` are operations that only blocked checks use: they are left out until those checks run. If no failing test
    used the engine, the jail is not asked. Raises OutOfTime.
    """
    concerned = [each for each in failing if any(result.used for result in each.results)]
    try:
        wrong = read_wrong(sandbox, operations) if concerned else []
        wrong = [each for each in wrong if not _is_known(each, concerned) and not _follows(each, wrong)]
        placed = list(zip(wrong, _places(wrong, sandbox, locate), strict=True))
    except (StudentError, SubmissionStopped):  # the engine behaves differently in the tests
        return {}
    explained = {each.check: Explanation() for each in concerned}
    for each, where in sorted(placed, key=lambda pair: not _is_used(pair[0], concerned)):
        if each.operation.name in waiting and not _is_used(each, concerned, or_spoilt=True):
            continue
        home = _home(each, concerned)
        said = [*notes(each, _names_in(home.results, each.operation.name), where)]
        for other in concerned:
            if other is home or _uses(other, each) or _uses(other, each, spoilt=True):
                explained[other.check].rules += said
    return {check: found for check, found in explained.items() if found.rules}


def _uses(failing: Failing, wrong: Wrong, *, spoilt: bool = False) -> bool:
    names = wrong.spoils if spoilt else {wrong.operation.name}
    return any(names & result.used.keys() for result in failing.results)


def _is_used(wrong: Wrong, failing: Sequence[Failing], *, or_spoilt: bool = False) -> bool:
    return any(_uses(each, wrong) or (or_spoilt and _uses(each, wrong, spoilt=True)) for each in failing)


def _is_known(wrong: Wrong, failing: Sequence[Failing]) -> bool:
    """Return True for an error that a failing test already shows, or that no failing test met."""
    errors = wrong.errors
    if wrong.beside_number:  # the message shows the error, but not that the plain number causes it
        met = {_of_any_number(str(result.error)) for each in failing for result in each.results}
        return bool(errors) and not any(_of_any_number(error) in met for error in errors)
    used = _is_used(wrong, failing)
    met = {str(result.error) for each in failing for result in each.results}
    return bool(errors) and (not used or bool(errors & met))


def _of_any_number(error: str) -> str:
    """Return the text of an error with one name for both types of plain numbers."""
    return error.replace("'int'", "'float'")


def _follows(wrong: Wrong, others: Sequence[Wrong]) -> bool:
    """Return True for an error or a cause with a number on the left that also comes with a number on the right."""
    if wrong.variant != "number_left" or not all(isinstance(found, Cause) for found in wrong.found):
        return False
    same = [each for each in others if each.operation == wrong.operation and each.variant == "number_right"]
    return any(each.found == wrong.found or (each.errors and wrong.errors) for each in same)


def _home(wrong: Wrong, failing: Sequence[Failing]) -> Failing:
    """Return the first failed check that used the operation, or an operation made of it; else the first failed check."""
    by_name = (each for each in failing if _uses(each, wrong))
    return next(by_name, next((each for each in failing if _uses(each, wrong, spoilt=True)), failing[0]))


def _names_in(results: Sequence[TestResult], operation: str) -> tuple[str, ...]:
    """Return the operands of an operation in the first visible failing test that applied it."""
    shown = (result.used for result in results if result.test.visibility == "visible")
    return next((used[operation] for used in shown if operation in used), ())


def _places(
    wrong: Sequence[Wrong], sandbox: Sandbox, locate: Callable[[Frame | None], Location | None]
) -> list[tuple[Location | None, Location | None]]:
    """Return the locations of the rule and of the method of each wrong operation; None if unknown."""
    proxies = [proxy for each in wrong for proxy in (each.rule, each.method) if proxy is not None]
    frames = dict(zip(proxies, sandbox.defined(proxies), strict=True)) if proxies else {}
    lines = {proxy: locate(frame) for proxy, frame in frames.items()}
    return [
        (lines.get(each.rule) if each.rule else None, lines.get(each.method) if each.method else None)
        for each in wrong
    ]


def notes(
    wrong: Wrong, names: tuple[str, ...] = (), where: tuple[Location | None, Location | None] = (None, None)
) -> Iterator[WrongRule]:
    """Yield the notes of an operation for the report."""
    rule_at, method_at = where
    backward_at = None if wrong.shape == "backward" else rule_at or method_at
    operation = wrong.operation.name
    rules = [found for found in wrong.found if isinstance(found, Rule)]
    if wrong.shape == "local":
        rules = [_as_kept(rule) for rule in rules]
    if wrong.beside_number:
        for rule in rules:
            place = method_at if rule.input == "out" else backward_at
            yield WrongRule(operation, *_beside_number(rule, wrong, names), place)
    else:
        texts = sentences(rules, wrong.operation, names, local=wrong.shape == "local")
        for rule, words in zip(rules, texts, strict=True):
            place = method_at if rule.input == "out" else backward_at
            yield WrongRule(operation, rule.input, rule.wrote, words, place)
    for found in wrong.found:
        if isinstance(found, Cause):
            place = method_at if found.id in _OF_METHODS else backward_at or method_at
            about = {"error": found.error, "kind": found.kind} | wrong.call(names)
            own = "self" if wrong.beside_number and found.input != "out" else found.input
            for name in wrong.inputs if found.id in _NOTHING_WRITTEN else (own,):
                words = cause(found.id, wrong.operation, names, name, **about)
                yield WrongRule(operation, name, found.wrote, words, place)


def _as_kept(rule: Rule) -> Rule:
    """Return a rule of an engine that keeps local gradients with the statement `self.grad += LOCAL * out.grad`."""
    target, operator, right = rule.wrote.split(" ", 2) if rule.wrote else ("", "", "")
    if operator not in {"+=", "-="}:
        return rule
    local = tidy(replaced(parse(right), UPSTREAM, 1))
    local = local if operator == "+=" else negated(local)
    return replace(rule, wrote=f"{target} += {text(('*', local, UPSTREAM))}")


# Causes that leave the gradient of each input as it was, and causes that lie in the operation's method.
_NOTHING_WRITTEN = frozenset(
    {*UNSET.values(), "backward_default", "backward_unset", "backward_on_input", "backward_ran_early"}
)
_OF_METHODS = frozenset(
    {*_NOTHING_WRITTEN, "raises", "number_left_fails", "number_right_fails", "returns_no_value"}
    | {"data_is_object", "forward_changes_data", "forward_changes_grad", "number_cut"}
    | {"input_cut", "input_not_kept", "keeps_no_inputs"}
)


def _beside_number(rule: Rule, wrong: Wrong, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Return input, statement and words of a rule with a plain number on one side: `self` is the Value, `n` the number."""
    number, value = ("self", "other") if wrong.variant == "number_left" else ("other", "self")
    wrote = re.sub(rf"\b{number}\.data\b", "n", rule.wrote)
    wrote = re.sub(rf"\b{value}\.", "self.", wrote)
    name, call = wrong.value_in(names), wrong.call(names)["call"]
    shown = re.sub(r"\bn\b", NUMBER, wrote.replace("self.", f"{name}."))
    which = "out" if rule.input == "out" else "self"
    if which == "out":
        return which, wrote, f"In {call} your engine computes {shown.partition(' = ')[2]}."
    return (
        which,
        wrote,
        f"In {call} your engine {f'does {shown}' if shown else f'leaves {name}.grad as it was'}.",
    )

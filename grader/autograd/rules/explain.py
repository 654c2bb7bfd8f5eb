"""Facts about wrong operations, each with its check, the names of a test, and its lines of code."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.autograd.facts import FORWARD, CauseFact, RuleFact
from grader.autograd.lines import (
    NOT_SEEN,
    OperationLines,
    Rerun,
    is_used,
    names_in,
    place_facts,
    read_lines,
    usable,
    with_lines,
    written_by,
)
from grader.autograd.rules.edits import UPSTREAM
from grader.autograd.rules.expressions import UPDATED, atoms, substitute_part, text, tidy
from grader.autograd.rules.probe import asks_of
from grader.autograd.rules.search import Rule
from grader.autograd.rules.wrong import UNSET, Cause, WrongOperation, read_wrong
from grader.sandbox import Frame, Sandbox, StudentError, SubmissionStopped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from grader.autograd.rules.operations import Operation
    from grader.report import Fact, Location
    from grader.topic import Failing

NUMBER = "2"  # represents any plain number in a sentence
FRACTION = "2.5"  # the same where it raises an error, which an int may not
POINTS = 12  # at which the jail looks for lines: both signs, and close to 0, 0.5 and 1


def explain_rules(
    failing: Sequence[Failing],
    waiting: Collection[str] | None,
    sandbox: Sandbox,
    operations: Sequence[Operation],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check, about every wrong operation that it used, in the names of the first check.

    Facts about an operation of the first failing test come first, because the message is about that test.
    `waiting` are operations that blocked checks use; None if only one check was graded. With None, an operation that no
    failed check is seen to use is left out, as if all other checks waited. If no failing test used the engine, the jail
    gets no request. Raises OutOfTime.
    """
    concerned = [each for each in failing if any(result.used for result in each.results)]
    try:
        wrong = read_wrong(sandbox, operations) if concerned else []
        # Explain an error or a cause once if it comes with a number on the left and on the right.
        follow = {
            (each.operation.name, "number_left")
            for each in wrong
            for other in wrong
            if (each.variant, other.variant) == ("number_left", "number_right")
            and each.operation == other.operation
            and all(isinstance(found, Cause) for found in each.found)
            and (each.found == other.found or (each.errors and other.errors))
        }
        wrong = [
            each
            for each in wrong
            if (each.operation.name, each.variant) not in follow and not _is_known(each, concerned)
        ]
        written = _placed_lines(wrong, sandbox)
    except (StudentError, SubmissionStopped):  # the engine behaves differently in the tests
        return {}

    def told_at(home: Failing, each: WrongOperation, where: OperationLines) -> Iterator[Fact]:
        return facts_of(each, names_in(home.results, each.operation.name), where, locate)

    return place_facts(
        concerned,
        [
            (each.operation.name, each.spoils, partial(told_at, each=each, where=where))
            for each, where in zip(wrong, written, strict=True)
        ],
        waiting,
    )


def _is_known(wrong: WrongOperation, failing: Sequence[Failing]) -> bool:
    """Return True for an error that a failing test already shows, or that no failing test met."""
    met = {str(result.error) for each in failing for result in each.results}
    if not wrong.beside_number:
        is_met = not is_used(failing, wrong.operation.name) or not met.isdisjoint(wrong.errors)
    else:  # the message shows the error, but not that the plain number causes it, an int or a float
        is_met = {each.replace("'int'", "'float'") for each in met}.isdisjoint(
            each.replace("'int'", "'float'") for each in wrong.errors
        )
    return bool(wrong.errors) and is_met


def _placed_lines(wrong: Sequence[WrongOperation], sandbox: Sandbox) -> list[OperationLines]:
    """Return, for each wrong operation, the frames of its rule and its method, and the lines that wrote its numbers."""
    asked = []
    for each in wrong:
        has_lines = not each.beside_number and each.variant != "twice"
        plan = asks_of(each.operation)[0].plan
        ask = {**plan, "trials": plan["trials"][:POINTS] if has_lines else []}
        asked.append(Rerun(ask, each.shape, each.rule, each.method))
    return read_lines(sandbox, asked)


def facts_of(
    wrong: WrongOperation,
    names: Sequence[str] = (),
    written: OperationLines = NOT_SEEN,
    locate: Callable[[Frame | None], Location | None] = lambda _: None,
) -> Iterator[Fact]:
    """Yield the facts about an operation for the report, with the lines that wrote the wrong numbers.

    `names` are the labels of the operands in a test; labels that are not names become `a` and `b`.
    """
    rule_at, method_at = locate(written.rule), locate(written.method)
    backward_at = None if wrong.shape == "backward" else rule_at or method_at
    applied = _application_text(wrong, names)
    operation = wrong.operation.name
    for found in wrong.found:
        if isinstance(found, Rule):
            fact = _rule_fact(found, wrong, applied)
            what = "pairs" if wrong.shape == "local" and fact.input != FORWARD else written_by(fact)
            one = fact.fact(method_at if fact.input == FORWARD else backward_at)
            shared = [written.method] if wrong.shares and written.method else []
            yield with_lines(one, [*shared, *written.frames(what)], locate)
        else:
            place = method_at if found.id in _OF_METHODS else backward_at or method_at
            own = "self" if wrong.beside_number and found.input != FORWARD else found.input
            for name in wrong.inputs if found.id in _NOTHING_WRITTEN else (own,):
                cause = CauseFact(
                    operation,
                    name,
                    "",
                    *applied,
                    cause=found.id,
                    error=found.error,
                    object=found.kind,
                    explains=_EXPLAINS.get((found.id, found.kind), ()),
                    symptom=found.id in _SYMPTOMS,
                )
                yield with_lines(cause.fact(place), written.frames(written_by(cause)), locate)


_SYMPTOMS = frozenset({"raises", "backward_raises", "data_is_object", "grad_is_object", "local_is_object"})
# Parts of the errors that a cause leads to, by cause and kind of object.
_EXPLAINS = {
    ("returns_no_value", "None"): ("'NoneType'",),
    ("returns_no_value", "a plain number"): ("'float' object", "'int' object"),
    ("no_backward", ""): ("has no attribute '_backward'",),
    ("backward_none", ""): ("'NoneType' object is not callable",),
    ("backward_ran_early", ""): ("'NoneType' object is not callable",),
    ("backward_not_callable", ""): ("object is not callable",),
}


def _rule_fact(rule: Rule, wrong: WrongOperation, applied: tuple[str, str, str]) -> RuleFact:
    operation = wrong.operation
    if wrong.beside_number:
        rule = _beside_number(rule, wrong)
        return RuleFact(
            operation.name, rule.input, rule.wrote, *applied, number=NUMBER, symptom=not rule.wrote
        )
    read = not {*UPDATED.values()}.isdisjoint(atoms(rule.expression))  # after a line that wrote it
    renamed = {"gradient_for_value": "updated_for_value"} if read else {}
    wrote, kept = _as_kept(rule) if wrong.shape == "local" else (rule.wrote, "")
    return RuleFact(
        operation.name,
        rule.input,
        wrote,
        *applied,
        relations=tuple(renamed.get(each, each) for each in rule.relations),
        like="the negation" if rule.like == "neg" else rule.like,
        kept=kept,
        first=rule.right,
        symptom=not rule.wrote,
    )


def _as_kept(rule: Rule) -> tuple[str, str]:
    """Return the rule of an engine with kept local gradients: `self.grad += LOCAL * out.grad`, and LOCAL.

    Without a contribution they are "" and "0".
    """
    if not rule.wrote:
        return "", "0"
    if rule.operator != "+=":
        return rule.wrote, ""
    local = tidy(substitute_part(rule.expression, UPSTREAM, 1))
    return f"{rule.input}.grad += {text(('*', local, UPSTREAM))}", text(local)


# Causes that leave every input's gradient unchanged, and causes in the method of the operation.
_NOTHING_WRITTEN = frozenset(
    {
        *UNSET.values(),
        "backward_unset",
        "backward_on_input",
        "backward_ran_early",
    }
)
_OF_METHODS = frozenset(
    {
        *(_NOTHING_WRITTEN - {"backward_returns", "backward_returns_function"}),
        "raises",
        "number_left_fails",
        "number_right_fails",
        "returns_no_value",
    }
    | {"data_is_object", "local_is_object", "on_input", "forward_changes_data", "forward_changes_grad"}
    | {"input_cut", "input_not_kept", "keeps_no_inputs"}
)


def _beside_number(rule: Rule, wrong: WrongOperation) -> Rule:
    """Return a rule with a plain number on one side: `self` is the Value, `n` the number."""
    number, value = ("self", "other") if wrong.variant == "number_left" else ("other", "self")
    names = {
        f"{number}.data": "n",
        f"{value}.data": "self.data",
        f"{value}.grad": "self.grad",
        UPDATED[f"{value}.grad"]: UPDATED["self.grad"],
    }
    expression = rule.expression
    for old, new in names.items():
        expression = substitute_part(expression, old, new)
    return replace(rule, input=FORWARD if rule.input == FORWARD else "self", expression=expression)


# --- Names


def _application_text(wrong: WrongOperation, names: Sequence[str]) -> tuple[str, str, str]:
    """Return the application in the names of a test, such as `a * b`, and the names of its Values."""
    operation = wrong.operation
    value = next((name for name in names if name.isidentifier() and name not in {"n", "math"}), "a")
    if wrong.variant == "twice":
        return operation.call_text(value, value), value, value
    if wrong.beside_number:
        number = FRACTION if wrong.errors else NUMBER
        sides = (value, number) if wrong.variant == "number_right" else (number, value)
        return operation.call_text(*sides), value, ""
    left, right = [*usable(names, two=operation.binary), ""][:2]
    if operation.takes_n:
        left, right = "a" if left == "n" else left, ""
    return operation.call_text(left, "n" if operation.takes_n else right), left, right

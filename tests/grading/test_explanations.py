"""One cause, reported once: the first check that it stops tells it, and later ones lead there."""

import msgspec
import pytest
from explained import ASSIGNED, MUL, OTHER, READINGS, SWAPPED, TOPO, WALK, check, facts_behind

from grader import topic
from grader.autograd.facts import CauseFact, NameFact
from grader.grading.explanations import explain_causes_once
from grader.grading.facts import AnswerFact, ErrorFact, MissingFact, MistakeFact
from grader.report import KnownMistake, Outcome
from grader.sandbox import Undefined

MISTAKE = KnownMistake("grad_starts_at_one", "Every gradient starts at 1.")
ONE_LEFT = KnownMistake("zero_grad_skips_last", "The last parameter is left out.")


def failing(name, **fields):
    """A check that failed on a number."""
    fields = {"message": f"{name} is wrong.", "readings": list(READINGS), "where": MUL} | fields
    return check(name, f"The check {name}.", **fields)


def told(*checks):
    return explain_causes_once(checks, [])[0]


def test_an_operation(snapshot):
    """The first check reports it in full; later ones have one line and nothing else."""
    first, second = told(
        failing("swap_rule", rules=[SWAPPED, OTHER]), failing("parity", rules=[SWAPPED, OTHER], mistakes=[])
    )
    assert (first.message, first.see, first.rules) == ("swap_rule is wrong.", "", [SWAPPED, OTHER])
    assert second.message == snapshot
    assert second.see == "swap_rule"
    assert (second.rules, second.readings, second.where, second.frames) == ([], [], None, [])


def test_two_operations(snapshot):
    """Of each it is said where, in one sentence."""
    *_, third = told(
        failing("swap_rule", rules=[SWAPPED]),
        failing("accumulate", rules=[ASSIGNED]),
        failing("parity", rules=[SWAPPED, ASSIGNED]),
    )
    assert third.message == snapshot
    assert third.see == "swap_rule"


def test_a_second_operation_is_told_beside_the_first(snapshot):
    """A check explains the causes that are new in it, and only these."""
    _, second = told(failing("swap_rule", rules=[SWAPPED]), failing("accumulate", rules=[SWAPPED, ASSIGNED]))
    assert second.see == ""
    assert second.rules == [ASSIGNED]
    assert second.readings == READINGS
    assert second.message == snapshot


def test_a_walk(snapshot):
    """The same function, on another graph."""
    _, second = told(failing("backward", walk=WALK), failing("parity", walk=WALK))
    assert second.message == snapshot
    assert second.walk is None


def test_a_mistake(snapshot):
    """A known mistake is explained once, too."""
    _, second, third = told(
        failing("quiz", mistakes=[MISTAKE]),
        failing("train", mistakes=[MISTAKE]),
        failing("zero_grad", mistakes=[MISTAKE, ONE_LEFT]),
    )
    assert second.message == snapshot
    assert second.see == "quiz"
    assert (third.see, third.mistakes) == ("", [ONE_LEFT])


def test_an_operation_says_more_than_a_mistake(snapshot):
    """There is one line, and it is about the operation."""
    _, second = told(
        failing("swap_rule", rules=[SWAPPED], mistakes=[MISTAKE]),
        failing("parity", rules=[SWAPPED], mistakes=[MISTAKE]),
    )
    assert second.message == snapshot


def test_a_mistake_says_more_than_its_symptoms(snapshot):
    """Both checks have it, each beside another operation that raises: the second leads to the first."""
    starts = MistakeFact(MISTAKE.id).fact()
    plus, times = (CauseFact(name, "out", cause="backward_raises", symptom=True).fact() for name in "+*")
    _, second = told(
        failing("add_rule", mistakes=[MISTAKE], facts=[plus, starts]),
        failing("swap_rule", mistakes=[MISTAKE], facts=[times, starts]),
    )
    assert second.message == snapshot
    assert second.see == "add_rule"


def test_an_error_that_nothing_explains_keeps_a_check(snapshot):
    """A pointer would hide it."""
    error = ErrorFact("Value.relu", "AttributeError", "no attribute 'relu'").fact(MUL)
    _, second = told(
        failing("swap_rule", rules=[SWAPPED]),
        failing("relu", rules=[SWAPPED], facts=[error, *facts_behind([SWAPPED])]),
    )
    assert second.see == ""
    assert second.message == snapshot


LACKS = "'Value' object has no attribute 'grad'"


@pytest.mark.parametrize(
    ("text", "sees"), [(LACKS, "add_rule"), ("'float' object has no attribute 'grad'", "")]
)
def test_an_attribute_that_no_value_has(text, sees):
    """That is one cause, wherever a check meets it. What lacks an attribute of a number's may be another number."""
    error = ErrorFact("", "AttributeError", text).fact()
    _, second = told(failing("add_rule", facts=[error]), failing("swap_rule", facts=[error]))
    assert second.see == sees


def test_a_name_that_errors_at_two_lines_ask_for(snapshot):
    """It is told once, with the first of the lines."""
    name = NameFact("grad", "Value", symptom=True).fact()
    at_plus, at_times = (ErrorFact(f, "AttributeError", LACKS).fact(MUL) for f in ("__add__", "__mul__"))
    first, second = told(
        failing("add_rule", facts=[name, at_plus]), failing("swap_rule", facts=[name, at_times])
    )
    assert first.facts == [name, at_plus]
    assert second.message == snapshot
    assert second.see == "add_rule"


def test_an_error_about_any_plain_number():
    """An int and a float at one line: one cause."""
    errors = [
        ErrorFact("Value.__mul__", "AttributeError", f"'{kind}' object has no attribute 'data'").fact(MUL)
        for kind in ("int", "float")
    ]
    _, second = told(*(failing(name, facts=[e]) for name, e in zip(("multiply", "divide"), errors)))
    assert second.see == "multiply"


def test_an_error_that_is_known_hides_no_operation(snapshot):
    """The check leads to the error, and tells the operation that is wrong in it alone."""
    error = ErrorFact("Value.__radd__", "RecursionError", "too deep").fact(MUL)
    _, second = told(
        failing("sums", facts=[error]),
        failing("swap_rule", rules=[SWAPPED], facts=[error, *facts_behind([SWAPPED])]),
    )
    assert (second.see, second.rules) == ("", [SWAPPED])
    assert second.message == snapshot
    assert second.facts == facts_behind([SWAPPED])


def test_a_wrong_answer_keeps_a_check():
    """Another check's operation does not explain it."""
    answer = AnswerFact("quiz", "12").fact()
    _, second = told(
        failing("swap_rule", rules=[SWAPPED]),
        failing("quiz", rules=[SWAPPED], facts=[answer, *facts_behind([SWAPPED])]),
    )
    assert second.see == ""


@pytest.mark.parametrize("outcome", [Outcome.TODO, Outcome.FAILED])
def test_a_missing_name(outcome, snapshot):
    """As before: the first check says it in full, and the report knows which one that is."""
    missing = [MissingFact("Value").fact()]
    checks = [failing(name, message="`Value` is not defined yet.", facts=missing) for name in ("a", "b")]
    errors = [Undefined("Value", None) for _ in checks]
    results = [
        topic.TestResult(
            topic.Test(each.id, "visible", "test_x", "", ""), topic.TestOutcome(outcome), error=error
        )
        for each, error in zip(checks, errors)
    ]
    for each in checks:
        each.outcome = outcome

    checks, in_full = explain_causes_once(checks, results)

    assert in_full == errors[:1]
    assert checks[1].message == snapshot
    assert checks[1].see == "a"


def test_unlike_walks_are_both_told():
    """Two functions walk; each has its place."""
    words = "your `backward` calls a node too early."
    other = msgspec.structs.replace(WALK, words=words, where=msgspec.structs.replace(TOPO, line=9))
    _, second = told(failing("topo", walk=WALK), failing("backward", walk=other))
    assert second.walk == other
    assert second.see == ""

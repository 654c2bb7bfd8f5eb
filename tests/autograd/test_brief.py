"""Facts about an engine in a few words, for the list of what a class gets wrong."""

import pytest

from grader.autograd.facts import CauseFact, RuleFact, WalkFact
from grader.autograd.told import brief
from grader.report import Fact
from grader.topic import Topic


def rule(operation: str, wrote: str, *relations: str, name: str = "self") -> Fact:
    """The fact about a wrong rule of an operation with two inputs."""
    right = "" if operation == "tanh" else "b"
    return RuleFact(operation, name, wrote, right=right, relations=relations).fact()


def cause(name: str, which: str) -> Fact:
    """The fact about a cause in a sum."""
    return CauseFact("+", which, right="b", cause=name).fact()


BARE = rule("tanh", "self.grad += 1 - out.data**2 * out.grad", "parentheses")
ASSIGNED = [rule("+", f"{name}.grad = out.grad", "assigned", name=name) for name in ("self", "other")]
NOTHING = [cause("backward_default", name) for name in ("self", "other")]
COMPUTED = rule("*", "out.data = self.data + other.data", "other_operation", name="out")
TWO = rule("*", "other.grad = -self.data * out.grad", "assigned", "sign", name="other")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([BARE], "wrong parentheses in tanh"),
        (ASSIGNED, "`=` for `+=` in +"),
        (ASSIGNED[:1], "`=` for `+=` in +, left input"),
        (NOTHING, "`_backward` does nothing in +"),
        ([COMPUTED], "wrong forward pass in *"),
        ([TWO], "`=` for `+=`, opposite sign in *, right input"),
        ([rule("+", "self.grad += math.sin(out.grad)")], "a wrong rule in +, left input"),
        ([RuleFact("+", "self", number="2").fact()], "a wrong rule in +"),
    ],
)
def test_operations_in_brief(facts: list[Fact], words: str) -> None:
    """The difference, the operation, and the side if only one of two inputs is wrong."""
    assert brief(facts) == words


def test_names_of_a_test_do_not_matter(snapshot) -> None:
    """Students of one class have the words in the names of other tests."""
    first = WalkFact("backward", "early", "b = a + 1; c = a * 3; d = b * c with a = 4", node="a")
    second = WalkFact("backward", "early", "e = c * b with b = 1, c = 2", node="b", times=2)
    assert brief([first.fact()]) == brief([second.fact()])
    assert brief([first.fact()]) == snapshot
    assert first.key == second.key


def test_without_a_subject_the_kind_is_named(snapshot) -> None:
    """The plain topic has no words for facts; the statement stands beside them."""
    assert Topic().brief(ASSIGNED) == snapshot

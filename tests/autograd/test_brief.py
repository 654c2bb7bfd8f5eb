"""Wrong rules and walks in a few words, for the list of what a class gets wrong."""

import pytest
from madeclass import ASSIGNED, SWAPPED

from grader.autograd.brief import rules_in_brief, walk_in_brief
from grader.report import WrongRule, WrongWalk
from grader.topic import Topic

WORDS = "In n.tanh() your engine does n.grad += 1 - out.data**2 * out.grad. Its numbers are right, but they are grouped in another way: look at the parentheses. The whole slope is multiplied by the upstream gradient."
NOTHING = "The `_backward` of the result of {} does nothing, so nothing reaches its inputs. Is your own function stored there before the method returns?"


def rule(operation: str, words: str, wrote: str = "", name: str = "self") -> WrongRule:
    """A wrong rule with these words."""
    return WrongRule(operation, name, wrote, words)


@pytest.mark.parametrize(
    ("rules", "brief"),
    [
        ([rule("tanh", WORDS, "self.grad += 1 - out.data**2 * out.grad")], "wrong parentheses in tanh"),
        (SWAPPED, "the value of the wrong input in *"),
        (ASSIGNED, "`=` for `+=` in +"),
        (ASSIGNED[:1], "`=` for `+=` in +, left input"),
        ([rule("+", NOTHING.format("a + b")), rule("+", NOTHING.format("a + b"), name="other")], "`_backward` does nothing in +"),
        ([rule("*", "In a * b your engine computes a.data + b.data. That is the forward pass: everything else is computed from its value.", "out.data = self.data + other.data", "out")], "wrong forward pass in *"),
        ([rule("+", "In a + b your engine does a.grad += math.sin(out.grad).", "self.grad += math.sin(out.grad)")], "a wrong rule in +, left input"),
        ([rule("scale", "It is something else.", "self.grad += 3")], "a wrong rule in scale"),
        ([rule("+", "In a * 2 your engine leaves a.grad as it was.")], "a wrong rule in +, left input"),
    ],
)  # fmt: skip
def test_rules_in_brief(rules: list[WrongRule], brief: str) -> None:
    """The difference, the operation, and the side if only one of two inputs is wrong."""
    assert rules_in_brief(rules) == brief


def test_two_differences() -> None:
    """Both are named."""
    words = "In a * b your engine does b.grad = -a.data * out.grad. `=` throws away what b.grad already held: if a value is used in two places, what came first is lost. It has the opposite sign."
    assert rules_in_brief([rule("*", words, "x", "other")]) == "`=` for `+=`, opposite sign in *, right input"


def test_names_of_a_test_do_not_matter() -> None:
    """Students of one class have the words in the names of other tests."""
    first, second = (
        WrongWalk(f"On {graph}, your `backward` calls {nodes}.", graph, [], [])
        for graph, nodes in (
            ("b = a + 1; c = a * 3; d = b * c with a = 4", "a before b and c, which are made from a"),
            ("e = c * b with b = 1, c = 2", "b before e, which is made from b"),
        )
    )
    assert walk_in_brief(first) == walk_in_brief(second)
    assert walk_in_brief(first) == "`backward` calls a node too early, before nodes made from it"


def test_a_walk_of_an_unknown_kind() -> None:
    """It has no brief words; the topic shows all of them."""
    assert walk_in_brief(WrongWalk("It dances.", "", [], [])) == ""
    assert Topic().walk_in_brief(WrongWalk("It dances.", "", [], [])) == "It dances."


def test_without_a_subject_the_operation_is_named() -> None:
    """The plain topic knows no differences; the statement stands beside the words."""
    assert Topic().rules_in_brief(SWAPPED) == "a wrong rule in *"

"""What a topic gives to `grade hint`: what to try about a wrong rule or walk, and never what to write."""

import pytest

from grader.autograd.facts import ArrayFact, CauseFact, RuleFact, WalkFact
from grader.topic import make_topic


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (RuleFact("*", "other", "x", "a * b", "a", "b", relations=("swapped",)), "raise b by 0.001"),
        (RuleFact("+", "self", "x", "a + b", "a", "b", relations=("assigned",)), "Set a.grad to 5"),
        (RuleFact("*", "out", "x", "a * b", "a", "b"), "Work out a * b for small numbers"),
        (ArrayFact("+", "self", "x", "a + b", "a", "b"), "three shapes below each other"),
        (WalkFact("backward", "early", "b = a + 1"), "Draw the graph of b = a + 1"),
        (
            CauseFact("+", "self", call="a + b", cause="backward_none"),
            "compute a + b and print the `_backward`",
        ),
        (CauseFact("+", "self", call="a + b", cause="changes_data"), ""),
    ],
)
def test_a_hint_about_a_fact(fact, said):
    """Some causes are told in full by their sentences."""
    hint = make_topic("autograd", {}).hint(fact.fact())
    assert said in hint
    assert bool(hint) == bool(said)

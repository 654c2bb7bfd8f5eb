"""Exact derivatives: where PyTorch is not installed, a record has the same numbers."""

from __future__ import annotations

import json
import math

import pytest
from helpers import COURSE

from grader.autograd.parity import ParityCase, from_torch, parity_agrees, without_torch, write_records
from grader.autograd.random_graphs import random_graph
from grader.topic import Unavailable

PATHS = sorted(COURSE.glob("*/day*/checks/parity.json"))


def parsed(graph):
    """The expression of a record, which is Python over the names of its leaves."""
    return lambda **leaves: eval(graph, {}, leaves)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parts[-4]}-{path.parts[-3]}")
def test_every_record_of_the_course_is_the_same(path):
    """All numbers that PyTorch gave agree, to the precision of a record."""
    text = path.read_text(encoding="utf-8")
    cases = [
        without_torch(parsed(row["graph"]), row["graph"], row["leaves"]) for row in json.loads(text)["cases"]
    ]
    assert cases
    assert parity_agrees(text, write_records(cases))


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed):
    """Every operation that a check draws has a rule, and PyTorch agrees with it."""
    import random

    expression, leaves = random_graph(random.Random(seed), leaves=4, steps=12)
    ours, theirs = without_torch(expression, "graph", leaves), from_torch(expression, "graph", leaves)
    assert parity_agrees(write_records([ours]), write_records([theirs]))


def test_an_operation_without_a_rule():
    """The message names the expression and what is missing; nothing is guessed."""
    with pytest.raises(
        Unavailable, match=r"PyTorch is needed for a\.sin\(\): .*sin.*; run `.* -m pip install"
    ):
        without_torch(lambda a: a.sin(), "a.sin()", {"a": 1.0})


def test_by_hand():
    """The product, the quotient, the chain, and relu at its kink."""
    case = without_torch(lambda a, b: (a * b).tanh() / b + (a - 2.0).relu(), "graph", {"a": 2.0, "b": 0.5})
    slope = 1 - math.tanh(1.0) ** 2
    assert case == ParityCase(
        "graph", {"a": 2.0, "b": 0.5}, math.tanh(1.0) / 0.5, {"a": slope, "b": slope * 4 - math.tanh(1.0) * 4}
    )


@pytest.mark.parametrize(
    ("expression", "leaf"),
    [
        (lambda a: abs(a) * a, 2.0),
        (lambda a: abs(a) * a, [2.0]),
        (lambda a: a.var(), [2.0, 3.0]),
        (lambda a: a.log(), -2.0),
        (lambda a: a.log(), [-2.0]),
    ],
    ids=["size", "size of arrays", "variance", "logarithm", "logarithm of arrays"],
)
def test_nothing_is_guessed(expression, leaf):
    """Of a size, which has no complex derivative, and of a result that is no real number."""
    with pytest.raises(Unavailable, match="PyTorch is needed for graph"):
        without_torch(expression, "graph", {"a": leaf})

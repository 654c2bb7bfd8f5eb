"""Random graphs: the same for the same seed, tame, and over every operation that was asked for."""

import random
import re

import pytest

from grader.autograd import OPERATIONS, Oracle, random_graph


def written(seed, *args, **options):
    expression, leaves = random_graph(random.Random(seed), *args, **options)
    return Oracle(live=True)(expression, **leaves)


def signs(case):
    """The operations that stand in a graph as it is written."""
    found = set(re.findall(r" (\+|-|\*\*|\*|/) |\.([a-z]+)\(\)", case.graph))
    return {sign or name for sign, name in found} | ({"neg"} if "(-" in case.graph else set())


def test_the_same_seed_gives_the_same_graph():
    """A regrade asks the same question."""
    assert written(1) == written(1)
    assert written(1) != written(2)


@pytest.mark.parametrize("seed", range(20))
def test_every_operation_stands_in_a_long_graph(seed):
    """With as many steps as operations, none is missing; no number is wild."""
    case = written(seed, steps=len(OPERATIONS))

    assert signs(case) == set(OPERATIONS)
    assert all(leaf in case.graph for leaf in case.leaves)
    assert all(abs(number) < 1e5 for number in (case.data, *case.gradients.values()))


@pytest.mark.parametrize("seed", range(20))
def test_only_what_was_asked_for_stands_in_it(seed):
    """A day that knows + and × gets graphs of + and ×."""
    assert signs(written(seed, ("+", "*"), leaves=2, steps=6)) <= {"+", "*"}

"""Random graphs: the same for the same seed, tame, and with exactly the operations that were asked for."""

import random
import re
from dataclasses import dataclass

from grader.autograd import OPERATIONS, random_graph
from grader.autograd.parity import Symbol
from grader.autograd.random_graphs import UNARY

STEP = 1e-6


class Number(float):
    """A float with the operators and methods of a Value."""

    def __getattr__(self, name):
        return lambda: Number(UNARY[name](self))


for operator in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg"):
    of_float = getattr(float, f"__{operator}__")
    setattr(Number, f"__{operator}__", lambda *numbers, of_float=of_float: Number(of_float(*numbers)))


@dataclass
class Drawn:
    """One random graph: its text, its leaves, its value and its slopes."""

    text: str
    leaves: dict[str, float]
    numbers: list[float]


def drawn(seed, *args, **options):
    expression, leaves = random_graph(random.Random(seed), *args, **options)

    def value(**changed):
        return float(expression(**{name: Number(x) for name, x in (leaves | changed).items()}))

    slopes = [(value(**{n: x + STEP}) - value(**{n: x - STEP})) / (2 * STEP) for n, x in leaves.items()]
    return Drawn(str(expression(**{name: Symbol(name) for name in leaves})), leaves, [value(), *slopes])


def signs(graph):
    """The operations in a graph as it is written."""
    found = set(re.findall(r" (\+|-|\*\*|\*|/) |\.([a-z]+)\(\)", graph.text))
    return {sign or name for sign, name in found} | ({"neg"} if "(-" in graph.text else set())


def test_the_same_seed_gives_the_same_graph():
    """A regrade asks the same question."""
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_every_operation_is_in_a_long_graph():
    """With as many steps as operations, none is missing; every leaf is used, and no number is wild."""
    for seed in range(20):
        graph = drawn(seed, steps=len(OPERATIONS))
        assert signs(graph) == set(OPERATIONS)
        assert all(leaf in graph.text for leaf in graph.leaves)
        assert all(abs(number) < 1e5 for number in graph.numbers)


def test_no_other_operation_is_in_a_graph():
    """A day that knows + and × gets graphs of + and ×."""
    assert all(signs(drawn(seed, ("+", "*"), leaves=2, steps=6)) <= {"+", "*"} for seed in range(20))

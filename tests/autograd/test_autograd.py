"""The small modules of the package: words for a class, names, memory, shapes of gradients, random graphs."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from reading import edited, graded

from grader.autograd import inside, random_graph
from grader.autograd.exact import derivatives
from grader.autograd.facts import CauseFact, RuleFact, WalkFact
from grader.autograd.factwords import brief
from grader.autograd.parity import Symbol
from grader.autograd.random_graphs import OPERATIONS
from grader.autograd.rules.operations import KNOWN
from grader.autograd.rules.search import Rule
from grader.autograd.rules.wrong import _remember, read_wrong
from grader.manifest import Limits
from grader.report import Fact
from grader.sandbox import Sandbox
from grader.topic import Topic

if TYPE_CHECKING:
    from pathlib import Path

    from grader.sandbox import Launcher


# --- Facts about an engine in a few words, for the list of what a class gets wrong


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


# --- What a check asks for is there under another name: the report says under which


RENAMED = {
    ("day1", "leaf", "self.data = data", "self.date = data"): "A Value has `date`, but no `data`.",
    ("day1", "leaf", "self._op = _op", "self.op = _op"): "A Value has `op`, but no `_op`.",
    ("day1", "leaf", "self._prev = ", "self._children = "): "A Value has `_children`, but no `_prev`.",
    ("day4", "tanh", "def tanh", "def tahn"): "A Value has `tahn`, but no `tanh`.",
    ("day1", "leaf", "self.data = data", "data = data"): "",
    ("day1", "leaf", "self.data = data", "self.number = data"): "",
    ("day4", "relu", "def relu", "def rectify"): "",
}


@pytest.mark.ci
@pytest.mark.parametrize("renamed", RENAMED, ids=lambda renamed: renamed[-1])
def test_the_name_that_is_there_is_told(
    launcher: Launcher, tmp_path: Path, renamed: tuple[str, str, str, str]
) -> None:
    """Beside the error about the name that is not there. A name that is not similar may mean anything."""
    day, name, before, after = renamed

    (report,) = graded(launcher, tmp_path, day, edited(day, (before, after)))

    told = next(check.message for check in report.checks if check.id == name)
    assert re.findall(r"A Value has .*?\.(?= |$)", told) == ([RENAMED[renamed]] if RENAMED[renamed] else [])


@pytest.mark.parametrize("name", ["data", "grad"])
def test_an_attribute_that_no_new_value_has(launcher: Launcher, tmp_path: Path, name: str, snapshot) -> None:
    """The constructor forgets it: told once, at the first check that meets it, beside the line that asked."""
    value = {"data": "data", "grad": "0.0"}[name]

    (report,) = graded(launcher, tmp_path, "day2", edited("day2", (f"self.{name} = {value}", "pass")))

    found = {check.id: check for check in report.checks}
    assert found["add_rule"].message == snapshot
    assert found["add_rule"].where is not None
    assert found["swap_rule"].see == found["tanh_neuron"].see == "add_rule"


def test_a_check_tells_of_the_operations_that_it_uses(launcher: Launcher, tmp_path: Path) -> None:
    """Two whose results keep the `_backward` of a leaf: the tests of + use no ×, and the other way round."""
    source = edited("day2", *[("out._backward = _backward", "pass")] * 2)
    (report,) = graded(launcher, tmp_path, "day2", source)
    (alone,) = graded(launcher, tmp_path, "day2", source, only="swap_rule")

    told = {check.id: {rule.operation for rule in check.rules} for check in report.checks}
    assert (told["add_rule"], told["swap_rule"]) == ({"+"}, {"*"})
    assert {rule.operation for rule in alone.checks[0].rules} == {"*"}


def test_a_name_that_only_a_later_test_asks_for(launcher: Launcher, tmp_path: Path, snapshot) -> None:
    """It does not explain the wrong numbers that the message is about, so these are told alone."""
    (report,) = graded(launcher, tmp_path, "day2", edited("day2", ("self.grad = 0.0", "self.data = 0.0")))

    reset = next(check for check in report.checks if check.id == "complex_expression")
    assert reset.message == snapshot
    assert (reset.see, [reading.actual for reading in reset.readings]) == ("", ["0", "0", "0"])


# --- Findings are kept for the next submission, by all that they follow from


ENGINE = """
class Value:
    def __init__(self, data):
        self.data, self.grad, self._backward = data, 0.0, lambda: None

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data)

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
"""


def test_the_results_that_were_used_last_are_kept():
    """A memory is bounded: the one that was not used for longest goes first."""
    memory, computed = {}, []
    for key in ("a", "b", "a", "c", "a", "b"):
        _remember(memory, key, lambda key=key: computed.append(key) or key, 2)
    assert computed == ["a", "b", "c", "b"]


def test_an_error_is_not_kept():
    """Another submission may have the time that one did not have."""
    memory = {}
    with pytest.raises(ZeroDivisionError):
        _remember(memory, "key", lambda: 1 // 0)
    assert _remember(memory, "key", lambda: 3) == 3


def test_engines_that_differ_in_one_number_are_not_taken_for_one_another(launcher):
    """In whichever order they come."""
    read = []
    for slip in ("", "2 * ", "", "3 * ", "2 * "):
        source = ENGINE.replace("other.grad += self", f"other.grad += {slip}self")
        box = Sandbox(launcher, [source], Limits())
        found = [each for wrong in read_wrong(box, [KNOWN["*"]]) for each in wrong.found]
        read.append(" ".join(rule.wrote for rule in found if isinstance(rule, Rule)))
        box.close()
    twice, thrice = (f"other.grad += {number} * self.data * out.grad" for number in (2, 3))
    assert ["", twice, "", thrice, twice] == read


def test_compiled_helpers_are_those_of_the_text(launcher):
    """The jail's Python is the grader's."""
    box = Sandbox(launcher, [ENGINE], Limits())
    box.load()
    answers = [
        box.helper(text, "_plain_float")(4)
        for text in (inside.source("recording"), inside.compile_files("recording"))
    ]
    box.close()
    assert answers == [4.0, 4.0]


# --- Random graphs: the same for the same seed, tame, and with exactly the operations that were asked for


@dataclass
class Drawn:
    """One random graph: its text, its leaves, its value and its slopes."""

    text: str
    leaves: dict[str, float]
    numbers: list[float]


def drawn(seed, *args, **options):
    expression, leaves = random_graph(random.Random(seed), *args, **options)

    value, slopes = derivatives(expression, leaves)
    return Drawn(
        str(expression(**{name: Symbol(name) for name in leaves})), leaves, [value, *slopes.values()]
    )


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

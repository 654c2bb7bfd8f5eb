"""Wrong engines of every day, and the first step of a walk that each of them does wrong, by hand."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from helpers import COURSE
from judged import submission_of
from slip_table import Slip, slips, told

from grader.assignment import Course
from grader.grading import traces as module
from grader.grading.grader import open_grader
from grader.report import CheckResult, SubmissionInfo, Trace, TraceStep
from grader.submissions.submission import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slip_table import Edit

    from grader.grading.grader import Grader
    from grader.sandbox import Launcher

MULTIPLY = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
ADD = "self.grad += out.grad\n            other.grad += out.grad"
MULTIPLY_STORED = f"{MULTIPLY}\n            ### END SOLUTION\n\n        out._backward = _backward"
TANH = "self.grad += (1 - t**2) * out.grad"
LOOP3 = "    root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node._backward()"
LOOP4 = "        self.grad = 1.0\n        for node in reversed(order):\n            node._backward()"
LOOP5 = "            child.grad += local * node.grad"
SUBTRACT = '        out = Value(self.data - other.data, (self, other), "-")\n'


@contextmanager
def tracing(launcher: Launcher) -> Iterator[Callable[..., dict[str, CheckResult]]]:
    """Yield a function: edits of a day's reference -> its checks by name, or the only one, with traces."""
    open_graders: dict[str, Grader] = {}
    with pytest.MonkeyPatch.context() as patched, ExitStack() as stack:
        patched.setattr(module, "SECONDS", 60.0)  # the machine may be busy

        def graded(
            day: str, *edits: Edit, function: str = "", only: str | None = None, traces: Any = True
        ) -> dict[str, CheckResult]:
            if day not in open_graders:
                context = open_grader(Course(COURSE).assignment(day), launcher)
                open_graders[day] = stack.enter_context(context)
            grader, source = open_graders[day], Slip(day, "", edits, function).source
            sources = Sources(submission_of(source).blocks, (), grader.given_code)
            report = grader.grade_sources(SubmissionInfo("x.py", "0", ""), sources, (), only, traces=traces)
            return {check.id: check for check in report.checks}

        yield graded


def step(trace: Trace, steps: list[TraceStep], at: int) -> tuple[str, str, dict[str, Any]]:
    """Return a step with the names of nodes: kind, node, changes."""
    found = steps[at]
    names = [node.name for node in trace.nodes]
    return found.kind, names[found.node], {names[i]: number for i, number in found.changes}


class Engine(NamedTuple):
    """A wrong engine, and the first step that is wrong: what it does there, and what a right walk does."""

    slip: Slip
    check: str
    wrong: tuple[str, str, dict[str, Any]] | None  # None: the walk ends before this step
    right: tuple[str, str, dict[str, Any]] | None
    words: str


def of_table(day: str, name: str) -> Slip:
    """Return a slip of the table by its name."""
    (found,) = (each for each in chain(slips(day), told(day)) if each.name == name)
    return found


def slip(day: str, old: str, new: str) -> Slip:
    """Return a slip that only traces know."""
    return Slip(day, new, [(old, new)])


ENGINES = {
    "= for += in ×": Engine(
        of_table("day2", "*  = for +="),
        "accumulate",
        ("call", "a * a", {"a": 3.0}),
        ("call", "a * a", {"a": 6.0}),
        "`a * a` is called with an upstream gradient of 1: `a.grad` becomes 3, but 6 in a right walk.",
    ),
    "= for += in ×, for the first operand": Engine(
        slip("day2", MULTIPLY, MULTIPLY.replace("self.grad +=", "self.grad =")),
        "accumulate",
        ("call", "a * b", {"a": -3.0, "b": 22.0}),  # the test has set 10 and 20
        ("call", "a * b", {"a": 7.0, "b": 22.0}),
        "`a.grad` becomes -3, but 7 in a right walk.",
    ),
    "own factor": Engine(
        slip("day2", MULTIPLY, MULTIPLY.replace("other.data", "self.data")),
        "swap_rule",
        ("call", "a * b", {"a": 2.0, "b": 2.0}),
        ("call", "a * b", {"a": -3.0, "b": 2.0}),
        "`a.grad` becomes 2, but -3 in a right walk.",
    ),
    "no upstream": Engine(
        of_table("day2", "+  no upstream"),
        "add_rule",
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        ("call", "a + b", {"a": 4.0, "b": 4.0}),
        "upstream gradient of 4",
    ),
    "one operand twice": Engine(
        slip("day2", ADD, ADD.replace("other.grad", "self.grad")),
        "add_rule",
        ("call", "a + b", {"a": 2.0}),
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        "`b.grad` stays 0, but becomes 1 in a right walk.",
    ),
    "+ with the rule of ×": Engine(
        slip("day2", ADD, MULTIPLY),
        "add_rule",
        ("call", "a + b", {"a": -3.0, "b": 2.0}),
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        "`a.grad` becomes -3, but 1 in a right walk",
    ),
    "tanh without parentheses": Engine(
        slip("day2", TANH, "self.grad += 1 - t**2 * out.grad"),
        "tanh_neuron",
        ("call", "x.tanh()", {"x": pytest.approx(0.5728954)}),
        ("call", "x.tanh()", {"x": pytest.approx(1.5728954)}),
        "`x.grad` becomes 0.572895, but 1.5729 in a right walk.",
    ),
    "tanh without its rule": Engine(
        of_table("day2", "tanh  nothing to self"),
        "tanh_neuron",
        ("call", "x.tanh()", {}),
        ("call", "x.tanh()", {"x": pytest.approx(0.7864477)}),
        "`x.grad` stays 0",
    ),
    "× ran at once": Engine(
        slip("day2", MULTIPLY_STORED, MULTIPLY_STORED.replace("out._backward = _backward", "_backward()")),
        "swap_rule",
        ("call", "a * b", {}),
        ("call", "a * b", {"a": -3.0, "b": 2.0}),
        "`a.grad` stays 0, but becomes -3 in a right walk",
    ),
    "gradients begin at 1": Engine(
        of_table("day2", "__init__: self.grad = 1.0"),
        "add_rule",
        ("forward", "a", {"a": 2.0}),
        ("forward", "a", {"a": 2.0}),
        "`a` starts with a gradient of 1; it must start with 0.",
    ),
    "not reversed": Engine(
        of_table("day3", "backward: `reversed` forgotten"),
        "reverse_order",
        ("call", "b", {}),
        ("call", "d", {"c": 1.0}),
        "Your `backward` calls b._backward too early: c is made from b and must come first.",
    ),
    "no seed": Engine(
        of_table("day3", "backward: the seed forgotten"),
        "seed",
        ("call", "b", {}),
        ("seed", "b", {"b": 1.0}),
        "b.grad is 0 when your `backward` calls b._backward, so b hands on 0.",
    ),
    "seed of 2": Engine(
        slip("day3", "root.grad = 1.0", "root.grad = 2.0"),
        "seed",
        ("seed", "b", {"b": 2.0}),
        ("seed", "b", {"b": 1.0}),
        "Your `backward` sets b.grad to 2 before it calls b._backward, and b hands that on.",
    ),
    "seed after the calls": Engine(
        of_table("day3", "backward: the seed at the end"),
        "seed",
        ("call", "b", {}),
        ("seed", "b", {"b": 1.0}),
        "b.grad is 0 when your `backward` calls b._backward. It is set to 1 only afterwards.",
    ),
    "last call forgotten": Engine(
        slip("day3", "reversed(build_topo(root)):", "reversed(build_topo(root)[2:]):"),
        "reverse_order",
        None,
        ("call", "b", {"a": 1.0}),
        "Your `backward` never calls b._backward.",
    ),
    "clears first": Engine(
        of_table("day3", "backward: gradients cleared first"),
        "accumulates",
        ("set", "a", {"a": 0.0}),
        ("call", "b", {"a": 14.0}),
        "a.grad is 10 before the walk, but your `backward` sets a.grad to 0 before any contribution arrives. Contributions must be added to what a.grad already holds.",
    ),
    "number - a reversed": Engine(
        slip("day4", "return Value(other) - self", "return self - Value(other)"),
        "subtract",
        ("forward", "1 - a", {"1 - a": 4.0}),
        ("forward", "1 - a", {"1 - a": -4.0}),
        "`1 - a` is 4; a right forward pass gives -4.",
    ),
    "a - b made of others, exchanged": Engine(
        slip("day4", SUBTRACT, "        return other + self * -1\n"),
        "subtract",
        ("forward", "a - b", {"a - b": -2.25}),
        ("forward", "a - b", {"a - b": 2.25}),
        "`a - b` is -2.25",
    ),
    "neg adds": Engine(
        of_table("day4", "neg  wrong sign, self"),
        "subtract",
        ("call", "-a", {"a": 8.0}),  # the test has set 10
        ("call", "-a", {"a": 12.0}),
        "`a.grad` becomes 8, but 12 in a right walk.",
    ),
    "a method's walk not reversed": Engine(
        of_table("day4", "backward: `reversed` forgotten"),
        "backward",
        ("call", "b", {}),
        ("call", "c", {"b": -2.0}),
        "At that moment b.grad is 0, so b does not hand on the -2 that c adds later.",
    ),
    "a method without a seed": Engine(
        of_table("day4", "backward: the seed forgotten"),
        "backward",
        ("call", "c", {}),
        ("seed", "c", {"c": 1.0}),
        "c.grad is 0 when your `backward` calls c._backward, so c hands on 0.",
    ),
    "= for += in a loop": Engine(
        of_table("day5", "backward: = for +="),
        "backward",
        ("call", "a + b", {"a": -6.0, "b": -6.0}),
        ("call", "a + b", {"a": 9.0, "b": -12.0}),
        "`a.grad` becomes -6, but 9 in a right walk",
    ),
    "a loop without upstream": Engine(
        of_table("day5", "backward: no upstream"),
        "backward",
        ("call", "q", {"p": 0.5, "c": -6.0}),
        ("call", "q", {"p": 2.0, "c": -24.0}),
        "`c.grad` becomes -6, but -24 in a right walk",
    ),
    "a loop that is not reversed": Engine(
        of_table("day5", "backward: `reversed` forgotten"),
        "backward",
        ("call", "p", {}),
        ("call", "L", {}),
        "Your `backward` lets p hand on too early: q is made from p and must come first.",
    ),
}

"""Traces: a failed check's walk, step by step, beside a right one; the first step at which they differ is the fault."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from helpers import COURSE
from msgspec.structs import replace

from grader.assignment import Course
from grader.grading import traces as module
from grader.grading.grader import open_grader
from grader.report import SubmissionInfo, Trace, TraceStep
from grader.submissions.submission import Sources, read_submission

MULTIPLY = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
ADD = "self.grad += out.grad\n            other.grad += out.grad"
MULTIPLY_STORED = f"{MULTIPLY}\n            ### END SOLUTION\n\n        out._backward = _backward"
TANH = "self.grad += (1 - t**2) * out.grad"
LOOP3 = "    root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node._backward()"
LOOP4 = "        self.grad = 1.0\n        for node in reversed(order):\n            node._backward()"
LOOP5 = "            child.grad += local * node.grad"
SUBTRACT = '        out = Value(self.data - other.data, (self, other), "-")\n'


@pytest.fixture(scope="module")
def graded(launcher):
    """Return a function: edits of a day's reference -> its checks by name, with traces."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "SECONDS", 60.0)  # the machine may be busy
        open_graders = {}

        def graded(day: str, old: str = "", new: str = "", *, traces: Any = True) -> dict[str, Any]:
            if day not in open_graders:
                context = open_grader(Course(COURSE).assignment(day), launcher)
                open_graders[day] = context, context.__enter__()
            grader = open_graders[day][1]
            blocks = read_submission(grader.assignment.reference).blocks
            assert not old or sum(block.source.count(old) for block in blocks) == 1
            edited = [
                replace(block, source=block.source.replace(old, new)) if old else block for block in blocks
            ]
            report = grader.grade_sources(
                SubmissionInfo("x.py", "0", ""), Sources(edited, (), grader.given), traces=traces
            )
            return {check.id: check for check in report.checks}

        yield graded
        for context, _ in open_graders.values():
            context.__exit__(None, None, None)


def step(trace: Trace, steps: list[TraceStep], at: int) -> tuple[str, str, dict[str, Any]]:
    """Return a step with the names of nodes: kind, node, changes."""
    found = steps[at]
    names = [node.name for node in trace.nodes]
    return found.kind, names[found.node], {names[i]: number for i, number in found.changes}


class Engine(NamedTuple):
    """A wrong engine, and the first step that is wrong: what it does there, and what a right walk does."""

    day: str
    old: str
    new: str
    check: str
    wrong: tuple[str, str, dict[str, Any]] | None  # None: the walk ends before this step
    right: tuple[str, str, dict[str, Any]] | None
    words: str


ENGINES = {
    "= for += in ×": Engine(
        "day2",
        MULTIPLY,
        MULTIPLY.replace("+=", "="),
        "accumulate",
        ("call", "a * a", {"a": 3.0}),
        ("call", "a * a", {"a": 6.0}),
        "`a * a` is called with an upstream gradient of 1: `a.grad` becomes 3, and 6 in a right walk.",
    ),
    "= for += in ×, for the first operand": Engine(
        "day2",
        MULTIPLY,
        MULTIPLY.replace("self.grad +=", "self.grad ="),
        "accumulate",
        ("call", "a * b", {"a": -3.0, "b": 22.0}),  # the test has set 10 and 20
        ("call", "a * b", {"a": 7.0, "b": 22.0}),
        "`a.grad` becomes -3, and 7 in a right walk.",
    ),
    "own factor": Engine(
        "day2",
        MULTIPLY,
        MULTIPLY.replace("other.data", "self.data"),
        "swap_rule",
        ("call", "a * b", {"a": 2.0, "b": 2.0}),
        ("call", "a * b", {"a": -3.0, "b": 2.0}),
        "`a.grad` becomes 2, and -3 in a right walk.",
    ),
    "no upstream": Engine(
        "day2",
        ADD,
        ADD.replace("out.grad", "1.0"),
        "add_rule",
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        ("call", "a + b", {"a": 4.0, "b": 4.0}),
        "upstream gradient of 4",
    ),
    "one operand twice": Engine(
        "day2",
        ADD,
        ADD.replace("other.grad", "self.grad"),
        "add_rule",
        ("call", "a + b", {"a": 2.0}),
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        "`b.grad` stays 0, and 1 in a right walk.",
    ),
    "+ with the rule of ×": Engine(
        "day2",
        ADD,
        MULTIPLY,
        "add_rule",
        ("call", "a + b", {"a": -3.0, "b": 2.0}),
        ("call", "a + b", {"a": 1.0, "b": 1.0}),
        "`a.grad` becomes -3, and 1 in a right walk",
    ),
    "tanh without parentheses": Engine(
        "day2",
        TANH,
        "self.grad += 1 - t**2 * out.grad",
        "tanh_neuron",
        ("call", "x.tanh()", {"x": pytest.approx(0.5728954)}),
        ("call", "x.tanh()", {"x": pytest.approx(1.5728954)}),
        "`x.grad` becomes 0.572895, and 1.5729 in a right walk.",
    ),
    "tanh without its rule": Engine(
        "day2",
        TANH,
        "pass",
        "tanh_neuron",
        ("call", "x.tanh()", {}),
        ("call", "x.tanh()", {"x": pytest.approx(0.7864477)}),
        "`x.grad` stays 0",
    ),
    "× ran at once": Engine(
        "day2",
        MULTIPLY_STORED,
        MULTIPLY_STORED.replace("out._backward = _backward", "_backward()"),
        "swap_rule",
        ("call", "a * b", {}),
        ("call", "a * b", {"a": -3.0, "b": 2.0}),
        "`a.grad` stays 0, and -3 in a right walk",
    ),
    "gradients begin at 1": Engine(
        "day2",
        "self.grad = 0.0",
        "self.grad = 1.0",
        "add_rule",
        ("forward", "a", {"a": 2.0}),
        ("forward", "a", {"a": 2.0}),
        "`a` begins with a gradient of 1; a right one is 0.",
    ),
    "not reversed": Engine(
        "day3",
        "for node in reversed(build_topo(root)):\n        node._backward()",
        "for node in build_topo(root):\n        node._backward()",
        "reverse_order",
        ("call", "b", {}),
        ("call", "d", {"c": 1.0}),
        "`b` is called before `c`, so its gradient is not complete when it hands it on.",
    ),
    "no seed": Engine(
        "day3",
        LOOP3,
        LOOP3.replace("    root.grad = 1.0\n", ""),
        "seed",
        ("call", "b", {}),
        ("seed", "b", {"b": 1.0}),
        "`b` is called while `b.grad` is not seeded; a right walk first sets it to 1.",
    ),
    "seed of 2": Engine(
        "day3",
        "root.grad = 1.0",
        "root.grad = 2.0",
        "seed",
        ("seed", "b", {"b": 2.0}),
        ("seed", "b", {"b": 1.0}),
        "`b.grad` is seeded with 2; a right walk seeds it with 1.",
    ),
    "seed after the calls": Engine(
        "day3",
        LOOP3,
        "    for node in reversed(build_topo(root)):\n        node._backward()\n    root.grad = 1.0",
        "seed",
        ("call", "b", {}),
        ("seed", "b", {"b": 1.0}),
        "not seeded",
    ),
    "last call forgotten": Engine(
        "day3",
        "reversed(build_topo(root)):",
        "reversed(build_topo(root)[2:]):",
        "reverse_order",
        None,
        ("call", "b", {"a": 1.0}),
        "what `b` should hand on is missing",
    ),
    "clears first": Engine(
        "day3",
        "    root.grad = 1.0\n",
        "    for node in build_topo(root):\n        node.grad = 0.0\n    root.grad = 1.0\n",
        "accumulates",
        ("set", "a", {"a": 0.0}),
        ("seed", "b", {"b": 1.0}),
        "`a.grad` is set to 0 here; a right walk does not do that.",
    ),
    "number - a reversed": Engine(
        "day4",
        "return Value(other) - self",
        "return self - Value(other)",
        "subtract",
        ("forward", "1 - a", {"1 - a": 4.0}),
        ("forward", "1 - a", {"1 - a": -4.0}),
        "`1 - a` is 4; a right forward pass gives -4.",
    ),
    "a - b made of others, exchanged": Engine(
        "day4",
        SUBTRACT,
        "        return other + self * -1\n",
        "subtract",
        ("forward", "a - b", {"a - b": -2.25}),
        ("forward", "a - b", {"a - b": 2.25}),
        "`a - b` is -2.25",
    ),
    "neg adds": Engine(
        "day4",
        "self.grad -= out.grad",
        "self.grad += out.grad",
        "subtract",
        ("call", "-a", {"a": 1.0}),
        ("call", "-a", {"a": -1.0}),
        "`a.grad` becomes 1, and -1 in a right walk.",
    ),
    "a method's walk not reversed": Engine(
        "day4",
        LOOP4,
        LOOP4.replace("reversed(order)", "order"),
        "add_multiply",
        ("call", "a + b", {}),
        ("call", "a + b + (a + b)", {"a + b": 2.0}),
        "`a + b` is called before `a + b + (a + b)`",
    ),
    "a method without a seed": Engine(
        "day4",
        LOOP4,
        LOOP4.replace("        self.grad = 1.0\n", ""),
        "add_multiply",
        ("call", "a + b + (a + b)", {}),
        ("seed", "a + b + (a + b)", {"a + b + (a + b)": 1.0}),
        "not seeded",
    ),
    "= for += in a loop": Engine(
        "day5",
        LOOP5,
        LOOP5.replace("+=", "="),
        "backward",
        ("call", "a + b", {"a": 4.0, "b": 4.0}),
        ("call", "a + b", {"a": 7.0, "b": 2.0}),
        "`a.grad` becomes 4, and 7 in a right walk",
    ),
    "a loop without upstream": Engine(
        "day5",
        LOOP5,
        "            child.grad += local",
        "backward",
        ("call", "a * b * c", {"a * b": 0.5, "c": -6.0}),
        ("call", "a * b * c", {"a * b": 2.0, "c": -24.0}),
        "`c.grad` becomes -6, and -24 in a right walk",
    ),
    "a loop that is not reversed": Engine(
        "day5",
        "    for node in reversed(build_topo(root)):",
        "    for node in build_topo(root):",
        "backward",
        ("call", "a * b", {}),
        ("call", "a * b * c * d", {}),
        "`a * b` is called before `a * b * c`",
    ),
}


@pytest.mark.parametrize("name", ENGINES)
def test_the_first_wrong_step_is_the_fault(graded, name) -> None:
    """Up to that step the engine did what a right walk does; there it does something else."""
    engine = ENGINES[name]
    trace = graded(engine.day, engine.old, engine.new)[engine.check].trace
    at = trace.wrong
    assert engine.words in trace.words
    assert [s.kind for s in trace.student[:at]] == [s.kind for s in trace.right[:at]]
    for found, steps in ((engine.wrong, trace.student), (engine.right, trace.right)):
        assert (found is None) == (at >= len(steps))
        if found is not None:
            kind, node, changes = step(trace, steps, at)
            assert (kind, node) == found[:2]
            assert changes == (found[2] or changes)


# --- What is shown, and what is not


def test_a_walk_that_is_right(graded) -> None:
    """The trace of a check that passed: every step, and no difference."""
    trace = graded("day2", traces=["complex_expression"])["complex_expression"].trace
    steps = [step(trace, trace.student, at) for at in range(7, 12)]
    assert trace.given == "a = 3, b = 2, c = -4 in (a * b + c) * (a + b)"
    assert trace.wrong is None
    assert trace.student == trace.right
    assert steps == [
        ("seed", "(a * b + c) * (a + b)", {"(a * b + c) * (a + b)": 1.0}),
        ("call", "(a * b + c) * (a + b)", {"a * b + c": 5.0, "a + b": 2.0}),
        ("call", "a * b + c", {"a * b": 5.0, "c": 5.0}),
        ("call", "a + b", {"a": 2.0, "b": 2.0}),
        ("call", "a * b", {"a": 12.0, "b": 17.0}),
    ]


def test_an_operation_that_is_made_of_others(graded) -> None:
    """The nodes are those that the engine made: a - b of a negation and a sum."""
    trace = graded("day4", SUBTRACT, "        return self + other * -1\n", traces=["subtract"])[
        "subtract"
    ].trace
    assert [(node.name, node.op) for node in trace.nodes] == [
        ("b", ""),
        ("b * -1", "*"),
        ("a", ""),
        ("a - b", "+"),
        ("(a - b) * -1", "*"),
        ("c", ""),
        ("c - (a - b)", "+"),
    ]
    assert trace.wrong is None


def test_nodes_with_local_gradients(graded) -> None:
    """Without closures the turns of nodes are read from the changes of gradients."""
    trace = graded("day5", traces=["backward"])["backward"].trace
    assert [s.kind for s in trace.student if s.kind != "forward"] == ["seed", "call", "call", "call"]
    assert trace.student == trace.right


def test_a_walk_that_raises(graded) -> None:
    """The words name the error that ended the walk."""
    new = LOOP3.replace("        node._backward()", "        node.children_done()")
    trace = graded("day3", LOOP3, new)["reverse_order"].trace
    assert trace.wrong == len(trace.student)
    assert trace.words.endswith("Your code raises AttributeError.")


def test_an_order_that_is_an_answer(graded) -> None:
    """The walk in the student's own order is shown without a right one, which would be the answer."""
    trace = graded("day2", 'diamond_order = ["d", "b", "c", "a"]', 'diamond_order = ["b", "d", "c"]')
    trace = trace["visit_order"].trace
    assert trace.right == []
    assert step(trace, trace.student, trace.wrong)[:2] == ("call", "b")
    assert trace.words == "`b` is called before `d`, so its gradient is not complete when it hands it on."


def test_no_graph_no_trace(graded) -> None:
    """A check about answers, or about a function that walks nothing, has none."""
    checks = graded("day2", traces=["leverage", "quiz"])
    assert checks["leverage"].trace is None
    assert checks["quiz"].trace is None
    new = "            stack.append((node, True))"
    checks = graded("day3", f"            visited.add(node)\n{new}", new)
    assert checks["build_topo"].outcome == "failed"
    assert checks["build_topo"].trace is None


def test_hidden_numbers_stay_hidden(graded) -> None:
    """A check that fails in hidden tests alone has no trace."""
    old = "elif node not in visited:\n            visited.add(node)"
    check = graded("day5", old, old.replace("node not", "node.data not").replace("(node)", "(node.data)"))[
        "backward"
    ]
    assert check.message.startswith("A hidden test")
    assert check.trace is None


def test_nothing_is_watched_unless_asked_for(graded, monkeypatch) -> None:
    """Without traces no request is made for them, and no test runs again."""
    monkeypatch.setattr(module, "with_traces", None)
    checks = graded("day2", MULTIPLY, MULTIPLY.replace("+=", "="), traces=False)
    assert checks["accumulate"].outcome == "failed"
    assert checks["accumulate"].trace is None


def test_a_trace_that_fails_costs_nothing_else(graded, monkeypatch) -> None:
    """Verdict, points and explanation stand if the watcher raises, or if no time is left."""
    wrong = "day2", MULTIPLY, MULTIPLY.replace("+=", "=")
    whole = graded(*wrong)["accumulate"]
    with monkeypatch.context() as patched:
        patched.setattr("grader.autograd.traces.watch.TestWatcher.around", lambda *_: 1 / 0)
        check = graded(*wrong)["accumulate"]
    assert check == replace(whole, trace=None, seconds=check.seconds)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    assert graded(*wrong)["accumulate"].trace is None

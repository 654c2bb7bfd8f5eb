"""Traces: a failed check's walk, step by step, beside a right one; the first step at which they differ is the fault."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from wrongengines import ENGINES, LOOP3, LOOP4, MULTIPLY, SUBTRACT, step, tracing

from grader.autograd.traces.graph import PLAIN, GraphSnapshot, TracedGraph
from grader.autograd.traces.steps import _fault_words, _run_below
from grader.autograd.walks.runs import CALL, GRAD, HANDED, TracedEvent
from grader.grading import traces as module


@pytest.fixture(scope="module")
def graded(launcher):
    """Return a function: edits of a day's reference -> its checks by name, or the only one, with traces."""
    with tracing(launcher) as graded:
        yield graded


@pytest.mark.whole
@pytest.mark.parametrize("name", ENGINES)
def test_the_first_wrong_step_is_the_fault(graded, name) -> None:
    """Up to that step the engine did what a right walk does; there it does something else."""
    engine = ENGINES[name]
    of = engine.slip
    checks = graded(of.day, *of.edits, function=of.function, only=engine.check)
    trace = checks[engine.check].trace
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


def test_a_walk_that_is_right(graded, snapshot) -> None:
    """The trace of a check that passed: every step, and no difference."""
    trace = graded("day2", only="complex_expression", traces=["complex_expression"])[
        "complex_expression"
    ].trace
    steps = [step(trace, trace.student, at) for at in range(7, 12)]
    assert trace.given == snapshot
    assert trace.wrong is None
    assert trace.student == trace.right
    assert steps == snapshot


def test_an_operation_that_is_made_of_others(graded) -> None:
    """The nodes are those that the engine made: a - b of a negation and a sum."""
    trace = graded("day4", (SUBTRACT, "        return self + other * -1\n"), traces=["subtract"])[
        "subtract"
    ].trace
    assert [(node.name, node.op) for node in trace.nodes] == [
        ("b", ""),
        ("b * -1", "*"),
        ("a", ""),
        ("s", "+"),
        ("d", ""),
        ("d * -1", "*"),
        ("c", ""),
        ("t", "+"),
        ("t * -1", "*"),
        ("s - t", "+"),
    ]
    assert trace.wrong is None


def test_nodes_with_local_gradients(graded) -> None:
    """Without closures the turns of nodes are read from the changes of gradients."""
    trace = graded("day5", only="backward", traces=["backward"])["backward"].trace
    assert [s.kind for s in trace.student if s.kind != "forward"] == ["seed", "call", "call", "call"]
    assert trace.student == trace.right


def test_a_call_within_a_call(graded, snapshot) -> None:
    """Where a test calls each `_backward` itself, there is no walk of the student's code to find a fault in."""
    new = f"{MULTIPLY}\n            self._backward()\n            other._backward()"
    trace = graded("day2", (MULTIPLY, new), only="complex_expression")["complex_expression"].trace
    assert trace.words == snapshot


def test_a_walk_that_raises(graded) -> None:
    """The words name the error that ended the walk."""
    new = LOOP3.replace("        node._backward()", "        node.children_done()")
    trace = graded("day3", (LOOP3, new), only="reverse_order")["reverse_order"].trace
    assert trace.wrong == len(trace.student)
    assert trace.words.endswith("Your code raises AttributeError.")


def test_an_order_that_is_an_answer(graded, snapshot) -> None:
    """The walk in the student's own order is shown without a right one, which would be the answer."""
    old, new = 'diamond_order = ["d", "b", "c", "a"]', 'diamond_order = ["b", "d", "c"]'
    trace = graded("day2", (old, new), only="visit_order")["visit_order"].trace
    assert trace.right == []
    assert step(trace, trace.student, trace.wrong)[:2] == ("call", "b")
    assert trace.words == snapshot


def test_two_graphs_of_plain_nodes(graded, snapshot) -> None:
    """Each graph of a test has its own nodes, and is named by them."""
    trace = graded("day4", only="backward", traces=["backward"])["backward"].trace
    assert trace.given == snapshot
    assert [[one.node for one in node.inputs] for node in trace.nodes[4:]] == [[], [4], [5, 4], [6, 5]]
    assert trace.wrong is None
    assert step(trace, trace.student, -1) == step(trace, trace.right, -1)


SEED, LOOP = LOOP4.split("\n", 1)
ONCE = "            node._backward()"
FAULTS = {
    "seed_handed": (LOOP, "c.grad is 0 when your `backward` calls c._backward, so c hands on 0."),
    "seed_late": (
        f"{LOOP}\n{SEED}",
        "c.grad is 0 when your `backward` calls c._backward. It is set to 1 only afterwards.",
    ),
    "never": (
        LOOP4.replace("reversed(order)", "reversed(order[1:-1])"),
        "Your `backward` never calls c._backward.",
    ),
    "twice_handed": (
        LOOP4.replace(ONCE, f"{ONCE}\n{ONCE}"),
        "Your `backward` calls c._backward 2 times. Each time, c hands on all of c.grad, including what it has already handed on.",
    ),
    "clears_after": (
        f"{LOOP4}\n            node.grad = 0.0",
        "Your `backward` sets c.grad to 0 after c has handed it on.",
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("fault", FAULTS)
def test_the_words_are_those_of_the_finding(graded, fault) -> None:
    """The fault of the report's graph, with the names and numbers of the test's own."""
    new, words = FAULTS[fault]
    check = graded("day4", (LOOP4, new), only="backward")["backward"]
    assert check.facts[0].get("fault") == fault
    assert check.trace.words == words


def test_a_walk_that_ends_before_the_next_one(graded, snapshot) -> None:
    """The fault is that of the walk that is not complete, not of the next one, with which the student's code goes on."""
    visit = "            if node not in visited:\n                visited.add(node)\n"
    marks = visit.replace("node not in visited", "not hasattr(node, 'seen')").replace(
        "visited.add(node)", "node.seen = 1"
    )
    trace = graded("day4", (visit, marks), only="backward")["backward"].trace
    assert step(trace, trace.student, trace.wrong)[:2] == ("seed", "M")
    assert step(trace, trace.right, trace.wrong)[:2] == ("call", "p")
    assert trace.words == snapshot


@pytest.mark.ci
def test_no_graph_no_trace(graded) -> None:
    """A check about answers, or about a function that walks nothing, has none."""
    checks = graded("day2", traces=["leverage", "quiz"])
    assert checks["leverage"].trace is None
    assert checks["quiz"].trace is None
    new = "            stack.append((node, True))"
    checks = graded("day3", (f"            visited.add(node)\n{new}", new))
    assert checks["build_topo"].outcome == "failed"
    assert checks["build_topo"].trace is None


def test_hidden_numbers_stay_hidden(graded) -> None:
    """A check that fails in hidden tests alone has no trace."""
    last_eight = "    for node in build_topo(root)[:-9:-1]:"
    check = graded("day5", ("    for node in reversed(build_topo(root)):", last_eight), only="backward")[
        "backward"
    ]
    assert check.message.startswith("A hidden test")
    assert check.trace is None


def test_nothing_is_watched_unless_asked_for(graded, monkeypatch) -> None:
    """Without traces no request is made for them, and no test runs again."""
    monkeypatch.setattr(module, "with_traces", None)
    checks = graded("day2", (MULTIPLY, MULTIPLY.replace("+=", "=")), only="accumulate", traces=False)
    assert checks["accumulate"].outcome == "failed"
    assert checks["accumulate"].trace is None


def test_a_trace_that_fails_costs_nothing_else(graded, monkeypatch) -> None:
    """Verdict, points and explanation stand if the watcher raises, or if no time is left."""
    wrong = "day2", (MULTIPLY, MULTIPLY.replace("+=", "="))
    whole = graded(*wrong, only="accumulate")["accumulate"]
    with monkeypatch.context() as patched:
        patched.setattr("grader.autograd.traces.watch.TestWatcher.around", lambda *_: 1 / 0)
        check = graded(*wrong, only="accumulate")["accumulate"]
    assert check == replace(whole, trace=None, seconds=check.seconds)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    assert graded(*wrong, only="accumulate")["accumulate"].trace is None


@pytest.mark.parametrize(
    ("seed", "held", "words"),
    [
        (
            1.0,
            0.0,
            "calls b._backward too early: c is made from b and must come first. At that moment b.grad is 0, so b does not hand on the 3 that",
        ),
        (1.0, 5.0, ""),  # b holds a gradient that nothing has brought
        ("a Value", 0.0, ""),
    ],
)
def test_a_fault_is_told_only_where_the_events_are_all(seed, held, words) -> None:
    """A change that is not among the events, or a gradient that is no number: nothing is said about the order."""
    made = [("", [], 1.0), (PLAIN, [[0, 2.0]], 1.0), (PLAIN, [[1, 3.0]], 1.0)]
    events = [
        TracedEvent(GRAD, 2, seed),
        TracedEvent(CALL, 1, held),
        TracedEvent(CALL, 2, seed),
        TracedEvent(HANDED, 1, 3.0),
    ]
    seen = GraphSnapshot(whole=True, made=made, before=[0.0] * 3, events=events, kept=[None] * 3, places=[])
    graph = TracedGraph(seen, {}, {}, dict(enumerate("abc")), {})
    _, run = _run_below(graph, 2, seen.before, seen.events)
    said = _fault_words("backward", run)
    assert words in said
    assert bool(said) == bool(words)

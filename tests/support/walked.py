"""Traces without grading: walks of a small engine, and of wrong ones, in this process and without a jail."""

from __future__ import annotations

from math import isclose, isfinite, tanh
from typing import TYPE_CHECKING, Any

from slip_table import Edit, changed
from slipped import RIGHT, engine, right_rules

from grader.report import Trace, TraceInput, TraceNode, TraceStep

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE = engine([right_rules(name) for name in RIGHT], "closures")

COMPLEX = ("p = a * b; q = p + c; s = a + b; L = q * s", {"a": 2.0, "b": -3.0, "c": 10.0})
DIFFERENCE = ("d = a - b; L = a * d", {"a": 2.0, "b": 3.0})
UPSTREAM = ("t = x.tanh(); y = t * two", {"x": 0.5, "two": 2.0})

Graph = tuple[str, dict[str, float]]


# Edits of the engine, by name: what each of them makes wrong, and a graph on which it shows.
TANH = "(1 - out.data**2) * out.grad"
WRONG: dict[str, tuple[list[Edit], Graph]] = {
    "mul without upstream": (
        [
            ("self.grad += other.data * out.grad", "self.grad += other.data"),
            ("other.grad += self.data * out.grad", "other.grad += self.data"),
        ],
        COMPLEX,
    ),
    "minus is turned around": (
        [("Value(self.data - other.data", "Value(other.data - self.data")],
        DIFFERENCE,
    ),
    "tanh without upstream": ([(TANH, "1 - out.data**2")], UPSTREAM),
    "tanh is no number": ([(TANH, 'float("nan")')], UPSTREAM),
    "the walk stops early": ([("in reversed(topo)", "in list(reversed(topo))[:2]")], COMPLEX),
}


def trace_of(graph: Graph, source: str = ENGINE) -> Trace:
    """Return the trace of an engine's walk over a graph, beside the walk of the right engine."""
    text, leaves = graph
    right, student = _Walk(ENGINE, text, leaves), _Walk(source, text, leaves)
    wrong = _first_difference(student.steps, right.steps)
    given = f"{', '.join(f'{name} = {value:g}' for name, value in leaves.items())} in {text}"
    words = "" if wrong is None else f"Step {wrong + 1} is the first wrong one."
    return Trace(given, right.nodes(), student.steps, right.steps, wrong, words)


def wrong_trace(name: str) -> Trace:
    """Return the trace of a wrong engine by its name."""
    edits, graph = WRONG[name]
    return trace_of(graph, changed(ENGINE, edits))


def chain(length: int) -> Graph:
    """Return a graph of `length` nodes, each made from the one before: x1 = x0 + w, x2 = x1 * w, ..."""
    signs = "+*"
    steps = [f"x{i} = x{i - 1} {signs[i % 2]} w" for i in range(1, length - 1)]
    return "; ".join(steps), {"x0": 1.0, "w": 1.01}


class _Walk:
    """One engine's forward and backward pass over a graph, step by step."""

    def __init__(self, source: str, text: str, leaves: dict[str, float]) -> None:
        self.values: list[Any] = []
        space: dict[str, Any] = {}
        exec(source, space)
        space["Value"] = self._recorded(space["Value"])
        names = {name: space["Value"](data) for name, data in leaves.items()}
        exec(text, names)
        self.names = {id(value): name for name, value in names.items() if name != "__builtins__"}
        self.steps = [
            TraceStep("forward", i, [(i, _number(value.data))]) for i, value in enumerate(self.values)
        ]
        self.before, self.called = self._grads(), False
        for i, value in enumerate(self.values):
            if value._op:
                value._backward = self._logged(i, value._backward)
        self.values[-1].backward()

    def nodes(self) -> list[TraceNode]:
        """The nodes, with the right slopes of the inputs: each by the right engine alone, with 1 above it."""
        index = {id(value): i for i, value in enumerate(self.values)}
        return [
            TraceNode(
                self.names[id(value)],
                value._op,
                [
                    TraceInput(index[id(child)], child.data, local)
                    for child, local in zip(value._prev, _locals(value))
                ],
            )
            for value in self.values
        ]

    def _recorded(self, base: type) -> type:
        values = self.values

        class Recorded(base):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                values.append(self)

        return Recorded

    def _logged(self, node: int, function: Callable[[], None]) -> Callable[[], None]:
        def _backward() -> None:
            if changes := self._changes():
                kind = "set" if self.called else "seed"
                self.steps.append(TraceStep(kind, changes[0][0], changes))
            self.called = True
            function()
            self.steps.append(TraceStep("call", node, self._changes()))

        return _backward

    def _grads(self) -> list[float]:
        return [value.grad for value in self.values]

    def _changes(self) -> list[tuple[int, float | str]]:
        before, self.before = self.before, self._grads()
        return [(i, _number(new)) for i, (old, new) in enumerate(zip(before, self.before)) if old != new]


def _locals(value: Any) -> tuple[float, ...]:
    return LOCALS[value._op](*(child.data for child in value._prev)) if value._op else ()


def _differs(step: TraceStep, other: TraceStep) -> bool:
    numbers, others = dict(step.changes), dict(other.changes)
    return (step.kind, step.node, numbers.keys()) != (other.kind, other.node, others.keys()) or any(
        not _same(numbers[node], others[node]) for node in numbers
    )


def _same(one: float | str, other: float | str) -> bool:
    texts = isinstance(one, str) or isinstance(other, str)
    return one == other if texts else isclose(one, other, rel_tol=1e-9)


def _first_difference(student: list[TraceStep], right: list[TraceStep]) -> int | None:
    for i, (step, other) in enumerate(zip(student, right)):
        if _differs(step, other):
            return i
    return None if len(student) == len(right) else min(len(student), len(right))


LOCALS: dict[str, Callable[..., tuple[float, ...]]] = {
    "+": lambda x, y: (1.0, 1.0),
    "-": lambda x, y: (1.0, -1.0),
    "*": lambda x, y: (y, x),
    "tanh": lambda x: (1 - tanh(x) ** 2,),
}


def _number(value: Any) -> float | str:
    return value if isinstance(value, int | float) and isfinite(value) else str(value)

"""An engine, some twenty wrong ones, and the trace of a walk by one of them beside the right walk.

`trace_of` runs an engine in this process, without a jail: it is the tests' own, so that the player's pages are
tested with walks whose first wrong step is known by hand.
"""

from __future__ import annotations

from math import exp, isclose, isfinite, tanh
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.report import Trace, TraceInput, TraceNode, TraceStep

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE = """
import math


class Value:
    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = children
        self._op = op

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out

    def __truediv__(self, other):
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo, visited = [], set()

        def visit(v):
            if v in visited:
                return
            visited.add(v)
            for child in v._prev:
                visit(child)
            topo.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()
"""

COMPLEX = ("p = a * b; q = p + c; s = a + b; L = q * s", {"a": 2.0, "b": -3.0, "c": 10.0})
SQUARE = ("L = a * a", {"a": 3.0})
TWICE = ("L = a + a", {"a": 3.0})
DIFFERENCE = ("d = a - b; L = a * d", {"a": 2.0, "b": 3.0})
QUOTIENT = ("d = a / b; L = d * a", {"a": 6.0, "b": 2.0})
UPSTREAM = ("t = x.tanh(); y = t * two", {"x": 0.5, "two": 2.0})
GROWTH = ("t = x.exp(); y = t * two", {"x": 0.5, "two": 2.0})
RELU_SUM = ("c = a * b; e = c + d; f = e.relu()", {"a": 2.0, "b": -3.0, "d": 10.0})
DEAD = ("p = w * x; n = p + b; o = n.relu()", {"w": -3.0, "x": 2.0, "b": 1.0})
REUSE = ("b = a * three; c = a + b; d = b * c", {"a": 2.0, "three": 3.0})

Graph = tuple[str, dict[str, float]]


class Wrong(NamedTuple):
    """A wrong engine: an edit of the right one, a graph on which it shows, and the first wrong step, by hand.

    `first` is the kind of the step and its node, or "missing" if the walk is over too early. `wrongly` has the gradients
    (the data, in the forward pass) that this step leaves and that differ from the right ones.
    """

    edit: dict[str, str]
    graph: Graph
    first: str
    wrongly: dict[str, float]


WRONG: dict[str, Wrong] = {
    "add assigns": Wrong(
        {
            "            self.grad += out.grad\n            other.grad += out.grad": "            self.grad = out.grad\n            other.grad = out.grad"
        },
        TWICE,
        "call L",
        {"a": 1.0},
    ),
    "mul assigns": Wrong(
        {
            "self.grad += other.data * out.grad\n            other.grad += self": "self.grad = other.data * out.grad\n            other.grad = self"
        },
        SQUARE,
        "call L",
        {"a": 3.0},
    ),
    "mul gives the own factor": Wrong(
        {
            "self.grad += other.data * out.grad\n            other.grad += self.data": "self.grad += self.data * out.grad\n            other.grad += other.data"
        },
        COMPLEX,
        "call L",
        {"q": 4.0, "s": -1.0},
    ),
    "mul uses the gradient of the other": Wrong(
        {"self.grad += other.data * out.grad": "self.grad += other.grad * out.grad"},
        COMPLEX,
        "call L",
        {"q": 0.0},
    ),
    "mul without upstream": Wrong(
        {
            "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad": "self.grad += other.data\n            other.grad += self.data"
        },
        COMPLEX,
        "call p",
        {"a": 1.0, "b": 6.0},
    ),
    "add without upstream": Wrong(
        {
            "            self.grad += out.grad\n            other.grad += out.grad\n\n        out._backward = _backward\n        return out\n\n    def __mul__": "            self.grad += 1.0\n            other.grad += 1.0\n\n        out._backward = _backward\n        return out\n\n    def __mul__"
        },
        COMPLEX,
        "call s",
        {"a": 1.0, "b": 1.0},
    ),
    "add forgets the other": Wrong(
        {
            "            other.grad += out.grad\n\n        out._backward = _backward\n        return out\n\n    def __mul__": "\n        out._backward = _backward\n        return out\n\n    def __mul__"
        },
        COMPLEX,
        "call s",
        {"b": 0.0},
    ),
    "mul's closure is not kept": Wrong(
        {
            "other.grad += self.data * out.grad\n\n        out._backward = _backward\n": "other.grad += self.data * out.grad\n\n"
        },
        COMPLEX,
        "call L",
        {"q": 0.0, "s": 0.0},
    ),
    "minus is plus": Wrong(
        {"other.grad -= out.grad\n": "other.grad += out.grad\n"}, DIFFERENCE, "call d", {"b": 2.0}
    ),
    "minus is turned around": Wrong(
        {"Value(self.data - other.data": "Value(other.data - self.data"}, DIFFERENCE, "forward d", {"d": 1.0}
    ),
    "quotient without the square": Wrong(
        {"self.data / other.data**2": "self.data / other.data"}, QUOTIENT, "call d", {"b": -18.0}
    ),
    "quotient with a plus": Wrong(
        {"other.grad -= out.grad * self.data": "other.grad += out.grad * self.data"},
        QUOTIENT,
        "call d",
        {"b": 9.0},
    ),
    "tanh without upstream": Wrong(
        {"self.grad += (1 - t**2) * out.grad": "self.grad += 1 - t**2"},
        UPSTREAM,
        "call t",
        {"x": 0.7864477329659274},
    ),
    "tanh without parentheses": Wrong(
        {"(1 - t**2) * out.grad": "1 - t**2 * out.grad"}, UPSTREAM, "call t", {"x": 0.5728954659318548}
    ),
    "tanh from its input": Wrong(
        {"(1 - t**2) * out.grad": "(1 - self.data**2) * out.grad"}, UPSTREAM, "call t", {"x": 1.5}
    ),
    "exp from its input": Wrong(
        {"out.data * out.grad": "self.data * out.grad"}, GROWTH, "call t", {"x": 1.0}
    ),
    "relu lets all through": Wrong({"(out.data > 0) * out.grad": "out.grad"}, DEAD, "call o", {"n": 1.0}),
    "relu hands on its data": Wrong(
        {"(out.data > 0) * out.grad": "out.data * out.grad"}, RELU_SUM, "call f", {"e": 4.0}
    ),
    "no seed": Wrong({"        self.grad = 1.0\n": ""}, COMPLEX, "call L", {}),
    "the walk is not reversed": Wrong({"for v in reversed(topo)": "for v in topo"}, COMPLEX, "call p", {}),
    "the walk stops early": Wrong(
        {"in reversed(topo)": "in list(reversed(topo))[:2]"}, COMPLEX, "missing", {}
    ),
    "no visited": Wrong(
        {"            if v in visited:\n                return\n": ""}, REUSE, "call b", {"a": 90.0}
    ),
}


def trace_of(source: str, graph: Graph) -> Trace:
    """Return the trace of an engine's walk over a graph, beside the walk of the right engine."""
    text, leaves = graph
    right, student = _Walk(ENGINE, text, leaves), _Walk(source, text, leaves)
    wrong = _first_difference(student.steps, right.steps)
    given = f"{', '.join(f'{name} = {value:g}' for name, value in leaves.items())} in {text}"
    words = "" if wrong is None else f"Step {wrong + 1} is the first wrong one."
    return Trace(given, right.nodes(), student.steps, right.steps, wrong, words)


def chain(length: int) -> Graph:
    """Return a graph of `length` nodes, each made from the one before: x1 = x0 + w, x2 = x1 * w, ..."""
    signs = "+*"
    steps = [f"x{i} = x{i - 1} {signs[i % 2]} w" for i in range(1, length - 1)]
    return "; ".join(steps), {"x0": 1.0, "w": 1.01}


def wrong_engine(edit: dict[str, str]) -> str:
    """Return the right engine with an edit."""
    source = ENGINE
    for old, new in edit.items():
        assert source.count(old) >= 1, f"the engine has no {old!r}"
        source = source.replace(old, new, 1)
    return source


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

    def _recorded(self, engine: type) -> type:
        values = self.values

        class Recorded(engine):
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
    "/": lambda x, y: (1 / y, -x / y**2),
    "exp": lambda x: (exp(x),),
    "tanh": lambda x: (1 - tanh(x) ** 2,),
    "relu": lambda x: (float(x > 0),),
}


def _number(value: Any) -> float | str:
    return value if isinstance(value, int | float) and isfinite(value) else str(value)

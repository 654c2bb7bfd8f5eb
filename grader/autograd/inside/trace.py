"""One test, watched: the graph that it builds, and every call of a `_backward`. Sent together with walks.py.

The grader calls `watch(command, ...)` between the requests of the test. It reports and does not judge.
"""

import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.walks import GRAD, attempt, number, same, watched  # noqa: TC004

CHUNK = 60_000  # characters of one text in an answer
MAX_NODES, MAX_STEPS = 400, 4_000
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%"}
_SYMBOLS["matmul"] = "@"


def shown(value: Any) -> Any:
    """Return a finite number as a float; for any other value a short text."""
    plain = number(value)
    if plain is None:
        return "None" if value is None else f"a {type(value).__name__}"[:40]
    return plain if math.isfinite(plain) else str(plain)


class Watch:
    """The nodes and the steps of one test.

    A node is [operation, operands, data]. An operand is [index] or a number; of a plain node it is [index, slope].
    A step is ["mark", n], ["call", node, gradient, changes], ["set", changes], ["read", node] or ["write", node, gradient].
    """

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.made: list[list[Any]] = []
        self.index: dict[int, int] = {}  # by id; `nodes` keeps them alive
        self.known: set[str] = set()  # methods that are operations
        self.kinds: list[type] = []
        self.hooks: list[tuple[type, str, Any]] = []
        self.rules: dict[int, Any] = {}  # the recording `_backward` of a node
        self.kept: dict[int, list[list[Any]]] = {}  # the pairs of a node without `_backward`
        self.subclasses: dict[type, type] = {}
        self.before: list[Any] = []
        self.grads: list[Any] = []
        self.steps: list[list[Any]] = []
        self.running: list[list[Any]] = []  # the calls that have not returned yet
        self.quiet = False  # True while we read gradients ourselves

    # The graph

    def hook(self, node: Any, methods: Sequence[str]) -> None:
        """Note from now on every node that an operator or one of these methods of this class makes."""
        self.known.update(methods)
        own = type(node).__module__
        if not hasattr(node, "data") or not hasattr(type(node), "__add__"):
            return
        for kind in type(node).__mro__:
            if kind is object or kind in self.kinds or kind.__module__ != own:
                continue
            self.kinds.append(kind)
            for name, function in list(vars(kind).items()):
                op, turned = self.operation(name)
                if op and callable(function) and not isinstance(function, type):
                    self.hooks.append((kind, name, function))
                    setattr(kind, name, self.noting(op, turned, function))

    def operation(self, name: str) -> tuple[str, bool]:
        """Return the operation of a method, and True for one with the operands exchanged."""
        bare = name.strip("_") if name.startswith("__") else ""
        if bare in _SYMBOLS:
            return _SYMBOLS[bare], False
        if bare[:1] == "r" and bare[1:] in _SYMBOLS:
            return _SYMBOLS[bare[1:]], True
        return ("neg", False) if bare == "neg" else (name if name in self.known else "", False)

    def noting(self, op: str, turned: bool, function: Any) -> Any:
        def method(*args: Any, **keywords: Any) -> Any:
            out = function(*args, **keywords)
            if self.hooks and self.is_node(out) and id(out) not in self.index:
                self.note(out, op, args[::-1] if turned else args)
            return out

        return method

    def unhook(self) -> None:
        """Put the student's own methods back."""
        for kind, name, function in reversed(self.hooks):
            setattr(kind, name, function)
        self.hooks.clear()

    def is_node(self, value: Any) -> bool:
        return any(kind in self.kinds for kind in type(value).__mro__)

    def meet(self, node: Any) -> None:
        """Add a leaf whose gradient the test sets before it makes anything of it."""
        if self.is_node(node) and id(node) not in self.index:
            self.note(node, "", ())

    def note(self, node: Any, op: str, operands: Sequence[Any]) -> None:
        """Add a node below which are these operands: nodes and numbers."""
        if len(self.nodes) > MAX_NODES:
            return
        made = []
        for operand in operands:
            if self.is_node(operand):
                if id(operand) not in self.index:
                    self.note(operand, "", ())
                made.append([self.index.get(id(operand), -1)])
            else:
                made.append(shown(operand))
        self.enter(node, [op, made, shown(getattr(node, "data", None))])

    def enter(self, node: Any, row: list[Any]) -> None:
        self.index[id(node)] = len(self.nodes)
        self.nodes.append(node)
        self.made.append(row)
        grad = shown(getattr(node, "grad", None))
        self.before.append(grad)
        self.grads.append(grad)

    def plain(self, nodes: Sequence[Any], rows: Sequence[Any]) -> None:
        """Add plain nodes that a helper has made; a row has pairs of index and slope."""
        for node, pairs in zip(nodes, rows, strict=True):
            self.enter(node, ["plain" if pairs else "", pairs, shown(getattr(node, "data", None))])

    # The steps

    def mark(self, place: int) -> None:
        """Note that the test sends this request now; -1 after its end."""
        self.flush()
        for i in range(len(self.nodes)):
            if self.made[i][0]:
                attempt(lambda: self.record(i))  # noqa: B023  called at once
        self.step(["mark", place])

    def record(self, i: int) -> None:
        """Record the calls of a node's `_backward`; of one without, each access to the gradients around it."""
        node = self.nodes[i]
        rule = getattr(node, "_backward", None)
        if not callable(rule):
            self.record_pairs(i)
        elif rule is not self.rules.get(i):
            node._backward = self.rules[i] = self.calling(i, rule)

    def calling(self, i: int, rule: Any) -> Callable[..., Any]:
        def _backward(*args: Any) -> Any:
            self.flush()
            step = ["call", i, self.grads[i], []]
            self.step(step)
            self.running.append(step)
            try:
                return rule(*args)
            finally:
                self.flush()
                self.running.pop()

        return _backward

    def record_pairs(self, i: int) -> None:
        """Read the children and local gradients of a node once, and watch the gradients of these."""
        node = self.nodes[i]
        if i in self.kept:
            return
        pairs = zip(node._children, node._local_grads, strict=True)
        self.kept[i] = [[same(self.nodes, child), number(slope)] for child, slope in pairs]
        for one in (node, *node._children):
            kind = type(one)
            if kind not in self.subclasses.values():
                if kind not in self.subclasses:
                    self.subclasses[kind] = watched(self, self.nodes, kind)
                one.__class__ = self.subclasses[kind]

    def add(self, code: int, i: int, value: Any) -> None:
        """Note an access to a gradient; `watched` calls it."""
        if i < 0 or self.quiet:
            return
        if code == GRAD:
            self.grads[i] = shown(value)
        self.step(["write", i, shown(value)] if code == GRAD else ["read", i])

    def flush(self) -> None:
        """Note the gradients that have changed since the last look, for the call that runs now."""
        self.quiet, changes = True, []
        for i, node in enumerate(self.nodes):
            grad = shown(getattr(node, "grad", None))
            if grad != self.grads[i]:
                self.grads[i] = grad
                changes.append([i, grad])
        self.quiet = False
        if changes and self.running:
            self.running[-1][3] += changes
        elif changes:
            self.step(["set", changes])

    def step(self, step: list[Any]) -> None:
        if len(self.steps) < MAX_STEPS:
            self.steps.append(step)

    # The answer

    def answer(self, found: Sequence[Any]) -> list[str]:
        """Return all that was noted, and the indices of the objects in `found`, as JSON in texts that fit."""
        self.flush()
        kept = [self.kept.get(i) for i in range(len(self.nodes))]
        places = [self.index.get(id(one), -1) for one in found]
        whole = len(self.nodes) <= MAX_NODES and len(self.steps) < MAX_STEPS
        text = json.dumps([whole, self.made, self.before, self.steps, kept, places])
        return [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]


_watch = Watch()


def watch(command: str, *args: Any) -> Any:
    """Carry out one command of the grader."""
    return getattr(_watch, command)(*args)

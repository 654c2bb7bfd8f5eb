"""Traces: what a test's graph went through in the student's engine, beside the same walk done right.

A test runs once more while a TestWatcher looks on: in the jail, inside/trace.py notes the graph and every call of a
`_backward`; here the requests of the test say which of them the test itself asked for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from grader.autograd import inside
from grader.autograd.rules.expressions import parse, value
from grader.autograd.rules.operations import KNOWN, SYMBOLS, Operation
from grader.autograd.walks.graphs import Graph, Step, closest
from grader.autograd.walks.runs import CALL, GRAD, READ, Event, Kept, close, turns_of
from grader.report import Trace, TraceInput, TraceNode, TraceStep, cap
from grader.sandbox import StudentError
from grader.sandbox.proxy import kind_of, label_of, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from grader.sandbox import Record, Sandbox

Number: TypeAlias = float | str  # a text for anything that is not a finite number
MAX_NAME = 40  # characters
LOADING = frozenset({"open", "begin", "reload", "run", "names", "output"})
_APPLIED = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "neg": "neg", "floordiv": "//"}
_APPLIED |= {"mod": "%", "matmul": "@"}
BETWEEN = -1  # the mark of changes that no watched request made


class Unreadable(Exception):
    """The graph or the walk of a test cannot be traced."""


# --- What the jail noted


class _Mark(msgspec.Struct, array_like=True, tag="mark"):
    place: int


class _Call(msgspec.Struct, array_like=True, tag="call"):
    node: int
    upstream: Number
    changes: list[tuple[int, Number]]


class _Set(msgspec.Struct, array_like=True, tag="set"):
    changes: list[tuple[int, Number]]


class _Read(msgspec.Struct, array_like=True, tag="read"):
    node: int


class _Write(msgspec.Struct, array_like=True, tag="write"):
    node: int
    value: Number


_Noted: TypeAlias = _Mark | _Call | _Set | _Read | _Write


class _Seen(msgspec.Struct, array_like=True):
    """The answer of inside/trace.py."""

    whole: bool
    made: list[tuple[str, list[list[float] | float | str], Number]]
    before: list[Number]
    steps: list[_Noted]
    kept: list[list[tuple[int, float | None]] | None]
    places: list[int]

    def check(self, count: int) -> None:
        """Raise Unreadable for a graph that is too large, or for indices that are not of its nodes."""
        size = len(self.made)
        good = self.whole and len(self.before) == len(self.kept) == size and len(self.places) == count
        good = good and all(_index(o) < i for i, (_, operands, _) in enumerate(self.made) for o in operands)
        if not good or not all(0 <= i < size for step in self.steps for i in _nodes_of(step)):
            raise Unreadable


def _index(operand: list[float] | float | str) -> int:
    """Return the index of the node that an operand is, -1 for a number. Raises Unreadable."""
    if not isinstance(operand, list):
        return -1
    if not operand or operand[0] != int(operand[0]) or operand[0] < 0:
        raise Unreadable
    return int(operand[0])


def _nodes_of(step: _Noted) -> Iterator[int]:
    if isinstance(step, _Call | _Read | _Write):
        yield step.node
    if isinstance(step, _Call | _Set):
        yield from (i for i, _ in step.changes)


# --- Watching


class _Asked(NamedTuple):
    """A request of the test that may walk: it sets a gradient, calls a `_backward`, or calls another function.

    `of` is the handle of the node: whose gradient, whose `_backward`, or the root of a walk. `name` is the function's.
    """

    kind: str  # "set", "rule" or "walk"
    of: int | None
    name: str = ""


class TestWatcher:
    """Watches one test over a sandbox; the sandbox hands every request through `around`."""

    __test__ = False  # pytest collects no tests from it

    def __init__(self, sandbox: Sandbox, operations: Sequence[Operation]) -> None:
        self.sandbox = sandbox
        self.operations = {**KNOWN, **{operation.name: operation for operation in operations}}
        self.asked: list[_Asked] = []
        self.error: StudentError | None = None  # that ended a watched request
        self.applied: dict[int, tuple[str, list[Any]]] = {}  # by the handle of the result: operation, operands
        self._watch: int | None = None  # the handle of the helper in the jail
        self._classes: set[str] = set()
        self._methods: dict[int, tuple[int, str]] = {}  # of a function: its object and its name
        self._functions: dict[int, str] = {}
        self._makers: set[int] = set()  # helpers of the checks that make plain nodes, and their parts

    def around(self, request: dict[str, Any], send: Callable[[dict[str, Any]], Any]) -> Any:
        """Send a request of the test, and note what it did. Raises what `send` raises."""
        if request["op"] in LOADING:
            return send(request)
        asked = self._asked(request) if self._watch is not None else None
        if asked is None:
            answer = send(request)
        else:
            self._mark(asked)
            try:
                answer = send(request)
            except StudentError as error:
                self.error = error
                raise
            self._tell("mark", BETWEEN)
        self._learn(request, answer)
        return answer

    def _mark(self, asked: _Asked) -> None:
        self.asked.append(asked)
        self._tell("mark", len(self.asked) - 1)

    def _tell(self, command: str, *args: Any) -> Any:
        if self._watch is None:
            self._watch = self.sandbox.request(
                {"op": "source", "source": inside.compiled("walks", "trace"), "name": "watch"}
            )["h"]
        return self.sandbox.request({"op": "call", "h": self._watch, "args": [command, *args], "kw": {}})

    def _asked(self, request: dict[str, Any]) -> _Asked | None:
        """Return what the request is about, if it may walk."""
        op, handle = request["op"], request.get("h")
        if op == "set":
            return _Asked("set", handle, request["name"])
        if op != "call" or handle in self._makers:
            return None
        of, name = self._methods.get(handle, (None, self._functions.get(handle, "")))
        if name == "_backward":
            return _Asked("rule", of, name)
        if not name or name in self.operations:
            return None
        args = [arg["h"] for arg in request["args"] if _is_handle(arg)]
        return _Asked("walk", of if of is not None else next(iter(args), None), name)

    def _learn(self, request: dict[str, Any], answer: Any) -> None:
        """Note objects, functions and operations; from the first node on, the jail notes what is made of it."""
        op, of = request["op"], request.get("h")
        found = answer["h"] if _is_handle(answer) else None
        if op == "get" and found is not None:
            self._functions[found] = request["name"] if answer["k"] == "function" else ""
        elif op == "attr" and of is not None:
            if found is not None:
                self._methods[found] = of, request["name"]
            elif request["name"] == "_backward" and self._watch is not None:
                self._mark(_Asked("rule", of))
                self._tell("mark", BETWEEN)
        elif op == "source" and request["source"] == inside.source("nodes") and found is not None:
            self._makers.add(found)
        elif op == "call" and of in self._makers:
            self._learn_plain(request, answer)
        elif op == "apply" and request["name"] in _APPLIED and found is not None:
            self.applied[found] = _APPLIED[request["name"]], request["args"]
        elif op == "call" and found is not None and (name := self._methods.get(of, (0, ""))[1]) in self.operations:
            self.applied[found] = name, [{"h": self._methods[of][0]}, *request["args"]]
        if found is not None and answer["k"] == "instance" and answer["c"] not in self._classes:
            self._classes.add(answer["c"])
            methods = [name for name in self.operations if name not in SYMBOLS]
            self._tell("hook", {"h": found}, {"l": methods})

    def _learn_plain(self, request: dict[str, Any], answer: Any) -> None:
        """Note plain nodes: the helper gives two functions, and the first one gives nodes by name."""
        if isinstance(answer, dict) and "t" in answer:
            self._makers.add(answer["t"][0]["h"])
            return
        rows = [row["t"] for row in request["args"][0]["l"]] if request["args"] else []
        handles = dict(answer["d"]) if isinstance(answer, dict) and "d" in answer else {}
        names = [name for name, _ in rows]
        if len(handles) == len(names):
            pairs = [[(names.index(p["t"][0]), p["t"][1]) for p in slopes["l"]] for _, slopes in rows]
            encoded = {"l": [{"l": [{"l": list(pair)} for pair in row]} for row in pairs]}
            self._tell("plain", {"l": [handles[name] for name in names]}, encoded)

    def trace(self, record: Record, *, passed: bool, hide: bool) -> Trace | None:
        """Return the trace of the test, which has ended; None if it cannot be read.

        With `hide` there is no right walk: it would be an answer.
        """
        if self._watch is None:
            return None
        nodes = {handle: proxy for handle, proxy in record.proxies.items() if kind_of(proxy) == "instance"}
        texts = self._tell("answer", {"l": [{"h": handle} for handle in nodes]})
        try:
            seen = msgspec.json.decode("".join(texts["l"]), type=_Seen)
            seen.check(len(nodes))
            places = {handle: i for handle, i in zip(nodes, seen.places, strict=True) if i >= 0}
            names = {i: label_of(nodes[handle]) for handle, i in places.items()}
            given = {name: float(n) for name, n in record.named.items() if isinstance(n, int | float)}
            reader = _Reader(self, seen, places, names, given)
            return reader.trace(passed=passed, hide=hide)
        except (msgspec.DecodeError, Unreadable, KeyError, TypeError, ValueError, OverflowError):
            return None

    def close(self) -> None:
        """Put the student's own methods back: the next test, or a live notebook, goes on with them."""
        if self._watch is not None:
            self._tell("unhook")


def _is_handle(value: Any) -> bool:
    return isinstance(value, dict) and "h" in value


# --- Right numbers


def _row(operation: Operation, operands: Sequence[Number], out: float = 0.0) -> dict[str, float]:
    """Return the numbers of an operation's formulas. Raises Unreadable for operands that are not its own."""
    names = ["self.data", "other.data" if operation.binary else "n"][: 1 + (operation.binary or operation.takes_n)]
    if len(names) != len(operands):
        raise Unreadable
    return {**dict(zip(names, map(_float, operands), strict=True)), "out.data": out, "out.grad": 1.0}


def _float(number: Number | None) -> float:
    return number if isinstance(number, float) else math.nan


def _shown(number: float) -> Number:
    return number if math.isfinite(number) else str(number)


class _Local(NamedTuple):
    """An operand of a node: a node or a number, and the right local derivative."""

    node: int | None
    number: Number
    local: float


class _Walk:
    """Steps and the gradients after them."""

    def __init__(self, before: Sequence[Number]) -> None:
        self.grads = list(before)
        self.steps: list[TraceStep] = []

    def add(self, kind: Any, node: int, changes: Iterable[tuple[int, Number]]) -> None:
        changes = list(dict(changes).items())
        for i, number in changes:
            self.grads[i] = number
        self.steps.append(TraceStep(kind, node, changes))

    def grad(self, node: int) -> float:
        """Return a gradient as a number: None counts as 0."""
        grad = self.grads[node]
        return 0.0 if grad == "None" else _float(grad)

    def call(self, node: int, operands: Sequence[_Local]) -> None:
        """Call a node's right `_backward`."""
        new: dict[int, float] = {}
        for operand in operands:
            if operand.node is not None:
                before = new.get(operand.node, self.grad(operand.node))
                new[operand.node] = before + operand.local * self.grad(node)
        self.add("call", node, [(i, _shown(grad)) for i, grad in new.items()])


# --- Reading


class _Reader:
    """Makes the trace of what the jail noted about one test."""

    def __init__(
        self,
        watcher: TestWatcher,
        seen: _Seen,
        places: dict[int, int],
        names: dict[int, str],
        given: dict[str, float],
    ) -> None:
        self.watcher, self.seen, self.places, self.given = watcher, seen, places, given
        self.operations = watcher.operations
        self.made = seen.made
        self.applied = {
            places[handle]: (op, [self._operand(o) for o in operands])
            for handle, (op, operands) in watcher.applied.items()
            if handle in places
        }
        self.names = [cap(names.get(i) or "", MAX_NAME) for i in range(len(self.made))]
        for i in range(len(self.made)):
            self.names[i] = self.names[i] or cap(self._expression(i), MAX_NAME)
        self.inner = [i for i, (op, _, _) in enumerate(self.made) if op]
        self.consistent = True  # False if an operation is made of others that do not compute it
        self.data = self._right_data()
        self.locals = [self._locals(i) for i in range(len(self.made))]

    def _operand(self, encoded: Any) -> int | Number:
        if _is_handle(encoded):
            return self.places[encoded["h"]]
        return _shown(float(encoded)) if isinstance(encoded, int | float) else str(encoded)

    def _operands(self, node: int) -> list[int | Number]:
        """Return the operands as the engine has them: an int is the index of a node."""
        return [
            _index(operand) if isinstance(operand, list) else float(operand) if isinstance(operand, int) else operand
            for operand in self.made[node][1]
        ]

    def _expression(self, node: int) -> str:
        op, operands = self.made[node][0], self._operands(node)
        if not op:
            return short(self.made[node][2])
        texts = [self.names[o] if type(o) is int else short(o) for o in operands]
        texts = [f"({text})" if " " in text and not text.startswith("(") else text for text in texts]
        operation = self.operations.get(op)
        return operation.applied(*texts[:2]) if operation else f"{op}({', '.join(texts)})"

    # The forward pass

    def _right_data(self) -> list[Number]:
        data: list[Number] = []
        for i, (op, _, found) in enumerate(self.made):
            if not op:
                data.append(self.given.get(self.names[i], found))
                continue
            if op == "plain":
                data.append(found)
                continue
            right = self._computed(op, self._operands(i), data)
            if i in self.applied and self.applied[i] != (op, self._operands(i)):
                wanted = self._computed(*self.applied[i], data)
                self.consistent &= close(_float(wanted), _float(right))
                right = wanted
            data.append(right)
        return data

    def _computed(self, op: str, operands: Sequence[int | Number], data: Sequence[Number]) -> Number:
        operation = self._operation(op)
        if any(type(o) is int and o >= len(data) for o in operands):
            raise Unreadable
        numbers = [data[o] if type(o) is int else o for o in operands]
        return _shown(value(parse(operation.out), _row(operation, numbers)))

    def _operation(self, op: str) -> Operation:
        if op not in self.operations:
            raise Unreadable
        return self.operations[op]

    def _locals(self, node: int) -> list[_Local]:
        """Return the operands of a node with the right local derivatives. Raises Unreadable."""
        op, noted, _ = self.made[node]
        if op in ("", "plain"):
            return [_Local(_index(o), 0.0, _float(o[1])) for o in noted if isinstance(o, list)]
        operation, operands = self._operation(op), self._operands(node)
        numbers = [self.data[o] if type(o) is int else o for o in operands]
        row, found = _row(operation, numbers, _float(self.data[node])), []
        for name, operand in zip(("self", "other"), operands, strict=False):
            rule = operation.rules.get(name)
            local = value(parse(rule), row) if rule else 0.0
            if type(operand) is int:
                if rule is None:
                    raise Unreadable
                found.append(_Local(operand, 0.0, local))
            else:
                found.append(_Local(None, operand, 0.0))
        return found

    # Both walks

    def trace(self, *, passed: bool, hide: bool) -> Trace | None:
        """Return the trace; None if the test built no graph."""
        if not self.inner:
            return None
        student, right, clearing = self._walks(clears=True)
        shown = self._shown_nodes(student)
        wrong = None if passed else self._first_difference(student, right, shown)
        if wrong is None and clearing and not passed:  # a fault only where there is no other
            student, right, _ = self._walks(clears=False)
            wrong = self._first_difference(student, right, shown)
        words = "" if wrong is None else self._words(student, right, wrong, shown)
        forward = [TraceStep("forward", i, [(i, self.made[i][2])]) for i in self._computed_nodes(shown)]
        right_forward = [TraceStep("forward", i, [(i, self.data[i])]) for i in self._computed_nodes(shown)]
        number = {node: i for i, node in enumerate(shown)}
        return Trace(
            given=cap(self._given(shown)),
            nodes=[self._node(i, number) for i in shown],
            student=[_renumbered(step, number) for step in [*forward, *student.steps]],
            right=[] if hide else [_renumbered(step, number) for step in [*right_forward, *right.steps]],
            wrong=wrong,
            words=cap(words),
            field="grad",
        )

    def _given(self, shown: Sequence[int]) -> str:
        """Return the numbers of the leaves and the expression of the last node."""
        leaves = [
            f"{self.names[i]} = {short(self.made[i][2])}"
            for i in shown
            if not self.made[i][0] and self.names[i].isidentifier()
        ]
        plain = any(self.made[i][0] == "plain" for i in shown)
        return "a graph of plain nodes" if plain else f"{', '.join(leaves[:8])} in {self.names[shown[-1]]}"

    def _node(self, node: int, number: dict[int, int]) -> TraceNode:
        op = self.made[node][0].replace("plain", "")
        inputs = [
            TraceInput(None if one.node is None else number[one.node], one.number, _shown(one.local))
            for one in self.locals[node]
        ]
        return TraceNode(self.names[node], op, inputs)

    def _computed_nodes(self, shown: Sequence[int]) -> list[int]:
        """Return the nodes of the forward pass; plain nodes have none."""
        return [i for i in shown if self.made[i][0] != "plain"] if self.made[shown[-1]][0] != "plain" else []

    def _below(self, roots: Iterable[int]) -> list[int]:
        """Return the nodes below these, and these, in the order in which they were made."""
        found, waiting = set(roots), list(roots)
        while waiting:
            children = {one.node for one in self.locals[waiting.pop()] if one.node is not None} - found
            found |= children
            waiting += children
        return sorted(found)

    def _shown_nodes(self, student: _Walk) -> list[int]:
        """Return the nodes that the walks are about: below the roots and the calls; else below the last node."""
        roots = {step.node for step in student.steps if step.kind in ("seed", "call")}
        roots |= {
            self.places[asked.of] for asked in self.watcher.asked if asked.kind != "set" and asked.of in self.places
        }
        return self._below(roots & {*self.inner} or {self.inner[-1]})

    def _parts(self) -> Iterator[tuple[int, list[_Noted]]]:
        """Yield each watched request with what it did, and what happened between them."""
        place, part = BETWEEN, list[_Noted]()
        for step in self.seen.steps:
            if isinstance(step, _Mark):
                if part or place >= 0:
                    yield place, part
                place, part = step.place, []
            else:
                part.append(step)
        yield place, part

    def _walks(self, *, clears: bool) -> tuple[_Walk, _Walk, bool]:
        """Return the student's walk, the right one, and True if the student's clears gradients before it begins.

        With `clears` this is right.
        """
        student, right, clearing = _Walk(self.seen.before), _Walk(self.seen.before), False
        for place, part in self._parts():
            if not 0 <= place < len(self.watcher.asked):
                for i, number in _changes(part):
                    student.add("set", i, [(i, number)])
                continue
            asked = self.watcher.asked[place]
            node = self.places.get(asked.of) if asked.of is not None else None
            if asked.kind == "set":
                if asked.name == "data":
                    raise Unreadable
                for i, number in _changes(part):
                    kind = "seed" if self.made[i][0] and number else "set"
                    student.add(kind, i, [(i, number)])
                    right.add(kind, i, [(i, number)])
            elif asked.kind == "rule":
                if node is not None and self.made[node][0]:
                    right.call(node, self.locals[node])
                self._add(student, part, None)
            else:
                steps = [s for s in part if isinstance(s, _Call)]
                part = part if steps else self._turns(part)
                calls = [s.node for s in part if isinstance(s, _Call) and self.made[s.node][0]]
                if not calls and not asked.name.endswith("backward"):
                    for i, number in _changes(part):
                        student.add("set", i, [(i, number)])
                        right.add("set", i, [(i, number)])
                    continue
                if node is None:
                    raise Unreadable
                clearing |= self._add(student, part, node, right if clears else None)
                self._walk_right(right, node, calls)
        return student, right, clearing

    def _walk_right(self, right: _Walk, root: int, calls: Sequence[int]) -> None:
        """Walk from the root, in the right order that is closest to the student's calls."""
        if right.grads[root] != 1.0:
            right.add("seed", root, [(root, 1.0)])
        if self.consistent:
            inner = [i for i in self._below([root]) if self.made[i][0]]
            order, _ = closest(calls, inner[::-1], self._users(inner))
            for node in order:
                right.call(node, self.locals[node])

    def _users(self, inner: Sequence[int]) -> Callable[[int], list[int]]:
        return lambda node: [i for i in inner if any(one.node == node for one in self.locals[i])]

    def _add(self, walk: _Walk, part: Iterable[_Noted], root: int | None, right: _Walk | None = None) -> bool:
        """Add what a request did to the student's walk; return True if it cleared gradients before the first call.

        The right walk clears them, too, if it is given.
        """
        clearing = False
        called: set[int] = set()
        for step in part:
            if isinstance(step, _Call):
                called.add(step.node)
                if self.made[step.node][0]:
                    walk.add("call", step.node, step.changes)
                continue
            for i, number in sorted(_changes([step]), key=lambda change: change[0] == root):
                seeds = i == root and number not in (0.0, "None") and i not in called
                walk.add("seed" if seeds else "set", i, [(i, number)])
                if number in (0.0, "None") and not called:
                    clearing = True
                    if right is not None:
                        right.add("set", i, [(i, number)])
        return clearing

    def _turns(self, part: Sequence[_Noted]) -> list[_Noted]:
        """Return the calls that changes of gradients stand for, where nodes keep local gradients.

        Raises Unreadable if a change is not a contribution of a node to its child.
        """
        if not any(isinstance(step, _Write) for step in part):
            return [step for step in part if isinstance(step, _Set)]
        before = self._grads_before(part)
        events = [
            Event(GRAD, s.node, _float(s.value)) if isinstance(s, _Write) else Event(READ, s.node, None)
            for s in part
            if isinstance(s, _Write | _Read)
        ]
        pairs = [[(i, _float(slope)) for i, slope in kept or ()] for kept in self.seen.kept]
        numbers = tuple(_float(number) for number in self.data)
        steps = tuple(Step(op or "leaf", tuple(self._operands(i))) for i, (op, _, _) in enumerate(self.made))  # type: ignore[arg-type]
        graph = Graph("", tuple(self.names), steps, numbers)
        turns = turns_of(Kept(graph, events, before, pairs))
        if turns is None:
            raise Unreadable
        found: list[_Noted] = []
        for event, changes in zip(turns.events, turns.changes, strict=True):
            if event.code == CALL:
                found.append(_Call(event.node, event.value or 0.0, [(i, _shown(x)) for i, x in changes]))
            else:
                found.append(_Set([(event.node, event.value or 0.0)]))
        return found

    def _grads_before(self, part: Sequence[_Noted]) -> list[float]:
        """Return the gradients before a part of the steps."""
        grads = list(self.seen.before)
        for step in self.seen.steps:
            if part and step is part[0]:
                break
            if isinstance(step, _Write):
                grads[step.node] = step.value
            for i, number in _changes([step]):
                grads[i] = number
        return [0.0 if grad == "None" else _float(grad) for grad in grads]

    # The first difference

    def _first_difference(self, student: _Walk, right: _Walk, shown: Sequence[int]) -> int | None:
        """Return the first step at which the walks differ: forward steps, then the steps of the walks.

        Steps about other nodes are left out of both walks.
        """
        for walk in (student, right):
            walk.steps = [step for step in walk.steps if step.node in shown]
        computed = self._computed_nodes(shown)
        for i, node in enumerate(computed):
            if not _alike(self.made[node][2], self.data[node]):
                return i
        ours, theirs = list(self.seen.before), list(self.seen.before)
        for i, step in enumerate(student.steps):
            if i >= len(right.steps):
                return len(computed) + i
            other = right.steps[i]
            ours, theirs = _after(ours, step), _after(theirs, other)
            same = (step.kind, step.node) == (other.kind, other.node)
            if not same or not all(_alike(ours[j], theirs[j]) for j in shown):
                return len(computed) + i
        missing = len(right.steps) > len(student.steps) or self.watcher.error is not None
        return len(computed) + len(student.steps) if missing else None

    def _words(self, student: _Walk, right: _Walk, wrong: int, shown: Sequence[int]) -> str:
        computed = self._computed_nodes(shown)
        if wrong < len(computed):
            node = computed[wrong]
            return (
                f"`{self.names[node]}` is {short(self.made[node][2])}; "
                f"a right forward pass gives {short(self.data[node])}."
            )
        at = wrong - len(computed)
        done = [step.node for step in student.steps[:at] if step.kind == "call"]
        step = student.steps[at] if at < len(student.steps) else None
        other = right.steps[at] if at < len(right.steps) else None
        return f"{self._step_words(step, other, done, right, at)}{self._error_words()}"

    def _error_words(self) -> str:
        error = self.watcher.error
        return f" Your code raises {cap(error.type, MAX_NAME)}." if error is not None else ""

    def _step_words(
        self, step: TraceStep | None, other: TraceStep | None, done: Sequence[int], right: _Walk, at: int
    ) -> str:
        """Return a sentence about the first step that differs."""
        if step is None:
            return self._missing(other, right, at)
        name = self.names[step.node]
        if step.kind == "set":
            return f"{name}.grad is set to {short(step.changes[0][1])} here; a right walk leaves it alone."
        if step.kind == "seed" and (other is None or (other.kind, other.node) != (step.kind, step.node)):
            return f"{name}.grad is set to {short(step.changes[0][1])} here; a right walk does not do that."
        if step.kind == "seed":
            return f"{name}.grad is seeded with {short(step.changes[0][1])}; a right walk seeds it with 1."
        if other is not None and other.kind == "seed":
            root = self.names[other.node]
            return f"`{name}` is called, and {root}.grad is not seeded: a right walk first sets {root}.grad to 1."
        if other is None or step.node != other.node:
            return self._order_words(step.node, done)
        return self._change_words(step, other, right, at)

    def _missing(self, other: TraceStep | None, right: _Walk, at: int) -> str:
        if other is None:
            return "The walk stops here."
        if other.kind == "seed":
            return f"The walk stops here: {self.names[other.node]}.grad is not seeded with 1."
        names = [f"`{self.names[s.node]}`" for s in right.steps[at:] if s.kind == "call"]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        return f"The walk stops here: nothing that {listed} should hand on arrives."

    def _order_words(self, node: int, done: Sequence[int]) -> str:
        name = f"`{self.names[node]}`"
        if node in done:
            return f"{name} is called once more, so it hands on again what it has handed on already."
        waiting = [self.names[user] for user in self._users(self.inner)(node) if user not in done]
        if waiting:
            users = " and ".join(f"`{user}`" for user in waiting)
            return f"{name} is called before {users}, so its gradient is not complete when it hands it on."
        return f"{name} is called; it is not part of a right walk."

    def _change_words(self, step: TraceStep, other: TraceStep, right: _Walk, at: int) -> str:
        """Return what a call of the right node changed, and what it should have changed."""
        before = list(self.seen.before)
        for earlier in right.steps[:at]:
            before = _after(before, earlier)
        ours, theirs = _after(before, step), _after(before, other)
        changed = [i for i, (x, y) in enumerate(zip(ours, theirs, strict=True)) if not _alike(x, y)]
        found = [
            f"{self.names[i]}.grad {'stays' if _alike(ours[i], before[i]) else 'becomes'} {short(ours[i])}, "
            f"and {short(theirs[i])} in a right walk"
            for i in changed[:3]
        ]
        return f"`{self.names[step.node]}` hands on {self.names[step.node]}.grad = {short(before[step.node])}: {'; '.join(found)}."


def _changes(part: Iterable[_Noted]) -> Iterator[tuple[int, Number]]:
    for step in part:
        if isinstance(step, _Call | _Set):
            yield from step.changes
        elif isinstance(step, _Write):
            yield step.node, step.value


def _renumbered(step: TraceStep, number: dict[int, int]) -> TraceStep:
    """Return the step with the indices of the shown nodes; changes of other nodes are left out."""
    changes = [(number[i], x) for i, x in step.changes if i in number]
    return TraceStep(step.kind, number.get(step.node, -1), changes)


def _after(grads: Sequence[Number], step: TraceStep) -> list[Number]:
    found = list(grads)
    for i, number in step.changes:
        found[i] = number
    return found


def _alike(x: Number, y: Number) -> bool:
    """Return True for numbers that differ by rounding, or equal texts; None counts as 0."""
    x, y = (0.0 if number == "None" else number for number in (x, y))
    return close(x, y) if isinstance(x, float) and isinstance(y, float) else x == y

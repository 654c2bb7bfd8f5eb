"""One submission that is asked about: its statements, and runs of it or of it with one edit, each in a jail."""

from __future__ import annotations

import contextlib
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from grader.autograd.engine import data_of, engine_with, set_grad
from grader.sandbox import Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.budget import OutOfTime
from grader.sandbox.proxy import Proxy, kind_of
from grader.sandbox.student import Unanswered
from grader.viva.graphs import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.autograd.engine import Engine
    from grader.autograd.topic import AutogradStudent
    from grader.manifest import Manifest
    from grader.sandbox import Opens
    from grader.submissions.submission import Sources
    from grader.topic import Topic
    from grader.viva.graphs import Plan

RUN_SECONDS = 3.0  # of one run, beside the load of the cells
EDITED_SECONDS = 1.0  # the same with an edit, which may make a loop that never ends
# What a submission may raise, and what proxies of its objects raise.
FAILURES = (
    StudentError, Undefined, Unanswered, AssertionError, LookupError, TypeError, ValueError, AttributeError,
    ArithmeticError,
)  # fmt: skip
INSIDE = Path(__file__).with_name("inside") / "lines.py"


class Edit(NamedTuple):
    """A text that is put into the place of a part of a block; columns are in characters."""

    kind: str
    line: int
    start: int
    last: int
    end: int
    new: str


class Statement(NamedTuple):
    """A statement in a function, as inside/lines.py reads it."""

    block: int
    line: int
    function: str
    text: str
    fills: bool
    edits: list[Edit]

    def is_of(self, op: str) -> bool:
        """Return True for a statement in the method of an operation."""
        return (f"__{NAMES[op]}__" if op in NAMES else op) in self.function.split(".")


class Call(NamedTuple):
    """A call of a node's `_backward`, with the gradients of all nodes before and after it."""

    node: str
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def changes(self) -> dict[str, Any]:
        """The gradients that it changed, with the new ones."""
        return {name: new for name, new in self.after.items() if new != self.before.get(name)}


class Run(NamedTuple):
    """A graph in the student's engine: data and gradients at the end, and the calls in order.

    `way` is the call that went back, `L.backward()`, or the nodes in the order in which they were called by hand; empty
    if nothing goes back. `calls` is None where they could not be recorded.
    """

    way: str
    data: dict[str, Any]
    grads: dict[str, Any]
    calls: list[Call] | None


class Submitted:
    """A submission that is asked about; `order` is that of sets in its runs.

    What fails, breaks or takes too long gives None. Raises OutOfTime when the time of the whole submission is used up.
    """

    def __init__(
        self,
        assignment: Assignment,
        launcher: Opens,
        topic: Topic,
        sources: Sources,
        *,
        until: float,
        order: str = "forward",
    ) -> None:
        """`until` is a time of the monotonic clock."""
        self.assignment, self.topic, self.sources = assignment, topic, sources
        self._launcher, self._order, self._until = launcher, order, until
        self._ends = True  # False after the cells, or a graph, ran into a limit
        self._kept: dict[Any, Run | None] = {}
        self._read: dict[Any, list[Any]] = {}

    @property
    def manifest(self) -> Manifest:
        """The assignment's manifest."""
        return self.assignment.manifest

    @property
    def engine(self) -> Engine:
        """The names of their engine."""
        return engine_with(self.manifest.names, arrays=self.manifest.arrays)

    def again(self, order: str) -> Submitted:
        """Return the same submission for independent runs."""
        other = Submitted(
            self.assignment, self._launcher, self.topic, self.sources, until=self._until, order=order
        )
        other._read = self._read  # what stands in the file is no run
        other._kept = {key: run for key, run in self._kept.items() if run is None}  # it need not fail twice
        return other

    # --- Statements

    def statements(self) -> list[Statement]:
        """Return the statements in functions, of their own lines alone."""
        return [one for one in self._all() if self._is_own(one.block, one.line)]

    def every_text(self) -> set[str]:
        """Return the texts of all statements in functions, also of those that they were given."""
        return {one.text for one in self._all()}

    def spellings(self, statements: Sequence[Statement]) -> list[list[str]]:
        """Return other texts for each of these statements, which mean something else or the same."""
        lines = [[one.block, one.line] for one in statements]
        return self._parsed("spellings", list[str], lines, self.engine.grad, self.engine.data)

    def _all(self) -> list[Statement]:
        return self._parsed("read", Statement, self.engine.grad)

    def functions(self) -> list[tuple[int, int, str, int]]:
        """Return block, line, name and number of parameters of the functions outside of classes."""
        return self._parsed("functions", tuple[int, int, str, int])

    def _is_own(self, block: int, line: int) -> bool:
        return (
            0 <= block < len(self.sources)
            and bool(text := self.sources[block].line(line))
            and text not in self.sources.given_lines
        )

    def _parsed(self, name: str, of: Any, *args: Any) -> list[Any]:
        """Return what a function of inside/lines.py gives, in a jail in which nothing of the student's is executed."""
        key = (name, repr(args))
        if key not in self._read:
            with self._sandbox(
                [], RUN_SECONDS, RUN_SECONDS
            ) as sandbox:  # also when the time of runs is used up
                sandbox.load()
                read = sandbox.helper(INSIDE.read_text(encoding="utf-8"), name)
                texts = read([block.source for block in self.sources], *args)
            try:
                self._read[key] = msgspec.json.decode("".join(texts), type=list[of])
            except (msgspec.DecodeError, TypeError) as error:
                raise ValueError("an answer of another form") from error
        return self._read[key]

    def edited(self, statement: Statement, edit: Edit) -> list[str] | None:
        """Return the sources of all blocks with one edit; None if it does not fit."""
        sources = [block.source for block in self.sources]
        lines = sources[statement.block].split("\n")
        first, last = edit.line - 1, edit.last - 1
        if not 0 <= first <= last < len(lines):
            return None
        before, after = lines[first][: edit.start], lines[last][edit.end :]
        lines[first : last + 1] = [before + edit.new + after]
        sources[statement.block] = "\n".join(lines)
        return sources

    def place(self, statement: Statement) -> str:
        """Return the location of a statement in words."""
        return self.sources[statement.block].location(statement.line)

    # --- Runs

    def run(self, plan: Plan, sources: list[str] | None = None) -> Run | None:
        """Build a graph and go back from its root. `sources` are those of an edited submission."""
        key = (tuple(plan.lines), None if sources is None else tuple(sources))
        if key not in self._kept:
            self._kept[key] = self._attempt(sources, lambda student, box: self._run(plan, student, box))
        return self._kept[key]

    def has_closures(self, plan: Plan) -> bool:
        """Return True if the nodes of their engine have a `_backward`; else they keep local gradients."""

        def look(student: AutogradStudent, _: Sandbox) -> bool:
            root = plan.build(student)[plan.root]
            return callable_of(lambda: getattr(root, student.engine.closure)) is not None

        return bool(self._attempt(None, look))

    def roots(self, plans: Sequence[Plan]) -> list[float] | None:
        """Return the root's data of each of these graphs."""

        def build(student: AutogradStudent, _: Sandbox) -> list[float]:
            return [float(data_of(plan.build(student)[plan.root])) for plan in plans]

        found: list[float] | None = self._attempt(None, build)
        return found

    def called(self, name: str, args: Sequence[Any], sources: list[str] | None = None) -> Any:
        """Return what one of their functions returns for plain numbers, if that is a finite number or a text."""
        found = self._attempt(sources, lambda student, _: getattr(student, name)(*args))
        plain = isinstance(found, int | float | str) and not isinstance(found, Proxy)
        return found if plain and (isinstance(found, str) or math.isfinite(found)) else None

    def _run(self, plan: Plan, student: AutogradStudent, sandbox: Sandbox) -> Run | None:
        engine = student.engine
        student.node_class  # loads the submission, which is not to be watched  # noqa: B018
        watcher = self.topic.watcher(sandbox, self.manifest)
        assert watcher is not None
        sandbox.watcher = watcher.around
        try:
            nodes, way = plan.build(student), ""
            with contextlib.suppress(StudentError):  # the forward pass alone may be written
                way = go_back(student, plan, nodes)
        finally:
            sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=True, hide=False) if way else None
        data = {name: plain(getattr(node, engine.data)) for name, node in nodes.items()}
        grads = {name: plain(getattr(node, engine.grad)) for name, node in nodes.items()} if way else {}
        return Run(way, data, grads, calls_of(trace, plan) if trace else None)

    def _attempt(self, sources: list[str] | None, work: Callable[[AutogradStudent, Sandbox], Any]) -> Any:
        """Return what the work gives, None if it fails; `sources` are those of an edited submission.

        What has run into a limit is not run again, but with an edit.
        """
        if sources is None and not self._ends:
            return None
        blocks = [block.source for block in self.sources] if sources is None else sources
        ends, found = True, None
        with self._sandbox(blocks, RUN_SECONDS if sources is None else EDITED_SECONDS) as sandbox:
            try:
                found = work(self.topic.student(sandbox, self._order), sandbox)  # type: ignore[arg-type]
            except SubmissionStopped:
                ends = False
            except FAILURES:
                pass
            ends &= not any(isinstance(error, SubmissionStopped) for error in sandbox.errors.values())
        self._ends &= ends or sources is not None
        return found

    @contextlib.contextmanager
    def _sandbox(self, blocks: list[str], seconds: float, left: float | None = None) -> Iterator[Sandbox]:
        left = self._until - time.monotonic() if left is None else left
        if left <= 0:
            raise OutOfTime
        manifest, own = self.manifest, self.manifest.limits
        limits = replace(own, check_seconds=seconds, total_seconds=min(left, own.load_seconds + 2 * seconds))
        sandbox = Sandbox(
            self._launcher,
            blocks,
            limits,
            manifest.imports,
            arrays=manifest.arrays,
            data=self.assignment.data,
            names=manifest.names,
        )
        try:
            with sandbox.budget.within("check_seconds", seconds):
                yield sandbox
        finally:
            sandbox.close()


def go_back(student: AutogradStudent, plan: Plan, nodes: Mapping[str, Any]) -> str:
    """Go back from the root as the submission does, and return the way; "" if it has none.

    By a method, by a function called `backward`, or by calling each `_backward` by hand from the last node to the first.
    Raises StudentError, SubmissionStopped.
    """
    engine, root = student.engine, nodes[plan.root]
    if callable_of(lambda: getattr(root, engine.backward)):
        getattr(root, engine.backward)()
        return f"{plan.root}.{engine.backward}()"
    if function := callable_of(lambda: student.quietly(engine.backward)):
        function(root)
        return f"{engine.backward}({plan.root})"
    if not callable_of(lambda: getattr(root, engine.closure)):
        return ""
    set_grad(root, 1.0)
    order = [step.name for step in reversed(plan.steps)]
    for name in order:
        getattr(nodes[name], engine.closure)()
    return ", ".join(order)


def callable_of(read: Callable[[], Any]) -> Any:
    """Return a function or a method of theirs; None if there is no such thing."""
    try:
        found = read()
    except (StudentError, Undefined, Unanswered):
        return None
    return found if isinstance(found, Proxy) and kind_of(found) == "function" else None


def plain(value: Any) -> Any:
    """Return a number or the entries of an array as plain data; None for anything else or what is not finite."""
    if hasattr(value, "tolist") and not isinstance(value, Proxy):
        value = value.tolist()
    if isinstance(value, list):
        entries = [plain(entry) for entry in value]
        return None if None in entries else entries
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def calls_of(trace: Any, plan: Plan) -> list[Call] | None:
    """Return the calls of a trace, in order; None if a node was called that has no name on the sheet."""
    names = [node.name for node in trace.nodes]
    grads: dict[str, Any] = dict.fromkeys(names, 0.0)
    calls = list[Call]()
    for step in trace.student:
        if step.kind == "forward":
            continue
        before = dict(grads)
        grads.update({names[node]: number for node, number in step.changes})
        if step.kind == "call":
            if names[step.node] not in plan.names:
                return None
            calls.append(Call(names[step.node], before, dict(grads)))
    return calls

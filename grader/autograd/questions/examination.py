"""The examination about an engine: its kinds of questions, and the graph of a sheet."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, ClassVar

from grader.autograd.drawing import Node, svg_of
from grader.autograd.engine import engine_with
from grader.autograd.questions import backward, cause, edit, forward, line
from grader.autograd.questions.graphs import GraphPlan, arrays, scalars
from grader.autograd.questions.runs import Runs, entries_of, go_back, is_of, plain, played, read_nodes
from grader.autograd.questions.words import WORDS, way_words
from grader.topic import Kind
from grader.topic.questions import EditQuestion, QuestionKind, sheet_number

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.autograd.questions.runs import GraphRun
    from grader.manifest import Manifest
    from grader.report import Fact
    from grader.topic.questions import QuestionedWork, Statement

GRAPHS = 4  # that are tried until one runs
CLOSE = 1e-3  # of a number: arrays may have few digits


class GraphFact(Kind, frozen=True, kw_only=True):
    """The graph of a sheet, as lines of Python; `steps` are its results: name, operation and inputs.

    `way` goes back: a call, or the nodes in the order in which they are called by hand.
    """

    kind: ClassVar[str] = "graph"

    lines: tuple[str, ...]
    leaves: tuple[str, ...]
    steps: tuple[str, ...]
    way: str = ""
    field: str = "grad"
    closure: str = ""

    @property
    def key(self) -> str:
        """The lines."""
        return "; ".join(self.lines)


class EngineScene:
    """A graph in a student's engine."""

    def __init__(self, plan: GraphPlan, runs: Runs) -> None:
        self.plan, self.runs = plan, runs

    @property
    def run(self) -> GraphRun | None:
        """The run of the graph in the engine; None if it fails."""
        return self.runs.run(self.plan)

    @property
    def grad(self) -> str:
        """The attribute of a gradient."""
        return self.runs.engine.grad

    @property
    def data(self) -> str:
        """The attribute of a value."""
        return self.runs.engine.data

    @property
    def closure(self) -> str:
        """The attribute of a node's rule; empty where nodes keep local gradients."""
        return self.runs.engine.closure if self.run and self.run.has_closures else ""

    def forward_is_theirs(self, statements: Sequence[Statement]) -> bool:
        """Return False if of the graph's operations only the rules are their own, and the results come from given lines."""
        own = [one.function for one in statements if any(is_of(one, step.op) for step in self.plan.steps)]
        return not own or not all(function.endswith(f".{self.runs.engine.closure}") for function in own)

    def fact(self) -> Fact:
        """Return the graph as a fact."""
        return GraphFact(
            lines=tuple(self.plan.lines),
            leaves=tuple(self.plan.leaves),
            steps=tuple(" ".join([step.name, step.op, *step.inputs]) for step in self.plan.steps),
            way=self.run.way if self.run else "",
            field=self.grad,
            closure=self.closure,
        ).fact()

    def play(self, student: Any) -> None:
        """Build the graph and go back from its root. Raises StudentError, SubmissionStopped."""
        go_back(student, self.plan, self.plan.build(student))

    def compare(self) -> None:
        """Ask for the graph as grading does; add a doubt of the first number that comes out differently."""
        plan, work = self.plan, self.runs.work
        own = self._written(self.run) if self.run else {}
        graded = work.as_graded(lambda s: self._written(read_nodes(s, plan, *played(s, plan)))) or {}
        for place in [place for place in own if graded.get(place) != own[place]][:1]:
            work.doubt(place, graded.get(place, ""), own[place])

    def _written(self, run: GraphRun) -> dict[str, str]:
        return {
            place: sheet_number(number)
            for field, values in ((self.data, run.data), (self.grad, run.grads))
            for name, value in values.items()
            for place, number in entries_of(f"{name}.{field}", value)
        }

    def differences(self) -> Iterator[tuple[str, str, str]]:
        """Yield values, and gradients of leaves, that are not as in a right engine: expression, their number, right one."""
        run, plan = self.run, self.plan
        convert: Callable[[Any], Any] = float
        if run is None:
            return
        if any(isinstance(value, list) for value in plan.leaves.values()):
            import numpy as np

            convert = np.array
        right = [
            entry
            for name, value in plan.right(convert).items()
            for entry in entries_of(f"{name}.{self.data}", plain(value))
        ]
        found = [entries_of(f"{name}.{self.data}", value) for name, value in run.data.items()]
        for name, numbers in plan.leaves.items() if run.way else ():
            places = (place for place, _ in entries_of(f"{name}.{self.grad}", numbers))
            right += zip(places, plan.slopes(name, convert), strict=True)
            found.append(entries_of(f"{name}.{self.grad}", run.grads.get(name)))
        theirs = dict(itertools.chain.from_iterable(found))
        for place, number in right:
            own = theirs.get(place)
            if own is None or abs(own - number) > CLOSE * max(1.0, abs(number)):
                yield place, "no number" if own is None else sheet_number(own), sheet_number(number)

    def again(self, work: QuestionedWork) -> EngineScene:
        """Return the same graph for independent runs."""
        return EngineScene(self.plan, self.runs.again(work))


class EngineExamination:
    """The kinds of questions about an engine."""

    kinds: Mapping[str, QuestionKind] = {
        of.kind: QuestionKind(of, ask, *WORDS[of.kind])
        for of, ask in (
            (cause.CauseQuestion, cause.ask),
            (EditQuestion, edit.ask),
            (backward.GradientQuestion, backward.ask_gradient),
            (backward.OrderQuestion, backward.ask_order),
            (forward.LeafQuestion, forward.ask_leaf),
            (backward.CallsQuestion, backward.ask_calls),
            (forward.ValueQuestion, forward.ask_value),
            (
                line.LineQuestion,
                line.ask,
            ),  # the last: many lines take many runs, which the others then have had
        )
    }

    def attributes(self, manifest: Manifest) -> tuple[str, str]:
        """Return the attributes of a gradient and of a value."""
        engine = engine_with(manifest.names, arrays=manifest.arrays)
        return engine.grad, engine.data

    def scene(
        self, work: QuestionedWork, generator: Callable[[str], random.Random], *, practice: bool
    ) -> EngineScene | None:
        """Return a graph that the engine can make, of the day's operations or else of + and *; None if there is none."""
        manifest, runs = work.manifest, Runs(work)
        known = [each for each in manifest.operations or () if isinstance(each, str)]
        for number in range(GRAPHS):
            rng, node = generator(f"graph {number}"), runs.engine.node
            if manifest.arrays:
                plan = arrays(rng, node, practice=practice)
            else:
                plan = scalars(rng, known if number < GRAPHS // 2 else (), node, practice=practice)
            if runs.run(plan) is not None:
                return EngineScene(plan, runs)
        return None

    def about(self, scene: Fact) -> str:
        """Return the sentence above the questions."""
        graph = GraphFact.read(scene)
        return f"Your own code, as it is, runs these lines. {way_words(graph.way, graph.field, graph.closure)}".strip()

    def lines(self, scene: Fact) -> Sequence[str]:
        """Return the graph as Python."""
        return GraphFact.read(scene).lines

    def picture(self, scene: Fact) -> str:
        """Return the graph as SVG: leaves with their numbers, results with their operations."""
        graph = GraphFact.read(scene)
        numbers = dict(line.split(" = ", 1) for line in graph.lines)
        place = {name: i for i, name in enumerate(graph.leaves)}
        nodes = [
            Node([name, numbers[name].partition("(")[2].removesuffix(")")], "", []) for name in graph.leaves
        ]
        for step in graph.steps:
            name, op, *inputs = step.split()
            nodes.append(Node([name, ""], op, [place[each] for each in inputs]))
            place[name] = len(place)
        return svg_of(nodes)


@functools.cache
def examination() -> EngineExamination:
    """Return the one examination."""
    return EngineExamination()

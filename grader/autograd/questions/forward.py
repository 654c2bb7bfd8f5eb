"""Questions about the forward pass: its values, and the leaf that moves the root most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import Question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.questions.graphs import Made
    from grader.topic.questions import Asking

NUDGE = 0.01
CLEAR = 1.25  # how many times farther than the next one


class ValueQuestion(Question, frozen=True, kw_only=True):
    """A value in the forward pass; `made` is how it is made, with numbers: 2 * -3."""

    kind: ClassVar[str] = "value"

    node: str
    made: str = ""

    @property
    def key(self) -> str:
        """The node."""
        return self.node


def ask_value(asking: Asking) -> Iterator[Question]:
    """Ask for results in the graph, the root first; of an array for one entry."""
    scene = asking.scene
    if scene.run is None or not scene.forward_is_theirs(asking.statements):
        return
    for step in reversed(scene.plan.steps):
        inputs = [scene.run.data.get(name) for name in step.inputs]
        found = [*entries_of(f"{step.name}.{scene.data}", scene.run.data.get(step.name))]
        numbers = "" if any(isinstance(one, list) for one in inputs) else _with_numbers(step, inputs)
        for node, number in asking.sample(found, 1):
            yield ValueQuestion(node=node, answer=sheet_number(number), made=numbers)


def _with_numbers(step: Made, inputs: Sequence[Any]) -> str:
    if not step.right:
        return f"{step.op} of {sheet_number(inputs[0])}"
    return f" {step.op} ".join(sheet_number(number) for number in inputs)


class LeafQuestion(Question, frozen=True, kw_only=True):
    """The leaf that moves the root most; `moves` has how far each moves it if it grows by `nudge`."""

    kind: ClassVar[str] = "leaf"
    level: ClassVar[int] = 2

    root: str
    nudge: str
    moves: tuple[str, ...]
    largest: str = ""  # the leaf with the largest number, if there is one


def ask_leaf(asking: Asking) -> Iterator[Question]:
    """Ask for the leaf that moves the root most, if it does by far: each grows by a little in the forward pass."""
    plan = asking.scene.plan
    if (
        asking.scene.run is None
        or not asking.scene.forward_is_theirs(asking.statements)
        or any(isinstance(number, list) for number in plan.leaves.values())
    ):
        return
    roots = asking.scene.runs.roots([plan, *(plan.nudged(name, (), NUDGE) for name in plan.leaves)])
    if roots is None or not all(map(math.isfinite, roots)):
        return
    moves = {name: root - roots[0] for name, root in zip(plan.leaves, roots[1:], strict=True)}
    first, second, *_ = sorted(moves, key=lambda name: -abs(moves[name]))
    if abs(moves[first]) > CLEAR * abs(moves[second]):
        told = tuple(f"{name}: {sheet_number(round(move, 4))}" for name, move in moves.items())
        sizes = {name: abs(number) for name, number in plan.leaves.items()}
        largest = [name for name, size in sizes.items() if size == max(sizes.values())]
        yield LeafQuestion(
            root=f"{plan.root}.{asking.scene.data}", nudge=sheet_number(NUDGE), moves=told, answer=first, options=tuple(plan.leaves),
            largest=largest[0] if len(largest) == 1 else "",
        )  # fmt: skip

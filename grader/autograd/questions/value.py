"""Questions about values of the forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import Question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.questions.graphs import Made
    from grader.topic.questions import Asking


class ValueQuestion(Question, frozen=True, kw_only=True):
    """A value in the forward pass; `made` is how it is made, with numbers: 2 * -3."""

    kind: ClassVar[str] = "value"

    node: str
    made: str = ""

    @property
    def key(self) -> str:
        """The node."""
        return self.node


def ask(asking: Asking) -> Iterator[Question]:
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

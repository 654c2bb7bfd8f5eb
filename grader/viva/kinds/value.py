"""One value of the forward pass, or what a function of theirs returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from grader.viva.question import Question, entries, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.viva.graphs import Made
    from grader.viva.question import Asking


class ValueQuestion(Question, frozen=True, kw_only=True):
    """A value in the forward pass of the graph, or with `call` what a function of theirs returns."""

    kind: ClassVar[str] = "value"

    node: str = ""
    call: str = ""
    made: str = ""  # how the node is made, with numbers: 2 * -3

    @property
    def key(self) -> str:
        """The node or the call."""
        return self.call or self.node


MOST_ARGUMENTS = 3


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for results in the graph, those made of results first; without a graph for calls of functions."""
    if asking.plan and asking.run and asking.forward_is_theirs:
        for step in reversed(asking.plan.steps):
            inputs = [asking.run.data.get(name) for name in step.inputs]
            found = [*entries(f"{step.name}.{asking.data}", asking.run.data.get(step.name))]
            if len(found) > 1:
                found = asking.sample(found, 1)
            numbers = "" if any(isinstance(one, list) for one in inputs) else _with_numbers(step, inputs)
            for node, number in found:
                yield ValueQuestion(node=node, answer=written(number), made=numbers)
    elif asking.plan is None:
        for name, args in calls(asking):
            result = asking.work.called(name, args)
            if result is not None and not isinstance(result, bool):
                yield ValueQuestion(call=call_text(name, args), answer=written(result))


def _with_numbers(step: Made, inputs: Sequence[Any]) -> str:
    return (
        f" {step.op} ".join(written(number) for number in inputs)
        if step.right
        else f"{step.op} of {written(inputs[0])}"
    )


def calls(asking: Asking) -> list[tuple[str, tuple[int, ...]]]:
    """Return functions of their own with small numbers to call them with."""
    own = {one.function.partition(".")[0] for one in asking.statements}
    small = [number + 4 if asking.practice else number for number in (2, 3, 4, 5, 6, 7)]
    return [
        (name, tuple(asking.rng.sample(small, count)))
        for _, _, name, count in asking.work.functions()
        if name in own and 1 <= count <= MOST_ARGUMENTS
    ]


def call_text(name: str, args: Sequence[int]) -> str:
    """Return a call as it is written."""
    return f"{name}({', '.join(map(str, args))})"

"""Questions about a gradient just before or just after a call, or at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import Question, differ, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.questions.runs import Call, GraphRun
    from grader.topic.questions import Asking


class GradientQuestion(Question, frozen=True, kw_only=True):
    """The gradient of `node` just `before` or after the call of `called`, or after everything if there is no call."""

    kind: ClassVar[str] = "gradient"
    level: ClassVar[int] = 2

    node: str
    called: str = ""
    before: bool = False
    steps: tuple[str, ...] = ()  # each call that changes it, with the gradient after it: "q: 4"
    end: str = ""  # the gradient after everything
    field: str = "grad"
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """The node and the call; of an array's gradient every entry counts as one."""
        return f"{self.node.partition('[')[0]} {self.called}"

    @property
    def hides(self) -> tuple[str, ...]:
        """What the call does to the gradient, or the gradient at the end."""
        return (self.key.strip(),)


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for gradients that are not yet what they will be, and for those of leaves at the end."""
    run = asking.scene.run
    if not run or not run.way:
        return
    called = [call.node for call in run.calls or ()]
    once = [call for call in run.calls or () if called.count(call.node) == 1]
    found = [one for call in once for node in call.changes for one in _around(asking, run, call, node)]
    yield from asking.sample(found, 3)
    ends = [
        GradientQuestion(node=expression, answer=sheet_number(number), field=asking.scene.grad)
        for name in asking.scene.plan.leaves
        for expression, number in entries_of(f"{name}.{asking.scene.grad}", run.grads.get(name))
    ]
    yield from asking.sample(ends, 2)


def _around(asking: Asking, run: GraphRun, call: Call, node: str) -> Iterator[Question]:
    """Yield the questions about a gradient around a call that changes it; it is neither nothing yet nor everything already."""
    end, steps = run.grads.get(node), [each for each in run.calls or () if node in each.changes]
    for before, number in ((True, call.before.get(node)), (False, call.after[node])):
        if isinstance(end, float) and isinstance(number, float) and number and differ(number, end):
            yield GradientQuestion(
                node=node, called=call.node, before=before, answer=sheet_number(number), end=sheet_number(end),
                steps=tuple(f"{each.node}: {sheet_number(each.after[node])}" for each in steps),
                field=asking.scene.grad, closure=asking.scene.closure,
            )  # fmt: skip

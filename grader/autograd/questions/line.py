"""Questions about the line that makes a contribution."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, ClassVar

from grader.autograd.questions.runs import is_of
from grader.topic.questions import Question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.questions.graphs import Made
    from grader.autograd.questions.runs import Call
    from grader.topic.questions import Asking, SourceEdit, Statement


class LineQuestion(Question, frozen=True, kw_only=True):
    """The line of theirs that makes a contribution: without it the contribution is gone.

    `amount` is added to the gradient of `node` when `called` is called; empty for arrays.
    """

    kind: ClassVar[str] = "line"
    level: ClassVar[int] = 2

    node: str
    called: str
    made: str
    place: str
    amount: str = ""
    field: str = "grad"
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """The line."""
        return self.answer

    @property
    def shows(self) -> tuple[str, ...]:
        """All four lines, and what the call does to the gradient."""
        return (*self.options, f"{self.node} {self.called}", f"{self.node}.{self.field}")

    @property
    def hides(self) -> tuple[str, ...]:
        """The line that is asked for."""
        return (self.answer,)


MOST = 2  # questions; each needs runs without some lines


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for the line without which a call changes a gradient no more, while the other lines of the operation may go."""
    plan, run = asking.scene.plan, asking.scene.run
    if run is None or not run.calls:
        return
    filling = [
        (statement, edit)
        for statement in asking.statements
        for edit in statement.edits
        if edit.kind == "left out" and statement.fills
    ]
    called, steps = [call.node for call in run.calls], {step.name: step for step in plan.steps}
    once = [call for call in run.calls if called.count(call.node) == 1 and call.node in steps]
    asked = (_question(asking, call, steps[call.node], filling) for call in asking.sample(once, len(once)))
    yield from itertools.islice(filter(None, asked), MOST)


def _question(
    asking: Asking, call: Call, step: Made, filling: Sequence[tuple[Statement, SourceEdit]]
) -> Question | None:
    """Return the question about one call; None if no single line is behind it."""
    texts = [statement.text for statement, _ in filling]
    own = [
        pair for pair in filling if is_of(pair[0], step.op) and texts.count(pair[0].text) == 1
    ]  # one place a text
    gone = {statement.text: _gone(asking, call, statement, edit) for statement, edit in own}
    if None in gone.values() or len({*step.inputs}) != len(step.inputs):
        return None
    used = {other.op for other in asking.scene.plan.steps}
    near = [statement.text for statement, _ in filling if any(is_of(statement, op) for op in used)]
    others = [
        *asking.sample(near, len(near)),
        *asking.sample(texts, len(texts)),
        *(one.text for one in asking.statements),
    ]
    for node in asking.sample(set(step.inputs) & call.changes.keys(), 2):
        makes = [statement for statement, _ in own if node in (gone[statement.text] or ())]
        if len(makes) == 1:
            wrong = [text for text in dict.fromkeys([*gone, *others]) if text != makes[0].text][:3]
            before, after = call.before.get(node), call.after[node]
            number = isinstance(before, float) and isinstance(after, float)
            options = asking.sample([makes[0].text, *wrong], 4)
            return LineQuestion(
                node=node, called=call.node, made=step.text, place=asking.work.place(makes[0]),
                amount=sheet_number(after - before) if number else "", field=asking.scene.grad, closure=asking.scene.closure,
                answer=makes[0].text, options=tuple(options),
            ) if len(options) == 4 else None  # fmt: skip
    return None


def _gone(asking: Asking, call: Call, statement: Statement, edit: SourceEdit) -> set[str] | None:
    """Return the nodes that a call changes no more without a line; None if that cannot be told."""
    sources = asking.work.edited(statement, edit)
    run = asking.scene.runs.run(asking.scene.plan, sources) if sources else None
    same = next((each for each in run.calls or () if each.node == call.node), None) if run else None
    return {*call.changes} - {*same.changes} if same else None

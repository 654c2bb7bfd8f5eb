"""The line that makes a contribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.viva.graphs import NAMES
from grader.viva.question import Question, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.viva.question import Asking
    from grader.viva.work import Call, Edit, Statement


class LineQuestion(Question, frozen=True, kw_only=True):
    """Which line of theirs makes a contribution: the one without which it is gone.

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
        """All four lines."""
        return self.options


MOST = 2  # questions; each needs runs without some lines


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for the line without which a call changes a gradient no more, while every other of four lines may go."""
    plan, run = asking.plan, asking.run
    if plan is None or run is None or not run.calls:
        return
    filling = [
        (statement, edit)
        for statement in asking.statements
        for edit in statement.edits
        if edit.kind == "left out" and statement.fills
    ]
    texts = [statement.text for statement, _ in filling]
    filling = [pair for pair in filling if texts.count(pair[0].text) == 1]  # one place a text
    others = [one.text for one in asking.statements if texts.count(one.text) <= 1]
    called = [call.node for call in run.calls]
    asked = 0
    for call in asking.sample(run.calls, len(run.calls)):
        if asked == MOST or called.count(call.node) != 1:
            continue
        step = next((step for step in plan.steps if step.name == call.node), None)
        if step is None or len(set(step.inputs)) != len(step.inputs):
            continue
        own = {f"__{NAMES.get(step.op, step.op)}__", step.op} if step.op in NAMES else {step.op}
        of_step = [pair for pair in filling if own & {*pair[0].function.split(".")}]
        gone = {statement.text: _gone(asking, call, statement, edit) for statement, edit in of_step}
        for node in asking.sample(call.changes, len(call.changes)):
            makes = [text for text, nodes in gone.items() if nodes is not None and node in nodes]
            if len(makes) != 1 or None in gone.values() or node not in step.inputs:
                continue
            wrong = [
                text
                for text in dict.fromkeys([*gone, *asking.sample(texts, 4), *asking.sample(others, 6)])
                if text != makes[0]
            ]
            if len(wrong) < 3:
                continue
            statement = next(statement for statement, _ in of_step if statement.text == makes[0])
            before, after = call.before.get(node), call.after[node]
            number = isinstance(before, float) and isinstance(after, float)
            options = [makes[0], *wrong[:3]]
            asking.rng.shuffle(options)
            yield LineQuestion(
                node=node, called=call.node, made=step.text, place=asking.work.place(statement),
                amount=written(after - before) if number else "", field=asking.grad, closure=asking.closure,
                answer=makes[0], options=tuple(options),
            )  # fmt: skip
            asked += 1
            break


def _gone(asking: Asking, call: Call, statement: Statement, edit: Edit) -> set[str] | None:
    """Return the nodes that a call changes no more without a line; None if that cannot be told."""
    assert asking.plan is not None
    sources = asking.work.edited(statement, edit)
    run = asking.work.run(asking.plan, sources) if sources else None
    same = next((each for each in run.calls or () if each.node == call.node), None) if run else None
    return {*call.changes} - {*same.changes} if same else None

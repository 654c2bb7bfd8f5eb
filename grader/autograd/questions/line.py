"""Questions about the line that makes a contribution."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.autograd.questions.runs import is_of
from grader.topic.questions import question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.questions.runs import Call, EngineScene, GraphRun
    from grader.topic.questions import Asking, Question, SourceEdit, Statement

MOST = 2  # questions; each needs runs without some lines


def ask(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the line without which a call changes a gradient no more, while the other lines of the operation may go."""
    filling = [
        (statement, edit)
        for statement in asking.statements
        for edit in statement.edits
        if edit.kind == "left out" and statement.fills
    ]
    calls, results = run.calls or [], [step.name for step in scene.plan.steps]
    called = [call.node for call in calls]
    once = [call for call in calls if called.count(call.node) == 1 and call.node in results]
    asked = (_asked(asking, scene, run, call, filling) for call in asking.sample(once, len(once)))
    yield from itertools.islice(filter(None, asked), MOST)


def _asked(
    asking: Asking,
    scene: EngineScene,
    run: GraphRun,
    call: Call,
    filling: Sequence[tuple[Statement, SourceEdit]],
) -> Question | None:
    """Return the question about one call; None if no single line is behind it.

    It shows all four lines, and what the call does to the gradient. `amount` is what it adds; empty for arrays.
    """
    step = next(step for step in scene.plan.steps if step.name == call.node)
    texts = [statement.text for statement, _ in filling]
    own = [
        pair for pair in filling if is_of(pair[0], step.op) and texts.count(pair[0].text) == 1
    ]  # one place a text
    gone = {statement.text: _gone(scene, call, statement, edit) for statement, edit in own}
    if None in gone.values() or len({*step.inputs}) != len(step.inputs):
        return None
    used = {other.op for other in scene.plan.steps}
    near = [statement.text for statement, _ in filling if any(is_of(statement, op) for op in used)]
    others = [
        *asking.sample(near, len(near)),
        *asking.sample(texts, len(texts)),
        *(one.text for one in asking.statements),
    ]
    for node in asking.sample({*step.inputs} & call.changes.keys(), 2):
        makes = [statement for statement, _ in own if node in (gone[statement.text] or ())]
        if len(makes) == 1:
            line, field = makes[0].text, scene.engine.grad
            wrong = [text for text in dict.fromkeys([*gone, *others]) if text != line][:3]
            before, after = call.before.get(node), call.after[node]
            is_number = isinstance(before, float) and isinstance(after, float)
            options = asking.sample([line, *wrong], 4)
            return question(
                "line", line, options, key=line, hides=[line], shows=[*options, f"{node} {call.node}", f"{node}.{field}"],
                node=node, called=call.node, made=step.text, place=asking.work.place(makes[0]),
                amount=sheet_number(after - before) if is_number else "", field=field, closure=run.closure,
            ) if len(options) == 4 else None  # fmt: skip
    return None


def _gone(scene: EngineScene, call: Call, statement: Statement, edit: SourceEdit) -> set[str] | None:
    """Return the nodes that a call changes no more without a line; None if that cannot be told."""
    run = scene.edited(statement, edit)
    same = next((each for each in run.calls or () if each.node == call.node), None) if run else None
    return {*call.changes} - {*same.changes} if same else None

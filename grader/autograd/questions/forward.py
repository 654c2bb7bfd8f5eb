"""Questions about the forward pass: its values, and the leaf that moves the root most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.questions.runs import EngineScene, GraphRun
    from grader.topic.questions import Asking, Question

NUDGE = 0.01
CLEAR = 1.25  # how many times farther than the next one


def ask_value(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for results in the graph, the root first; of an array for one entry.

    `made` is how a number is made of others: 2 * -3.
    """
    if not scene.forward_is_theirs(asking.statements):
        return
    for step in reversed(scene.plan.steps):
        inputs = [run.data.get(name) for name in step.inputs]
        numbers = [sheet_number(number) for number in inputs if not isinstance(number, list)]
        made = (
            f" {step.op} ".join(numbers) if step.right else "".join(f"{step.op} of {one}" for one in numbers)
        )
        found = entries_of(f"{step.name}.{scene.engine.data}", run.data.get(step.name))
        for node, number in asking.sample([*found], 1):
            yield question(
                "value", number, key=node, node=node, made=made if len(numbers) == len(inputs) else ""
            )


def ask_leaf(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
    """Ask for the leaf that moves the root most, if it does by far: each grows by a little in the forward pass."""
    leaves = scene.plan.leaves
    if not scene.forward_is_theirs(asking.statements) or any(
        isinstance(one, list) for one in leaves.values()
    ):
        return
    roots = scene.roots([scene.plan, *(scene.plan.nudged(name, (), NUDGE) for name in leaves)])
    if roots is None or not all(map(math.isfinite, roots)):
        return
    moves = {name: root - roots[0] for name, root in zip(leaves, roots[1:], strict=True)}
    first, second, *_rest = sorted(moves, key=lambda name: -abs(moves[name]))
    if abs(moves[first]) > CLEAR * abs(moves[second]):
        largest = [name for name in leaves if abs(leaves[name]) == max(map(abs, leaves.values()))]
        yield question(
            "leaf", first, leaves, root=f"{scene.plan.root}.{scene.engine.data}", nudge=NUDGE,
            moves=[f"{name}: {sheet_number(round(move, 4))}" for name, move in moves.items()],
            largest="" if len(largest) > 1 or largest == [first] else largest[0],
        )  # fmt: skip

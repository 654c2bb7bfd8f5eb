"""Questions about the result after one of their lines is changed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from grader.autograd.questions.runs import entries_of, is_of
from grader.topic.questions import differ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.questions.runs import Run
    from grader.topic.questions import Asking, Edit, Question, Statement

TRIED, MOST = 12, 5  # edits that are tried, and questions
LAST = {"other sign", "compares"}  # the kinds that say least about going back


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a number that an edit changes: a gradient of a leaf, or else the root's value."""
    if asking.scene.run is None:
        return
    found = (one for pair in _edits(asking) for one in _question(asking, *pair))
    yield from itertools.islice(found, MOST)


def _question(asking: Asking, statement: Statement, edit: Edit) -> Iterator[Question]:
    """Yield the question about an edit, if it changes a number and the code still goes back."""
    run, sources = asking.scene.run, asking.work.edited(statement, edit)
    chance = (
        asking.rng.random()
    )  # always one, so that a run that differs leaves the questions about later edits alone
    other = asking.scene.runs.run(asking.scene.plan, sources) if sources else None
    if other is not None and other.way == run.way:
        grads, values = _changed(asking, run, other)
        if changes := grads or values:
            expression, was, number = changes[int(chance * len(changes))]
            yield asking.change(statement, edit, expression, was, number, final=bool(grads))


def _edits(asking: Asking) -> list[tuple[Statement, Edit]]:
    """Return some edits at random, those of the graph's operations and of the walk before others."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    walk = {asking.scene.runs.engine.backward, "build_topo"}

    def rank(pair: tuple[Statement, Edit]) -> tuple[bool, bool]:
        statement, edit = pair
        used = any(is_of(statement, step.op) for step in asking.scene.plan.steps)
        return not used and not walk & {*statement.function.split(".")}, edit.kind in LAST

    return sorted(asking.sample(pairs, len(pairs)), key=rank)[:TRIED]


_Changes = list[tuple[str, float, float]]


def _changed(asking: Asking, run: Run, other: Run) -> tuple[_Changes, _Changes]:
    """Return what an edit changes of the leaves' gradients, and of the root: expression, number without it and with it."""
    root = asking.scene.plan.root
    grads = [
        one
        for name in asking.scene.plan.leaves
        for one in _differing(f"{name}.{asking.scene.grad}", run.grads.get(name), other.grads.get(name))
    ]
    return grads, [*_differing(f"{root}.{asking.scene.data}", run.data.get(root), other.data.get(root))]


def _differing(name: str, was: Any, now: Any) -> Iterator[tuple[str, float, float]]:
    for (expression, x), (same, y) in zip(entries_of(name, was), entries_of(name, now), strict=False):
        if expression == same and differ(x, y):
            yield expression, x, y

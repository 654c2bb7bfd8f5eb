"""A graph that a student typed on the player's page, traced in their own code next to a right walk."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from grader.autograd.questions.graphs import OPERATORS, GraphPlan, MadeNode
from grader.autograd.questions.runs import go_back

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_APPLIED: dict[str, Callable[..., Any]] = {**OPERATORS, "**": operator.pow, "neg": operator.neg}


def play_typed(
    student: Any, leaves: Mapping[str, Any], steps: Sequence[tuple[str, str, Sequence[str | float]]]
) -> None:
    """Build the graph and go back from its root. Raises what the student's code and its proxies raise.

    A step has a name, an operation, and operands: names of nodes, or numbers; the last may be an option, "axis=0".
    """
    nodes: dict[str, Any] = dict(zip(leaves, student.leaves(**leaves), strict=True))
    for name, op, operands in steps:
        own, *others = [nodes.get(str(one), one) for one in operands]
        options = (one.split("=") for one in others if type(one) is str)  # a node's name may have a "=", too
        nodes[name] = (
            _APPLIED[op](own, *others)
            if op in _APPLIED
            else getattr(own, op)(**{key: int(value) for key, value in options})
        )
        if name.isidentifier():
            student.name(**{name: nodes[name]})
    go_back(student, GraphPlan({**leaves}, tuple(MadeNode(name, op, "") for name, op, _ in steps)), nodes)

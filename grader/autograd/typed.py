"""A graph that a student typed on the player's page, traced in their own code next to a right walk."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from grader.autograd.questions.graphs import OPERATORS
from grader.autograd.questions.runs import go_back
from grader.sandbox.proxy import Proxy, short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_APPLIED: dict[str, Callable[..., Any]] = {**OPERATORS, "**": operator.pow, "neg": operator.neg}


def play_typed(
    student: Any, leaves: Mapping[str, Any], steps: Sequence[tuple[str, str, Sequence[Any]]]
) -> None:
    """Build the graph and go back from its root. Raises the errors of the student's code and of its proxies.

    A step has a name, an operation, and operands: names of nodes, or numbers; the last may be an option, "axis=0".
    A result that is no node ends the graph: without it, the rest would be another graph than the one typed.
    """
    node = student.engine.node
    made = zip(leaves, student.leaves(**leaves), strict=True)
    nodes = {name: _node(leaf, node, node) for name, leaf in made}
    for name, op, operands in steps:
        own, *others = [nodes.get(one, one) for one in operands]
        found = (
            _APPLIED[op](own, *others)
            if op in _APPLIED
            else getattr(own, op)(**{key: int(value) for key, value in (one.split("=") for one in others)})
        )
        nodes[name] = _node(found, op, node)
        if name.isidentifier():
            student.name(**{name: found})
    go_back(student, nodes, len(leaves))


def _node(found: Any, maker: str, node: str) -> Any:
    """Return the result of an operation or of the class. Raises AssertionError unless it is an object of the student's."""
    assert isinstance(found, Proxy), f"`{maker}` returned {short(found)}. Return a {node}."
    return found

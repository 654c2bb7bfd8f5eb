"""The kinds of questions, a file each: a fact with its fields, and a function that asks.

value.py     a value of the forward pass, or the result of a function
order.py     which node is called third
gradient.py  a gradient just before or after a call
edit.py      what would come out if one line were another one
line.py      which line makes a contribution
theirs.py    which of four lines is theirs
leaf.py      which leaf moves the root most
calls.py     how often a rule runs
cause.py     wrong work: what their code leaves, and what is right
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.viva.kinds import calls, cause, edit, gradient, leaf, line, order, theirs, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.viva.question import Asking, Question

ASK: dict[str, Callable[[Asking], Iterator[Question]]] = {
    "cause": cause.ask,
    "edit": edit.ask,
    "gradient": gradient.ask,
    "line": line.ask,
    "order": order.ask,
    "leaf": leaf.ask,
    "calls": calls.ask,
    "value": value.ask,
    "theirs": theirs.ask,
}
KINDS: dict[str, type[Question]] = {
    kind.kind: kind
    for kind in (
        cause.CauseQuestion,
        edit.EditQuestion,
        gradient.GradientQuestion,
        line.LineQuestion,
        order.OrderQuestion,
        leaf.LeafQuestion,
        calls.CallsQuestion,
        value.ValueQuestion,
        theirs.TheirsQuestion,
    )
}

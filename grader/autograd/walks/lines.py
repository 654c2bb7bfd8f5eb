"""The lines of a wrong walk or sort: those that call or list a node too early or too often, or set a wrong gradient."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from grader.autograd.lines import MOST, MOST_TEXT, NOT_READ, Line, ask_lines
from grader.autograd.walks.runs import own_row, plain_row
from grader.sandbox import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.walks.findings import WalkFinding
    from grader.sandbox import Sandbox

_Event = tuple[Line, Line]  # a node and a line
_Walked = tuple[
    Annotated[list[_Event], Meta(max_length=1000)],
    Annotated[list[_Event], Meta(max_length=1000)],
    Line,
    dict[str, Annotated[list[Line], Meta(max_length=MOST)]],
]


def read_walk(
    sandbox: Sandbox, finding: WalkFinding, walk: str, begin: Frame, *, sorts: bool = False
) -> list[Frame]:
    """Return the lines of a wrong walk that call a node too early or too often, or that set a wrong gradient.

    Of one that `sorts` they are those that list the node. It goes over the graph of the finding once more, in the load
    that is there; no line is told if it goes otherwise.
    """
    graph = finding.graph
    text = sandbox.text_of(begin.block)
    cls, _, name = walk.rpartition(".")
    for is_plain in (True,) if sorts else (True, False)[bool(cls) :]:
        row = plain_row(graph) if is_plain else own_row(graph)
        plan = json.dumps([text[:MOST_TEXT], is_plain, row])
        try:
            walked = name if cls else sandbox.get(walk)
            answer = ask_lines(
                sandbox,
                ("application", "recording", "walks", "lines", "walklines"),
                "sort_lines" if sorts else "walk_lines",
                plan,
                walked,
            )
            calls, sets, first, shared = msgspec.convert(answer, _Walked)
        except NOT_READ:
            return []
        order = [event for event in calls if sorts or event[0] in graph.inner]
        student = [graph.names[node] for node, _ in order]
        if first == begin.line and (not calls or student == [*finding.fact.student]):
            listed = [
                line for (_, line), name in zip(order, student, strict=True) if name == finding.fact.node
            ]
            lines = listed if sorts else _of_fault(finding, order, sets)
            found = list(dict.fromkeys(each for line in lines for each in shared.get(str(line), ())))
            return [Frame(begin.block, line, begin.function) for line in found if len(found) <= MOST]
    return []


def _of_fault(finding: WalkFinding, calls: Sequence[_Event], sets: Sequence[_Event]) -> list[int]:
    """Return the lines of the call that is wrong, or those that set the gradients of the nodes that a fault is about."""
    fact, graph = finding.fact, finding.graph
    below = [line for node, line in sets if node != graph.root]
    if finding.kind in {"early", "twice", "loop"} and not calls:
        return below  # nodes hand on in a loop, without calls
    if finding.kind in {"early", "twice"}:
        return [calls[fact.wrong][1]] if 0 <= fact.wrong < len(calls) else []
    about = {fact.node, *fact.nodes} - {fact.root} if finding.kind in {"seeds", "clears"} else set()
    about |= {fact.root} if fact.fault in {"seed_own", "seed_wrong"} else set()
    return [line for node, line in sets if node < len(graph.names) and graph.names[node] in about]

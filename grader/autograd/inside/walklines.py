"""Finds the lines of a walk that call nodes and set gradients, and those of a sort that list nodes. Sent with application.py, recording.py, walks.py and lines.py.

It reports lines and does not judge.
"""

import json
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import _ABSENT, _code  # noqa: TC004
    from grader.autograd.inside.lines import _NO_DATA, MOST_STEPS, Source, Steps, _kept, traced  # noqa: TC004
    from grader.autograd.inside.recording import Recorder, attempt  # noqa: TC004
    from grader.autograd.inside.walks import built, plain  # noqa: TC004


def walk_lines(make: Any, plan: str, walk: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one walk is short
    """Return what a walk does on its nodes, in order, each a node and a line: its calls, and the gradients that it sets.

    `plan` has the texts of blocks, the block of the walk, and a row of walks.py, of plain nodes or of the student's own;
    `walk` is a function or the name of a method. Third is the first line of its code, last the lines that share those
    of each line.
    """
    texts, ((block, is_plain, row),) = json.loads(plan)
    function = getattr(make, walk) if isinstance(walk, str) else walk
    nodes = plain(Recorder([]), row, turned=False) if is_plain else built(make, row)
    of = "gradient" if is_plain else "grad"
    calls: list[Any] = []
    sets: list[Any] = []
    names: set[str] = set()
    last: Any = [[_kept(node, of) for node in nodes], 0]

    def look(line: int, frame: Any, result: Any) -> None:
        kept = [_kept(node, of) for node in nodes]
        if last[1] == len(calls):
            sets.extend(
                [i, line]
                for i, (one, other) in enumerate(zip(last[0], kept, strict=True))
                if one is not other
            )
        last[:] = kept, len(calls)
        if result is not _ABSENT:
            names.update(
                name
                for name, value in frame.f_locals.items()
                if value is not nodes[-1] and type(value) not in _NO_DATA
            )

    steps = Steps(_code(function), look)

    def noted(place: int, rule: Any) -> Any:
        def _backward(*args: Any) -> Any:
            calls.append([place, steps.line])
            return rule(*args)

        return _backward

    for place, node in enumerate(nodes):
        if callable(rule := getattr(node, "_backward", None)):
            node._backward = noted(place, rule)
    attempt(lambda: steps.run(lambda: function(nodes[-1])))
    if not steps.is_whole or str(block) not in texts:
        return [[], [], 0, {}]
    source = Source(texts[str(block)])
    shared = {str(line): source.shared({line}, names) for _, line in (*calls, *sets)}
    return [calls, sets, steps.code.co_firstlineno, shared]


def sort_lines(make: Any, plan: str, sort: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one list is short
    """Return the nodes that a sort lists, in order, each with the line that put it there; as `walk_lines` returns calls."""
    texts, ((block, _, row),) = json.loads(plan)
    nodes = plain(Recorder([]), row, turned=False)
    growth = Growth(_code(sort))
    result, raised = attempt(lambda: traced(lambda: sort(nodes[-1]), growth.call))
    if raised or growth.left <= 0 or type(result) is not list or str(block) not in texts:
        return [[], [], 0, {}]
    added = next(
        (lines for items, lines in growth.lists.values() if [*map(id, items)] == [*map(id, result)]), []
    )
    places = {id(node): place for place, node in enumerate(nodes)}
    calls = [
        [places[id(node)], line] for node, line in zip(result, added, strict=False) if id(node) in places
    ]
    source = Source(texts[str(block)])
    shared = {str(line): source.shared({line}, set()) for _, line in calls}
    return [calls, [], growth.code.co_firstlineno, shared]


class Growth:
    """Notes after each line of a function, and of those inside of it, which lists of theirs have got an entry more.

    `lists` has the entries of each list and the lines that added them; a list that changed otherwise is left out.
    """

    def __init__(self, code: Any) -> None:
        self.code, self.left = code, MOST_STEPS
        self.codes = {code, *(each for each in code.co_consts if type(each) is types.CodeType)}
        self.lists: dict[int, tuple[list[Any], list[int]]] = {}
        self.kept: list[Any] = []  # so that no other object gets a list's id

    def call(self, frame: Any, _event: str, _arg: Any) -> Any:
        """Return a trace function for a frame of the function."""
        if frame.f_code not in self.codes:
            return None
        line = 0

        def step(frame: Any, _event: str, _arg: Any) -> Any:
            nonlocal line
            self.left -= 1
            if self.left < 0:
                sys.settrace(None)
                return None
            self._look(frame, line)
            line = frame.f_lineno
            return step

        return step

    def _look(self, frame: Any, line: int) -> None:
        for found in frame.f_locals.values():
            if type(found) is list:
                items, lines = self.lists.setdefault(id(found), ([], []))
                self.kept += [] if items or lines else [found]
                more = found[len(items) :]
                items += more
                lines += [line] * len(more)

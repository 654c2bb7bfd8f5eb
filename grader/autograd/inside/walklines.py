"""Finds the lines of a walk that call nodes and set gradients. Sent with application.py, recording.py, walks.py and lines.py.

It reports lines and does not judge.
"""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import _ABSENT, _code  # noqa: TC004
    from grader.autograd.inside.lines import _NO_DATA, Source, Steps, _kept  # noqa: TC004
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

"""Finds the lines of a walk that call nodes and set gradients, and those of a sort that list nodes. Sent with application.py, recording.py, walks.py and lines.py.

It reports lines and does not judge. `plan` has the text of a block, and a row of walks.py, of plain nodes or of the student's
own. An answer is what is done on the nodes, each a node and a line, in order: calls, or entries of the list, and gradients
that are set; then the first line of the function's code, and the lines that share those of each line.
"""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import _ABSENT, _code  # noqa: TC004
    from grader.autograd.inside.lines import _NO_DATA, Source, Steps, _kept  # noqa: TC004
    from grader.autograd.inside.recording import attempt  # noqa: TC004
    from grader.autograd.inside.walks import built, plain  # noqa: TC004


def walk_lines(make: Any, plan: str, walk: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one walk is short
    """Return the answer about a walk: a function or the name of a method."""
    text, is_plain, row = json.loads(plan)
    function = getattr(make, walk) if isinstance(walk, str) else walk
    nodes = built(None if is_plain else make, row)
    calls, sets, names = list[Any](), list[Any](), set[str]()
    last: Any = [[_kept(node, "grad") for node in nodes], 0]

    def look(line: int, frame: Any, result: Any) -> None:
        kept = [_kept(node, "grad") for node in nodes]
        pairs = enumerate(zip(last[0], kept, strict=True))
        sets.extend([i, line] for i, (one, other) in pairs if one is not other and last[1] == len(calls))
        last[:] = kept, len(calls)
        held = frame.f_locals.items() if result is not _ABSENT else ()
        names.update(name for name, value in held if value is not nodes[-1] and type(value) not in _NO_DATA)

    def noted(place: int, rule: Any) -> Any:
        def _backward(*args: Any) -> Any:
            calls.append([place, *[*steps.lines.values()][-1:]])
            return rule(*args)

        return _backward

    steps = Steps(_code(function), look)
    for place, node in enumerate(nodes):
        if callable(rule := getattr(node, "_backward", None)):
            node._backward = noted(place, rule)
    attempt(lambda: steps.run(lambda: function(nodes[-1])))
    return _told(text, steps, calls, sets, names)


def sort_lines(make: Any, plan: str, sort: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one list is short
    """Return the answer about a sort; empty unless it returns a list that grew entry by entry in a name of its own."""
    text, _, row = json.loads(plan)
    nodes = plain(row, turned=False)
    lists: dict[
        int, tuple[Any, list[int], list[int]]
    ] = {}  # each with the ids of its entries, and their lines

    def look(line: int, frame: Any, _: Any) -> None:
        for found in frame.f_locals.values():
            if type(found) is list:
                _, entries, lines = lists.setdefault(id(found), (found, [], []))
                lines += [line] * (len(found) - len(entries))
                entries += map(id, found[len(entries) :])

    steps = Steps(_code(sort), look, inner=True)
    result, _ = attempt(lambda: steps.run(lambda: sort(nodes[-1])))
    listed = [*map(id, result)] if type(result) is list else []
    added = next((lines for _, entries, lines in lists.values() if entries == listed), [])
    places = {id(node): place for place, node in enumerate(nodes)}
    calls = [[places[each], line] for each, line in zip(listed, added, strict=False) if each in places]
    return _told(text, steps, calls, [], set())


def _told(text: str, steps: Any, calls: list[Any], sets: list[Any], names: set[str]) -> list[Any]:
    if not steps.is_whole:
        return [[], [], 0, {}]
    source = Source(text)
    shared = {str(line): source.shared({line}, names) for _, line in (*calls, *sets)}
    return [calls, sets, steps.code.co_firstlineno, shared]

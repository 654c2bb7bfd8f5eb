"""Facts about wrong walks, for failed checks, from the calls that the student's walk makes.

A sort (`build_topo`) runs on plain nodes, a walk (`backward`) on plain nodes and then on the student's own nodes, with
their own rules. Each fact names the graph on which it was observed.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from grader.autograd import inside
from grader.autograd.engine import engine_of
from grader.autograd.lines import MOST, MOST_TEXT, NOT_READ, Line, ask_lines, with_lines
from grader.autograd.walks.findings import WalkFinding, first_wrong, first_wrong_list, wrong_loop
from grader.autograd.walks.graphs import Graph, WalkOrder, graphs, look_of
from grader.autograd.walks.runs import (
    ListReply,
    children_of,
    read_replies,
    runs_of,
)
from grader.report import Fact, Location
from grader.sandbox import Frame, Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.budget import OutOfTime

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.topic import Failing

    Texts = tuple[str, ...]  # the runs over the graphs, each as JSON

ALL = len(graphs())
SECONDS = 6.0  # for one request: the deadline of the author's commands never ends
FEW, HELD = 13, (10.0,)  # graphs whose first leaf holds a gradient before the walk
BEFORE = (0.37, -0.53, 0.71, 0.29, -0.83, 0.61, -0.43)  # gradients that nodes hold before a loop over pairs


def explain_walks(
    sandbox: Sandbox,
    walks: Sequence[str],
    failing: Sequence[Failing],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, Fact]:
    """Read the walks that failing tests used; return the fact for each check that used a wrong one.

    `walks` are names of functions and methods. The name of a walk ends in `backward`, or in the engine's name for it; any
    other name is a sort's.
    """
    reader, made = _Reader(sandbox, walks), dict[Frame | str, Fact]()
    facts = dict[str, Fact]()
    for check, results in failing:
        used = [walk for walk in walks if any(result.uses(walk) for result in results)]
        try:
            found = next(filter(None, map(reader.read, used)), None)
        except OutOfTime:
            break  # the facts found so far are returned
        if found is not None:
            if found.of not in made:
                fact = found.fact.fact(locate(found.of if isinstance(found.of, Frame) else None))
                made[found.of] = with_lines(fact, _lines(sandbox, found), locate)
            facts[check] = made[found.of]
    return facts


# --- Reading


class _Reader(msgspec.Struct):
    """Findings about functions, each read once."""

    sandbox: Sandbox
    walks: Sequence[str]
    known: dict[str, WalkFinding | None] = {}

    def read(self, walk: str) -> WalkFinding | None:
        """Return the finding about a function; None if it is right, raises an error, or cannot be read."""
        if walk not in self.known:
            try:
                found = self._find_fault(walk)
                self.known[walk] = found and (found if found.of else replace(found, of=self._location(walk)))
            except (StudentError, Undefined, ValueError):
                self.known[walk] = None
            except SubmissionStopped:  # another request would be stopped, too
                self.known = {**dict.fromkeys(self.walks), **self.known, walk: None}
        return self.known[walk]

    def _location(self, walk: str) -> Frame | str:
        """Return the location of the function; for a method that only calls a function of its name, that function's."""
        cls, _, name = walk.rpartition(".")
        if cls and self._texts("passed_on", walk, (1,)) == [("[true]",)]:
            walk = name
        return self.sandbox.find_definitions([walk])[0] or walk

    def _texts(
        self, kind: str, walk: str, *calls: Sequence[Any], turned: bool = False, plain: bool = False
    ) -> list[Texts]:
        """Return the texts of the runs of each call, one for each graph, up to the first call that raised.

        They come from a fresh load. A call is the number of graphs, and arguments. Raises StudentError, SubmissionStopped,
        OutOfTime.
        """
        sandbox, (cls, _, name) = self.sandbox, walk.rpartition(".")
        sandbox.load("reverse" if turned else "forward")
        ask = inside.helper(sandbox, ("recording", "walks"), "ask")
        functions: list[Any] = [name if cls else sandbox.get(name)]
        if kind != "sorts":
            functions.insert(0, None if plain else sandbox.get(cls or engine_of(sandbox).node))
        rows = json.dumps([_row_of(graph, plain=plain) for graph in graphs(sums=sandbox.has_arrays)])
        sandbox.budget.deadline.check()
        with sandbox.budget.within("explain_seconds", SECONDS):
            answer = ask(kind, rows, functions, [list(call) for call in calls])
        return msgspec.convert(answer, list[tuple[str, ...]])

    def _find_fault(self, walk: str) -> WalkFinding | None:
        """Try a function on plain nodes, then any walk on the student's own nodes."""
        if not engine_of(self.sandbox).is_walk(walk):
            texts = self._texts(
                "sorts", walk, *((ALL, turned) for turned in (False, True, False)), plain=True
            )
            return _of_lists(walk, tuple(texts), sums=self.sandbox.has_arrays)
        sort = next(
            (walk for walk in self.walks if not engine_of(self.sandbox).is_walk(walk) and "." not in walk), ""
        )
        for plain in (False,) if "." in walk else (True, False):
            ends, found = self._try_walk(walk, "", plain=plain)
            # An error may come from a wrong list of the sort. Then the walk is right with a right sort.
            cause = self.read(sort) if sort and (found or not ends) else None
            if cause and self._try_walk(walk, sort, plain=plain) == (True, None):
                return cause
            if found:
                return found
        return None

    def _try_walk(self, walk: str, sort: str, *, plain: bool) -> tuple[bool, WalkFinding | None]:
        """Return True if the walk ends, and the finding about it, under both orders of sets.

        Plain nodes are walked in one load, and again with a leaf that holds a gradient.
        """
        calls = [(ALL, sort, turned, (), BEFORE) for turned in (False, True)]
        found = (
            self._texts("own", walk, *calls, (FEW, sort, False, HELD, BEFORE), plain=True)
            if plain
            else [texts for call in calls for [texts] in [self._texts("own", walk, call, turned=call[2])]]
        )
        how = {"sums": self.sandbox.has_arrays, "plain": plain}
        if not found or any(runs_of(each, **how) is None for each in found):
            return False, None
        return True, _of_runs(walk.rpartition(".")[2], tuple(found), **how)


def _row_of(graph: Graph, *, plain: bool) -> list[Any]:
    """Return a graph for the jail: the name, data and pairs of each plain node, or the operation and operands of each node."""
    return [*zip(graph.names, graph.data, graph.pairs, strict=True)] if plain else graph.rows


# A finding depends only on the texts, so students of a class share it. A key has up to 100,000 characters.
@functools.lru_cache(100)
def _of_lists(name: str, texts: Sequence[Texts], *, sums: bool) -> WalkFinding | None:
    """Return the finding about a sort; None without one.

    None also if it raised, because the message shows that, or if its list depends on more than the graph. Raises
    ValueError.
    """
    over = graphs(sums=sums)
    *rows, again = [read_replies(each, ListReply, over) for each in texts]
    if any(seen.lists[0][0] for row in rows for seen in row):
        return None
    findings = [[first_wrong_list(*pair, name) for pair in zip(over, row, strict=True)] for row in rows]
    orders = [
        WalkOrder(graph, tuple(seen.lists[0][2][::-1]), children_of(seen), leaves=True)
        for row in rows
        for graph, seen in zip(over, row, strict=True)
    ]
    found = _first_finding(findings, orders)
    same = [seen.lists[0] for seen in rows[0]] == [seen.lists[0] for seen in again]
    return found if same or (found and found.kind in {"keeps", "earlier"}) else None


@functools.lru_cache(100)
def _of_runs(name: str, texts: Sequence[Texts], *, sums: bool, plain: bool) -> WalkFinding | None:
    """Return the first finding in the runs of a walk; None without one. Raises ValueError."""
    found = [runs_of(each, sums=sums, plain=plain) or [] for each in texts]
    unread = [each for each in found if any(run.pairs and not run.known for run in each)]
    if any(run.graph.inner for each in unread for run in each):
        return wrong_loop([run for each in unread for run in each if run.pairs], name)
    findings = [[first_wrong(run, name) if run.known else None for run in each] for each in found]
    runs = [run for each in found for run in each if run.known]
    orders = [WalkOrder(run.graph, tuple(run.calls), run.kids, leaves=False) for run in runs]
    return _first_finding(findings, orders)


def _first_finding(
    findings: Sequence[Sequence[WalkFinding | None]], seen: Sequence[WalkOrder]
) -> WalkFinding | None:
    """Return the finding on the first graph that shows one, with the look of the order on all graphs.

    A node that is never reached comes before a wrong order.
    """
    found = sorted((one for row in findings for one in row if one), key=lambda one: one.graph.twins)
    if not found:
        return None
    first = found[0]
    if first.kind in {"early", "twice"}:
        first = next(
            (one for one in found if one.kind in {"never", "missing"} and not one.graph.twins), first
        )
    look = "alike" if first.graph.twins and first.kind in {"never", "missing"} else ""
    if not first.graph.twins and first.kind in {"early", "twice"}:
        look = look_of([one for one in seen if not one.graph.twins])
    return replace(first, fact=replace(first.fact, look=look))


# --- Lines


_Event = tuple[Line, Line]  # a node and a line
_Walked = tuple[
    Annotated[list[_Event], Meta(max_length=1000)],
    Annotated[list[_Event], Meta(max_length=1000)],
    Line,
    dict[str, Annotated[list[Line], Meta(max_length=MOST)]],
]
_FILES = ("application", "recording", "walks", "lines")


def _lines(sandbox: Sandbox, found: WalkFinding) -> list[Frame]:
    """Return the lines of a wrong walk that call a node too early or too often, or that set a wrong gradient.

    For a sort, they are the lines that list the node. The walk runs again over the graph of the finding, in the current
    load; there are no lines if it runs differently.
    """
    fact, graph, begin = found.fact, found.graph, found.of
    sorts = not engine_of(sandbox).is_walk(fact.function)
    if not isinstance(begin, Frame) or not begin.function.endswith(fact.function):
        return []
    cls, _, name = begin.function.rpartition(".")
    for is_plain in (True,) if sorts else (True, False)[bool(cls) :]:
        plan = json.dumps(
            [sandbox.text_of(begin.block)[:MOST_TEXT], is_plain, _row_of(graph, plain=is_plain)]
        )
        try:
            walked = name if cls else sandbox.get(name)
            answer = ask_lines(sandbox, _FILES, "sort_lines" if sorts else "walk_lines", plan, walked)
            calls, sets, first, shared = msgspec.convert(answer, _Walked)
        except NOT_READ:
            return []
        order = [event for event in calls if sorts or event[0] in graph.inner]
        student = [graph.names[node] for node, _ in order]
        if first == begin.line and (not calls or student == [*fact.student]):
            listed = [line for (_, line), name in zip(order, student, strict=True) if name == fact.node]
            lines = listed if sorts else _of_fault(found, order, sets)
            told = list(dict.fromkeys(each for line in lines for each in shared.get(str(line), ())))
            return [Frame(begin.block, line, begin.function) for line in told if len(told) <= MOST]
    return []


def _of_fault(finding: WalkFinding, calls: Sequence[_Event], sets: Sequence[_Event]) -> list[int]:
    """Return the line of the wrong call, or the lines that set the gradients of the nodes in a fault."""
    fact, graph = finding.fact, finding.graph
    below = [line for node, line in sets if node != graph.root]
    if finding.kind in {"early", "twice", "loop"} and not calls:
        return below  # nodes hand on in a loop, without calls
    if finding.kind in {"early", "twice"}:
        return [calls[fact.wrong][1]] if 0 <= fact.wrong < len(calls) else []
    about = {fact.node, *fact.nodes} - {fact.root} if finding.kind in {"seeds", "clears"} else set()
    about |= {fact.root} if fact.fault in {"seed_own", "seed_wrong"} else set()
    return [line for node, line in sets if node < len(graph.names) and graph.names[node] in about]

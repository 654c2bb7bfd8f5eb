"""Facts about wrong walks, for checks that failed: read from the calls that the student's walk makes.

A sort (`build_topo`) is tried on plain nodes, a walk (`backward`) on plain nodes and then on the student's own nodes,
with their own rules. Each fact is about a graph on which it was observed.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from grader.autograd import inside
from grader.autograd.engine import engine_of
from grader.autograd.lines import with_lines
from grader.autograd.memory import ResultCache
from grader.autograd.walks.findings import WalkFinding, first_wrong, first_wrong_list, wrong_loop
from grader.autograd.walks.graphs import Graph, WalkOrder, graphs, look_of
from grader.autograd.walks.lines import read_walk
from grader.autograd.walks.runs import (
    CALLED,
    EARLIER,
    HANDED_ON,
    SORTED,
    WALKED,
    Kept,
    WalkRun,
    called_run,
    checked,
    formula_of,
    kept_of,
    listed,
    own_row,
    pairs_run,
    plain_row,
    plain_run,
    seen_list,
)
from grader.report import Fact
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined
from grader.sandbox.budget import OutOfTime
from grader.sandbox.proxy import handle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    Texts = tuple[str, ...]  # the runs over the graphs, each as JSON
    Graphs = tuple[Graph, ...]

    from grader.autograd.engine import EngineNames
    from grader.report import Location
    from grader.sandbox import Sandbox
    from grader.topic import Failing

ALL = len(graphs())
MANY = (ALL, ALL, 13, ALL)  # graphs of plain nodes in each try
SECONDS = 6.0  # seconds for one request: an author's deadline never ends
# Gradients that nodes hold before a loop over pairs.
BEFORE = (
    0.37,
    -0.53,
    0.71,
    0.29,
    -0.83,
    0.61,
    -0.43,
)


def explain_walks(
    sandbox: Sandbox,
    walks: Sequence[str],
    failing: Sequence[Failing],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, Fact]:
    """Read the walks that failing tests used; return the fact about it for each check that used a wrong one.

    `walks` are names of functions and methods. One that makes calls ends in the name of the engine's `backward`; any other
    is a sort.
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
                made[found.of] = with_lines(found.fact(locate), reader.lines(found), locate)
            facts[check] = made[found.of]
    return facts


class _Found(msgspec.Struct, frozen=True):
    """A finding about a function, and the look of its order; `of` is the location of its definition, or its name."""

    finding: WalkFinding
    look: str
    of: Frame | str = ""

    def fact(self, locate: Callable[[Frame | None], Location | None]) -> Fact:
        """Return the fact for the report."""
        where = self.of if isinstance(self.of, Frame) else None
        return replace(self.finding.fact, look=self.look).fact(locate(where))


# --- Asking


class _Asked:
    """One fresh load of the submission, and requests for runs over graphs: of plain nodes, or of the student's own."""

    def __init__(
        self, sandbox: Sandbox, order: str = "forward", *, plain: bool = False, helper: str = "ask"
    ) -> None:
        self.sandbox, self._rows = sandbox, _rows(sums=sandbox.has_arrays, plain=plain)
        sandbox.load(order)
        source = inside.compiled("recording", "walks", renames=engine_of(sandbox).renames)
        self._helper = handle_of(sandbox.helper(source, helper)).id

    def ask(self, *args: object) -> Any:
        """Return the answer of the helper. Raises StudentError, SubmissionStopped, OutOfTime."""
        self.sandbox.budget.deadline.check()
        with self.sandbox.budget.within("explain_seconds", SECONDS):
            encoded = [self.sandbox.encode(arg) for arg in args]
            return self.sandbox.ask("call", "helper", h=self._helper, args=encoded, kw={})

    def texts(self, kind: str, *calls: Sequence[Any]) -> list[tuple[str, ...]]:
        """Return the texts of the runs of each call, one for each of its graphs, up to the first call that raised.

        A call is the number of graphs, and arguments.
        """
        answer = self.ask(kind, self._rows, [list(call) for call in calls])
        return msgspec.convert(answer, list[tuple[str, ...]])

    def row(self, read: Callable[[Texts, Graphs], _Row], *args: object, recorded: bool) -> _Row:
        """Return the runs over own nodes; with the same texts they are read once."""
        (texts,) = self.texts("own", (ALL, *args[:3], recorded, *args[3:]))
        sums = self.sandbox.has_arrays
        key = read.__name__, recorded, sums, texts
        return _ROWS.get(key, lambda: replace(read(texts, graphs(sums=sums)), key=key))


@functools.cache
def _rows(*, sums: bool, plain: bool) -> str:
    return json.dumps([plain_row(graph) if plain else own_row(graph) for graph in graphs(sums=sums)])


# --- Reading


class _Reader(msgspec.Struct):
    """Findings about functions, each read once."""

    sandbox: Sandbox
    walks: Sequence[str]
    known: dict[str, _Found | None] = {}

    def read(self, walk: str) -> _Found | None:
        """Return the finding about a function; None if it is right, raises an error or cannot be read."""
        if walk not in self.known:
            try:
                found = self._walk(walk) if self.engine.is_walk(walk) else self._sort(walk)
                self.known[walk] = found and (found if found.of else replace(found, of=self._location(walk)))
            except (StudentError, Undefined, ValueError):
                self.known[walk] = None
            except SubmissionStopped:  # another request would be stopped, too
                self.known = {**dict.fromkeys(self.walks), **self.known, walk: None}
        return self.known[walk]

    def lines(self, found: _Found) -> list[Frame]:
        """Return the lines of a wrong walk or sort that did what is told."""
        name = found.finding.fact.function
        if not isinstance(found.of, Frame) or not found.of.function.endswith(name):
            return []
        sorts = not self.engine.is_walk(name)
        return read_walk(self.sandbox, found.finding, found.of.function, found.of, sorts=sorts)

    def _location(self, walk: str) -> Frame | str:
        """Return the location of the function, or of the function of the same name that a method only calls."""
        cls, _, name = walk.rpartition(".")
        if cls and _Asked(self.sandbox, helper="passed_on").ask(self.sandbox.get(cls), name) is True:
            walk = name
        return self.sandbox.defined([walk])[0] or walk

    @property
    def engine(self) -> EngineNames:
        """The names of the student's engine."""
        return engine_of(self.sandbox)

    @property
    def graphs(self) -> Graphs:
        """The graphs on which walks are tried; of arrays, sums alone, for not every engine has a product of each entry."""
        return graphs(sums=self.sandbox.has_arrays)

    @property
    def sort(self) -> str:
        """The student's function that lists nodes, if one is declared."""
        return next((walk for walk in self.walks if not self.engine.is_walk(walk) and "." not in walk), "")

    # Sorts

    def _sort(self, name: str) -> _Found | None:
        asked = _Asked(self.sandbox, plain=True)
        function = self.sandbox.get(name)

        by_order = asked.texts("sorts", (ALL, function, False), (ALL, function, True))
        found = _FOUND.get(
            ("sort", name, self.sandbox.has_arrays, *by_order), lambda: _listed(name, by_order, self.graphs)
        )
        if found is None or found.finding.kind in ("keeps", "earlier"):
            return found
        (again,) = asked.texts("sorts", (ALL, function, False))
        # Otherwise its result depends on more than the graph.
        same = again == by_order[0] or _first_lists(again, self.graphs) == _first_lists(
            by_order[0], self.graphs
        )
        return found if same else None

    # Walks

    def _walk(self, walk: str) -> _Found | None:
        """Try a function on plain nodes, then any walk on the student's own nodes, under both orders of sets."""
        name = walk.rpartition(".")[2]
        for way in [self._plain, self._own] if walk == name else [self._own]:
            walks = way(walk, "")
            found = walks.finding(name) if walks else None
            # An error may come from a wrong list of the sort.
            if (found or not walks) and (cause := self._cause(way, walk)):
                return cause
            if found and walks and way == self._own:
                again = self._own(walk, "", walks)
                if again is None:
                    return None
                found = found if again.ends == walks.ends else None
            if found:
                return found
        return None

    def _cause(self, way: Callable[[str, str], _Walks | None], walk: str) -> _Found | None:
        """Return the finding about the sort, if the walk is right with a right sort."""
        found = self.read(self.sort) if self.sort else None
        walks = way(walk, self.sort) if found else None
        return found if walks and walks.finding("") is None else None

    def _plain(self, walk: str, sort: str) -> _Walks | None:
        """Walk over plain nodes, under both orders of sets; then over nodes of which one already holds a gradient.

        Return None if the walk raises. Raises ValueError for a walk that depends on more than the graph.
        """
        asked = _Asked(self.sandbox, plain=True)
        function = self.sandbox.get(walk)
        ways = [(False, []), (True, []), (False, [10.0]), (False, [])]
        calls = [(many, function, sort, *way) for many, way in zip(MANY, ways, strict=True)]
        texts = asked.texts("walks", *calls)
        if len(texts) < len(ways):
            return None  # it raised
        key = (self.sandbox.has_arrays, *texts)
        return _PLAIN.get(key, lambda: _plain_walks(key, texts, self.graphs))

    def _own(self, walk: str, sort: str, noted: _Walks | None = None) -> _Walks | None:
        """Walk over the student's own nodes, recording calls or, if the nodes have no closures, pairs.

        With walks that were `noted` before, walk again without recording: both must end alike, or the recording has
        changed the walk. Return None if the walk raises.
        """
        cls, _, name = walk.rpartition(".")
        found = _Walks(key=())
        for place, order in enumerate(("forward", "reverse")):
            asked = _Asked(self.sandbox, order)
            function = name if cls else self.sandbox.get(name)
            make = self.sandbox.get(cls or self.engine.node)
            row = asked.row(_called_row, make, function, sort, recorded=noted is None)
            if row.raised:
                return None
            found.key += row.key
            by_calls = row.by_calls if noted is None else noted.by_calls[place]
            if not by_calls:
                pairs = asked.row(_pairs_row, make, function, sort, BEFORE, recorded=noted is None)
                if pairs.raised:
                    return None
                found.key += pairs.key
                found.kept += pairs.kept
                by_calls = pairs.by_calls
                row = row if by_calls else pairs
                found.unread |= not by_calls and pairs.unread
            found.by_calls.append(by_calls)
            found.runs.append(row.runs)
            found.ends.append(row.ends)
        return found


def _listed(name: str, by_order: Sequence[Texts], over: Graphs) -> _Found | None:
    """Return the finding about a sort; None also if it raised, which the message shows. Raises ValueError."""
    forward, reverse = rows = [checked(texts, SORTED, over) for texts in by_order]
    if any(twice[0][0] for row in (forward, reverse) for twice, _ in row):
        return None
    findings = [
        [first_wrong_list(graph, *listed(run), name) for graph, run in zip(over, row, strict=True)]
        for row in rows
    ]
    seen = [seen_list(*pair) for row in rows for pair in zip(over, row, strict=True)]
    return _first_finding(findings, seen)


def _first_lists(texts: Texts, over: Graphs) -> list[Any]:
    """Return the first list of each run. Raises ValueError."""
    return [run[0][0] for run in checked(texts, SORTED, over)]


def _plain_walks(key: tuple[Hashable, ...], tries: Sequence[Texts], over: Graphs) -> _Walks | None:
    """Return the walks over plain nodes; None if one raised. Raises ValueError for a walk that varies."""
    all_runs = [checked(texts, WALKED, over[:many]) for texts, many in zip(tries, MANY, strict=True)]
    if any(map(_raised, all_runs)):
        return None
    found = [[plain_run(*pair) for pair in zip(over, runs, strict=False)] for runs in all_runs]
    again = found.pop()
    kept = any(event.node == EARLIER for run in again for event in run.events)
    if not kept and all_runs[0] != all_runs[-1]:
        raise ValueError("another walk over an equal graph")
    return _Walks(key, [*found])


def _called_row(texts: Texts, over: Graphs) -> _Row:
    runs = checked(texts, CALLED, over)
    if _raised(runs):
        return _Row(raised=True)
    row = [run and called_run(graph, run) for graph, run in zip(over, runs, strict=True)]
    return _Row(row, [run and run[3] for run in runs], by_calls=any(run and run.calls for run in row))


def _pairs_row(texts: Texts, over: Graphs) -> _Row:
    runs = checked(texts, HANDED_ON, over)
    if _raised(runs):
        return _Row(raised=True)
    pairs = [*zip(over, runs, strict=True)]
    kept = [kept_of(graph, run) for graph, run in pairs if run]
    if not any(run and graph.inner for graph, run in pairs):
        return _Row(kept=kept, by_calls=True)
    row = [run and pairs_run(graph, run) for graph, run in pairs]
    unread = any(run and one is None for run, one in zip(runs, row, strict=True))
    return _Row(row, [run and run[3] for run in runs], kept, unread=unread)


def _raised(runs: Sequence[Any]) -> bool:
    """Return True if the walk raised an error on one of the graphs; the message shows it."""
    return any(run and run[0] for run in runs)


class _Row(msgspec.Struct, frozen=True):
    """The runs over the student's own nodes under one order of sets: by calls, or by the pairs that nodes keep."""

    runs: Sequence[WalkRun | None] = ()
    ends: Sequence[Any] = ()  # the gradients at the end
    kept: Sequence[Kept] = ()
    by_calls: bool = False
    raised: bool = False
    unread: bool = False  # some of the changes are not contributions of the kept pairs
    key: tuple[Hashable, ...] = ()  # what was read


class _Walks(msgspec.Struct):
    """The runs over all graphs, under one order of sets and then under the opposite one."""

    key: tuple[Hashable, ...]  # all that was read
    runs: list[Sequence[WalkRun | None]] = []
    ends: list[Sequence[Any]] = []  # the gradients at the end, of own nodes
    by_calls: list[bool] = []  # else by pairs
    kept: list[Kept] = []
    unread: bool = False

    def finding(self, name: str) -> _Found | None:
        """Return the first finding, if there is one."""
        return _FOUND.get(("walk", name, *self.key), lambda: self._finding(name))

    def _finding(self, name: str) -> _Found | None:
        if any(run is None for row in self.runs for run in row) and (formula := formula_of(self.kept)):
            return _Found(wrong_loop(formula, name), "")
        if self.unread:
            return None
        found = [[first_wrong(run, name) if run else None for run in row] for row in self.runs]
        seen = [run.seen() for row in self.runs for run in row if run]
        return _first_finding(found, seen)


# Findings follow from what was read alone, and students of a class share them. A key has up to 100,000 characters.
_FOUND, _PLAIN, _ROWS = (
    ResultCache["_Found | None"](100),
    ResultCache["_Walks | None"](100),
    ResultCache[_Row](100),
)


def _first_finding(
    findings: Sequence[Sequence[WalkFinding | None]], seen: Sequence[WalkOrder]
) -> _Found | None:
    """Return the finding on the first graph that shows one, and the look of the order on all graphs.

    A node that is never reached comes before the order of the others.
    """
    found = [one for row in findings for one in row if one and not one.graph.twins]
    first = next((one for one in found if one.kind in ("never", "missing")), None)
    if first is None or (found and found[0].kind not in ("early", "twice")):
        first = found[0] if found else None
    if first is None:
        twins = (one for row in findings for one in row if one)
        first = next(twins, None)
        look = "alike" if first and first.kind in ("never", "missing") else ""
        return _Found(first, look) if first else None
    look = ""
    if first.kind in ("early", "twice"):
        look = look_of([one for one in seen if not one.graph.twins])
    both = [any(one and one.graph == first.graph for one in row) for row in findings[:2]]
    kids = {one.kids for one in seen if one.graph == first.graph}
    if not look and sum(both) == 1 and len(kids) > 1:
        look = "opposite"
    return _Found(first, look)

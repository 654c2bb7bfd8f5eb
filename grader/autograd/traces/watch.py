"""The watcher of one test: the sandbox passes on every request, and the jail notes the effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.autograd import inside
from grader.autograd.engine import EngineNames, engine_of
from grader.autograd.rules.operations import KNOWN, SYMBOLS, Operation
from grader.autograd.traces.graph import GraphSnapshot, TracedGraph
from grader.autograd.traces.steps import WalkRequest, trace_of
from grader.sandbox import Record, Sandbox, StudentError
from grader.sandbox.loading import LOADING
from grader.sandbox.proxy import label_of, object_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.report import Trace

_APPLIED = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%", "matmul": "@",
    "neg": "neg",
}  # fmt: skip
BETWEEN = -1  # the mark of changes outside of watched requests


class TestWatcher:
    """Watches one test in a sandbox, which sends every request through `around`."""

    __test__ = False  # pytest collects no tests from it

    def __init__(
        self, sandbox: Sandbox, operations: Sequence[Operation], methods: Sequence[str] = ()
    ) -> None:
        """`methods` are further methods that make nodes, such as those of arrays."""
        self.sandbox, self.methods, self.engine = sandbox, methods, engine_of(sandbox)
        self.operations = {**KNOWN, **{operation.name: operation for operation in operations}}
        self.asked: list[WalkRequest] = []
        self.error = ""  # the type of the error that ended a watched request
        self.failed = False  # True if the jail's side raised
        self._over = False
        # Operation and operands, by the handle of the result.
        self.applied: dict[int, tuple[str, list[Any]]] = {}
        self._watch: int | None = None  # the handle of the helper in the jail
        self._classes: set[str] = set()
        self._known: dict[int, tuple[int | None, str]] = {}  # functions: the object of a method, and the name
        self._makers: set[int] = set()  # helpers of the checks that make plain nodes, and their parts

    def around(self, request: dict[str, Any], send: Callable[[dict[str, Any]], Any]) -> Any:
        """Send a request of the test, and note its effect. Raises what `send` raises."""
        if self.sandbox.has_arrays and self.sandbox.on_trial and not self._over:
            self._over = True  # a trial of the check is not part of its graph
            self.close()
        if request["op"] in {"begin", "reload"}:
            self._watch = None  # the helper is gone with the load before
        if request["op"] in LOADING or self._over:
            return send(request)
        asked = self._as_walk(request) if self._watch is not None else None
        if asked is None:
            answer = send(request)
        else:
            self._mark(asked)
            try:
                answer = send(request)
            except StudentError as error:
                self.error = error.type
                raise
            self._tell("mark", BETWEEN)
        self._learn(request, answer)
        return answer

    def _mark(self, asked: WalkRequest) -> None:
        if asked.kind == "set":  # perhaps before anything is made from the object
            self._tell("meet", {"h": asked.node})
        self.asked.append(asked)
        self._tell("mark", len(self.asked) - 1)

    def _tell(self, command: str, *args: Any) -> Any:
        """Run a command in the jail; return its reply, None if it raised."""
        try:
            if self._watch is None:
                source = inside.compile_files("recording", "trace", renames=self.engine.renames)
                self._watch = self.sandbox.request({"op": "source", "source": source, "name": "watch"})["h"]
            return self.sandbox.request({"op": "call", "h": self._watch, "args": [command, *args], "kw": {}})
        except StudentError:
            self.failed = True
            return None

    def _as_walk(self, request: dict[str, Any]) -> WalkRequest | None:
        """Return the request as a WalkRequest if it may walk."""
        op, handle = request["op"], request.get("h")
        if op == "set":
            return WalkRequest("set", handle, request["name"])
        if op != "call" or handle in self._makers:
            return None
        assert isinstance(handle, int)
        of, name = self._known.get(handle, (None, ""))
        if name == self.engine.closure:
            return WalkRequest("rule", of, name)
        if not name or name in self.operations or name in self.methods:
            return None
        args = [arg["h"] for arg in request["args"] if _is_handle(arg)]
        return WalkRequest("walk", of if of is not None else next(iter(args), None), name)

    def _learn(self, request: dict[str, Any], answer: Any) -> None:
        """Note objects, functions and operations; from the first node on, the jail notes the nodes made from it."""
        op, of = request["op"], request.get("h")
        found = answer["h"] if _is_handle(answer) else None
        if op == "get" and found is not None:
            self._known[found] = None, request["name"] if answer["k"] == "function" else ""
        elif op == "attr" and of is not None:
            if found is not None:
                self._known[found] = of, request["name"]
            elif request["name"] == self.engine.closure and self._watch is not None:  # None, for example
                self._mark(WalkRequest("rule", of, self.engine.closure))
        elif op == "source" and found is not None and request["source"] in _makers(self.engine):
            self._makers.add(found)
        elif op == "call" and of in self._makers:
            self._learn_plain(request, answer)
        elif op == "apply" and request["name"] in _APPLIED and found is not None:
            self.applied[found] = _APPLIED[request["name"]], request["args"]
        elif op == "call" and found is not None and of in self._known:
            receiver, name = self._known[of]
            if receiver is not None and name in (*self.operations, *self.methods):
                options = (o if isinstance(o, dict) else f"{key}={o}" for key, o in request["kw"].items())
                self.applied[found] = name, [{"h": receiver}, *request["args"], *options]
        if found is not None and answer["k"] == "instance" and answer["c"] not in self._classes:
            self._classes.add(answer["c"])
            methods = [name for name in (*self.operations, *self.methods) if name not in SYMBOLS]
            self._tell("hook", {"h": found}, {"l": methods})

    def _learn_plain(self, request: dict[str, Any], answer: Any) -> None:
        """Note plain nodes: the helper returns two functions, and the first one returns nodes by name."""
        if isinstance(answer, dict) and "t" in answer:
            self._makers.add(answer["t"][0]["h"])
            return
        first = request["args"][0] if request["args"] else {}
        rows = [row["t"] for row in first["l"]] if "l" in first else []
        handles = dict(answer["d"]) if isinstance(answer, dict) and "d" in answer else {}
        names = [name for name, _ in rows]
        if len(handles) == len(names):
            pairs = [[(names.index(p["t"][0]), p["t"][1]) for p in slopes["l"]] for _, slopes in rows]
            encoded = {"l": [{"l": [{"l": list(pair)} for pair in row]} for row in pairs]}
            self._tell("plain", {"l": [handles[name] for name in names]}, encoded)

    def trace(self, record: Record, *, passed: bool, hide: bool) -> Trace | None:
        """Return the trace of the test, which has ended; None if it cannot be read.

        With `hide` there is no right walk, which would give an answer away.
        """
        if self._watch is None or self.failed:
            return None
        nodes = {
            handle: proxy for handle, proxy in record.proxies.items() if object_kind(proxy) == "instance"
        }
        texts = self._tell("answer", {"l": [{"h": handle} for handle in nodes]})
        try:
            seen = GraphSnapshot.read(texts["l"], len(nodes))
            places = {handle: i for handle, i in zip(nodes, seen.places, strict=True) if i >= 0}
            names = {i: label_of(nodes[handle]) for handle, i in places.items()}
            given = {name: float(n) for name, n in record.named.items() if isinstance(n, int | float)}
            applied = {  # the operations that the test applied, by the node of the result
                places[handle]: (
                    op,
                    [places[o["h"]] if _is_handle(o) else o if "=" in str(o) else float(o) for o in encoded],
                )
                for handle, (op, encoded) in self.applied.items()
                if handle in places
                and all(_is_handle(o) or isinstance(o, int | float | str) for o in encoded)
            }
            graph = TracedGraph(
                seen, self.operations, applied, names, given, engine=self.engine,
                arrays=self.sandbox.has_arrays,
            )  # fmt: skip
            asked = [
                request._replace(node=places.get(request.node) if request.node else None)
                for request in self.asked
            ]
            return trace_of(graph, seen, asked, self.error, passed=passed, hide=hide)
        except (LookupError, TypeError, ValueError, OverflowError):  # replies come from the jail
            return None

    def close(self) -> None:
        """Restore the student's own methods for the next test, or for a live notebook."""
        if self._watch is not None:
            self._tell("unhook")


def _makers(engine: EngineNames) -> tuple[str, ...]:
    """Return the helpers of the checks that make nodes."""
    renames = engine.renames
    return inside.source("nodes", renames=renames), inside.source("nodes", "holding", "own", renames=renames)


def _is_handle(value: Any) -> bool:
    return isinstance(value, dict) and "h" in value

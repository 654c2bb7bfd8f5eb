"""Finds the lines of the student's code that wrote the numbers of nodes, while that code runs once more.

The code is an operation, a walk that calls nodes and sets gradients, or a sort that lists nodes. Sent with application.py, and
with arrays.py, or recording.py and walks.py.

It reports lines and does not judge. Nodes are read from their own slots and dictionaries, and values are compared by
identity, arrays by their bytes. So the operation itself is the only code of the student's that runs.
"""

import ast
import itertools
import json
import sys
import types
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.application import (  # noqa: TC004
        _ABSENT,
        _Application,
        _clock,
        _code,
        _Engine,
        _mro,
        _without_collection,
    )
    from grader.autograd.inside.arrays import _array_engine  # noqa: TC004
    from grader.autograd.inside.recording import attempt  # noqa: TC004
    from grader.autograd.inside.walks import _build_nodes, _plain_nodes  # noqa: TC004

MOST_STEPS = 300  # lines and calls of one run; a longer run gets no lines
ENOUGH = 3  # runs, where these have passed through every line
MOST_LINES = 3  # of one number; if more lines share it, none is reported
MOST_BYTES = 10_000  # of an array that is compared
_names_of: Any = type.__dict__["__dict__"].__get__
_READERS: dict[Any, Any] = {}
_DECIDING = (ast.If, ast.For, ast.While)
_NO_DATA = {types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type}
OF_METHOD = {"result", "pairs", "early", "data", "rule"}  # its rule writes the rest


# --- Numbers of nodes


def _own_attribute(node: Any, name: str) -> Any:
    """Return what an object itself holds in a slot or its dictionary."""
    kind = type(node)
    if (id(kind), name) not in _READERS:
        _READERS[id(kind), name] = (
            kind,
            _reader(kind, name),
        )  # the class is kept, so that no other gets its id
    try:
        return _READERS[id(kind), name][1](node)
    except AttributeError:  # an empty slot
        return _ABSENT


def _reader(kind: type, name: str) -> Any:
    spaces = [*map(_names_of, _mro(kind))]
    found = next((space[name] for space in spaces if name in space), None)
    if type(found) is types.MemberDescriptorType:
        return found.__get__
    keeper = next((space["__dict__"] for space in reversed(spaces) if "__dict__" in space), None)
    is_property = any("__set__" in _names_of(cls) for cls in _mro(type(found)))
    if is_property or type(keeper) is not types.GetSetDescriptorType:
        return lambda _: _ABSENT
    return lambda node: dict.get(keeper.__get__(node), name, _ABSENT)


def _bytes(value: Any) -> Any:
    """Return the bytes of a small array of numpy's; no bytes for any other value."""
    numpy = sys.modules.get("numpy")
    array: Any = vars(numpy).get("ndarray") if isinstance(numpy, types.ModuleType) else None
    return array.tobytes(value) if type(value) is array and value.nbytes <= MOST_BYTES else b""


# --- One run


class _Steps:
    """Calls `look` after each line of one function, with the line, the frame and what the function returns.

    The line is 0 before the first one. It follows only the first call; with `inner`, it follows all calls, and the functions
    defined inside, too. `is_whole` is False after a run that was not seen to its end.
    """

    def __init__(self, code: Any, look: Any, *, inner: bool = False) -> None:
        self.code, self.look, self.inner = code, look, inner
        self.codes = [code, *(code.co_consts if inner else ())]
        self.left, self.is_whole = MOST_STEPS, False
        self.lines: dict[Any, int] = {}  # of each frame

    def run(self, call: Any) -> Any:
        """Return what `call` returns; if another trace function is set, it stays, and nothing is seen."""
        if type(self.code) is not types.CodeType or sys.gettrace() is not None:
            return call()
        mine = self._call
        sys.settrace(mine)
        try:
            return call()
        finally:
            if sys.gettrace() is mine:
                sys.settrace(None)

    def _is_over(self) -> bool:
        self.left -= 1
        if self.left < 0:
            sys.settrace(None)
        return self.left < 0

    def _call(self, frame: Any, event: str, _: Any) -> Any:
        if (
            (not self.inner and self._is_over())
            or frame.f_code not in self.codes
            or (self.lines and not self.inner)
        ):
            return None
        self.lines[frame] = 0
        return self._step(frame, event, None)

    def _step(self, frame: Any, event: str, value: Any) -> Any:
        if self._is_over():
            return None
        try:
            if event != "exception":
                self.look(self.lines[frame], frame, value if event == "return" else _ABSENT)
        except Exception:
            self.left = 0
        if event == "line":
            self.lines[frame] = frame.f_lineno
        self.is_whole = event == "return" and self.left > 0
        return self._step


class _LineWatch:
    """Notes which lines give the nodes of an application their numbers.

    `lines` has lines of the operation's method and of its rule, by what they write: `result`, `pairs`, `early self`,
    `data self` and `rule` in the method, `self`, `self data` and `upstream` in the rule. `names` has, under the same keys,
    the names whose values can be at fault. It leaves out arguments that are nodes, the result, functions, and the number of
    a right result. `seen` has lines, names and the code that was passed, from all runs so far.
    """

    def __init__(self, one: Any, method: Any, seen: Any) -> None:
        self.one, (self.lines, self.names, self.passed), self.is_whole = one, seen, True
        self.known: Any = {}  # by id: an object, and the line after which it was first seen
        self.values: Any = None
        arguments = method.co_varnames[: method.co_argcount] if type(method) is types.CodeType else ()
        self.arguments = dict(zip(arguments, one.operands, strict=False))
        apply, carry_out = one.apply, one.carry_out
        one.apply = lambda: self._watch_call(method, self._look_forward, apply)
        one.carry_out = lambda rule: self._carry_out(rule, lambda: carry_out(rule))

    def _carry_out(self, rule: Any, call: Any) -> Any:
        if rule is not self.one.rule:
            return call()
        self.values = None
        return self._watch_call(_code(rule), self._look_back, call)

    def _watch_call(self, code: Any, look: Any, call: Any) -> Any:
        steps = _Steps(code, look)
        try:
            return steps.run(call)
        finally:
            self.is_whole = self.is_whole and steps.is_whole

    def _note(self, what: str, line: int) -> None:
        if line:
            self.lines.setdefault(what, set()).add(line)

    def _compare(self, line: int, kinds: Any, more: Any) -> None:
        """Note values that a line changed: attributes of both inputs, and `more` names, each with a node and its attribute."""
        sides = [
            (side, node)
            for side, node in zip(("self", "other"), self.one.operands, strict=False)
            if self.one.engine.is_node(node)
        ]
        numbers = [(what.format(side), node, of) for side, node in sides for of, what in kinds]
        values = [
            (what, kept, _bytes(kept))
            for what, node, of in (*numbers, *more)
            for kept in [_own_attribute(node, of)]
        ]
        for old, new in zip(self.values or (), values, strict=False):
            if old[1] is not new[1] or old[2] != new[2]:
                self._note(new[0], line)
        self.values = values

    def _look_forward(self, line: int, frame: Any, result: Any) -> None:
        self.passed.add((frame.f_code, line))
        self._compare(line, (("grad", "early {}"), ("data", "data {}"), ("_backward", "rule")), ())
        found = [*frame.f_locals.values(), *([] if result is _ABSENT else [result])]
        nodes = [each for each in found if self.one.engine.is_node(each)]
        for each in (
            *found,
            *(_own_attribute(node, name) for node in nodes for name in ("data", "_local_grads")),
        ):
            self.known.setdefault(id(each), (each, line))
        if result is _ABSENT or not self.one.engine.is_node(result):
            return
        self.one.out = result
        for name, what in (("data", "result"), ("_local_grads", "pairs")):
            kept = _own_attribute(result, name)
            is_own = (
                type(kept) is float or bool(_bytes(kept)) or (type(kept) in {list, tuple} and len(kept) > 0)
            )
            self._note(what, (is_own and self.known[id(kept)][1]) or self.known[id(result)][1])
            self._note_names(what, frame, _own_attribute(result, "data") if what == "pairs" else _ABSENT)

    def _look_back(self, line: int, frame: Any, result: Any) -> None:
        self.passed.add((frame.f_code, line))
        of_result = (("upstream", self.one.out, "grad"), ("out data", self.one.out, "data"))
        self._compare(line, (("grad", "{}"), ("data", "{} data")), of_result)
        if result is not _ABSENT:
            self._note_names("", frame, _own_attribute(self.one.out, "data"))

    def _note_names(self, what: str, frame: Any, number: Any) -> None:
        for name, value in frame.f_locals.items():
            is_input = name in self.arguments and value is self.arguments[name]
            same = type(value) is type(number) is float and value == number
            is_number = value is number or same or b"" != _bytes(value) == _bytes(number)
            if not (is_input or is_number or value is self.one.out or type(value) in _NO_DATA):
                self.names.setdefault(what, set()).add(name)


# --- The lines that share it


_tree = cache(ast.parse)  # asked for after the runs, in which many objects cost time


def _add_deciding_lines(text: str, lines: set[int], names: set[str]) -> list[int]:
    """Return these lines of a block, then the lines that decide whether they run or that set the names they read.

    The list is empty if the lines are too many, or outside of any function.
    """
    first = min(lines, default=0)
    functions = (one for one in ast.walk(_tree(text)) if isinstance(one, ast.FunctionDef))
    around = [one for one in functions if _covers(one, first)][:1]  # the outermost
    statements = [each for one in around for each in ast.walk(one) if isinstance(each, ast.stmt)]
    waiting = [inner for line in lines for inner in [each for each in statements if _covers(each, line)][-1:]]
    own, found = {each.lineno for each in waiting}, list[Any]()
    while waiting and len(found) <= MOST_LINES:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            waiting += _deciding([each for each in reversed(statements) if _holds(each, one)])
            reads = names & _names(one, ast.Load)
            # What sets such a name or what its object holds, or is a call that mentions it.
            waiting += [
                each
                for each in statements
                if reads & _targets(each) or (isinstance(each, ast.Expr) and reads & _names(each, ast.Load))
            ]
    others = {each.lineno for each in found} - own
    return [*sorted(own), *sorted(others)] if len(found) <= MOST_LINES else []


def _covers(one: Any, line: int) -> bool:
    return bool(one.lineno <= line <= (one.end_lineno or 0))


def _holds(one: Any, other: Any) -> bool:
    """Return True if the first statement contains the other, or is the same."""
    begin, end = (other.lineno, other.col_offset), (other.end_lineno, other.end_col_offset)
    return (one.lineno, one.col_offset) <= begin and end <= (one.end_lineno, one.end_col_offset)


def _parts(one: Any) -> list[Any]:
    """Return the statement in a list; for a statement with a block, the expressions of its head."""
    if not hasattr(one, "body"):
        return [one]
    return [part for _, part in ast.iter_fields(one) if isinstance(part, ast.expr)]


def _names(one: Any, context: type) -> set[str]:
    nodes = (node for part in _parts(one) for node in ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _targets(one: Any) -> set[str]:
    """Return the names that a statement sets, and those whose objects it changes: `a` in `a.x = 1`."""
    found = _names(one, ast.Store)
    for target in getattr(one, "targets", []) or [getattr(one, "target", None)]:
        inner = target
        while isinstance(inner, ast.Subscript | ast.Attribute):
            inner = inner.value
        found |= {inner.id} if isinstance(inner, ast.Name) and inner is not target else set()
    return found


def _deciding(around: list[Any]) -> Iterator[Any]:
    """Yield the statements that decide if the first one runs: those around it, and earlier ones that may return."""
    yield from (each for each in around[1:] if isinstance(each, _DECIDING))
    for inner, outer in itertools.pairwise(around):
        body = next(
            (part for _, part in ast.iter_fields(outer) if isinstance(part, list) and inner in part), []
        )
        for before in body[: body.index(inner)] if body else ():
            returns = any(isinstance(each, ast.Return) for each in ast.walk(before))
            if isinstance(before, _DECIDING) and returns and "isinstance" not in _names(before, ast.Load):
                yield before


# --- Everything


def lines(make: Any, plan: str, beside: Any, asked: Any, seconds: float) -> list[Any]:
    """Return the lines of each operation by what they write; `begins` has the first lines of its rule and method.

    `plan` is JSON: the texts of blocks by their numbers, and for each operation the blocks of its rule and its method.
    `asked` has an ask and a shape for each operation. Asks and `beside` are those of `probe`. With `beside`, nodes hold
    arrays.
    """
    until = _clock() + seconds
    texts, places = json.loads(plan)
    engine = (_Engine if beside is None else _array_engine)(make, None, (), beside)
    with engine.quiet(), _without_collection():
        return [
            _lines(engine, ask, shape, [texts.get(str(block)) for block in blocks], until)
            for blocks, (ask, shape) in zip(places, asked, strict=True)
        ]


def _has_unseen_lines(code: Any, passed: set[tuple[Any, int]]) -> bool:
    """Return True if a function has lines after which nothing was looked at."""
    rows = code.co_lines() if type(code) is types.CodeType else ()
    return any(line != code.co_firstlineno and (code, line) not in passed for _, _, line in rows if line)


def _lines(engine: Any, ask: Any, shape: str, sources: Any, until: float) -> dict[str, list[int]]:
    """Return the lines of one operation; none if a run of it was not seen to its end."""
    method, rule = _code(engine.method_of(ask["name"].partition(" ")[0])), None
    lines, names, passed = seen = dict[str, set[int]](), dict[str, set[str]](), set[tuple[Any, int]]()
    for run, trial in enumerate(ask["trials"]):
        if run >= ENOUGH and not any(_has_unseen_lines(code, passed) for code in (method, rule)):
            break
        if _clock() > until:
            return {}
        try:
            one = _Application(engine, ask, trial, shape)
            watch = _LineWatch(one, method, seen)
            if one.forward() and shape == "closure":
                one.back()
        except (Exception, SystemExit):
            continue  # it raises there, and its frame shows the line
        if not watch.is_whole:
            return {}
        rule = rule or _code(one.rule)
    found = {"begins": [getattr(code, "co_firstlineno", 0) for code in (rule, method)]}
    for what, numbers in lines.items():
        source = sources[what.partition(" ")[0] in OF_METHOD]
        found[what] = (
            _add_deciding_lines(source, numbers, names.get(what, names.get("", set()))) if source else []
        )
    return found


# --- Walks. The plan has the text of a block, and a row of walks.py, of plain nodes or of the student's own. A reply is what
# is done on the nodes, each a node and a line, in order: calls, or entries of a list, and gradients that are set; then the first
# line of the function's code, and the lines that share those of each line.


def walk_lines(make: Any, plan: str, walk: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one walk is short
    """Return the reply about a walk: a function or the name of a method."""
    text, is_plain, row = json.loads(plan)
    function = getattr(make, walk) if isinstance(walk, str) else walk
    nodes = _build_nodes(None if is_plain else make, row)
    calls, sets, names = list[Any](), list[Any](), set[str]()
    last: Any = [[_own_attribute(node, "grad") for node in nodes], 0]

    def look(line: int, frame: Any, result: Any) -> None:
        kept = [_own_attribute(node, "grad") for node in nodes]
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

    steps = _Steps(_code(function), look)
    for place, node in enumerate(nodes):
        if callable(rule := getattr(node, "_backward", None)):
            node._backward = noted(place, rule)
    attempt(lambda: steps.run(lambda: function(nodes[-1])))
    return _pack_answer(text, steps, calls, sets, names)


def sort_lines(make: Any, plan: str, sort: Any, seconds: float) -> list[Any]:  # noqa: ARG001  one list is short
    """Return the reply about a sort; empty unless it returns a list that grew entry by entry in a name of its own."""
    text, _, row = json.loads(plan)
    nodes = _plain_nodes(row, turned=False)
    # Lists by their id: each with the ids of its entries, and their lines.
    lists: dict[int, tuple[Any, list[int], list[int]]] = {}

    def look(line: int, frame: Any, _: Any) -> None:
        for found in frame.f_locals.values():
            if type(found) is list:
                _, entries, lines = lists.setdefault(id(found), (found, [], []))
                lines += [line] * (len(found) - len(entries))
                entries += map(id, found[len(entries) :])

    steps = _Steps(_code(sort), look, inner=True)
    result, _ = attempt(lambda: steps.run(lambda: sort(nodes[-1])))
    listed = [*map(id, result)] if type(result) is list else []
    added = next((lines for _, entries, lines in lists.values() if entries == listed), [])
    places = {id(node): place for place, node in enumerate(nodes)}
    calls = [[places[each], line] for each, line in zip(listed, added, strict=False) if each in places]
    return _pack_answer(text, steps, calls, [], set())


def _pack_answer(text: str, steps: Any, calls: list[Any], sets: list[Any], names: set[str]) -> list[Any]:
    if not steps.is_whole:
        return [[], [], 0, {}]
    shared = {str(line): _add_deciding_lines(text, {line}, names) for _, line in (*calls, *sets)}
    return [calls, sets, steps.code.co_firstlineno, shared]

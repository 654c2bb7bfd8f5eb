"""Operations of arrays, applied to leaves: forward, `_backward`, and what then stands in `grad`.

It reports arrays, errors, notes and lines. It does not judge. For `array_lines` it is sent with application.py and lines.py.
"""

import functools
import json
import operator
import sys
import time
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import _code  # noqa: TC004
    from grader.autograd.inside.lines import Source, lines_of  # noqa: TC004

TEXT = 300  # characters of an error
MOST_NODES = 50  # of one result
_FUNCTIONS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
    "**": operator.pow,
    "neg": operator.neg,
    "[]": operator.getitem,
}
_clock = time.process_time  # a busy machine leaves nothing out; who sleeps meets the limit of the grader


class _Absent(Exception):
    """The engine has no such operation, or it takes no such argument."""


def _apply(names: Any, ask: Any, leaves: Any, args: Any) -> Any:
    """Return the result of an operation. Raises _Absent."""
    name, keywords = ask["name"].partition(" ")[0], ask["keywords"]
    if name in _FUNCTIONS:
        if not hasattr(type(leaves[0]), _special(name)):
            raise _Absent
        return _FUNCTIONS[name](*leaves, *args)
    found, given = getattr(leaves[0], name, None), leaves[1:]
    if type(found) is type(leaves[0]):  # a property
        return found
    if found is None:
        found, given = names.get(name), leaves
        if not callable(found):
            raise _Absent
    try:
        return found(*given, *args, **keywords)
    except TypeError as error:
        where = error.__traceback__
        if keywords and where is not None and where.tb_next is None:
            raise _Absent from None
        raise


def _special(name: str) -> str:
    """Return the name of the method that Python calls for an operator; that of any other method is its own."""
    return f"__{_FUNCTIONS[name].__name__.strip('_')}__" if name in _FUNCTIONS else name


def _error(error: BaseException) -> list[str]:
    try:
        text = str(error)
    except Exception:
        text = ""
    return [type(error).__name__, text[:TEXT]]


def _read(value: Any, numpy: Any) -> Any:
    """Return a copy of an array, a number as a float; None for None, and a word for anything else."""
    if type(value) is numpy.ndarray:
        return value.copy() if value.dtype.kind in "fiub" else "other"
    if isinstance(value, (numpy.number, float, int)) and not isinstance(value, bool):
        return float(value)
    return None if value is None else "other"


class ArrayApplication:
    """One operation on fresh arrays, forward and backward."""

    def __init__(self, make: Any, names: Any, ask: Any, trial: Any) -> None:
        self.names, self.ask, self.trial, self.engine = names, ask, trial, self
        self.leaves = [make(data.copy()) for data in trial["leaves"]]
        for leaf, prior in zip(self.leaves, trial["priors"], strict=False):
            leaf.grad = prior.copy()
        self.operands = [*self.leaves, None][:2]
        self.out: Any = None
        self.rule: Any = None
        self.upstream, self.rules = None, list[Any]()

    def is_node(self, value: Any) -> bool:
        return type(value) is type(self.leaves[0])

    def apply(self) -> Any:
        """Return the operation's result. Raises _Absent."""
        return _apply(self.names, self.ask, self.leaves, self.trial["args"])

    def carry_out(self, rule: Any) -> None:
        """Call a rule."""
        rule()

    def forward(self) -> bool:
        """Apply the operation."""
        self.out = self.apply()
        return True

    def hand(self, numpy: Any) -> None:
        """Give the result its gradient, and find the rules that hand it on."""
        data = self.out.data
        upstream = self.trial["upstream"].astype(getattr(data, "dtype", "float64"))
        self.upstream = upstream
        self.out.grad = upstream.copy() if upstream.ndim or type(data) is numpy.ndarray else upstream[()]
        self.rules = _rules(self.out, self.leaves)

    def back(self) -> None:
        """Call the rule of the result, where the result is made by one operation."""
        self.hand(sys.modules["numpy"])
        if len(self.rules) == 1:
            (self.rule,) = self.rules
            self.carry_out(self.rule)


def _one(make: Any, names: Any, ask: Any, trial: Any, numpy: Any) -> dict[str, Any]:
    """Return what one application did: the stage that it reached, its error, the numbers, the notes."""
    row: dict[str, Any] = {
        "stage": "leaves",
        "error": None,
        "out": None,
        "rule": None,
        "dtype": "",
        "holds": {},
    }
    row |= {name: [] for name in ("firsts", "grads", "twice", "raw", "notes", "parts")}

    def read(name: str) -> list[Any]:
        return [_read(getattr(leaf, name), numpy) for leaf in one.leaves]

    try:
        one = ArrayApplication(make, names, ask, trial)
        row["firsts"], given = read("grad"), read("data")
        row["stage"] = "forward"
        one.forward()
        out = one.out
        row["out"], row["dtype"] = _read(out.data, numpy), str(getattr(out.data, "dtype", ""))
        row["holds"] = _held(out, one.leaves)
        data = read("data")
        changed = not all(_equal(*pair, numpy) for pair in zip(given, data, strict=True))
        row["notes"] += ["forward_changes_data"] * changed
        row["stage"] = "upstream"
        if numpy.shape(row["out"]) != trial["upstream"].shape or row["out"] is None:
            return row
        one.hand(numpy)
        idle = _written_at(getattr(one.leaves[0], "_backward", None))
        row["parts"] = sorted({_written_at(rule) for rule in one.rules} - {idle})
        row["rule"] = one.rules[0] if len(row["parts"]) == 1 else None
        called: list[Any] = []
        for leaf in one.leaves:
            leaf._backward = functools.partial(_call, getattr(leaf, "_backward", None), called)
        row["stage"] = "backward"
        try:
            for rule in one.rules:
                rule()
        finally:
            row["grads"] = read("grad")
        row["stage"] = "done"
        row["notes"] += _notes(one.leaves, data, out, one.upstream, numpy)
        if called and len(one.rules) > 1:  # the nodes between were called by others, too
            row["notes"].append("calls_inputs")
        if len(one.rules) == 1:
            one.rules[0]()  # what shares memory shows at the second use
            row["twice"] = read("grad")
        row["notes"] += _changed("then_changes_upstream", out, one.upstream, numpy)
    except _Absent:
        row["stage"] = "absent"
    except (Exception, SystemExit) as error:
        if row["stage"] != "done":
            row["error"] = _error(error)
    return row


def _call(rule: Any, called: Any, *args: Any) -> Any:
    called.append(True)
    return rule(*args)


def _notes(leaves: Any, data: Any, out: Any, upstream: Any, numpy: Any) -> list[str]:
    """Return which arrays a rule shares, each with the place of a leaf, and which it changes."""
    grads = [leaf.grad for leaf in leaves]
    found = [
        *(
            f"shares_upstream {i}"
            for i, one in enumerate(grads)
            if one is out.grad or _overlap(one, out.grad, numpy)
        ),
        *(f"shares_gradients {i}" for i, one in enumerate(grads) if i and _overlap(grads[0], one, numpy)),
    ]
    kept = all(_equal(one, _read(leaf.data, numpy), numpy) for one, leaf in zip(data, leaves, strict=True))
    return [*found, *["changes_data"] * (not kept), *_changed("changes_upstream", out, upstream, numpy)]


def _changed(note: str, out: Any, upstream: Any, numpy: Any) -> list[str]:
    """Return a note if the gradient of a result is no longer the one that it was given."""
    return [note] * (type(out.grad) is numpy.ndarray and not numpy.array_equal(out.grad, upstream))


_CONTAINERS = (tuple, list, set, frozenset)


def _containers(node: Any) -> dict[str, list[Any]]:
    """Return the items of the containers among a node's attributes."""
    return {
        name: list(value)
        for name, value in list(getattr(node, "__dict__", {}).items())[:50]
        if type(name) is str and type(value) in _CONTAINERS and len(value) <= 10
    }


def _below(out: Any, name: str, leaves: Any) -> list[Any]:
    """Return the nodes between a result and the leaves, by one attribute: each before those that it was made from."""
    order: list[Any] = []
    seen = {id(leaf) for leaf in leaves}

    def visit(node: Any) -> None:
        if id(node) in seen or len(seen) > MOST_NODES:
            return
        seen.add(id(node))
        for child in _containers(node).get(name, ()):
            if type(child) is type(out):
                visit(child)
        order.append(node)

    visit(out)
    return order[::-1]


def _held(out: Any, leaves: Any) -> dict[str, list[bool]]:
    """Return which leaves a result holds, perhaps through other nodes, by the name of the attribute."""
    held = {}
    for name in _containers(out):
        items = [item for node in _below(out, name, leaves) for item in _containers(node).get(name, ())]
        held[name] = [any(item is leaf for item in items) for leaf in leaves]
    return held


def _rules(out: Any, leaves: Any) -> list[Any]:
    """Return the `_backward` of a result, and those of the nodes that it is made of where it is made of several."""
    held = _held(out, leaves)
    name = next((name for name, each in held.items() if any(each)), "")
    return [node._backward for node in (_below(out, name, leaves) if name else [out])]


def _written_at(rule: Any) -> str:
    """Return the file and the line at which a rule's code begins; empty if it has none."""
    code = getattr(getattr(rule, "func", rule), "__code__", None)
    return f"{code.co_filename} {code.co_firstlineno}"[:TEXT] if type(code) is types.CodeType else ""


def _overlap(one: Any, other: Any, numpy: Any) -> bool:
    return type(one) is type(other) is numpy.ndarray and bool(numpy.shares_memory(one, other))


def _equal(one: Any, other: Any, numpy: Any) -> bool:
    return type(one) is type(other) is numpy.ndarray and numpy.array_equal(one, other, equal_nan=True)


def probe(make: Any, names: Any, asks: Any, seconds: float) -> list[Any]:
    """Apply every operation at each of its trials; return what was found for each, fewer where the time ran out.

    `make` makes a leaf, `names` holds functions that stand beside the class. An ask has the operation's `name`, its
    `keywords` and `trials`; a trial the `leaves`, the `priors` (gradients before, none for those of a new leaf), further
    `args` and the `upstream` gradient. After the first trial that meets no such operation, or a stub, no more are made.
    Found are the `rows`, the `rule` that the first of them called, if one operation made its result, and the `method`, if it
    is one.
    """
    numpy = sys.modules["numpy"]
    until = _clock() + seconds
    found: list[Any] = []
    with numpy.errstate(all="ignore"):
        for ask in asks:
            rows: list[Any] = []
            rule = None
            for trial in ask["trials"]:
                if _clock() > until:
                    return found
                row = _one(make, names, ask, trial, numpy)
                rule = rule or row.pop("rule")
                if row["stage"] == "backward":  # it raised: what it would add shows where it fits
                    roomy = [numpy.zeros(trial["upstream"].shape)] * len(trial["leaves"])
                    again = _one(make, names, ask, trial | {"priors": roomy}, numpy)
                    row["raw"] = again["grads"] if again["stage"] == "done" else []
                rows.append(row)
                if row["stage"] == "absent" or (row["error"] or [""])[0] == "NotImplementedError":
                    break
            found.append({"rule": rule, "method": _method(make, names, ask["name"]), "rows": rows})
    return found


def _method(make: Any, names: Any, name: str) -> Any:
    """Return the function of an operation; None if it is not found."""
    name = name.partition(" ")[0]
    found = getattr(make, _special(name), None) or names.get(name)
    return getattr(found, "fget", found)


# --- Lines


def array_lines(make: Any, plan: str, names: Any, asks: Any, seconds: float) -> list[Any]:
    """Return the lines that wrote the numbers of operations: `asks` and `names` are those of `probe`, `plan` has texts and blocks."""
    until = _clock() + seconds
    texts, places = json.loads(plan)
    sources = {number: Source(text) for number, text in texts.items()}
    found = []
    with sys.modules["numpy"].errstate(all="ignore"):
        for ask, (blocks,) in zip(asks, places, strict=True):
            ones = (functools.partial(ArrayApplication, make, names, ask, trial) for trial in ask["trials"])
            method = _code(_method(make, names, ask["name"]))
            found.append(lines_of(ones, method, [sources.get(str(block)) for block in blocks], until, True))
    return found

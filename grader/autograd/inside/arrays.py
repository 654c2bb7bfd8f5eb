"""Operations of arrays, applied to leaves: forward, `_backward`, and what then stands in `grad`.

It reports arrays, errors and notes. It does not judge.
"""

import functools
import operator
import sys
import time
import types
from typing import Any

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
    found = getattr(leaves[0], name, None)
    if found is None:
        found = names.get(name)
        if not callable(found):
            raise _Absent
        found = [found, leaves]
    elif type(found) is type(leaves[0]):  # a property
        return found
    else:
        found = [found, leaves[1:]]
    try:
        return found[0](*found[1], *args, **keywords)
    except TypeError as error:
        where = error.__traceback__
        if keywords and where is not None and where.tb_next is None:
            raise _Absent from None
        raise


def _special(name: str) -> str:
    """Return the name of the method that Python calls for an operator; that of any other method is its own."""
    if name == "[]":
        return "__getitem__"
    return f"__{_FUNCTIONS[name].__name__.strip('_')}__" if name in _FUNCTIONS else name


def _error(error: BaseException) -> list[str]:
    try:
        text = str(error)
    except Exception:
        text = ""
    return [type(error).__name__, text[:TEXT]]


def _read(value: Any, numpy: Any) -> Any:
    """Return a copy of an array, a number as a float; None for None, and a word for anything else."""
    if value is None:
        return None
    if type(value) is numpy.ndarray:
        return value.copy() if value.dtype.kind in "fiub" else "other"
    if isinstance(value, (numpy.number, float, int)) and not isinstance(value, bool):
        return float(value)
    return "other"


def _one(make: Any, names: Any, ask: Any, trial: Any, numpy: Any) -> dict[str, Any]:
    """Return what one application did: the stage that it reached, its error, the numbers, the notes."""
    row: dict[str, Any] = {
        "stage": "leaves",
        "error": None,
        "out": None,
        "firsts": [],
        "grads": [],
        "twice": [],
        "raw": [],
    }
    row |= {"notes": [], "rule": None, "dtype": "", "holds": {}, "parts": []}
    try:
        leaves = [make(data.copy()) for data in trial["leaves"]]
        if trial["priors"]:
            for leaf, prior in zip(leaves, trial["priors"], strict=True):
                leaf.grad = prior.copy()
        row["firsts"] = [_read(leaf.grad, numpy) for leaf in leaves]
        data = [_read(leaf.data, numpy) for leaf in leaves]
        row["stage"] = "forward"
        out = _apply(names, ask, leaves, trial["args"])
        row["out"], row["dtype"] = _read(out.data, numpy), str(getattr(out.data, "dtype", ""))
        row["holds"] = _held(out, leaves)
        data, given = [_read(leaf.data, numpy) for leaf in leaves], data
        changed = not all(_equal(*pair, numpy) for pair in zip(given, data, strict=True))
        row["notes"] += ["forward_changes_data"] * changed
        row["stage"] = "upstream"
        upstream = trial["upstream"].astype(getattr(out.data, "dtype", "float64"))
        if numpy.shape(row["out"]) != upstream.shape or row["out"] is None:
            return row
        out.grad = upstream.copy() if upstream.ndim or type(out.data) is numpy.ndarray else upstream[()]
        rules = _rules(out, leaves)
        idle = _written_at(getattr(leaves[0], "_backward", None))
        row["parts"] = sorted({_written_at(rule) for rule in rules} - {idle})
        row["rule"] = rules[0] if len(row["parts"]) == 1 else None
        called: list[Any] = []
        for leaf in leaves:
            leaf._backward = functools.partial(_call, getattr(leaf, "_backward", None), called)
        row["stage"] = "backward"
        try:
            for rule in rules:
                rule()
        finally:
            row["grads"] = [_read(leaf.grad, numpy) for leaf in leaves]
        row["stage"] = "done"
        row["notes"] += _notes(leaves, data, out, upstream, numpy)
        if called and len(rules) > 1:  # the nodes between were called by others, too
            row["notes"].append("calls_inputs")
        if len(rules) == 1:
            rules[0]()  # what shares memory shows at the second use
            row["twice"] = [_read(leaf.grad, numpy) for leaf in leaves]
        if type(out.grad) is numpy.ndarray and not numpy.array_equal(out.grad, upstream):
            row["notes"].append("then_changes_upstream")
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
    found = []
    for place, leaf in enumerate(leaves):
        if leaf.grad is out.grad or _overlap(leaf.grad, out.grad, numpy):
            found.append(f"shares_upstream {place}")
        if place and _overlap(leaves[0].grad, leaf.grad, numpy):
            found.append(f"shares_gradients {place}")
        if not _equal(data[place], _read(leaf.data, numpy), numpy):
            found.append("changes_data")
    if type(out.grad) is numpy.ndarray and not numpy.array_equal(out.grad, upstream):
        found.append("changes_upstream")
    return found


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

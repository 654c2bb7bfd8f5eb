"""Operations of arrays, applied to leaves: forward, `_backward`, and what then stands in `grad`.

It reports arrays, errors, notes and lines. It does not judge. It is sent with application.py, for `array_lines` also with lines.py.
"""

import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import (  # noqa: TC004
        _FUNCTIONS,
        TEXT,
        _clock,
        _error,
        _method_name,
        _note_calls,
    )
    from grader.autograd.inside.lines import lines_of  # noqa: TC004

MOST_NODES = 50  # of one result
numpy: Any = sys.modules.get("numpy")


class _Absent(Exception):
    """The engine has no such operation, or it takes no such argument."""


def _read(value: Any) -> Any:
    """Return a copy of an array, a number as a float; None for None, and a word for anything else."""
    if type(value) is numpy.ndarray:
        return value.copy() if value.dtype.kind in "fiub" else "other"
    if isinstance(value, (numpy.number, float, int)) and not isinstance(value, bool):
        return float(value)
    return None if value is None else "other"


class ArrayApplication:
    """One operation on fresh arrays, forward and backward; `seen` has how far it came and what was found."""

    def __init__(self, make: Any, names: Any, ask: Any, trial: Any, seen: Any) -> None:
        self.engine, self.names, self.ask, self.trial, self.seen = self, names, ask, trial, seen
        self.rule: Any = None
        self.inputs = [make(data.copy()) for data in trial["leaves"]]
        for leaf, prior in zip(self.inputs, trial["priors"], strict=False):
            leaf.grad = prior.copy()
        self.operands = [*self.inputs, None][:2]

    def is_node(self, value: Any) -> bool:
        return type(value) is type(self.inputs[0])

    def apply(self) -> Any:
        """Return the operation's result. Raises _Absent."""
        name, keywords, args = self.ask["name"].partition(" ")[0], self.ask["keywords"], self.trial["args"]
        first, *others = self.inputs
        if name in _FUNCTIONS:
            if not hasattr(type(first), _method_name(name)):
                raise _Absent
            return _FUNCTIONS[name](first, *others, *args)
        found = getattr(first, name, None)
        if self.is_node(found):  # a property
            return found
        if found is None:
            found, others = self.names.get(name), self.inputs
            if not callable(found):
                raise _Absent
        try:
            return found(*others, *args, **keywords)
        except TypeError as error:
            where = error.__traceback__
            if keywords and where is not None and where.tb_next is None:
                raise _Absent from None
            raise

    def carry_out(self, rule: Any) -> None:
        """Call a rule."""
        rule()

    def arrays(self, name: str) -> list[Any]:
        """Return copies of an attribute of the inputs."""
        return [_read(getattr(leaf, name)) for leaf in self.inputs]

    def forward(self) -> bool:
        """Apply the operation. Return False if the result has not the right shape."""
        row = self.seen
        row["firsts"], given = self.arrays("grad"), self.arrays("data")
        row["stage"] = "forward"
        self.out = self.apply()
        row["out"], row["dtype"] = _read(self.out.data), str(getattr(self.out.data, "dtype", ""))
        row["holds"] = _held(self.out, self.inputs)
        self.held = self.arrays("data")
        row["notes"] += ["forward_changes_data"] * (not all(map(_equal, given, self.held)))
        row["stage"] = "upstream"
        return row["out"] is not None and numpy.shape(row["out"]) == self.trial["upstream"].shape

    def back(self) -> None:
        """Give the result its gradient, and call the rules that hand it on; note what they share and change."""
        row, out = self.seen, self.out
        self.up = self.trial["upstream"].astype(getattr(out.data, "dtype", "float64"))
        out.grad = self.up.copy() if self.up.ndim or type(out.data) is numpy.ndarray else self.up[()]
        # Where the result is made of several operations, those of the nodes between, too.
        name = next((name for name, each in row["holds"].items() if any(each)), "")
        rules = [node._backward for node in (_below(out, name, self.inputs) if name else [out])]
        idle = _written_at(getattr(self.inputs[0], "_backward", None))
        row["parts"] = sorted({_written_at(rule) for rule in rules} - {idle})
        row["rule"] = rules[0] if len(row["parts"]) == 1 else None
        self.rule = rules[0] if len(rules) == 1 else None
        called: set[str] = set()
        for leaf in self.inputs:
            _note_calls(leaf, called)
        row["stage"] = "backward"
        try:
            for rule in rules:
                self.carry_out(rule)
        finally:
            row["grads"] = self.arrays("grad")
        row["stage"] = "done"
        grads = [(i, leaf.grad) for i, leaf in enumerate(self.inputs)]
        row["notes"] += [
            *(f"shares_upstream {i}" for i, one in grads if one is out.grad or _overlap(one, out.grad)),
            *(f"shares_gradients {i}" for i, one in grads[1:] if _overlap(grads[0][1], one)),
            *["changes_data"] * (not all(map(_equal, self.held, self.arrays("data")))),
            *["changes_upstream"] * self.changes_upstream(),
            *(called if len(rules) > 1 else ()),  # the nodes between were called by others, too
        ]

    def changes_upstream(self) -> bool:
        """Return True if the gradient of the result is no longer the one that it was given."""
        return type(self.out.grad) is numpy.ndarray and not numpy.array_equal(self.out.grad, self.up)


def _new_row() -> dict[str, Any]:
    lists = {name: [] for name in ("firsts", "grads", "twice", "raw", "notes", "parts")}  # type: dict[str, Any]
    return {"stage": "leaves", "error": None, "out": None, "rule": None, "dtype": "", "holds": {}} | lists


def _one(make: Any, names: Any, ask: Any, trial: Any) -> dict[str, Any]:
    """Return what one application did: the stage that it reached, its error, the numbers, the notes."""
    row = _new_row()
    try:
        one = ArrayApplication(make, names, ask, trial, row)
        if one.forward():
            one.back()
            if one.rule is not None:
                one.rule()  # what shares memory shows at the second use
                row["twice"] = one.arrays("grad")
            row["notes"] += ["then_changes_upstream"] * one.changes_upstream()
    except _Absent:
        row["stage"] = "absent"
    except (Exception, SystemExit) as error:
        if row["stage"] != "done":
            row["error"] = _error(error)
    return row


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
    below = {name: [_containers(node) for node in _below(out, name, leaves)] for name in _containers(out)}
    held = {name: [item for each in nodes for item in each.get(name, ())] for name, nodes in below.items()}
    return {name: [any(item is leaf for item in items) for leaf in leaves] for name, items in held.items()}


def _written_at(rule: Any) -> str:
    """Return the file and the line at which a rule's code begins; empty if it has none."""
    code = getattr(getattr(rule, "func", rule), "__code__", None)
    return f"{code.co_filename} {code.co_firstlineno}"[:TEXT] if type(code) is types.CodeType else ""


def _overlap(one: Any, other: Any) -> bool:
    return type(one) is type(other) is numpy.ndarray and bool(numpy.shares_memory(one, other))


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) is numpy.ndarray and numpy.array_equal(one, other, equal_nan=True)


def probe(make: Any, names: Any, asks: Any, seconds: float) -> list[Any]:
    """Apply every operation at each of its trials; return what was found for each, fewer where the time ran out.

    `make` makes a leaf, `names` holds functions that stand beside the class. An ask has the operation's `name`, its
    `keywords` and `trials`; a trial the `leaves`, the `priors` (gradients before, none for those of a new leaf), further
    `args` and the `upstream` gradient. After the first trial that meets no such operation, or a stub, no more are made.
    Found are the `rows`, the `rule` that the first of them called, if one operation made its result, and the `method`, if it
    is one.
    """
    until = _clock() + seconds
    found: list[Any] = []
    with numpy.errstate(all="ignore"):
        for ask in asks:
            rows: list[Any] = []
            rule = None
            for trial in ask["trials"]:
                if _clock() > until:
                    return found
                row = _one(make, names, ask, trial)
                rule = rule or row.pop("rule")
                if row["stage"] == "backward":  # it raised: what it would add shows where it fits
                    roomy = [numpy.zeros(trial["upstream"].shape)] * len(trial["leaves"])
                    again = _one(make, names, ask, trial | {"priors": roomy})
                    row["raw"] = again["grads"] if again["stage"] == "done" else []
                rows.append(row)
                if row["stage"] == "absent" or (row["error"] or [""])[0] == "NotImplementedError":
                    break
            found.append({"rule": rule, "method": _method(make, names, ask["name"]), "rows": rows})
    return found


def _method(make: Any, names: Any, name: str) -> Any:
    """Return the function of an operation; None if it is not found."""
    name = name.partition(" ")[0]
    found = getattr(make, _method_name(name), None) or names.get(name)
    return getattr(found, "fget", found)


# --- Lines


def array_lines(make: Any, plan: str, names: Any, asks: Any, seconds: float) -> list[Any]:
    """Return the lines that wrote the numbers of operations: `asks` and `names` are those of `probe`, `plan` that of `lines`."""

    def runs(place: int) -> Any:
        ask = asks[place]
        ones = (lambda trial=t: ArrayApplication(make, names, ask, trial, _new_row()) for t in ask["trials"])
        return _method(make, names, ask["name"]), ones, True

    with numpy.errstate(all="ignore"):
        return lines_of(runs, plan, seconds)

"""Operations of arrays, applied to leaves: forward, `_backward`, and the gradients after it.

It reports arrays, errors and notes. It does not judge. It is sent with application.py, for lines of operations of arrays also with lines.py.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import (  # noqa: TC004
        _FUNCTIONS,
        _Application,
        _attempt,
        _clock,
        _Engine,
        _error,
        _leads,
        _number,
        _UnreadableEngine,
        _without_collection,
        _written_at,
    )

numpy: Any = sys.modules.get("numpy")


def _copy_value(value: Any) -> Any:
    """Return a copy of an array, a number as a float; None for None, and a word for anything else."""
    if type(value) is numpy.ndarray and value.dtype.kind in "fiub":
        return value.copy()
    number = _number(value)
    return number if type(number) is float else None if number == "none" else "other"


def _equal(one: Any, other: Any) -> bool:
    """Return True for equal arrays or numbers, also in lists; NaN equals NaN."""
    if type(one) is list:
        return all(map(_equal, one, other))
    if type(one) is type(other) is numpy.ndarray and one.tobytes() == other.tobytes():  # the short way
        return bool(one.shape == other.shape)
    alike = type(one) is type(other) is not str
    return one is other or (alike and numpy.array_equal(one, other, equal_nan=True))


def _array_engine(*given: Any) -> "_Engine":
    """Return an engine whose nodes hold arrays."""

    class ArrayEngine(_Engine):
        """An engine of arrays: the arrays of its nodes are copied as they are read."""

        example = numpy.array([0.5])
        quiet = staticmethod(lambda: numpy.errstate(all="ignore"))
        grad_of = staticmethod(lambda node: _copy_value(getattr(node, "grad", None)))
        data_of = staticmethod(lambda node: _copy_value(getattr(node, "data", None)))
        same = staticmethod(_equal)

        def leaf(self, data: Any, grad: Any) -> Any:
            """Return a leaf; without a gradient, it keeps the gradient of a new leaf."""
            node = self.make(data.copy())
            if grad is not None:
                node.grad = grad.copy()
            return node

        def watch_call(self, call: Any) -> Any:
            """Return the result of `call` and the nodes that it is made of: it leads to them."""
            out, made = super().watch_call(call)
            reached = _leads(out, functions=False) if len(made) > 1 else {id(out)}
            return out, [node for node in made if id(node) in reached]

        def upstream(self, out: Any, up: Any) -> Any:
            """Return the gradient that a result is given. Raises _UnreadableEngine for a result of another shape."""
            if numpy.shape(self.data_of(out)) != up.shape:
                raise _UnreadableEngine
            given = up.astype(getattr(out.data, "dtype", "float64"))
            return given if given.ndim or type(out.data) is numpy.ndarray else given[()]

    return ArrayEngine(*given)


def _is_absent(error: BaseException, one: Any) -> bool:
    """Return True if the engine has no such operation, or it takes no such argument: no code of the student's ran."""
    where: Any = error.__traceback__
    while where.tb_next is not None:
        where = where.tb_next
    absent = AttributeError, *[TypeError] * (one.name in _FUNCTIONS or bool(one.keywords))
    return where.tb_frame.f_code is _Application.apply.__code__ and isinstance(error, absent)


def _row(engine: Any, ask: Any, trial: Any) -> dict[str, Any]:
    """Return one application as a row: the stage that it reached, its error, the numbers, the notes."""
    row: dict[str, Any] = {
        **{name: [] for name in ("firsts", "grads", "raw", "notes", "parts")},
        "stage": "leaves",
        "error": None,
        "out": None,
        "dtype": "",
        "unkept": [],
        "rule": None,
    }
    one: Any = None
    try:
        one = _Application(engine, ask, trial, "closure")
        if one.forward():
            one.back()
    except (Exception, SystemExit) as error:
        if one is None or one.stage != "done":
            row["error"] = _error(error)
        if one is not None and _is_absent(error, one):
            one.stage = "absent"
    if one is not None:
        _attempt(_fill, engine, one, row)
    return row


def _fill(engine: Any, one: Any, row: dict[str, Any]) -> None:
    """Write the numbers and notes of an application into a row, however far it came."""
    grads, out = one.read(engine.grad_of), engine.data_of(one.out)
    row |= {"firsts": one.firsts, "out": out, "grads": grads}
    reached = _leads(one.out, functions=False)
    row["unkept"] = [i for i, leaf in enumerate(one.inputs) if reached and id(leaf) not in reached]
    row["dtype"] = str(getattr(getattr(one.out, "data", ""), "dtype", ""))
    rules = [rule for rule in (one.rule, *one.inner) if rule is not None]
    row["parts"] = sorted({*map(_written_at, rules)} - {_written_at(engine.idle)})
    row["rule"] = one.rule if len(row["parts"]) == 1 else None
    # A rule that calls those of its inputs hands nothing on twice where there are no nodes between.
    row["notes"] = sorted(one.notes - {*["calls_inputs"][len(one.new) > 1 :]})
    row["stage"] = one.stage


def probe(make: Any, beside: Any, asks: Any, seconds: float) -> list[Any]:
    """Apply every operation in each of its trials; return the findings for each, or for fewer if the time runs out.

    `make` makes a leaf, `beside` has the functions outside of the class. The first trial that finds no such operation, or a
    stub, is the last. A finding has the `rows`, the `method` if it is one, and the `rule` that the first row called if a
    single operation made its result.
    """
    until = _clock() + seconds
    engine = _array_engine(make, None, (), beside)
    found: list[Any] = []
    with engine.quiet(), _without_collection():
        for ask in asks:
            rows: list[Any] = []
            for trial in ask["trials"]:
                if _clock() > until:
                    return found
                row = _row(engine, ask, trial)
                if row["stage"] == "backward":  # it raised: what it would add shows where it fits
                    leaves, _, args, up = trial
                    again = _row(engine, ask, [leaves, [numpy.zeros(up.shape)] * len(leaves), args, up])
                    row["raw"] = again["grads"] if again["stage"] == "done" else []
                rows.append(row)
                if row["stage"] == "absent" or (row["error"] or [""])[0] == "NotImplementedError":
                    break
            called = [rule for row in rows if (rule := row.pop("rule")) is not None]
            method = engine.method_of(ask["name"].partition(" ")[0])
            found.append({"rule": next(iter(called), None), "method": method, "rows": rows})
    return found

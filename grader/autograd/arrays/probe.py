"""The request to the jail for every operation of arrays, its validated reply, and the wrong rules in it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grader.autograd import inside
from grader.autograd.arrays.operations import ArrayOperation, ArrayTrial, readable_operations, trials_of
from grader.autograd.arrays.search import (
    NumpyError,
    Read,
    TrialReply,
    is_right_in,
    other_first,
    read_operation,
)
from grader.autograd.engine import engine_of, functions_of
from grader.sandbox import Proxy, Sandbox
from grader.sandbox.proxy import handle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


SECONDS = 1.0  # for all operations; the rest of the time is for other explanations


class WrongArrayOperation(NamedTuple):
    """One operation with its fault, and the student's functions that define it.

    `beside` is True for a function outside of the class. `spoils` are the wrong operations that use this one: this fault may
    be their only one.
    """

    found: Read
    rule: Proxy | None
    method: Proxy | None
    beside: bool = False
    spoils: frozenset[str] = frozenset()


class _OperationTrial(NamedTuple):
    """The trial of an operation: the replies for the first way to apply it, and the fault of the first wrong way.

    `parts` are the places where the rules of all ways begin.
    """

    rows: Sequence[TrialReply] = ()
    parts: frozenset[str] = frozenset()
    is_right: bool = True
    wrong: Read | None = None
    rule: Proxy | None = None
    method: Proxy | None = None


def _try_out(name: str, node: str, answer: Callable[[Sequence[Any]], Any]) -> _OperationTrial:
    """Try all ways to apply an operation until one is wrong; `answer` asks the jail, and returns fewer if time runs out."""
    operations = [each for each in readable_operations() if each.name == name]
    tried = _OperationTrial()
    for operation, one in zip(operations, answer([*map(request, operations)]), strict=False):
        rows = [*map(_read_trial, one["rows"])]
        wrong = read_operation(operation, rows)
        is_right = rows[0].stage == "absent" or is_right_in(operation, rows)
        if not is_right and (begins := other_first(operation, rows)):
            again = answer([request(operation, zeros=True)])[:1]
            if any(is_right_in(operation, [*map(_read_trial, each["rows"])]) for each in again):
                wrong = Read(operation, {}, begins=(node, *begins))
        parts = tried.parts.union(*(row.parts for row in rows))
        tried = tried._replace(parts=parts, is_right=tried.is_right and is_right, wrong=wrong)
        if wrong or not tried.rows:
            rule, method = (one[key] if isinstance(one[key], Proxy) else None for key in ("rule", "method"))
            tried = tried._replace(rows=tried.rows or rows, rule=rule, method=method)
        if wrong:
            break
    return tried


def wrong_rules(
    sandbox: Sandbox, wanted: Sequence[str], others: Sequence[str] = ()
) -> list[WrongArrayOperation]:
    """Load the submission afresh and try operations; return the wrong ones, each with its first wrong way.

    The first of the `others` shows where results keep their inputs. If one of the `wanted` is wrong and made of several
    operations, all `others` are tried: it is read only if each of its parts is right; else the wrong parts are returned.
    Raises StudentError, SubmissionStopped, Undefined.
    """
    sandbox.load()
    functions = functions_of(sandbox, wanted)
    first, *rest = [each for each in others if each not in wanted] or [""]
    with sandbox.budget.within("probe", SECONDS):
        node = engine_of(sandbox).node
        make, probe = sandbox.get(node), inside.helper(sandbox, ("application", "arrays"), "probe")
        try_out = partial(_try_out, node=node, answer=lambda asks: probe(make, functions, asks, SECONDS / 2))
        tried = {name: try_out(name) for name in (*wanted, first)}
        made = {name for name in wanted if len(tried[name].parts) > 1 and not tried[name].is_right}
        tried |= {name: try_out(name) for name in rest if made}
    single = {name: each.parts for name, each in tried.items() if len(each.parts) == 1}
    sound = {part for name, parts in single.items() for part in parts if tried[name].is_right}
    made = {name for name in made if not tried[name].parts <= sound}
    is_idle = all(row.is_idle for each in tried.values() for row in each.rows)
    unkept = {
        name: [{*row.unkept} for row in each.rows if row.stage == "done"] for name, each in tried.items()
    }
    keeps = any(rows and not any(rows) for rows in unkept.values())  # some result keeps its inputs
    found = []
    for name, each in tried.items():
        parts = single.get(name)
        spoils = frozenset(one for one in made - {name} if parts and parts <= tried[one].parts)
        wrong = each.wrong
        # If the forward pass changes data, no part explains it.
        if wrong and "forward_changes_data" not in wrong.memory.values():
            wrong = wrong if name not in made and (name in wanted or spoils) else None
        if wrong and is_idle and not wrong.out:
            wrong = None  # no leaf ever gets a gradient, and the message says so
        if keeps and name in wanted and (lost := set.intersection(*unkept[name] or [set()])):
            operation = next(each for each in readable_operations() if each.name == name)
            wrong = (wrong or Read(operation, {}))._replace(lost=min(lost))
        if wrong:
            function = functions.get(name)
            beside = each.method and function and handle_of(each.method).id == handle_of(function).id
            found.append(WrongArrayOperation(wrong, each.rule, each.method, bool(beside), spoils))
    return found


def request(
    operation: ArrayOperation, trials: Sequence[ArrayTrial] = (), *, zeros: bool = False
) -> dict[str, Any]:
    """Return the request for these trials, or for all of the operation; with `zeros`, new leaves get gradients like their data."""
    rows = []
    for trial in trials or trials_of(operation):
        new = [np.zeros_like(leaf) if zeros else None for leaf in trial.leaves]
        rows.append([[*trial.leaves], [*(trial.priors or new)], [*trial.args], np.asarray(trial.upstream)])
    keywords = dict(operation.keywords)
    return {"name": operation.name, "keywords": keywords, "variant": "values", "trials": rows}


def _read_trial(row: dict[str, Any]) -> TrialReply:
    """Return the jail's reply about one trial. Raises KeyError, TypeError, ValueError for another format."""
    arrays: dict[str, Any] = {name: [*map(_array, row[name])] for name in ("firsts", "grads", "raw")}
    return TrialReply(
        stage=str(row["stage"]),
        error=NumpyError(str(row["error"][0]), str(row["error"][1])) if row["error"] else None,
        out=_array(row["out"]),
        dtype=str(row["dtype"]),
        notes=[re.sub("_(self|other)$", "", str(note)) for note in row["notes"]],
        unkept=[i for i in (0, 1) if i in row["unkept"]],
        parts=[*map(str, row["parts"])],
        **arrays,
    )


def _array(value: Any) -> Any:
    """Return an array or a number without its expression; None for None, and a text for anything else."""
    if value is None or isinstance(value, float | str):
        return value
    return np.array(value, dtype=float)

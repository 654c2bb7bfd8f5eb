"""Attributes and methods of a Value with another name than a check uses, and attributes that a new Value lacks."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from grader.autograd import inside
from grader.autograd.engine import EngineNames, engine_of, functions_of
from grader.autograd.facts import NameFact
from grader.autograd.rules.operations import KNOWN
from grader.report import Fact, cap
from grader.sandbox import Sandbox, StudentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.topic import Failing, TestResult

NEAR = 0.7  # the least similarity of two names, from 0 to 1, as difflib measures it
LONGEST = 60
# Attributes that the constructor makes. `_prev` and `_children` hold the same.
MADE = frozenset({"data", "grad", "_prev", "_children", "_local_grads", "_backward"})
# Names that the course gives: none is a misspelling of another.
GIVEN = MADE | {"label", "_op", "backward", *KNOWN}
SAME = {"_prev": "_children", "_children": "_prev"}

_ATTRIBUTE = re.compile(r"'(?P<kind>\w+)' object has no attribute '(?P<name>\w+)'")


def explain_names(failing: Sequence[Failing], sandbox: Sandbox) -> dict[str, list[Fact]]:
    """Return the facts for each check that used a name which no Value has, if it has a similar name or should have this one.

    Raises StudentError, SubmissionStopped.
    """
    # The message is about the first failing test: a name that only a later test uses does not explain it.
    asked = {
        each.check: list(dict.fromkeys(_missing_names(each.results)))
        for each in failing
        if any(_missing_names(each.results[:1]))
    }
    if not asked:
        return {}
    engine = engine_of(sandbox)
    kind, *names = _names(sandbox) or [""]
    made = {*map(engine.own, MADE)}
    found = {
        check: [
            NameFact(name, cap(kind, LONGEST), cap(near, LONGEST), symptom=not near).fact()
            for of, name in pairs
            if of == kind and name not in names and ((near := _nearest(name, names, engine)) or name in made)
        ]
        for check, pairs in asked.items()
    }
    return {check: facts for check, facts in found.items() if facts}


def _missing_names(results: Iterable[TestResult]) -> Iterable[tuple[str, str]]:
    """Yield the class and the missing name in each error of a visible test."""
    for result in results:
        error = result.error if result.test.visibility == "visible" else None
        if isinstance(error, StudentError) and (found := _ATTRIBUTE.fullmatch(error.text)):
            yield found["kind"], found["name"]


def _names(sandbox: Sandbox) -> list[str]:
    """Return the name of the class of nodes, and the names that a new node has; nothing if the jail does not reply."""
    sandbox.load()
    node = engine_of(sandbox).node
    make = functions_of(sandbox, [node]).get(node)
    found = None if make is None else inside.helper(sandbox, ["naming"], "leaf_names")(make)
    return found if isinstance(found, list) and all(isinstance(name, str) for name in found) else []


def _nearest(wanted: str, names: Sequence[str], engine: EngineNames) -> str:
    """Return the name with the same content, or one that differs by underscores, case or spelling; empty without one."""
    if SAME.get(wanted) in names:
        return SAME[wanted]
    others = [n for n in names if n not in map(engine.own, GIVEN) and len(n) <= 2 * len(wanted)]
    same = (name for name in others if _plain(name) == _plain(wanted))
    return next(same, "") or "".join(difflib.get_close_matches(wanted, others, n=1, cutoff=NEAR))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()

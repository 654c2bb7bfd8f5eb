"""Finds the lines that wrote the numbers of an operation of arrays. Sent with application.py, arrays.py and lines.py.

It reports lines and does not judge.
"""

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail all files are one text
    from grader.autograd.inside.application import _code  # noqa: TC004
    from grader.autograd.inside.arrays import _apply, _clock, _method, _rules  # noqa: TC004
    from grader.autograd.inside.lines import Source, lines_of  # noqa: TC004


def array_lines(make: Any, plan: str, names: Any, asks: Any, seconds: float) -> list[Any]:
    """Return the same for operations of arrays: `asks` and `names` are those of `probe`, `plan` has texts and blocks."""
    until = _clock() + seconds
    texts, places = json.loads(plan)
    sources = {number: Source(text) for number, text in texts.items()}
    found = []
    with sys.modules["numpy"].errstate(all="ignore"):
        for ask, (blocks,) in zip(asks, places, strict=True):
            ones = (partial(OfArrays, make, names, ask, trial) for trial in ask["trials"])
            method = _code(_method(make, names, ask["name"]))
            found.append(lines_of(ones, method, [sources.get(str(block)) for block in blocks], until, True))
    return found


class OfArrays:
    """One operation on fresh arrays, forward and backward."""

    def __init__(self, make: Any, names: Any, ask: Any, trial: Any) -> None:
        self.names, self.ask, self.trial, self.engine = names, ask, trial, self
        self.leaves = [make(data.copy()) for data in trial["leaves"]]
        if trial["priors"]:
            for leaf, prior in zip(self.leaves, trial["priors"], strict=True):
                leaf.grad = prior.copy()
        self.operands = [*self.leaves, None][:2]
        self.out: Any = None
        self.rule: Any = None

    def is_node(self, value: Any) -> bool:
        return type(value) is type(self.leaves[0])

    def apply(self) -> Any:
        """Return the operation's result."""
        return _apply(self.names, self.ask, self.leaves, self.trial["args"])

    def carry_out(self, rule: Any) -> None:
        """Call a rule."""
        rule()

    def forward(self) -> bool:
        """Apply the operation."""
        self.out = self.apply()
        return True

    def back(self) -> None:
        """Call the rule of the result, where the result is made by one operation."""
        self.out.grad = self.trial["upstream"].astype(self.out.data.dtype)
        rules = _rules(self.out, self.leaves)
        if len(rules) == 1:
            (self.rule,) = rules
            self.carry_out(self.rule)

"""The gradients that a test left at its leaves, to be drawn as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.report import Bar, Chart, clean
from grader.sandbox.proxy import kind_of, label_of
from grader.topic import setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.sandbox import Record

MAX_BARS = 12
SIDES = ("lowers the output", "raises the output")


def chart_of(record: Record, rows: Sequence[Mapping[str, Any]]) -> Chart | None:
    """The leaves that a test named, or else its named nodes; None where no gradient is a finite number.

    `rows` is what a peek gave for every object that the test met. Of two that were given the same
    name the later one counts: the earlier was a trial of the check's own.
    """
    nodes = [proxy for proxy in record.proxies.values() if kind_of(proxy) == "instance"]
    found: dict[str, Any] = {}
    for node, row in zip(nodes, rows, strict=False):  # no rows where the jail could not be asked
        label = label_of(node)
        if label in record.named if record.named else label.isidentifier():
            found[label] = row["grad"]
    bars = [Bar(clean(name), float(value)) for name, value in found.items() if _is_finite(value)]
    return Chart("Gradients", clean(setting(record)), *SIDES, bars[:MAX_BARS]) if bars else None


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False

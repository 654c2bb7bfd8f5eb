"""Gradients that have the shape to which an array was stretched, where they need the array's own.

Shapes alone are looked at: those that a failed comparison read, and those in numpy's own error.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from grader.autograd.facts import ShapeFact
from grader.sandbox import StudentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.report import Fact, Location
    from grader.sandbox import Frame
    from grader.topic import Failing, TestResult

# numpy's words for `a += b` where b is larger than a.
_IN_PLACE = re.compile(
    r"non-broadcastable output operand with shape (?P<shape>\([\d, ]*\)) doesn't match the broadcast shape (?P<had>\([\d, ]*\))"
)


def explain_shapes(
    failing: Sequence[Failing], locate: Callable[[Frame | None], Location | None], grad: str = "grad"
) -> dict[str, list[Fact]]:
    """Return the fact about each check whose first failed test met such a gradient; hidden tests tell nothing.

    `grad` is the attribute of a gradient.
    """
    found = {each.check: _found(each.results[0], locate, grad) for each in failing if each.results}
    return {check: [fact.fact()] for check, fact in found.items() if fact}


def _found(
    result: TestResult, locate: Callable[[Frame | None], Location | None], grad: str
) -> ShapeFact | None:
    if result.test.visibility != "visible":
        return None
    if isinstance(result.error, StudentError):
        line = locate(result.error.frames[-1]) if result.error.frames else None
        # The velocity of a parameter or a sum of losses is stretched in the same words.
        writes = line is not None and re.match(rf"[^=]*\.{grad}\s*[-+]=", line.text)
        match = _IN_PLACE.fullmatch(result.error.text) if writes else None
        name, shape, had = ("", match["shape"], match["had"]) if match else ("", "", "")
    else:
        row = result.failure.readings[0] if result.failure and result.failure.readings else None
        match = re.fullmatch(rf"(?P<name>.+)\.{grad}\.shape", row.label) if row else None
        name, shape, had = (match["name"], row.expected, row.actual) if match and row else ("", "", "")
    own, larger = _shape(shape), _shape(had)
    return ShapeFact(name, str(own), str(larger)) if _is_stretched(own, larger) else None


def _shape(text: str) -> tuple[int, ...]:
    """Return the shape that a text shows; without axes for any other text."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ()
    return found if isinstance(found, tuple) and all(type(n) is int for n in found) else ()


def _is_stretched(shape: tuple[int, ...], had: tuple[int, ...]) -> bool:
    """Return True if numpy stretches an array of this shape to the other one, which is not the same."""
    aligned = (1,) * (len(had) - len(shape)) + shape
    return (
        bool(shape)
        and len(aligned) == len(had)
        and shape != had
        and all(own in (1, large) for own, large in zip(aligned, had, strict=True))
    )

"""The slopes that an expression keeps for its leaves, in one answer, whatever its operations are made of."""

from collections.abc import Iterator, Sequence
from typing import Any

DEEPEST = 8  # levels below the root


def slopes(root: Any, leaves: Sequence[Any]) -> list[list[float]] | None:
    """Return for each leaf the kept numbers multiplied along every path and added, and the levels of the longest one.

    None if anything is not as usual: the check then looks at one pair after another, and says what it found.
    """
    found = [[0.0, 0.0] for _ in leaves]
    try:
        for place, slope, levels in _paths(root, 1.0, leaves, 0):
            found[place] = [found[place][0] + slope, max(found[place][1], float(levels))]
    except Exception:
        return None
    return found


def _paths(node: Any, slope: float, leaves: Sequence[Any], levels: int) -> Iterator[tuple[int, float, int]]:
    place = next((i for i, leaf in enumerate(leaves) if leaf is node), None)
    if place is not None:
        yield place, slope, levels
        return
    children, numbers = node._children, node._local_grads  # the course's names
    if {type(children), type(numbers)} - {tuple, list} or len(children) != len(numbers) or levels >= DEEPEST:
        raise ValueError
    for child, local in zip(children, numbers, strict=True):
        if type(child) is not type(node) or type(local) not in {float, int}:
            raise TypeError
        yield from _paths(child, slope * local, leaves, levels + 1)

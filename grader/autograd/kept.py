"""Helpers for checks on local gradients: what the nodes of an engine keep."""

from __future__ import annotations

from typing import Any

from grader.sandbox.proxy import Proxy, labelled, short

DEEPEST = 8  # levels below the root: the graphs of these checks have three or four


def kept_pairs(node: Any) -> list[tuple[Any, float]]:
    """The children that a node keeps, each with its local gradient.

    Raises AssertionError with words where they do not pair.
    """
    name = short(node)
    children = _items(node._children, f"the `_children` of `{name}`")  # noqa: SLF001  the course's names
    numbers = _items(node._local_grads, f"the `_local_grads` of `{name}`")  # noqa: SLF001
    assert len(children) == len(numbers), (
        f"`{name}` keeps {_counted(len(children), 'child', 'children')} and "
        f"{_counted(len(numbers), 'local gradient', 'local gradients')}; there is one for each child."
    )
    for number in numbers:
        assert isinstance(number, int | float), (
            f"A local gradient of `{name}` is {short(number)}; it must be a plain number."
        )
    return list(zip(children, numbers, strict=True))


def kept_slopes(root: Any, **leaves: Any) -> list[float]:
    """What the kept pairs say of each leaf: local gradients multiplied along every path, and added.

    So a - b may keep two pairs of its own or be made of + and negation: both say 1 and -1.
    """
    found = dict.fromkeys(leaves, 0.0)
    _follow(root, 1.0, leaves, found, DEEPEST)
    return [
        labelled(slope, f"the local gradient of {short(root)} for {name}") for name, slope in found.items()
    ]


def _follow(node: Any, slope: float, leaves: dict[str, Any], found: dict[str, float], levels: int) -> None:
    name = next((name for name, leaf in leaves.items() if leaf is node), None)
    if name is not None:
        found[name] += slope
        return
    assert levels, "The graph does not end where it should: is a node its own child?"
    for child, local in kept_pairs(node):
        _follow(child, slope * local, leaves, found, levels - 1)


def _items(kept: object, what: str) -> list[Any]:
    assert not isinstance(kept, set | frozenset), (
        f"{what[0].upper()}{what[1:]} are a set: it has no order, and keeps a value that is used twice only once."
    )
    assert isinstance(kept, list | tuple | Proxy), (
        f"{what[0].upper()}{what[1:]} should be a tuple or a list; here it is {short(kept)}."
    )
    return list(kept)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"

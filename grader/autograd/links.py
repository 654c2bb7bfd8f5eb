"""Helpers for checks of the forward pass: what a node was made from, read back from `_prev`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.sandbox import Proxy, StudentError, Undefined
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from grader.autograd.topic import AutogradStudent


def children(node: Any) -> list[Any]:
    """The nodes in `node._prev`, each once, whether a set, a tuple or a list holds them.

    Raises AssertionError with words for a node that is none, or that holds anything else.
    """
    assert isinstance(node, Proxy), f"{_label(node)} should be a Value, and it is {_kind(node)}{short(node)}."
    kept = node._prev  # noqa: SLF001  the name that the course gives it
    assert isinstance(kept, set | frozenset | tuple | list), (
        f"`_prev` of {short(node)} should be a set, a tuple or a list, and it is {short(kept)}."
    )
    for child in kept:
        assert isinstance(child, Proxy), (
            f"`_prev` of {short(node)} should hold the Values that it was made from, "
            f"and it holds {_kind(child)}{short(child)}."
        )
    return list(dict.fromkeys(kept))


def assert_made_from(node: Any, *inputs: Any) -> None:
    """The children of the node are these very objects. Raises AssertionError with words."""
    found = children(node)
    if set(found) == set(inputs):
        return
    known = sorted(short(child) for child in found if child in inputs)
    others = len(found) - len(known)
    held = " and ".join([*known, *([f"{others} other{'s' * (others > 1)}"] if others else [])])
    raise AssertionError(
        f"`_prev` of {short(node)} should hold {' and '.join(map(short, inputs)) or 'nothing'}; "
        f"it {f'holds {held}' if held else 'is empty'}."
    )


def reached(root: Any) -> list[Any]:
    """Every node of the graph below the root and the root itself, each once, in no order to rely on."""
    found, waiting = dict.fromkeys([root]), [root]
    while waiting:
        new = [child for child in children(waiting.pop()) if child not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


def remembers(student: AutogradStudent) -> bool:
    """Whether + and × compute and keep what they used, so that answers can be compared with them."""
    try:
        with student.trial():
            a, b = student.leaves(a=5.0, b=-7.0)
        product, total = -1 * b, a + 0.5
        root = total * product
        assert_made_from(root, total, product)
        right = (float(total.data), float(product.data), float(root.data)) == (5.5, 7.0, 38.5)
        return right and len(children(total)) == len(children(product)) == 2 and len(reached(root)) == 7
    except (AssertionError, StudentError, Undefined, AttributeError, TypeError, ValueError):
        return False


def _label(value: object) -> str:
    return getattr(value, "label", "") or "The result"


def _kind(value: object) -> str:
    kinds = {str: "the text ", int: "the number ", float: "the number ", tuple: "the tuple "}
    return kinds.get(type(value), "")

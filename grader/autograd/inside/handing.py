"""What a result hands on to what it was made from. Sent as one text with holding.py."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.holding import CONTAINERS, attributes, node_class, order, zero_like  # noqa: TC004


def hand_on(root: Any, upstream: Any, leaves: list[Any], seeded: bool) -> list[list[Any]]:
    """Hand on an upstream gradient of `root`: by each `_backward`, along kept pairs, or through the engine's own walk.

    Returns what no `_backward` may change, before and after: the gradient of `root`, its data, the data of each leaf.
    The list is empty where no `_backward` was called. The engine's walk begins with `seeded`, an upstream gradient of 1,
    or with a product. It may clear gradients, so those that stand there are put aside and added afterwards. A result
    without inputs goes this way too: it may be the input itself, as relu may return it.
    """
    nodes = order(root)
    if nodes:
        root.grad = upstream
        before = _numbers(root, leaves)
        for node in nodes:
            node._backward()
        return [before, _numbers(root, leaves)]
    if getattr(root, "_children", None) and hasattr(root, "_local_grads"):
        root.grad = upstream
        _along_pairs(root, upstream)
        return []
    held = [(node, node.grad) for node in _everything(root) if hasattr(type(node.grad), "__mul__")]
    for node, gradient in held:
        node.grad = zero_like(gradient)
    (root if seeded else root * upstream).backward()
    for node, gradient in held:
        node.grad = gradient if node.grad is None else node.grad + gradient
    return []


def _numbers(root: Any, leaves: list[Any]) -> list[Any]:
    found = [root.grad, *(getattr(node, "data", None) for node in (root, *leaves))]
    return [each.copy() if hasattr(each, "copy") else each for each in found]


def _along_pairs(node: Any, amount: float) -> None:
    """Follow every path to its end, one after another; graphs of checks have few."""
    for place, child in enumerate(node._children):
        share = amount * node._local_grads[place]
        child.grad = share if child.grad is None else child.grad + share
        _along_pairs(child, share)


def _everything(root: Any) -> list[Any]:
    """Return all nodes with a gradient that the root holds, in whatever it keeps them."""
    kind = node_class(root)
    seen: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, (type, str, int, float)):
            seen[id(each)] = each
            items = each.values() if type(each) is dict else each
            waiting += items if type(each) in (*CONTAINERS, dict) else attributes(each).values()
    return [each for each in seen.values() if isinstance(each, kind) and hasattr(each, "grad")]

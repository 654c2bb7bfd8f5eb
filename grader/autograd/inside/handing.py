"""What a result hands on to what it was made from, without the student's `backward`. Sent as one text with nodes.py."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.nodes import CONTAINERS, _attributes  # noqa: TC004


def order(root: Any) -> list[Any]:
    """Return `root` and the results below it that have a `_backward`, each before what it was made from.

    The list is empty if `root` has no `_backward` or holds no node, or if nodes lead back to themselves.
    """
    if not callable(getattr(root, "_backward", None)):
        return []
    kind = [each for each in type(root).__mro__ if each is not object][-1]
    found = _sorted(root, lambda node: _inputs(node, kind))
    return [node for node, inputs in found if inputs and callable(getattr(node, "_backward", None))]


def hand_on(root: Any, upstream: float) -> None:
    """Hand `upstream` on from a root without `_backward`: along kept pairs, or through the engine's own walk.

    That walk may clear gradients before it begins, so those that stand there are put aside and added afterwards.
    """
    if hasattr(root, "_children") and hasattr(root, "_local_grads"):
        root.grad = upstream
        for node, _ in _sorted(root, lambda node: list(node._children)):
            for child, local in zip(node._children, node._local_grads, strict=True):
                child.grad = (child.grad or 0.0) + local * node.grad
    else:
        held = [(node, node.grad) for node in _everything(root) if node.grad]
        for node, _ in held:
            node.grad = 0.0
        (root if upstream == 1.0 else root * upstream).backward()
        for node, before in held:
            node.grad += 0.0 if node is root else before


def _everything(root: Any) -> list[Any]:
    """Return all objects with a gradient that the root holds, in whatever it keeps them."""
    seen: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, (type, str, int, float)):
            seen[id(each)] = each
            items = each.values() if type(each) is dict else each
            waiting += items if type(each) in (*CONTAINERS, dict) else _attributes(each).values()
    return [each for each in seen.values() if hasattr(each, "grad")]


def _sorted(root: Any, inputs_of: Callable[[Any], Sequence[Any]]) -> list[tuple[Any, Sequence[Any]]]:
    """Return each node below `root` with its inputs, users first; nothing if nodes lead back to themselves."""
    inputs: dict[int, Sequence[Any]] = {}
    found: list[Any] = []  # inputs first
    waiting = [(root, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            found.append(node)
        elif id(node) not in inputs:
            inputs[id(node)] = inputs_of(node)
            waiting.append((node, True))
            waiting += [(each, False) for each in inputs[id(node)]]
    place = {id(node): i for i, node in enumerate(found)}
    if any(place[id(each)] >= place[id(node)] for node in found for each in inputs[id(node)]):
        return []
    return [(node, inputs[id(node)]) for node in reversed(found)]


def _inputs(node: Any, kind: type) -> list[Any]:
    """Return the other nodes that a node holds, by themselves or in a container."""
    found: dict[int, Any] = {}
    for value in _attributes(node).values():
        pairs = [*value.values()] if type(value) is dict else []
        items = [*value, *pairs] if type(value) in CONTAINERS or pairs else [value]
        found.update((id(item), item) for item in items if isinstance(item, kind) and item is not node)
    return list(found.values())

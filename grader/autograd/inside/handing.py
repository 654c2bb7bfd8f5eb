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
    """Hand `upstream` on from a root without `_backward`: along kept pairs, or through the engine's own walk."""
    if hasattr(root, "_children") and hasattr(root, "_local_grads"):
        _along_pairs(root, upstream)
    elif upstream == 1.0:
        root.backward()
    else:
        (root * upstream).backward()


def _along_pairs(node: Any, amount: float) -> None:
    """Follow every path to its end, one after another; graphs of checks have few."""
    for place, child in enumerate(node._children):
        share = amount * node._local_grads[place]
        child.grad = share if child.grad is None else child.grad + share
        _along_pairs(child, share)


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

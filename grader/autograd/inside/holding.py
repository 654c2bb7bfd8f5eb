"""What the student's nodes hold, and the right order of calls over them, inputs last. A text of its own, or with others."""

from collections.abc import Callable, Sequence
from typing import Any

CONTAINERS = (set, frozenset, tuple, list)


def order(root: Any) -> list[Any]:
    """Return `root` and the results below it that have a `_backward`, each before what it was made from.

    The list is empty if `root` has no `_backward` or one that takes an argument, if it holds no node, or if nodes lead
    back to themselves.
    """
    if not is_closure(getattr(root, "_backward", None)):
        return []
    kind = node_class(root)
    found = nodes_users_first(root, lambda node: _inputs(node, kind))
    return [node for node, inputs in found if inputs and callable(getattr(node, "_backward", None))]


def node_class(node: Any) -> type:
    """Return the class that all nodes are of: the first of those that the class of `node` is derived from."""
    return [each for each in type(node).__mro__ if each not in (object, float, int)][-1]


def is_closure(found: Any) -> bool:
    """Return True for what can be called without an argument: a `_backward` that is given the gradient can not."""
    code, bound = getattr(found, "__code__", None), hasattr(found, "__self__")
    given = len(getattr(found, "__defaults__", None) or ())
    return callable(found) and (code is None or code.co_argcount - bound <= given)


def nodes_users_first(
    root: Any, inputs_of: Callable[[Any], Sequence[Any]]
) -> list[tuple[Any, Sequence[Any]]]:
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
    """Return the other nodes that a node holds, by themselves or in a container, in an order that no set decides."""
    found: dict[int, Any] = {}
    for value in attributes(node).values():
        pairs = [*value.values()] if type(value) is dict else []
        items = [*value, *pairs] if type(value) in CONTAINERS or pairs else [value]
        found.update((id(item), item) for item in items if isinstance(item, kind) and item is not node)
    return sorted(found.values(), key=_number)


def _number(node: Any) -> str:
    return str(getattr(node, "data", ""))


def zero_like(gradient: Any) -> Any:
    """Return a gradient of the same type and shape that is zero; 0.0 for what is none, such as None."""
    if not hasattr(type(gradient), "__mul__"):
        return 0.0
    zero = gradient.copy() if hasattr(gradient, "copy") else gradient
    zero *= 0  # an array without axes stays an array
    return zero


def attributes(node: Any) -> dict[str, Any]:
    """Return what a node holds, in slots and in its dictionary."""
    names = [name for kind in type(node).__mro__ for name in _slots(kind)]
    return {name: getattr(node, name) for name in names if hasattr(node, name)} | getattr(
        node, "__dict__", {}
    )


def _slots(kind: type) -> list[str]:
    slots = kind.__dict__.get("__slots__", ())
    private = f"_{kind.__name__.lstrip('_')}"
    names = [slots] if isinstance(slots, str) else list(slots)
    return [private + name if name.startswith("__") and not name.endswith("__") else name for name in names]

"""Nodes of the student's class, whose children and local derivatives a check chooses. Sent with nodes.py and holding.py."""

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail the files are one text
    from grader.autograd.inside.holding import CONTAINERS, attributes, is_closure, zero_like  # noqa: TC004
    from grader.autograd.inside.nodes import _graph, closure  # noqa: TC004

OPERATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add,
    operator.mul,
    operator.sub,
    operator.truediv,
    lambda x, _: -x,
    lambda x, _: x.tanh(),
)
NAMES = ("_prev", "_children")  # the course's


def own_graph(make: Callable[[float], Any]) -> Any:
    """Return what `graph` returns, for nodes that `make` makes; None where it cannot be seen how they keep children.

    Nodes that keep `_local_grads` get local gradients, others a `_backward`, which logs.
    """
    try:
        place = _place(make)
        if place is None:
            return None
        kinds, pairs = place
        node = make(0.5)
        for attribute, kind in kinds.items():
            setattr(node, attribute, kind([]))
        if pairs is None:
            node._backward = None
        else:
            node._local_grads = ()
    except Exception:  # no engine, or one whose nodes cannot be told their inputs or what they hand on
        return None

    def own(edges: list[Any], log: list[str]) -> dict[str, Any]:
        nodes: dict[str, Any] = {}
        for name, slopes in edges:
            inputs = [nodes[child] for child, _ in slopes]
            rules = [getattr(each, "_backward", None) for each in inputs]
            nodes[name] = _node(make, float(len(nodes) % 2), inputs, [*nodes.values()])
            for each, rule in zip(inputs, rules, strict=True) if pairs is None else ():
                each._backward = rule  # a wrong operation replaces it
        for name, slopes in edges:
            node, inputs = nodes[name], [(nodes[child], float(slope)) for child, slope in slopes]
            node.grad = zero_like(make(0.5).grad)
            for attribute, kind in kinds.items():
                setattr(node, attribute, kind([child for child, _ in inputs]))
            if pairs is not None:
                node._local_grads = pairs([slope for _, slope in inputs])
            elif inputs:
                node._backward = closure(name, node, inputs, log)
        return nodes

    return _graph(own)


def _node(make: Callable[[float], Any], number: float, inputs: list[Any], others: list[Any]) -> Any:
    """Return a node of this number, which an operation has made of the inputs if one can: a walk may ask for its mark.

    A leaf, and a node that no operation makes, is as the constructor makes it.
    """
    made: Any = _made_of(inputs[-1], [make(0.5), *inputs][-2], others)[0] if inputs else None
    node = make(number)
    try:
        made.data = node.data
    except Exception:  # there is none, or its data cannot be set
        return node
    return made


def _made_of(x: Any, y: Any, others: Sequence[Any] = ()) -> tuple[Any, list[str]]:
    """Return a new result that holds `x`, and the attributes in which it does; None if no operation makes one."""
    for operation in OPERATIONS:
        try:
            result = operation(x, y)
        except Exception:  # not written, or wrong: another one may do
            continue
        held = [(name, value) for name, value in attributes(result).items() if type(value) in CONTAINERS]
        names = [name for name, value in held if any(item is x for item in value)]
        if names and not any(result is node for node in (x, y, *others)):
            return result, names
    return None, []


def _place(make: Callable[[float], Any]) -> tuple[dict[str, Any], Any] | None:
    """Return the attributes in which a result keeps its inputs, with their types, and the type of `_local_grads`.

    The last is None for a result with a `_backward`; one with neither can only be walked as the engine makes it.
    """
    result, names = _made_of(make(0.5), make(0.25))
    if result is not None:
        return _kinds(result, names)
    leaf = make(0.5)
    names = [name for name in NAMES if type(getattr(leaf, name, None)) in CONTAINERS]
    return _kinds(leaf, names) if names else None


def _kinds(node: Any, names: list[str]) -> tuple[dict[str, Any], Any] | None:
    kinds = {name: type(getattr(node, name)) for name in names}
    pairs = getattr(node, "_local_grads", None)
    if type(pairs) in CONTAINERS:  # one for each child, so both need an order
        if "_children" in kinds:
            kinds["_children"] = _sequence_type(kinds["_children"])
        return kinds, _sequence_type(type(pairs))
    return (kinds, None) if is_closure(getattr(node, "_backward", None)) else None


def _sequence_type(kind: type) -> type:
    return kind if kind in {tuple, list} else tuple


def double(node: Any) -> bool:
    """Double the local gradients that a node keeps; False if they cannot be set."""
    kept = node._local_grads
    try:
        node._local_grads = (
            type(kept)(2 * number for number in kept) if type(kept) in CONTAINERS else 2 * kept
        )
    except AttributeError:
        return False
    return True

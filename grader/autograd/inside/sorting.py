"""A right `build_topo` for a `backward` whose own one is wrong or a blank. Sent with nodes.py and holding.py."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail the files are one text
    from grader.autograd.inside.holding import in_order  # noqa: TC004
    from grader.autograd.inside.nodes import build  # noqa: TC004

NAME = "build_topo"
GRAPHS: list[list[tuple[str, list[tuple[str, float]]]]] = [
    [("a", []), ("b", [("a", 1)]), ("c", [("a", 1)]), ("d", [("b", 1), ("c", 1)])],
    [("a", []), ("b", [("a", 1)]), ("c", [("a", 1), ("b", 1)]), ("d", [("b", 1), ("c", 1)])],
    [("a", []), ("b", [("a", 1)]), ("c", [("b", 1)]), ("d", [("c", 1)]), ("e", [("b", 1), ("d", 1)])],
]


def handed(backward: Any) -> Callable[[Any], Any] | None:
    """Return a function that calls `backward` while a right sort has the name `build_topo`.

    None if its own one is right, or if the submission has no method `Value.backward`: a function that stands alone is
    judged as it is.
    """
    names = getattr(getattr(backward, "__func__", backward), "__globals__", {})
    if not hasattr(names.get("Value"), "backward") or sorts(names.get(NAME)):
        return None

    def walk(root: Any) -> Any:
        own = names.get(NAME)
        names[NAME] = lambda top: [node for node, _ in reversed(in_order(top, lambda node: list(node._prev)))]
        try:
            return backward(root)
        finally:
            if own is None:
                del names[NAME]
            else:
                names[NAME] = own

    return walk


def sorts(build_topo: Any) -> bool:
    """Return True if the student's `build_topo` lists some small graphs rightly, also when it is called again."""
    try:
        return all(_lists(build_topo, edges) for edges in GRAPHS)
    except Exception:
        return False


def _lists(build_topo: Any, edges: list[tuple[str, list[tuple[str, float]]]]) -> bool:
    nodes = build(edges, [], "_prev")
    for _ in range(2):
        listed = build_topo(nodes[edges[-1][0]])
        if not isinstance(listed, (list, tuple)):
            return False
        found = [node.label for node in listed]
        if sorted(found) != sorted(nodes) or any(
            found.index(child) > found.index(name) for name, below in edges for child, _ in below
        ):
            return False
    return True

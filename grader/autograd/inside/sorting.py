"""A right `build_topo`, which stands in for a submission's own. Sent with holding.py."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.holding import nodes_users_first  # noqa: TC004


def stand_in(method: Any) -> bool:
    """Give the submission that has this method a right `build_topo`; False if it cannot be seen where its names are.

    A later load of the submission has its own one again.
    """
    names = getattr(getattr(method, "__func__", method), "__globals__", None)
    if names is None:
        return False
    names["build_topo"] = lambda root: [node for node, _ in reversed(nodes_users_first(root, _inputs_of))]
    return True


def _inputs_of(node: Any) -> list[Any]:
    return [*getattr(node, "_prev", ()), *getattr(node, "_children", ())]

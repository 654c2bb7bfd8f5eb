"""What a result of arrays hands on to what it was made from. Sent as one text with holding.py."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.holding import order  # noqa: TC004


def hand_on(root: Any, upstream: Any) -> None:
    """Hand on the gradient of `root` by each `_backward`; an engine without `_backward` is walked by its own `backward()`.

    A result that holds no inputs hands on nothing.
    """
    if callable(getattr(root, "_backward", None)):
        for node in order(root):
            node._backward()
    else:
        (root * upstream).backward()

"""A right `unbroadcast` for operations whose own one is wrong or a blank."""

from typing import Any

NAME = "unbroadcast"
CASES = (((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((4, 2, 3), (1, 3)))


def replaced(node_class: Any) -> bool:
    """Give the submission a right function under the name `unbroadcast`; False if its own one is right.

    A later load of the submission has its own one again.
    """
    names = getattr(node_class.__init__, "__globals__", {})
    if names.get("__name__") is None or sums(names.get(NAME)):
        return False
    names[NAME] = unbroadcast
    return True


def unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    added = grad.ndim - len(shape)
    kept = tuple(added + axis for axis, length in enumerate(shape) if length == 1)
    return grad.sum(axis=(*range(added), *kept), keepdims=True).reshape(shape)


def sums(own: Any) -> bool:
    """Return True if the student's `unbroadcast` is right on some small shapes."""
    import numpy as np

    try:
        for before, after in CASES:
            grad = np.arange(1.0, 1 + np.prod(before)).reshape(before)
            found, right = own(grad, after), unbroadcast(grad, after)
            if np.shape(found) != after or (found != right).any():
                return False
    except Exception:
        return False
    return True

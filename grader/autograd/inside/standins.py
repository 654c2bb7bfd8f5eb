"""Right functions that stand in for a student's own, while what uses them is tested."""

from typing import Any

import numpy as np


def stand_in(node_class: Any, name: str) -> bool:
    """Give the submission a right function of this name; False if it cannot be seen where its names are.

    A later load of the submission has its own one again.
    """
    names = getattr(node_class.__init__, "__globals__", None)
    if names is None:
        return False
    names[name] = {"unbroadcast": unbroadcast, "log_softmax": log_softmax}[name]
    return True


def unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    added = grad.ndim - len(shape)
    kept = tuple(added + axis for axis, length in enumerate(shape) if length == 1)
    return grad.sum(axis=(*range(added), *kept), keepdims=True).reshape(shape)


def log_softmax(z: Any) -> Any:
    shifted = z.data - z.data.max(axis=1, keepdims=True)
    out = type(z)(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
    out._prev = (z,)

    def _backward() -> None:
        z.grad += out.grad - np.exp(out.data) * out.grad.sum(axis=1, keepdims=True)

    out._backward = _backward
    return out

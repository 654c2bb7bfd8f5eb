"""Reductions, right and wrong: they bring a contribution back to the shape of an input that broadcasting stretched."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Array = Any  # np.ndarray, or a float of no dimension
Shape = tuple[int, ...]

# Ways to reduce one axis of an array.
_OVER: dict[str, Callable[..., Array]] = {
    "summed": np.sum,
    "averaged": np.mean,
    "first": lambda v, axis, *, keepdims=False: np.take(v, [0] if keepdims else 0, axis=axis),
    "largest": np.max,
    "last": lambda v, **_: np.sum(v, axis=-1),
    "lost": lambda v, axis, **_: np.sum(v, axis=axis),
}
_LEADS = ("summed", "averaged", "first", "largest", "last", "left")
_ONES = ("summed", "averaged", "first", "lost", "left")


def reduce_axes(v: Array, shape: Shape, lead: str, ones: str) -> Array:
    """Return `v`, reduced by `lead` over the axes that broadcasting adds, then by `ones` over those that it stretches."""
    while lead != "left" and np.ndim(v) > len(shape):
        v = _OVER[lead](v, axis=0)
    for axis, size in enumerate(shape) if ones != "left" else ():
        if size == 1 and np.shape(v)[axis] != 1:
            v = _OVER[ones](v, axis=axis, keepdims=True)
    return v


# Other reductions as Python. `v` is the contribution, `whole` the same in front of a method, `shape` the input's shape.
WRITTEN = {
    "total": "{whole}.sum()",
    "filled": "np.full({shape}, {whole}.sum())",
    "cut": "np.resize({v}, {shape})",
    "reshaped": "np.reshape({v}, {shape})",
    **{
        f"{how} {axis}{' kept' * kept}": f"{{whole}}.{how}(axis={axis}{', keepdims=True' * kept})"
        for how in ("sum", "mean")
        for axis in (0, -1)
        for kept in (False, True)
    },
}
_CODE = {
    name: eval(f"lambda v, shape: {text.format(whole='v', v='v', shape='shape')}", {"np": np})  # noqa: S307  a text of ours
    for name, text in WRITTEN.items()
}


def _run_reduction(v: Array, shape: Shape, name: str, *, sometimes: bool = False) -> Array:
    return v if sometimes and np.shape(v) == shape else _CODE[name](np.asarray(v), shape)


RIGHT, NONE, PARTNERS = "summed summed", "left left", "partner's"
# By name: the way over the axes that broadcasting adds, and over those that it stretches. PARTNERS gets the other input's shape.
REDUCTIONS: dict[str, Callable[[Array, Shape], Array]] = {
    **{
        f"{lead} {ones}": functools.partial(reduce_axes, lead=lead, ones=ones)
        for lead in _LEADS
        for ones in _ONES
    },
    # Summed over stretched axes, but not over those that broadcasting adds.
    "aligned": lambda v, shape: reduce_axes(
        v, (*np.shape(v)[: max(np.ndim(v) - len(shape), 0)], *shape), "left", "summed"
    ),
    "turned": lambda v, shape: reduce_axes(v, shape[::-1], "summed", "summed"),
    **{name: functools.partial(_run_reduction, name=name) for name in _CODE},
    **{
        f"{name} where stretched": functools.partial(_run_reduction, name=name, sometimes=True)
        for name in _CODE
        if name not in {"cut", "reshaped"}
    },
    PARTNERS: functools.partial(reduce_axes, lead="summed", ones="summed"),
}
WRITTEN |= {
    PARTNERS: "unbroadcast({v}, {partner}.data.shape)",
    "turned": "unbroadcast({v}, {shape}[::-1])",
}

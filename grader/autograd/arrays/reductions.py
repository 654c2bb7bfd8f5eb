"""Reductions: they bring a contribution back to the shape of an input that broadcasting stretched, rightly or wrongly."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
Shape = tuple[int, ...]
_Over = Callable[..., Array]  # over one axis of an array


def _first(v: Array, axis: int, *, keepdims: bool = False) -> Array:
    found = np.take(v, 0, axis=axis)
    return np.expand_dims(found, axis) if keepdims else found


def _last_axis(v: Array, axis: int) -> Array:  # noqa: ARG001  instead of the one that is new
    return np.sum(v, axis=-1)


def _lost(v: Array, axis: int, *, keepdims: bool) -> Array:  # noqa: ARG001  what is lost
    return np.sum(v, axis=axis)


_LEADS: dict[str, _Over | None] = {
    "summed": np.sum,
    "averaged": np.mean,
    "first": _first,
    "largest": np.max,
    "last": _last_axis,
    "left": None,
}
_ONES: dict[str, _Over | None] = {
    "summed": np.sum,
    "averaged": np.mean,
    "first": _first,
    "lost": _lost,
    "left": None,
}


def reduced(v: Array, shape: Shape, lead: str, ones: str) -> Array:
    """Return `v` with something done over the axes that broadcasting adds, then over those that it stretches."""
    if over := _LEADS[lead]:
        while np.ndim(v) > len(shape):
            v = over(v, axis=0)
    if over := _ONES[ones]:
        for axis, size in enumerate(shape):
            if size == 1 and np.shape(v)[axis] != 1:
                v = over(v, axis=axis, keepdims=True)
    return v


def _aligned(v: Array, shape: Shape) -> Array:
    """Return `v` summed over stretched axes, but not over those that broadcasting adds."""
    extra = np.ndim(v) - len(shape)
    axes = tuple(
        i + extra
        for i, size in enumerate(shape)
        if size == 1 and i + extra >= 0 and np.shape(v)[i + extra] != 1
    )
    return np.sum(v, axis=axes, keepdims=True) if axes else v


def _turned(v: Array, shape: Shape) -> Array:
    return reduced(v, shape[::-1], "summed", "summed")


def _over(v: Array, _: Shape, over: _Over, axis: int, *, keepdims: bool) -> Array:
    return over(v, axis=axis, keepdims=keepdims)


def _total(v: Array, shape: Shape, *, filled: bool) -> Array:
    return np.full(shape, np.sum(v)) if filled else np.sum(v)


def _where_stretched(v: Array, shape: Shape, how: Callable[[Array, Shape], Array]) -> Array:
    return v if np.shape(v) == shape else how(v, shape)


# The names are keys of `words.arrays.REDUCTIONS`: `summed summed` is right.
REDUCTIONS: dict[str, Callable[[Array, Shape], Array]] = {
    f"{lead} {ones}": functools.partial(reduced, lead=lead, ones=ones) for lead in _LEADS for ones in _ONES
}
REDUCTIONS |= {
    "aligned": _aligned,
    "turned": _turned,
    "total": functools.partial(_total, filled=False),
    "filled": functools.partial(_total, filled=True),
    "cut": np.resize,
    "reshaped": np.reshape,
}
REDUCTIONS |= {
    f"{how} {axis}{' kept' if keepdims else ''}": functools.partial(
        _over, over=over, axis=axis, keepdims=keepdims
    )
    for how, over in (("sum", np.sum), ("mean", np.mean))
    for axis in (0, -1)
    for keepdims in (False, True)
}
_SOMETIMES = [name for name in REDUCTIONS if name.partition(" ")[0] in {"total", "filled", "sum", "mean"}]
REDUCTIONS |= {
    f"{name} where stretched": functools.partial(_where_stretched, how=REDUCTIONS[name])
    for name in _SOMETIMES
}
RIGHT, NONE, PARTNERS = "summed summed", "left left", "partner's"

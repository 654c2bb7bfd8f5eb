"""Samples: the tests make a part of each large population, and all of it with the environment's `BACKGRADE_WHOLE=1`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
WHOLE = bool(os.environ.get("BACKGRADE_WHOLE"))


def every(step: int, items: Iterable[T], start: int = 0) -> list[T]:
    """Return every `step`-th item from the one at `start`, or all items."""
    return list(items) if WHOLE else list(items)[start::step]

"""Results kept for the next submission: students of a class share right rules, and wrong ones."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class ResultCache(Generic[T]):
    """The results of a function of its key alone; of more than `most`, those used last are kept."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result for a key, computed at its first use. Keeps nothing if `compute` raises."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = self._kept[key] = compute()
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found

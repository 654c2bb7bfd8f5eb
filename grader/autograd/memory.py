"""Results kept for the next submission: students of a class share right rules, and wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class ResultCache(Generic[T]):
    """The results of a function of its key alone; of more than `most`, those used last are kept."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._kept: dict[Hashable, T] = {}

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result for a key, computed at its first use. Keeps nothing if `compute` raises."""
        found = self._kept.pop(key) if key in self._kept else compute()
        self._kept[key] = found
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return found

"""The order of sets: the same in every run, and a check may reverse or permute it.

`set` iterates by hash, and by default the hash of an object comes from its address: code whose result
depends on it passes or fails by luck. Here the hash is a counter: the first object that is hashed gets 1.
"""

import builtins
import itertools
import weakref
from typing import Any, ClassVar

MODULE = "submission"

_build_class = builtins.__build_class__


class _IndexedHash:
    """A base class whose instances hash by the order in which they were first hashed; it adds no attributes."""

    __slots__ = ()


class Order:
    """The order that hashes follow, the next index, and the hashes given out so far.

    An entry is a reference to the object and its hash, by the object's id.
    """

    mode = "forward"
    count = itertools.count(1)
    given: ClassVar[dict[int, tuple[Any, int]]] = {}

    @classmethod
    def reset(cls, mode: str) -> None:
        """Begin again; an object that outlives a load keeps its hash."""
        cls.mode, cls.count = mode, itertools.count(1)
        cls.given = {
            n: entry
            for n, entry in cls.given.items()
            if type(entry[0]) is weakref.ref and entry[0]() is not None
        }

    @classmethod
    def hash_of(cls, index: int) -> int:
        if cls.mode == "reverse":
            return ~index
        if cls.mode == "permuted":
            return (index * 0x9E3779B1) % 0x7FFFFFFF
        return index


def _hash(self: Any) -> int:
    number = id(self)
    entry = Order.given.get(number)
    if entry is None or not (entry[0] is self or entry[0]() is self):  # the id of an object that is gone
        value = Order.hash_of(next(Order.count))
        try:
            reference: Any = weakref.ref(self, lambda _: Order.given.pop(number, None))
        except TypeError:  # slots without `__weakref__`: kept alive, so that no other object gets its id
            reference = self
        entry = Order.given[number] = (reference, value)
    return entry[1]


_IndexedHash.__hash__ = _hash  # type: ignore[method-assign]


def build_class(function: Any, name: str, *bases: Any, **keywords: Any) -> Any:
    """Build a class as `__build_class__` does; the student's classes that inherit object's hash get `_IndexedHash`."""
    if not str(function.__globals__.get("__name__")).startswith(MODULE):
        return _build_class(function, name, *bases, **keywords)
    plain = not bases or bases == (object,)
    cls = _build_class(function, name, *((_IndexedHash,) if plain else bases), **keywords)
    if isinstance(cls, type) and cls.__hash__ is object.__hash__ and not getattr(cls, "_is_protocol", False):  # type: ignore[comparison-overlap]
        try:
            cls.__bases__ += (_IndexedHash,)
        except (AttributeError, TypeError):
            pass
    return cls

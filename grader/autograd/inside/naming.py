"""The names that a student's objects have."""

from typing import Any

MOST = 200


def leaf_names(make: Any) -> list[str]:
    """Return the name of a leaf's class, and the names of the leaf's attributes and methods, but for Python's own."""
    leaf = make(0.5)
    kinds = [kind for kind in type(leaf).__mro__ if kind is not object]
    found = [*getattr(leaf, "__dict__", {}), *(name for kind in kinds for name in kind.__dict__)]
    usual = {name for kind in (object, float, list, type) for name in dir(kind)}
    return [type(leaf).__name__, *[name for name in found if type(name) is str and name not in usual][:MOST]]

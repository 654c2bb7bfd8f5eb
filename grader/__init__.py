"""Backgrade: an autograder for courses that build backpropagation from scratch.

In a notebook: `from grader import check, draw`, then `check("swap_rule")` or `draw(L)`.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "check", "draw"]

_MODULES = {"check": "practice.check", "draw": "autograd.drawing"}
TYPE_CHECKING = False  # type checkers know this name; importing `typing` would cost time at every start
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    """Import `check` and `draw` when they are asked for: the command has no use for them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pkgutil

    return pkgutil.resolve_name(f"grader.{_MODULES[name]}:{name}")

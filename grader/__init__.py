"""Backgrade: an autograder for courses that build backpropagation from scratch.

In a notebook: `from grader import check; check("swap_rule")`.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "check"]

TYPE_CHECKING = False  # type checkers know this name; importing `typing` would cost time at every start
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    """Import `check` when it is asked for: the command has no use for it, and it needs the rest of the package."""
    if name != "check":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pkgutil

    return pkgutil.resolve_name("grader.practice.check:check")

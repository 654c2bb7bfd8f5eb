"""Backgrade: an autograder for courses that build backpropagation from scratch.

In a notebook: `from grader import check; check("swap_rule")`.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "check"]

TYPE_CHECKING = False  # the name that type checkers know; `typing` itself is not needed to start
if TYPE_CHECKING:
    from grader.practice.check import check


def __getattr__(name: str) -> object:
    """`check`, which is imported when it is asked for: the command has no use for it."""
    if name != "check":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from grader.practice.check import check

    return check

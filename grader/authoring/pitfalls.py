"""Lines of a check that make its verdict luck, or that stop grading until somebody types."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_RANDOM = re.compile(
    r"random\.(?!Random$|seed$).+|numpy\.random\.(?!default_rng$|RandomState$|seed$).+|secrets\..+"
    r"|uuid\.uuid[14]|os\.urandom"
)
_SEEDED = re.compile(r"random\.Random|numpy\.random\.(default_rng|RandomState)")  # by an argument
_SEEDS = re.compile(r"(numpy\.)?random\.seed")
_CLOCK = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time|thread_time)(_ns)?|time\.(localtime|gmtime)"
    r"|datetime\.(datetime|date)\.(now|today|utcnow)"
)
_ASKS = re.compile(r"breakpoint|input|i?pdb\.\w+")


def pitfalls(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a check's source that cannot stay, each with what is wrong and the remedy.

    A source that does not parse has none: the suite tells what is wrong with it.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    origins = _origins(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [(node, _origin(node.func, origins)) for node in calls]
    seeded = any(_SEEDS.fullmatch(name) and node.args for node, name in called)
    for node, name in sorted(called, key=lambda pair: pair[0].lineno):
        if said := _said(name, given=bool(node.args or node.keywords), seeded=seeded):
            yield node.lineno, f"{ast.unparse(node.func)}() {said}"


def _said(name: str, *, given: bool, seeded: bool) -> str:
    if _ASKS.fullmatch(name):
        return "stops grading until somebody types; take it out"
    if _CLOCK.fullmatch(name):
        return "gives something else in each run, so who passes is luck; take it out"
    lucky = not seeded if _RANDOM.fullmatch(name) else not given and _SEEDED.fullmatch(name)
    return "is not seeded, so who passes is luck; take random numbers from the fixture `rng`" if lucky else ""


def _origins(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name stands for: `numpy.random` for `r` of `import numpy.random as r`."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _origin(function: ast.expr, origins: dict[str, str]) -> str:
    """Return the full name of what is called; nothing for what is no name, or a name of the check's own."""
    if isinstance(function, ast.Attribute):
        of = _origin(function.value, origins)
        return f"{of}.{function.attr}" if of else ""
    if not isinstance(function, ast.Name):
        return ""
    return origins.get(function.id) or ("" if function.id not in {"breakpoint", "input"} else function.id)

"""The submission's cells: their code, the names that they define, their output."""

import ast
import io
import re
import sys
import time
from typing import Any

_MAGIC = re.compile(r"^(\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$)")
_COMPOUND = "async|class|def|for|if|try|while|with"  # after `pass;` Python allows none of them
_TIMED = re.compile(rf"^(\s*)%time(?=[ \t]+(?!(?:{_COMPOUND})\b)[^\s-])")
_TIMED_ASSIGNED = re.compile(r"^(\s*[\w.][\w., ]*=\s*)%time(?=[ \t]+\S)")
_MAGIC_ASSIGNED = re.compile(r"^(\s*[\w.][\w., ]*=\s*)[%!]")
_RUNS_ITS_BODY = re.compile(r"^%%(time|timeit|capture|prun)\b")
_NAMES = re.compile(r"^(?:class|def|async def)\s+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
SLOW_SECONDS = 0.1  # a cell that takes longer to compile is not parsed again for its names


def without_magics(source: str) -> str:
    """Return the same lines, with IPython's magics and shell lines made harmless.

    As in IPython, `%time` executes its statement, and the first line's indentation is taken from all lines.
    """
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    indentation = lines[first][: -len(lines[first].lstrip()) or None]
    lines = [line.removeprefix(indentation) for line in lines]
    if lines[first].startswith("%%") and not _RUNS_ITS_BODY.match(lines[first]):
        return ""
    for i, line in enumerate(lines):
        if _TIMED.match(line):
            lines[i] = _TIMED.sub(r"\1pass;", line)  # as long: columns stay
        elif _TIMED_ASSIGNED.match(line):
            lines[i] = _TIMED_ASSIGNED.sub(r"\1     ", line)
        elif match := _MAGIC.match(line):
            lines[i] = match[1] + "pass"
        elif match := _MAGIC_ASSIGNED.match(line):
            lines[i] = match[1] + "None"
    return "\n".join(lines)


class CompiledCell:
    """One cell: its source, without magics if it has any, compiled once."""

    def __init__(self, index: int, source: str) -> None:
        self.source, self.name = source, f"<block {index}>"
        self.code: Any = None
        self.error: BaseException | None = None
        self.slow = False
        self.exhausted = False  # True once it ran out of memory; it is not executed again

    def compile(self, flags: int) -> int:
        """Compile with the `from __future__` flags of the earlier cells; return them with this cell's own."""
        started = time.perf_counter()
        try:
            code = self._compile(self.source, flags)
        except (SyntaxError, ValueError) as error:
            plain = without_magics(self.source)
            try:
                code = self._compile(plain, flags)
            except (SyntaxError, ValueError):
                self.error = error
                return flags
            self.source = plain  # the text that columns count in
        self.slow = time.perf_counter() - started > SLOW_SECONDS
        self.code = code
        return flags | int(code.co_flags & _FUTURE)

    def _compile(self, source: str, flags: int) -> Any:
        try:
            flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in Jupyter
            return compile(source, self.name, "exec", flags=flags, dont_inherit=True)
        except (MemoryError, RecursionError):  # the compiler's own stack is used up
            text = "this is nested too deeply, or is too long, for Python to compile it"
            raise SyntaxError(text, (self.name, 1, 1, None)) from None

    def names(self, *, by_line: bool) -> list[str]:
        """Return the names that this cell defines at its top level; guess them if the cell compiled slowly."""
        if by_line or self.slow:
            return self._names_by_line()
        try:
            body = ast.parse(without_magics(self.source)).body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return self._names_by_line()
        found = set()
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found.update((a.asname or a.name).partition(".")[0] for a in node.names)
            else:
                found.update(
                    n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                )
        return sorted(found)

    def _names_by_line(self) -> list[str]:
        return sorted({a or b for a, b in _NAMES.findall(self.source)})


def execute(code: Any, namespace: dict[str, Any]) -> None:
    """Execute a cell; drive one that awaits without an event loop. Raises what the cell raises."""
    waiting = eval(code, namespace)  # noqa: S307  a cell is code; `exec` gives no coroutine
    try:
        while waiting is not None and waiting.send(None) is None:
            pass
    except StopIteration:
        return
    if waiting is not None:
        waiting.close()
        raise RuntimeError("no running event loop")


def _show_nothing(*_: Any, **__: Any) -> None:
    """Do nothing: stands in for IPython's `display` and for the methods of its shell."""


class _Shell:
    """Replaces IPython's shell: every method does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _show_nothing


# Names that the module `site` and IPython would have added.
NOTEBOOK_NAMES = {"exit": sys.exit, "quit": sys.exit, "display": _show_nothing, "get_ipython": _Shell}


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE = _future_flags()


class Capture(io.TextIOBase):
    """A stream that counts the printed characters and keeps the first ones."""

    def __init__(self, limit: int) -> None:
        self.limit, self.size = limit, 0
        self.kept: list[str] = []

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = self.limit - self.size
        if room > 0:
            self.kept.append(text[:room])
        self.size += len(text)
        return len(text)

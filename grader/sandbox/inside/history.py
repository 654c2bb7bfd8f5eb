"""Notes which lines gave names and attributes their arrays, while one test runs once more.

No code of the student's runs for it: names are read from frames, attributes from dictionaries and slots, and arrays are
told apart by identity. It reports, and does not judge.
"""

import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from .holding import _attribute, _short
from .sharing import LONGEST, MOST, _array

MOST_STEPS = 3000  # lines and calls of a test; a longer test gives no history
_PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    list,
    tuple,
    dict,
    set,
    frozenset,
    type(None),
    types.FunctionType,
)


class _Set(NamedTuple):
    """A line that gave a name its array, with the objects that other names of the frame held then.

    `before` is such an entry for the name's earlier array, or None.
    """

    code: types.CodeType
    line: int
    others: dict[str, Any]
    before: Any


class History:
    """The lines that gave some names, with a dot or without, their arrays."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = [path.split(".") for path in paths]
        self.names = {steps[0] for steps in self.paths if len(steps) == 1}
        self.attributes = {steps[1] for steps in self.paths if len(steps) == 2}
        self.objects: dict[int, Any] = {}  # by id: objects and frames, kept so that no other gets it
        self.arrays: dict[tuple[int, str], tuple[Any, _Set | None]] = {}  # by object or frame, and name
        self.first: dict[int, tuple[Any, _Set | None]] = {}  # by id: an array, and how a name got it first
        self.raised: list[list[Any]] = []
        self.error: Any = None
        self.left = MOST_STEPS
        self.trace = self._call
        if paths and sys.gettrace() is None:
            sys.settrace(self.trace)

    def end(self) -> None:
        """Stop tracing."""
        if sys.gettrace() is self.trace:
            sys.settrace(None)

    def rows(self, block_of: Callable[[object], int | None]) -> list[Any]:
        """Return a row for each name in the frame that raised the last error.

        A row has block, line, function, name and form. Then come the name that held another object when the array, or the
        one before it, was made; the line that made it; and True if that is the array itself.
        """
        return [[block_of(file), *row] for file, *row in self.raised[:MOST]] if self.left > 0 else []

    def _call(self, frame: types.FrameType, *_: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            self.end()
        if self.left < 0 or not frame.f_code.co_filename.startswith("<block "):
            return None
        line = 0

        def step(frame: types.FrameType, event: str, value: Any) -> Any:
            nonlocal line
            self.left -= 1
            if self.left < 0:
                self.end()
                return None
            try:
                self._look(frame, line)
                if event == "exception" and value[1] is not self.error:
                    self.error, self.raised = value[1], self._names(frame)
            except Exception:  # an error here would be the student's
                self.left = 0
            if event == "line":
                line = frame.f_lineno
            return step

        return step

    def _look(self, frame: types.FrameType, line: int) -> None:
        """Note the names to which the line gave an array; for a new object, the line is unknown."""
        local = frame.f_locals
        for name, value in local.items():
            if _array(value) is not None:
                if name in self.names:
                    self._note(frame, frame, name, value, line)
            elif type(value) not in _PLAIN:
                since = line if id(value) in self.objects else 0
                for attribute in self.attributes:
                    held = _attribute(value, attribute)
                    if _array(held) is not None:
                        self._note(frame, value, attribute, held, since)
                self.objects[id(value)] = value

    def _note(self, frame: types.FrameType, owner: Any, name: str, array: Any, line: int) -> None:
        self.objects[id(owner)] = owner
        held, _ = self.arrays.get((id(owner), name), (None, None))
        if held is array:
            return
        others = {n: v for n, v in frame.f_locals.items() if v is not owner and id(v) in self.objects}
        _, before = self.first.get(id(held), (None, None))
        now = _Set(frame.f_code, line, others, before) if line else None
        self.arrays[id(owner), name] = array, now
        self.first.setdefault(id(array), (array, now))

    def _names(self, frame: types.FrameType) -> list[list[Any]]:
        rows = []
        for steps in self.paths:
            owner = frame if len(steps) == 1 else frame.f_locals.get(steps[0])
            array, done = self.arrays.get((id(owner), steps[-1]), (None, None))
            if done is None:
                continue
            turn, made = _find_swapped(done.others, frame.f_locals, owner), done
            if not turn and done.before and done.before.code.co_filename == done.code.co_filename:
                turn, made = _find_swapped(done.before.others, frame.f_locals, owner), done.before
            file, function = done.code.co_filename, done.code.co_qualname[:LONGEST]
            form = [*_short(array)][-1]
            name = ".".join(steps)
            rows.append([file, done.line, function, name, form, turn[:LONGEST], made.line, made is done])
        return rows


def _find_swapped(before: dict[str, Any], now: dict[str, Any], owner: Any) -> str:
    """Return the name of the only object of its class whose place another object of that class had before; else ""."""
    for name, value in now.items():
        others = [each for each in before.values() if type(each) is type(value)]
        mine = [each for each in now.values() if type(each) is type(value) and each is not owner]
        if len(others) == len(mine) == 1 and mine[0] is value and others[0] is not value:
            return name
    return ""

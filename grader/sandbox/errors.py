"""The exceptions of the jail; the package's docstring lists them."""

from __future__ import annotations

import builtins
from functools import cache
from typing import Annotated, Self

import msgspec

from grader.errors import Broken

MAX_LINE = 1 << 30
MAX_NAME = 80

Count = Annotated[int, msgspec.Meta(ge=0)]
MAX_FRAMES, MAX_HELD = 6, 8  # of an error


class SandboxUnavailable(Broken):
    """The jail could not be started here; the text says why."""


class Frame(msgspec.Struct, frozen=True):
    """A line of the student's code: block index, line in the block (from 1), function."""

    block: int
    line: int
    function: str

    @classmethod
    def within_bounds(cls, block: int, line: int, function: str) -> Self:
        """Return a frame that the jail sent, cut to fit into a report."""
        return cls(min(block, MAX_LINE), min(line, MAX_LINE), function[:MAX_NAME])


class HeldValue(msgspec.Struct, frozen=True):
    """A name such as `self.data` in the expression that raised an error: the kind of its value, and a short form.

    The form is Python's text for numbers and None, the length for containers and texts, dtype and shape for numpy
    arrays, and the name of the class for classes and other objects.
    """

    name: str
    kind: str
    form: str


class Hang(msgspec.Struct, frozen=True):
    """A call that ran out of time, and the frame where it stood, if known."""

    call: str
    place: Frame | None


class SubmissionStopped(Exception):
    """The jail ended because of something that the submission did.

    `limit` is the manifest's name of the exceeded limit; `forged` is true if the submission sent invalid data. With
    neither, its process died. `hang` is set if one call took the time; if that happened before, it is the first such
    call. `place` is where the call stood this time.
    """

    def __init__(self, text: str, *, limit: str = "", forged: bool = False) -> None:
        super().__init__(text)
        self.limit, self.forged = limit, forged
        self.hang: Hang | None = None
        self.place: Frame | None = None

    def bare(self) -> SubmissionStopped:
        """Return the same error without the call and its place."""
        return SubmissionStopped(str(self), limit=self.limit, forged=self.forged)


def forged_data(what: str) -> SubmissionStopped:
    """Return the error for invalid data from the jail."""
    return SubmissionStopped(f"the submission's process sent {what}", forged=True)


class Undefined(Exception):
    """The submission does not define `name`; `cause` is the error of the cell that would have defined it."""

    def __init__(self, name: str, cause: StudentError | SubmissionStopped | None = None) -> None:
        super().__init__(f"{name} is not defined")
        self.name = name
        self.cause = cause


class StudentError(Exception):
    """Student code raised an exception; everything here is text from the jail.

    `raised` makes an error that is also an instance of the built-in exception, so that
    `pytest.raises(TypeError)` works as usual. SystemExit and its like are data only.
    """

    def __init__(
        self,
        type_: str,
        text: str,
        frames: tuple[Frame, ...] = (),
        missing_name: str = "",
        held: tuple[HeldValue, ...] = (),
    ) -> None:
        Exception.__init__(self, type_, text)
        self.type = type_
        self.text = text
        self.frames = frames
        self.missing_name = missing_name
        self.held = held

    def __str__(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type

    def __reduce__(self) -> tuple[object, ...]:
        return StudentError, (self.type, self.text, self.frames, self.missing_name, self.held)


class _Error(msgspec.Struct):
    """An exception as the jail sends it; a frame is block, line and function. `held` is about the innermost frame."""

    type: str
    bases: list[str]
    text: str
    name: str
    frames: list[tuple[Count, Count, str]]
    held: list[tuple[str, str, str]] = []


def error_of(data: object) -> StudentError:
    """Return the exception in this data from the jail. Raises msgspec.ValidationError.

    It is also an instance of the first built-in exception among its bases.
    """
    error = msgspec.convert(data, _Error)
    frames = tuple(Frame.within_bounds(*row) for row in error.frames[:MAX_FRAMES])
    rows = [row for row in error.held[:MAX_HELD] if all(map(str.isidentifier, row[0].split(".")))]
    held = tuple(HeldValue(*(text[:MAX_NAME] for text in row)) for row in rows)
    kinds = (_also(name) for name in error.bases[:8] if name in vars(builtins))
    cls = next(filter(None, kinds), StudentError)
    return cls(error.type[:100], error.text[:2000], frames, error.name[:100], held)


@cache
def _also(name: str) -> type[StudentError] | None:
    base = getattr(builtins, name)
    if not (isinstance(base, type) and issubclass(base, Exception)):
        return None
    if issubclass(base, StopIteration | StopAsyncIteration | BaseExceptionGroup):
        return None  # it would end a loop of the check, or cannot be made without members
    return type(f"Student{name}", (StudentError, base), {})

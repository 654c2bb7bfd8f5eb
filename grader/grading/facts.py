"""The facts that grading itself finds: errors, limits, missing names, blanks, wrong answers, known mistakes, what is shared."""

from __future__ import annotations

from typing import ClassVar

from grader.topic import Kind

MAX_NAME = 60  # characters of a student's name or value


class ErrorFact(Kind, frozen=True):
    """An error in a test, raised in the student's `function`; "" if none of their lines was running.

    >>> fact = ErrorFact("Box.area", "TypeError", "unsupported operand").fact()
    >>> fact.kind, fact.key, [(field.name, field.value) for field in fact.fields][:2]
    ('error', 'TypeError Box.area', [('function', 'Box.area'), ('type', 'TypeError')])
    """

    kind: ClassVar[str] = "error"

    function: str
    type: str
    text: str = ""

    @property
    def key(self) -> str:
        """The type of the error and the function."""
        return f"{self.type} {self.function}"


class LimitFact(Kind, frozen=True):
    """A limit of the manifest that a test exceeded.

    `function` is the function in which the submission was running, if it was seen; `call` is the first call that ran
    out of time there.
    """

    kind: ClassVar[str] = "limit"

    function: str
    limit: str
    call: str = ""

    @property
    def key(self) -> str:
        """The limit and the function."""
        return f"{self.limit} {self.function}"


class MissingFact(Kind, frozen=True):
    """A missing name that a test needs; `error` is the type of the error that prevented its definition."""

    kind: ClassVar[str] = "missing"

    name: str
    error: str = ""


class BlankFact(Kind, frozen=True):
    """A blank that a test reached: an answer or a function.

    With `kept`, the stub's `raise` is still among the student's own lines. With `twice`, the stub defines the name again
    below the student's definition. A function counts also if a wrong line led there.
    """

    kind: ClassVar[str] = "blank"

    name: str
    kept: bool = False
    twice: bool = False


class AnswerFact(Kind, frozen=True):
    """A wrong answer. `value` is empty for an answer of several entries; `known` has the known wrong values in it.

    `odd` has the wrong entries outside the known wrong values, such as `b = 7`.
    """

    kind: ClassVar[str] = "answer"

    name: str
    value: str = ""
    known: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name and the value, or the known wrong values."""
        return f"{self.name}: {self.value or ', '.join(self.known)}"


class MistakeFact(Kind, frozen=True):
    """A known mistake that fails tests with exactly the same readings."""

    kind: ClassVar[str] = "mistake"

    mistake: str


class SharedFact(Kind, frozen=True):
    """Something that the student's objects or calls share, or a copy instead of an object.

    `how` is `default`, `class`, `global`, `alias`, `one`, `copy`, `turn` or `whole`. `about` is the function, the class, or
    the attribute that holds copies. `names` are shared or were copied; `types` are their types, or the class of the
    copies. An alias was made in `line`. With `turn`, `about` got its array for an earlier object of a loop, `names`; with
    `whole`, it got whole numbers; both at `place`, in words.

    >>> SharedFact("Box.__init__", "default", ("items",), ("list",)).key
    'default Box.__init__'
    """

    kind: ClassVar[str] = "shared"

    about: str
    how: str
    names: tuple[str, ...]
    types: tuple[str, ...] = ()
    line: int = 0
    place: str = ""

    @property
    def key(self) -> str:
        """The way of sharing, and the function, class or attribute that it is about."""
        return f"{self.how} {self.about}"


class ReturnFact(Kind, frozen=True):
    """The function `about` ended without reaching its `return` in `line`, or that `return` is in the function `inner`."""

    kind: ClassVar[str] = "return"

    about: str
    inner: str
    line: int

    @property
    def key(self) -> str:
        """The function, and the one inside it."""
        return f"{self.about} {self.inner}".strip()

"""What a check sees: the submission as an object whose attributes are the student's names."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from grader.sandbox.proxy import Proxy, kind_of, label_of, relabel, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.sandbox import Sandbox


class Unanswered(Exception):
    """An answer is still the stub's blank (`...`)."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is still a blank")
        self.name = name


class HalfWritten(dict[Any, Any]):
    """A dictionary of the student's in which some entries are still `...`.

    A comparison judges the entries that are written. Where these agree, and where a blank entry is
    used, it raises Unanswered: so a blank hides no wrong entry, and fails no test.
    """

    def __init__(self, name: str, entries: dict[Any, Any]) -> None:
        super().__init__(entries)
        self.name = name

    @property
    def written(self) -> dict[Any, Any]:
        """The entries that are no blanks."""
        return {key: value for key, value in dict.items(self) if value is not Ellipsis}

    def __eq__(self, other: object) -> bool:
        import pytest

        near = other if isinstance(other, pytest.Approx) else None
        wanted = other if near is None else near.expected
        if not isinstance(wanted, dict) or wanted.keys() != self.keys():
            return False
        of_written: Any = {key: wanted[key] for key in self.written}
        if near is not None:
            of_written = pytest.approx(of_written, near.rel, near.abs, near.nan_ok)
        if self.written != of_written:
            return False
        raise Unanswered(self.name)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __iter__(self) -> Iterator[Any]:  # without one of its own, `dict(...)` copies past `__getitem__`
        return super().__iter__()

    def __getitem__(self, key: object) -> Any:
        if super().get(key) is Ellipsis:
            raise Unanswered(self.name)
        return super().__getitem__(key)

    def get(self, key: object, default: Any = None) -> Any:
        """The entry, or `default`. Raises Unanswered for a blank."""
        found = super().get(key, default)
        if found is Ellipsis:
            raise Unanswered(self.name)
        return found

    def values(self) -> Any:
        """Raises Unanswered, for there is a blank among them."""
        raise Unanswered(self.name)

    items = values


class Student:
    """`student.X` is the object called X in the submission: a class, a function, a plain value.

    Each test gets a freshly loaded submission; it is loaded when it is first asked for.
    Raises Undefined for a name that is not there, Unanswered for one that is still `...`. Of a dictionary
    with blank entries the written ones can be compared: see `HalfWritten`.
    """

    def __init__(self, sandbox: Sandbox, order: str = "forward") -> None:
        self._sandbox, self._order, self._loaded = sandbox, order, False

    def _ready(self) -> Sandbox:
        if not self._loaded:
            self._loaded = True
            self._sandbox.load(self._order)
        return self._sandbox

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.quietly(name)
        if not isinstance(value, Proxy):
            self.note(name, value)
        return value

    def quietly(self, name: str) -> Any:
        """The object of that name, without keeping it among what the test read."""
        value = self._ready().get(name)
        blanks = _blanks(value)
        if isinstance(value, dict) and 0 < blanks < len(value):
            return HalfWritten(name, value)
        if blanks:
            raise Unanswered(name)
        return value

    def glance(self, name: str) -> None:
        """Raise what `quietly` raises; the test counts as one that has not read the answer."""
        self.quietly(name)
        answers = self._sandbox.record.answers
        if answers[-1:] == [name]:
            answers.pop()

    def note(self, name: str, value: object) -> None:
        """Keep `value` among what the test read, in the place of what `quietly` gave."""
        self._sandbox.note(name, value)

    def choice(self, name: str, letters: str = "ABCD") -> str:
        """The letter that was chosen in the answer `name`, in upper case.

        Raises AssertionError with words for an answer that is none of `letters`.
        """
        answer = self.quietly(name)
        letter = answer.strip().upper() if isinstance(answer, str) else ""
        assert len(letter) == 1, f"`{name}` must be one letter in quotes, such as {letters[0]!r}."
        assert letter in letters, f"`{name}` is one of the letters {', '.join(letters)}."
        self.note(name, letter)
        return letter

    def made(self) -> list[Any]:
        """The student's objects that this test has made with operators and calls, in order."""
        record = self._sandbox.record
        objects = [proxy for proxy in record.proxies.values() if kind_of(proxy) == "instance"]
        return [proxy for proxy in objects if label_of(proxy) not in record.named]

    def named(self, make: Callable[[Any], Any], /, **arguments: Any) -> tuple[Any, ...]:
        """`make(argument)` for each name, in order; messages call the objects by these names."""
        return tuple(self._named(name, make(given), given) for name, given in arguments.items())

    def _named(self, name: str, made: Any, given: Any) -> Any:
        self.name(**{name: made})
        self._sandbox.record.named.pop(name, None)  # named anew, it stands last
        self._sandbox.record.named[name] = given
        self._sandbox.record.trials.discard(name)
        return made

    def name(self, /, **objects: Any) -> tuple[Any, ...]:
        """Call objects by names in messages: `e, f = student.name(e=a + b, f=...)`."""
        for name, found in objects.items():
            if isinstance(found, Proxy):
                relabel(found, name)
        return tuple(objects.values())

    def called(self, value: object) -> str:
        """Return what messages call an object of the student's, such as `a * b`; of anything else its `repr`."""
        return short(value) if isinstance(value, Proxy) else repr(value)

    def listed(self, value: Any) -> Any:
        """Return an array, a range, a generator or any other iterable of the student's as a plain list.

        The rows of an array are lists too. What is plain already (a number, a text, a list) stays as it is.
        Raises StudentError, a TypeError, for an object that cannot be iterated.
        """
        if not isinstance(value, Proxy):
            return value
        box = self._sandbox
        return box.ask("apply", label_of(value), name="listed", args=[box.encode(value)])

    @contextlib.contextmanager
    def trial(self) -> Iterator[None]:
        """What a check tries to see what it can trust: no message speaks of what is named in it."""
        named = self._ready().record.named
        before = set(named)
        try:
            yield
        finally:
            self._sandbox.record.trials |= named.keys() - before

    def helper(self, source: str, name: str) -> Any:
        """Execute a check's own helper code in the jail; gives its object called `name`."""
        return self._ready().helper(source, name)


def _blanks(answer: object) -> int:
    """Count the blanks of an answer; one that is a blank itself counts as one."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    items = answer if isinstance(answer, list | tuple) else [answer]
    return sum(item is Ellipsis for item in items)

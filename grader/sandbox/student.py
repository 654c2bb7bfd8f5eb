"""The object `student` of a check: its attributes are the names that the submission defines."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Self

from grader.sandbox.proxy import Proxy, label_of, object_kind, relabel, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.sandbox import Sandbox


class Unanswered(Exception):
    """An answer is still the stub's blank (`...`)."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is still a blank")
        self.name = name


class HalfWritten(dict[Any, Any]):
    """A student's dictionary in which some entries are still `...`.

    A comparison uses the written entries. If they are equal, it raises Unanswered, and so does any use of a blank entry:
    a blank neither hides a wrong entry nor fails a test.
    """

    def __init__(self, name: str, entries: dict[Any, Any]) -> None:
        super().__init__(entries)
        self.name = name

    @property
    def written(self) -> dict[Any, Any]:
        """The entries that are not blank."""
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

    def __iter__(self) -> Iterator[Any]:  # without it, `dict(...)` would copy without calling `__getitem__`
        return super().__iter__()

    def __getitem__(self, key: object) -> Any:
        if super().get(key) is Ellipsis:
            raise Unanswered(self.name)
        return super().__getitem__(key)

    def get(self, key: object, default: Any = None) -> Any:
        """Return the entry, or `default`. Raises Unanswered for a blank."""
        found = super().get(key, default)
        if found is Ellipsis:
            raise Unanswered(self.name)
        return found

    def values(self) -> Any:
        """Raise Unanswered: at least one of the entries is blank."""
        raise Unanswered(self.name)

    items = values


class Student:
    """The submission: `student.X` is its object called X, a class, a function or a plain value.

    Each check gets a freshly loaded submission in each order of sets; the first access loads it. Raises Undefined for a
    missing name and Unanswered for a value that is still `...`. A dictionary with some blank entries is a `HalfWritten`.
    """

    def __init__(self, sandbox: Sandbox, order: str = "forward") -> None:
        self._sandbox, self._order, self._loaded = sandbox, order, False

    def _ready(self) -> Sandbox:
        if not self._loaded:
            self._loaded = True
            self._sandbox.ready(self._order)
        return self._sandbox

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.quietly(name)
        if not isinstance(value, Proxy):
            self.note(name, value)
        return value

    def quietly(self, name: str) -> Any:
        """Return the object of that name without recording it."""
        value = self._ready().get(name)
        blanks = _blanks(value)
        if isinstance(value, dict) and 0 < blanks < len(value):
            return HalfWritten(name, value)
        if blanks:
            raise Unanswered(name)
        return value

    def glance(self, name: str) -> None:
        """Raise as `quietly` does, without recording that the test read this answer."""
        with unseen(self, "glance"):
            self.quietly(name)
        answers = self._sandbox.record.answers
        if answers[-1:] == [name]:
            answers.pop()

    def note(self, name: str, value: object) -> None:
        """Record `value` as read, instead of the value that `quietly` returned."""
        self._sandbox.note(name, value)

    def choice(self, name: str, letters: str = "ABCD") -> str:
        """Return the letter that the answer `name` chooses, in upper case.

        Raises AssertionError, with a message for the student, for an answer that is not one of `letters`.
        """
        answer = self.quietly(name)
        letter = answer.strip().upper() if isinstance(answer, str) else ""
        assert len(letter) == 1, f"`{name}` must be one letter in quotes, such as {letters[0]!r}."
        assert letter in letters, f"`{name}` must be one of the letters {', '.join(letters)}."
        self.note(name, letter)
        return letter

    def watched(self) -> bool:
        """True while a topic traces this test."""
        return self._sandbox.watcher is not None

    def made(self) -> list[Any]:
        """Return the student's objects that operators and calls of this test have made, in order."""
        record = self._sandbox.record
        objects = [proxy for proxy in record.proxies.values() if object_kind(proxy) == "instance"]
        return [proxy for proxy in objects if label_of(proxy) not in record.named]

    def named(self, make: Callable[[Any], Any], /, **arguments: Any) -> tuple[Any, ...]:
        """Return `make(argument)` for each name, in order; messages use these names for the objects."""
        return tuple(self._make_named(name, make(given), given) for name, given in arguments.items())

    def _make_named(self, name: str, made: Any, given: Any) -> Any:
        self.name(**{name: made})
        self._sandbox.record.named.pop(name, None)  # so that the new name comes last
        self._sandbox.record.named[name] = given
        self._sandbox.record.trials.discard(name)
        return made

    def name(self, /, **objects: Any) -> tuple[Any, ...]:
        """Return the objects, which messages call by these names: `e, f = student.name(e=a + b, f=...)`."""
        for name, found in objects.items():
            if isinstance(found, Proxy):
                relabel(found, name)
        return tuple(objects.values())

    def called(self, value: object) -> str:
        """Return the name of a student's object in messages, such as `a * b`; for other values the `repr`."""
        return short(value) if isinstance(value, Proxy) else repr(value)

    def array(self, numbers: Any, dtype: str = "float64") -> Any:
        """Return a numpy array from nested lists, to pass to the student's code.

        Raises TypeError without `arrays: true` in the manifest, and for rows of different lengths.
        """
        if not self._sandbox.has_arrays:
            raise TypeError("`student.array` needs `arrays: true` in the manifest")
        from grader.sandbox.arrays import make_array  # late: numpy takes time to import

        return make_array(numbers, dtype)

    def listed(self, value: Any) -> Any:
        """Return a student's array, range, generator or other iterable as a plain list.

        The rows of an array become lists too. A plain value (a number, a text, a list) is returned unchanged.
        Raises StudentError, a TypeError, for an object that cannot be iterated.
        """
        if not isinstance(value, Proxy):
            return value.tolist() if self._sandbox.has_arrays and hasattr(value, "tolist") else value
        box = self._sandbox
        return box.ask("apply", label_of(value), name="listed", args=[box.encode(value)])

    @contextlib.contextmanager
    def trial(self) -> Iterator[None]:
        """Name objects that a check only tries; no message mentions them."""
        named = self._ready().record.named
        before, outer, self._sandbox.on_trial = set(named), self._sandbox.on_trial, True
        try:
            yield
        finally:
            self._sandbox.on_trial = outer
            self._sandbox.record.trials |= named.keys() - before

    @contextlib.contextmanager
    def afresh(self) -> Iterator[Self]:
        """Give the submission after another load, to find out why a test has failed; messages mention nothing of it.

        Objects that the test made before the block become unusable, and so do objects of the block after it.
        """
        box = self._sandbox
        before, box.on_trial = box.record, True
        box.begin_check()
        try:
            yield type(self)(box, self._order)
        finally:
            box.begin_check()
            before.proxies.clear()  # their load is gone
            box.record, box.on_trial = before, False

    def helper(self, source: str, name: str) -> Any:
        """Execute helper code of a check in the jail; return its object called `name`."""
        return self._ready().helper(source, name)


@contextlib.contextmanager
def unseen(student: Student, purpose: str) -> Iterator[None]:
    """Read values in the block that the test does not see; `purpose` is `glance` or `judge`."""
    sandbox = student._sandbox  # noqa: SLF001  no method: a student's methods are for checks
    sandbox.purpose = purpose
    try:
        yield
    finally:
        sandbox.purpose = ""


def _blanks(answer: object) -> int:
    """Count the blanks of an answer; one that is a blank itself counts as one."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    items = answer if isinstance(answer, list | tuple) else [answer]
    return sum(item is Ellipsis for item in items)

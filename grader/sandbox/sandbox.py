"""One submission in its jail, as checks and topics use it: its objects, its definitions, and what a test read of them."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from grader.sandbox import wire
from grader.sandbox.errors import Count, Frame, StudentError, SubmissionStopped, Undefined, forged_data
from grader.sandbox.loading import SubmissionJail
from grader.sandbox.proxy import (
    ClassProxy,
    Proxy,
    Reading,
    handle_of,
    label_of,
    label_value,
    object_kind,
    relabel,
)
from grader.sandbox.record import ReadEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_EVENTS = 100_000
COMPARES = frozenset({"compare", "eq", "equals", "ne"})  # methods of tables that the student must not answer


class Sandbox(SubmissionJail):
    """A `SubmissionJail` with the requests of checks and topics; it records the values that a test reads."""

    @cached_property
    def readers(self) -> dict[str, Callable[[Any], Any]]:
        """The readers of arrays and tables, by their tag on the wire, where these are values."""
        known = {"a": (_read_array, self.has_arrays), "p": (_read_table, "pandas" in self._modules)}
        return {tag: read for tag, (read, is_there) in known.items() if is_there}

    def get(self, name: str) -> Any:
        """Return the object of that name in the submission. Raises Undefined."""
        self.asked.add(name)
        answer = self.request({"op": "get", "name": name})
        if isinstance(answer, dict) and answer == {"missing": 1}:
            raise Undefined(name, self._cause(name))
        value = self._decode(answer, name)
        if not isinstance(value, Proxy):
            self.record.answers.append(name)
        elif object_kind(value) == "function":
            self.record.functions.add(name)
        return value

    def _cause(self, name: str) -> StudentError | SubmissionStopped | None:
        for i, error in self.errors.items():
            if name in self.names_in(i):
                return error
        return None

    def helper(self, source: str, name: str) -> Any:
        """Execute helper code of a check in the jail; return its object called `name`."""
        return self._decode(self.request({"op": "source", "source": source, "name": name}), name)

    def text(self, name: str, label: str, *args: object) -> str:
        """Return `str` or `format` of a student's object. Raises TypeError if the text is too long."""
        text = self.ask("apply", label, name=name, args=[self.encode(arg) for arg in args])
        if isinstance(text, wire.Oversize):
            raise TypeError(f"{label} is a value that was not read: {text.why}")
        if not isinstance(text, str):
            raise self.violation("an invalid text")
        return text

    def items(self, handle: int, count: int, label: str) -> tuple[list[Any], int | None]:
        """Return the first items of an object, and the handle of the iterator over the rest, if there are more.

        An object with a length gives all its items, any other at most `count`.
        Raises TypeError for too many or too large items.
        """
        request = {"op": "items", "h": handle, "count": count}
        try:
            answer = self.request(request)
        except StudentError as error:
            self.note(label, error)
            raise
        data, rest = answer, None
        if isinstance(answer, dict) and answer.keys() == {"items", "rest"}:
            data, rest = answer["items"], answer["rest"]
        items = self._decode(data, label)
        self.note(label, items)
        if isinstance(items, wire.Oversize):
            raise TypeError(f"{label} is a value that was not read: {items.why}")
        if not isinstance(items, list):
            raise self.violation("items that are not a list")
        if rest is not None and not (items and type(rest) is int and 0 < rest < wire.MAX_HANDLE):
            raise self.violation("an invalid handle for more items")
        return items, rest

    def peek(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return these attributes of every instance that the test has met, in the order of meeting."""
        handles = [h for h, p in self.record.proxies.items() if handle_of(p).kind == "instance"]
        rows = self.request({"op": "peek", "handles": handles, "names": list(names)})
        with self.reading("invalid rows"):
            pairs = zip(handles, rows, strict=True)
            return [{name: self._decode(row[name]) for name in names} for _, row in pairs]

    def read_shared(self, made: Sequence[tuple[int, Sequence[int]]]) -> Any:
        """Return the shared objects that the jail has noticed since the load; the test's record does not get them.

        `made` has the handles of results, each with its operands.
        """
        return self._decode(self.request({"op": "shared", "made": made}))

    def find_definitions(self, of: Sequence[str | Proxy]) -> list[Frame | None]:
        """Return the student's line that defines each name or object of the submission; None without such a line.

        Functions, methods, classes and dotted names such as `Box.area` are found by their own code, below their
        decorators. Any other name is found by the last line that assigns it outside of functions, in a cell that ran
        to its end. A qualified name such as `Box.area.<locals>.inner` is found if only one function has it.
        """
        blocks = [i for i in range(len(self._blocks)) if i not in self.errors]
        wanted = [handle_of(item).id if isinstance(item, Proxy) else item for item in of]
        answer = self.request({"op": "defined", "of": wanted, "blocks": blocks})
        with self.reading("invalid definitions"):
            rows = msgspec.convert(answer, list[tuple[Count, Count, str] | None])
            pairs = zip(wanted, rows, strict=True)
            return [Frame.within_bounds(*row) if row else None for _, row in pairs]

    def ask(self, op: str, label: str, **fields: Any) -> Any:
        """Send one request; return and record its value."""
        if op == "attr" and "p" in self.readers and fields["name"] in COMPARES:
            why = f"`{fields['name']}` of an object of the student's would decide in the jail; compare tables"
            raise AttributeError(why, name=fields["name"])
        request = {"op": op, **fields}
        try:
            value = self._decode(self.request(request), label)
        except StudentError as error:
            self.note(label, error)
            raise
        self.note(label, value)
        if op in {"apply", "call"} and isinstance(value, Proxy):
            self.record.made.append((handle_of(value).id, fields["args"]))
        return value

    def encode(self, value: object) -> Any:
        """Return the value as data for a request. Raises TypeError for a value that cannot go into the jail."""
        return wire.encode(
            value, lambda v: handle_of(v).id if isinstance(v, Proxy) else None, self._library_value
        )

    def _library_value(self, value: object) -> Any:
        """Return the data of an array or a table, None for any other value. Raises TypeError for one that cannot go in."""
        data = None
        if "a" in self.readers and "numpy" in sys.modules:
            from grader.sandbox.arrays import encode_array

            data = encode_array(value)
        if data is None and "p" in self.readers and "pandas" in sys.modules:
            from grader.sandbox.tables import encode_table

            data = encode_table(value)
        return data

    def note(self, label: str, value: Any) -> None:
        """Record a value that the running test read, or the error that it got."""
        if len(self.record.events) < MAX_EVENTS:
            self.record.events.append(ReadEvent(label, value))

    def note_use(self, operation: str, operands: tuple[str, ...]) -> None:
        """Record the first use of an operation by the running test, and the labels of its operands."""
        self.record.used.setdefault(operation, operands)

    def note_given(self, place: str, value: object) -> None:
        """Record an array that the running test has put into an attribute."""
        if self.has_arrays and not isinstance(value, Proxy) and hasattr(value, "shape"):
            self.record.given[place] = value

    # Values

    def _decode(self, data: Any, label: str = "") -> Any:
        with self.reading("an invalid value"):
            value = wire.decode(data, lambda handle: self._proxy(handle, label), self.readers)
        if isinstance(value, list | tuple):
            for i, item in enumerate(value):
                if isinstance(item, Proxy) and label_of(item) == label:
                    relabel(item, f"{label}[{i}]")
                elif isinstance(item, Reading):
                    item.label = f"{label}[{i}]"
        return label_value(value, label)

    def _proxy(self, handle: wire.Handle, label: str) -> Proxy:
        proxy = self.record.proxies.get(handle.id)
        if proxy is None:
            if len(self.record.proxies) >= wire.MAX_ITEMS:
                raise forged_data(f"more than {wire.MAX_ITEMS} objects")
            kind = ClassProxy if handle.kind == "class" else Proxy
            proxy = self.record.proxies[handle.id] = kind(self, handle, label)
        return proxy


# A submission whose tests are all replayed needs neither library, whose import takes a tenth of a second.


def _read_array(data: Any) -> Any:
    from grader.sandbox.arrays import decode_array

    return decode_array(data)


def _read_table(data: Any) -> Any:
    from grader.sandbox.tables import decode_table

    return decode_table(data)

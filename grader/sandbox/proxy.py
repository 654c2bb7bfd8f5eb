"""The student's objects as a check sees them: proxies and readings over one jail.

A proxy stands for an object in the jail. Operators, attributes and calls are carried
out there, one request each, at once. Comparison, hash and `repr` are local: nothing
that the student wrote takes part in them.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from grader.sandbox import wire
from grader.sandbox.errors import (
    Frame,
    JailCrashed,
    LimitExceeded,
    ProtocolViolation,
    StudentError,
    SubmissionStopped,
    Undefined,
    raised,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.sandbox.jail import Launcher, Limits, Process

ORDERS = ("forward", "reverse", "permuted")
SLOW_SECONDS = 0.5
MAX_LABEL = 120
MAX_EVENTS = 100_000
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 3, "/": 3, "@": 3, "**": 5}

T = TypeVar("T")


class Reading:
    """A number that was read from the jail; remembers what it is the value of."""

    label: str


class FloatReading(Reading, float):
    """A float that was read."""


class IntReading(Reading, int):
    """An int that was read."""


@dataclass(slots=True)
class Event:
    """One thing that a test learnt: a value that it read, or the error that it got instead."""

    label: str
    value: Any


@dataclass(slots=True)
class Record:
    """What one test did and read; emptied at every load."""

    events: list[Event] = field(default_factory=list)
    leaves: dict[str, Any] = field(default_factory=dict)
    proxies: dict[int, Proxy] = field(default_factory=dict)


class Sandbox:
    """One submission in its jail: loads it afresh, carries out requests, keeps the budgets."""

    def __init__(
        self,
        launcher: Launcher,
        blocks: Sequence[str],
        limits: Limits,
        imports: Sequence[str] = (),
    ) -> None:
        self._launcher, self._blocks, self.limits = launcher, list(blocks), limits
        self._imports = list(imports)
        self._process: Process | None = None
        self._total = time.monotonic() + limits.total_seconds
        self._deadline, self._limit = self._total, "total_seconds"
        self._loaded = False
        self._stopped: set[int] = set()
        self._names: list[list[str]] = []
        self._muted = False
        self.errors: dict[int, StudentError | SubmissionStopped] = {}
        self.seconds: dict[int, float] = {}
        self.printed = (0, "")  # characters at the first load, and the first of them
        self.record = Record()

    # Budgets

    @contextlib.contextmanager
    def budget(self, limit: str, seconds: float) -> Iterator[None]:
        """Give what is asked in the block at most `seconds`; `limit` is its name in the manifest."""
        before = self._deadline, self._limit
        own = time.monotonic() + seconds
        self._deadline, self._limit = (
            (own, limit) if own < self._total else (self._total, "total_seconds")
        )
        try:
            yield
        finally:
            self._deadline, self._limit = before

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Refuse requests meanwhile: whoever explains a failure must not ask the jail."""
        self._muted = True
        try:
            yield
        finally:
            self._muted = False

    # Loading

    def load(self, order: str = "forward") -> None:
        """Execute the submission's blocks in a new namespace; a failed block is remembered.

        Raises SubmissionStopped when the total time has run out or a reload is stopped.
        """
        self.record = Record()
        if not self._loaded:
            self._load_first()
        with self.budget("load_seconds", self.limits.load_seconds):
            self._open()
            good = [i for i in range(len(self._blocks)) if i not in self._stopped]
            self._ask({"op": "reload", "order": order, "blocks": good})

    def _load_first(self) -> None:
        while not self._try_load():
            self._check_total()
        with self.budget("load_seconds", self.limits.load_seconds):
            self._names = self._decode(self._ask({"op": "names"}))
            self.printed = self._output()
        self._loaded = True

    def _try_load(self) -> bool:
        """Execute block by block; False when one of them ended the jail (it is left out next time)."""
        with self.budget("load_seconds", self.limits.load_seconds):
            self._open()
            self._ask({"op": "begin", "order": "forward"})
            for i in range(len(self._blocks)):
                if i in self._stopped:
                    continue
                started = time.monotonic()
                try:
                    self._ask({"op": "run", "block": i})
                except StudentError as error:
                    self.errors[i] = error
                except SubmissionStopped as error:
                    self.errors[i] = error
                    self._stopped.add(i)
                    return False
                finally:
                    self.seconds[i] = time.monotonic() - started
        return True

    def _check_total(self) -> None:
        if time.monotonic() >= self._total:
            raise self._out_of_time("total_seconds")

    def _open(self) -> None:
        if self._process is not None and not self._process.ended:
            return
        self._check_total()
        self._process = self._launcher.open(self.limits)
        self._ask(
            {
                "op": "open",
                "blocks": self._blocks,
                "imports": self._imports,
                "site": _site_packages() if self._imports else [],
                "output": self.limits.output_kb << 10,
            }
        )

    def _output(self) -> tuple[int, str]:
        answer = self._ask({"op": "output"})
        size, text = answer.get("size"), answer.get("text")
        if type(size) is not int or not isinstance(text, str):
            raise ProtocolViolation("the submission's process sent an output that is not one")
        return size, text[: self.limits.output_kb << 10]

    def close(self) -> None:
        """End the jail."""
        if self._process is not None:
            self._process.end()

    # Requests

    def get(self, name: str) -> Any:
        """The object of that name in the submission. Raises Undefined."""
        answer = self._ask({"op": "get", "name": name})
        if isinstance(answer, dict) and answer == {"missing": 1}:
            raise Undefined(name, self._cause(name))
        return self._decode(answer, name)

    def _cause(self, name: str) -> StudentError | SubmissionStopped | None:
        for i, error in self.errors.items():
            if i < len(self._names) and name in self._names[i]:
                return error
        return None

    def defined_in(self, name: str) -> list[int]:
        """The blocks that would define that name."""
        return [i for i, names in enumerate(self._names) if name in names]

    def helper(self, source: str, name: str) -> Any:
        """Execute a check's own helper code in the jail and give the object called `name`."""
        return self._decode(self._ask({"op": "source", "source": source, "name": name}), name)

    def peek(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Those attributes of every instance that the test has met, in the order of meeting."""
        handles = [h for h, p in self.record.proxies.items() if _handle(p).kind == "instance"]
        rows = self._ask({"op": "peek", "handles": handles, "names": list(names)})
        try:
            return [{name: self._decode(row[name]) for name in names} for row in rows]
        except (KeyError, TypeError) as error:
            raise self._violation("rows that are not of the format") from error

    def ask(self, op: str, label: str, **fields: Any) -> Any:
        """One request whose answer is something that the test learns."""
        request = {"op": op, **fields}
        try:
            value = self._decode(self._ask(request), label)
        except StudentError as error:
            self.note(label, error)
            raise
        self.note(label, value)
        return value

    def note(self, label: str, value: Any) -> None:
        """Keep what the running test learnt."""
        if len(self.record.events) < MAX_EVENTS:
            self.record.events.append(Event(label, value))

    def encode(self, value: object) -> Any:
        return wire.encode(value, lambda v: _handle(v).id if isinstance(v, Proxy) else None)

    def _ask(self, request: dict[str, Any]) -> Any:
        if self._muted:
            raise TypeError("the jail is not asked while a failure is explained")
        if self._process is None or self._process.ended:
            raise JailCrashed("the submission's process has ended")
        try:
            answer = self._process.ask(request, self._deadline)
        except TimeoutError:
            raise self._out_of_time(self._limit) from None
        if "e" in answer:
            raise self._student_error(answer["e"])
        if "v" not in answer:
            raise self._violation("an answer with neither a value nor an error")
        return answer["v"]

    def _out_of_time(self, limit: str) -> LimitExceeded:
        seconds = getattr(self.limits, limit)
        return LimitExceeded(limit, f"it ran longer than {seconds:g} s ({limit})")

    def _violation(self, what: str) -> ProtocolViolation:
        self.close()
        return ProtocolViolation(f"the submission's process sent {what}")

    def _student_error(self, data: Any) -> StudentError:
        try:
            frames = tuple(Frame(int(i), int(line), str(name)[:80]) for i, line, name in data["frames"])
            bases = [str(name) for name in data["bases"]][:8]
            return raised(
                str(data["type"])[:100], bases, str(data["text"])[:2000], frames, str(data["name"])[:100]
            )
        except (KeyError, TypeError, ValueError):
            return self._violation("an error that is not one")  # type: ignore[return-value]

    def _decode(self, data: Any, label: str = "") -> Any:
        try:
            value = wire.decode(data, lambda handle: self._proxy(handle, label))
        except wire.WireError as error:
            raise self._violation(str(error)) from None
        return _labelled(value, label)

    def _proxy(self, handle: wire.Handle, label: str) -> Proxy:
        proxy = self.record.proxies.get(handle.id)
        if proxy is None:
            if len(self.record.proxies) >= wire.MAX_ITEMS:
                raise wire.WireError(f"more than {wire.MAX_ITEMS} objects")
            kind = ClassProxy if handle.kind == "class" else Proxy
            proxy = self.record.proxies[handle.id] = kind(self, handle, label)
        return proxy


def _labelled(value: Any, label: str) -> Any:
    if type(value) is float:
        reading: Any = FloatReading(value)
    elif type(value) is int:
        reading = IntReading(value)
    else:
        return value
    reading.label = label
    return reading


class Proxy:
    """An object of the student's; see the module's docstring."""

    __slots__ = ("_handle", "_label", "_sandbox")

    def __init__(self, sandbox: Sandbox, handle: wire.Handle, label: str) -> None:
        object.__setattr__(self, "_sandbox", sandbox)
        object.__setattr__(self, "_handle", handle)
        object.__setattr__(self, "_label", label[:MAX_LABEL])

    # Local: identity and text

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return _handle(self).id

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        label, handle = label_of(self), _handle(self)
        return label or f"<{handle.cls} {handle.kind}>"

    # In the jail

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _box(self).ask("attr", f"{_operand(self)}.{name}", h=_handle(self).id, name=name)

    def __setattr__(self, name: str, value: object) -> None:
        box = _box(self)
        label = f"{_operand(self)}.{name} = ..."
        try:
            box._ask({"op": "set", "h": _handle(self).id, "name": name, "v": box.encode(value)})
        except StudentError as error:
            box.note(label, error)
            raise

    def __call__(self, *args: object, **keywords: object) -> Any:
        box = _box(self)
        shown = [short(arg) for arg in args]
        shown += [f"{name}={short(arg)}" for name, arg in keywords.items()]
        return box.ask(
            "call",
            f"{label_of(self)}({', '.join(shown)})",
            h=_handle(self).id,
            args=[box.encode(arg) for arg in args],
            kw={name: box.encode(arg) for name, arg in keywords.items()},
        )

    def __len__(self) -> int:
        return int(self._apply("len", f"len({label_of(self)})", self))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._apply("list", f"list({label_of(self)})", self))

    def __contains__(self, item: object) -> bool:
        return any(item is found or (not isinstance(found, Proxy) and item == found) for found in self)

    def __getitem__(self, key: object) -> Any:
        return self._apply("getitem", f"{label_of(self)}[{key!r}]", self, key)

    def __neg__(self) -> Any:
        return self._apply("neg", f"-{_operand(self)}", self)

    def _apply(self, name: str, label: str, *args: object) -> Any:
        box = _box(self)
        return box.ask("apply", label, name=name, args=[box.encode(arg) for arg in args])

    def _binary(self, name: str, left: object, right: object) -> Any:
        symbol = _SYMBOLS[name]
        binds = _PRECEDENCE[symbol]
        label = f"{_inside(left, binds)} {symbol} {_inside(right, binds + 1)}"
        return self._apply(name, label, left, right)

    def __add__(self, other: object) -> Any:
        return self._binary("add", self, other)

    def __radd__(self, other: object) -> Any:
        return self._binary("add", other, self)

    def __sub__(self, other: object) -> Any:
        return self._binary("sub", self, other)

    def __rsub__(self, other: object) -> Any:
        return self._binary("sub", other, self)

    def __mul__(self, other: object) -> Any:
        return self._binary("mul", self, other)

    def __rmul__(self, other: object) -> Any:
        return self._binary("mul", other, self)

    def __truediv__(self, other: object) -> Any:
        return self._binary("truediv", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return self._binary("truediv", other, self)

    def __pow__(self, other: object) -> Any:
        return self._binary("pow", self, other)

    def __rpow__(self, other: object) -> Any:
        return self._binary("pow", other, self)

    def __matmul__(self, other: object) -> Any:
        return self._binary("matmul", self, other)


class ClassProxy(Proxy):
    """A class of the student's: callable, and good for `isinstance`."""

    __slots__ = ()

    def __instancecheck__(self, instance: object) -> bool:
        if not isinstance(instance, Proxy):
            return False
        request = {"op": "isinstance", "h": _handle(instance).id, "cls": _handle(self).id}
        return _box(self)._ask(request) is True


def _handle(proxy: Proxy) -> wire.Handle:
    handle: wire.Handle = object.__getattribute__(proxy, "_handle")
    return handle


def _box(proxy: Proxy) -> Sandbox:
    box: Sandbox = object.__getattribute__(proxy, "_sandbox")
    return box


def label_of(proxy: Proxy) -> str:
    """The expression that made it, as the student would write it."""
    label: str = object.__getattribute__(proxy, "_label")
    return label


def relabel(proxy: Proxy, label: str) -> None:
    """Call it by a name, as a check does with its leaves."""
    object.__setattr__(proxy, "_label", label)


def kind_of(proxy: Proxy) -> str:
    """instance, class, function, module or exception."""
    return _handle(proxy).kind


def class_name_of(proxy: Proxy) -> str:
    """The name of its class; of the class itself for a class."""
    return _handle(proxy).cls


def _operand(value: object) -> str:
    return _inside(value, 9)


def _inside(value: object, precedence: int) -> str:
    """As it stands beside an operator of that precedence: in parentheses where it binds less."""
    text = short(value)
    return f"({text})" if _precedence(text) < precedence else text


def _precedence(text: str) -> int:
    depth, lowest = 0, 9
    for word in text.split(" "):
        if depth == 0 and word in _PRECEDENCE:
            lowest = min(lowest, _PRECEDENCE[word])
        depth += word.count("(") + word.count("[") - word.count(")") - word.count("]")
    return lowest


def short(value: object) -> str:
    """A value in a few characters, for a person."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(int(value)) if abs(value) < 10**15 else f"{float(value):.6g}" if abs(value) < 10**300 else "a huge integer"
    if isinstance(value, float):
        return f"{float(value):.6g}" if math.isfinite(value) else str(float(value))
    if isinstance(value, Proxy):
        return repr(value)
    if isinstance(value, wire.Oversize):
        return f"something that could not be read ({value.why})"
    text = repr(value)
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 3] + "..."


def _site_packages() -> list[str]:
    import sysconfig

    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})

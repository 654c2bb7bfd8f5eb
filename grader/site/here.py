"""A jail in this process, for a browser: it answers the requests of a jail, with the jail's own code, and has no walls.

It stands around one's own code in one's own browser, so nothing is closed. What a process would do, `Pulse` does: it
ends code that runs past its deadline, and tells meanwhile where the code stands.
"""

from __future__ import annotations

import builtins
import contextlib
import contextvars
import importlib
import io
import linecache
import random
import sys
import time
import types
from collections import deque
from typing import TYPE_CHECKING, Any

from grader.report import IN_PAGE
from grader.sandbox.errors import Frame
from grader.sandbox.inside.cells import Capture, CompiledCell
from grader.sandbox.inside.imports import make_import
from grader.sandbox.inside.orders import MODULE, Order, build_class
from grader.sandbox.inside.worker import Jail
from grader.sandbox.live import as_much_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from grader.manifest import Limits

_monitoring: Any = getattr(sys, "monitoring", None)  # Python 3.12 and later, and so every browser
BEAT = 0.2  # seconds between two beats
# A student's calls inside each other in a browser, whose stack has 1 MB: below pytest's own calls 250 operators have
# room in it, and 300 end Python. A jail allows 1,000.
LEVELS = 200
TURNS = 128  # jumps and calls between two looks at the clock


def keep_lines(file: str, source: str) -> None:
    """Keep the lines of code that is in no file, for tracebacks."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)


class Late(BaseException):
    """The deadline is over. No `except Exception` of a student's catches it."""


class Pulse:
    """Looks at the clock while a student's code runs: at each jump back and each call (`sys.monitoring`).

    `beat` is called now and then with the line in which the code stands, as `line 3: while True:`. Code that runs past
    `deadline`, a time of `time.monotonic`, gets `Late`, and again at every look if it catches that.
    """

    def __init__(self, beat: Callable[[str], None]) -> None:
        self.beat = beat
        self.deadline: float | None = None
        self._last, self._turns = time.monotonic(), 0
        events, self._tool = _monitoring.events, _monitoring.PROFILER_ID
        self._events = events.JUMP | events.PY_START
        _monitoring.use_tool_id(self._tool, "backgrade")
        _monitoring.register_callback(self._tool, events.JUMP, self._look)
        _monitoring.register_callback(self._tool, events.PY_START, self._look)

    def watch(self, code: types.CodeType) -> None:
        """Watch this code and all functions in it."""
        _monitoring.set_local_events(self._tool, code, self._events)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self.watch(inner)

    @contextlib.contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """End the block at this time. Raises Late."""
        self.deadline = deadline
        try:
            yield
        finally:
            self.deadline = None

    def _look(self, code: types.CodeType, offset: int, *_: object) -> None:  # noqa: ARG002  the callback's signature
        self._turns += 1
        if self._turns < TURNS:
            return
        now = time.monotonic()
        if now - self._last > BEAT:
            self._last = now
            frame = sys._getframe(1)  # noqa: SLF001  the student's
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            if text:
                self.beat(f"line {frame.f_lineno}: {text}")
        if self.deadline is not None and now > self.deadline:
            raise Late  # `_turns` stays, so that whoever catches it gets it again at the next jump
        self._turns = 0


class Here:
    """Opens jails in this process."""

    def __init__(self, pulse: Pulse | None = None) -> None:
        self.pulse = pulse
        self.in_force = {IN_PAGE: "the student's own browser"}

    def open(  # only `pulse` is in force
        self,
        limits: Limits,  # noqa: ARG002
        imports: Sequence[str] = (),  # noqa: ARG002
        *,
        arrays: bool = False,
        sealed: bool = False,  # noqa: ARG002
    ) -> JailHere:
        """Open one; with `arrays` those of numpy are values."""
        if arrays:
            importlib.import_module("numpy")
        return JailHere(_HereJail(self.pulse, arrays=arrays), self.pulse)


def _watch(profile: Any, trace: Any) -> None:
    sys.setprofile(profile)
    sys.settrace(trace)


class JailHere:
    """The replies of one jail in this process. A message is carried out when its reply is awaited."""

    def __init__(self, jail: _HereJail, pulse: Pulse | None) -> None:
        self._jail, self._pulse = jail, pulse
        self._steps: Generator[dict[str, Any] | None, dict[str, Any], None] | None = None
        self._step: dict[str, Any] | None = None  # the next one
        self._context = contextvars.copy_context()  # a submission's own `numpy.seterr`
        self.received = 0
        self.ended = False
        self.stood: tuple[Frame, ...] = ()

    def ask(self, message: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Carry out one request and return its reply. Raises TimeoutError, also if the reply comes too late."""
        within = self._pulse.until(deadline) if self._pulse else contextlib.nullcontext()
        stack = as_much_stack(LEVELS if self._pulse else None)
        self.stood = ()
        try:
            with self._jail.as_students(), stack, within:
                answer = {"v": self._context.run(getattr(self._jail, f"do_{message['op']}"), message)}
        except Late as late:
            self.stood = tuple(Frame.within_bounds(*row) for row in self._jail.failure(late)["frames"])
        except BaseException as error:
            answer = {"e": self._jail.failure(error)}
        if time.monotonic() > deadline:
            self.end()
            raise TimeoutError
        return answer

    def send(self, message: dict[str, Any], deadline: float) -> None:  # noqa: ARG002  nothing is done yet
        """Begin a message of many requests."""
        self._jail.sent.clear()
        self._steps = self._jail.steps(message | {"n": 0})
        self._step = next(self._steps)

    def receive(self, deadline: float) -> dict[str, Any]:
        """Carry out requests of the message until there is an answer. Raises TimeoutError."""
        assert self._steps is not None
        while not self._jail.sent:
            assert self._step is not None
            self._step = self._steps.send(self.ask(self._step, deadline))
        return self._jail.sent.popleft()

    def end(self) -> None:
        """Forget everything."""
        self.ended = True
        self._jail.objects, self._jail.numbers, self._jail.namespace = {}, {}, {}


class _HereJail(Jail):
    """A jail that shares its interpreter with the grader: what it changes in the interpreter, it changes back."""

    def __init__(self, pulse: Pulse | None, *, arrays: bool = False) -> None:
        super().__init__(-1, -1, arrays=arrays)
        self.pulse = pulse
        self.imports = make_import([])
        self.sent: deque[dict[str, Any]] = deque()
        self.watching: tuple[Any, Any] = (None, None)  # for `sys.setprofile` and `sys.settrace`

    def send(self, message: dict[str, Any]) -> None:
        """Keep a message for who asks for it."""
        self.sent.append(message)

    @contextlib.contextmanager
    def as_students(self) -> Iterator[None]:
        """Give the block the imports, the classes, the files and the streams of a submission."""
        before = builtins.__import__, builtins.__build_class__, sys.stdin, sys.stdout, sys.stderr
        builtins.__import__, builtins.__build_class__ = self.imports, build_class  # type: ignore[assignment]
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), self.output, self.output
        self.data.offer()
        watched = sys.getprofile(), sys.gettrace()
        _watch(*self.watching)
        try:
            yield
        finally:
            self.watching = sys.getprofile(), sys.gettrace()
            _watch(*watched)
            self.data.withdraw()
            builtins.__import__, builtins.__build_class__, sys.stdin, sys.stdout, sys.stderr = before

    def do_open(self, request: dict[str, Any]) -> None:
        """Take the submission; none of it runs yet."""
        self.blocks = [CompiledCell(i, source) for i, source in enumerate(request["blocks"])]
        for block in self.blocks:
            keep_lines(block.name, block.source)
        self.flags = 0
        self.output = Capture(request["output"])
        self.imports = make_import(request["imports"])
        vars(builtins).update(exit=sys.exit, quit=sys.exit)  # as in a jail

    def do_begin(self, request: dict[str, Any]) -> None:
        """Make a new, empty namespace and forget every object."""
        self.objects, self.numbers = {}, {}
        Order.reset(request["order"])
        random.seed(0)
        module = sys.modules[MODULE] = types.ModuleType(MODULE)
        self.namespace = module.__dict__

    def do_run(self, request: dict[str, Any]) -> None:
        """Execute one block."""
        block = self.blocks[request["block"]]
        known = block.code is not None
        if not known and block.error is None:
            self.flags = block.compile(self.flags)
        if not known and block.code is not None and self.pulse is not None:
            self.pulse.watch(block.code)
        super().do_run(request)

    def do_reload(self, request: dict[str, Any]) -> list[Any]:
        """Execute the blocks again in a new namespace; return what each raised."""
        self.do_begin(request)
        failures = []
        for index in request["blocks"]:
            try:
                self.do_run({"block": index})
            except Late:
                raise
            except BaseException as error:
                failures.append([index, self.failure(error)])
        self.begin_looking(looks=bool(request.get("looks")))
        return failures

"""One submission in its jail: opens and seals the jail, loads the submission for each check, sends requests in time."""

from __future__ import annotations

import binascii
import contextlib
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from grader.sandbox import wire
from grader.sandbox.budget import Budget, waited_for_processor
from grader.sandbox.errors import (
    SandboxUnavailable,
    StudentError,
    SubmissionStopped,
    error_of,
    forged_data,
)
from grader.sandbox.hangs import Hangs, name_of
from grader.sandbox.jail import SEAL_SECONDS, Process
from grader.sandbox.packages import needed_by, site_packages
from grader.sandbox.proxy import label_of
from grader.sandbox.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from grader.manifest import Limits
    from grader.sandbox.asked import Endpoint, Opens
    from grader.sandbox.budget import Deadline

ORDERS = ("forward", "reverse", "permuted")
SLOW_SECONDS = 0.5
Size = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
PART = 1 << 20  # bytes of a data file in one message
# Requests that are not part of a test.
LOADING = frozenset({"open", "begin", "run", "reload", "names", "output", "data", "seal", "modules"})


class SubmissionJail:
    """One submission in its jail: its loads, its requests, and the time for both.

    `deadline` limits its explanations. `follows` is an earlier, closed sandbox of the same submission: this one has the
    time that the earlier one left (`Budget.following`), and skips the blocks that ended a jail there.
    """

    def __init__(
        self,
        launcher: Opens,
        blocks: Sequence[str],
        limits: Limits,
        imports: Sequence[str] = (),
        *,
        arrays: bool = False,
        data: Mapping[str, Mapping[str, bytes]] | None = None,
        names: Mapping[str, str] | None = None,
        deadline: Deadline | None = None,
        follows: SubmissionJail | None = None,
        foreseen: Sequence[str] | None = None,
    ) -> None:
        """With `arrays`, numpy arrays enter and leave the jail as values, and the jail has numpy.

        `data` has the files below `data/`, by visibility of the tests and by name. A topic asks for attributes by
        `names`. With `foreseen`, the jail imports these modules and is then sealed: a later jail can see nothing of what
        this one does from its first cell on.
        """
        self.names = names
        self.has_arrays, self._data = arrays, data or {}
        self._visibility = "visible" if foreseen is None else "hidden"
        self.budget: Budget = follows.budget.following() if follows else Budget(limits, deadline)
        self.budget.waits = self._waited_seconds
        self.limits = self.budget.limits
        self._launcher, self._blocks, self._imports = launcher, list(blocks), list(imports)
        self._foreseen = foreseen
        self._process: Endpoint | None = None
        self.is_closed = False  # True once no load can follow
        self._loaded = False
        self._order = ""  # of the last load
        self._serves = False  # True while tests of one check share the last load
        self.shares = False  # True once checks had to share a load
        self._stopped: set[int] = set()  # blocks that ended a jail; they are not executed again
        # The names that each block would define, read on demand.
        self._names: list[list[str | wire.Oversize]] | None = None
        self.is_muted = False  # True while requests are refused
        self.errors: dict[int, StudentError | SubmissionStopped] = {}  # by block
        self.seconds: dict[int, float] = {}  # by block, at the first load
        self.own: dict[int, float] = {}  # seconds of blocks without an error, without the wait for a core
        self.printed = (0, "")  # at the first load: the number of characters, and the first ones
        self.record = Record()
        self.asked: set[str] = set()  # names that tests have asked for
        # `judge` or `glance` during requests whose value the test does not see.
        self.purpose = ""
        self.on_trial = False  # True during requests about objects that a check only tries
        self.hangs = Hangs()
        # Gets every request instead of the jail, with a function that sends it.
        self.watcher: Callable[[dict[str, Any], Callable[[dict[str, Any]], Any]], Any] | None = None
        if follows is not None:
            self._follow(follows)

    def _follow(self, other: SubmissionJail) -> None:
        self._stopped, self._names, self._loaded = set(other._stopped), other._names, other._loaded
        self.errors = {block: other.errors[block] for block in self._stopped}
        self.hangs = Hangs(other.hangs.found, other.hangs.repeats)

    @contextlib.contextmanager
    def explaining(self) -> Iterator[None]:
        """Limit the requests in the block to the time that is left for explanations.

        The submission is not charged for this time, nor for a new jail if such a request ended the old one.
        Names that these requests read do not count as names that the tests need.
        """
        was_open, asked = self.is_open, set(self.asked)
        try:
            with self.budget.explaining():
                yield
        finally:
            self.asked = asked
            self.budget.owes_a_load |= was_open and not self.is_open

    # The jail

    @cached_property
    def _modules(self) -> tuple[str, ...]:
        return needed_by(tuple(self._imports)).modules  # after the launcher has started: both take time

    @property
    def is_open(self) -> bool:
        """True while there is a jail that takes requests."""
        return self._process is not None and not self._process.ended

    def _open(self) -> None:
        if self.is_open:
            return
        assert not self.is_closed, "the sandbox is closed"
        self.budget.check_total()
        sealed = self._foreseen is not None
        with self.budget.uncharged():  # the first jail waits for the imports of its packages
            self._process = self._launcher.open(
                self.limits, self._imports, arrays=self.has_arrays, sealed=sealed
            )
        self.request(
            {
                "op": "open",
                "blocks": self._blocks,
                "imports": self._modules,
                "site": site_packages() if self._imports else [],
                "output": self.limits.output_kb << 10,
            }
        )
        with self.budget.uncharged(), self.budget.within("load_seconds", SEAL_SECONDS):
            for name, content in self.files.items():
                for at in range(0, len(content) or 1, PART):
                    part = binascii.b2a_base64(content[at : at + PART], newline=False).decode()
                    self.request({"op": "data", "name": name, "part": part})
        if sealed:
            self._seal()

    def _seal(self) -> None:
        """Seal the jail before any code of the submission runs in it. Raises SandboxUnavailable."""
        with self.budget.uncharged(), self.budget.within("load_seconds", SEAL_SECONDS):
            try:
                self.request({"op": "seal", "modules": list(self._foreseen or ())})
            except StudentError as error:
                raise SandboxUnavailable(f"the jail could not be sealed: {error}") from error

    @property
    def files(self) -> Mapping[str, bytes]:
        """The data files in the jail, by name."""
        return self._data.get(self._visibility, {})

    def turn_to(self, visibility: str) -> None:
        """Give later loads the data files for tests of this visibility."""
        before, self._visibility = self.files, visibility
        if self.files != before:
            self._end()

    def read_modules(self) -> list[str]:
        """Return the modules that the submission has imported, by its own account."""
        with contextlib.suppress(SubmissionStopped, StudentError), self.explaining():
            names = self.request({"op": "modules"})
            return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        return []

    def _end(self) -> None:
        """End the jail; the next load opens another."""
        if self._process is not None:
            self._process.end()

    def close(self) -> None:
        """End the jail for good."""
        if not self.is_closed:
            self.budget.stop()
        self.is_closed = True
        self._end()

    # Loading

    def begin_check(self) -> None:
        """Make the next test load afresh; later tests share that load while their order of sets is the same."""
        self._serves = False

    def ready(self, order: str) -> None:
        """Load for the next test, unless it shares the load of an earlier test. Raises SubmissionStopped.

        When the time for loads is used up, other checks share the last load, too.
        """
        serves = self.is_open and self._loaded and self._order == order
        if serves and not self._serves and not self.budget.may_load(order):
            self.shares, self._serves = True, True
        if serves and self._serves:
            self.record = Record()
            self._process.received = 0  # type: ignore[union-attr]  # it is open
        else:
            self.load(order)
        self._serves = True

    def load(self, order: str = "forward") -> None:
        """Execute the submission's blocks in a new namespace; `errors` has the blocks that failed.

        Raises SubmissionStopped when the time has run out or a reload is stopped.
        """
        self.record, self._serves = Record(), False
        with self.budget.load(order):
            if not self._loaded:
                self._load_first()
            elif self._process is not None:
                self._process.received = 0
            self._order = order
            with self._load_seconds():
                failures = self._reload(order)
            self._note_new_failures(failures)

    def _load_first(self) -> None:
        while not self._try_load():
            self.budget.check_total()
        if self.errors:
            self._names = self._read_all_names()
        with self._load_seconds():
            self.printed = self._output()
        self._loaded, self._order = True, "forward"

    def _try_load(self) -> bool:
        """Execute block by block; return False if a block ended the jail (the next try leaves it out)."""
        with self._load_seconds():
            self._open()
            self.request({"op": "begin", "order": "forward"})
            for i in self._good_blocks():
                started, before = self.budget.now, self._waited_seconds()
                try:
                    self.request({"op": "run", "block": i})
                    self.own[i] = self.budget.now - started - (self._waited_seconds() - before)
                except StudentError as error:
                    self.errors[i] = error.with_traceback(None)
                    if error.type == "MemoryError":  # what it took may be lost to the whole process
                        self._stopped.add(i)
                        self._end()
                        return False
                except SubmissionStopped as error:
                    self.errors[i] = error.with_traceback(None)
                    self._stopped.add(i)
                    return False
                finally:
                    self.seconds[i] = self.budget.now - started
        return True

    def _output(self) -> tuple[int, str]:
        answer = self.request({"op": "output"})
        with self.reading("an invalid output"):
            size, text = msgspec.convert((answer["size"], answer["text"]), tuple[Size, str])
        return size, text[: self.limits.output_kb << 10]

    def _reload(self, order: str) -> Any:
        """Return the errors of a reload; retry in a new jail if the test before has left something in the stream."""
        used = self.is_open
        request = {"op": "reload", "order": order, "blocks": self._good_blocks(), "looks": True}
        self._open()
        try:
            return self.request(request)
        except SubmissionStopped as error:
            if not (used and error.forged):
                raise
        self._open()
        return self.request(request)

    def _note_new_failures(self, failures: Any) -> None:
        """Keep the errors of blocks that fail only on a later load, for lack of memory for example."""
        with self.reading("an invalid reply to a reload"):
            rows = msgspec.convert(failures, list[tuple[int, Any]])
        for block, error in rows:
            if 0 <= block < len(self._blocks):
                self.errors.setdefault(block, self._student_error(error))

    def _good_blocks(self) -> list[int]:
        return [i for i in range(len(self._blocks)) if i not in self._stopped]

    def _load_seconds(self) -> AbstractContextManager[None]:
        return self.budget.within("load_seconds", self.limits.load_seconds)

    @property
    def slowest_block(self) -> int | None:
        """The block that took longest at the first load, if loads used most of the total time; else None."""
        if self.budget.loading < self.limits.total_seconds / 2 or not self.seconds:
            return None
        return max(self.seconds, key=self.seconds.__getitem__)

    # The names that blocks define

    def names_in(self, block: int) -> list[str]:
        """Return the names that a block would define."""
        if self._names is None and self.budget.deadline.left and not self.is_closed:
            self._names = []
            with contextlib.suppress(StudentError, SubmissionStopped), self.explaining():
                self._names = self._read_all_names()
        names = self._names[block] if self._names and block < len(self._names) else []
        return [name for name in names if isinstance(name, str)]

    def text_of(self, block: int) -> str:
        """Return the source of a block; empty if there is no such block."""
        return self._blocks[block] if 0 <= block < len(self._blocks) else ""

    def defined_in(self, name: str) -> list[int]:
        """Return the blocks that would define that name."""
        return [i for i in range(len(self._blocks)) if name in self.names_in(i)]

    def read_names(self) -> None:
        """Read the names that blocks define, if the notes about slow cells will need them once the sandbox is closed."""
        if any(seconds > SLOW_SECONDS for seconds in self.own.values()):
            self.names_in(0)

    def _read_all_names(self) -> list[list[str | wire.Oversize]]:
        try:
            return self._read_names([])
        except SubmissionStopped as error:
            if not error.limit:
                raise
            # A block that could not be compiled in time cannot be parsed in time.
            return self._read_names(sorted(self._stopped))

    def _read_names(self, by_line: list[int]) -> list[list[str | wire.Oversize]]:
        with self._load_seconds():
            self._open()
            answer = self.request({"op": "names", "by_line": by_line})
        with self.reading("invalid names"):
            names: Any = wire.decode(answer, lambda _: None)  # an object is no name
            pairs = zip(self._blocks, names, strict=True)
            rows = [[] if isinstance(row, wire.Oversize) else row for _, row in pairs]
            return msgspec.convert(rows, list[list[str | wire.Oversize]])

    # Requests

    @contextlib.contextmanager
    def refuse_requests(self) -> Iterator[None]:
        """Refuse requests in the block: code that explains a failure must not send any."""
        self.is_muted = True
        try:
            yield
        finally:
            self.is_muted = False

    def request(self, request: dict[str, Any]) -> Any:
        """Send one request; return its reply as JSON. Raises StudentError, SubmissionStopped."""
        if self.is_muted:
            raise TypeError("the jail is not asked while a failure is explained")
        if (watcher := self.watcher) is not None:
            self.watcher = None  # the watcher's own requests are not watched
            try:
                return watcher(request, self.request)
            finally:
                self.watcher = watcher
        if self._process is None or self._process.ended:
            raise SubmissionStopped("the submission's process has ended")
        with self._in_time(request) as until:
            if isinstance(self._process, Process):
                if self.budget.explains:
                    self.budget.deadline.step()
                may_hang = self.hangs.found and request["op"] not in LOADING
                call = self._call_of(request) if may_hang else ""
                answer = self.hangs.ask(self._process, request, call, self.budget)
            else:
                answer = self._process.ask(request, until)
        return self._value(answer)

    def _waited_seconds(self) -> float:
        """Return the seconds in which this thread, or the jail, waited for a processor."""
        return waited_for_processor() + (self._process.waited if isinstance(self._process, Process) else 0.0)

    def _call_of(self, request: dict[str, Any]) -> str:
        proxy = self.record.proxies.get(request.get("h", 0))
        return name_of(request, label_of(proxy) if proxy else "")

    @contextlib.contextmanager
    def _in_time(self, request: dict[str, Any] | None = None) -> Iterator[float]:
        """Yield the time until which the block may wait for the jail; raise SubmissionStopped after it.

        The error has the line at which a `request` stood that took most of the limit. If an explanation runs out of time
        or its jail dies, `Deadline.cut` is set.
        """
        seconds = self.budget.left
        try:
            yield self.budget.now + seconds
        except SubmissionStopped as error:
            self.budget.deadline.cut |= self.budget.explains and not error.forged
            raise
        except TimeoutError:
            self.budget.deadline.cut |= self.budget.explains
            stopped = self.budget.out_of_time()
            if request and self._process is not None and self.budget.is_most(seconds):
                self.hangs.note(stopped, self._call_of(request), self._process.stood)
            raise stopped from None

    # Replies

    def _value(self, answer: dict[str, Any]) -> Any:
        """Return the value in a reply. Raises StudentError for an error in it."""
        if "e" in answer:
            raise self._student_error(answer["e"])
        if "v" not in answer:
            raise self.violation("a reply with neither a value nor an error")
        return answer["v"]

    def _student_error(self, data: Any) -> StudentError:
        with self.reading("an invalid error"):
            return error_of(data)

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """End the jail if the block, which reads a reply, raises anything; raise SubmissionStopped, by default for `what`.

        The student can choose a reply, so a failure to read it is never the grader's error.
        """
        try:
            yield
        except SubmissionStopped:
            self._end()
            raise
        except Exception as error:
            raise self.violation(what) from error

    def violation(self, what: str) -> SubmissionStopped:
        """End the jail; return the error for an invalid reply."""
        self._end()
        return forged_data(what)

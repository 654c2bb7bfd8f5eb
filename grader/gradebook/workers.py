"""The worker processes of one machine, as a `concurrent.futures.Executor`: each has a core and a pipe of its own.

A worker that dies, or takes longer than it may, costs no other call: a new worker takes its place, and its call is
tried once more. The pools that exist do not promise this. That of `concurrent.futures` gives up every call when one
process dies. In Pebble's all workers read from one pipe under one lock, which a killed worker can take with it.

Workers end with this process, also after `kill -9`. What a worker sends is text and is never unpickled.
"""

from __future__ import annotations

import contextlib
import io
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

import msgspec

from grader.console import say
from grader.errors import Broken, Refused
from grader.gradebook.session import NotGraded, close_sessions
from grader.sandbox import EXPLAIN_SECONDS, SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection

    from grader.manifest import Limits

TRIES = 2  # of one call
STARTS = 5  # of a worker, one after another, that ends before it is ready
START_SECONDS = 300.0  # until a worker is ready
SLACK_SECONDS = 60.0  # beyond the limits of a submission: for opening the checks, on a busy machine
LOOK_SECONDS = 0.5  # between two looks for workers that take too long
END_SECONDS = 5.0  # for a worker to end its jails
PR_SET_PDEATHSIG = 1  # prctl(2)
RAISED: tuple[type[Exception], ...] = (SandboxUnavailable, Broken, Refused, NotGraded)


def usable_cores() -> list[int]:
    """Return the cores that this process may use; numbers without a meaning where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def patience_for(limits: Limits) -> float:
    """Return the seconds after which the grading of a submission with these limits must have hung."""
    return limits.load_seconds + limits.total_seconds + EXPLAIN_SECONDS + SLACK_SECONDS


class Workers(Executor):
    """Up to `jobs` worker processes, each started when there is work for it.

    A call may take `patience` seconds by `clock`. It is a function of a module that returns a text. Its future raises
    the call's own Refused, Broken, SandboxUnavailable or NotGraded; NotGraded also if two workers were lost with it,
    and Broken if no worker can be started.
    """

    def __init__(
        self,
        jobs: int,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        cores: Sequence[int] = (),
    ) -> None:
        """Prepare for `jobs` workers, on these cores in turn or on all that are usable."""
        self.jobs, self.patience, self.clock = jobs, patience, clock
        cores = cores or usable_cores()
        self._cores = [cores[number % len(cores)] for number in reversed(range(jobs))]
        self._threads = ThreadPoolExecutor(jobs, "worker", self._begin_thread)  # each waits for one worker
        self._own = threading.local()  # core and worker of a thread
        self._lock = threading.Lock()
        self._running: set[_Worker] = set()
        self._said: set[str] = set()
        self._closed = threading.Event()
        threading.Thread(target=self._end_late_workers, name="watch", daemon=True).start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call in one of the workers."""
        return self._threads.submit(self._call, (call, args, options))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """End the workers at once, with their jails; the futures of calls that are not done raise CancelledError."""
        self._closed.set()
        with self._lock:
            running = list(self._running)
        for worker in running:
            worker.stop()
        for worker in running:
            worker.join()
        self._threads.shutdown(cancel_futures=True)

    # In the threads

    def _begin_thread(self) -> None:
        """Choose a core; leave Ctrl-C to the main thread. Workers inherit this, so that it does not end their start."""
        self._own.core, self._own.worker = self._cores.pop(), None
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # now, because it unblocks the signal in the thread that starts it
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def _call(self, call: tuple[Any, ...]) -> str:
        for _ in range(TRIES):
            worker = self._living_worker()
            try:
                answer = worker.ask(call, self.patience)
            except _Lost as error:
                why = str(error)
                self._drop(worker)
                continue
            self._say_once(answer.said)
            for error_class in RAISED:
                if answer.error == error_class.__name__:
                    raise error_class(answer.text)
            return answer.text
        raise NotGraded(f"its worker process was lost {TRIES} times: {why}")

    def _living_worker(self) -> _Worker:
        """Return this thread's worker; start one if there is none. Raises Broken, CancelledError."""
        worker: _Worker | None = self._own.worker
        if worker is not None and worker.process.is_alive():
            return worker
        for _ in range(STARTS):
            if worker is not None:
                self._drop(worker)
            worker = self._own.worker = self._new_worker()
            try:
                worker.wait_until_ready()
            except _Lost as error:
                why = str(error)
            else:
                return worker
        raise Broken(
            f"{STARTS} worker processes were lost before they could begin: {why}; see to this machine"
        )

    def _new_worker(self) -> _Worker:
        with self._lock:
            if self._closed.is_set():
                raise CancelledError
            try:
                worker = _Worker(self._own.core, self.clock)
            except OSError as error:
                raise Broken(f"a worker process could not be started: {error}; try fewer --jobs") from error
            self._running.add(worker)
            return worker

    def _drop(self, worker: _Worker) -> None:
        """Forget a lost worker; end it if it only hangs. Raises CancelledError after `shutdown`."""
        self._own.worker = None
        with self._lock:
            self._running.discard(worker)
        worker.process.kill()
        worker.join()
        if self._closed.is_set():
            raise CancelledError

    def _say_once(self, said: str) -> None:
        """Print what a worker has printed, once for all of them."""
        for line in said.splitlines():
            with self._lock:
                new = line not in self._said
                self._said.add(line)
            if new:
                say(line, err=True)

    def _end_late_workers(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            with self._lock:
                late = [worker for worker in self._running if self.clock() > worker.until]
            for worker in late:
                worker.is_late = True
                worker.process.kill()


class _Lost(Exception):
    """A worker died or was ended; the text is the reason."""


class _Answer(msgspec.Struct, frozen=True):
    """What a worker sends: the text of the result, or of the `error` with this name, and what it has printed."""

    text: str
    error: str
    said: str


class _Worker:
    """One worker process. `until` is the time, by the clock, at which it is late."""

    def __init__(self, core: int, clock: Callable[[], float]) -> None:
        """Start it. Raises OSError."""
        self.clock, self.until, self.is_late = clock, clock() + START_SECONDS, False
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        with theirs:
            # A daemon, so that it is ended rather than awaited if this process ends by an exception.
            self.process = context.Process(target=_serve, args=(theirs, core), name="worker", daemon=True)
            self.process.start()

    def wait_until_ready(self) -> None:
        """Wait for its first message. Raises _Lost."""
        self._receive()

    def ask(self, call: tuple[Any, ...], patience: float) -> _Answer:
        """Make one call. Raises _Lost."""
        self.until = self.clock() + patience
        with contextlib.suppress(OSError):  # it has ended, which `_receive` sees too
            self.pipe.send(call)
        return msgspec.msgpack.decode(self._receive(), type=_Answer)

    def _receive(self) -> bytes:
        try:
            return self.pipe.recv_bytes()
        except (EOFError, OSError):
            raise _Lost(self._cause()) from None
        finally:
            self.until = math.inf

    def _cause(self) -> str:
        if self.is_late:
            return "it took longer than its limits allow, and was ended"
        self.process.join(END_SECONDS)
        code = self.process.exitcode
        if code is None or code >= 0:
            return f"it ended with the exit code {code}"
        known = {int(each): each.name for each in signal.Signals}
        name = known.get(-code, f"signal {-code}")
        hint = "; perhaps the memory of this machine was full" if name == "SIGKILL" else ""
        return f"it was ended by {name}{hint}"

    def stop(self) -> None:
        """Ask it to end; kill it if it is busy."""
        if self.until == math.inf:
            self.pipe.close()
        else:
            self.process.kill()

    def join(self) -> None:
        """Wait until it has ended; kill it if that takes long."""
        self.process.join(END_SECONDS)
        self.process.kill()
        self.process.join()


# --- In a worker


def _serve(pipe: Connection[bytes, Any], core: int) -> None:
    """Answer one call after another until the other end of the pipe is closed."""
    _end_with_the_driver()
    _ignore_interrupts()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    sys.stderr = said = io.StringIO()
    with contextlib.suppress(EOFError, OSError), pipe:
        pipe.send_bytes(b"ready")
        while True:
            call, args, options = pipe.recv()
            pipe.send_bytes(msgspec.msgpack.encode(_answered(call, args, options, said)))
    close_sessions()


def _answered(call: Callable[..., str], args: Any, options: Any, said: io.StringIO) -> _Answer:
    text = error_name = ""
    try:
        text = call(*args, **options)
    except Exception as error:
        text = str(error)
        error_name = next(
            (known.__name__ for known in RAISED if isinstance(error, known)), NotGraded.__name__
        )
    printed = said.getvalue()
    said.seek(0)
    said.truncate()
    return _Answer(text, error_name, printed)


def _end_with_the_driver() -> None:
    """Let the death of the driver end this process, too."""
    driver = multiprocessing.parent_process()
    assert driver is not None

    def wait_and_end() -> None:
        driver.join()
        os._exit(1)

    threading.Thread(target=wait_and_end, name="driver", daemon=True).start()
    if sys.platform == "linux":  # also while this process hangs
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the driver. A handler that does nothing is not inherited by the launcher, as SIG_IGN would be."""
    signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

"""The worker processes of one machine, as a `concurrent.futures.Executor`: each has a core and a pipe of its own.

A worker that dies, is stopped, or takes longer than it may, costs no other call: a new worker takes its place, and its
call is tried again. A worker beats every second amid a call, so that one that is stopped is noticed long before its
call is late. The pools that exist do not promise this. That of `concurrent.futures` gives up every call when one
process dies. In Pebble's pool all workers share a pipe and its lock; one that is killed while it holds the lock, or
amid a message, stops the others too.

Workers end with this process, also after `kill -9`. They are started by `subprocess` and not by `multiprocessing`, which
starts `python -c` without `-P`: that imports files of the current folder, and students' files may be there. What a
worker sends is text and is never unpickled.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from grader.console import say
from grader.errors import Broken, Refused
from grader.fleet.session import NotGraded, close_sessions
from grader.sandbox import EXPLAIN_SECONDS, SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.manifest import Limits

MOST_LOSSES = 4  # workers that one call may lose; one that was late counts as two, since it costs the most
STARTS = 5  # of a worker, one after another, that ends before it is ready
START_SECONDS = 120.0  # until a worker is ready
BEAT_SECONDS = 1.0  # between two signs of life amid a call
SILENT_SECONDS = 10.0  # without a sign of life, until a worker counts as stopped
SLACK_SECONDS = 60.0  # beyond the limits of a submission: for opening the checks, on a busy machine
LOOK_SECONDS = 0.5  # between two looks for workers that are stopped or late
LONGEST_LOOK = 2.0  # seconds; what is beyond was a stop of this process, in which no worker gets late
END_SECONDS = 5.0  # for a worker to end its jails
BEAT = b""  # the message that is a sign of life
PR_SET_PDEATHSIG = 1  # prctl(2)
START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from grader.fleet.workers import serve
serve(int(sys.argv[2]))
"""
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
    the call's own Refused, Broken, SandboxUnavailable or NotGraded; NotGraded also if four workers died with it, or
    two were late, and Broken if no worker can be started.
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
        self._now = 0.0  # by the clock, without the time in which this process was stopped itself
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
        self._own.core, self._own.worker = self._cores.pop(), None

    def _call(self, call: tuple[Any, ...]) -> str:
        times, losses = 0, 0
        while losses < MOST_LOSSES:
            worker = self._living_worker()
            try:
                answer = worker.ask(call, self.patience)
            except _Lost as error:
                why, times, losses = str(error), times + 1, losses + error.losses
                self._drop(worker)
                continue
            self._say_once(answer.said)
            for error_class in RAISED:
                if answer.error == error_class.__name__:
                    raise error_class(answer.text)
            return answer.text
        raise NotGraded(f"its worker process was lost {times} times: {why}")

    def _living_worker(self) -> _Worker:
        """Return this thread's worker; start one if there is none. Raises Broken, CancelledError."""
        worker: _Worker | None = self._own.worker
        if worker is not None and worker.process.poll() is None:
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
                worker = _Worker(self._own.core, lambda: self._now)
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
        before = self.clock()
        while not self._closed.wait(LOOK_SECONDS):
            now = self.clock()
            self._now, before = self._now + min(now - before, LONGEST_LOOK), now
            with self._lock:
                running = list(self._running)
            for worker in running:
                worker.end_if_late()


class _Lost(Exception):
    """A worker died or was ended; the text is the reason, `losses` what it counts."""

    def __init__(self, why: str, losses: int = 1) -> None:
        super().__init__(why)
        self.losses = losses


class _Answer(msgspec.Struct, frozen=True):
    """A message from a worker: the text of the result, or of the `error` with this name, and what was printed."""

    text: str
    error: str
    said: str


class _Worker:
    """One worker process. At the time `until` it is late; `heard` is the time of its last sign of life amid a call."""

    def __init__(self, core: int, clock: Callable[[], float]) -> None:
        """Start it. Raises OSError."""
        self.clock, self.until, self.heard = clock, clock() + START_SECONDS, math.inf
        self.ended: _Lost | None = None  # the reason for which it was ended
        path = json.dumps([place for place in sys.path if place])  # without "", the current folder
        flags = ["-I", f"-Xutf8={sys.flags.utf8_mode}", *(["-B"] if sys.dont_write_bytecode else [])]
        # In a session of its own, which Ctrl-C does not reach.
        self.process = subprocess.Popen(
            [sys.executable, *flags, "-c", START, path, str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def wait_until_ready(self) -> None:
        """Wait for its first message. Raises _Lost."""
        self._receive()

    def end_if_late(self) -> None:
        """Kill it if it is stopped or late."""
        now = self.clock()
        if now - self.heard > SILENT_SECONDS:
            self.ended = _Lost(f"it gave no sign of life for {SILENT_SECONDS:.0f} seconds, and was ended")
        elif now > self.until:
            self.ended = _Lost("it took longer than its limits allow, and was ended", losses=2)
        if self.ended:
            self.process.kill()

    def ask(self, call: tuple[Any, ...], patience: float) -> _Answer:
        """Make one call. Raises _Lost."""
        self.heard = self.clock()
        self.until = self.heard + patience
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it has ended, which `_receive` sees too
            _send(self.process.stdin, pickle.dumps(call))
        return msgspec.msgpack.decode(self._receive(), type=_Answer)

    def _receive(self) -> bytes:
        assert self.process.stdout is not None
        try:
            for message in _messages(self.process.stdout):
                if message != BEAT:
                    return message
                self.heard = self.clock()
            raise self.ended or _Lost(self._cause())
        finally:
            self.until = self.heard = math.inf

    def _cause(self) -> str:
        self._wait()
        code = self.process.returncode
        if code >= 0:
            return f"it ended with the exit code {code}"
        known = {int(each): each.name for each in signal.Signals}
        name = known.get(-code, f"signal {-code}")
        hint = "; perhaps the memory of this machine was full" if name == "SIGKILL" else ""
        return f"it was ended by {name}{hint}"

    def stop(self) -> None:
        """Ask it to end; kill it if it is busy."""
        assert self.process.stdin is not None
        if self.until < math.inf:
            self.process.kill()
        else:
            with contextlib.suppress(OSError):
                self.process.stdin.close()

    def join(self) -> None:
        """Wait until it has ended; kill it if that takes long."""
        self._wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):  # what was not sent is lost
                stream.close()

    def _wait(self) -> None:
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# --- Messages: their length in 8 bytes, then the bytes


def _send(stream: IO[bytes], data: bytes) -> None:
    """Raise OSError if the other end is gone, ValueError if the stream is closed."""
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _messages(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield whole messages until the other end is gone, or the stream is closed here."""
    with contextlib.suppress(OSError, ValueError):
        while len(head := stream.read(8)) == 8:
            size = int.from_bytes(head, "big")
            if len(data := stream.read(size)) < size:
                return
            yield data


# --- In a worker


def serve(core: int) -> None:
    """Answer the calls that come on the standard input, one after another, until it is closed."""
    _end_with_the_driver()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("r+b") as nothing:  # nothing else reads the calls or writes among the answers
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    sys.stderr = said = io.StringIO()
    waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    busy, sending = threading.Event(), threading.Lock()
    threading.Thread(target=_read, args=(calls, waiting, busy), name="calls", daemon=True).start()
    threading.Thread(target=_beat, args=(answers, sending, busy), name="beats", daemon=True).start()
    with contextlib.suppress(OSError):
        _send(answers, b"ready")
        while (message := waiting.get()) is not None:
            busy.set()
            call, args, options = pickle.loads(message)  # noqa: S301  from the driver
            answer = msgspec.msgpack.encode(_answered(call, args, options, said))
            with sending:
                busy.clear()
                _send(answers, answer)
    close_sessions()
    os._exit(0)  # nothing else has to be cleaned up


def _read(calls: IO[bytes], waiting: queue.SimpleQueue[bytes | None], busy: threading.Event) -> None:
    """Pass on the calls. The end of the driver ends this process, also amid a call."""
    for message in _messages(calls):
        waiting.put(message)
    if busy.is_set():
        os._exit(1)
    waiting.put(None)


def _beat(answers: IO[bytes], sending: threading.Lock, busy: threading.Event) -> None:
    """Give signs of life amid a call, until the driver is gone."""
    with contextlib.suppress(OSError):
        while True:
            busy.wait()
            with sending:
                if busy.is_set():
                    _send(answers, BEAT)
            time.sleep(BEAT_SECONDS)


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
    return _Answer(_encodable(text), error_name, _encodable(printed))


def _encodable(text: str) -> str:
    """Return the text without lone surrogates, which a path may have."""
    return text.encode(errors="backslashreplace").decode()


def _end_with_the_driver() -> None:
    """Let the system kill this process with the driver, even if it hangs; elsewhere `_read` ends it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

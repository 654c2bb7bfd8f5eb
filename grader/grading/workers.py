"""The worker processes of one machine, as a `concurrent.futures.Executor`.

If a worker dies or takes too long, a new one replaces it and the call is tried again; no other call is affected. No two
workers share a pipe or a lock; decision 31 compares this with existing pools.

Workers end with this process, even after `kill -9`. `subprocess` starts them, because `multiprocessing` starts
`python -c` without `-P`, which imports files of the current folder, and students' files may be there. A worker sends JSON,
which is never unpickled.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from grader.console import say
from grader.errors import Broken, Refused
from grader.sandbox import EXPLAIN_SECONDS, SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.manifest import Limits

MOST_LOSSES = 4  # workers that one call may cost
MOST_LATE = 2  # of these, workers that took too long, which costs the most
SLACK_SECONDS = 60.0  # beyond the limits of a submission: for opening the checks, on a busy machine
MOST_ON_A_CORE = 8  # workers; beyond, the system chooses
LATE = "it took longer than the limits allow, and was killed"
PR_SET_PDEATHSIG = 1  # prctl(2)
START = """\
import json, signal, sys
getattr(signal, "alarm", int)(120)  # seconds until it is ready
sys.path[:], patience, cores = json.loads(sys.argv[1])
from grader.grading.workers import serve
serve(patience, cores)
"""


class NotGraded(Exception):
    """One submission could not be graded, and the student is not at fault. Others are not affected."""


RAISED: list[type[Exception]] = [SandboxUnavailable, Broken, Refused, NotGraded]


def usable_cores() -> list[int]:
    """Return the cores that this process may use; if the system does not tell, numbers from 0."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def patience_for(limits: Limits) -> float:
    """Return the seconds after which the grading of a submission with these limits must be hanging.

    Later loads may take the total a second time.
    """
    return limits.load_seconds + 2 * limits.total_seconds + EXPLAIN_SECONDS + SLACK_SECONDS


class Pool(Executor):
    """An executor that grades `jobs` submissions at a time."""

    jobs: int


class Workers(Pool):
    """Up to `jobs` worker processes, each started when there is work for it.

    A call is a function of a module that returns a text within `patience` seconds (0: without a limit). Its future raises
    the call's Refused, Broken, SandboxUnavailable or NotGraded. It also raises NotGraded if the call cost four workers, or
    two by taking too long, and Broken if no worker can be started.
    """

    def __init__(self, jobs: int, patience: float) -> None:
        self.jobs = jobs
        cores = usable_cores()  # now: a launcher binds this thread to one core later
        self._workers = [_Worker(patience, cores) for _ in range(jobs)]
        self._free = queue.LifoQueue[_Worker]()
        for worker in self._workers:
            self._free.put(worker)
        self._threads = ThreadPoolExecutor(jobs, "worker")  # each waits for one worker
        self._said: set[str] = set()
        self._lock = threading.Lock()  # for `_said`, and between a start and `shutdown`
        self._closed = threading.Event()

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call in one of the workers."""
        return self._threads.submit(self._call, pickle.dumps((call, args, options)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """End the workers at once, with their jails; the futures of calls that are not done raise CancelledError."""
        with self._lock:
            self._closed.set()
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def _call(self, call: bytes) -> str:
        worker, losses = self._free.get(), list[str]()
        try:
            while len(losses) < MOST_LOSSES and losses.count(LATE) < MOST_LATE:
                with self._lock:
                    if self._closed.is_set():
                        raise CancelledError
                    worker.start()
                answer = worker.ask(call)
                if isinstance(answer, _Answer):
                    self._say_once(answer.said)
                    return answer.result()
                losses.append(answer)
        finally:
            self._free.put(worker)
        times, why = len(losses), losses[-1]
        if not worker.began:
            raise Broken(
                f"{times} worker processes ended before they could begin: {why}; inspect this machine"
            )
        raise NotGraded(
            f"the worker process ended {times} times while grading this work; the last time, {why}"
        )

    def _say_once(self, said: str) -> None:
        """Print the lines that a worker printed; a line of several workers appears once."""
        with self._lock:
            for line in said.splitlines():
                if line not in self._said:
                    say(line, err=True)
                self._said.add(line)


class _Answer(NamedTuple):
    """A message from a worker: the text of the result, or of the error RAISED[error], and the printed lines."""

    text: str
    error: int | None
    said: str

    def result(self) -> str:
        """Return the text, or raise the error."""
        if self.error is None:
            return self.text
        raise RAISED[self.error](self.text)


class _Worker:
    """One worker process, replaced when it ends; `began` is True once it was ready for a call."""

    def __init__(self, patience: float, cores: list[int]) -> None:
        self._patience, self._cores = patience, cores
        self._process: subprocess.Popen[bytes] | None = None
        self.began = False

    def start(self) -> None:
        """Start the process, if there is none. Raises Broken."""
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        path = [place for place in sys.path if place]  # without "", the current folder
        settings = json.dumps([path, self._patience, self._cores])
        flags = ["-I", f"-Xutf8={sys.flags.utf8_mode}", *(["-B"] if sys.dont_write_bytecode else [])]
        self.began = False
        try:
            # In a session of its own, which Ctrl-C does not reach.
            self._process = subprocess.Popen(
                [sys.executable, *flags, "-c", START, settings],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise Broken(f"a worker process could not be started: {error}; try fewer --jobs") from error

    def ask(self, call: bytes) -> _Answer | str:
        """Send one pickled call; return the answer, or the reason why the process ended."""
        process: Any = self._process
        self.began = self.began or bool(process.stdout.readline())
        with contextlib.suppress(OSError):  # it has ended; `readline` notices that too
            process.stdin.write(call)
            process.stdin.flush()
        line = process.stdout.readline()
        if line.endswith(b"\n"):
            return _Answer(*json.loads(line))
        self.end()
        return _cause(process.returncode)

    def kill(self) -> None:
        """Kill the process; its jails end with it."""
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Kill the process, and wait until it has ended."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError), self._process:  # what was not sent is lost
                pass


def _cause(code: int) -> str:
    """Return the reason why a process ended, from its return code."""
    if code >= 0:
        return f"it ended with the exit code {code}"
    name = {int(each): each.name for each in signal.Signals}.get(-code, f"signal {-code}")
    hint = "; perhaps the memory of this machine was full" if name == "SIGKILL" else ""
    return LATE if name == "SIGALRM" else f"it was ended by {name}{hint}"


# --- In a worker


def serve(patience: float, cores: list[int]) -> None:
    """Carry out the calls that come on the standard input, one after another, until it is closed."""
    if sys.platform == "linux":  # the system kills this process with the driver, even if it hangs
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    core = _own_core(cores)  # noqa: F841  the lock goes with this process
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w")
    with Path(os.devnull).open("r+b") as nothing:  # so that nothing else reads calls or writes answers
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    with contextlib.suppress(EOFError, OSError):  # the driver is gone
        _end_after(0)
        print("ready", file=answers, flush=True)
        while True:
            call, args, options = pickle.load(calls)  # noqa: S301  from the driver
            _end_after(patience)
            answer = _answer(call, args, options)
            _end_after(0)
            print(json.dumps(answer), file=answers, flush=True)


def _answer(call: Callable[..., str], args: Any, options: Any) -> _Answer:
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            text, kind = call(*args, **options), None
        except Exception as error:
            kinds = [number for number, known in enumerate(RAISED) if isinstance(error, known)]
            text, kind = str(error), kinds[0] if kinds else RAISED.index(NotGraded)
    return _Answer(text, kind, said.getvalue())


def _end_after(seconds: float) -> None:
    """Let the system kill this process after some seconds, even if it hangs; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _own_core(cores: list[int]) -> IO[bytes] | None:
    """Bind this process to the core with the fewest workers of this user, and return the lock file that holds it.

    Each core has lock files. If none can be locked, the system chooses the core.
    """
    with contextlib.suppress(OSError, ImportError, AttributeError):
        import fcntl  # not on Windows

        folder = Path(tempfile.gettempdir(), f"backgrade-cores-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.lstat().st_uid != os.getuid():
            return None  # another user owns it, and could place links in it
        for turn, core in itertools.product(range(MOST_ON_A_CORE), cores):
            flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW
            lock = os.fdopen(os.open(folder / f"{core}.{turn}", flags, 0o600), "wb")
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.sched_setaffinity(0, {core})
                return lock
    return None

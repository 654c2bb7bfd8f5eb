"""A pool of processes, one for each core, started when the first work is submitted."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from grader.errors import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from multiprocessing.queues import SimpleQueue
    from types import TracebackType

SAFE_PATH = "PYTHONSAFEPATH"
# Between two searches for garbage; with Python's own 700 the searches take a twentieth of the time.
OBJECTS = 100_000
P = ParamSpec("P")
T = TypeVar("T")


class ProcessPool:
    """The processes of one command. Use it as a context manager; leaving it by an exception ends them at once."""

    def __init__(self) -> None:
        gc.set_threshold(OBJECTS)
        # Now: a launcher binds this thread to one core later.
        self.cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.count = len(self.cores) or os.cpu_count() or 1
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, function: Callable[P, T], /, *args: P.args, **keywords: P.kwargs) -> Future[T]:
        """Call a function of a module in one of the processes."""
        with _without_current_folder():
            return self._start().submit(function, *args, **keywords)

    def _start(self) -> ProcessPoolExecutor:
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            cores: SimpleQueue[int] = context.SimpleQueue()
            for number in range(self.count if self.cores else 0):
                cores.put(self.cores[number % len(self.cores)])
            self._executor = ProcessPoolExecutor(
                self.count, context, initializer=_begin, initargs=(cores if self.cores else None,)
            )
        return self._executor

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is None:
            return
        if kind is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()
        self._executor.shutdown()
        self._executor = None
        if isinstance(error, BrokenProcessPool):
            raise Broken(
                "a worker process was killed; run the command again: finished results are kept"
            ) from error


@contextlib.contextmanager
def _without_current_folder() -> Iterator[None]:
    """Keep Pythons that `multiprocessing` starts in the block from importing files of the current folder.

    They are `python -c`, which looks there first, and students' files may be there: `grade batch day2 .`
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"  # `-P`, for which `multiprocessing` has no option
    try:
        yield
    finally:
        del os.environ[SAFE_PATH]
        if before is not None:
            os.environ[SAFE_PATH] = before


def _begin(cores: Any) -> None:
    """Bind this worker to its core, end it with the command, and leave Ctrl-C to the command."""
    gc.set_threshold(OBJECTS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_command, daemon=True).start()
    if cores is not None:
        os.sched_setaffinity(0, {cores.get()})


def _end_with_the_command() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)

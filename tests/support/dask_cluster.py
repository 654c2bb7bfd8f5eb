"""A Dask cluster of real processes on this machine: a scheduler and workers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from helpers import PATIENCE

DASK = Path(sys.executable).with_name("dask")


class DaskCluster:
    """Its processes write logs into `folder`. Use it as a context manager, which kills all of them in the end."""

    def __init__(
        self,
        folder: Path,
        *preloads: str,
        allowed_failures: int = 3,
        host: str = "127.0.0.1",
        nannies: bool = False,
    ) -> None:
        """Start a scheduler and a worker for each of the preloads: Python code that the worker runs first.

        The scheduler listens on this `host`. With `nannies` each worker has one, as Dask's own default is: a second
        process, and a worker that may have no children of multiprocessing's.
        """
        self._nannies = nannies
        self.folder, self.address, self._host = folder, f"tcp://127.0.0.1:{_free_port()}", host
        self._environment = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(allowed_failures)
        }
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self._local: dict[subprocess.Popen[bytes], Path] = {}  # a folder for each worker
        self._logs = 0
        self.start(*preloads)

    def start(self, *preloads: str) -> None:
        """Start a scheduler at the address, and these workers; wait until all are there."""
        port = self.address.rpartition(":")[2]
        self.scheduler = self._run("scheduler", "--host", self._host, "--port", port, "--no-dashboard")
        self.workers = []
        for preload in preloads:
            self.add_worker(preload)
        self._wait_for(len(preloads))

    def add_worker(self, preload: str) -> None:
        """Start one more worker."""
        local = self.folder / f"local{self._logs}"
        words = [self.address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(local)]
        words += [] if self._nannies else ["--no-nanny"]
        worker = self._run("worker", *words, *(["--preload", preload] if preload else []))
        self._local[worker] = local
        self.workers.append(worker)

    def _run(self, *words: str) -> subprocess.Popen[bytes]:
        self._logs += 1
        with (self.folder / f"{words[0]}{self._logs}.log").open("wb") as log:
            return subprocess.Popen(
                [str(DASK), *words],
                cwd=self.folder,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @contextlib.contextmanager
    def one_more(self, preload: str) -> Iterator[None]:
        """Have one more worker inside the block; at its end the scheduler knows that it is gone."""
        joined, left = self._joined(), self._left()
        self.add_worker(preload)
        self._wait_for(joined + 1)
        yield
        self.kill_worker()
        self._wait_for(left + 1, self._left)

    def _wait_for(self, count: int, what: Callable[[], int] | None = None) -> None:
        """Wait until so many workers have joined, or have left; their logs have the reason if they do not."""
        deadline = time.monotonic() + PATIENCE
        while (what or self._joined)() < count:
            assert time.monotonic() < deadline, "\n".join(log.read_text() for log in self._its_logs())
            time.sleep(0.05)

    def _joined(self) -> int:
        return self._newest().count("Starting worker compute stream")

    def _left(self) -> int:
        return self._newest().count("Remove worker addr")

    def _newest(self) -> str:
        """What the newest scheduler has logged."""
        newest = max(self._its_logs("scheduler"), key=lambda log: int(log.stem.removeprefix("scheduler")))
        return newest.read_text(encoding="utf-8")

    def _its_logs(self, kind: str = "") -> list[Path]:
        return sorted(self.folder.glob(f"{kind}*.log"))

    def kill_worker(self) -> None:
        """Kill a worker with its nanny, as when a machine goes away."""
        _kill(self.workers.pop())

    def end_scheduler(self, number: int = signal.SIGKILL) -> None:
        """Send this signal to the scheduler. Dask's workers end with it: wait for them, and kill one that does not."""
        assert self.scheduler is not None
        self.scheduler.send_signal(number)
        self.scheduler.wait(PATIENCE)
        for worker in self.workers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(PATIENCE / 2)
            _kill(worker)

    def folders(self) -> list[Path]:
        """The folders with a course that the workers have now."""
        found = (path for worker in self.workers for path in self._local[worker].rglob("backgrade-*"))
        return [path for path in found if path.is_dir()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, self.scheduler]:
            _kill(process)


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    """Kill a process that this module started, with all of its session."""
    assert process is not None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])

"""A Dask worker that grades for `grade batch --scheduler`: what it got, what it compares, and its processes.

A submission is graded by a process of its own (`Workers`), as on one machine, so that one that hangs or dies does not
cost the Dask worker.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import random
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from distributed import WorkerPlugin, get_worker
from msgspec.structs import replace

import grader
from grader import __version__
from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.fleet.packing import unpack_course
from grader.fleet.session import NotGraded
from grader.fleet.workers import Workers, patience_for, usable_cores
from grader.grading.suitehash import hash_of_suite
from grader.sandbox import Launcher
from grader.submissions.intake import missing_imports, refuse_weak_isolation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from distributed import Worker

    from grader.assignment import Assignment
    from grader.fleet.session import Settings

IDLE_SECONDS = 600.0  # without a call, until a worker ends the processes of a run
KEPT = "the results so far are kept, and the same command goes on"


class Wanted(msgspec.Struct, frozen=True):
    """The facts in which a worker must equal the driver of the run `run`.

    `code` is the hash of the grader's files: two checkouts may have one version number.
    """

    run: str
    assignment: str
    suite: str
    version: str
    code: str
    python: str
    allow_weak_isolation: bool = False


class CourseHere:
    """The course of one run on this worker: in a folder of its own, with the processes that grade by it.

    Folder and processes are there while they are used. They go after `idle` seconds without a call, so that none stays
    behind when the driver is killed, and come back with the next call.
    """

    def __init__(self, packed: bytes, parent: Path, jobs: int, idle: float = IDLE_SECONDS) -> None:
        self._packed, self._parent, self._jobs, self._idle = packed, parent, jobs, idle
        self._lock, self._calls, self._timer = threading.Lock(), 0, threading.Timer(idle, self._close_if_idle)
        self._opened: tuple[Path, Workers] | None = None
        self._at_close = contextlib.ExitStack()
        self._trouble: str | None = None

    def trouble(self, wanted: Wanted) -> str:
        """Return what keeps this worker from grading by this course, as it was when this was first asked."""
        if self._trouble is None:
            with self._in_use(wanted.assignment) as (folder, _):
                self._trouble = _trouble_with(Course(folder).assignment(wanted.assignment), wanted)
        return self._trouble

    def call(self, call: Callable[..., str], settings: Settings, packed: bytes) -> str:
        """Call in a process of its own: one that hangs or dies costs no more than a try. Raises as `Workers` does."""
        with self._in_use(settings.assignment) as (folder, processes):
            report: Future[str] = processes.submit(call, replace(settings, course=str(folder)), packed)
            return report.result()

    @contextlib.contextmanager
    def _in_use(self, assignment: str) -> Iterator[tuple[Path, Workers]]:
        """Yield the folder and the processes, and leave them open meanwhile."""
        with self._lock:
            self._timer.cancel()
            self._calls += 1
            try:
                opened = self._opened = self._opened or self._open(assignment)
            except BaseException:
                self._calls -= 1
                raise
        try:
            yield opened
        finally:
            with self._lock:
                self._calls -= 1
                self._timer.cancel()
                self._timer = threading.Timer(self._idle, self._close_if_idle)
                self._timer.daemon = True
                self._timer.start()

    def _open(self, assignment: str) -> tuple[Path, Workers]:
        """Unpack the course into a folder that only this user can read; prepare the processes, which start late."""
        folder = Path(tempfile.mkdtemp(prefix="backgrade-", dir=self._parent))
        self._at_close.callback(shutil.rmtree, folder, ignore_errors=True)
        limits = unpack_course(self._packed, folder).assignment(assignment).manifest.limits
        cores = self._at_close.enter_context(own_cores(self._jobs))
        return folder, self._at_close.enter_context(Workers(self._jobs, patience_for(limits), cores=cores))

    def _close_if_idle(self) -> None:
        with self._lock:
            if not self._calls:
                self._close()

    def _close(self) -> None:
        self._opened = None
        self._at_close.close()

    def close(self) -> None:
        """End the processes, also in the middle of a submission, and remove the folder."""
        with self._lock:
            self._timer.cancel()
            self._close()


def _trouble_with(assignment: Assignment, wanted: Wanted) -> str:
    if hash_of_suite(assignment) != wanted.suite:
        return "the course was edited while it was sent; type the same command again"
    if not wanted.allow_weak_isolation:
        try:
            with Launcher() as launcher:
                refuse_weak_isolation(launcher, "the work of a class is somebody else's")
        except Refused as error:
            return str(error)
    return missing_imports(assignment)


_courses: dict[str, CourseHere] = {}  # by run


@contextlib.contextmanager
def own_cores(count: int) -> Iterator[list[int]]:
    """Yield cores that no other worker of this user on this machine has got; any cores, if all are taken.

    A lock on a file stands for a core; it goes with the process.
    """
    cores, own = usable_cores(), list[int]()
    with contextlib.ExitStack() as locks:
        with contextlib.suppress(OSError, ImportError):
            import fcntl  # not on Windows

            folder = Path(tempfile.gettempdir(), f"backgrade-cores-{os.getuid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            for core in cores:
                flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW
                lock = locks.enter_context(os.fdopen(os.open(folder / str(core), flags, 0o600), "wb"))
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    own.append(core)
                if len(own) == count:
                    break
        yield own or [random.choice(cores)]  # noqa: S311  to spread, not to hide


class CourseOnWorkers(WorkerPlugin):  # type: ignore[misc]  # it has few types
    """Gives the course of a run to each worker, also to one that joins later; it goes with the run or the worker."""

    def __init__(self, run: str, packed: bytes) -> None:
        self.name, self.run, self.packed = f"backgrade-{run}", run, packed

    def setup(self, worker: Worker) -> None:
        """Keep the course until the first call."""
        _courses[self.run] = CourseHere(self.packed, Path(worker.local_directory), worker.state.nthreads)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002  the signature of a plugin
        """End the processes that grade, and remove the folder."""
        if self.run in _courses:
            _courses.pop(self.run).close()


def trouble_here(wanted: Wanted) -> str:
    """Return what keeps this worker from grading as the driver would, with the remedy; "" for nothing."""
    if wanted.python != python_here():
        return f"it runs Python {python_here()}, this command {wanted.python}; start workers with the same Python"
    if wanted.version != __version__:
        return (
            f"it has Backgrade {__version__}, this command {wanted.version}; install the same version there"
        )
    if wanted.code != hash_of_code():
        return "its files of Backgrade differ from this command's; install the same commit there"
    return ""


def trouble_with_course(wanted: Wanted) -> str:
    """Return what keeps this worker from grading by the course that it got; "" for nothing."""
    course = _courses.get(wanted.run)
    if course is None:
        return "the course did not arrive there; its log has the reason"
    try:
        return course.trouble(wanted)
    except Exception as error:  # a full disk, for example
        return f"{type(error).__name__}: {error}"


def call_on_worker(wanted: Wanted, call: Callable[..., str], settings: Settings, packed: bytes) -> str:
    """Call on this worker, by the course that it got. Raises Refused, Broken and NotGraded."""
    where = f"worker {get_worker().address}"
    if why := trouble_here(wanted) or trouble_with_course(wanted):
        raise Refused(f"{where}: {why}; {KEPT}")
    try:
        return _courses[wanted.run].call(call, settings, packed)
    except NotGraded:
        raise
    except Refused as error:
        raise Refused(f"{where}: {error}; {KEPT}") from error
    except Broken as error:
        raise Broken(f"{where}: {error}; {KEPT}") from error
    except Exception as error:
        raise Broken(f"{where}: {type(error).__name__}: {error}; {KEPT}") from error


def python_here() -> str:
    """Return the version of Python whose bytecode and reports are the same: `3.11`."""
    return "{}.{}".format(*sys.version_info)


@functools.cache
def hash_of_code() -> str:
    """Return a hash of the grader's own modules and words."""
    root = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(p for suffix in ("py", "yaml") for p in root.rglob(f"*.{suffix}")):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()

"""`grade batch --scheduler`: a class graded by the workers of a Dask cluster.

The driver, which is the command, reads the submissions and keeps the results file. A submission travels to a worker as
MessagePack and its report comes back as JSON, so that no file system is shared. The part of the course that grades
travels once to each worker, also to one that joins later (`CourseOnWorkers`).

A worker grades only with the driver's grader, Python and suite, and in a closed jail (`trouble_here`).
"""

from __future__ import annotations

import contextlib
import functools
import getpass
import hashlib
import io
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import uuid
import warnings
import zipfile
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask.config
import msgspec
from msgspec.structs import replace

import grader
from grader import __version__
from grader.assignment import Assignment, Course
from grader.console import duration, say
from grader.errors import Broken, Refused
from grader.gradebook.session import NotGraded, Settings
from grader.gradebook.workers import Workers, patience_for, usable_cores
from grader.grading.grader import hash_of_suite
from grader.sandbox import Launcher
from grader.submissions.intake import missing_imports, refuse_weak_isolation

# Before the import of `distributed`, which sets up its loggers: what goes wrong is said here, once.
dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})

from distributed import Client, KilledWorker, WorkerPlugin, get_worker  # noqa: E402  see above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from distributed import Worker

CONNECT_SECONDS = 10  # for the first answer of a scheduler
PATIENCE = 300.0  # seconds without a scheduler, or without a worker, until the driver gives up
LOOK_SECONDS = 2.0  # between two looks at the scheduler
ANSWER_SECONDS = 30  # for the answer of a busy scheduler
RETRY_SECONDS = 1.0  # between two tries to connect again
CLOSE_SECONDS = 5  # for a scheduler's answer when the driver leaves
MOST_LOSSES = 10  # connections that may be lost in one run
KEPT = "the results so far are kept, and the same command goes on"


class Wanted(msgspec.Struct, frozen=True):
    """What a worker must have in common with the driver of the run `run`.

    `code` is the hash of the grader's files: two checkouts may have one version number.
    """

    run: str
    assignment: str
    suite: str
    version: str
    code: str
    python: str
    allow_weak_isolation: bool = False


# --- On a worker


class _Course:
    """The course of one run in a folder of this worker's own, and the processes that grade by it."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder, self.jobs = folder, jobs
        self._lock, self._cores = threading.Lock(), contextlib.ExitStack()
        self._processes: Workers | None = None
        self._trouble: str | None = None

    def trouble(self, wanted: Wanted) -> str:
        """Return what keeps this worker from grading by this course, as it was when this was first asked."""
        if self._trouble is None:
            self._trouble = self._find_trouble(wanted)
        return self._trouble

    def _find_trouble(self, wanted: Wanted) -> str:
        assignment = Course(self.folder).assignment(wanted.assignment)
        if hash_of_suite(assignment) != wanted.suite:
            return "the course was edited while it was sent; type the same command again"
        if not wanted.allow_weak_isolation:
            try:
                with Launcher() as launcher:
                    refuse_weak_isolation(launcher, "the work of a class is somebody else's")
            except Refused as error:
                return str(error)
        return missing_imports(assignment)

    def call(self, call: Callable[..., str], settings: Settings, packed: bytes) -> str:
        """Call in a process of its own: one that hangs or dies costs no more than a try. Raises as `Workers` does."""
        with self._lock:
            if self._processes is None:
                _may_have_children()
                limits = Course(self.folder).assignment(settings.assignment).manifest.limits
                cores = self._cores.enter_context(own_cores(self.jobs))
                self._processes = Workers(self.jobs, patience_for(limits), cores=cores)
        here = replace(settings, course=str(self.folder))
        report: Future[str] = self._processes.submit(call, here, packed)
        return report.result()

    def close(self) -> None:
        """End the processes and remove the folder."""
        if self._processes is not None:
            self._processes.shutdown()
        self._cores.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_courses: dict[str, _Course] = {}  # by run


@contextlib.contextmanager
def own_cores(count: int) -> Iterator[list[int]]:
    """Yield cores that no other worker of this user on this machine has got; any cores, if all are taken.

    A lock on a file stands for a core; it goes with the process.
    """
    cores, folder = usable_cores(), Path(tempfile.gettempdir(), f"backgrade-cores-{getpass.getuser()}")
    with contextlib.ExitStack() as locks:
        own = []
        with contextlib.suppress(OSError, ImportError):
            import fcntl  # not on Windows

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


def _may_have_children() -> None:
    """Let this process start others: a worker under a nanny is a daemon of `multiprocessing`, which may not."""
    multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]  # noqa: SLF001


class CourseOnWorkers(WorkerPlugin):  # type: ignore[misc]  # it has few types
    """Puts the course of a run into a folder of each worker's own; the folder goes with the run or the worker."""

    def __init__(self, run: str, packed: bytes) -> None:
        self.name, self.run, self.packed = f"backgrade-{run}", run, packed

    def setup(self, worker: Worker) -> None:
        """Unpack the course into a folder that only this user can read."""
        folder = Path(tempfile.mkdtemp(prefix="backgrade-", dir=worker.local_directory))
        with zipfile.ZipFile(io.BytesIO(self.packed)) as archive:
            archive.extractall(folder)
        _courses[self.run] = _Course(folder, worker.state.nthreads)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002  the signature of a plugin
        """End the processes that grade, and remove the folder."""
        if self.run in _courses:
            _courses.pop(self.run).close()


def trouble_here(wanted: Wanted) -> str:
    """Return what keeps this worker from grading as the driver would, with the remedy; "" for nothing."""
    if wanted.python != _python():
        return f"it runs Python {_python()}, this command {wanted.python}; start workers with the same Python"
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
    return (
        "the course did not arrive there; its log has the reason"
        if course is None
        else course.trouble(wanted)
    )


def call_on_worker(wanted: Wanted, call: Callable[..., str], settings: Settings, packed: bytes) -> str:
    """Call on this worker, by the course that it got. Raises Refused and what the call raises."""
    if why := trouble_here(wanted) or trouble_with_course(wanted):
        raise Refused(f"worker {get_worker().address}: {why}; {KEPT}")
    return _courses[wanted.run].call(call, settings, packed)


def _python() -> str:
    return "{}.{}".format(*sys.version_info)


@functools.cache
def hash_of_code() -> str:
    """Return a hash of the grader's own modules and words."""
    root = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(p for suffix in ("py", "yaml") for p in root.rglob(f"*.{suffix}")):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


# --- What travels


def pack_course(assignment: Assignment) -> bytes:
    """Return a zip of the files that grade this assignment.

    These are all manifests, the visible and the hidden checks, the salt, and the stubs of earlier assignments that
    this one continues. The reference travels as an empty file: a report may name it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(set(_files(assignment))):
            archive.write(path, path.relative_to(assignment.course.root).as_posix())
        if assignment.reference.is_file():
            archive.writestr(assignment.reference.relative_to(assignment.course.root).as_posix(), "")
    return buffer.getvalue()


def _files(assignment: Assignment) -> Iterator[Path]:
    course = assignment.course
    yield from (course.root / "assignments" / name / "assignment.yaml" for name in course.names)
    folders = [*assignment.checks_folders.values()]
    earlier = assignment.earlier
    while earlier is not None:
        folders.append(earlier.checks_folder("visible"))
        earlier = earlier.earlier
    for folder in folders:
        for where, names, files in os.walk(folder):
            names[:] = [name for name in names if name != "__pycache__"]
            yield from (Path(where, name) for name in files)
    salt = assignment.solutions / "salt.txt"
    if salt.is_file():
        yield salt


# --- The driver


class _Task:
    """A submission that has no report yet: the call that grades it, and the future that waits for the report."""

    def __init__(self, *call: Any) -> None:
        self.call, self.future = call, Future[str]()
        self.future.set_running_or_notify_cancel()  # from now on it cannot be cancelled, only dropped


class Cluster(Executor):
    """An executor that grades on the workers of a Dask cluster.

    It outlives the loss of workers, which Dask makes good, and of the scheduler: then it connects again and sends again
    what has no report yet. A submission gets one result, whichever comes first.

    Raises Refused where no scheduler answers, no worker joins or a worker differs. When a lost scheduler or the last
    worker stays away for `patience` seconds, each waiting future raises Broken.
    """

    def __init__(
        self,
        address: str,
        assignment: Assignment,
        *,
        allow_weak_isolation: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self.address, self.patience = address, patience
        run, suite = uuid.uuid4().hex, hash_of_suite(assignment)
        self._wanted = Wanted(
            run, assignment.name, suite, __version__, hash_of_code(), _python(), allow_weak_isolation
        )
        self._course = CourseOnWorkers(run, pack_course(assignment))
        self._lock = threading.RLock()
        self._tasks: set[_Task] = set()
        self._failed: Exception | None = None
        self._look, self._closing, self._losses = threading.Event(), False, 0
        self.jobs = 1  # threads of all workers
        self._open(self._connect(min(CONNECT_SECONDS, patience)))
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self._watcher.start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call with these Settings and this packed Work on one of the workers."""
        task = _Task(call, *args, *options.values())
        with self._lock:
            if self._failed is not None:
                task.future.set_exception(self._failed)
            else:
                self._tasks.add(task)
                self._send(task)
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """Leave the cluster: its workers drop what they still grade, and remove the course."""
        with self._lock:
            self._closing = True
            self._tasks.clear()
        self._look.set()
        self._watcher.join()
        self._close()

    # The connection

    def _connect(self, seconds: float) -> Client:
        """Return a client of a scheduler with at least one worker, all of which may grade. Raises Refused and OSError."""
        try:
            with warnings.catch_warnings():  # of versions that differ: what matters is compared here
                warnings.simplefilter("ignore")
                client = Client(self.address, timeout=seconds, set_as_default=False, name="grade-batch")
        except OSError:
            raise NoScheduler(
                f"{self.address}: no Dask scheduler answers there; start one with `dask scheduler`, "
                "and give the address that it prints"
            ) from None
        except Exception as error:
            raise Refused(f"{self.address}: {error}; docs/cluster.md has addresses that work") from error
        try:
            self._prepare(client)
        except BaseException:
            client.close(timeout=1)
            raise
        return client

    def _prepare(self, client: Client) -> None:
        """Compare the workers with this process, and send them the course. Raises Refused."""
        try:
            client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError:
            raise Refused(
                f"{self.address}: no worker has joined for {duration(self.patience)}; start some with "
                f"`dask worker {self.address} --nthreads 1`"
            ) from None
        _refuse(client.run(trouble_here, self._wanted, on_error="return"))
        client.register_plugin(self._course)
        _refuse(client.run(trouble_with_course, self._wanted, on_error="return"))

    def _open(self, client: Client) -> None:
        """Send through this client from now on; first send what waits."""
        identity = client.scheduler_info(n_workers=0)
        with self._lock:
            self._client, self._scheduler = client, identity["id"]
            self.jobs = max(1, identity["total_threads"])
            self._executor: Executor | None = client.get_executor(pure=False)
            for task in list(self._tasks):
                self._send(task)

    def _close(self) -> None:
        """Leave the scheduler, also one that does not answer. Dask forgets what was submitted through this client."""
        with self._lock:
            client, self._executor = self._client, None
        with contextlib.suppress(Exception):
            leaving = client.scheduler.unregister_worker_plugin
            client.sync(leaving, name=self._course.name, callback_timeout=CLOSE_SECONDS)
        with contextlib.suppress(Exception):
            client.close(timeout=CLOSE_SECONDS)

    def _send(self, task: _Task) -> None:
        """Submit to Dask, or leave it to the next connection."""
        if self._executor is None:
            return
        try:
            remote = self._executor.submit(call_on_worker, self._wanted, *task.call)
        except Exception:  # the client was closed meanwhile
            self._look.set()
            return
        remote.add_done_callback(functools.partial(self._receive, task))

    def _receive(self, task: _Task, remote: Future[str]) -> None:
        """Take the result of a submission, if it has none yet. Dask calls this in its own thread."""
        with self._lock:
            if task not in self._tasks:
                return
            if remote.cancelled():  # with the connection; the watcher makes a new one
                self._scheduler = ""
                self._look.set()
                return
            self._tasks.discard(task)
        error = remote.exception()
        if isinstance(error, KilledWorker):
            lost = error.allowed_failures + 1
            why = f"the cluster lost {lost} worker{'' if lost == 1 else 's'} with it"
            task.future.set_exception(NotGraded(why))
        elif error is not None:
            task.future.set_exception(error)
        else:
            task.future.set_result(remote.result())

    def _watch(self) -> None:
        """Look at the connection again and again, and make a new one when it is lost."""
        seen = time.monotonic()  # when there were workers
        while not self._closing:
            self._look.wait(LOOK_SECONDS)
            self._look.clear()
            try:
                if not self._closing and not self._is_connected():
                    self._reconnect()
                if self.jobs:
                    seen = time.monotonic()
                elif time.monotonic() - seen > self.patience:
                    raise Broken(f"{self.address}: no worker was left for {duration(self.patience)}; {KEPT}")
            except Exception as error:
                self._give_up(error)
                return

    def _is_connected(self) -> bool:
        """Return True if the scheduler that got the submissions answers; count the threads of its workers."""
        try:
            identity = self._client.sync(
                self._client.scheduler.identity, n_workers=0, callback_timeout=ANSWER_SECONDS
            )
        except Exception:
            return False
        self.jobs = identity["total_threads"]
        return bool(identity["id"] == self._scheduler)

    def _reconnect(self) -> None:
        """Connect again and send again what has no report. Raises Refused and Broken."""
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise Broken(f"{self.address}: the scheduler was lost {MOST_LOSSES} times; {KEPT}")
        say(
            f"{self.address}: the scheduler was lost; trying again for {duration(self.patience)} ...",
            err=True,
        )
        self._close()
        deadline = time.monotonic() + self.patience
        while not self._closing:
            try:
                self._open(self._connect(CONNECT_SECONDS))
            except NoScheduler as error:
                if time.monotonic() > deadline:
                    raise Broken(f"{self.address}: the scheduler did not come back; {KEPT}") from error
            else:
                say(f"{self.address}: connected again, {self.jobs} at a time", err=True)
                return
            self._look.wait(RETRY_SECONDS)

    def _give_up(self, error: Exception) -> None:
        """Answer every submission that waits, and every later one, with this error."""
        with self._lock:
            self._failed, tasks = error, list(self._tasks)
            self._tasks.clear()
        for task in tasks:
            task.future.set_exception(error)


class NoScheduler(Refused):
    """No scheduler answers at an address."""


def _refuse(answers: Mapping[str, str | Exception]) -> None:
    """Raise Refused if a worker has trouble. A worker that has gone meanwhile has none."""
    found = {address: _sentence(answer) for address, answer in answers.items()}
    troubles = {address: why for address, why in found.items() if why}
    if troubles:
        address, why = next(iter(troubles.items()))
        others = len(troubles) - 1
        more = f" (and {others} more of the {len(answers)} workers)" if others else ""
        raise Refused(f"worker {address}: {why}{more}")


def _sentence(answer: str | Exception) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, OSError):  # it has gone meanwhile
        return ""
    if "No module named 'grader" in str(answer):
        return "it has no Backgrade, or an old one; install there what is installed here"
    return f"{type(answer).__name__}: {answer}"

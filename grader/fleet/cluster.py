"""`grade batch --scheduler`: grade a class with the workers of a Dask cluster.

The driver is the process of the command: it reads the submissions and keeps the results file. A submission travels to a
worker as MessagePack, and its report comes back as JSON, so no shared file system is needed. The files that grade travel
once to each worker (`PackedCourse`). A worker must run the same Backgrade and Python as the driver (`trouble_here`), with
the same checks and in a closed jail (`Session`).

Dask unpickles data from anybody who can connect, who could run programs here. Hence `refuse_open_network`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import ipaddress
import shutil
import sys
import tempfile
import threading
import time
import warnings
import weakref
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import dask.config
from msgspec.structs import replace

import grader
from grader.console import duration, say
from grader.errors import Broken, Refused
from grader.fleet.packing import pack_course, unpack_course
from grader.grading.workers import NotGraded, Pool, Workers, patience_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.assignment import Assignment
    from grader.fleet.session import SessionSettings


# Before the import of `distributed`, which sets up its loggers: errors are printed here, once.
LOGGERS = ("distributed", "distributed.client", "tornado.application")
dask.config.set({"logging": dict.fromkeys(LOGGERS, "critical")})
warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # a large submission

from distributed import Client, KilledWorker, get_worker  # noqa: E402  see above

CONNECT_SECONDS = 10  # for the first answer of a scheduler
PATIENCE = 300.0  # seconds without an answer of the scheduler, or without a worker
LOOK_SECONDS = 2.0  # between two requests to the scheduler
CLOSE_SECONDS = 5  # for a scheduler's answer when the driver ends
SAME = "install the command's commit of Backgrade and version of Python on the worker"
KEPT = "results so far are kept; run the same command again to continue"
SAFE_SCHEMES = {"tls", "wss", "gateway", "inproc"}  # encrypted and authenticated, or in this process


class Cluster(Pool):
    """An executor that grades on the workers of a Dask cluster. `jobs` is the number of their threads.

    Dask replaces lost workers. If the scheduler is lost, does not answer for `patience` seconds, or has no worker for as
    long, each waiting and each later future raises Broken.

    Raises Refused if no scheduler answers, no worker joins, a worker runs another version, or the network is open without
    `insecure`.
    """

    def __init__(
        self, address: str, assignment: Assignment, *, insecure: bool = False, patience: float = PATIENCE
    ) -> None:
        self.address, self.patience = address, patience
        self._closed = threading.Event()
        self._waiting: set[Future[str]] = set()  # futures without a report
        self._lost: Broken | None = None
        if not insecure:
            refuse_open_network(address)
        self._client = self._connect()
        try:
            self._wait_for_workers(insecure=insecure)
            course = self._client.submit(PackedCourse, pack_course(assignment), pure=False)
        except BaseException:
            self._client.close(timeout=1)
            raise
        self._submit = functools.partial(
            self._client.get_executor(pure=False).submit, _call_on_worker, course, grader_here()
        )
        threading.Thread(target=self._watch, name="cluster", daemon=True).start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call with SessionSettings and a packed Work on one of the workers."""
        report = Future[str]()
        report.set_running_or_notify_cancel()  # so it cannot be cancelled, only dropped
        self._waiting.add(report)
        try:
            remote = self._submit(call, *args, **options)
            remote.add_done_callback(functools.partial(self._receive, report))
        except Exception:  # Dask has closed the connection
            self._lose()
        if self._lost:
            self._lose()
        return report

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """Leave the cluster: its workers drop their submissions, and remove the course."""
        self._closed.set()
        self._waiting.clear()
        with contextlib.suppress(Exception):  # of a scheduler that does not answer
            self._client.close(timeout=min(CLOSE_SECONDS, self.patience))

    # The connection

    def _connect(self) -> Client:
        try:
            with (
                warnings.catch_warnings()
            ):  # about different versions: trouble_here compares those that matter
                warnings.simplefilter("ignore")
                return _client(self.address, min(CONNECT_SECONDS, self.patience))
        except OSError:
            raise Refused(
                f"{self.address}: no Dask scheduler answers there; start one with `dask scheduler`, "
                "and give the address that it prints"
            ) from None
        except Exception as error:
            raise Refused(f"{self.address}: {error}; see docs/cluster.md for valid addresses") from error

    def _wait_for_workers(self, *, insecure: bool) -> None:
        """Wait until there are workers, and compare them with this process. Raises Refused."""
        identity = self._client.scheduler_info(n_workers=0)
        if not insecure:  # it may listen elsewhere, too
            refuse_open_network(str(identity["address"]))
        if not identity["n_workers"]:
            say(f"{self.address}: waiting for a worker to join", err=True)
        try:
            self._client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError:
            raise Refused(
                f"{self.address}: no worker has joined for {duration(self.patience)}; start some with "
                f"`dask worker {self.address} --nthreads 1`"
            ) from None
        for worker, answer in self._client.run(trouble_here, grader_here(), on_error="return").items():
            if answer and not isinstance(answer, OSError):  # from a worker that has left
                raise Refused(f"worker {worker}: {answer}; {SAME}")
        self._scheduler = identity["id"]
        self.jobs = self._client.scheduler_info(n_workers=0)["total_threads"]

    def _watch(self) -> None:
        """Count the workers periodically, until they or the scheduler are lost.

        Dask cancels waiting futures when its connection breaks. It does not notice a scheduler that hangs, workers that
        stay away, or a report that is lost on its way. It reconnects to a new scheduler, which knows no submission.
        """
        seen = time.monotonic()  # the last time with workers
        while not self._closed.wait(LOOK_SECONDS):
            try:
                ask = self._client.scheduler.identity
                identity = self._client.sync(ask, callback_timeout=self.patience, n_workers=0)
            except Exception:
                identity = {"id": None, "total_threads": 0}
            if identity["id"] != self._scheduler:
                self._lose()
            self.jobs = identity["total_threads"]
            seen = time.monotonic() if self.jobs else seen
            if time.monotonic() - seen > self.patience:
                self._lose(f"start workers again, because none was there for {duration(self.patience)}")

    def _lose(self, what: str = "the scheduler was lost") -> None:
        """Fail every waiting and every later submission with the first loss."""
        self._lost = self._lost or Broken(f"{self.address}: {what}; {KEPT}")
        self._closed.set()  # stop watching
        with contextlib.suppress(KeyError):  # none is left
            while True:
                self._waiting.pop().set_exception(self._lost)

    def _receive(self, report: Future[str], remote: Future[str]) -> None:
        """Pass on the answer of a worker, if it is still waited for. Dask calls this in its own thread."""
        if remote.cancelled():  # with the connection
            self._lose()
        try:
            self._waiting.remove(report)
        except KeyError:
            return
        error = remote.exception()
        if isinstance(error, KilledWorker):
            lost = error.allowed_failures + 1
            error = NotGraded(f"the cluster lost {lost} of its workers while grading this work")
        if error is None:
            report.set_result(remote.result())
        elif isinstance(error, (Refused, Broken, NotGraded)):
            report.set_exception(error)
        else:  # of Dask's own
            report.set_exception(Broken(f"{self.address}: {type(error).__name__}: {error}; {KEPT}"))


def refuse_open_network(address: str) -> None:
    """Raise Refused for an address without TLS that other machines can reach."""
    with contextlib.suppress(ValueError):  # the host is a name
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        host = parts.hostname or ""
        if parts.scheme in SAFE_SCHEMES or host == "localhost" or ipaddress.ip_address(host).is_loopback:
            return
    raise Refused(
        f"{address}: without TLS, anybody who can reach this scheduler can forge grades and run programs on this machine "
        "as you; use TLS (docs/cluster.md), or --insecure on a network that only you and the administrators can reach"
    )


def _client(address: str, seconds: float) -> Client:
    """Return a client of the scheduler at an address, also of one behind a Dask Gateway. Raises OSError and others."""
    if address.startswith("gateway://"):
        from dask_gateway import Gateway  # only where a JupyterHub has installed it

        return Gateway().connect(address.rpartition("/")[2]).get_client(set_as_default=False)
    return Client(address, timeout=seconds, set_as_default=False, name="grade-batch")


# --- On a Dask worker


class PackedCourse:
    """The course of one run on this worker: its own folder, and the processes that grade.

    As on one machine, `Workers` grade the submissions, so that one that hangs or dies does not cost the Dask worker.

    The object is the value of a Dask task: Dask computes it again if it is lost, and sends it to each worker. The first
    call creates folder and processes. They are removed with the object, when the driver leaves the scheduler or is killed.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed, self._lock = packed, threading.Lock()
        self._opened: tuple[Path, Workers] | None = None

    def __reduce__(self) -> tuple[type[PackedCourse], tuple[bytes]]:
        return PackedCourse, (self._packed,)

    def call(self, call: Callable[..., str], settings: SessionSettings, packed: bytes) -> str:
        """Call in a worker process. Raises as `Workers` does."""
        with self._lock:
            folder, workers = self._opened = self._opened or self._open(settings.assignment)
        report: str = workers.submit(call, replace(settings, course=str(folder)), packed).result()
        return report

    def _open(self, assignment: str) -> tuple[Path, Workers]:
        """Unpack the course into a folder that only this user can read."""
        worker = get_worker()
        folder = Path(tempfile.mkdtemp(prefix="backgrade-", dir=worker.local_directory))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        limits = unpack_course(self._packed, folder).assignment(assignment).manifest.limits
        workers = Workers(worker.state.nthreads, patience_for(limits))
        weakref.finalize(self, workers.shutdown)
        return folder, workers


def _call_on_worker(
    course: PackedCourse, wanted: tuple[str, str], call: Callable[..., str], *args: Any
) -> str:
    """Call on this worker. Raises Refused, Broken and NotGraded."""
    where = f"worker {get_worker().address}"
    if why := trouble_here(wanted):
        raise Refused(f"{where}: {why}; {SAME}; {KEPT}")
    try:
        return course.call(call, *args)
    except NotGraded:
        raise
    except Exception as error:
        kind = Refused if isinstance(error, Refused) else Broken
        what = str(error) if isinstance(error, (Refused, Broken)) else f"{type(error).__name__}: {error}"
        raise kind(f"{where}: {what}; {KEPT}") from error


def trouble_here(wanted: tuple[str, str]) -> str:
    """Return the reason why this worker must not grade for the driver; "" if it may."""
    python, code = grader_here()
    if wanted[0] != python:
        return f"this worker runs Python {python}, and the command runs Python {wanted[0]}"
    if wanted[1] != code:
        return "this worker's files of Backgrade differ from the command's"
    return ""


@functools.cache
def grader_here() -> tuple[str, str]:
    """Return the version of Python, `3.11`, and a hash of the grader's own modules and words.

    Two checkouts may have one version number.
    """
    root = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(p for suffix in ("py", "yaml") for p in root.rglob(f"*.{suffix}")):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return "{}.{}".format(*sys.version_info), digest.hexdigest()

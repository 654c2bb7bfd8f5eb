"""`grade batch --scheduler`: a class graded by the workers of a Dask cluster.

The driver, which is the command, reads the submissions and keeps the results file. A submission travels to a worker as
MessagePack and its report comes back as JSON, so that no file system is shared. The part of the course that grades
travels once to each worker, also to one that joins later (`CourseOnWorkers`).

A worker grades only with the driver's grader, Python and suite, and in a closed jail (`trouble_here`).

Dask trusts whoever can connect: what it sends is unpickled, so it can run programs here. Hence `refuse_open_network`.
"""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import threading
import time
import uuid
import warnings
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import dask.config

from grader import __version__
from grader.console import duration, say
from grader.errors import Broken, Refused
from grader.fleet.packing import pack_course
from grader.fleet.session import NotGraded
from grader.grading.suitehash import hash_of_suite
from grader.report import from_json

# Before the import of `distributed`, which sets up its loggers: what goes wrong is said here, once.
dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})
warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # a large submission

from distributed import Client, KilledWorker  # noqa: E402  see above

from grader.fleet.clusterworker import (  # noqa: E402
    KEPT,
    CourseOnWorkers,
    Wanted,
    call_on_worker,
    hash_of_code,
    python_here,
    trouble_here,
    trouble_with_course,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.assignment import Assignment

CONNECT_SECONDS = 10  # for the first answer of a scheduler
PATIENCE = 300.0  # seconds without a scheduler, or without a worker, until the driver gives up
LOOK_SECONDS = 2.0  # between two looks at the scheduler
ANSWER_SECONDS = 30  # for the answer of a busy scheduler
RETRY_SECONDS = 1.0  # between two tries to connect again
CLOSE_SECONDS = 5  # for a scheduler's answer when the driver ends
MOST_LOSSES = 10  # connections that may be lost in one run
SAFE_SCHEMES = {"tls", "wss", "gateway", "inproc"}  # encrypted and authenticated, or in this process


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

    Raises Refused where no scheduler answers, no worker joins, a worker differs, or the network is open and the caller
    does not say that this is intended. When a lost scheduler or the last
    worker stays away for `patience` seconds, each waiting future raises Broken.
    """

    def __init__(
        self,
        address: str,
        assignment: Assignment,
        *,
        allow_weak_isolation: bool = False,
        insecure: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self.address, self.patience, self._insecure = address, patience, insecure
        if not insecure:
            refuse_open_network(address)
        run, suite = uuid.uuid4().hex, hash_of_suite(assignment)
        self._wanted = Wanted(
            run, assignment.name, suite, __version__, hash_of_code(), python_here(), allow_weak_isolation
        )
        self._course = CourseOnWorkers(run, pack_course(assignment))
        self._lock = threading.RLock()
        self._tasks: set[_Task] = set()
        self._failed: Exception | None = None
        self._look, self._closing, self._losses = threading.Event(), False, 0
        self.jobs = 1  # threads of all workers
        try:
            self._open(self._connect(min(CONNECT_SECONDS, patience)))
        except (KeyError, TypeError, OSError) as error:
            raise Refused(
                f"{address}: {type(error).__name__}: {error}; is it a Dask scheduler of this version?"
            ) from error
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
        self._watcher.join(CLOSE_SECONDS)  # it may be waiting for a scheduler
        self._close()

    # The connection

    def _connect(self, seconds: float) -> Client:
        """Return a client of a scheduler with at least one worker, all of which may grade. Raises Refused."""
        try:
            with warnings.catch_warnings():  # of versions that differ: what matters is compared here
                warnings.simplefilter("ignore")
                client = _client(self.address, seconds)
            try:
                self._prepare(client)
            except BaseException:
                client.close(timeout=1)
                raise
        except Refused:
            raise
        except OSError:
            raise NoScheduler(
                f"{self.address}: no Dask scheduler answers there; start one with `dask scheduler`, "
                "and give the address that it prints"
            ) from None
        except Exception as error:
            raise Refused(f"{self.address}: {error}; docs/cluster.md has addresses that work") from error
        return client

    def _prepare(self, client: Client) -> None:
        """Compare the workers with this process, and send them the course. Raises Refused."""
        identity = client.scheduler_info(n_workers=0)
        if not self._insecure:  # it may listen elsewhere, too
            refuse_open_network(str(identity["address"]))
        if not identity["n_workers"]:
            say(f"{self.address}: waiting for a worker to join", err=True)
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
        try:
            task.future.set_result(self._report(remote.result()))
        except (Refused, Broken, NotGraded) as error:
            task.future.set_exception(error)
        except KilledWorker as error:
            lost = error.allowed_failures + 1
            why = f"the cluster lost {lost} worker{'' if lost == 1 else 's'} with it"
            task.future.set_exception(NotGraded(why))
        except Exception as error:  # of Dask's own
            task.future.set_exception(Broken(f"{self.address}: {type(error).__name__}: {error}; {KEPT}"))

    def _report(self, answer: object) -> str:
        """Return the answer of a worker if it is a report by this suite. Raises Broken."""
        try:
            assert isinstance(answer, str)
            report = from_json(answer)
            assert (report.assignment.id, report.grader.suite_sha256) == (
                self._wanted.assignment,
                self._wanted.suite,
            )
        except (AssertionError, ValueError) as error:  # msgspec's errors are ValueErrors
            raise Broken(
                f"{self.address}: a worker's answer is not a report of {self._wanted.assignment}; does somebody else "
                f"use this cluster? {KEPT}"
            ) from error
        return answer

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
                    raise Broken(f"{self.address}: no worker was left for {duration(self.patience)}")
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
            raise Broken(f"{self.address}: the scheduler was lost {MOST_LOSSES} times")
        say(
            f"{self.address}: the scheduler was lost; trying again for {duration(self.patience)} ...",
            err=True,
        )
        self._close()
        deadline = time.monotonic() + self.patience
        while not self._closing:
            try:
                self._open(self._connect(min(CONNECT_SECONDS, self.patience)))
            except NoScheduler as error:
                if time.monotonic() > deadline:
                    raise Broken(f"{self.address}: the scheduler did not come back") from error
            else:
                say(f"{self.address}: connected again, {self.jobs} at a time", err=True)
                return
            self._look.wait(RETRY_SECONDS)

    def _give_up(self, error: Exception) -> None:
        """Answer every submission that waits, and every later one, with this error."""
        if isinstance(error, Refused | Broken):
            error = type(error)(f"{error}; {KEPT}")
        else:  # a scheduler of another version, or no scheduler, answers as none does
            error = Broken(f"{self.address}: {type(error).__name__}: {error}; {KEPT}")
        with self._lock:
            self._failed, tasks = error, list(self._tasks)
            self._tasks.clear()
        for task in tasks:
            task.future.set_exception(error)


def refuse_open_network(address: str) -> None:
    """Raise Refused for an address without TLS that other machines can reach."""
    scheme, _, host = address.rpartition("://")
    if scheme in SAFE_SCHEMES or not host or _is_loopback(host):
        return
    raise Refused(
        f"{address}: without TLS, whoever reaches this scheduler can forge grades and run programs on this machine, as "
        "you, beside the results file; use TLS (docs/cluster.md), or say --insecure in a network that only you and the "
        "administrators reach"
    )


def _is_loopback(host: str) -> bool:
    """Return True for a host, with or without a port, that only this machine reaches."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _client(address: str, seconds: float) -> Client:
    """Return a client of the scheduler at an address, also of one behind a Dask Gateway. Raises OSError and others."""
    if address.startswith("gateway://"):
        from dask_gateway import Gateway  # only where a JupyterHub has installed it

        return Gateway().connect(address.rpartition("/")[2]).get_client(set_as_default=False)
    return Client(address, timeout=seconds, set_as_default=False, name="grade-batch")


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

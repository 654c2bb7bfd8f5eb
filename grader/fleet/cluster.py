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
LOGGERS = ("distributed", "distributed.client", "tornado.application")
dask.config.set({"logging": dict.fromkeys(LOGGERS, "critical")})
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
PATIENCE = 300.0  # seconds without an answer of the scheduler, or without a worker
LOOK_SECONDS = 2.0  # between two looks at the scheduler
CLOSE_SECONDS = 5  # for a scheduler's answer when the driver ends
SAFE_SCHEMES = {"tls", "wss", "gateway", "inproc"}  # encrypted and authenticated, or in this process


class Cluster(Executor):
    """An executor that grades on the workers of a Dask cluster.

    Dask makes good the loss of workers. If the scheduler is lost, or does not answer for `patience` seconds, or no
    worker is left for so long, each waiting and each later future raises Broken.

    Raises Refused where no scheduler answers, no worker joins, a worker differs, or the network is open and the caller
    does not say that this is intended.
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
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._waiting: set[Future[str]] = set()  # without a report yet
        self._lost: Exception | None = None
        self.jobs = 1  # threads of all workers
        self._client = self._connect()
        self._executor = self._client.get_executor(pure=False)
        threading.Thread(target=self._watch, name="cluster", daemon=True).start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call with these Settings and this packed Work on one of the workers."""
        report = Future[str]()
        report.set_running_or_notify_cancel()  # from now on it cannot be cancelled, only dropped
        with self._lock:
            self._waiting.add(report)
        try:
            remote = (
                None
                if self._lost
                else self._executor.submit(call_on_worker, self._wanted, call, *args, *options.values())
            )
        except Exception:  # Dask has closed the connection
            remote = None
        if remote is None:
            self._lose()
        else:
            remote.add_done_callback(functools.partial(self._receive, report))
        return report

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """Leave the cluster: its workers drop what they still grade, and remove the course."""
        self._closed.set()
        with self._lock:
            self._waiting.clear()
        seconds = min(CLOSE_SECONDS, self.patience)
        with contextlib.suppress(Exception):  # of a scheduler that does not answer
            self._ask(self._client.scheduler.unregister_worker_plugin, seconds, name=self._course.name)
        with contextlib.suppress(Exception):
            self._client.close(timeout=seconds)

    # The connection

    def _connect(self) -> Client:
        """Return a client of a scheduler with at least one worker, all of which may grade. Raises Refused."""
        try:
            with warnings.catch_warnings():  # of versions that differ: what matters is compared here
                warnings.simplefilter("ignore")
                client = _client(self.address, min(CONNECT_SECONDS, self.patience))
            try:
                self._prepare(client)
            except BaseException:
                client.close(timeout=1)
                raise
        except Refused:
            raise
        except OSError:
            raise Refused(
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
        try:
            _refuse(client.run(trouble_with_course, self._wanted, on_error="return"))
        except Refused:  # workers that join later must not be sent the course
            client.unregister_worker_plugin(self._course.name)
            raise
        identity = client.scheduler_info(n_workers=0)
        self._scheduler, self.jobs = identity["id"], max(1, identity["total_threads"])

    def _watch(self) -> None:
        """Count the workers again and again, until they or the scheduler are lost.

        Dask cancels what waits when its connection breaks, but says nothing of a scheduler that hangs, of workers that
        stay away, and of a report that is on its way then. It connects to another scheduler, which knows nothing.
        """
        seen = time.monotonic()  # when there were workers
        while not self._closed.wait(LOOK_SECONDS):
            try:
                identity = self._ask(self._client.scheduler.identity, self.patience, n_workers=0)
                self.jobs, is_same = int(identity["total_threads"]), identity["id"] == self._scheduler
            except Exception:
                is_same = False
            if not is_same:
                self._lose()
                return
            if self.jobs:
                seen = time.monotonic()
            elif time.monotonic() - seen > self.patience:
                self._lose(f"no worker was left for {duration(self.patience)}")
                return

    def _ask(self, question: Callable[..., Any], seconds: float, **options: Any) -> Any:
        """Ask the scheduler. Raises OSError, TimeoutError and others."""
        return self._client.sync(question, callback_timeout=seconds, **options)

    def _lose(self, what: str = "the scheduler was lost") -> None:
        """Answer every submission that waits, and every later one, with the first loss."""
        with self._lock:
            self._lost = self._lost or Broken(f"{self.address}: {what}; {KEPT}")
            waiting, self._waiting = self._waiting, set()
        for report in waiting:
            report.set_exception(self._lost)

    def _receive(self, report: Future[str], remote: Future[str]) -> None:
        """Pass on the answer of a worker, if somebody still waits for it. Dask calls this in its own thread."""
        if remote.cancelled():  # with the connection
            self._lose()
            return
        with self._lock:
            if report not in self._waiting:
                return
            self._waiting.remove(report)
        try:
            report.set_result(self._report(remote.result()))
        except (Refused, Broken, NotGraded) as error:
            report.set_exception(error)
        except KilledWorker as error:
            lost = error.allowed_failures + 1
            why = f"the cluster lost {lost} worker{'' if lost == 1 else 's'} with it"
            report.set_exception(NotGraded(why))
        except Exception as error:  # of Dask's own
            report.set_exception(Broken(f"{self.address}: {type(error).__name__}: {error}; {KEPT}"))

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

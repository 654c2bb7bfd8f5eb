"""`grade batch --scheduler`: a Dask cluster grades, the driver keeps the results."""

from __future__ import annotations

import inspect
import io
import json
import signal
import stat
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, wait
from itertools import cycle, islice
from pathlib import Path

import msgspec
import pytest
from dask_cluster import DaskCluster
from helpers import GRADE, PATIENCE, grade, notebook
from minicourse import build, change, put
from students import EMPTY, FORGETS, GOOD, SQUARES

from grader.assignment import Assignment, Course
from grader.console import FULL
from grader.errors import Broken, Refused
from grader.fleet.cluster import KEPT, Cluster, grader_here, refuse_open_network, trouble_here
from grader.fleet.packing import pack_course
from grader.fleet.session import SessionSettings, grade_packed
from grader.gradebook.store import Store
from grader.grading.suitehash import hash_of_suite
from grader.grading.workers import NotGraded
from grader.submissions.work import Work

CLASS = 24
PLAIN = ""  # a worker without any preload
LOOPS = GOOD.replace("return x + x", "while True: pass")
QUICK = "limits: {load_seconds: 1, check_seconds: 0.5}\nsubmission:"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in a folder `course`."""
    root = tmp_path_factory.mktemp("world")
    build(root / "course")
    change(root, "course/assignments/mini/assignment.yaml", "submission:", QUICK)
    return root


@pytest.fixture(scope="module")
def world(root: Path) -> Path:
    """The same with the work of a class beside it, and what this machine alone makes of it in `serial.db`."""
    sources = islice(cycle([GOOD, SQUARES, FORGETS, EMPTY, "def double(x:\n"]), CLASS - 1)
    for number, source in enumerate([LOOPS, *sources]):
        put(root, f"students/s{number:02}/mini.ipynb", notebook(f"{source}\n# {number}"))
    graded = grade("batch", "mini", "../students", "--jobs", "1", "-r", "../serial.db", cwd=root / "course")
    assert graded.code == FULL, graded.text
    return root


def start(world: Path, cluster: DaskCluster, results: Path) -> subprocess.Popen[str]:
    """The command that grades the class on the cluster."""
    words = ["batch", "mini", "../students", "--scheduler", cluster.address, "--results", str(results)]
    return subprocess.Popen(
        [str(GRADE), *words],
        cwd=world / "course",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def until_kept(count: int, results: Path, process: subprocess.Popen[str]) -> None:
    """Wait until so many results are kept, and more are to come."""
    while len(rows(results)) < count:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.01)
    assert len(rows(results)) < CLASS


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a command; its exit code and what it printed."""
    text, _ = process.communicate(timeout=PATIENCE * 4)
    return process.returncode, text


def rows(results: Path) -> list[tuple[str, str, str]]:
    """Student, key and report of every grading that was ever kept, without times."""
    if not results.is_file() or not results.stat().st_size:
        return []
    with Store(results) as store:
        found = store._database.execute(
            "SELECT student, key, report FROM results ORDER BY student"
        ).fetchall()
    return [(student, key, without_times(report)) for student, key, report in found]


def without_times(report: str) -> str:
    """A report as JSON without what differs from run to run."""
    found = json.loads(report)
    for part in [found, *found["checks"]]:
        part.pop("started", None)
        part.pop("seconds", None)
    return json.dumps(found, indent=1, sort_keys=True)


def settings(mini: Assignment) -> SessionSettings:
    """The settings of a session; the cluster fills in the folder of the course."""
    return SessionSettings("", "mini", hash_of_suite(mini))


def packed(source: str) -> bytes:
    """A student's work as it travels."""
    return msgspec.msgpack.encode(Work("mini.py", data=source.encode()))


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until this is so; fail if it never is."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, inspect.getsource(condition)
        time.sleep(0.01)


# --- On a real cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A scheduler and two workers, each under a nanny."""
    with DaskCluster(tmp_path, PLAIN, PLAIN, nannies=True) as cluster:
        yield cluster


@pytest.mark.ci
def test_a_worker_is_killed(world: Path, cluster: DaskCluster, tmp_path: Path):
    """The other one grades its submissions: each once, with the reports that this machine makes alone."""
    results = tmp_path / "results.db"
    with start(world, cluster, results) as process:
        until_kept(4, results, process)

        cluster.kill_worker()

        code, text = end(process)
    assert code == FULL, text
    assert rows(results) == rows(world / "serial.db")
    eventually(lambda: cluster.folders() == [])  # the course goes from the worker that lives


@pytest.mark.whole
def test_the_scheduler_is_restarted(world: Path, tmp_path: Path, snapshot):
    """The command ends with one sentence and keeps what it has; the same command grades the rest, each once."""
    results = tmp_path / "results.db"
    with DaskCluster(tmp_path, PLAIN) as cluster:
        with start(world, cluster, results) as process:
            until_kept(4, results, process)

            cluster.end_scheduler()
            cluster.start(PLAIN)

            code, text = end(process)
        kept = rows(results)
        assert code == 3
        assert text == snapshot
        assert 4 <= len(kept) < CLASS

        code, text = end(start(world, cluster, results))

    assert code == FULL, text
    assert f"{CLASS} students: {CLASS - len(kept)} graded" in text
    assert rows(results) == rows(world / "serial.db")


@pytest.mark.whole
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP])
def test_the_scheduler_is_lost(world: Path, tmp_path: Path, number: int, snapshot):
    """It is ended, killed, or hangs: every submission that waits, and every later one, is answered with one line."""
    mini = Course(world / "course").assignment("mini")
    with DaskCluster(tmp_path, PLAIN) as dask, Cluster(dask.address, mini, patience=1) as cluster:
        assert cluster.submit(grade_packed, settings(mini), packed(GOOD)).result(PATIENCE)
        waiting = [cluster.submit(grade_packed, settings(mini), packed(LOOPS)) for _ in range(20)]

        assert dask.scheduler is not None
        dask.scheduler.send_signal(number)

        causes = [one.exception(PATIENCE) for one in waiting]
        causes.append(cluster.submit(grade_packed, settings(mini), packed(GOOD)).exception(PATIENCE))
    (cause,) = {(type(cause), str(cause)) for cause in causes if cause is not None}
    assert cause == snapshot
    assert causes[-1] is not None


@pytest.mark.whole
def test_no_worker_is_left(world: Path, tmp_path: Path, snapshot):
    """The last one vanishes, and no other joins: the same, with the time that it waited."""
    mini = Course(world / "course").assignment("mini")
    with DaskCluster(tmp_path, PLAIN) as dask, Cluster(dask.address, mini, patience=1) as cluster:
        waiting = cluster.submit(grade_packed, settings(mini), packed(LOOPS))

        dask.kill_worker()

        cause = waiting.exception(PATIENCE)
    assert isinstance(cause, Broken)
    assert str(cause) == snapshot


@pytest.mark.whole
def test_a_submission_that_ends_its_workers(world: Path, tmp_path: Path, snapshot):
    """When Dask gives up on it, it is not graded, with the reason; nothing else is said about it."""
    mini = Course(world / "course").assignment("mini")
    loops = [packed(f"{LOOPS}\n# {number}") for number in range(20)]
    with (
        DaskCluster(tmp_path, PLAIN, allowed_failures=0) as dask,
        Cluster(dask.address, mini) as cluster,
    ):
        futures = [cluster.submit(grade_packed, settings(mini), one) for one in loops]
        eventually(lambda: any(cluster._client.processing().values()))

        dask.kill_worker()

        done, _ = wait(futures, PATIENCE, FIRST_EXCEPTION)
    (why, *_) = [error for future in done if (error := future.exception()) is not None]
    assert isinstance(why, NotGraded)
    assert str(why) == snapshot


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler, and a worker that is as it should be."""
    with DaskCluster(tmp_path_factory.mktemp("lasting"), PLAIN) as cluster:
        yield cluster


WEAK = (
    "from grader.sandbox.jail import Launcher; Launcher.in_force = property(lambda self: {}); "
    "Launcher.missing = property(lambda self: dict.fromkeys(('landlock', 'seccomp', 'rlimits'), 'old kernel'))"
)
PRELOADS = {
    "full": (
        "from grader.fleet.cluster import PackedCourse\n"
        "def _open(*_): raise OSError(28, 'No space left on device')\n"
        "PackedCourse._open = _open",
        "OSError: [Errno 28] No space left on device",
    ),
    "without": (
        "import sys; sys.modules['grader'] = None",
        "No module named 'grader",
    ),
    "older": (
        "from grader.fleet import cluster\n"
        "cluster.grader_here = lambda: ('{}.{}'.format(*cluster.sys.version_info), 'another hash')",
        "this worker's files of Backgrade differ from the command's",
    ),
    "weak": (
        f"from grader.grading import workers; workers.START = workers.START.replace('serve(', {f'{WEAK}; serve('!r})",
        "the jail is not complete here (",
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[] if k == "weak" else pytest.mark.whole) for k in PRELOADS]
)
def test_a_worker_that_differs(world: Path, lasting: DaskCluster, tmp_path: Path, kind: str):
    """One sentence says which worker, what differs and what helps; it grades nothing."""
    preload, says = PRELOADS[kind]
    code = put(tmp_path, "preload.py", preload)
    results = tmp_path / "results.db"
    with lasting.one_more(str(code)):
        ended, text = end(start(world, lasting, results))

    assert ended == (3 if kind == "full" else 2)
    assert text.startswith("grade: worker tcp://127.0.0.1:")
    assert says in text
    assert text.count("\n") == 1
    assert kind == "full" or "install this command's commit" in text or "`grade doctor`" in text
    assert KEPT in text if kind in {"weak", "full"} else rows(results) == []  # seen when it is to grade
    eventually(lambda: lasting.folders() == [])  # the course goes from the worker that is as it should be


@pytest.mark.whole
def test_a_worker_joins_later(world: Path, tmp_path: Path):
    """It gets the course, too, in a folder that only its user can read."""
    results = tmp_path / "results.db"
    with DaskCluster(tmp_path, PLAIN) as cluster, start(world, cluster, results) as process:
        until_kept(2, results, process)

        cluster.kill_worker()
        cluster.add_worker(PLAIN)

        until_kept(len(rows(results)) + 6, results, process)  # more than the first worker had got
        (folder,) = cluster.folders()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        code, text = end(process)
    assert code == FULL, text
    assert rows(results) == rows(world / "serial.db")


@pytest.mark.whole
def test_a_worker_that_differs_joins_later(world: Path, tmp_path: Path, snapshot):
    """The run ends, says why, and keeps what it has."""
    results = tmp_path / "results.db"
    code = put(tmp_path, "preload.py", PRELOADS["older"][0])
    with DaskCluster(tmp_path, PLAIN) as cluster, start(world, cluster, results) as process:
        until_kept(2, results, process)

        cluster.kill_worker()
        cluster.add_worker(str(code))

        ended, text = end(process)
    assert ended == 2
    assert text == snapshot
    assert KEPT in text
    assert 2 <= len(rows(results)) < CLASS


# --- Without a cluster


@pytest.fixture
def mini(root: Path):
    """The assignment."""
    return Course(root / "course").assignment("mini")


@pytest.mark.ci
def test_no_scheduler_at_the_address(mini):
    """One line has the address and the remedy."""
    with pytest.raises(
        Refused, match=r"^tcp://127\.0\.0\.1:9: no Dask scheduler answers there; start one"
    ) as told:
        Cluster("tcp://127.0.0.1:9", mini, patience=0.2)

    assert "\n" not in str(told.value)


@pytest.mark.ci
def test_no_address(mini):
    """What Dask says about it is passed on in one line."""
    with pytest.raises(Refused, match=r"^mars://base: unknown address scheme 'mars'") as told:
        Cluster("mars://base", mini, insecure=True, patience=0.2)

    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.1:8786",
        "10.0.0.1:8786",
        "tcp://0.0.0.0:8786",
        "tcp://localhost.example.edu:8786",
        "ws://[fe80::1]:8786",
    ],
)
def test_an_open_network_is_refused(mini, address: str):
    """Without TLS, off this machine: whoever reaches the scheduler could forge grades. One option allows it."""
    with pytest.raises(Refused, match=r"can forge grades and run programs .* --insecure") as told:
        Cluster(address, mini, patience=0.2)

    assert str(told.value).startswith(f"{address}: without TLS")
    assert "docs/cluster.md" in str(told.value)


@pytest.mark.parametrize(
    "address",
    [
        "tls://10.0.0.1:8786",
        "gateway://hub.example.edu:8000/a",
        "tcp://127.0.0.1:8786",
        "tcp://[::1]:8786",
        "localhost:8786",
    ],
)
def test_a_closed_network_is_used(address: str):
    """TLS, a gateway, and this machine alone."""
    refuse_open_network(address)


@pytest.mark.ci
def test_a_scheduler_that_listens_elsewhere_too(world: Path, tmp_path: Path):
    """It is asked for its own address, which may be another one than was typed: here all addresses of this machine."""
    with DaskCluster(tmp_path, host="0.0.0.0") as cluster:
        ended, text = end(start(world, cluster, tmp_path / "results.db"))

    assert ended == 2
    assert "without TLS, anybody who can reach this scheduler can forge grades" in text
    assert "--insecure" in text
    assert text.count("\n") == 1


def test_the_course_travels_without_its_solutions(mini, tmp_path: Path):
    """What grades it arrives, so that its hash is the same; no reference, mistake or answer does."""
    with zipfile.ZipFile(io.BytesIO(pack_course(mini))) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)

    there = Course(tmp_path).assignment("mini")
    assert hash_of_suite(mini) == hash_of_suite(there)
    assert {name for name in names if name.startswith("solutions")} == {
        "solutions/mini/mini.py",
        "solutions/mini/salt.txt",
        "solutions/mini/checks/replay.json",
        "solutions/mini/checks/test_box.py",
        "solutions/mini/checks/test_double.py",
    }
    assert there.reference.read_bytes() == b""


@pytest.mark.parametrize(
    ("python", "code", "says"),
    [
        ("", "", ""),
        ("3.99", "", "this worker runs Python 3."),
        ("", "0" * 64, "this worker's files of Backgrade differ from the command's"),
    ],
)
def test_a_worker_compares_itself(python: str, code: str, says: str):
    """The sentence says what differs and what helps; it is empty where nothing differs."""
    own = grader_here()

    told = trouble_here((python or own[0], code or own[1]))

    assert told.startswith(says)
    assert bool(told) == bool(says)


@pytest.mark.ci
def test_a_driver_that_is_killed_leaves_no_course(world: Path, cluster: DaskCluster, tmp_path: Path):
    """Scheduler and workers live on; the processes that grade and the folders with the course go."""
    results = tmp_path / "results.db"
    with start(world, cluster, results) as process:
        until_kept(4, results, process)
        assert cluster.folders()

        process.kill()

    eventually(lambda: cluster.folders() == [])
    code, text = end(start(world, cluster, results))
    assert code == FULL, text
    assert rows(results) == rows(world / "serial.db")

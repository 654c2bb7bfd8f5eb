"""Worker processes: one that dies or hangs costs nobody else anything, and none is left behind."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time

import psutil
import pytest
from helpers import GRADE, grade
from losing import (
    LONG,
    MARKER,
    Instead,
    dies,
    dies_once,
    fails,
    loses_jails_once,
    loses_launcher,
    loses_launcher_once,
    sleeps,
    tries,
    waits,
)
from minicourse import change, put
from students import EMPTY, FORGETS, GOOD, SQUARES, found, graded, results_in, scores

from grader.errors import Broken, Refused
from grader.fleet.batch import grade_class
from grader.gradebook.store import Store
from grader.grading import workers
from grader.grading.workers import NotGraded, Workers, usable_cores
from grader.manifest import Limits
from grader.report import Outcome, from_json, to_json

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs the signals of POSIX")

CLASS = {"ada": GOOD, "bob": SQUARES, "eve": FORGETS, "kim": EMPTY}
SCORES = {"ada": 100, "bob": 0, "eve": 60, "kim": 0}


def run(assignment, works, store, executor):
    """Grade a class over these workers; return the students in the order in which they were done."""
    with executor:
        return [one.student for one in grade_class(assignment, found(works), store, executor)]


def kept(store):
    """Every report that counts, without its times."""
    reports = {}
    for result in results_in(store, "mini"):
        report = from_json(to_json(result.report))
        report.started, report.seconds = "", 0.0
        for check in report.checks:
            check.seconds = 0.0
        reports[result.student] = report
    return reports


@pytest.mark.ci
def test_two_workers_give_the_reports_of_one_process(mini, store, tmp_path):
    """Report for report, but for the times."""
    run(mini, CLASS, store, Workers(2, LONG))
    with Store(tmp_path / "serial.db", create=True) as serial:
        graded(mini, CLASS, serial)
        assert kept(store) == kept(serial)


@pytest.mark.ci
def test_workers_start_when_they_are_needed_and_end_with_the_block(mini, store):
    """Nothing to grade starts none."""
    graded(mini, CLASS, store)
    executor = Workers(2, LONG)
    run(mini, CLASS, store, executor)
    assert [worker for worker in executor._workers if worker.began] == []
    executor = Workers(2, LONG)
    run(mini, CLASS | {"zoe": GOOD + "\n"}, store, executor)
    (worker,) = [worker for worker in executor._workers if worker.began]
    assert worker._process.returncode is not None


@pytest.mark.whole
def test_workers_that_are_killed_are_replaced(mini, store):
    """All of them, between two submissions: the class is graded to its end."""
    with Workers(2, LONG) as executor:
        running = grade_class(mini, found(CLASS), store, executor)
        next(running)
        for worker in executor._workers:
            worker.kill()
        list(running)
    assert scores(store) == SCORES


def test_a_worker_that_dies_amid_a_submission_is_replaced(mini, store):
    """The submission is tried again, and has its points."""
    run(mini, CLASS | {"dan": MARKER + GOOD}, store, Instead(dies_once))
    assert scores(store) == SCORES | {"dan": 100}
    assert tries(mini.course.root) == 1


@pytest.mark.ci
def test_a_submission_that_costs_four_workers_is_ungradable(mini, store, snapshot):
    """With the reason; the others have their points, and the next run tries it again."""
    works = {"dan": MARKER + GOOD} | CLASS
    run(mini, works, store, Instead(dies))
    assert scores(store) == SCORES | {"dan": None}
    assert tries(mini.course.root) == 4
    report = kept(store)["dan"]
    assert report.checks[0].message == snapshot
    assert {check.outcome for check in report.checks} == {Outcome.UNGRADABLE}
    assert report.submission.sha256
    run(mini, works, store, Workers(2, LONG))
    assert scores(store)["dan"] == 100


@pytest.mark.ci
def test_a_submission_that_hangs_is_ungradable(mini, store, snapshot):
    """Its worker ends when the limits are over; it is tried twice, because that costs the most."""
    run(mini, {"dan": MARKER + GOOD} | CLASS, store, Instead(sleeps))
    assert scores(store) == SCORES | {"dan": None}
    assert tries(mini.course.root) == 2
    assert kept(store)["dan"].checks[0].message == snapshot


@pytest.mark.parametrize("hang", ["sleep", "loop"])
def test_a_call_ends_by_its_limit(hang):
    """Also one that never lets Python look at the clock; a call after it has the whole limit."""
    with Workers(1, 0.3) as executor:
        with pytest.raises(
            NotGraded,
            match=r"ended 2 times while grading this work; the last time, it took longer than the limits allow",
        ):
            executor.submit(hangs, hang).result(LONG)
        assert executor.submit(core_of_worker, 0).result(LONG)


def hangs(how):
    """Never end."""
    if how == "sleep":
        time.sleep(2 * LONG)
    re.match("(a+)+$", "a" * 60 + "b")  # holds the lock of the interpreter


@pytest.mark.ci
def test_a_launcher_that_is_lost_is_replaced(mini, store):
    """Something else may kill it, for example for want of memory: the submission is tried again."""
    run(mini, CLASS | {"dan": MARKER + GOOD}, store, Instead(loses_launcher_once))
    assert scores(store) == SCORES | {"dan": 100}


@pytest.mark.ci
def test_a_jail_that_is_killed_costs_no_points(mini, store):
    """The system kills processes where memory is short: the submission is graded once more."""
    run(mini, CLASS | {"dan": MARKER + GOOD}, store, Instead(loses_jails_once))
    assert scores(store) == SCORES | {"dan": 100}


def test_a_submission_that_kills_its_jail_is_graded_twice(mini, store):
    """Then the result stands."""
    killed = GOOD.replace("return x + x", "import os; os.kill(os.getpid(), 9)")
    assert killed != GOOD
    run(mini, {"dan": killed} | CLASS, store, Workers(1, LONG))
    assert scores(store) == SCORES | {"dan": 0}


@pytest.mark.whole
def test_a_submission_that_costs_four_launchers_is_ungradable(mini, store, snapshot):
    """It alone; the class goes on."""
    run(mini, {"dan": MARKER + GOOD} | CLASS, store, Instead(loses_launcher))
    assert scores(store) == SCORES | {"dan": None}
    assert kept(store)["dan"].checks[0].message == snapshot


@pytest.mark.ci
def test_a_bug_of_the_grader_costs_one_submission(mini, store, snapshot):
    """It is ungradable, and the reason is in its report."""
    run(mini, {"dan": MARKER + GOOD} | CLASS, store, Instead(fails))
    assert scores(store) == SCORES | {"dan": None}
    assert kept(store)["dan"].checks[0].message == snapshot


@pytest.mark.whole
def test_one_that_takes_long_does_not_hold_up_the_others(mini, store):
    """Everybody else is done before it."""
    works = {"dan": MARKER + GOOD} | {f"s{number}": GOOD for number in range(8)}
    with Instead(waits) as executor:
        done = []
        for one in grade_class(mini, found(works), store, executor):
            done.append(one.student)
            if len(done) == 8:
                put(mini.course.root, "go_on", "")
    assert done[-1] == "dan"
    assert scores(store) == dict.fromkeys(works, 100)


@pytest.mark.ci
def test_memory_is_bounded_by_the_workers(mini, store):
    """No work is read before there is a place for it."""
    read = []

    def noted(one):
        def reading():
            read.append(one.student)
            return one.read()

        return type(one)(one.student, reading)

    works = [noted(one) for one in found({f"s{number}": GOOD for number in range(9)})]
    with Workers(1, LONG) as executor:
        for number, _ in enumerate(grade_class(mini, works, store, executor), start=1):
            assert len(read) <= number + 2
    assert len(read) == 9


@pytest.mark.ci
def test_the_errors_of_a_worker_arrive_as_they_are():
    """Those that stop a class, by their kind."""
    for error in (Refused, Broken, NotGraded):
        with Workers(1, LONG) as executor, pytest.raises(error, match=r"^for a test$"):
            executor.submit(raise_it, error.__name__).result()


def raise_it(name):
    raise {"Refused": Refused, "Broken": Broken, "NotGraded": NotGraded}[name]("for a test")


def test_workers_that_cannot_begin_stop_the_class(mini, store, monkeypatch):
    """That is a fault of the machine: no submission is to blame."""
    monkeypatch.setattr(workers, "START", "raise SystemExit(7)")
    with pytest.raises(
        Broken,
        match=r"^4 worker processes ended before they could begin: it ended with the exit code 7; inspect",
    ):
        run(mini, CLASS, store, Workers(1, LONG))
    assert scores(store) == {}


@pytest.mark.ci
def test_workers_that_hang_at_their_start_stop_the_class(mini, store, monkeypatch):
    """A disk that does not answer, for example."""
    hangs = workers.START.replace("alarm", "setitimer").replace(
        "(120)", "(0, 0.1); import time; time.sleep(999)"
    )
    monkeypatch.setattr(workers, "START", hangs)
    with pytest.raises(Broken, match=r"^2 worker processes ended before they could begin: it took longer"):
        run(mini, CLASS, store, Workers(1, LONG))


@pytest.mark.ci
def test_a_worker_has_a_core_of_its_own(tmp_path, monkeypatch):
    """Also beside those of another command, and after it was killed; where all are taken, it shares one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    cores = [str([core]) for core in usable_cores()]
    with Workers(1, LONG) as one, Workers(2 * len(cores) - 1, LONG) as others:
        own = one.submit(core_of_worker, 0).result()
        theirs = list(others.map(own_core_of_worker, range(others.jobs)))
        one._workers[0].kill()
        again = one.submit(core_of_worker, 0).result()
    assert own == again == cores[0]
    assert sorted([own, *theirs]) == sorted(2 * cores)


@pytest.mark.skipif(getattr(os, "getuid", int)() != 0, reason="needs the right to give a folder away")
def test_a_folder_of_somebody_elses_holds_no_core(tmp_path, monkeypatch):
    """Nothing is written where it leads."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    link = tmp_path / f"backgrade-cores-{os.getuid()}"
    link.symlink_to(theirs)
    os.chown(link, 12345, 12345, follow_symlinks=False)

    assert workers._own_core(usable_cores()) is None
    assert list(theirs.iterdir()) == []


def own_core_of_worker(_):
    time.sleep(0.5)  # so that the next call needs another worker
    return core_of_worker(_)


def core_of_worker(_):
    return str(usable_cores())


@pytest.mark.ci
def test_ctrl_c_does_not_reach_a_worker():
    """Not even one that is starting: a terminal sends it to the driver's group of processes."""
    with Workers(1, LONG) as executor:
        assert executor.submit(group_of_worker).result() != str(os.getpgid(0))


def group_of_worker():
    return str(os.getpgid(0))


# --- The command


def processes(driver):
    """Every process of a command, with launchers and jails."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return [driver, *driver.children(recursive=True)]
    return []


def is_alive(process):
    """Return True for a process that is there; not if it has ended and nobody has asked how."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def wait_until(true):
    """Wait for what must come; fail if it does not."""
    until = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < until, "what the test waits for has not come"
        time.sleep(0.02)


@pytest.fixture
def looping(mini, tmp_path):
    """A `grade batch` of two, of whom one loops for an hour and the other is graded; its process and its processes."""
    limits = "limits: {check_seconds: 3600, total_seconds: 3600}"
    change(mini.course.root, "assignments/mini/assignment.yaml", "submission:", f"{limits}\nsubmission:")
    put(tmp_path, "works/ada.py", GOOD)
    put(tmp_path, "works/bob.py", GOOD.replace("return x + x", "while True: pass"))
    command = [GRADE, "batch", "mini", "../works", "--jobs", "2"]
    driver = subprocess.Popen(
        command, cwd=mini.course.root, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    results = mini.course.root / "results.db"

    def loops():
        """Ada has her result, and Bob's jail is there: the child of a launcher, of a worker."""
        if not results.exists() or len(processes(psutil.Process(driver.pid))) < 6:
            return False
        with Store(results) as store:
            return scores(store) == {"ada": 100}

    wait_until(loops)
    everything = processes(psutil.Process(driver.pid))
    yield driver, everything
    for process in everything:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    driver.wait()
    driver.stderr.close()


@pytest.mark.ci
def test_ctrl_c_keeps_what_is_done(mini, looping, snapshot):
    """It goes to all processes of the terminal, as a shell sends it: one line, and nothing is left."""
    driver, everything = looping
    os.killpg(driver.pid, signal.SIGINT)
    assert driver.wait(LONG) == 130
    *notes, last = driver.stderr.read().splitlines()
    assert all("replay.json is missing" in note for note in notes)
    assert last == snapshot
    wait_until(lambda: not any(map(is_alive, everything)))
    with Store(mini.course.root / "results.db") as store:
        assert scores(store) == {"ada": 100}


@pytest.mark.ci
def test_a_driver_that_is_killed_leaves_nothing_behind(mini, looping):
    """No worker, no launcher, no jail; and the next run goes on."""
    driver, everything = looping
    driver.kill()
    wait_until(lambda: not any(map(is_alive, everything)))
    put(mini.course.root, "../works/bob.py", SQUARES)
    ran = grade("batch", "mini", "../works", cwd=mini.course.root)
    assert "2 students: 1 graded" in ran.out
    assert ", 1 as before." in ran.out


def test_a_submission_may_use_all_of_its_limits() -> None:
    """The total, and the same again for later loads, before it counts as hung."""
    limits = Limits(load_seconds=10, total_seconds=500)

    assert workers.patience_for(limits) > 10 + 2 * 500

"""Fixtures that several files of tests use."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import browser, opened, window, windows  # noqa: F401  fixtures
from helpers import SNAPSHOTS, USED_SNAPSHOTS, copy_course
from told import snapshot  # noqa: F401  a fixture

from grader.sandbox.budget import LOG_NAME

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from oneclass import GradedClass

# Under nohup and in the background of a script these are ignored, also by the commands that the tests start
# and then send one to.
for name, handler in {"SIGHUP": signal.SIG_DFL, "SIGINT": signal.default_int_handler}.items():
    if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(number, handler)


# With PYTHONDONTWRITEBYTECODE each grading would compile every check again, which is two fifths of its time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Who overrides a grade is told alike everywhere. These settings come before those of the user and of a repository.
os.environ |= {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Mary Keller"}
os.environ |= {"GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "mary@example.org"}

collect_ignore = ["releases"]  # what earlier versions wrote: courses, not tests
PATIENCE = 300  # seconds until `.ci/run` must have fetched what it fetches
MEMORY = 4 << 30  # bytes that must be free for the folders of tests

# These take longest, so they begin first, and no worker is left alone with one at the end.
LONGEST = [
    "test_course_sound.py", "test_fair_points.py", "test_page.py", "test_cluster.py", "test_9_neighbours.py", "test_firefox.py",
    "test_release_whole.py", "test_whole_class.py", "test_words_last.py", "test_6_limits.py",
]  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Give each worker a core of its own, and let tests see what explanations leave out."""
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    if worker and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
    if config.option.markexpr == "whole":
        config.option.markexpr = ""  # all tests, and each sample is all that it is taken from
        os.environ["BACKGRADE_WHOLE"] = "1"
    if config.getoption("--snapshot-update"):
        os.environ["UPDATE_SNAPSHOTS"] = "1"
    if not worker:  # no test sees or fills the cache of the user; the workers share this one
        os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="backgrade-cache-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True))
        wait_for_ci()
        use_memory()
    log = logging.getLogger(LOG_NAME)
    log.setLevel(logging.DEBUG)
    log.addHandler(_Strict())
    config.pluginmanager.register(_UnusedSnapshots())


def wait_for_ci() -> None:
    """Tell `.ci/run` that pip has ended, and wait until it has fetched browsers and packages."""
    if name := os.environ.get("BACKGRADE_READY"):
        ready, deadline = Path(name), time.monotonic() + PATIENCE
        ready.with_name("begun").touch()
        while not (ready.is_file() and ready.read_text()) and time.monotonic() < deadline:
            time.sleep(0.1)
        if not ready.is_file() or ready.read_text() != "yes\n":
            said = ready.with_name("fetched").read_text()
            raise pytest.UsageError(f".ci/run could not fetch what the tests need:\n{said}")


def use_memory() -> None:
    """Put the folders of tests into memory where that is possible: results files wait for the disk at each commit."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        system = os.statvfs(memory)
        if system.f_bavail * system.f_frsize > MEMORY and not system.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


class _UnusedSnapshots:
    """Fail a run of the whole suite if no test used a file in tests/snapshots."""

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what the tests of a worker used."""
        USED_SNAPSHOTS.update(getattr(node, "workeroutput", {}).get("snapshots", ()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was used to the main process, which compares."""
        config = session.config
        if hasattr(config, "workeroutput"):
            config.workeroutput["snapshots"] = sorted(USED_SNAPSHOTS)
            return
        unused = {path.name for path in SNAPSHOTS.iterdir()} - USED_SNAPSHOTS
        if unused and session.exitstatus == pytest.ExitCode.OK and _is_whole(config):
            names = ", ".join(sorted(unused))
            config.get_terminal_writer().line(
                f"\nno test uses tests/snapshots/: {names}; remove them", red=True
            )
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _is_whole(config: pytest.Config) -> bool:
    chosen = (
        config.option.file_or_dir or config.option.keyword or config.option.collectonly or config.option.lf
    )
    return not chosen and config.option.markexpr in {"", "not whole"}


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Have every second worker collect from the end: what one has compiled the other need not, from the middle on."""
    report = yield
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if number % 2 and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Put the longest first, in the same order in every worker.

    pytest groups the tests of a fixture by the order in which it met them, so every worker begins with the same.
    """
    items.sort(key=lambda item: item.path)
    yield
    items.sort(key=lambda item: (item.path.name not in LONGEST, item.path))


def pytest_collection_finish() -> None:
    """Let the garbage collector look at new objects only, and less often: it took an eighth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture(scope="session")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    """The class of all tests that read grades; see tests/support/oneclass.py."""
    from oneclass import GradedClass  # it imports most of the program, which few tests need

    return GradedClass(tmp_path_factory.mktemp("class"))


@pytest.fixture(scope="session")
def kept_course() -> list[Path]:
    """The copy of the course that the last test left unchanged, if any."""
    return []


@pytest.fixture
def course(kept_course: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the course folder that a test may write into: assignments and solutions.

    The next test gets the same one if only files beside those two were made in it: Python has
    compiled its checks by then.
    """
    root = kept_course.pop() if kept_course else copy_course(tmp_path_factory.mktemp("kept") / "course")
    before = _state(root)
    yield root
    for path in set(root.iterdir()) - {root / "assignments", root / "solutions"}:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    if _state(root) == before:
        kept_course.append(root)


def _state(root: Path) -> dict[Path, tuple[int, int, int]]:
    """Mode, size and time of every file, without Python's caches."""
    found = ((path, path.lstat()) for path in root.rglob("*") if "__pycache__" not in path.parts)
    return {path: (of.st_mode, of.st_size, 0 if path.is_dir() else of.st_mtime_ns) for path, of in found}


class _Strict(logging.Handler):
    """Raise the exception of an explainer, so that a test fails; users only lose the explanation."""

    def emit(self, record: logging.LogRecord) -> None:
        """Raise it."""
        assert record.exc_info is not None
        assert record.exc_info[1] is not None
        raise record.exc_info[1]

"""Calls for workers that end or hang amid a submission which has a marker in its source.

`Instead` is the executor that makes one of these calls where `grade_class` asks for `grade_packed`.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from grader.fleet import session
from grader.fleet.session import SessionSettings, grade_packed
from grader.grading.grader import Grader
from grader.grading.workers import Workers
from grader.report import Report
from grader.sandbox import Launcher, Process
from grader.submissions.work import Work

MARKER = "# trouble\n"
LONG = 120.0  # seconds that a test waits for what must come; more than any machine needs


def dies(settings: SessionSettings, packed: bytes) -> str:
    """Kill the worker each time."""
    if _marked(packed):
        _note(settings)
        os.kill(os.getpid(), signal.SIGKILL)
    return grade_packed(settings, packed)


def dies_once(settings: SessionSettings, packed: bytes) -> str:
    """Kill the worker the first time."""
    return dies(settings, packed) if not tries(Path(settings.course)) else grade_packed(settings, packed)


def loses_launcher(settings: SessionSettings, packed: bytes) -> str:
    """Kill the launcher of the jails each time that a marked submission is graded."""
    if not _marked(packed):
        return grade_packed(settings, packed)
    graded = session.grade_work

    def graded_without(grader: Grader, work: Work) -> Report:
        _kill(grader.launcher)
        return graded(grader, work)

    with mock.patch.object(session, "grade_work", graded_without):
        return grade_packed(settings, packed)


def loses_launcher_once(settings: SessionSettings, packed: bytes) -> str:
    """Kill the launcher of the jails, then grade."""
    if _marked(packed):
        grade_packed(settings, packed)
        (opened,) = session._sessions.values()
        _kill(opened.launcher)
    return grade_packed(settings, packed)


def loses_jails_once(settings: SessionSettings, packed: bytes) -> str:
    """Kill each jail of a marked submission as soon as it is there, the first time that it is graded."""
    if not _marked(packed):
        return grade_packed(settings, packed)
    graded, real = session.grade_work, Launcher.open

    def killed(launcher: Launcher, *how, **options) -> Process:
        jail = real(launcher, *how, **options)
        os.kill(jail._child, signal.SIGKILL)
        return jail

    def graded_twice(grader: Grader, work: Work) -> Report:
        if tries(Path(settings.course)):
            return graded(grader, work)
        _note(settings)
        with mock.patch.object(Launcher, "open", killed):
            return graded(grader, work)

    with mock.patch.object(session, "grade_work", graded_twice):
        return grade_packed(settings, packed)


def _kill(launcher: Launcher) -> None:
    assert launcher._process is not None
    launcher._process.kill()
    launcher._process.wait()


def sleeps(settings: SessionSettings, packed: bytes) -> str:
    """Never end; the patience of the workers is nearly over."""
    if _marked(packed):
        _note(settings)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            time.sleep(1)
    return grade_packed(settings, packed)


def waits(settings: SessionSettings, packed: bytes) -> str:
    """End when the test lets it."""
    if _marked(packed):
        _note(settings)
        while not (Path(settings.course) / "go_on").exists():
            time.sleep(0.01)
    return grade_packed(settings, packed)


def fails(settings: SessionSettings, packed: bytes) -> str:
    """Raise, as a bug of the grader would."""
    if not _marked(packed):
        return grade_packed(settings, packed)
    with mock.patch.object(session, "grade_work", side_effect=ZeroDivisionError("one by zero")):
        return grade_packed(settings, packed)


def tries(course: Path) -> int:
    """Return the number of calls that were begun for marked submissions."""
    noted = course / "tries"
    return noted.stat().st_size if noted.exists() else 0


def _marked(packed: bytes) -> bool:
    return MARKER.strip().encode() in packed  # in a notebook the end of the line is escaped


def _note(settings: SessionSettings) -> None:
    with (Path(settings.course) / "tries").open("ab") as noted:
        noted.write(b".")


class Instead(Workers):
    """Workers that make another call than the one they are asked for."""

    def __init__(self, call: Callable[[SessionSettings, bytes], str], jobs: int = 2) -> None:
        super().__init__(jobs, LONG)
        self.instead = call

    def submit(self, call, /, *args, **options):
        return super().submit(self.instead, *args, **options)

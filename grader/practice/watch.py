"""`grade watch`: grades at every save, in one session that stays open.

The session restarts when a check or the manifest changes, and the launcher of jails restarts if it has died.
A new time, size or inode of the file means a save. They are read ten times a second: network drives and containers
report no changes. Another save stops a long grading.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.grading.grader import open_grader
from grader.practice.page import ReportPage
from grader.practice.progress import keep_report
from grader.sandbox import Launcher, SandboxUnavailable
from grader.submissions.intake import accept, continued_files
from grader.submissions.submission import SubmissionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.grading.grader import Grader
    from grader.report import Report

LOOK_SECONDS = 0.1  # between two looks at the files
WRITING_SECONDS = 0.25  # a file that is incomplete for longer is no longer being written
LONG_SECONDS = 1.0  # the page then says that the grading takes long


Stamp = list[tuple[str, int, int, int] | None]


class _Stale(KeyboardInterrupt):
    """The file was saved again during a long grading. A KeyboardInterrupt, because grading turns every Exception into data."""


class Watch:
    """Grades one file at every save, until Ctrl-C."""

    def __init__(
        self, assignment: Assignment, path: Path | None, check: str | None, *, allow_weak_isolation: bool
    ) -> None:
        self.assignment, self.check, self.allow_weak = assignment, check, allow_weak_isolation
        self.root, self.name = assignment.course.root, assignment.name
        self.path = path or assignment.stub
        self.page = ReportPage(check)
        self.graded: Stamp = []
        self.busy = False

    def run(self) -> None:
        """Grade until Ctrl-C. Raises Refused for a wrong file name at the beginning; later errors are shown on the page."""
        self.launcher = Launcher()
        try:
            with _ends_on_signals(self._saved_again):
                self._refuse_at_once()
                self.page.open()
                while True:
                    self._session()
        except KeyboardInterrupt:
            pass
        except BrokenPipeError:  # the reader of the pipe has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        finally:
            self.page.close()
            self.launcher.close()

    def _refuse_at_once(self) -> None:
        """Raise Refused for a wrong name, but not for a half-written file: it may become complete."""
        try:
            accept(self.assignment, self.path, self.launcher, allow_weak_isolation=self.allow_weak)
        except SubmissionError as error:
            if error.cause != "unfinished":
                raise

    # The session

    def _session(self) -> None:
        """Open the checks and grade with them until they change."""
        self.suite = _stamp(self._suite_files())
        try:
            assignment = Course(self.root).assignment(self.name)
            checks, _ = assignment.manifest.checks, continued_files(assignment, self.path)  # both may raise
            self.assignment = assignment
            if self.check not in (None, *checks):
                self.page.trouble(f"{self.name} has no check {self.check} any more")
                self._wait_for_checks()
                return
            with open_grader(self.assignment, self.launcher) as grader:
                self._grade_until_checks_change(grader)
        except _Stale:
            self._new_launcher()  # the old one may have stopped within a message
        except SandboxUnavailable as error:
            self.page.trouble(str(error))
            time.sleep(1)
            self._new_launcher()
        except (Refused, Broken) as error:
            self.page.trouble(f"The checks cannot be used: {error}")
            self._wait_for_checks()

    def _grade_until_checks_change(self, grader: Grader) -> None:
        self.graded = []
        trouble, tried = "", 0.0
        while not self._suite_changed():
            now = _stamp(self._submission_files())
            if now != self.graded:
                self.graded = now
                trouble, tried = self._grade(grader), time.monotonic()
            elif trouble and time.monotonic() - tried > WRITING_SECONDS:  # by now it may be whole
                self.page.trouble(self._grade(grader))
                trouble = ""
            self.page.refresh()
            time.sleep(LOOK_SECONDS)

    def _grade(self, grader: Grader) -> str:
        """Grade and show the report; return the reason if the file could not be read, else an empty text."""
        try:
            with self._watched_while_long():
                report = self._report(grader)
        except SubmissionError as error:
            if error.cause == "unfinished":
                why = str(error).partition(": ")[2]  # without the path, which the page has already
                return f"The notebook is not complete yet: {why}"
            if not os.path.lexists(self.path):
                return f"{self.path.name} is gone; it is graded again when it comes back."
            return str(error)
        self.page.show(report, keep_report(self.assignment, self.path, report, self.check))
        return ""

    def _report(self, grader: Grader) -> Report:
        submission = accept(self.assignment, self.path, self.launcher, allow_weak_isolation=self.allow_weak)
        report = grader.grade(submission, self.check)
        if not self.launcher.alive:
            self._new_launcher()
            grader.launcher = self.launcher
            report = grader.grade(submission, self.check)
        return report

    def _new_launcher(self) -> None:
        self.launcher.close()
        self.launcher = Launcher()

    # Long gradings

    @contextmanager
    def _watched_while_long(self) -> Iterator[None]:
        over = threading.Event()
        watcher = threading.Thread(target=self._watch_while_long, args=(over,), daemon=True)
        self.busy = True
        watcher.start()
        try:
            yield
        finally:
            self.busy = False
            over.set()
            watcher.join()

    def _watch_while_long(self, over: threading.Event) -> None:
        """Show, in a thread, that the grading takes long, and stop it when the file is saved again."""
        if over.wait(LONG_SECONDS):
            return
        self.page.grading()
        while not over.wait(LOOK_SECONDS):
            if _stamp(self._submission_files()) != self.graded and hasattr(signal, "SIGUSR1"):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def _saved_again(self, *_: object) -> None:
        if self.busy:
            self.busy = False
            raise _Stale

    # The files

    def _submission_files(self) -> list[Path]:
        return [self.path, *continued_files(self.assignment, self.path)]

    def _suite_files(self) -> list[Path]:
        folders = [self.assignment.checks_folder(visibility) for visibility in ("visible", "hidden")]
        files = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
        manifests = sorted((self.root / "assignments").glob("*/assignment.yaml"))
        return [*manifests, self.assignment.solutions / "salt.txt", *(f for f in files if f.is_file())]

    def _suite_changed(self) -> bool:
        return _stamp(self._suite_files()) != self.suite

    def _wait_for_checks(self) -> None:
        while not self._suite_changed():
            self.page.refresh()
            time.sleep(LOOK_SECONDS)


def _stamp(paths: list[Path]) -> Stamp:
    """Return values that change at each save of a file."""
    stamps: Stamp = []
    for path in paths:
        try:
            s = path.lstat()
        except (OSError, ValueError):
            stamps.append(None)
        else:
            stamps.append((str(path), s.st_ino, s.st_mtime_ns, s.st_size))
    return stamps


@contextmanager
def _ends_on_signals(saved_again: Callable[..., None]) -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does; the watching thread sends SIGUSR1 after a save."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    wanted = {"SIGTERM": interrupt, "SIGHUP": interrupt, "SIGUSR1": saved_again}
    numbers = {getattr(signal, name): do for name, do in wanted.items() if hasattr(signal, name)}
    before = {number: signal.signal(number, do) for number, do in numbers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

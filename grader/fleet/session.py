"""The session of a worker, which opens the checks of an assignment once and grades one submission after another.

A worker gets a student's `Work` as MessagePack and returns a report as JSON, so it may be a process, or a machine, of
its own.
"""

from __future__ import annotations

import atexit
import queue
import threading
from concurrent.futures import Executor, Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.grading.grader import grade_work, open_grader
from grader.report import Report, to_json
from grader.sandbox import Launcher, SandboxUnavailable
from grader.submissions.intake import refuse_weak_isolation
from grader.submissions.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.grading.grader import Grader

LOOK_SECONDS = 0.5  # seconds between two checks that the session is still alive
MOST_LAUNCHERS = 4  # that one submission may lose


class Settings(msgspec.Struct, frozen=True):
    """The settings of a session: the folder of the course, the assignment, the hash of the suite."""

    course: str
    assignment: str
    suite: str
    allow_weak_isolation: bool = False


class NotGraded(Exception):
    """One submission could not be graded, by no fault of its own. The text is the reason; others are not affected."""


def grade_packed(settings: Settings, packed: bytes) -> str:
    """Grade one submission in this process's session; return the report as JSON.

    `packed` is a Work in MessagePack. Raises Refused and Broken, which stop the class, and NotGraded.
    """
    work = msgspec.msgpack.decode(packed, type=Work)
    try:
        return to_json(_grade(settings, work))
    except (Refused, Broken, NotGraded):
        raise
    except Exception as error:
        raise NotGraded(f"the grader failed with {type(error).__name__}: {error}") from error


def _grade(settings: Settings, work: Work) -> Report:
    """Grade one submission; again in a new session if something else has ended the launcher of its jails."""
    for _ in range(MOST_LAUNCHERS):
        session = _session(settings)
        try:
            return session.grade(work)
        except SandboxUnavailable as error:
            unavailable, lost = error, session.lost
            close_sessions()
    if lost:
        raise NotGraded(f"the launcher of its jails was lost {MOST_LAUNCHERS} times")
    raise unavailable


class Session:
    """The checks of one assignment, collected once, in a thread that grades one submission after another."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._waiting: queue.SimpleQueue[tuple[Work, Future[Report]] | None] = queue.SimpleQueue()
        self._launcher = Launcher()
        self._ended: BaseException | None = None
        self._began = False
        self._thread = threading.Thread(target=self._run, name="grading", daemon=True)
        self._thread.start()

    def grade(self, work: Work) -> Report:
        """Grade one submission. Raises the error with which the session ended, if it has."""
        future: Future[Report] = Future()
        self._waiting.put((work, future))
        while not wait([future], LOOK_SECONDS).done:
            if not self._thread.is_alive() and not future.done():
                raise self._ended or Broken("the grading session ended; start the command again")
        return future.result()

    @property
    def lost(self) -> bool:
        """True if its launcher of jails, which had worked, has ended or does not answer."""
        return self._began and not self._launcher.alive

    def close(self) -> None:
        """End the session, also in the middle of a submission."""
        self._waiting.put(None)
        self._launcher.close()
        self._thread.join(5)

    def _run(self) -> None:
        settings = self.settings
        try:
            assignment = Course(Path(settings.course)).assignment(settings.assignment)
            if not settings.allow_weak_isolation:
                refuse_weak_isolation(
                    self._launcher, f"{assignment.name}: the work of a class is somebody else's"
                )
            with open_grader(assignment, self._launcher) as grader:
                self._serve(grader)
        except BaseException as error:
            self._ended = error

    def _serve(self, grader: Grader) -> None:
        if grader.suite_sha256 != self.settings.suite:
            raise Broken(
                f"{grader.assignment.name}: the course was edited while a class was graded; the results so far are kept, "
                "type the same command again"
            )
        self._began = True
        while (given := self._waiting.get()) is not None:
            work, future = given
            try:
                killed = self._launcher.killed
                report = grade_work(grader, work)
                if (
                    self._launcher.killed > killed
                ):  # for want of memory, perhaps by no fault of the submission
                    report = grade_work(grader, work)
                if not self._launcher.alive:
                    raise SandboxUnavailable("the launcher of jails was ended from outside")
                future.set_result(report)
            except Exception as error:
                future.set_exception(error)


_sessions: dict[Settings, Session] = {}


def _session(settings: Settings) -> Session:
    """Return the session of this process; end one with other settings."""
    if settings not in _sessions:
        close_sessions()
        _sessions[settings] = Session(settings)
    return _sessions[settings]


@atexit.register
def close_sessions() -> None:
    """End every session of this process."""
    while _sessions:
        _sessions.popitem()[1].close()


class Serial(Executor):
    """An executor that grades one submission after another, in this process."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call at once, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """End this process's sessions."""
        close_sessions()

"""The session of a worker: opens the checks of an assignment once, and grades one submission after another.

A worker gets a student's `Work` as MessagePack and returns a report as JSON, so it can be another process or machine.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from pathlib import Path

import msgspec

from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.grading.grader import grade_work, open_grader
from grader.grading.workers import NotGraded
from grader.report import Report, to_json
from grader.sandbox import Launcher, SandboxUnavailable
from grader.submissions.intake import refuse_missing_imports, refuse_weak_isolation
from grader.submissions.work import Work

MOST_LAUNCHERS = 4  # one submission may cost


class SessionSettings(msgspec.Struct, frozen=True):
    """The settings of a session: the folder of the course, the assignment, the hash of the suite."""

    course: str
    assignment: str
    suite: str
    allow_weak_isolation: bool = False


def grade_packed(settings: SessionSettings, packed: bytes) -> str:
    """Grade one submission in this process's session; return the report as JSON.

    `packed` is a Work in MessagePack. Raises Refused and Broken, which stop the class, and NotGraded.
    """
    work = msgspec.msgpack.decode(packed, type=Work)
    try:
        for _ in range(MOST_LAUNCHERS):
            if (report := _session(settings).grade(work)) is not None:
                return to_json(report)
            close_sessions()
    except (Refused, Broken):
        raise
    except Exception as error:
        raise NotGraded(f"the grader failed with {type(error).__name__}: {error}") from error
    raise NotGraded(f"the process that starts the jails ended {MOST_LAUNCHERS} times while grading this work")


class Session:
    """The checks of one assignment, collected once, for one submission after another."""

    def __init__(self, settings: SessionSettings) -> None:
        """Open the checks. Raises Refused, Broken and SandboxUnavailable."""
        with ExitStack() as opened:
            self.launcher = opened.enter_context(Launcher())
            assignment = Course(Path(settings.course)).assignment(settings.assignment)
            refuse_missing_imports(assignment)
            refuse_weak_isolation(
                self.launcher,
                f"{assignment.name}: the work of a class is somebody else's",
                allowed=settings.allow_weak_isolation,
            )
            self._grader = opened.enter_context(open_grader(assignment, self.launcher))
            if self._grader.suite_sha256 != settings.suite:
                raise Broken(
                    f"{assignment.name}: the course was edited while the class was graded; results so far are kept; run the "
                    "same command again"
                )
            self.close = opened.pop_all().close

    def grade(self, work: Work) -> Report | None:
        """Grade one submission; try once more if a jail was killed, which a lack of memory can cause.

        Return None if the launcher of the jails has ended. Raises SandboxUnavailable.
        """
        killed = self.launcher.kill_count
        try:
            report = grade_work(self._grader, work)
            if self.launcher.kill_count > killed:
                report = grade_work(self._grader, work)
        except SandboxUnavailable:
            if self.launcher.alive:
                raise
        return report if self.launcher.alive else None


_sessions: dict[SessionSettings, Session] = {}


def _session(settings: SessionSettings) -> Session:
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

"""Commands remember what a student did: in the course's folder, or in the user's cache if that folder cannot be written.

Nothing depends on it: a loss costs repeated hints. `feedback/DAY.json` is the report of the last whole grading, and
`.backgrade/state.json` has the hints given, and the outcomes of single checks since then.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused
from grader.files import absolute, read_cache, read_plain, write_cache, write_text
from grader.report import Fact, Outcome  # noqa: TC001  msgspec reads them

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Course
    from grader.report import CheckResult, SubmissionInfo

FORMAT = 2
MAX_STATE = 1 << 20  # bytes; a course of five days needs a few hundred
_KIND = "remembered"  # of the cache


class SingleCheck(msgspec.Struct, frozen=True):
    """A check that was graded alone, of the file `path` with the hash `sha256`, `at` seconds since 1970."""

    check: str
    outcome: Outcome
    path: str
    sha256: str
    at: float
    facts: list[Fact] = []


class State(msgspec.Struct):
    """The hints given, by assignment and check, and what was graded alone, the newest last."""

    format: int = FORMAT
    hints: dict[str, dict[str, list[str]]] = {}
    singles: dict[str, list[SingleCheck]] = {}


def read_state(course: Course) -> State:
    """Return the memory; a file that is unreadable or of another format counts as empty."""
    try:
        state = msgspec.json.decode(recall(_path(course), course, MAX_STATE)[0], type=State)
    except (OSError, msgspec.DecodeError, RecursionError):
        return State()
    return state if state.format == FORMAT else State()


def write_state(course: Course, state: State) -> str:
    """Write the memory; return the reason if it is kept nowhere, else an empty text."""
    text = msgspec.json.format(msgspec.json.encode(state), indent=1).decode() + "\n"
    why = remember(_path(course), course, text)
    return why if why and read_state(course) != state else ""


def keep_single(course: Course, day: str, check: CheckResult, submission: SubmissionInfo) -> None:
    """Remember the outcome of a check that was graded alone."""
    graded = (submission.path, submission.sha256, time.time())
    state, one = read_state(course), SingleCheck(check.id, check.outcome, *graded, check.facts)
    state.singles[day] = [*(other for other in state.singles.get(day, []) if other.check != check.id), one]
    write_state(course, state)


def forget_singles(course: Course, day: str) -> None:
    """Forget what was graded alone of an assignment, now that all of it was graded."""
    state = read_state(course)
    if state.singles.pop(day, None):
        write_state(course, state)


def remember(path: Path, course: Course, text: str) -> str:
    """Write a file of the course; return the reason if that failed, and then keep the text in the user's cache."""
    try:
        write_text(path, text, course.root, make_folder=True)
    except Refused as error:
        write_cache(_KIND, _key(path), msgspec.msgpack.encode((time.time(), text)))
        return str(error)
    return ""


def recall(path: Path, course: Course, limit: int) -> tuple[bytes, float]:
    """Return what was last written as this file, and when. Raises OSError if nothing was."""
    kept = read_cache(_KIND, _key(path))
    at, text = msgspec.msgpack.decode(kept, type=tuple[float, str]) if kept else (0.0, "")
    try:
        data, status = read_plain(path, limit, course.root)
    except OSError:
        if not kept:
            raise
        return text.encode(), at
    return (text.encode(), at) if at > status.st_mtime else (data, status.st_mtime)


def _key(path: Path) -> str:
    return hashlib.sha256(str(absolute(path)).encode()).hexdigest()


def _path(course: Course) -> Path:
    return course.root / ".backgrade" / "state.json"

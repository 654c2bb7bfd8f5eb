"""A student's earlier gradings: what the last one changed, and a check that fails in the same way each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.errors import Refused
from grader.gradebook.findings import findings_of, ways_of
from grader.report import CheckResult, SubmissionInfo  # noqa: TC001  msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.gradebook.store import Store
    from grader.topic import Topic

STUCK = 3  # versions of a student's work in which a check fails in the same way


class Past(msgspec.Struct):
    """One grading of a student's work, with those fields of its report that are compared.

    Its texts are as they are in the file: sanitize before you show one.
    """

    submission: SubmissionInfo
    checks: list[CheckResult]
    score: float | None = None
    key: str = ""
    graded: str = ""
    run: int | None = None
    version: str | None = None  # of the student's work, if the grading counts for one now


class Moved(NamedTuple):
    """A check whose points changed from one grading to the next; `same_work` if the student handed in nothing new."""

    check: str
    was: float
    now: float
    same_work: bool


class StuckCheck(NamedTuple):
    """A check that fails in the same way in the last `times` versions of a student's work, and what is wrong."""

    check: str
    times: int
    brief: str


def gradings_of(store: Store, assignment: str, student: str) -> list[Past]:
    """Return all gradings of a student, the oldest first. Raises Refused."""
    found = []
    for key, graded, run, version, text in store.gradings(assignment, student):
        try:
            past = msgspec.json.decode(text, type=Past)
        except msgspec.DecodeError as error:
            raise Refused(f"{store.path}: a report of {student} is damaged: {error}") from error
        past.key, past.graded, past.run, past.version = key, graded, run, version
        found.append(past)
    return found


def before(gradings: Sequence[Past], key: str) -> tuple[Past | None, Past | None]:
    """Return the grading that counts, which has this key, and the one before it; None for what is missing.

    If two versions of the work count, the one before is of the same version.
    """
    counting = [past for past in gradings if past.version]
    now = next((past for past in reversed(counting) if past.key == key), None)
    if now is None:
        return None, None
    earlier = [past for past in gradings[: gradings.index(now)] if past.version is None]
    if len(counting) > 1:
        same = [past for past in earlier if past.submission.sha256 == now.submission.sha256]
        earlier = same or earlier
    return now, earlier[-1] if earlier else None


def changed_checks(was: Past, now: Past) -> list[Moved]:
    """Return the checks whose points changed, and those that are new or gone."""
    old, new = ({check.id: check.score for check in past.checks} for past in (was, now))
    same = was.submission.sha256 == now.submission.sha256
    return [
        Moved(check, old.get(check, 0.0), new.get(check, 0.0), same)
        for check in dict.fromkeys([*new, *old])
        if old.get(check, 0.0) != new.get(check, 0.0)
    ]


def stuck(gradings: Sequence[Past], now: Past, topic: Topic) -> list[StuckCheck]:
    """Return the checks that fail in the same way in at least STUCK versions of the work, up to the one that counts."""
    last = gradings[: gradings.index(now) + 1]
    versions = {
        past.submission.sha256: past for past in last
    }  # in the order of handing in, each as graded last
    versions[now.submission.sha256] = now
    found = []
    for check in now.checks:
        ways, times = ways_of(check, topic), 0
        for past in reversed(versions.values()) if ways else ():
            earlier = next((one for one in past.checks if one.id == check.id), None)
            if earlier is None or ways_of(earlier, topic) != ways:
                break
            times += 1
        if times >= STUCK:
            found.append(
                StuckCheck(check.id, times, "; ".join(one.brief for one in findings_of(check, topic)))
            )
    return found

"""`grade batch`: grade a class with a pool of workers, and keep each result at once.

The key of a result is a hash of everything that it depends on: the submission, the earlier work that it continues, the
suite with the manifest's limits, and the version of the grader. Work with an unchanged key is not graded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from grader import __version__
from grader.assignment import COLLECTED
from grader.console import (
    FULL,
    INTERRUPTED,
    LESS,
    UNGRADABLE,
    count_noun,
    duration,
    reporting,
    say,
    say_notes,
    show,
)
from grader.errors import Broken, Refused, first_of, to_install
from grader.fleet.packing import with_salt
from grader.fleet.session import SessionSettings, grade_packed
from grader.gradebook.late import read_times
from grader.gradebook.overrides import back_words
from grader.gradebook.store import Store, now, results_option
from grader.grading.suitehash import hash_of_suite
from grader.grading.verdicts import report_without_tests
from grader.grading.workers import NotGraded, Pool, Workers, patience_for, usable_cores
from grader.report import GraderInfo, Outcome, Report, SubmissionInfo, from_json
from grader.submissions.find import find_works
from grader.submissions.handed_out import graded_part, handed_out, is_untouched, judges_text
from grader.submissions.intake import refuse_missing_imports, with_unreadable
from grader.submissions.keys import select_students
from grader.submissions.state_words import why_no_result
from grader.submissions.states import NO_RESULT, NOT_WORKED, UNKNOWN, Unreached, Untouched
from grader.submissions.work import FoundStudent, Work, in_utc

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.fleet.cluster import Cluster
    from grader.gradebook.gradedwork import VersionName
    from grader.submissions.work import HandedIn

CONTENTS = "made"  # change it when reports say more: then all work is graded again
SHOWN = 20  # students who are listed; the rest is a number
_AGAIN = "Run the same command again to grade only these. If the course is at fault, fix it first (`grade validate` helps)."
KINDS = {
    "full": "full marks",
    "so_far": "full marks so far",  # manual checks have no points yet
    "less": "less than full",
    "todo": "nothing begun",
    "nothing": "nothing to grade",
    "ungradable": "could not be graded",
    "unread": "no result",
}


class GradedVersion(msgspec.Struct, frozen=True):
    """The result of one version of a student's work: its report, or None if the earlier result still counts.

    If the work cannot be read, or can get no score, `trouble` is the reason.
    """

    student: str
    report: Report | None
    trouble: str = ""
    version: VersionName = "last"


def _result_key(work: Work, suite: str) -> str:
    """Return the key of a result: a hash of everything that the report depends on."""
    digest = hashlib.sha256()
    untouched = "untouched" if isinstance(work.state, NOT_WORKED) else ""
    parts = [
        suite,
        __version__,
        CONTENTS,
        work.name,
        work.trouble,
        untouched,
        *(name for name, _ in work.earlier),
    ]
    for part in (*(text.encode() for text in parts), work.data or b"", *(data for _, data in work.earlier)):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def grade_class(
    assignment: Assignment,
    found: Sequence[FoundStudent],
    store: Store,
    pool: Pool,
    *,
    regrade: bool = False,
    allow_weak_isolation: bool = False,
) -> Generator[GradedVersion]:
    """Grade new and changed work, keep each result, and yield it.

    Holds at most twice as many works as the pool grades at a time. Every yielded result is in the store, even if the
    caller stops early or is interrupted. Raises Refused and Broken.
    """
    suite = hash_of_suite(assignment)
    root, day = str(assignment.course.root), assignment.name
    settings = SessionSettings(root, day, suite, allow_weak_isolation)
    known = store.add_handed_out(day, handed_out(assignment))
    waiting: dict[Future[str], list[_Waiting]] = {}
    done: dict[tuple[str, str, str], str] = {}  # the student for whom a team's work was graded, by the work
    try:
        for one in found:
            last = _read(assignment, one, known)
            if isinstance(last.state, (*NO_RESULT, *UNKNOWN)):
                store.keep_absent(day, one.student, last.state)
                yield GradedVersion(one.student, None, why_no_result(last.state))
                continue
            if isinstance(last.state, NOT_WORKED) and last.data is not None:
                known = store.add_handed_out(
                    day, [graded_part(last.name, last.data, text=judges_text(assignment))]
                )
            graded = {} if regrade else store.gradings_of(day, one.student)
            for of, work in _versions(last, suite):
                key, facts = graded.get(of.version, ("", None))
                if key == of.key:
                    yield _keep(store, day, of, None, facts=facts)
                    continue
                team = next((team for team in waiting.values() if team[0].commit == of.commit), None)
                if of.facts.repository and team is not None:
                    team.append(of)
                    continue
                if of.commit in done and (report := store.report(assignment.name, done[of.commit], of.key)):
                    yield _keep(store, day, of, report, again=regrade)
                    continue
                packed = msgspec.msgpack.encode(msgspec.structs.replace(work, in_time=None))
                future = pool.submit(grade_packed, settings, packed)
                waiting[future] = [of]
                if of.facts.repository:
                    done[of.commit] = one.student
                if len(waiting) >= 2 * pool.jobs:
                    yield from _keep_results(assignment, suite, store, waiting, again=regrade)
        while waiting:
            yield from _keep_results(assignment, suite, store, waiting, again=regrade)
    finally:
        for future in waiting:
            future.cancel()


def _read(assignment: Assignment, one: FoundStudent, given: Collection[str]) -> Work:
    """Read a student's work, and complete its state; `given` holds the graded parts of untouched notebooks."""
    try:
        work = one.read()
    except Refused as error:
        return Work("", student=one.student, data=None, state=Unreached(str(error)))
    in_time = _decide_state(assignment, work.in_time, given) if work.in_time else None
    return replace(_decide_state(assignment, work, given), in_time=in_time)


def _decide_state(assignment: Assignment, work: Work, given: Collection[str]) -> Work:
    work = with_unreadable(assignment, work)
    text = judges_text(assignment)
    if work.worked and work.data is not None and is_untouched(work.name, work.data, given, text=text):
        return replace(work, state=Untouched())
    return work


class _Waiting(NamedTuple):
    """A version of a student's work that is being graded; `is_only` means that there is no other version.

    All students of a team have the same `commit`: their work is graded once, and the report counts for each of them.
    """

    version: VersionName
    key: str
    facts: HandedIn
    sha256: str  # of its bytes
    is_only: bool
    commit: tuple[str, str, str]  # of a repository, which may be ""


def _versions(last: Work, suite: str) -> Iterator[tuple[_Waiting, Work]]:
    """Yield the last work; before it, if it is late, the last work on time."""
    versions: dict[VersionName, Work | None] = {"in_time": last.in_time, "last": last}
    for version, work in versions.items():
        if work is not None:
            key, facts = _result_key(work, suite), work.facts
            sha256 = "" if work.data is None else hashlib.sha256(work.data).hexdigest()
            commit = (facts.repository.casefold(), facts.submitted, key)
            yield _Waiting(version, key, facts, sha256, last.in_time is None, commit), work


def _keep_results(
    assignment: Assignment,
    suite: str,
    store: Store,
    waiting: dict[Future[str], list[_Waiting]],
    *,
    again: bool,
) -> Iterator[GradedVersion]:
    """Wait for at least one result; keep and yield all that are done, each in its own transaction."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        team = waiting.pop(future)
        try:
            report = _report(assignment, suite, future.result())
        except NotGraded as error:
            facts = team[0].facts
            report = report_without_tests(
                assignment,
                Outcome.UNGRADABLE,
                str(error),
                submission=SubmissionInfo(facts.name, team[0].sha256, facts.submitted),
                grader=GraderInfo(__version__, suite, platform.python_version(), []),
                started=now(),
                titles={name: name for name in assignment.manifest.checks},
            )
        for of in team:
            yield _keep(store, assignment.name, of, report, again=again)


def _report(assignment: Assignment, suite: str, answer: str) -> Report:
    """Return a worker's answer as a report by this suite. Raises Broken."""
    with contextlib.suppress(TypeError, ValueError):  # msgspec's errors are ValueErrors
        report = from_json(answer)
        if (report.assignment.id, report.grader.suite_sha256) == (assignment.name, suite):
            return report
    raise Broken(
        f"{assignment.name}: a worker's reply is not a report of this assignment; does somebody else use this "
        "cluster? Results so far are kept; run the same command again to continue"
    )


def _keep(
    store: Store,
    day: str,
    of: _Waiting,
    report: Report | None,
    *,
    again: bool = False,
    facts: HandedIn | None = None,
) -> GradedVersion:
    """Keep a result; without a report, the earlier one still counts, with these facts."""
    if report is not None:
        store.keep(of.key, of.facts, report, version=of.version, again=again)
    elif facts != of.facts:
        store.keep_facts(day, of.facts, version=of.version)
    if of.is_only:
        store.drop_in_time(day, of.facts.student)
    return GradedVersion(of.facts.student, report, version=of.version)


# --- The command


def run_batch(
    assignment: Assignment,
    source: Path,
    results: Path,
    *,
    students: Sequence[str] = (),
    jobs: int | None = None,
    scheduler: str | None = None,
    salts: Path | None = None,
    times: Path | None = None,
    regrade: bool = False,
    allow_weak_isolation: bool = False,
    insecure: bool = False,
) -> int:
    """Grade the class in `source` into the results file, show the progress, and return the exit code.

    `jobs` is the number of workers, by default one for each core. With `scheduler`, the workers of the Dask cluster at
    this address grade; `insecure` allows one without TLS. `salts` is a folder with another salt for the hidden checks,
    `times` a table with the time of each student's push. Raises Refused and Broken.
    """
    refuse_missing_imports(assignment)
    found = find_works(assignment, source)
    if times is not None:
        found = _with_times(found, times, source)
    found = select_students(found, students, source)
    jobs = max(1, min(jobs or len(usable_cores()), len(found)))
    with (
        contextlib.nullcontext(assignment) if salts is None else with_salt(assignment, salts) as graded,
        Store(results, create=True) as store,
        _open(graded, jobs, scheduler, insecure=insecure) as pool,
        store.running(graded.name, "batch", hash_of_suite(graded)),
    ):
        tally = Tally(len(found))
        running = grade_class(
            graded, found, store, pool, regrade=regrade, allow_weak_isolation=allow_weak_isolation
        )
        try:
            with reporting(lambda: f"{assignment.name}  {tally.line()}") as show_progress:
                for one in running:
                    if one.version == "last" or (one.report and one.report.score is None):
                        tally.add(one.student, one.report, one.trouble)
                        show_progress()
        except KeyboardInterrupt:
            running.close()
            say(
                f"interrupted: kept {count_noun(tally.graded, 'result')} in {results}; run the same command again to continue",
                err=True,
            )
            return INTERRUPTED
        without = store.in_force(assignment.name).dropped
        dropped = [one.student for one in found if one.student in without]
    say_notes(
        f"{student}: the result stays dropped; {back_words(assignment, student)}" for student in dropped
    )
    for line in tally.summary():
        say(line)
    if tally.names["ungradable"]:
        show(f"\n{_AGAIN}\n")
        return UNGRADABLE
    show(f"\nNext: grade report {assignment.name}{results_option(results)}\n")
    return LESS if tally.names["unread"] else FULL


def _with_times(found: Sequence[FoundStudent], path: Path, source: Path) -> list[FoundStudent]:
    """Return the students with the times of submission from a table, `student,pushed`. Raises Refused."""
    if (source / COLLECTED).is_dir():
        raise Refused(f"--times: {source} has the times from `grade collect`; leave out --times")
    known = [one.student for one in found]
    times = read_times(path, known, source)
    if missing := [student for student in known if student not in times]:
        say(
            f"note: {path} has no time for {first_of(missing, SHOWN)}; their work counts as on time", err=True
        )
    return [FoundStudent(one.student, partial(_add_times, one, times.get(one.student))) for one in found]


def _add_times(one: FoundStudent, pushed: dt.datetime | None) -> Work:
    return replace(one.read(), submitted=in_utc(pushed), verified=pushed is not None)


def _open(assignment: Assignment, jobs: int, scheduler: str | None, *, insecure: bool) -> Workers | Cluster:
    """Start workers, or connect to those of a cluster. Raises Refused, also where Dask is not installed."""
    if scheduler is None:
        return Workers(jobs, patience_for(assignment.manifest.limits))
    try:
        from grader.fleet.cluster import Cluster
    except ModuleNotFoundError as error:
        raise Refused(
            f"--scheduler: {error.name} is not installed here; run {to_install('cluster')}"
        ) from error
    return Cluster(scheduler, assignment, insecure=insecure)


# --- Progress


class Tally:
    """Counts the students who are done, by kind of result; `clock` returns seconds."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.clock, self.started = total, clock, clock()
        self.first: float | None = None  # the time of the first result of this run
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.as_before = 0
        self.why: dict[str, str] = {}  # the reason for attention, by student

    def add(self, student: str, report: Report | None, trouble: str = "") -> None:
        """Count one student. Without a report, `trouble` is the reason, or the earlier result still counts."""
        if trouble:
            self.names["unread"].append(student)
            self.why[student] = trouble
            return
        if report is None:
            self.as_before += 1
            return
        self.first = self.clock() if self.first is None else self.first
        kind = _kind(report)
        self.names[kind].append(student)
        if kind in ("nothing", "ungradable"):
            wanted = [c for c in report.checks if kind == "nothing" or c.outcome is Outcome.UNGRADABLE]
            self.why[student] = wanted[0].message if wanted else ""

    @property
    def graded(self) -> int:
        """The number of students who were graded in this run."""
        return sum(len(names) for kind, names in self.names.items() if kind != "unread")

    @property
    def done(self) -> int:
        """The number of students who are done, including those with an earlier result."""
        return self.graded + self.as_before + len(self.names["unread"])

    def line(self) -> str:
        """Return the progress in a line: students done, speed, time left, kinds of results.

        The speed counts from the first result, because the start of the workers does not depend on the size of the class.
        """
        parts = [f"{self.done} of {self.total} students ({self.as_before} as before)"]
        elapsed = self.clock() - (self.started if self.first is None else self.first)
        if self.graded > 1 and elapsed > 0:
            rate = (self.graded - 1) / elapsed
            parts += [f"{rate:.1f} a second", f"{duration((self.total - self.done) / rate)} left"]
        counts = [f"{len(names)} {KINDS[kind]}" for kind, names in self.names.items() if names]
        return ", ".join([*parts, *counts])

    def summary(self) -> list[str]:
        """Return the summary of a run, with the students that need the instructor's attention."""
        before = f", {self.as_before} as before" if self.as_before else ""
        took = duration(self.clock() - self.started)
        lines = [f"{count_noun(self.done, 'student')}: {self.graded} graded in {took}{before}."]
        for kind, names in self.names.items():
            if names:
                lines += [f"  {KINDS[kind]:<20}{len(names):>5}", *self._who(names)]
        return lines

    def _who(self, names: list[str]) -> list[str]:
        """Return a line for each of the first students that need attention, with the reason."""
        lines = [f"    {name}  {self.why[name]}" for name in names if name in self.why]
        return lines[:SHOWN] + ([f"    and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])


def _kind(report: Report) -> str:
    if report.score is None:
        return "ungradable"
    if not report.submission.sha256:
        return "nothing"
    if report.outcome is Outcome.TODO and not report.score:
        return "todo"
    if not report.is_full:
        return "less"
    return "so_far" if report.waiting_points else "full"

"""`grade batch`: a class graded over a `concurrent.futures.Executor`, each result kept at once.

The key of a result covers everything that it depends on: the bytes that were handed in, those of the earlier work that
they continue, the suite with the manifest's limits, and the version of the grader. Work with the same key is not graded
again.
"""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from grader import __version__
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, duration, reporting, say
from grader.errors import Refused
from grader.gradebook.session import Serial, Settings, close_sessions, grade_packed
from grader.gradebook.store import Store, VersionName, results_option
from grader.grading.grader import hash_of_suite
from grader.report import Outcome, Report, from_json
from grader.submissions.find import find_works
from grader.submissions.intake import refuse_missing_imports
from grader.submissions.keys import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.submissions.work import Found, HandedIn, Work

SHOWN = 20  # students who are listed; the rest are counted
KINDS = {
    "full": "full marks",
    "less": "less",
    "todo": "nothing begun",
    "nothing": "nothing to grade",
    "ungradable": "could not be graded",
    "unread": "no result",
}


class Graded(msgspec.Struct, frozen=True):
    """The result of one version of a student's work: its report, or None if the earlier result still counts.

    If the work cannot be read, or can get no score, `trouble` is the reason.
    """

    student: str
    report: Report | None
    trouble: str = ""
    version: VersionName = "last"


def key_of(work: Work, suite: str) -> str:
    """Return the key of a result: a hash of everything that the report depends on."""
    digest = hashlib.sha256()
    parts = [suite, __version__, work.name, work.trouble, *(name for name, _ in work.earlier)]
    for part in (*(text.encode() for text in parts), work.data or b"", *(data for _, data in work.earlier)):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def grade_class(
    assignment: Assignment,
    found: Sequence[Found],
    store: Store,
    executor: Executor,
    *,
    workers: int = 1,
    regrade: bool = False,
    allow_weak_isolation: bool = False,
) -> Generator[Graded]:
    """Grade new and changed work and keep each result; yield the students as they are done.

    If the caller stops early, or is interrupted, every result that was yielded is in the store.
    Raises Refused and Broken.
    """
    suite = hash_of_suite(assignment)
    root = str(assignment.course.root)
    settings = Settings(root, assignment.name, suite, allow_weak_isolation)
    graded = {} if regrade else store.graded(assignment.name)
    waiting: dict[Future[str], _Waiting] = {}
    try:
        for one in found:
            try:
                last = one.read()
            except Refused as error:
                store.keep_absent(assignment.name, one.student, str(error))
                yield Graded(one.student, None, str(error))
                continue
            if last.no_result:
                store.keep_absent(assignment.name, one.student, last.trouble, drop=True)
                yield Graded(one.student, None, last.trouble)
                continue
            for version, work in _versions(last):
                alone = last.in_time is None
                of = _Waiting(version, key_of(work, suite), work.facts, alone)
                key, facts = graded.get((one.student, version), ("", None))
                if key == of.key:
                    _keep_known(store, assignment.name, of, facts)
                    yield Graded(one.student, None, version=version)
                    continue
                future = executor.submit(grade_packed, settings, _packed(work))
                waiting[future] = of
                if future.done() or len(waiting) >= 2 * workers:
                    yield from _kept(store, waiting, again=regrade)
        while waiting:
            yield from _kept(store, waiting, again=regrade)
    finally:
        for future in waiting:
            future.cancel()


def grade_visible(assignment: Assignment, work: Work, executor: Executor) -> Report:
    """Grade one student's work by the visible checks alone; nothing is kept. Raises Refused and Broken."""
    visible = replace(assignment, only_visible=True)
    root, suite = str(assignment.course.root), hash_of_suite(visible)
    settings = Settings(root, assignment.name, suite, only_visible=True)
    return from_json(executor.submit(grade_packed, settings, _packed(work)).result())


class _Waiting(NamedTuple):
    """A version of a student's work that is being graded; `alone` if there is no other version."""

    version: VersionName
    key: str
    facts: HandedIn
    alone: bool


def _versions(last: Work) -> Iterator[tuple[VersionName, Work]]:
    """Yield the work in time, if there is one beside late work, and the last work."""
    if last.in_time is not None:
        yield "in_time", last.in_time
    yield "last", last


def _keep_known(store: Store, assignment: str, of: _Waiting, facts: HandedIn | None) -> None:
    """Keep new facts about work that was graded before, when its facts were `facts`."""
    if facts != of.facts:
        store.keep_facts(assignment, of.facts, version=of.version)
    if of.alone:
        store.drop_in_time(assignment, of.facts.student)


def _kept(store: Store, waiting: dict[Future[str], _Waiting], *, again: bool) -> Iterator[Graded]:
    """Keep and yield the results that are done, at least one, each in a transaction of its own."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        of = waiting.pop(future)
        report = from_json(future.result())
        store.keep(of.key, of.facts, report, version=of.version, again=again)
        if of.alone:
            store.drop_in_time(report.assignment.id, of.facts.student)
        yield Graded(of.facts.student, report, version=of.version)


def _packed(work: Work) -> bytes:
    return msgspec.msgpack.encode(msgspec.structs.replace(work, in_time=None))


# --- The command


def run_batch(
    assignment: Assignment,
    source: Path,
    results: Path,
    *,
    students: Sequence[str] = (),
    regrade: bool = False,
    allow_weak_isolation: bool = False,
) -> int:
    """Grade the class in SOURCE into the results file, show the progress, and return the exit code.

    Raises Refused and Broken.
    """
    refuse_missing_imports(assignment)
    found = chosen(find_works(assignment, source), students, source)
    with Store(results, create=True) as store, Serial() as executor:
        tally = Tally(len(found))
        running = grade_class(
            assignment, found, store, executor, regrade=regrade, allow_weak_isolation=allow_weak_isolation
        )
        try:
            with reporting(lambda: f"{assignment.name}  {tally.line()}") as show:
                for one in running:
                    if one.version == "last" or (one.report and one.report.score is None):
                        tally.add(one.student, one.report, one.trouble)
                        show()
        except KeyboardInterrupt:
            running.close()
            close_sessions()  # a session that grades redirects the output
            say(
                f"interrupted: {tally.graded} graded are kept in {results}; the same command goes on",
                err=True,
            )
            return INTERRUPTED
    for line in [*tally.summary(), *_next(assignment, results, tally)]:
        say(line)
    if tally.names["ungradable"]:
        return UNGRADABLE
    return LESS if tally.names["unread"] else FULL


def _next(assignment: Assignment, results: Path, tally: Tally) -> list[str]:
    if tally.names["ungradable"]:
        return [
            "",
            "Correct the course (`grade validate` helps) and type the same command: only these are graded again.",
        ]
    return ["", f"Next: grade report {assignment.name}{results_option(results)}"]


# --- How far it is


class Tally:
    """The count of students who are done, by kind of result; `clock` gives seconds."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.clock, self.started = total, clock, clock()
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.as_before = 0
        self.why: dict[str, str] = {}  # the reason to look at a student, by student

    def add(self, student: str, report: Report | None, trouble: str = "") -> None:
        """Count one student. Without a report the result is as before, or `trouble` is the reason why there is none."""
        if trouble:
            self.names["unread"].append(student)
            self.why[student] = trouble
            return
        if report is None:
            self.as_before += 1
            return
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
        """The number of students who are done, with those whose result is as before."""
        return self.graded + self.as_before + len(self.names["unread"])

    def line(self) -> str:
        """Return the progress in a line: students done, speed, time left, kinds of results."""
        parts = [f"{self.done} of {self.total}"]
        elapsed = self.clock() - self.started
        if self.graded and elapsed > 0:
            rate = self.graded / elapsed
            parts += [f"{rate:.1f} a second", f"{duration((self.total - self.done) / rate)} left"]
        counts = [f"{len(names)} {KINDS[kind]}" for kind, names in self.names.items() if names]
        return ", ".join([*parts, *counts])

    def summary(self) -> list[str]:
        """Return the summary of a run, with the names of students whom the instructor should look at."""
        before = f", {self.as_before} as before" if self.as_before else ""
        took = duration(self.clock() - self.started)
        class_size = f"{self.done} student{'' if self.done == 1 else 's'}"
        lines = [f"{class_size}: {self.graded} graded in {took}{before}."]
        for kind, names in self.names.items():
            if names:
                lines += [f"  {KINDS[kind]:<20}{len(names):>5}", *self._who(names)]
        return lines

    def _who(self, names: list[str]) -> list[str]:
        """Return the first names, each with the reason to look."""
        lines = [f"    {name}  {self.why[name]}" for name in names if name in self.why]
        return lines[:SHOWN] + ([f"    and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])


def _kind(report: Report) -> str:
    if report.score is None:
        return "ungradable"
    if not report.submission.sha256:
        return "nothing"
    if report.outcome is Outcome.TODO and not report.score:
        return "todo"
    return "full" if report.is_full else "less"

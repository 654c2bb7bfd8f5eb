"""Grading a class: many submissions over a `concurrent.futures.Executor`, each result kept at once.

What travels to a worker is a student's `Work` as MessagePack, what comes back is a report as JSON, so that a worker
may be a process, or a machine, of its own. Each worker keeps one `Session`: the checks are collected once, and
the launcher of jails is up.

A result is told from another by its key, over everything that has a say in it: the bytes handed in and those
of the earlier work that they continue, the suite with the manifest's limits, and the version of the grader.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import queue
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from grader import __version__
from grader.assignment import Course
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, say
from grader.errors import Broken
from grader.gradebook.store import RESULTS, Store, VersionName
from grader.gradebook.tally import Tally
from grader.grading.grader import grade_bytes, hash_of_suite, open_grader
from grader.render import one_line
from grader.report import Report, from_json, to_json
from grader.sandbox import Launcher, SandboxUnavailable
from grader.submissions import HandedIn, NoWork, SourceError, Work, find_works
from grader.submissions.intake import (
    refuse_missing_imports,
    refuse_weak_isolation,
)
from grader.submissions.names import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.grading.grader import Grader
    from grader.submissions import Found


LOG_SECONDS = 15.0  # between two lines of a log
LOOK_SECONDS = 0.5  # after which a worker looks whether its session is still there


class Settings(msgspec.Struct, frozen=True):
    """Which session grades it: the folder of the course, the assignment, the suite as it is now."""

    course: str
    assignment: str
    suite: str
    allow_weak_isolation: bool = False
    only_visible: bool = False


# --- In a worker


def grade_packed(settings: Settings, packed: bytes) -> str:
    """Grade one submission in this process's session; gives the report as JSON.

    `packed` is a Work in MessagePack. Raises Refused and Broken.
    """
    work = msgspec.msgpack.decode(packed, type=Work)
    try:
        return to_json(_session(settings).grade(work))
    except SandboxUnavailable:  # its launcher may have been ended from outside
        close_sessions()
        return to_json(_session(settings).grade(work))


class Session:
    """One assignment's checks, collected once, in a thread that grades whatever it is given."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._waiting: queue.SimpleQueue[tuple[Work, Future[Report]] | None] = queue.SimpleQueue()
        self._launcher = Launcher()
        self._ended: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="grading", daemon=True)
        self._thread.start()

    def grade(self, work: Work) -> Report:
        """Grade one. Raises what the session ended with, where it has."""
        future: Future[Report] = Future()
        self._waiting.put((work, future))
        while not wait([future], LOOK_SECONDS).done:
            if not self._thread.is_alive() and not future.done():
                raise self._ended or Broken("the grading session ended; start the command again")
        return future.result()

    def close(self) -> None:
        """End it, also in the middle of a submission."""
        self._waiting.put(None)
        self._launcher.close()
        self._thread.join(5)

    def _run(self) -> None:
        settings = self.settings
        try:
            assignment = Course(Path(settings.course)).assignment(settings.assignment)
            assignment = replace(assignment, only_visible=settings.only_visible)
            if not settings.allow_weak_isolation:
                refuse_weak_isolation(self._launcher, f"{assignment.name}: a class is somebody else's work")
            with open_grader(assignment, self._launcher) as grader:
                self._serve(grader)
        except BaseException as error:
            self._ended = error

    def _serve(self, grader: Grader) -> None:
        if grader.suite_sha256 != self.settings.suite:
            raise Broken(
                f"{grader.assignment.name}: the course was edited while a class was graded; what was graded is kept, "
                "type the same command again"
            )
        while (given := self._waiting.get()) is not None:
            work, future = given
            try:
                report = grade_bytes(grader, work.name, work.data, work.trouble, work.earlier, work.submitted)
                if not self._launcher.alive:
                    raise SandboxUnavailable("the launcher of jails was ended from outside")
                future.set_result(report)
            except Exception as error:
                future.set_exception(error)


_sessions: dict[Settings, Session] = {}


def _session(settings: Settings) -> Session:
    """The session of this process; one of another suite is ended."""
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
    """One submission after another, in this process."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Do it at once."""
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """End this process's sessions."""
        close_sessions()


# --- Over an executor


class Graded(msgspec.Struct, frozen=True):
    """The result of one version of a student's work: its report, or None where the earlier result still counts.

    Where the work cannot be read or there is none that could get a score, `trouble` says why.
    """

    student: str
    report: Report | None
    trouble: str = ""
    version: VersionName = "last"


def key_of(work: Work, suite: str) -> str:
    """What tells one grading from another: everything that has a say in the report."""
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
    """Grade what is new or has changed and keep each result; gives the students as they are done.

    Whoever stops asking, or is interrupted, leaves a store in which every result that was given is kept.
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
            except SourceError as error:
                store.keep_absent(assignment.name, one.student, str(error), drop=isinstance(error, NoWork))
                yield Graded(one.student, None, str(error))
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
    """A version of a student's work that is being graded; `alone` where there is no other."""

    version: VersionName
    key: str
    facts: HandedIn
    alone: bool


def _versions(last: Work) -> Iterator[tuple[VersionName, Work]]:
    """Yield the work in time, where the last work is late, and the last work."""
    if last.in_time is not None:
        yield "in_time", last.in_time
    yield "last", last


def _keep_known(store: Store, assignment: str, of: _Waiting, facts: HandedIn | None) -> None:
    """Keep what is new about work that was graded before, when these `facts` were known of it."""
    if facts != of.facts:
        store.keep_facts(assignment, of.facts, version=of.version)
    if of.alone:
        store.drop_in_time(assignment, of.facts.student)


def _kept(store: Store, waiting: dict[Future[str], _Waiting], *, again: bool) -> Iterator[Graded]:
    """Those that are done, at least one of them, each in a transaction of its own."""
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
    """Grade what SOURCE holds into the file of results, tell it, and give the exit code.

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
            with reporting(tally, assignment.name) as told:
                for one in running:
                    if one.version == "last" or (one.report and one.report.score is None):
                        tally.add(one.student, one.report, one.trouble)
                        told()
        except KeyboardInterrupt:
            running.close()
            close_sessions()  # as long as one grades, it keeps from the screen what is printed
            say(
                f"interrupted: {tally.graded} graded are kept in {results}; the same command goes on",
                err=True,
            )
            return INTERRUPTED
    for line in [*tally.summary(), *_next(assignment, results, tally)]:
        say(one_line(line) if line else "")
    if tally.names["ungradable"]:
        return UNGRADABLE
    return LESS if tally.names["unread"] else FULL


def _next(assignment: Assignment, results: Path, tally: Tally) -> list[str]:
    if tally.names["ungradable"]:
        return [
            "",
            "Mend the course (`grade validate` helps) and type the same command: only these are graded again.",
        ]
    of = "" if results == Path(RESULTS) else f" --results {results}"
    return ["", f"Next: grade report {assignment.name}{of}"]


@contextlib.contextmanager
def reporting(tally: Tally, name: str) -> Iterator[Callable[[], None]]:
    """Tell how far it is: in a terminal on a line that stays, in a log now and then."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        # This very stream: while somebody is graded, `sys.stderr` leads nowhere.
        console = Console(file=sys.stderr)

        def line() -> Text:
            text = Text(one_line(f"{name}  {tally.line()}"))
            text.truncate(console.width - 2, overflow="ellipsis")  # beside the sign that turns
            return text

        with console.status(Text(name)) as status:
            yield lambda: status.update(line())
        return
    last = time.monotonic()

    def now_and_then() -> None:
        nonlocal last
        if time.monotonic() - last > LOG_SECONDS:
            last = time.monotonic()
            say(one_line(f"{name}  {tally.line()}"), err=True)

    yield now_and_then

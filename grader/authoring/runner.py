"""The runner: runs an assignment's checks over its author's code and caches the results.

The results of a piece of code are kept in the user's cache, check by check, each under a hash of everything else that
it depends on: the check, its helpers, the answers, the salt, the limits, the grader, Python and what is installed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import sys
import sysconfig
import time
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.authoring.results import CheckResults, CodeCase, judge, make_skipped_result, restore_result
from grader.console import duration
from grader.errors import Refused
from grader.files import read_cache, write_cache
from grader.grading import records, sealed
from grader.grading.answerkey import SOURCE, public_salt, read_answers, seal_answers
from grader.grading.answers import make_tables
from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.authoring.results import JudgedTest
    from grader.authoring.workers import ProcessPool
    from grader.grading.grader import Grader
    from grader.submissions.submission import Block

A = TypeVar("A")
T = TypeVar("T")
Replay = tuple[dict[Path, str], list[str]]

KIND = "runs"  # of the cache: a file for each check as it is written
KEPT = 1000  # pieces of code whose results over one check are kept, the newest
WORTH_WORKERS = 1000  # tests; fewer are done before a worker has started
WORTH_ONE_WORKER = 100  # tests of a suite; the replay of fewer is recorded before a worker has started
GRADER = Path(__file__).parents[1]


# --- What the results depend on


def hash_parts(*parts: str | bytes) -> str:
    """Return a hash of several parts, each of any length."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """Return a hash of the grader's own files, of Python, of the system and of all installed packages."""
    files = sorted(path for path in GRADER.rglob("*") if path.suffix in {".py", ".yaml"})
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    packages = sorted(path.name for folder in folders for path in Path(folder).glob("*.dist-info"))
    sources = [part for path in files for part in (str(path.relative_to(GRADER)), path.read_bytes())]
    return hash_parts(sys.version, platform.platform(), " ".join(packages), *sources)


def _keys_of(assignment: Assignment, salt: str) -> dict[str, str]:
    """Return for each check a hash of everything that its results depend on, except the judged code."""
    manifest, folders = assignment.manifest, assignment.checks_folders.values()
    files: dict[str, list[Path]] = {}
    for check, _, path in assignment.check_files():
        files.setdefault(check, []).append(path)
    generated = {sealed.FILE, records.FILE, assignment.pristine.name, make_topic(manifest.topic, {}).record}
    known = {path for paths in files.values() for path in paths}
    beside = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path not in known and path.name not in generated and path.suffix != ".pyc"
    )
    common = hash_parts(
        environment(),
        str(assignment.course.root),
        assignment.name,
        salt,
        msgspec.json.encode(
            [
                manifest.topic,
                manifest.limits,
                manifest.imports,
                manifest.arrays,
                manifest.names,
                manifest.letters,
            ]
        ),
        *_contents([assignment.solutions / SOURCE, *beside, *assignment.data_paths("visible", "hidden")]),
    )
    specs = ((check, manifest.checks[check], paths) for check, paths in files.items())
    return {
        check: hash_parts(
            common, msgspec.json.encode([spec.orders, spec.needs, spec.chart]), *_contents(paths)
        )
        for check, spec, paths in specs
    }


def _contents(paths: Iterable[Path]) -> Iterator[str | bytes]:
    """Yield the name and the bytes of each file; a missing one is empty."""
    for path in paths:
        yield str(path)
        yield path.read_bytes() if path.is_file() else b""


# --- Answers


def read_sealed_answers(assignment: Assignment, secret: str) -> dict[str, sealed.SealedFile]:
    """Return the sealed answers of an assignment, visible and hidden; `secret` is the hidden checks' salt.

    Raises Refused.
    """
    salt = public_salt(secret)
    blind = assignment.manifest.letters == "blind"
    answers = seal_answers(read_answers(assignment.solutions / SOURCE), salt, blind=blind)
    return {visibility: sealed.SealedFile(salt, items) for visibility, items in answers.items()}


# --- Progress


class Progress:
    """The count of the runs of one assignment; `show` is called after each."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self.clock, self.started = name, clock, clock()
        self.total = self.done = self.runs = 0  # `runs` of all that was begun
        self.show: Callable[[], None] = lambda: None

    def begin(self, count: int) -> None:
        """Count further runs."""
        if self.done == self.total:
            self.started, self.total, self.done = self.clock(), 0, 0
        self.total += count
        self.runs += count
        self.show()

    def end(self) -> None:
        """Count one that is done."""
        self.done += 1
        self.show()

    def line(self) -> str:
        """Return the progress in a line: runs done, time left."""
        if not self.total:
            return f"{self.name}  reading the course"
        parts = [f"{self.done} of {self.total} runs"]
        if self.done:
            left = (self.clock() - self.started) / self.done * (self.total - self.done)
            parts.append(f"{duration(left)} left")
        return f"{self.name}  {', '.join(parts)}"


# --- The runner


class _RunnerSettings(NamedTuple):
    """The settings of a worker's runner."""

    course: Path
    assignment: str
    salt: str
    keys: dict[str, str]


class Runner:
    """The checks of one assignment, with the results of each piece of code."""

    def __init__(
        self, grader: Grader, settings: _RunnerSettings, workers: ProcessPool | None, progress: Progress
    ) -> None:
        self.grader, self.settings, self.workers, self.progress = grader, settings, workers, progress
        self.assignment = grader.assignment
        self.records: dict[Path, str] | None = None  # the texts of the topic's records, once they are made
        # The texts of replay.json and the faults of tests, once begun.
        self.replay: Future[Replay] | None = None
        self._entries: dict[str, dict[str, CheckResults]] = {}  # by check, then by code and order

    @functools.cached_property
    def reference(self) -> list[Block]:
        """The blocks that the reference continues, then its own."""
        return reference_blocks(self.assignment)

    def key_of_reference(self, *parts: str) -> str:
        """Return a hash of everything that the results of the reference depend on, and of further parts."""
        blocks = (block.source for block in self.reference)
        return hash_parts(*self.settings.keys.values(), *parts, *blocks)

    def broken_files(self) -> dict[str, str]:
        """Return the reason why pytest cannot use a file, by check."""
        known = self._results_of(CodeCase(self.reference))
        if self.settings.keys.keys() <= known.keys():
            return {}  # they ran before, unchanged
        return self.grader.suite.collect().broken

    def submit(self, function: Callable[[Grader, A], T], argument: A) -> Future[T]:
        """Call a module's function with the grader, in a worker if there are several. Counts as a run."""
        self.progress.begin(1)
        if workers := self._workers_for(len(self.grader.suite.tests), WORTH_ONE_WORKER):
            future = workers.submit(_call_here, self.settings, function, argument)
        else:
            future = Future()
            future.set_result(function(self.grader, argument))
        future.add_done_callback(lambda _: self.progress.end())
        return future

    def _workers_for(self, tests: int, least: int) -> ProcessPool | None:
        """Return the workers, if there are several and this is worth their start."""
        several = self.workers is not None and self.workers.jobs > 1
        return self.workers if several and tests >= least else None

    def results(self, case: CodeCase) -> list[JudgedTest]:
        """Return the results of the case's checks, in the order of the tests; one that did not run is skipped."""
        self.prepare([case])
        rows = {check: iter(entry.rows) for check, entry in self._results_of(case).items()}
        late, specs = self._late(case), self.assignment.manifest.checks
        return [
            make_skipped_result(self.assignment, test)
            if late & set(specs[test.check].needs)
            else restore_result(test, next(rows[test.check]))
            for test in self.grader.suite.tests
            if case.only is None or test.check in case.only
        ]

    def checks_with_words(self, case: CodeCase) -> frozenset[str]:
        """Return the failed checks of a mistake's case whose report has the words of a mistake."""
        self.prepare([case])
        return frozenset(check for check, entry in self._results_of(case).items() if entry.worded)

    def notes(self, blocks: Sequence[Block], only: Collection[str] | None = None) -> list[str]:
        """Return the notes about running the cells."""
        case = CodeCase(blocks, only)
        self.prepare([case])
        if not any(entry.noted for entry in self._results_of(case).values()):
            return []
        return self.grader.run(blocks, None if only is None else set(only))[0]

    def prepare(self, cases: Iterable[CodeCase]) -> None:
        """Run the cases without cached results, in several processes if they are many."""
        missing: dict[str, CodeCase] = {}
        for case in cases:
            if (left := self._missing(case)).only:
                missing[_name(case)] = left
        if not missing:
            return
        self.progress.begin(len(missing))
        try:
            for name, entries in self._run(missing):
                for check, entry in entries.items():
                    self._of_check(check)[name] = entry
                self.progress.end()
        finally:
            self._keep()

    def _keep(self) -> None:
        """Cache the results for the next command."""
        for check, entries in self._entries.items():
            kept = {name: entry for name, entry in entries.items() if not entry.passing}
            newest = dict(list(kept.items())[-KEPT:])
            write_cache(KIND, self.settings.keys[check], msgspec.msgpack.encode(newest))

    def _of_check(self, check: str) -> dict[str, CheckResults]:
        """Return the results of one check, cached or new, by code and order."""
        if check not in self._entries:
            self._entries[check] = {}
            with contextlib.suppress(msgspec.DecodeError):
                if data := read_cache(KIND, self.settings.keys[check]):
                    self._entries[check] = msgspec.msgpack.decode(data, type=dict[str, CheckResults])
        return self._entries[check]

    def _run(self, cases: Mapping[str, CodeCase]) -> Iterator[tuple[str, dict[str, CheckResults]]]:
        tests = sum(
            test.check in (case.only or ()) for case in cases.values() for test in self.grader.suite.tests
        )
        workers = self._workers_for(tests, WORTH_WORKERS)
        if workers is None:
            yield from ((name, judge(self.grader, case)) for name, case in cases.items())
            return
        futures = {
            workers.submit(_call_here, self.settings, judge, case): name for name, case in cases.items()
        }
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _results_of(self, case: CodeCase) -> dict[str, CheckResults]:
        """Return the results of a case, cached or new, by check."""
        name, found = _name(case), ((check, self._of_check(check)) for check in self.settings.keys)
        return {check: entries[name] for check, entries in found if name in entries}

    def _missing(self, case: CodeCase) -> CodeCase:
        """Return the case with those of its checks whose results are missing."""
        checks, known, late = self.assignment.manifest.checks, self._results_of(case), self._late(case)
        missing = {test.check: 0 for test in self.grader.suite.tests if test.check not in known}
        wanted = (check for check in missing if case.only is None or check in case.only)
        return case._replace(only=[check for check in wanted if not late & set(checks[check].needs)])

    def _late(self, case: CodeCase) -> set[str]:
        """Return the checks of a case that ran out of time. Checks that need them are skipped."""
        known = self._results_of(case).items()
        return {c for c, entry in known if entry.out_of_time and (case.only is None or c in case.only)}


def _name(case: CodeCase) -> str:
    """Return the cache key of a piece of code."""
    return hash_parts(case.order or "", str(case.spares_hidden), *(block.source for block in case.blocks))


@contextlib.contextmanager
def open_runner(
    assignment: Assignment,
    launcher: Launcher,
    *,
    salt: str | None = None,
    workers: ProcessPool | None = None,
    progress: Progress | None = None,
) -> Generator[Runner]:
    """Open the checks of an assignment with the answers of its author; `salt` replaces its own.

    Raises Refused and Broken.
    """
    salt = assignment.salt if salt is None else salt
    settings = _RunnerSettings(assignment.course.root, assignment.name, salt, _keys_of(assignment, salt))
    with _open_grader(assignment, launcher, settings) as grader:
        yield Runner(grader, settings, workers, progress or Progress(assignment.name))


@contextlib.contextmanager
def _open_grader(assignment: Assignment, launcher: Launcher, settings: _RunnerSettings) -> Generator[Grader]:
    """Open a grader that computes the topic's records anew."""
    files = read_sealed_answers(assignment, settings.salt)
    tables = make_tables({side: file.answers for side, file in files.items()}, files["visible"].salt)
    with open_grader(assignment, launcher, salt=settings.salt, answers=tables) as grader:
        if _keys_of(assignment, settings.salt) != settings.keys:
            raise Refused(f"{assignment.name}: the course changed during the run; run the command again")
        grader.suite.topic.compute()
        yield grader


# --- In a worker


class _Session:
    """The open checks of a worker process."""

    settings: _RunnerSettings | None = None
    grader: Grader
    stack = contextlib.ExitStack()


def _call_here(settings: _RunnerSettings, function: Callable[[Grader, A], T], argument: A) -> T:
    """Call a function with the grader of this process, which keeps the checks open for the next call."""
    if _Session.settings != settings:
        _Session.stack.close()
        _Session.settings = None
        launcher = _Session.stack.enter_context(Launcher())
        assignment = Course(settings.course).assignment(settings.assignment)
        _Session.grader = _Session.stack.enter_context(_open_grader(assignment, launcher, settings))
        _Session.settings = settings
    return function(_Session.grader, argument)

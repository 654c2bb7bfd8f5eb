"""A folder into which the work of a class is collected, each student's at one commit.

What counts of each is chosen first (the last push in time, or a remote's branch), then fetched without
a checkout, then written below DIR/STUDENT, and last the record of it. So it can be stopped at any point and
begun again: what a record tells is there, and what it tells already is not fetched again.

GitHub is asked by one request after another, at most two for a student; git fetches several at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.activity import NothingInTime, Pin, iso, moment, pin
from grader.classroom.api import Forbidden, Halted, LeftOut, NotThere
from grader.classroom.objects import Commit, ObjectError
from grader.classroom.remote import Fetcher, FetchError, NoRepository, Remote
from grader.classroom.take import Taken, take
from grader.errors import Refused
from grader.files import FileError, link_in, write_bytes
from grader.sources.choice import wanted_by
from grader.sources.collected import (
    FORMAT,
    RECORDS,
    Collected,
    State,
    blob_id,
    every_place,
    read_files,
    read_records,
    refuse_other_assignment,
    write_record,
)
from grader.sources.work import SourceError
from grader.submission import MAX_FILE

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.api import Api
    from grader.classroom.drift import HandedOut

MOST_COMMITS = 100_000  # of a branch, in the search for the last one in time
_LOCK, _WORK = ".lock", ".work"  # in DIR/.collected
_changed = msgspec.structs.replace


class CollectError(Refused):
    """The class cannot be collected; the text says why and what to do."""


@dataclass(frozen=True)
class Task:
    """One student, and where their repository is; what came until then counts."""

    student: str
    remote: Remote | None  # nobody knows of any
    name: str  # `owner/name` on GitHub, or the remote's address for people
    until: dt.datetime | None


@dataclass(frozen=True)
class Outcome:
    """What came of a student now; `kept` is the record of an earlier run that stays in its place."""

    record: Collected
    fetched: bool = True
    kept: Collected | None = None


@dataclass(frozen=True)
class Chosen:
    """What is fetched of a student, and by which `key`; `submitted` is of the push, None of a branch's head."""

    remote: Remote
    name: str
    commit: str
    notes: tuple[str, ...]
    key: str
    submitted: dt.datetime | None = None


class _Nothing(Exception):
    """A student's repository gives no work, and why, in words."""

    def __init__(self, state: State, why: str) -> None:
        super().__init__(why)
        self.state = state


class Collection:
    """A folder into which one assignment is collected."""

    def __init__(self, assignment: Assignment, folder: Path, handed_out: HandedOut) -> None:
        self.assignment, self.folder, self.handed_out = assignment, folder, handed_out
        self.wanted = wanted_by(assignment)
        self.records: dict[str, Collected] = {}
        self._ended = threading.Event()
        self.fetcher = Fetcher(folder / RECORDS / _WORK, self._ended)

    @contextlib.contextmanager
    def opened(self, waiting: Callable[[str], None]) -> Iterator[None]:
        """Keep another run out, and clear away what one that was killed left. Raises Refused."""
        records, work = self.folder / RECORDS, self.folder / RECORDS / _WORK
        with contextlib.ExitStack() as stack:
            try:
                records.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context((records / _LOCK).open("ab"))
                take_turns(
                    lock.fileno(), lambda: waiting(f"another run is at work in {self.folder}; waiting")
                )
                self.records = read_records(self.folder)
                refuse_other_assignment(self.assignment, self.folder, self.records)
                shutil.rmtree(work, ignore_errors=True)
                _remove_half_written(records)
                work.mkdir(exist_ok=True)
            except OSError as error:
                where = error.filename or self.folder
                raise CollectError(f"{where}: {error.strerror}; mend that first") from error
            stack.callback(shutil.rmtree, work, ignore_errors=True)
            yield

    # The class

    def run(
        self, tasks: Sequence[Task], api: Api | None, jobs: int, tell: Callable[[Outcome], None]
    ) -> list[Outcome]:
        """Collect these students, in their order; each is told when it is done, one at a time. Raises Refused."""
        turn = threading.Lock()

        def work(task: Task, asked: Pin | _Nothing | None) -> Outcome:
            outcome = self._outcome(task, asked)
            with turn:
                tell(outcome)
            return outcome

        pool = ThreadPoolExecutor(jobs)
        try:
            futures = [pool.submit(work, task, self._asked(task, api)) for task in tasks]
            return [future.result() for future in futures]
        except Halted as error:  # of GitHub; what git has begun may end
            raise CollectError(
                f"{error}; what was collected stays, and the same command goes on where this one stopped"
            ) from error
        except BaseException:
            self._ended.set()
            raise
        finally:
            pool.shutdown(cancel_futures=self._ended.is_set())

    def _asked(self, task: Task, api: Api | None) -> Pin | _Nothing | None:
        """What GitHub says of a student's repository; None for a plain remote. Raises Halted."""
        if task.remote is None:
            return _Nothing("missing", "the roster has neither a repository nor a name on GitHub")
        if not task.remote.on_github:
            return None
        assert api is not None
        try:
            return pin(api, task.name, task.until)
        except NothingInTime as error:
            return _Nothing("nothing", str(error))
        except NotThere:
            return _Nothing("missing", f"there is no repository {task.name}, or the token does not see it")
        except Halted:
            raise
        except (Forbidden, LeftOut) as error:
            return _Nothing("unreached", f"{task.name}: {error}")

    # A student

    def _outcome(self, task: Task, asked: Pin | _Nothing | None) -> Outcome:
        """Collect one student and keep the record, but for an earlier one that still tells of some work."""
        before = self.records.get(task.student)
        try:
            outcome = self._collected(task, asked, before)
        except _Nothing as error:
            nothing = self._record(task, state=error.state, trouble=str(error))
            if before is not None and before.files and error.state != "nothing":
                return Outcome(nothing, kept=before)
            outcome = Outcome(nothing)
        try:
            self._remove_others(outcome.record)
            write_record(self.folder, outcome.record)
        except FileError as error:
            return Outcome(self._record(task, state="unreached", trouble=str(error)))
        return outcome

    def _record(self, task: Task, **told: Any) -> Collected:
        return Collected(
            **{"assignment": self.assignment.name, "student": task.student, "repository": task.name} | told
        )

    def _collected(self, task: Task, asked: Pin | _Nothing | None, before: Collected | None) -> Outcome:
        """Raises _Nothing."""
        if isinstance(asked, _Nothing):
            raise asked
        try:
            chosen = self._chosen(task, asked)
            if (same := self._same(chosen, before)) is not None:
                return Outcome(same, fetched=False)
            commit, taken = self._taken(chosen, task.until)
            return Outcome(self._written(task, chosen, commit, taken))
        except NoRepository as error:
            raise _Nothing("missing", str(error)) from error
        except (FetchError, FileError) as error:
            raise _Nothing("unreached", str(error)) from error
        except ObjectError as error:
            raise _Nothing("unreached", f"{task.name}: what was fetched is broken: {error}") from error

    # What counts

    def _chosen(self, task: Task, asked: Pin | None) -> Chosen:
        """The commit to fetch. Raises _Nothing, FetchError."""
        assert task.remote is not None
        if asked is not None and asked.commit:
            remote, key = task.remote.called(asked.repository), self._key("push", asked.commit)
            return Chosen(remote, asked.repository, asked.commit, asked.notes, key, asked.submitted)
        remote, name, notes = task.remote, task.name, list[str]()
        if asked is not None:
            remote, name = remote.called(asked.repository), asked.repository
            notes = [*asked.notes, "GitHub knows of no push to it; the time is the commit's own"]
        head = self.fetcher.head(remote)
        if head is None:
            raise _Nothing("empty", "the repository is empty: nothing was pushed")
        notes += [head.note] if head.note else []
        return Chosen(
            remote, name, head.commit, tuple(notes), self._key("branch", head.commit, iso(task.until))
        )

    def _key(self, *told: str) -> str:
        """A hash of all that has a say in what is fetched and taken."""
        notebooks = sorted({blob_id(data, "") for data in self.handed_out.notebooks})
        parts = [str(FORMAT), *told, *every_place(self.assignment), *notebooks]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _same(self, chosen: Chosen, before: Collected | None) -> Collected | None:
        """The record that is there, where it tells of the same work and its files are there."""
        if before is None or before.key != chosen.key:
            return None
        try:
            for _ in read_files(self.folder, before):
                pass
        except SourceError:
            return None
        return _changed(
            before,
            repository=chosen.name,
            submitted=iso(chosen.submitted) or before.submitted,
            notes=(*chosen.notes, *before.remarks),
            drift=self.handed_out.drift(before.protected),
        )

    def now(self, task: Task, api: Api) -> tuple[str, str]:
        """Return the commit that counts of a student at this moment, and the key of its record; "" where none does.

        Raises LeftOut, FetchError.
        """
        asked = self._asked(task, api)
        if isinstance(asked, _Nothing):
            if asked.state == "unreached":
                raise LeftOut(str(asked))
            return "", ""
        try:
            chosen = self._chosen(task, asked)
        except _Nothing:
            return "", ""
        return chosen.commit, chosen.key

    # What is taken

    def _taken(self, chosen: Chosen, until: dt.datetime | None) -> tuple[Commit, Taken]:
        """Fetch the commit, or of a branch the last one in time. Raises _Nothing, FetchError, ObjectError."""
        with self.fetcher.commit(chosen.remote, chosen.commit, MAX_FILE) as objects:
            commit = objects.commit(chosen.commit)
            if chosen.submitted is not None or _in_time(commit, until):
                return commit, take(self.assignment, self.wanted, self.handed_out, objects, commit)
        commit, remark = self._last_in_time(chosen.remote, commit, until)
        with self.fetcher.commit(chosen.remote, commit.id, MAX_FILE) as objects:
            taken = take(self.assignment, self.wanted, self.handed_out, objects, commit)
        return commit, replace(taken, remarks=(remark, *taken.remarks))

    def _last_in_time(self, remote: Remote, head: Commit, until: dt.datetime | None) -> tuple[Commit, str]:
        """The newest commit of a branch's own line that is in time, and what is to be said of it."""
        assert until is not None
        with self.fetcher.history(remote, head.id) as objects:
            commit, passed = head, 0
            while not _in_time(commit, until):
                passed += 1
                if not commit.parents or passed > MOST_COMMITS:
                    raise _Nothing(
                        "nothing", f"nothing was committed until {moment(until)}, by the commits' own dates"
                    )
                commit = objects.commit(commit.parents[0])
        newer = f"{passed} newer commit{'s' * (passed != 1)}"
        return commit, f"{newer}, by their own dates after {moment(until)}, passed over"

    def _written(self, task: Task, chosen: Chosen, commit: Commit, taken: Taken) -> Collected:
        """Write the files, and give the record of them. Raises FileError."""
        for file in taken.files:
            path = self.folder / task.student / file.place
            write_bytes(path, file.data, self.folder, make_folder=True)
        return self._record(
            task,
            repository=chosen.name,
            commit=commit.id,
            files=tuple(file.place for file in taken.files),
            names=tuple(file.name for file in taken.files),
            hashes=tuple(file.hash for file in taken.files),
            submitted=iso(chosen.submitted or commit.time),
            verified=chosen.submitted is not None,
            drift=self.handed_out.drift(taken.protected),
            trouble=taken.trouble,
            notes=(*chosen.notes, *taken.remarks),
            remarks=taken.remarks,
            state="there" if taken.files else "nothing",
            protected=taken.protected,
            key=chosen.key,
        )

    def _remove_others(self, record: Collected) -> None:
        """Remove what an earlier run took and this one did not, or had not written yet. Raises FileError."""
        top = self.folder / record.student
        for place in every_place(self.assignment):
            path = top / place
            if link_in(self.folder, path.parent) is not None:
                continue
            try:
                _remove_half_written(path.parent)
                if place not in record.files:
                    path.unlink(missing_ok=True)
                    _remove_empty(path.parent, top.parent)
            except NotADirectoryError:
                continue
            except OSError as error:
                raise FileError(f"{path}: cannot be removed: {error.strerror}") from error


def _remove_half_written(folder: Path) -> None:
    """Files of ours that a killed run had not put in their places."""
    for path in folder.glob(".*.backgrade"):
        path.unlink(missing_ok=True)


def _in_time(commit: Commit, until: dt.datetime | None) -> bool:
    return until is None or (commit.time is not None and commit.time <= until)


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def take_turns(number: int, wait: Callable[[], None]) -> None:
    """Hold the file of that number for this process alone, for as long as it is open."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs at once fetch twice, and write the same
        return
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        wait()
        fcntl.flock(number, fcntl.LOCK_EX)

"""The folder into which `grade collect` writes the work of a class: one commit per student, two if work is late.

For each student, selection.py chooses and fetches the work that counts. Its files are written below DIR/STUDENT, and then
its record. So a run can be stopped at any point and repeated: if there is a record, its files exist and are not fetched
again. The repository of a team is fetched once, and each of its students gets the files.

GitHub's API gets one request after another: two per student, more only for over a hundred pushes. Git fetches several
students at once.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from grader.assignment import COLLECTED
from grader.classroom.collect.pushes import NothingTaken, PushHistory, find_elsewhere, iso, moment
from grader.classroom.collect.selection import Selector
from grader.classroom.git.process import GitError
from grader.classroom.git.remote import Fetcher
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.classroom.release.plan import remove_empty
from grader.classroom.release.protected import HandedOut
from grader.errors import Refused, reason_of
from grader.files import link_in, write_bytes
from grader.gradebook.roster import by_repository
from grader.submissions.collected import (
    CollectedWork,
    Version,
    every_place,
    in_time_place,
    read_collected_records,
    read_files,
    refuse_other_folder,
    write_record,
)
from grader.submissions.states import (
    NOT_WORKED,
    UNKNOWN,
    Empty,
    NoRepository,
    NotTaken,
    PushedNothing,
    Unreached,
    Untouched,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.collect.pushes import CollectTask
    from grader.classroom.collect.selection import TakenFiles
    from grader.classroom.collect.versions import BranchState, Choice, Period
    from grader.classroom.github.api import Api
    from grader.submissions.states import State

SHOWN = 3  # pushes by others that are listed
_LOCK, _WORK = ".lock", ".work"  # names in DIR/.collected
_changed = msgspec.structs.replace


@dataclass(frozen=True)
class CollectionResult:
    """The result for a student: the new record, or `kept`, an earlier record that stays instead."""

    record: CollectedWork
    fetched: bool = True
    kept: CollectedWork | None = None


class Collection:
    """A folder into which one assignment is collected."""

    def __init__(self, assignment: Assignment, folder: Path, instructors: frozenset[str]) -> None:
        """Pushes of `instructors`, logins in lower case, are not the student's work. Raises Refused."""
        self.assignment, self.folder = assignment, folder
        self.records: dict[str, CollectedWork] = {}
        self._ended = threading.Event()
        fetcher = Fetcher(folder / COLLECTED / _WORK, self._ended)
        self.selector, self.handed_out = Selector(assignment, instructors, fetcher), HandedOut(assignment)

    @contextlib.contextmanager
    def open(self, waiting: Callable[[str], None]) -> Iterator[None]:
        """Lock the folder, and remove the leftovers of a killed run. Raises Refused."""
        records, work = self.folder / COLLECTED, self.folder / COLLECTED / _WORK
        with contextlib.ExitStack() as stack:
            try:
                records.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context((records / _LOCK).open("ab"))
                take_turns(lock.fileno(), lambda: waiting(f"another run is using {self.folder}; waiting"))
                self.records = read_collected_records(self.folder)
                refuse_other_folder(self.assignment, self.folder, self.records)
                shutil.rmtree(work, ignore_errors=True)
                _remove_half_written(records)
                work.mkdir(exist_ok=True)
            except OSError as error:
                where = error.filename or self.folder
                raise Refused(f"{where}: {reason_of(error)}; fix that first") from error
            stack.callback(shutil.rmtree, work, ignore_errors=True)
            yield

    # The class

    def run(
        self,
        tasks: Sequence[CollectTask],
        api: Api | None,
        jobs: int,
        tell: Callable[[CollectionResult], None],
    ) -> list[CollectionResult]:
        """Collect these students in order; `tell` is called after each, one at a time. Raises Refused."""
        turn = threading.Lock()

        def work(team: Sequence[tuple[CollectTask, PushHistory | NothingTaken]]) -> list[CollectionResult]:
            outcomes: list[CollectionResult] = []
            selections: dict[str, tuple[Choice, dict[str, TakenFiles]]] = {}
            for task, asked in team:
                outcomes.append(self._outcome(task, asked, selections))
                with turn:
                    tell(outcomes[-1])
            return outcomes

        pool = ThreadPoolExecutor(jobs)
        try:
            teams = by_repository((task, task.name or f"none: {task.student}") for task in tasks).values()
            futures = [pool.submit(work, self._ask_pushes(team, api)) for team in teams]
            done = {outcome.record.student: outcome for future in futures for outcome in future.result()}
            return self._explain_missing([done[task.student] for task in tasks], tasks, api)
        except GitHubUnavailable as error:  # running processes of git finish
            raise Refused(
                f"{error}; collected work is kept, so run the same command later to continue"
            ) from error
        except BaseException:
            self._ended.set()
            raise
        finally:
            pool.shutdown(cancel_futures=self._ended.is_set())

    def _ask_pushes(
        self, team: Sequence[CollectTask], api: Api | None
    ) -> list[tuple[CollectTask, PushHistory | NothingTaken]]:
        """Ask GitHub for a team's pushes, once for each period. Raises GitHubUnavailable."""
        known: dict[Period, PushHistory | NothingTaken] = {}
        for task in team:
            if task.period not in known:
                known[task.period] = self.selector.ask_pushes(task, api)
            asked = known[task.period]
            if isinstance(asked, PushHistory):
                self.selector.pins[task.student] = asked
        return [(task, known[task.period]) for task in team]

    # Students without work

    def _explain_missing(
        self, outcomes: list[CollectionResult], tasks: Sequence[CollectTask], api: Api | None
    ) -> list[CollectionResult]:
        """Add the reason why a student has no work, if GitHub shows it. Raises GitHubUnavailable."""
        pins, pushes, explained = self.selector.pins, self._pushes(), []
        for task, outcome in zip(tasks, outcomes, strict=True):
            state = None
            if api is not None and task.student in pins and self._is_suspect(outcome):
                with contextlib.suppress(RequestFailed):
                    state = find_elsewhere(api, task, pins[task.student], pushes)
            explained.append(self._with(outcome, state))
        return explained

    def _pushes(self) -> dict[str, list[tuple[dt.datetime, str]]]:
        """Return time and repository of every push of the class, by login in lower case."""
        found: dict[str, list[tuple[dt.datetime, str]]] = {}
        for pinned in self.selector.pins.values():
            for push in pinned.states if pinned.verified else ():
                if push.time is not None:
                    found.setdefault(push.by.casefold(), []).append((push.time, pinned.repository))
        return found

    def _is_suspect(self, outcome: CollectionResult) -> bool:
        """Return True if nothing was taken, or only the untouched notebook."""
        record = outcome.record
        if record.in_time is not None:
            return False
        if not record.files:
            return isinstance(record.state, Empty) or bool(record.commit)
        return isinstance(record.state, NOT_WORKED)

    def _with(self, outcome: CollectionResult, found: State | None) -> CollectionResult:
        """Put the state into the record, and write it."""
        record = outcome.record
        if found is None or (isinstance(found, PushedNothing) and not record.files):
            return outcome
        if isinstance(found, PushedNothing):
            return self._write_record(replace(outcome, record=_changed(record, state=found)))
        changed = _changed(record, files=(), names=(), hashes=(), in_time=None, state=found, key="")
        return self._write_record(CollectionResult(changed))

    # A student

    def _outcome(
        self,
        task: CollectTask,
        asked: PushHistory | NothingTaken,
        selections: dict[str, tuple[Choice, dict[str, TakenFiles]]],
    ) -> CollectionResult:
        """Collect one student, and write the record; if no work is found, an earlier record with work stays.

        `selections` caches the selections of the student's team, by key.
        """
        before = self.records.get(task.student)
        try:
            outcome = self._collect(task, asked, before, selections)
        except NothingTaken as error:
            name, state = self.assignment.name, error.state
            nothing = CollectedWork(assignment=name, student=task.student, repository=task.name, state=state)
            if before is not None and before.files and isinstance(error.state, (*UNKNOWN, Empty)):
                return CollectionResult(nothing, kept=before)
            outcome = CollectionResult(nothing)
        return self._write_record(outcome)

    def _write_record(self, outcome: CollectionResult) -> CollectionResult:
        """Write the record, and remove the files that it does not list."""
        try:
            self._remove_others(outcome.record)
            write_record(self.folder, outcome.record)
        except Refused as error:
            about = {name: getattr(outcome.record, name) for name in ("assignment", "student", "repository")}
            return CollectionResult(CollectedWork(**about, state=Unreached(str(error))))
        return outcome

    def _collect(
        self,
        task: CollectTask,
        asked: PushHistory | NothingTaken,
        before: CollectedWork | None,
        selections: dict[str, tuple[Choice, dict[str, TakenFiles]]],
    ) -> CollectionResult:
        """Return the result of collecting; its record is `before` if nothing has changed. Raises NothingTaken."""
        if isinstance(asked, NothingTaken):
            raise asked
        key = self.selector.key(task, asked)
        try:
            if (same := self._same(asked, key, before)) is not None:
                later = self.selector.later(task, asked, same.commit, same.later)
                return CollectionResult(_changed(same, later=later), fetched=False)
            if key not in selections:
                selections[key] = self.selector.select(task, asked)
            record = self._fetch(task, asked, key, *selections[key])
            return CollectionResult(_changed(record, later=self.selector.later(task, asked, record.commit)))
        except GitError as error:
            if error.cause == "no repository":
                raise NothingTaken(NoRepository(task.name)) from error
            is_read = error.cause in {"", "no commit"}
            where = "" if is_read else f"{task.name}: the fetched repository is broken: "
            raise NothingTaken(Unreached(f"{where}{error}", task.name)) from error

    def _same(self, history: PushHistory, key: str, before: CollectedWork | None) -> CollectedWork | None:
        """Return the earlier record, if it describes the same work and its files are unchanged."""
        if before is None or before.key != key:
            return None
        try:
            for version in before.versions:
                deque(read_files(self.folder / before.student, version), maxlen=0)
        except Refused:
            return None
        at = (before.commit, before.submitted)
        last = next((state for state in history.states if (state.commit, iso(state.time)) == at), None)
        return _changed(
            before,
            state=Untouched() if isinstance(before.state, PushedNothing) else before.state,
            repository=history.repository,
            notes=(*history.notes, *_force_notes(history.states, last), *before.remarks),
            drift=self.handed_out.drift(before.protected),
        )

    def _fetch(
        self, task: CollectTask, history: PushHistory, key: str, choice: Choice, taken: dict[str, TakenFiles]
    ) -> CollectedWork:
        """Write the work that counts, and return the record. Raises NothingTaken."""
        last = taken[choice.last.commit]
        remarks = (*_remarks_about(choice, history), *last.remarks)
        protected = taken[choice.newest.commit].protected
        in_time = None
        if choice.in_time is not None:
            in_time = self._write_version(task, history, choice.in_time, taken, in_time_place)
        version = self._write_version(task, history, choice.last, taken, str)
        found = {
            "notes": (*history.notes, *_force_notes(history.states, choice.last), *remarks),
            "not_taken": tuple(
                NotTaken(push.by, iso(push.time), history.verified) for push in choice.refused[:SHOWN]
            ),
            "state": last.state,
        }
        return CollectedWork(
            **msgspec.structs.asdict(version) | found,
            assignment=self.assignment.name,
            in_time=in_time,
            drift=self.handed_out.drift(protected),
            remarks=remarks,
            protected=protected,
            key=key,
        )

    def _write_version(
        self,
        task: CollectTask,
        history: PushHistory,
        state: BranchState,
        taken: dict[str, TakenFiles],
        place: Callable[[str], str],
    ) -> Version:
        """Write the files of a commit, each to its `place`, and return the version. Raises NothingTaken."""
        files = taken[state.commit].files
        for file in files:
            path = self.folder / task.student / place(file.place)
            try:
                write_bytes(path, file.data, self.folder, make_folder=True)
            except Refused as error:
                raise NothingTaken(Unreached(str(error))) from error
        return Version(
            name=files[0].name if files else "",
            student=task.student,
            repository=history.repository,
            commit=state.commit,
            files=tuple(place(file.place) for file in files),
            names=tuple(file.name for file in files),
            hashes=tuple(file.hash for file in files),
            submitted=iso(state.time),
            verified=history.verified,
        )

    def _remove_others(self, record: CollectedWork) -> None:
        """Remove files of an earlier run that the new record does not list. Raises Refused."""
        top = self.folder / record.student
        written = {place for version in record.versions for place in version.files}
        places = every_place(self.assignment)
        for place in [*places, *map(in_time_place, places)]:
            path = top / place
            if link_in(self.folder, path.parent) is not None:
                continue
            try:
                _remove_half_written(path.parent)
                if place in written:
                    continue
                if os.path.lexists(path):
                    path.unlink()
                remove_empty(path.parent, top.parent)
            except NotADirectoryError:
                continue
            except OSError as error:
                raise Refused(f"{path}: cannot be removed: {error.strerror}") from error


def _force_notes(pushes: Sequence[BranchState], taken: BranchState | None) -> list[str]:
    """Return a note for each force push that brought the collected work, or came after it."""
    if taken is None or taken not in pushes:
        return []
    notes = [
        f"a force push on {moment(taken.time)} brought the work; it may have replaced earlier commits"
    ] * taken.forced
    later = pushes[: pushes.index(taken)]
    return notes + [
        f"force-pushed on {moment(push.time)}, after the work that counts" for push in later if push.forced
    ]


def _remarks_about(choice: Choice, history: PushHistory) -> list[str]:
    """Return remarks about ignored pushes, and about a late one that changed nothing."""
    what = "push" if history.verified else "commit"
    remarks = [
        f"ignored a {what} by {push.by} on {moment(push.time)} that changed the work"
        for push in choice.refused[:SHOWN]
    ]
    more = len(choice.refused) - SHOWN
    remarks += [f"ignored {more} more like it"] if more > 0 else []
    unchanged = (
        f"the {what} of {moment(choice.newest.time)} has the same work as an earlier {what}, which counts"
    )
    return [*remarks, unchanged] if choice.unchanged else remarks


def _remove_half_written(folder: Path) -> None:
    """Remove temporary files that a killed run left."""
    for path in folder.glob(".*.backgrade"):
        path.unlink(missing_ok=True)


def take_turns(number: int, wait: Callable[[], None]) -> None:
    """Lock an open file for this process until it is closed; call `wait` before waiting for another process."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs at once fetch twice and write the same files
        return
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        wait()
        fcntl.flock(number, fcntl.LOCK_EX)

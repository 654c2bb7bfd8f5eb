"""A folder into which the work of a class is collected, each student's at one commit, or at two where it is late.

What counts of each is chosen first (grader.classroom.collect.versions, of GitHub's pushes or a remote's commits), then
fetched without a checkout, then written below DIR/STUDENT, and last the record of it. So it can be stopped at any
point and begun again: what a record tells is there, and what it tells already is not fetched again.

GitHub is asked by one request after another: two for a student, and more only for over a hundred pushes. Git
fetches several students at once, each once; folders alone are fetched before that where a push was late, or not
the student's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.collect.elsewhere import Finding, Push, Suspect, find_elsewhere, of_branches
from grader.classroom.collect.objects import Commit, ObjectError, Objects
from grader.classroom.collect.remote import CommitGone, Fetcher, FetchError, Head, NoRepository, Remote
from grader.classroom.collect.take import Taken, content, take
from grader.classroom.collect.versions import (
    MOST_EARLY,
    Choice,
    Content,
    Period,
    State,
    choose,
    is_somebody_else,
    to_compare,
)
from grader.classroom.github.activity import LONGEST, NothingInTime, Pin, iso, moment, of_force, pin
from grader.classroom.github.api import Forbidden, Halted, LeftOut, NotThere
from grader.errors import Refused
from grader.files import FileError, link_in, write_bytes
from grader.gradebook.sentences import NOT_TAKEN
from grader.render import one_line
from grader.report import clean
from grader.submissions.choice import wanted_by
from grader.submissions.collected import (
    FORMAT,
    RECORDS,
    Collected,
    Version,
    blob_id,
    every_place,
    in_time_place,
    read_files,
    read_records,
    refuse_other_assignment,
    write_record,
)
from grader.submissions.submission import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.collect.drift import HandedOut
    from grader.classroom.github.api import Api
    from grader.submissions.collected import State as Why

MOST_COMMITS = 100_000  # of a branch, in the search for the last one in time
SHOWN = 3  # pushes of others that are told
_LOCK, _WORK = ".lock", ".work"  # in DIR/.collected
_changed = msgspec.structs.replace


@dataclass(frozen=True)
class Task:
    """One student, where their repository is, and which pushes count."""

    student: str
    remote: Remote | None  # nobody knows of any
    name: str  # `owner/name` on GitHub, or the remote's address for people
    period: Period
    github: str = ""  # the student's name there


@dataclass(frozen=True)
class Outcome:
    """The record of a student made now; `kept` is the one of an earlier run that stays in its place.

    `why` tells of work that is as it was handed out.
    """

    record: Collected
    fetched: bool = True
    kept: Collected | None = None
    why: str = ""


@dataclass(frozen=True)
class Repository:
    """A student's repository, before anything is fetched from it.

    `pushes` are GitHub's, the newest first; without them `head` is the branch's commit. With the same `key` nothing
    else would be taken.
    """

    remote: Remote
    name: str
    notes: tuple[str, ...]
    key: str
    pushes: tuple[State, ...] = ()
    head: str = ""


class _Nothing(Exception):
    """A student's repository gives no work, and why, in words."""

    def __init__(self, state: Why, why: str) -> None:
        super().__init__(why)
        self.state = state


class Collection:
    """A folder into which one assignment is collected."""

    def __init__(
        self, assignment: Assignment, folder: Path, handed_out: HandedOut, instructors: frozenset[str]
    ) -> None:
        """`instructors` are logins in lower case, whose pushes are nobody's work."""
        self.assignment, self.folder, self.handed_out = assignment, folder, handed_out
        self.instructors = instructors
        self.wanted = wanted_by(assignment)
        self.records: dict[str, Collected] = {}
        self._pins: dict[str, Pin] = {}  # by student
        self._heads: dict[str, Head] = {}  # of plain remotes, by student
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
                raise Refused(f"{where}: {error.strerror}; mend that first") from error
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
            return self._explained([future.result() for future in futures], tasks, api)
        except Halted as error:  # of GitHub; what git has begun may end
            raise Refused(
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
            self._pins[task.student] = pin(api, task.name, task.period, self.instructors)
            return self._pins[task.student]
        except NothingInTime as error:
            return _Nothing("nothing", str(error))
        except NotThere:
            return _Nothing("missing", f"there is no repository {task.name}, or the token does not see it")
        except Halted:
            raise
        except (Forbidden, LeftOut) as error:
            return _Nothing("unreached", f"{task.name}: {error}")

    # Who has nothing

    def _explained(self, outcomes: list[Outcome], tasks: Sequence[Task], api: Api | None) -> list[Outcome]:
        """Add where the work is of which nothing was taken, so far as GitHub or git tells. Raises Halted."""
        of = {outcome.record.student: outcome for outcome in outcomes if self._is_suspect(outcome)}
        found = self._of_remotes(of)
        suspects = [
            Suspect(
                task.student,
                task.github,
                of[task.student].record.repository,
                self._pins[task.student].branch,
                task.period.until,
            )
            for task in tasks
            if task.student in of and task.student in self._pins
        ]
        if api is not None and suspects:
            found |= find_elsewhere(api, suspects, self._pushes())
        return [self._with(outcome, found.get(outcome.record.student)) for outcome in outcomes]

    def _of_remotes(self, students: Iterable[str]) -> dict[str, Finding]:
        heads = {student: self._heads[student] for student in students if student in self._heads}
        found = {student: of_branches(head.branch, head.others) for student, head in heads.items()}
        return {student: finding for student, finding in found.items() if finding is not None}

    def _pushes(self) -> dict[str, list[Push]]:
        """Return all pushes of the class, by the pusher's folded login."""
        found: dict[str, list[Push]] = {}
        for pinned in self._pins.values():
            for push in pinned.pushes:
                if push.time is not None:
                    found.setdefault(push.by.casefold(), []).append(Push(pinned.repository, push.time))
        return found

    def _is_suspect(self, outcome: Outcome) -> bool:
        """True where nothing was taken, or the untouched notebook without other work in time."""
        record = outcome.record
        if record.in_time is not None:
            return False
        if not record.files:
            return record.state == "empty" or (record.state == "nothing" and bool(record.commit))
        own = record.hashes[0]
        return self.handed_out.untouched(own) or own == blob_id(self.wanted.pristine, own)

    def _with(self, outcome: Outcome, finding: Finding | None) -> Outcome:
        """Keep the record with what was found out."""
        if finding is None:
            return outcome
        record, note = outcome.record, finding.why
        if finding.state == "there":
            if not record.files:
                return outcome
            changed = _changed(record, notes=(*record.notes, note))
            return replace(self._kept(replace(outcome, record=changed)), why=note)
        if finding.state == "nothing":
            note = f"{record.trouble or 'the notebook is as it was handed out'}; {note}"
        changed = _changed(
            record, files=(), names=(), hashes=(), in_time=None, state=finding.state, trouble=note, key=""
        )
        return self._kept(Outcome(changed))

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
        return self._kept(outcome)

    def _kept(self, outcome: Outcome) -> Outcome:
        """Write the record, and remove what it does not tell of."""
        try:
            self._remove_others(outcome.record)
            write_record(self.folder, outcome.record)
        except FileError as error:
            told = outcome.record
            return Outcome(
                Collected(
                    assignment=told.assignment,
                    student=told.student,
                    repository=told.repository,
                    state="unreached",
                    trouble=str(error),
                )
            )
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
            found = self._found(task, asked)
            if (same := self._same(found, before)) is not None:
                return Outcome(same, fetched=False)
            return Outcome(self._fetched(task, found))
        except NoRepository as error:
            raise _Nothing("missing", str(error)) from error
        except (FetchError, FileError) as error:
            raise _Nothing("unreached", str(error)) from error
        except ObjectError as error:
            raise _Nothing("unreached", f"{task.name}: what was fetched is broken: {error}") from error

    # What counts

    def _found(self, task: Task, asked: Pin | None) -> Repository:
        """Return the repository, with GitHub's pushes or the branch's head. Raises _Nothing, FetchError."""
        assert task.remote is not None
        period = task.period
        if asked is not None and asked.pushes:
            remote = task.remote.called(asked.repository)
            compared = to_compare(asked.pushes, period)
            told = [
                f"{push.commit} {iso(push.time)} {push.own} {period.is_in_time(push.time)}"
                for push in compared
            ]
            key = self._key("push", str(period.best), *told)
            return Repository(remote, asked.repository, asked.notes, key, asked.pushes)
        remote, name, notes = task.remote, task.name, list[str]()
        if asked is not None:
            remote, name = remote.called(asked.repository), asked.repository
            notes = [*asked.notes, "GitHub knows of no push to it; the time is the commit's own"]
        head = self.fetcher.head(remote)
        if head is None:
            raise _Nothing("empty", "the repository is empty: nothing was pushed")
        self._heads[task.student] = head
        notes += [head.note] if head.note else []
        rule = (iso(period.until), iso(period.in_time), str(period.best), *sorted(self.instructors))
        key = self._key("branch", head.commit, *rule)
        return Repository(remote, name, tuple(notes), key, head=head.commit)

    def _key(self, *told: str) -> str:
        """A hash of all that has a say in what is fetched and taken."""
        notebooks = sorted({blob_id(data, "") for data in self.handed_out.notebooks})
        parts = [str(FORMAT), *told, *every_place(self.assignment), *notebooks]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _same(self, found: Repository, before: Collected | None) -> Collected | None:
        """Return the record that is there, where it tells of the same work and its files are there."""
        if before is None or before.key != found.key:
            return None
        try:
            for version in before.versions:
                deque(read_files(self.folder / before.student, version), maxlen=0)
        except Refused:
            return None
        taken = [
            push
            for push in found.pushes
            if (push.commit, iso(push.time)) == (before.commit, before.submitted)
        ]
        forced = of_force(found.pushes, taken[0]) if taken else []
        return _changed(
            before,
            repository=found.name,
            notes=(*found.notes, *forced, *before.remarks),
            drift=self.handed_out.drift(before.protected),
        )

    def _choice(self, task: Task, found: Repository) -> tuple[Choice, list[str]]:
        """Choose what counts, with remarks about it. Raises _Nothing, FetchError, ObjectError."""
        pushes, remarks = (found.pushes, list[str]()) if found.pushes else self._commits(task, found)
        states = to_compare(pushes, task.period)
        if len(states) == 1:
            return Choice(states[0], states[0]), remarks
        contents = self._contents(found.remote, states)
        choice = choose([state for state in states if state.commit in contents], task.period, contents)
        return choice, [*remarks, *_remarks(choice)]

    def _commits(self, task: Task, found: Repository) -> tuple[tuple[State, ...], list[str]]:
        """Return the commits of a branch's own line that count, by their own dates, the newest first.

        It goes back as far as `to_compare` looks. Raises _Nothing, FetchError, ObjectError.
        """
        period, states, passed, early = task.period, list[State](), 0, 0
        with self.fetcher.history(found.remote, found.head) as objects:
            for commit in _line(objects, found.head):
                if period.counts(commit.time):
                    states.append(_state(commit, self.instructors))
                    early += period.is_in_time(commit.time)
                passed += not states
                if early == MOST_EARLY:
                    break
        when = moment(period.until)
        if not states:
            raise _Nothing("nothing", f"nothing was committed until {when}, by the commits' own dates")
        newer = f"{passed} newer commit{'s' * (passed != 1)}"
        return tuple(states), [f"{newer}, by their own dates after {when}, passed over"] if passed else []

    def _contents(self, remote: Remote, states: Sequence[State]) -> dict[str, Content]:
        """Return the work of each state by its commit; an older one may be gone. Raises FetchError, ObjectError."""
        commits = list(dict.fromkeys(state.commit for state in states))
        try:
            return self._contents_of(remote, commits)
        except CommitGone:
            contents = self._contents_of(remote, commits[-1:])
            for commit in commits[:-1]:
                with contextlib.suppress(CommitGone):
                    contents |= self._contents_of(remote, [commit])
            return contents

    def _contents_of(self, remote: Remote, commits: Sequence[str]) -> dict[str, Content]:
        with self.fetcher.folders(remote, commits) as objects:
            wanted, handed_out = self.wanted, self.handed_out
            return {id_: content(wanted, handed_out, objects, objects.commit(id_)) for id_ in commits}

    def now(self, task: Task, api: Api) -> tuple[State | None, str]:
        """Return a student's newest push that counts at this moment, if any, and the key of a record of it.

        Raises LeftOut, FetchError.
        """
        asked = self._asked(task, api)
        if isinstance(asked, _Nothing) and asked.state in {"missing", "unreached"}:
            raise LeftOut(str(asked))
        try:
            if isinstance(asked, _Nothing):
                raise asked
            found = self._found(task, asked)
        except _Nothing:
            return None, ""
        mine = (push for push in found.pushes if push.own and task.period.counts(push.time))
        return next(mine, State(found.head, None) if found.head else None), found.key

    # What is taken

    def _alone(self, task: Task, found: Repository) -> tuple[Choice, list[str], dict[str, Taken]] | None:
        """Take a plain remote's head, where its own date and author leave nothing to compare."""
        if found.pushes or self.instructors:
            return None
        with self.fetcher.commit(found.remote, found.head, MAX_FILE) as objects:
            head = _state(objects.commit(found.head), self.instructors)
            if not (head.own and task.period.counts(head.time) and task.period.is_in_time(head.time)):
                return None
            return Choice(head, head), [], self._taken(objects, [head.commit])

    def _chosen(self, task: Task, found: Repository) -> tuple[Choice, list[str], dict[str, Taken]]:
        """Choose what counts and take it, with remarks. Raises _Nothing, FetchError, ObjectError."""
        choice, remarks = self._choice(task, found)
        states = [state for state in (choice.last, choice.in_time, choice.newest) if state]
        commits = list(dict.fromkeys(state.commit for state in states))
        with self.fetcher.commits(found.remote, commits, MAX_FILE) as objects:
            return choice, remarks, self._taken(objects, commits)

    def _taken(self, objects: Objects, commits: Sequence[str]) -> dict[str, Taken]:
        given = (self.assignment, self.wanted, self.handed_out, objects)
        return {id_: take(*given, objects.commit(id_)) for id_ in commits}

    def _fetched(self, task: Task, found: Repository) -> Collected:
        """Fetch what counts, write it, and return the record. Raises _Nothing, FetchError, ObjectError, FileError."""
        choice, remarks, taken = self._alone(task, found) or self._chosen(task, found)
        last = taken[choice.last.commit]
        remarks += last.remarks
        protected = taken[choice.newest.commit].protected
        in_time = choice.in_time and self._written(task, found, choice.in_time, taken, in_time_place)
        version = self._written(task, found, choice.last, taken, str)
        return self._record(
            task,
            **msgspec.structs.asdict(version),
            repository=found.name,
            in_time=in_time,
            drift=self.handed_out.drift(protected),
            trouble=last.trouble,
            notes=(*found.notes, *of_force(found.pushes, choice.last), *remarks),
            remarks=tuple(remarks),
            state="there" if last.files else "nothing",
            protected=protected,
            key=found.key,
        )

    def _written(
        self,
        task: Task,
        found: Repository,
        state: State,
        taken: dict[str, Taken],
        place: Callable[[str], str],
    ) -> Version:
        """Write the files of a state, each at its `place`, and return where they are. Raises FileError."""
        files = taken[state.commit].files
        for file in files:
            path = self.folder / task.student / place(file.place)
            write_bytes(path, file.data, self.folder, make_folder=True)
        return Version(
            commit=state.commit,
            files=tuple(place(file.place) for file in files),
            names=tuple(file.name for file in files),
            hashes=tuple(file.hash for file in files),
            submitted=iso(state.time),
            verified=bool(found.pushes),
        )

    def _remove_others(self, record: Collected) -> None:
        """Remove what an earlier run took and this one did not, or had not written yet. Raises FileError."""
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
                _remove_empty(path.parent, top.parent)
            except NotADirectoryError:
                continue
            except OSError as error:
                raise FileError(f"{path}: cannot be removed: {error.strerror}") from error


def _remove_half_written(folder: Path) -> None:
    """Files of ours that a killed run had not put in their places."""
    for path in folder.glob(".*.backgrade"):
        path.unlink(missing_ok=True)


def _line(objects: Objects, head: str) -> Iterator[Commit]:
    """Yield a branch's own line of commits, the newest first: merges by their first parent. Raises ObjectError."""
    commit = objects.commit(head)
    yield commit
    for _ in range(MOST_COMMITS):
        if not commit.parents:
            return
        commit = objects.commit(commit.parents[0])
        yield commit


def _state(commit: Commit, instructors: frozenset[str]) -> State:
    name = one_line(clean(commit.author[0], LONGEST)) if commit.author else ""
    return State(commit.id, commit.time, name, own=not is_somebody_else(commit.author, instructors))


def _remarks(choice: Choice) -> list[str]:
    """Tell which pushes were not taken, and that a late one left the work as it was."""
    told = [f"a push of {push.by} on {moment(push.time)} {NOT_TAKEN}" for push in choice.refused[:SHOWN]]
    more = len(choice.refused) - SHOWN
    told += [f"{more} more such push{'es' * (more > 1)}"] if more > 0 else []
    unchanged = f"the push of {moment(choice.newest.time)} left the work as it was"
    return [*told, unchanged] if choice.unchanged else told


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

"""The work of one student: which commits of the repository count, and the files that are taken from them.

GitHub's pushes, or else the branch's commits, are listed first (pushes.py), chosen by versions.py, and then fetched. Before the
choice only what it needs is fetched, and only if a push was late or not the student's: the folders, and, if these show
different submissions, the submissions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.classroom.collect.pushes import LONGEST, NothingTaken, PushHistory, iso, moment, pin
from grader.classroom.collect.take import GitHash, Taken, listed, take
from grader.classroom.collect.versions import (
    MOST_EARLY,
    BranchState,
    Choice,
    Content,
    Period,
    choose,
    is_instructor_or_bot,
    to_compare,
)
from grader.classroom.git.process import GitError
from grader.classroom.github.failures import RequestFailed
from grader.classroom.release.contents import lineage
from grader.render import escape_line
from grader.report import sanitize
from grader.submissions.choice import wanted_by
from grader.submissions.collected import FORMAT, every_place
from grader.submissions.handed_out import graded_part
from grader.submissions.states import UNKNOWN, Empty, Later, NoRepository, TooLate, Unreached
from grader.submissions.submission import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.classroom.collect.handed_out import HandedOut
    from grader.classroom.collect.take import FolderListing
    from grader.classroom.git.objects import Commit, Objects
    from grader.classroom.git.remote import Fetcher, Remote
    from grader.classroom.github.api import Api

MOST_COMMITS = 100_000  # commits of a branch, in the search for the last one in time
SHOWN = 3  # pushes of others that are listed


@dataclass(frozen=True)
class CollectTask:
    """One student: the repository, and the period in which pushes count."""

    student: str
    remote: Remote | None  # None if the roster has none
    name: str  # `owner/name`
    period: Period
    github: str = ""  # the student's login there


@dataclass(frozen=True)
class StudentRepository:
    """A student's repository, before anything is fetched from it.

    `pushes` are GitHub's, the newest first; without them `head` is the branch's commit. The same `key` means that
    the same work would be taken.
    """

    remote: Remote
    name: str
    notes: tuple[str, ...]
    key: str
    pushes: tuple[BranchState, ...] = ()
    head: str = ""


@dataclass(frozen=True)
class Selection:
    """The selected work of a repository: the chosen states, remarks about the choice, and the files by commit."""

    choice: Choice
    remarks: list[str]
    taken: dict[str, Taken]


class Selector:
    """Selects the work of an assignment's students.

    Pushes of `instructors`, logins in lower case, are not the student's work. `pins` keeps the pushes seen on GitHub, by
    student.
    """

    def __init__(
        self, assignment: Assignment, handed_out: HandedOut, instructors: frozenset[str], fetcher: Fetcher
    ) -> None:
        self.assignment, self.fetcher, self.instructors = assignment, fetcher, instructors
        self.hand_out(handed_out)
        self.pins: dict[str, PushHistory] = {}

    def hand_out(self, handed_out: HandedOut) -> None:
        """Set what students got."""
        self.handed_out, wanted = handed_out, wanted_by(self.assignment)
        parts = {graded_part(wanted.stub, data, text=wanted.text) for data in handed_out.notebooks}
        self.wanted = replace(wanted, handed_out=wanted.handed_out | parts)
        pristine = [each.pristine for each in lineage(self.assignment.earlier)]
        self._known = [*handed_out.notebooks, *(p.read_bytes() for p in pristine if p.is_file())]

    # The repository

    def asked(self, task: CollectTask, api: Api | None) -> PushHistory | NothingTaken:
        """Ask GitHub for the pushes to a student's repository. Raises GitHubUnavailable."""
        if task.remote is None:
            return NothingTaken(NoRepository())
        assert api is not None
        try:
            self.pins[task.student] = pin(api, task.name, task.period, self.instructors)
            return self.pins[task.student]
        except NothingTaken as error:
            return error
        except RequestFailed as error:
            if error.missing:
                return NothingTaken(NoRepository(task.name))
            return NothingTaken(Unreached(f"{task.name}: {error}", task.name))

    def found(self, task: CollectTask, asked: PushHistory) -> StudentRepository:
        """Return the repository with GitHub's pushes or the branch's head. Raises NothingTaken, GitError."""
        assert task.remote is not None
        period, remote = task.period, task.remote.called(asked.repository)
        if asked.pushes:
            compared = to_compare(asked.pushes, period)
            parts = [
                f"{push.commit} {iso(push.time)} {push.own} {period.is_in_time(push.time)}"
                for push in compared
            ]
            key = self._key("push", str(period.best), *parts)
            return StudentRepository(remote, asked.repository, asked.notes, key, asked.pushes)
        head = self.fetcher.head(remote)
        if head is None:
            raise NothingTaken(Empty())
        notes = [*asked.notes, "GitHub lists no push to it, so the time is the commit's own"]
        notes += [head.note] if head.note else []
        rule = (iso(period.until), iso(period.in_time), str(period.best), *sorted(self.instructors))
        key = self._key("branch", head.commit, *rule)
        return StudentRepository(remote, asked.repository, tuple(notes), key, head=head.commit)

    def _key(self, *parts: str) -> str:
        """Return a hash of everything that the choice of the work depends on."""
        known = sorted(self.wanted.handed_out)
        parts = (str(FORMAT), str(self.wanted.text), *parts, *every_place(self.assignment), *known)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def now(self, task: CollectTask, api: Api) -> tuple[BranchState | None, str]:
        """Return a student's newest push that counts now, None if there is none, and the key of its record.

        Raises RequestFailed, GitError.
        """
        asked = self.asked(task, api)
        if isinstance(asked, NothingTaken) and isinstance(asked.state, UNKNOWN):
            raise RequestFailed(str(asked))
        try:
            if isinstance(asked, NothingTaken):
                raise asked
            found = self.found(task, asked)
        except NothingTaken:
            return None, ""
        mine = (push for push in found.pushes if push.own and task.period.counts(push.time))
        return next(mine, BranchState(found.head, None) if found.head else None), found.key

    # The choice

    def _choice(self, task: CollectTask, found: StudentRepository) -> tuple[Choice, list[str]]:
        """Choose the work that counts; also return remarks about it. Raises NothingTaken, GitError."""
        pushes, remarks = (found.pushes, list[str]()) if found.pushes else self._commits(task, found)
        states = to_compare(pushes, task.period)
        if len(states) == 1:
            return Choice(states[0], states[0]), remarks
        contents = self._contents(found.remote, states)
        choice = choose([state for state in states if state.commit in contents], task.period, contents)
        return choice, [*remarks, *_remarks(choice)]

    def _commits(
        self, task: CollectTask, found: StudentRepository
    ) -> tuple[tuple[BranchState, ...], list[str]]:
        """Return the commits on a branch's first-parent line that count by their own dates, the newest first.

        They reach as far back as `to_compare` looks. Raises NothingTaken, GitError.
        """
        period, states, passed, early = task.period, list[BranchState](), 0, 0
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
            raise NothingTaken(TooLate(iso(period.until)))
        newer = f"{passed} newer commit{'s' * (passed != 1)}"
        return tuple(states), [f"{newer}, by their own dates after {when}, passed over"] if passed else []

    def _contents(self, remote: Remote, states: Sequence[BranchState]) -> dict[str, Content]:
        """Return the content of each state by its commit; an older commit may be gone. Raises GitError."""
        works = self._listed(remote, list(dict.fromkeys(state.commit for state in states)))
        parts = self._parts(remote, works) if len(set(works.values())) > 1 else {}
        return {commit: self._content(work, parts) for commit, work in works.items()}

    def _content(self, work: FolderListing, parts: Mapping[tuple[str, bytes], str]) -> Content:
        """Return the content of a work; a file that is not in `parts` is known by its git hash or its bytes."""
        files = tuple(parts.get((name, data)) or self._part(name, data) for name, data in work.files)
        return Content(
            files or (work.trouble,), worked=bool(files) and files[0] not in self.wanted.handed_out
        )

    def _part(self, name: str, data: bytes) -> str:
        return data.decode() if isinstance(data, GitHash) else graded_part(name, data, text=self.wanted.text)

    def _parts(self, remote: Remote, works: Mapping[str, FolderListing]) -> dict[tuple[str, bytes], str]:
        """Return the graded part of each file of these works that is known by its git hash. Raises GitError."""
        files = {one for work in works.values() for one in work.files if isinstance(one[1], GitHash)}
        hashes = sorted({data.decode() for _, data in files})
        if not hashes:
            return {}
        try:
            with self.fetcher.files(remote, hashes) as objects:
                return self._read(objects, files)
        except GitError:  # the server gives commits alone, or one of the files takes too much room
            with self.fetcher.commits(remote, list(works), MAX_FILE) as objects:
                return self._read(objects, files)

    def _read(self, objects: Objects, files: Collection[tuple[str, bytes]]) -> dict[tuple[str, bytes], str]:
        """Return the graded part of each file that is there and not too large. Raises GitError."""
        parts = {}
        for name, hash_ in files:
            try:
                data = objects.read(hash_.decode(), "blob", MAX_FILE)
            except GitError as error:
                if error.cause not in {"too large", "absent"}:
                    raise
            else:
                parts[name, hash_] = self._part(name, data)
        return parts

    def _listed(self, remote: Remote, commits: Sequence[str]) -> dict[str, FolderListing]:
        try:
            return self._listed_in(remote, commits)
        except GitError as error:
            if error.cause != "no commit":
                raise
        works = self._listed_in(remote, commits[-1:])
        for commit in commits[:-1]:
            try:
                works |= self._listed_in(remote, [commit])
            except GitError as error:
                if error.cause != "no commit":
                    raise
        return works

    def _listed_in(self, remote: Remote, commits: Sequence[str]) -> dict[str, FolderListing]:
        with self.fetcher.folders(remote, commits) as objects:
            given = (self.wanted, self._known, objects)
            return {id_: listed(*given, objects.commit(id_)) for id_ in commits}

    # Pushes that came too late

    def newest_too_late(self, task: CollectTask) -> BranchState | None:
        """Return the student's newest push that GitHub listed, if it came after the last moment that counts."""
        pinned = self.pins.get(task.student)
        return next(_too_late(task, pinned.pushes), None) if pinned else None

    def later(
        self, task: CollectTask, found: StudentRepository, counted: str, known: Later | None = None
    ) -> Later | None:
        """Return the student's newest push after the last moment that counts, if it brought other work.

        `counted` is the commit that counts; `known` is what an earlier run found. Raises GitError.
        """
        if task.period.until is None or found.head == counted:
            return None
        newest = next(
            _too_late(task, found.pushes) if found.pushes else self._later_commits(task, found), None
        )
        if newest is None or newest.time is None:
            return None
        if known is not None and known.commit == newest.commit:
            return known
        contents = self._contents(found.remote, [BranchState(counted, None), newest])
        brought = contents[newest.commit]
        if not brought.worked or brought == contents.get(counted):
            return None
        verified = bool(found.pushes)
        return Later(iso(newest.time), iso(task.period.until), newest.commit, verified)

    def _later_commits(self, task: CollectTask, found: StudentRepository) -> Iterator[BranchState]:
        """Yield the student's commits that came too late, the newest first. Raises GitError."""
        with self.fetcher.history(found.remote, found.head) as objects:
            for commit in _line(objects, found.head):
                state = _state(commit, self.instructors)
                if task.period.counts(state.time):
                    return
                if state.own:
                    yield state

    # The files

    def select(self, task: CollectTask, found: StudentRepository) -> Selection:
        """Fetch and take the work that counts from a repository. Raises NothingTaken, GitError."""
        return self._alone(task, found) or self._chosen(task, found)

    def _alone(self, task: CollectTask, found: StudentRepository) -> Selection | None:
        """Take the branch's head, if GitHub lists no push, its date and its author make a comparison unnecessary; else None."""
        if found.pushes or self.instructors:
            return None
        with self.fetcher.commit(found.remote, found.head, MAX_FILE) as objects:
            head = _state(objects.commit(found.head), self.instructors)
            if not (head.own and task.period.counts(head.time) and task.period.is_in_time(head.time)):
                return None
            return Selection(Choice(head, head), [], self._taken(objects, [head.commit]))

    def _chosen(self, task: CollectTask, found: StudentRepository) -> Selection:
        choice, remarks = self._choice(task, found)
        states = [state for state in (choice.last, choice.in_time, choice.newest) if state]
        commits = list(dict.fromkeys(state.commit for state in states))
        with self.fetcher.commits(found.remote, commits, MAX_FILE) as objects:
            return Selection(choice, remarks, self._taken(objects, commits))

    def _taken(self, objects: Objects, commits: Sequence[str]) -> dict[str, Taken]:
        given = (self.assignment, self.wanted, objects)
        return {id_: take(*given, objects.commit(id_)) for id_ in commits}


def _line(objects: Objects, head: str) -> Iterator[Commit]:
    """Yield the first-parent line of a branch, the newest commit first. Raises GitError."""
    commit = objects.commit(head)
    yield commit
    for _ in range(MOST_COMMITS):
        if not commit.parents:
            return
        commit = objects.commit(commit.parents[0])
        yield commit


def _too_late(task: CollectTask, pushes: Sequence[BranchState]) -> Iterator[BranchState]:
    """Yield the student's pushes that came too late, the newest first."""
    return (push for push in pushes if push.own and not task.period.counts(push.time))


def _state(commit: Commit, instructors: frozenset[str]) -> BranchState:
    name = escape_line(sanitize(commit.author[0], LONGEST)) if commit.author else ""
    return BranchState(commit.id, commit.time, name, own=not is_instructor_or_bot(commit.author, instructors))


def _remarks(choice: Choice) -> list[str]:
    """Return remarks about pushes that were not taken, and about a late one that changed nothing."""
    remarks = [
        f"a push of {push.by} on {moment(push.time)} changed the work and was not taken"
        for push in choice.refused[:SHOWN]
    ]
    more = len(choice.refused) - SHOWN
    remarks += [f"{more} more such push{'es' * (more > 1)}"] if more > 0 else []
    unchanged = f"the push of {moment(choice.newest.time)} did not change the work"
    return [*remarks, unchanged] if choice.unchanged else remarks

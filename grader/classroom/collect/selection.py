"""The work of one student: the commits that count, and the files to take from them.

pushes.py lists the pushes, and versions.py chooses among them. The commits to compare are fetched together: one, or more if
a push was late or by somebody else.

grader.submissions.choice finds the submission. A student's file names are never used as paths: files are written under
the course's names.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader.classroom.collect.pushes import CollectTask, NothingTaken, PushHistory, iso, pin
from grader.classroom.collect.versions import BranchState, Choice, Content, choose, to_compare
from grader.classroom.git.process import GitError
from grader.classroom.github.failures import RequestFailed
from grader.classroom.release.protected import protected_files
from grader.submissions.choice import FileNames, wanted_by, work_in
from grader.submissions.collected import FORMAT, blob_id, collected_paths, every_place
from grader.submissions.handed_out import graded_part
from grader.submissions.states import IN_WORK, UNKNOWN, Later, NoRepository, State, Unreached
from grader.submissions.submission import MAX_FILE, SubmissionError
from grader.submissions.tree import TOO_LARGE, TOO_LONG, TOO_MANY, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment
    from grader.classroom.git.remote import Fetcher, Objects, Remote
    from grader.classroom.github.api import Api

_WHAT = {"folder": "a folder", "link": "a symbolic link", "submodule": "a submodule"}
_UNUSABLE = {"too large": TOO_MANY, "long name": TOO_LONG}  # faults of a folder, by the cause
# A pointer file of Git LFS begins like this, and is shorter than this (git-lfs, docs/spec.md).
_POINTER, _LONGEST_POINTER = b"version https://git-lfs.github.com/spec/", 1024


class Selector:
    """Selects the work of an assignment's students.

    Pushes by `instructors`, logins in lower case, are not the student's work. `pins` keeps GitHub's lists, by student.
    """

    def __init__(self, assignment: Assignment, instructors: frozenset[str], fetcher: Fetcher) -> None:
        self.assignment, self.fetcher, self.instructors = assignment, fetcher, instructors
        self.wanted = wanted_by(assignment)
        self.pins: dict[str, PushHistory] = {}

    def ask_pushes(self, task: CollectTask, api: Api | None) -> PushHistory | NothingTaken:
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
            return NothingTaken(Unreached(f"{task.name}: {error}", task.name))

    def key(self, task: CollectTask, history: PushHistory) -> str:
        """Return a hash of everything that decides the choice of the work."""
        period, known = task.period, sorted(self.wanted.handed_out)
        parts = [
            f"{state.commit} {iso(state.time)} {state.own} {period.is_in_time(state.time)}"
            for state in to_compare(history.states, period)
        ]
        settings = (str(FORMAT), str(self.wanted.text), str(history.verified), str(period.best))
        every = (*settings, *parts, *every_place(self.assignment), *known)
        return hashlib.sha256("\0".join(every).encode()).hexdigest()

    def now(self, task: CollectTask, api: Api) -> tuple[BranchState | None, str]:
        """Return the student's newest push that counts, or None, and the key of its record.

        The push has no time if GitHub lists only commits. Raises RequestFailed.
        """
        asked = self.ask_pushes(task, api)
        if isinstance(asked, NothingTaken):
            if isinstance(asked.state, UNKNOWN):
                raise RequestFailed(str(asked))
            return None, ""
        mine = (state for state in asked.states if state.own and task.period.counts(state.time))
        newest = next(mine, None)
        if newest is not None and not asked.verified:
            newest = replace(newest, time=None)
        return newest, self.key(task, asked)

    def newest_too_late(self, task: CollectTask) -> BranchState | None:
        """Return the student's newest push that GitHub listed, if it came after the period."""
        pinned = self.pins.get(task.student)
        return next(_too_late(task, pinned), None) if pinned and pinned.verified else None

    def later(
        self, task: CollectTask, history: PushHistory, counted: str, earlier: Later | None = None
    ) -> Later | None:
        """Return the student's newest push after the period, if it brought other work.

        `counted` is the commit that counts; `earlier` is the result of an earlier run. Raises GitError.
        """
        newest, until = next(_too_late(task, history), None), task.period.until
        if newest is None or newest.time is None or until is None:
            return None
        if earlier is not None and earlier.commit == newest.commit:
            return earlier
        with self._fetch_states(task, history, [BranchState(counted, None), newest]) as (objects, states):
            contents = self._contents(objects, states)
        brought = contents[newest.commit]
        if not brought.worked or brought == contents.get(counted):
            return None
        return Later(iso(newest.time), iso(until), newest.commit, history.verified)

    def select(self, task: CollectTask, history: PushHistory) -> tuple[Choice, dict[str, TakenFiles]]:
        """Fetch the states to compare, choose among them, and take the work that counts. Raises GitError."""
        compared = to_compare(history.states, task.period)
        with self._fetch_states(task, history, compared) as (objects, states):
            choice = Choice(states[0], states[0])
            if len(compared) > 1:
                choice = choose(states, task.period, self._contents(objects, states))
            chosen = {state.commit for state in (choice.last, choice.in_time, choice.newest) if state}
            taken = {
                id_: _take(self.assignment, self.wanted, objects, objects.tree_of(id_)) for id_ in chosen
            }
        return choice, taken

    @contextlib.contextmanager
    def _fetch_states(
        self, task: CollectTask, history: PushHistory, states: list[BranchState]
    ) -> Iterator[tuple[Objects, list[BranchState]]]:
        """Fetch states, the oldest first; skip those that GitHub no longer has, except for the newest.

        Raises GitError.
        """
        assert task.remote is not None
        remote = task.remote.sibling(history.repository)
        with contextlib.ExitStack() as stack:
            try:
                objects = stack.enter_context(self.fetcher.commits(remote, _ids(states), MAX_FILE))
            except GitError as error:
                if error.cause != "no commit":
                    raise
                states = [*(state for state in states[:-1] if self._is_there(remote, state)), states[-1]]
                objects = stack.enter_context(self.fetcher.commits(remote, _ids(states), MAX_FILE))
            yield objects, states

    def _is_there(self, remote: Remote, state: BranchState) -> bool:
        try:
            with self.fetcher.commits(remote, [state.commit], 0):
                return True
        except GitError as error:
            if error.cause != "no commit":
                raise
            return False

    def _contents(self, objects: Objects, states: Sequence[BranchState]) -> dict[str, Content]:
        """Return the content of each state by its commit. Raises GitError."""
        return {id_: self._content(objects, objects.tree_of(id_)) for id_ in _ids(states)}

    def _content(self, objects: Objects, tree: str) -> Content:
        work = work_in(self.wanted, _CommitFiles(objects, tree))
        if work.data is None:
            return Content((work.trouble,), worked=False)
        named = [(work.name, work.data), *work.earlier]
        parts = tuple(graded_part(name, data, text=self.wanted.text) for name, data in named)
        return Content(parts, worked=parts[0] not in self.wanted.handed_out)


def _ids(states: Sequence[BranchState]) -> list[str]:
    return list(dict.fromkeys(state.commit for state in states))


def _too_late(task: CollectTask, history: PushHistory) -> Iterator[BranchState]:
    """Yield the student's states that came too late, the newest first."""
    late = itertools.takewhile(lambda state: not task.period.counts(state.time), history.states)
    return (state for state in late if state.own)


# --- The files of a commit


@dataclass(frozen=True)
class File:
    """A file to write: its path below the student's folder, its name in the repository, bytes and git hash."""

    place: str
    name: str
    data: bytes = field(repr=False)
    hash: str


@dataclass(frozen=True)
class TakenFiles:
    """The files taken from a commit, the submission first; without any, `state` is the reason."""

    files: tuple[File, ...] = ()
    state: State = IN_WORK
    remarks: tuple[str, ...] = ()
    protected: dict[str, str] = field(default_factory=dict)


class _CommitFiles:
    """A commit's files as a Tree of grader.submissions."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects, self._tree = objects, tree

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Implement Tree.list. Raises SubmissionError, GitError."""
        try:
            entry = self._objects.entry(self._tree, folder)
            if entry is None or entry.kind != "folder":
                return []
            found = self._objects.folder(entry.id).items()
        except GitError as error:
            if error.cause not in _UNUSABLE:
                raise
            raise SubmissionError(*_UNUSABLE[error.cause]) from None
        kinds = ((name, entry.kind if entry.kind != "submodule" else "other") for name, entry in found)
        listed = (TreeEntry(name.decode(errors="surrogateescape"), kind) for name, kind in kinds)  # type: ignore[arg-type]  # one of four
        return sorted(listed, key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """Implement Tree.read. Raises SubmissionError, GitError."""
        entry = self._objects.entry(self._tree, path)
        if entry is None or entry.kind != "file":
            what = _WHAT.get(entry.kind, "of an unknown kind") if entry else "not there"
            raise SubmissionError(f"it is {what}", "put the file itself there")
        try:
            data = self._objects.read(entry.id, "blob", MAX_FILE)
        except GitError as error:
            if error.cause not in {"too large", "absent"}:  # files that are too large were not fetched
                raise
            raise SubmissionError(*TOO_LARGE) from None
        if data.startswith(_POINTER) and len(data) < _LONGEST_POINTER:
            raise SubmissionError(
                "the repository holds only a Git LFS pointer, not the file itself",
                "to take the file out of LFS, remove its line from .gitattributes, run `git add --renormalize .`, commit "
                "and push",
            )
        return data


def _take(assignment: Assignment, wanted: FileNames, objects: Objects, tree: str) -> TakenFiles:
    """Take the work from a commit's tree. Raises GitError if it cannot be read."""
    protected = protected_files(assignment, objects, tree)
    work = work_in(wanted, _CommitFiles(objects, tree))
    if work.data is None:
        return TakenFiles((), work.state, work.notes, protected)
    files = [
        File(collected_paths(each)[name.endswith(".py")], name, data, blob_id(data, tree))
        # Each in the folder of its assignment; the submission may continue more than it brings.
        for (name, data), each in zip(
            [(work.name, work.data), *work.earlier], assignment.lineage, strict=False
        )
    ]
    return TakenFiles(tuple(files), work.state, work.notes, protected)

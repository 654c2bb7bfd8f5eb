"""GitHub's answers about a student's repository: its pushes with author and time, and why it holds no work.

GET /repos/OWNER/NAME returns the repository's current name and its default branch. GET /repos/OWNER/NAME/activity
with `ref` and `direction=desc` lists the changes of a branch, the newest first (GitHub's REST documentation, "List
repository activities"; reading it needs `contents: read`). The fields of an entry:

    timestamp        the time at GitHub, in ISO 8601; no student can set it
    after            the commit of the branch afterwards; zeros where the branch was deleted
    activity_type    push, force_push, branch_creation, branch_deletion, pr_merge, merge_queue_merge
    ref              refs/heads/BRANCH
    actor            the account that pushed or merged: `login` and `type`, which is `Bot` for a workflow; null for
                     a deleted account

A commit that a later force push replaced can still be fetched by its hash.

If GitHub lists no push, the branch's commits count by their own dates, which the student can set.

A student whose repository has nothing new costs up to three more requests: the pushes to every branch, the student's
permission, and the open invitations, which expire after seven days (reading them needs `administration: read`). What the
token may not read is left out.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from grader.classroom.collect.versions import MOST_EARLY, BranchState, Period
from grader.classroom.git.remote import is_hash
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import commits, get_repository, invitation, permission
from grader.console import count_noun
from grader.render import escape_line
from grader.report import sanitize
from grader.submissions.state_words import reason
from grader.submissions.states import (
    Elsewhere,
    Empty,
    NoAccess,
    NoBranch,
    NoRepository,
    OtherBranch,
    PushedNothing,
    TooLate,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from grader.classroom.git.remote import Remote
    from grader.classroom.github.api import Api
    from grader.classroom.github.repository import CommitPayload
    from grader.submissions.states import State

LONGEST = 60  # characters of a login in a message
USUAL = ("main", "master")  # default branches that need no note
_HEADS = "refs/heads/"
_ALWAYS_OWN = ("branch_creation", "merge_queue_merge")
_NO_LIST = (404, 409)  # status for a server without this list, and for an empty repository


@dataclass(frozen=True)
class CollectTask:
    """One student: the repository, and the period in which pushes count."""

    student: str
    remote: Remote | None  # None if the roster has none
    name: str  # `owner/name`
    period: Period
    github: str = ""  # the student's login there


class NothingTaken(Exception):
    """A student's repository gives no work; `state` is the reason, and the message has it in words."""

    def __init__(self, state: State) -> None:
        super().__init__(reason(state))
        self.state = state


@dataclass(frozen=True)
class PushHistory:
    """The states of a repository's branch, the newest first: pushes if `verified`, else commits by their own dates."""

    repository: str
    branch: str
    states: tuple[BranchState, ...] = ()
    notes: tuple[str, ...] = ()
    verified: bool = True


class _Actor(msgspec.Struct):
    """The account that made a change; `type` is Bot for a workflow."""

    login: str = ""
    type: str = ""


class _BranchChange(msgspec.Struct):
    """One change of a branch."""

    after: str
    ref: str
    timestamp: dt.datetime
    activity_type: str
    actor: _Actor | None = None

    @property
    def login(self) -> str:
        """The login of the account; empty if the account is gone."""
        return self.actor.login if self.actor else ""

    @property
    def is_a_bots(self) -> bool:
        """True if a bot made the change."""
        return self.login.endswith("[bot]") or (self.actor is not None and self.actor.type == "Bot")

    @property
    def branch(self) -> str:
        """The branch's name."""
        return self.ref.removeprefix(_HEADS)

    def state(self, instructors: Collection[str] = ()) -> BranchState:
        """Return the state of the branch after the change.

        Creating a branch always counts as the student's push, and so does a merge by GitHub's merge queue.
        """
        others = self.is_a_bots or _is_instructor_or_bot([self.login], instructors)
        own = self.activity_type in _ALWAYS_OWN or not others
        forced = self.activity_type == "force_push"
        return BranchState(
            self.after, self.timestamp.astimezone(dt.UTC), sanitize(self.login, LONGEST), own, forced
        )


def _is_instructor_or_bot(names: Collection[str], instructors: Collection[str]) -> bool:
    """Return True if a name is an instructor's or a bot's; `instructors` are in lower case."""
    return any(name.casefold() in instructors or name.endswith("[bot]") for name in names)


def pin(api: Api, name: str, period: Period, instructors: Collection[str] = ()) -> PushHistory:
    """Return the states of `owner/name` that may count; `instructors` holds logins in lower case.

    Raises NothingTaken, RequestFailed.
    """
    repository = get_repository(api, name)
    if repository is None:
        raise NothingTaken(NoRepository(name))
    now, branch = repository.full_name, repository.default_branch
    notes = [] if now.lower() == name.lower() else [f"the repository {name} was renamed to {now}"]
    notes += [] if branch in USUAL else [f"the repository's default branch is `{branch}`"]
    found = PushHistory(now, branch, notes=tuple(notes))
    try:
        happened = _looked_through((e.state(instructors) for e in _events(api, now, branch)), period)
    except RequestFailed as error:
        if error.status not in _NO_LIST:
            raise
        happened = []
    if not happened:
        return _history_of_commits(api, found, period, instructors)
    if any(period.counts(state.time) for state in happened):
        return _pin_states(found, happened, period)
    return _of_another_name(api, found, period, happened[-1], instructors)


def _looked_through(newest_first: Iterable[BranchState], period: Period) -> list[BranchState]:
    """Return every state after the due date, and at most MOST_EARLY before it."""
    found, early = [], 0
    for state in newest_first:
        found.append(state)
        early += period.counts(state.time) and period.is_in_time(state.time)
        if early == MOST_EARLY:
            break
    return found


def _history_of_commits(
    api: Api, found: PushHistory, period: Period, instructors: Collection[str]
) -> PushHistory:
    """Return the commits on a branch's first-parent line, by their own dates."""
    try:
        line = _first_parents(commits(api, found.repository, found.branch))
        states = _looked_through((_state(commit, instructors) for commit in line), period)
    except RequestFailed as error:
        if error.empty:
            raise NothingTaken(Empty()) from None
        why = (
            f"{found.repository}: its default branch `{found.branch}` does not exist"
            if error.missing
            else str(error)
        )
        raise RequestFailed(why) from None
    passed = next((n for n, state in enumerate(states) if period.counts(state.time)), len(states))
    if passed == len(states):
        raise NothingTaken(TooLate(iso(period.until)))
    notes = [
        *found.notes,
        "GitHub shows no push to the branch, so the commit's own time counts",
    ]
    if passed:
        notes.append(f"ignored {count_noun(passed, 'newer commit')}, dated after {moment(period.until)}")
    return replace(found, states=tuple(states), notes=tuple(notes), verified=False)


def _first_parents(newest_first: Iterable[CommitPayload]) -> Iterator[CommitPayload]:
    """Yield the newest commit, its first parent, and so on."""
    wanted = ""
    for each in newest_first:
        if wanted in {"", each.sha}:
            yield each
            if not each.parents:
                return
            wanted = each.parents[0].sha


def _state(commit: CommitPayload, instructors: Collection[str]) -> BranchState:
    """Return the state of a branch at a commit; the student can set author and date."""
    author, committer = commit.commit.author, commit.commit.committer
    names = (author.name, author.email) if author else ()
    by = escape_line(sanitize(names[0], LONGEST)) if names else ""
    own = not _is_instructor_or_bot(names, instructors)
    return BranchState(commit.sha, committer.date if committer else None, by, own)


def _events(api: Api, name: str, branch: str = "") -> Iterator[_BranchChange]:
    """Yield the changes of a branch, or of all branches, the newest first. Raises RequestFailed."""
    ref = f"{_HEADS}{branch}"
    query = {"direction": "desc"} | ({"ref": ref} if branch else {})
    for event in api.pages(f"/repos/{quote(name)}/activity", _BranchChange, query):
        if not is_hash(event.after) or event.timestamp.tzinfo is None:
            raise RequestFailed("GitHub's list of pushes cannot be read")
        if not branch or event.ref == ref:
            yield event


def _pin_states(found: PushHistory, happened: Sequence[BranchState], period: Period) -> PushHistory:
    newest = next(state for state in happened if period.counts(state.time))
    if not newest.exists:
        raise NothingTaken(NoBranch(found.branch, deleted=iso(newest.time)))
    return replace(found, states=tuple(state for state in happened if state.exists))


def _of_another_name(
    api: Api, found: PushHistory, period: Period, first: BranchState, instructors: Collection[str]
) -> PushHistory:
    """Return the pushes to an older branch, if the default branch is too new to count."""
    until = period.until
    assert until is not None
    last: dict[str, _BranchChange] = {}
    for event in _events(api, found.repository):
        if event.timestamp <= until and event.ref.startswith(_HEADS):
            last.setdefault(event.branch, event)
    there = {name: event for name, event in last.items() if event.state().exists}
    usual = [name for name in USUAL if name in there] or list(there)
    if not there:
        raise NothingTaken(TooLate(iso(until), iso(first.time)))
    if len(there) > 1 and usual[0] not in USUAL:
        pushed, others = iso(first.time), tuple(sorted(there))
        raise NothingTaken(NoBranch(found.branch, pushed=pushed, until=iso(until), others=others))
    note = (
        f"GitHub lists no push to `{found.branch}` by {moment(until)}, so `{usual[0]}` is collected instead"
    )
    known = replace(found, branch=usual[0], notes=(*found.notes, note))
    return _pin_states(known, [there[usual[0]].state(instructors)], period)


def moment(time: dt.datetime | None) -> str:
    """Return a time for people, in UTC."""
    return "an unknown time" if time is None else f"{time.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"


def iso(time: dt.datetime | None) -> str:
    """Return a time in ISO 8601, in UTC; empty for None."""
    return "" if time is None else time.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")


MOST_EVENTS = 100  # the newest changes of a repository: one page


def find_elsewhere(
    api: Api,
    task: CollectTask,
    history: PushHistory,
    pushes: Mapping[str, Sequence[tuple[dt.datetime, str]]],
) -> State | None:
    """Return the reason why a student has no work, as a state; None if GitHub shows no reason.

    `pushes` holds time and repository of the class's pushes, by login in lower case. Raises RequestFailed,
    GitHubUnavailable.
    """
    place, login = history.repository, task.github
    every = [e for e in itertools.islice(_events(api, place), MOST_EVENTS) if not e.is_a_bots]
    if (branch := _other_branch(every, history.branch, task.period.until)) is not None:
        return branch
    others = [push for push in pushes.get(login.casefold(), ()) if push[1].casefold() != place.casefold()]
    if login and others:
        pushed, theirs = max(others)
        return Elsewhere(task.student, login, place, theirs, iso(pushed))
    if any(e.activity_type != "branch_creation" for e in every):
        return None  # there were pushes, perhaps by the student under a new login
    with contextlib.suppress(RequestFailed):  # the token may not ask
        if login and permission(api, place, login) not in {"admin", "write"}:
            found = invitation(api, place, login)
            sent = (iso(found.created_at), found.expired) if found else ()
            return NoAccess(login, place, *sent)
    return PushedNothing(login or task.student, place)  # a bot may have pushed


def _other_branch(every: Sequence[_BranchChange], main: str, until: dt.datetime | None) -> OtherBranch | None:
    """Return work on a branch that does not count; ignores the branches that classrooms and fixes create."""
    old = {e.after for e in every if e.branch == main}
    newest = {e.branch: e for e in reversed(every) if e.branch != main}
    works = [e for e in newest.values() if e.branch != "feedback" and not e.branch.startswith("backgrade/")]
    there = [e for e in works if e.state().exists and e.after not in old]
    if not there:
        return None
    there.sort(key=lambda e: e.timestamp, reverse=True)
    pushed = there[0].timestamp
    after = next((e.timestamp for e in every if e.branch == main and e.timestamp > pushed), None)
    branches = tuple(e.branch for e in there)
    return OtherBranch(branches, main, iso(pushed), iso(until), iso(after))

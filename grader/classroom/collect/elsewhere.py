"""Reasons why a student's repository on GitHub holds no work: it is elsewhere, or there is none.

GitHub is asked only about students whose repository has nothing new: at most two requests for each, and one GraphQL
query for twenty of them:

    GET /repos/OWNER/NAME/activity      pushes to every branch, the newest first
    collaborators (GraphQL)             the student's permission
    GET /repos/OWNER/NAME/invitations   the open ones, with `expired` after seven days; needs `administration: read`

Facts that the token may not read are left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.classroom.collect.pushes import events, iso
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import invitation
from grader.classroom.github.survey import MAY_PUSH, roles
from grader.submissions.states import Elsewhere, NoAccess, OtherBranch, PushedNothing

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping, Sequence

    from grader.classroom.collect.pushes import BranchChange
    from grader.classroom.github.api import Api
    from grader.submissions.states import State

MOST_EVENTS = 100  # the newest changes of a repository: one page


@dataclass(frozen=True)
class Suspect:
    """A student without work: the login on GitHub, the repository, and the branch that was read.

    Work after `until` does not count; None means no limit.
    """

    student: str
    github: str
    repository: str
    branch: str
    until: dt.datetime | None


@dataclass(frozen=True)
class Push:
    """A push into a repository."""

    repository: str
    time: dt.datetime


def find_elsewhere(
    api: Api, suspects: Sequence[Suspect], pushes: Mapping[str, Sequence[Push]]
) -> dict[str, State]:
    """Return the states by student that GitHub shows. `pushes` are those that count, by login in lower case.

    Raises GitHubUnavailable.
    """
    found = {}
    may_push = _roles(api, suspects)
    for suspect in suspects:
        try:
            state = _find(api, suspect, pushes, may_push.get(suspect.student))
        except RequestFailed:
            continue
        if state is not None:
            found[suspect.student] = state
    return found


def _roles(api: Api, suspects: Sequence[Suspect]) -> dict[str, str | None]:
    """Return the students' permissions on their repositories, as far as GitHub returns them."""
    known = [s for s in suspects if s.github]
    try:
        permissions = roles(api, [(s.repository, s.github) for s in known])
    except RequestFailed:
        return {}
    return {suspect.student: role for suspect, role in zip(known, permissions, strict=True)}


def _find(api: Api, suspect: Suspect, pushes: Mapping[str, Sequence[Push]], role: str | None) -> State | None:
    every = [e for e in itertools.islice(events(api, suspect.repository), MOST_EVENTS) if not e.is_a_bots]
    if (branch := _other_branch(every, suspect.branch, suspect.until)) is not None:
        return branch
    if (partner := _partner(suspect, pushes)) is not None:
        return partner
    if any(e.activity_type != "branch_creation" for e in every):
        return None  # there were pushes, perhaps by the student under a new login
    if role is not None and role not in MAY_PUSH:
        return _invitation(api, suspect)
    who = suspect.github or suspect.student  # a bot may have pushed
    return PushedNothing(who, suspect.repository)


# --- Another branch


def _other_branch(every: Sequence[BranchChange], main: str, until: dt.datetime | None) -> OtherBranch | None:
    """Return work on a branch that does not count, and that no classroom or `grade distribute` creates."""
    old = {e.after for e in every if e.branch == main}
    newest = {e.branch: e for e in reversed(every) if e.branch != main}
    works = [e for e in newest.values() if e.branch != "feedback" and not e.branch.startswith("backgrade/")]
    there = [e for e in works if e.ends_with_a_branch and e.after not in old]
    if not there:
        return None
    there.sort(key=lambda e: e.timestamp, reverse=True)
    pushed = there[0].timestamp
    after = next((e.timestamp for e in every if e.branch == main and e.timestamp > pushed), None)
    branches = tuple(e.branch for e in there)
    return OtherBranch(branches, main, iso(pushed), iso(until), iso(after))


# --- Another repository


def _partner(suspect: Suspect, pushes: Mapping[str, Sequence[Push]]) -> Elsewhere | None:
    """Return work that the student pushed into another student's repository."""
    own = suspect.repository.casefold()
    theirs: Iterable[Push] = pushes.get(suspect.github.casefold(), ()) if suspect.github else ()
    last = max((p for p in theirs if p.repository.casefold() != own), key=lambda p: p.time, default=None)
    if last is None:
        return None
    return Elsewhere(suspect.student, suspect.github, suspect.repository, last.repository, iso(last.time))


# --- No access


def _invitation(api: Api, suspect: Suspect) -> NoAccess:
    """Return the state of the invitation of a student who may not push. Raises RequestFailed."""
    who, place = suspect.github, suspect.repository
    found = invitation(api, place, who)
    return NoAccess(who, place, iso(found.created_at), found.expired) if found else NoAccess(who, place)

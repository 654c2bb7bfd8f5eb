"""Reasons why a student's repository on GitHub holds no work: it is elsewhere, or there is none.

GitHub is asked only about students whose repository has nothing new: at most two requests for each, and one GraphQL
query for twenty of them:

    GET /repos/OWNER/NAME/activity      pushes to every branch, the newest first
    collaborators (GraphQL)             the student's permission
    GET /repos/OWNER/NAME/invitations   the open ones, with `expired` after seven days; needs `administration: read`

Facts that the token may not read are left out.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.collect.pushes import events
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.survey import MAY_PUSH, roles
from grader.errors import first_of
from grader.gradebook.sentences import when
from grader.report import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.classroom.collect.pushes import Event
    from grader.classroom.github.api import Api
    from grader.submissions.collected import State

MOST_EVENTS = 100  # the newest changes of a repository: one page
SHOWN_BRANCHES = 3
SHOWN = 60  # characters of a branch's name
_NOT_THEIRS = ("feedback", "backgrade/")  # branches that classrooms and `grade distribute` create


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


@dataclass(frozen=True)
class Finding:
    """The reason why there is no work; with state `there` it is only a note about the untouched notebook."""

    state: State
    why: str


def find_elsewhere(
    api: Api, suspects: Sequence[Suspect], pushes: Mapping[str, Sequence[Push]]
) -> dict[str, Finding]:
    """Return the findings by student. `pushes` are those that count, by login in lower case.

    Raises GitHubUnavailable.
    """
    found = {}
    may_push = _roles(api, suspects)
    for suspect in suspects:
        try:
            finding = _find(api, suspect, pushes, may_push.get(suspect.student))
        except RequestFailed:
            continue
        if finding is not None:
            found[suspect.student] = finding
    return found


def _roles(api: Api, suspects: Sequence[Suspect]) -> dict[str, str | None]:
    """Return the students' permissions on their repositories, as far as GitHub returns them."""
    known = [s for s in suspects if s.github]
    try:
        permissions = roles(api, [(s.repository, s.github) for s in known])
    except RequestFailed:
        return {}
    return {suspect.student: role for suspect, role in zip(known, permissions, strict=True)}


def _find(
    api: Api, suspect: Suspect, pushes: Mapping[str, Sequence[Push]], role: str | None
) -> Finding | None:
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
    return Finding("there", f"{who} pushed nothing to {suspect.repository} since it was made")


# --- Another branch


def _other_branch(every: Sequence[Event], main: str, until: dt.datetime | None) -> Finding | None:
    """Return work on a branch that does not count."""
    old = {e.after for e in every if e.branch == main}
    newest = {e.branch: e for e in reversed(every) if e.branch != main}
    there = [e for e in newest.values() if e.ends_with_a_branch and e.after not in old and _is_work(e.branch)]
    if not there:
        return None
    last = max(there, key=lambda e: e.timestamp)
    others = f" and {len(there) - 1} more" if len(there) > 1 else ""
    name, into = quote(last.branch, SHOWN), quote(main, SHOWN)
    came = [e for e in every if e.branch == main and e.timestamp > last.timestamp]
    by = f" by {when(until)}" if until else ""
    to_do = (
        f"{into} was pushed to afterwards, {when(came[0].timestamp)}, which is too late to count"
        if came
        else f"open a pull request from {name} into {into} and merge it{by}, because only {into} counts"
    )
    return Finding(
        "nothing",
        f"the work is on the branch {name}{others}, pushed {when(last.timestamp)}: {to_do}",
    )


def _is_work(branch: str) -> bool:
    return branch != _NOT_THEIRS[0] and not branch.startswith(_NOT_THEIRS[1])


def of_branches(branch: str, others: Sequence[str]) -> Finding | None:
    """Return other branches of a plain remote, which has no times of pushes."""
    names = [quote(name, SHOWN) for name in others if _is_work(name)]
    if not names:
        return None
    return Finding(
        "nothing",
        f"other branches are there, {first_of(names, SHOWN_BRANCHES)}: merge the one with the work into "
        f"{quote(branch, SHOWN)}, because only that branch counts",
    )


# --- Another repository


def _partner(suspect: Suspect, pushes: Mapping[str, Sequence[Push]]) -> Finding | None:
    """Return work that the student pushed into another student's repository."""
    own = suspect.repository.casefold()
    theirs: Iterable[Push] = pushes.get(suspect.github.casefold(), ()) if suspect.github else ()
    last = max((p for p in theirs if p.repository.casefold() != own), key=lambda p: p.time, default=None)
    if last is None:
        return None
    return Finding(
        "elsewhere",
        f"{suspect.github} pushed no work to {suspect.repository}, but pushed to {last.repository}, "
        f"{when(last.time)}; if the two may work together, give {suspect.student} that repository in the roster, in a "
        "column `repository`",
    )


# --- No access


class _User(msgspec.Struct):
    login: str


class _Invitation(msgspec.Struct):
    created_at: dt.datetime
    invitee: _User | None = None
    expired: bool = False


def _invitation(api: Api, suspect: Suspect) -> Finding | None:
    """Return the state of the invitation of a student who may not push. Raises RequestFailed."""
    who, place = suspect.github, suspect.repository
    for invitation in api.pages(f"/repos/{place}/invitations", _Invitation, {}):
        if invitation.invitee and invitation.invitee.login.casefold() == who.casefold():
            sent = when(invitation.created_at)
            if invitation.expired:
                why = f"the invitation of {who} to {place}, sent {sent}, has expired; `grade distribute` sends another"
            else:
                why = f"{who} has not accepted the invitation to {place}, sent {sent}; remind them, it expires after a week"
            return Finding("outside", why)
    return Finding("outside", f"{who} was never invited to {place}; `grade distribute` sends an invitation")

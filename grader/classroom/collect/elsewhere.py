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
from typing import TYPE_CHECKING

from grader.classroom.collect.pushes import events, iso
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import invitation
from grader.classroom.github.survey import MAY_PUSH, roles
from grader.submissions.states import Elsewhere, NoAccess, OtherBranch, PushedNothing

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from grader.classroom.collect.pushes import BranchChange, PushHistory
    from grader.classroom.collect.selection import CollectTask
    from grader.classroom.github.api import Api
    from grader.submissions.states import State

MOST_EVENTS = 100  # the newest changes of a repository: one page


def find_elsewhere(
    api: Api,
    suspects: Sequence[tuple[CollectTask, PushHistory]],
    pushes: Mapping[str, Sequence[tuple[dt.datetime, str]]],
) -> dict[str, State]:
    """Return the states by student that GitHub shows.

    `suspects` have no work; `pushes` are time and repository of those that count, by login in lower case. Raises
    GitHubUnavailable.
    """
    found = {}
    known = [(history.repository, task.github) for task, history in suspects if task.github]
    try:
        may_push = dict(zip(known, roles(api, known), strict=True))
    except RequestFailed:
        may_push = {}
    for task, history in suspects:
        try:
            state = _find(api, task, history, pushes, may_push.get((history.repository, task.github)))
        except RequestFailed:
            continue
        if state is not None:
            found[task.student] = state
    return found


def _find(
    api: Api,
    task: CollectTask,
    history: PushHistory,
    pushes: Mapping[str, Sequence[tuple[dt.datetime, str]]],
    role: str | None,
) -> State | None:
    place, login = history.repository, task.github
    every = [e for e in itertools.islice(events(api, place), MOST_EVENTS) if not e.is_a_bots]
    if (branch := _other_branch(every, history.branch, task.period.until)) is not None:
        return branch
    others = [push for push in pushes.get(login.casefold(), ()) if push[1].casefold() != place.casefold()]
    if login and others:
        pushed, theirs = max(others)
        return Elsewhere(task.student, login, place, theirs, iso(pushed))
    if any(e.activity_type != "branch_creation" for e in every):
        return None  # there were pushes, perhaps by the student under a new login
    if role is not None and role not in MAY_PUSH:
        found = invitation(api, place, login)
        return (
            NoAccess(login, place, iso(found.created_at), found.expired) if found else NoAccess(login, place)
        )
    return PushedNothing(login or task.student, place)  # a bot may have pushed


def _other_branch(every: Sequence[BranchChange], main: str, until: dt.datetime | None) -> OtherBranch | None:
    """Return work on a branch that does not count, and that no classroom or `grade distribute` creates."""
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

"""The comment of `grade ci`: one for each assignment; later runs edit it.

The permissions of a job's token that each call needs (GitHub's REST documentation, "Permissions required for
fine-grained personal access tokens"):

    list a pull request's comments, list pull requests    pull-requests: read
    write or edit a comment of a pull request             pull-requests: write
    list a commit's comments                              metadata: read, which every token has
    write a comment of a commit                           contents: read
    edit a comment of a commit                            contents: write

The token of a pull request from a fork may only read, whatever the workflow asks for.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.api import API, Api, is_token
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import Pull, User

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 65_536  # characters of a comment
OUR_BOT = "github-actions[bot]"  # the author of comments by a job's token, which cannot read its own user


@dataclass(frozen=True)
class JobEvent:
    """The event of a job: the head of a branch, or a pull request by number."""

    repository: str
    sha: str
    branch: str = ""
    pull: int | None = None


class Comment(msgspec.Struct):
    """A comment on a pull request or a commit."""

    id: int = 0
    body: str | None = None
    user: User | None = None


def marker(name: str) -> str:
    """Return the invisible first line by which a later run finds a comment."""
    return f"<!-- backgrade:{re.sub('[^A-Za-z0-9_.-]', '-', name)} -->"


def keep_comment(
    push: JobEvent,
    name: str,
    text: str,
    token: str,
    *,
    api: str = API,
    open_new: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Write the comment of an assignment or edit the existing one, and return a phrase about it.

    Without `open_new`, only an existing comment is edited. Raises RequestFailed, GitHubUnavailable.
    """
    body = f"{marker(name)}\n{text}"
    if len(body) > LONGEST:
        raise RequestFailed(f"a comment has at most {LONGEST} characters")
    _refuse_strange(push, token)
    with Api(token, url=api, sleep=sleep) as client:
        try:
            return _keep(client, push, marker(name), body, open_new=open_new)
        except RequestFailed as error:
            if not error.forbidden:
                raise
            why = "this token may only read here, as in a pull request from a fork (403)"
            raise RequestFailed(why, error.status) from None


def _refuse_strange(push: JobEvent, token: str) -> None:
    """Raise RequestFailed for a job without a valid token, repository or commit, before anything is sent."""
    if not is_token(token):
        raise RequestFailed("no token; give the step `env: GITHUB_TOKEN: ${{ github.token }}`")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", push.repository, re.ASCII):
        raise RequestFailed("GITHUB_REPOSITORY does not name a repository")
    if push.pull is None and not re.fullmatch(r"[0-9a-f]{40,64}", push.sha):
        raise RequestFailed("GITHUB_SHA does not name a commit")


# --- The comment


def _keep(api: Api, push: JobEvent, mark: str, body: str, *, open_new: bool) -> str:
    home = f"/repos/{push.repository}"
    pull = push.pull or _feedback_pull(api, push)
    where, edit_at = f"pull request {pull}", f"{home}/issues/comments"
    write_at = f"{home}/issues/{pull}/comments"
    if pull is None:
        where, edit_at, write_at = "the commit", f"{home}/comments", f"{home}/commits/{push.sha}/comments"
    ours = _ours(api, write_at, mark)
    if ours is None and not open_new:
        return f"no comment on {where} yet, because no check has passed or failed"
    # A comment that was deleted in the meantime is written again.
    if ours and (ours.body == body or api.find("PATCH", f"{edit_at}/{ours.id}", Comment, body=body)):
        return f"the comment on {where} is up to date"
    api.make_once(lambda: api.ask("POST", write_at, Comment, body=body), lambda: _ours(api, write_at, mark))
    return f"commented on {where}"


def _feedback_pull(api: Api, push: JobEvent) -> int | None:
    """Return the open pull request of a branch: the classroom's one into `feedback`, or else the oldest."""
    if not push.branch:
        return None
    owner = push.repository.partition("/")[0]
    query = {"state": "open", "head": f"{owner}:{push.branch}"}
    found = api.pages(f"/repos/{push.repository}/pulls", Pull, query)
    pulls = [pull for pull in found if pull.head.ref == push.branch]
    return min(pulls, key=lambda pull: (pull.base.ref != "feedback", pull.number)).number if pulls else None


def _ours(api: Api, path: str, mark: str) -> Comment | None:
    """Return the comment with our mark by the token's user; anybody else can write the mark too."""
    marked = [c for c in api.pages(path, Comment, {}) if (c.body or "").startswith(mark)]
    if not marked:
        return None
    try:
        me = api.ask("GET", "/user", User).login
    except RequestFailed as error:
        if not (error.forbidden or error.missing):
            raise
        me = OUR_BOT
    return next((comment for comment in marked if comment.user and comment.user.login == me), None)

"""One comment an assignment on GitHub: found again, edited, never repeated.

Which permission of a job's token each call needs (GitHub's REST documentation, "Permissions required for
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
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

T = TypeVar("T")
API = "https://api.github.com"
LONGEST = 65_536  # characters of a comment
OUR_BOT = "github-actions[bot]"  # who writes with a job's own token, which may not ask who it is
TIMEOUT = 10.0  # seconds for each step of a request
TRIES = 3
PATIENCE = 20.0  # seconds of waiting in all: a job is not kept for minutes
MOST_PAGES = 30  # of a hundred comments each


class LeftOut(Exception):
    """What could not be done on GitHub, and why: one line without anything secret."""


class _TryAgain(Exception):
    """It may work in a moment; `after` is in seconds, None where nobody said."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True)
class Push:
    """What a job runs for: the head of a branch, or a pull request of that number."""

    repository: str
    sha: str
    branch: str = ""
    pull: int | None = None


class _User(msgspec.Struct):
    login: str


class _Comment(msgspec.Struct):
    id: int
    body: str | None = None
    user: _User | None = None


class _Ref(msgspec.Struct):
    ref: str


class _Pull(msgspec.Struct):
    number: int
    head: _Ref
    base: _Ref


def marker(name: str) -> str:
    """The invisible first line by which an assignment's comment is found again."""
    return f"<!-- backgrade:{re.sub('[^A-Za-z0-9_.-]', '-', name)} -->"


def keep_comment(
    push: Push,
    name: str,
    text: str,
    token: str,
    *,
    api: str = API,
    open_new: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Write the comment of an assignment, or edit the one that is there; gives what was done, in words.

    With `open_new` off only one that is there is edited. Raises LeftOut.
    """
    body = f"{marker(name)}\n{text}"
    if len(body) > LONGEST:
        raise LeftOut(f"a comment has at most {LONGEST} characters")
    _refuse_strange(push, token, api)
    with _client(api, token) as client:
        return _with_patience(lambda: _keep(client, push, marker(name), body, open_new=open_new), sleep)


def _refuse_strange(push: Push, token: str, api: str) -> None:
    """Raises LeftOut before anything is sent."""
    if not re.fullmatch(r"[!-~]+", token):
        raise LeftOut("there is no token; give the step `env: GITHUB_TOKEN: ${{ github.token }}`")
    if not re.fullmatch(r"https://\S+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/\S*)?", api):
        raise LeftOut("GITHUB_API_URL is no https address, and a token goes nowhere else")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", push.repository, re.ASCII):
        raise LeftOut("GITHUB_REPOSITORY names no repository")
    if push.pull is None and not re.fullmatch(r"[0-9a-f]{40,64}", push.sha):
        raise LeftOut("GITHUB_SHA names no commit")


def _client(api: str, token: str) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise LeftOut("httpx is not installed; `pip install 'backgrade[classroom]'` brings it") from None
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "User-Agent": "backgrade",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    try:
        # A redirect could lead elsewhere, and the token must not go there.
        return httpx.Client(base_url=api, headers=headers, timeout=TIMEOUT, follow_redirects=False)
    except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        raise LeftOut(
            f"no request to GitHub can be made from here: {type(error).__name__}; look at the variables for "
            "proxies and certificates"
        ) from None


def _with_patience(work: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """Do it; where it may work in a moment, do it again from the beginning, so that nothing is done twice."""
    waited = 0.0
    for attempt in range(TRIES):
        try:
            return work()
        except _TryAgain as trouble:
            pause = float(2**attempt) if trouble.after is None else trouble.after
            if attempt + 1 == TRIES or waited + pause > PATIENCE:
                asked = f"; GitHub asks to wait {pause:.0f} seconds" if trouble.after is not None else ""
                raise LeftOut(f"{trouble}{asked}") from None
            waited += pause
            sleep(pause)
    raise AssertionError("the last attempt returns or raises")


# --- The comment


def _keep(client: httpx.Client, push: Push, mark: str, body: str, *, open_new: bool) -> str:
    home = f"/repos/{push.repository}"
    pull = push.pull or _feedback_pull(client, push)
    where, edit_at = f"pull request {pull}", f"{home}/issues/comments"
    write_at = f"{home}/issues/{pull}/comments"
    if pull is None:
        where, edit_at, write_at = "commit", f"{home}/comments", f"{home}/commits/{push.sha}/comments"
    ours = _ours(client, write_at, mark)
    if ours is None:
        if not open_new:
            return f"no comment on the {where} yet: nothing is written so far"
        _ask(client, "POST", write_at, _Comment, body=body)
        return f"commented on the {where}"
    if ours.body != body:
        _ask(client, "PATCH", f"{edit_at}/{ours.id}", _Comment, body=body)
    return f"the comment on the {where} is up to date"


def _feedback_pull(client: httpx.Client, push: Push) -> int | None:
    """The open pull request of this branch: the one into `feedback` that classrooms open, or the oldest."""
    if not push.branch:
        return None
    owner = push.repository.partition("/")[0]
    query = {"state": "open", "head": f"{owner}:{push.branch}"}
    found = _pages(client, f"/repos/{push.repository}/pulls", _Pull, query)
    pulls = [pull for pull in found if pull.head.ref == push.branch]
    return min(pulls, key=lambda pull: (pull.base.ref != "feedback", pull.number)).number if pulls else None


def _ours(client: httpx.Client, path: str, mark: str) -> _Comment | None:
    """The comment that has our mark and was written with this token: anybody could write the mark."""
    marked = [c for c in _pages(client, path, _Comment, {}) if (c.body or "").startswith(mark)]
    me = _me(client) if marked else ""
    return next((comment for comment in marked if comment.user and comment.user.login == me), None)


def _me(client: httpx.Client) -> str:
    try:
        return _ask(client, "GET", "/user", _User).login
    except _Refused:
        return OUR_BOT


# --- Requests


class _Refused(LeftOut):
    """The token may not do that."""


def _pages(client: httpx.Client, path: str, kind: type[T], query: dict[str, str]) -> Iterator[T]:
    """What a list holds, page after page, as the Link headers tell."""
    url, parameters = path, query | {"per_page": "100"}
    for _ in range(MOST_PAGES):
        response = _send(client, "GET", url, params=parameters)
        yield from _decoded(response, list[kind])  # type: ignore[valid-type]
        following = response.links.get("next", {}).get("url")
        if following is None:
            return
        if not following.startswith(str(client.base_url)):
            raise LeftOut("GitHub's list goes on at another address, and a token goes nowhere else")
        url, parameters = following, None  # type: ignore[assignment]  # the address holds the query
    raise LeftOut(f"there are more than {MOST_PAGES * 100} comments to look through")


def _ask(client: httpx.Client, method: str, path: str, kind: type[T], **data: str) -> T:
    answer: T = _decoded(_send(client, method, path, json=data or None), kind)
    return answer


def _decoded(response: httpx.Response, kind: Any) -> Any:
    try:
        return msgspec.json.decode(response.content, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise _TryAgain("GitHub's answer cannot be read") from None


def _send(client: httpx.Client, method: str, path: str, **request: Any) -> httpx.Response:
    """One request. Raises LeftOut and _TryAgain, which quote nothing of what was sent or answered."""
    import httpx

    try:
        response = client.request(method, path, **request)
    except httpx.TransportError as error:
        raise _TryAgain(f"GitHub cannot be reached ({type(error).__name__})") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise LeftOut(f"GitHub's answer cannot be used ({type(error).__name__})") from None
    if response.is_success:
        return response
    raise _trouble(response, method)


def _trouble(response: httpx.Response, method: str) -> Exception:
    status = response.status_code
    if status in (403, 429) and (after := _asked_to_wait(response)) is not None:
        return _TryAgain(f"GitHub's rate limit is used up ({status})", after)
    if status >= 500 or status == 429:
        return _TryAgain(f"GitHub answers {status}")
    if method == "PATCH" and status == 404:
        return _TryAgain("the comment was deleted meanwhile (404)")
    told = {
        401: "the token is not valid (401)",
        403: "this token may only read here, as in a pull request from a fork (403)",
        404: "this token does not see it (404)",
        422: "GitHub does not take the text (422)",
    }
    why = told.get(status, f"GitHub answers {status}")
    return _Refused(why) if status in (403, 404) else LeftOut(why)


def _asked_to_wait(response: httpx.Response) -> float | None:
    """For how many seconds GitHub asks to be left alone, or None."""
    after, reset = response.headers.get("retry-after", ""), response.headers.get("x-ratelimit-reset", "")
    if re.fullmatch(r"\d{1,6}", after):
        return float(after)
    if response.headers.get("x-ratelimit-remaining") == "0" and re.fullmatch(r"\d{1,12}", reset):
        return max(1.0, float(reset) - time.time())
    return 60.0 if b"secondary rate limit" in response.content else None

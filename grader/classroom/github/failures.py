"""Failed requests to GitHub: the two exceptions, the meaning of error responses, and how commands continue.

Every message is one line, and contains no secret.
"""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, say
from grader.errors import Refused
from grader.submissions.keys import OfStudent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

S = TypeVar("S", bound=OfStudent)

LONGEST_WAIT = 400 * 24 * 3600.0  # seconds that a message names; no command waits that long
LONGEST_QUOTED = 200  # characters of GitHub's own message
RATE_LIMIT = "GitHub's rate limit is used up"


class RequestFailed(Refused):
    """One request failed; another one may succeed.

    `status` is the response's, 0 without a response. `message` is GitHub's own, which may quote names that anybody can
    choose. `cause` is "unsure" if the response was lost, so that something may have been created, and "too long" for a
    list of too many pages.
    """

    def __init__(
        self, why: str, status: int = 0, message: str = "", cause: Literal["", "unsure", "too long"] = ""
    ) -> None:
        super().__init__(why)
        self.status, self.message, self.cause = status, message, cause

    @property
    def missing(self) -> bool:
        """True if it does not exist, or the token cannot see it."""
        return self.status == 404

    @property
    def forbidden(self) -> bool:
        """True if the token may not do it."""
        return self.status == 403

    @property
    def empty(self) -> bool:
        """True for a repository without a commit."""
        return self.status == 409

    @property
    def unsure(self) -> bool:
        """True if the response was lost: before a retry, look for the result of the request."""
        return self.cause == "unsure"


class GitHubUnavailable(Refused):
    """No request would succeed now: no valid token, no network, or too long a wait.

    `retry` is "soon" if it may work in a moment, "limit" if GitHub asks to wait: `after` seconds, None if it does not say
    how long.
    """

    def __init__(
        self, why: str, retry: Literal["no", "soon", "limit"] = "no", after: float | None = None
    ) -> None:
        super().__init__(why)
        self.retry, self.after = retry, after


def work_through(
    items: Sequence[S],
    work: Callable[[S], str],
    why: Callable[[S, RequestFailed], str],
    done: str,
    *,
    left_out: int = 0,
) -> int:
    """Work for one student after another, print a line for each, and return the exit code.

    `work` returns a phrase about the result, `why` the reason for leaving a student out. `done` is the verb of the summary,
    `left_out` the number of students who were left out before. The same command continues after an interruption.
    """
    failed = 0
    for number, one in enumerate(items, start=1):
        try:
            what = work(one)
        except GitHubUnavailable as error:
            say(
                f"grade: {error}. Students still to do: {len(items) - number + 1}. Run the same command later to continue",
                err=True,
            )
            return UNGRADABLE
        except RequestFailed as error:
            failed += 1
            what = f"left out: {why(one, error)}"
        except KeyboardInterrupt:
            say(f"interrupted: {number - 1} of {len(items)} {done}; {_AGAIN} to continue", err=True)
            return INTERRUPTED
        say(f"  {number:>{len(str(len(items)))}} of {len(items)}  {one.student}  {what}")
    left_out += failed
    more = f", {left_out} left out: settle the reasons above, then {_AGAIN}" if left_out else ""
    say(f"{len(items) - failed} {done}{more}")
    return LESS if left_out else FULL


_AGAIN = "run the same command again"


def lost_response(method: str, why: str) -> Refused:
    """Return the error for a lost response; only a POST must not simply be sent again."""
    return RequestFailed(why, cause="unsure") if method == "POST" else GitHubUnavailable(why, "soon")


def error_of(response: httpx.Response, method: str) -> Refused:
    """Return the error for a response."""
    status = response.status_code
    if status in (403, 429, 503) and (limit := limit_of(response)) is not None:
        return limit
    if status >= 500:
        return lost_response(method, f"GitHub answers {status}")
    if status == 401:
        return GitHubUnavailable(
            "the token is not valid (401); set GITHUB_TOKEN to a valid one, or unset it and run `gh auth login`"
        )
    why = {
        403: "GitHub refused (403), probably because the token lacks a right",
        404: "it does not exist, or this token cannot see it (404)",
        410: "issues are turned off in this repository (Settings, General, Features), or what was asked for was deleted (410)",
        422: "GitHub rejected the request (422)",
    }.get(status, f"GitHub answers {status}")
    return RequestFailed(why, status, _message(response))


def limit_of(response: httpx.Response) -> GitHubUnavailable | None:
    """Return the error for a rate limit; None for any other response."""
    why = f"{RATE_LIMIT} ({response.status_code})"
    after, reset = response.headers.get("retry-after", ""), response.headers.get("x-ratelimit-reset", "")
    if re.fullmatch(r"\d{1,30}", after, re.ASCII):
        return GitHubUnavailable(why, "limit", _clamp_wait(float(after)))
    if response.status_code == 503:
        return None
    if response.headers.get("x-ratelimit-remaining") == "0" and re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        return GitHubUnavailable(why, "limit", _clamp_wait(float(reset) - _now(response)))
    secondary = re.search(rb"secondary rate limit|abuse detection", response.content)
    return GitHubUnavailable(why, "limit") if secondary or response.status_code == 429 else None


def _clamp_wait(seconds: float) -> float:
    return min(max(1.0, seconds), LONGEST_WAIT)


def _now(response: httpx.Response) -> float:
    """Return the seconds since 1970 by GitHub's clock, since this machine's may be wrong."""
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return time.time()


class _Error(msgspec.Struct):
    message: str = ""


class _Message(msgspec.Struct):
    message: str = ""
    errors: list[_Error | str] = []


def _message(response: httpx.Response) -> str:
    """Return GitHub's own message, on one line of limited length."""
    try:
        read = msgspec.json.decode(response.content, type=_Message)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    parts = [read.message, *(e if isinstance(e, str) else e.message for e in read.errors)]
    return " ".join(": ".join(filter(None, parts)).split())[:LONGEST_QUOTED]

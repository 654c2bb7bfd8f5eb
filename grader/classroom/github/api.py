"""One client of GitHub's REST API: patient, paced, and with a token that goes nowhere else.

What GitHub documents and this holds to ("Rate limits for the REST API", "Best practices for using the REST
API", "Troubleshooting the REST API"):

    403 or 429 with `retry-after`               wait that many seconds
    403 or 429, `x-ratelimit-remaining: 0`      wait until `x-ratelimit-reset`, in seconds since 1970, UTC
    403 or 429 of a secondary limit, no header  wait a minute, and longer each time
    requests that write                         one after the other, a second between them
    301, 302, 307, 308                          the same request again at `Location`, here only within the API
    404                                         also for what a token may not see
    `etag`, sent again as `if-none-match`       304 where nothing has changed, which no limit counts
    GraphQL: 200 with `errors`                  what could not be told is null; `type` and `path` say why and where

What can go wrong, of which each is one line without anything secret:

    LeftOut             it could not be done
      NotThere          404
      Forbidden         403: the token may not do it
      TooMany           a list is too long
      Unsure            whether it was done is not known: look again, do not repeat it blindly
      Halted            nothing else would fare better now: no valid token, no network, patience used up
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import msgspec

from grader.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

T = TypeVar("T")
API = "https://api.github.com"
MINUTE = 60.0  # seconds
HOUR = 60 * MINUTE
TIMEOUT = 10.0  # seconds for each step of a request
TRIES = 3
PATIENCE = 20.0  # seconds of waiting for one request: a job is not kept for minutes
MOST_PAGES = 30  # of a hundred entries each
MOST_HOPS = 5  # redirects of one request
QUERY = "QUERY"  # a POST that changes nothing: GraphQL's, so it may be sent again
SHORT = 5.0  # seconds of waiting that nobody is told of
LONGEST_TOLD = 200  # characters of what GitHub says
MOST_KEPT = 64  # answers, of which GitHub is asked whether they still hold


class LeftOut(Refused):
    """What could not be done on GitHub, and why: one line without anything secret.

    `status` is of the answer, 0 where there was none; `told` are GitHub's own words, which may quote names
    that anybody has chosen.
    """

    def __init__(self, why: str, status: int = 0, told: str = "") -> None:
        super().__init__(why)
        self.status, self.told = status, told


class NotThere(LeftOut):
    """It is not there, or the token does not see it."""


class Forbidden(LeftOut):
    """The token may not do it."""


class TooMany(LeftOut):
    """A list is longer than anybody looks through."""


class Unsure(LeftOut):
    """The answer to a request that makes something was lost: it may have been made."""


class Halted(LeftOut):
    """It could not be done, and no other request would fare better now."""


class _TryAgain(Exception):
    """It may work in a moment."""


class _Limited(Exception):
    """GitHub asks to be left alone for `after` seconds; None where it does not say for how long."""

    def __init__(self, why: str, after: float | None) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list; `etag` asks later whether it still holds, `following` is the next page's address."""

    items: list[T]
    etag: str = ""
    following: str | None = None


class Trouble(msgspec.Struct):
    """The reason why a part of GraphQL's answer is None: NOT_FOUND, FORBIDDEN or another type, and the part."""

    message: str = ""
    type: str = ""
    path: list[str | int] = []


class Answer(msgspec.Struct, Generic[T]):
    """GraphQL's answer to a question."""

    data: T | None = None
    errors: list[Trouble] = []


class Left(msgspec.Struct):
    """The requests left of an hour, and the start of the next hour in seconds since 1970, UTC."""

    remaining: int
    reset: int


class _Resources(msgspec.Struct):
    core: Left


class _Limits(msgspec.Struct):
    resources: _Resources


def is_token(text: str) -> bool:
    """Whether it can stand in a header at all."""
    return re.fullmatch(r"[!-~]+", text) is not None


def api_from(environment: Mapping[str, str], *, waiting: Callable[[str], None] | None = None) -> Api:
    """The API for an instructor's command, which waits longer than a job does.

    GITHUB_TOKEN or GH_TOKEN is the token, GITHUB_API_URL the address, BACKGRADE_PACE the seconds between two
    requests that write: 1 without it, and 0 where a server of one's own has no such limits. Raises LeftOut.
    """
    token = environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN") or ""
    url = environment.get("GITHUB_API_URL") or API
    pace = environment.get("BACKGRADE_PACE") or "1"
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", pace, re.ASCII):
        raise LeftOut("BACKGRADE_PACE is no number of seconds, such as 1 or 0.5; mend it or take it away")
    return Api(
        token.strip(), url=url, patience=HOUR, pace=float(pace), waiting=waiting, tries=6, timeout=30.0
    )


class Api:
    """The API of one token, as a context manager. Paths begin with a slash and are of the caller's making.

    `patience` is how many seconds one request may wait in all, and `pace` how many lie between two requests
    that write; `tries` is how often a request is sent that fails for no limit, `timeout` is in seconds.
    Raises LeftOut.
    """

    def __init__(
        self,
        token: str,
        *,
        url: str = API,
        patience: float = PATIENCE,
        pace: float = 0.0,
        sleep: Callable[[float], None] = time.sleep,
        waiting: Callable[[str], None] | None = None,
        tries: int = TRIES,
        timeout: float = TIMEOUT,
    ) -> None:
        self._patience, self._pace, self._tries = patience, pace, tries
        self._sleep, self._waiting = sleep, waiting
        self._next_write = 0.0  # by the monotonic clock
        self._kept: dict[str, httpx.Response] = {}  # the newest last
        self._client = _client(url, token, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, kind: type[T], /, **data: Any) -> T:
        """What is answered, as that type; an answer without a body is None. `data` is sent as JSON.

        Raises LeftOut; Unsure only for POST, the one method that is not repeated when its answer is lost.
        """
        answer: T = self._patiently(lambda: self._answer(method, path, kind, json=data or None))[0]
        return answer

    def query(self, text: str, kind: type[T], /, **variables: Any) -> Answer[T]:
        """Ask GraphQL, and return the `data` of its answer as that type. Raises LeftOut.

        What is not there, or may not be told, is None in it; `errors` say why.
        """
        told: tuple[Answer[T], Any] = self._patiently(
            lambda: self._asked(text, variables, Answer[kind])  # type: ignore[valid-type]
        )
        return told[0]

    def left(self) -> Left | None:
        """Return the requests left of the hour; None where the server has no limits. Costs none. Raises LeftOut."""
        try:
            return self.ask("GET", "/rate_limit", _Limits).resources.core
        except NotThere:
            return None

    def pages(
        self, path: str, kind: type[T], query: Mapping[str, str], *, most: int = MOST_PAGES
    ) -> Iterator[T]:
        """Yield what a list holds, page after page. Raises LeftOut, after `most` pages too."""
        page = self.page(path, kind, query)
        for _ in range(most):
            yield from page.items if page else ()
            page = self.next_page(page, kind) if page else None
            if page is None:
                return
        raise TooMany(f"there are more than {most * 100} entries to look through")

    def page(self, path: str, kind: type[T], query: Mapping[str, str], *, etag: str = "") -> Page[T] | None:
        """Return the first page of a list; None where it is as it was when it had that `etag`. Raises LeftOut."""
        return self._page(path, kind, {**query, "per_page": "100"}, etag)

    def next_page(self, page: Page[T], kind: type[T]) -> Page[T] | None:
        """Return the page after another, as its Link header tells; None after the last. Raises LeftOut."""
        if page.following is None:
            return None
        if not self._is_within(page.following):
            raise LeftOut("GitHub's list goes on at another address, and a token goes nowhere else")
        return self._page(page.following, kind)

    def make_once(self, make: Callable[[], T], find: Callable[[], T | None]) -> T:
        """Make what must not be there twice: where that fails it is looked for, before it is tried again.

        `find` gives None where it is not there. Raises LeftOut.
        """
        for attempt in range(TRIES):
            try:
                return make()
            except Halted:
                raise
            except LeftOut as error:
                unsure = isinstance(error, Unsure)
                if unsure:
                    self.pause(2.0**attempt)
                if (found := find()) is not None:
                    return found
                if not unsure or attempt + 1 == TRIES:
                    raise
        raise AssertionError("the last attempt returns or raises")

    @staticmethod
    def until_sure(work: Callable[[int], T]) -> T:
        """Do what may be done twice, again while its answer is lost; `work` gets the number of the try, from 0.

        Raises LeftOut.
        """
        for attempt in range(TRIES):
            try:
                return work(attempt)
            except Unsure as error:
                if attempt + 1 == TRIES:
                    raise LeftOut(str(error)) from None
        raise AssertionError("the last attempt returns or raises")

    def pause(self, seconds: float) -> None:
        """Give GitHub time for what it does after it has answered."""
        self._sleep(seconds)

    def _page(
        self, url: str, kind: type[T], query: Mapping[str, str] | None = None, etag: str = ""
    ) -> Page[T] | None:
        """A following page's address holds the query."""
        items, response = self._patiently(
            lambda: self._answer("GET", url, list[kind], etag, params=query)  # type: ignore[valid-type]
        )
        if response.status_code == 304:
            return None
        return Page(items, response.headers.get("etag", ""), response.links.get("next", {}).get("url"))

    # Waiting

    def _patiently(self, work: Callable[[], T]) -> T:
        """Do it; where it may work later, wait and do it again. Raises Halted when it has waited enough."""
        waited, failed, limited = 0.0, 0, 0
        while True:
            try:
                return work()
            except _Limited as limit:
                pause = MINUTE * 2**limited if limit.after is None else limit.after
                limited += 1
                if waited + pause > self._patience:
                    raise Halted(f"{limit}; GitHub asks to wait {pause:.0f} seconds") from None
                self._tell(pause)
            except _TryAgain as trouble:
                pause = min(MINUTE, 2.0**failed)
                failed += 1
                if failed == self._tries or waited + pause > self._patience:
                    raise Halted(str(trouble)) from None
            waited += pause
            self._sleep(pause)

    def _tell(self, pause: float) -> None:
        if self._waiting is not None and pause > SHORT:
            self._waiting(
                f"GitHub asks to wait {_duration(pause)}; Ctrl-C is safe, the same command goes on where it stopped"
            )

    def _keep_pace(self) -> None:
        early = self._next_write - time.monotonic()
        if early > 0:
            self._sleep(early)

    # Requests

    def _answer(
        self, method: str, path: str, kind: Any, etag: str = "", **request: Any
    ) -> tuple[Any, httpx.Response]:
        """One request and its redirects; None where `etag` still holds. Raises LeftOut, _TryAgain and _Limited."""
        for _ in range(MOST_HOPS):
            response = self._conditional(method, path, etag, **request)
            if response.status_code == 304:
                return None, response
            if response.is_success:
                return self._decoded(method, response, kind), response
            elsewhere = self._redirected(response)
            if elsewhere is None:
                raise _trouble(response, method)
            path = elsewhere
        raise LeftOut("GitHub leads from address to address without an end")

    def _conditional(self, method: str, path: str, etag: str, **request: Any) -> httpx.Response:
        """Send a request; what was read before is only asked whether it still holds, which no limit counts."""
        if method != "GET":
            return self._send(method, path, **request)
        place = f"{path} {request.get('params')}"
        kept = None if etag else self._kept.pop(place, None)
        known = etag or (kept.headers["etag"] if kept else "")
        response = self._send(method, path, **request, headers={"If-None-Match": known} if known else {})
        if kept is not None and response.status_code == 304:
            response = kept
        if response.status_code == 200 and "etag" in response.headers:
            self._kept[place] = response
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return response

    def _asked(self, text: str, variables: Mapping[str, Any], kind: Any) -> tuple[Any, httpx.Response]:
        """GitHub's GraphQL, which lies beside /v3 on a server of one's own. Raises LeftOut, _TryAgain, _Limited."""
        url = str(self._client.base_url).rstrip("/").removesuffix("/v3") + "/graphql"
        data = {"query": text, "variables": variables}
        answer, response = self._answer(QUERY, url, kind, json=data)
        if any(error.type == "RATE_LIMITED" for error in answer.errors):
            raise _limit(response) or _Limited(_USED_UP, None)
        if answer.data is None:
            told = " ".join(error.message for error in answer.errors)[:LONGEST_TOLD]
            raise LeftOut("GitHub does not answer the question", response.status_code, told)
        return answer, response

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        """What is raised quotes nothing of what was sent or answered."""
        import httpx

        writes = method not in {"GET", QUERY}
        if writes:
            self._keep_pace()
        try:
            return self._client.request("POST" if method == QUERY else method, path, **request)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:  # it was never sent
            raise _TryAgain(f"GitHub cannot be reached ({type(error).__name__})") from None
        except httpx.TransportError as error:
            raise _lost(method, f"GitHub cannot be reached ({type(error).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise LeftOut(f"GitHub's answer cannot be used ({type(error).__name__})") from None
        finally:
            if writes:
                self._next_write = time.monotonic() + self._pace

    def _decoded(self, method: str, response: httpx.Response, kind: Any) -> Any:
        try:
            content = b"null" if response.status_code == 204 else response.content
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise _lost(method, "GitHub's answer cannot be read") from None

    def _redirected(self, response: httpx.Response) -> str | None:
        """The address within the API that an answer leads to, such as that of a renamed repository."""
        if response.status_code not in (301, 302, 307, 308):
            return None
        url = response.headers.get("location", "")
        url = f"{self._client.base_url.join('/')}{url[1:]}" if re.match(r"/(?!/)", url) else url
        return url if self._is_within(url) else None

    def _is_within(self, address: str) -> bool:
        """Whether an address is the API's own; the texts alone would take api.github.com.example.org for it."""
        import httpx

        try:
            url, base = httpx.URL(address), self._client.base_url
        except (httpx.InvalidURL, ValueError):
            return False
        same = (url.scheme, url.userinfo, url.netloc) == (base.scheme, base.userinfo, base.netloc)
        return same and url.path.startswith(base.path)


def _client(url: str, token: str, timeout: float) -> httpx.Client:
    if not is_token(token):
        raise Halted(
            "there is no token for GitHub; set the variable GITHUB_TOKEN, for example with "
            "`export GITHUB_TOKEN=$(gh auth token)`"
        )
    if not re.fullmatch(r"https://\S+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/\S*)?", url):
        raise Halted("GITHUB_API_URL is no https address, and a token goes nowhere else")
    try:
        import httpx
    except ImportError:
        raise Halted(
            "httpx, which speaks to GitHub, is not installed; `pip install httpx` brings it"
        ) from None
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "User-Agent": "backgrade",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    try:
        # A redirect could lead elsewhere, and the token must not go there.
        return httpx.Client(base_url=url, headers=headers, timeout=timeout, follow_redirects=False)
    except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        raise Halted(
            f"no request to GitHub can be made from here: {type(error).__name__}; look at the variables for "
            "proxies and certificates"
        ) from None


# --- What an answer means


def _lost(method: str, why: str) -> Exception:
    """An answer that did not come whole: what makes something is not done again, everything else is."""
    return Unsure(why) if method == "POST" else _TryAgain(why)


def _trouble(response: httpx.Response, method: str) -> Exception:
    status = response.status_code
    if status in (403, 429, 503) and (limit := _limit(response)) is not None:
        return limit
    if status >= 500:
        return _lost(method, f"GitHub answers {status}")
    why = {
        401: "the token is not valid (401)",
        403: "this token may not do that (403)",
        404: "this token does not see it (404)",
        422: "GitHub does not take it (422)",
    }.get(status, f"GitHub answers {status}")
    kinds: dict[int, type[LeftOut]] = {401: Halted, 403: Forbidden, 404: NotThere}
    return kinds.get(status, LeftOut)(why, status, _told(response))


_USED_UP = "GitHub's rate limit is used up"


def _limit(response: httpx.Response) -> _Limited | None:
    """For how many seconds GitHub asks to be left alone, if it does."""
    why = f"{_USED_UP} ({response.status_code})"
    after, reset = response.headers.get("retry-after", ""), response.headers.get("x-ratelimit-reset", "")
    if re.fullmatch(r"\d{1,6}", after, re.ASCII):
        return _Limited(why, max(1.0, float(after)))
    if response.status_code == 503:
        return None
    if response.headers.get("x-ratelimit-remaining") == "0" and re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        return _Limited(why, max(1.0, float(reset) - _now(response)))
    secondary = re.search(rb"secondary rate limit|abuse detection", response.content)
    return _Limited(why, None) if secondary or response.status_code == 429 else None


def _now(response: httpx.Response) -> float:
    """Seconds since 1970 by GitHub's clock, for this machine's may be wrong."""
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return time.time()


class _Error(msgspec.Struct):
    message: str = ""


class _Message(msgspec.Struct):
    message: str = ""
    errors: list[_Error | str] = []


def _told(response: httpx.Response) -> str:
    """GitHub's own words, on one line of limited length."""
    try:
        read = msgspec.json.decode(response.content, type=_Message)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    parts = [read.message, *(e if isinstance(e, str) else e.message for e in read.errors)]
    return " ".join(": ".join(filter(None, parts)).split())[:LONGEST_TOLD]


def _duration(seconds: float) -> str:
    """Rounded up: `40 seconds`, `12 minutes`."""
    if seconds <= MINUTE:
        return f"{int(-(-seconds // 1))} seconds"
    minutes = int(-(-seconds // MINUTE))
    return f"{minutes} minutes"

"""A client of GitHub's REST API and GraphQL: waits for rate limits, paces writes, guards the token.

It follows GitHub's rules ("Rate limits for the REST API", "Best practices for using the REST
API", "Troubleshooting the REST API"):

    403 or 429 with `retry-after`               wait that many seconds
    403 or 429, `x-ratelimit-remaining: 0`      wait until `x-ratelimit-reset`, in seconds since 1970, UTC
    403 or 429 of a secondary limit, no header  wait a minute, and twice as long each time
    requests that write                         one after the other, a second between them
    301, 302, 307, 308                          the same request again at `Location`, here only within the API
    404                                         also if the token may not see it
    `etag`, sent again as `if-none-match`       304 where nothing has changed, which no limit counts
    GraphQL: 200 with `errors`                  missing parts are null; `type` and `path` say why and where

failures.py has the exceptions: RequestFailed for one request, GitHubUnavailable for all of them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import msgspec

from grader.classroom.github.failures import (
    LONGEST_QUOTED,
    RATE_LIMIT,
    GitHubUnavailable,
    RequestFailed,
    error_of,
    limit_of,
    lost_response,
)
from grader.console import duration
from grader.errors import retry, to_install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

T = TypeVar("T")
API = "https://api.github.com"
MINUTE = 60.0  # seconds
HOUR = 60 * MINUTE
TIMEOUT = 10.0  # seconds for each step of a request
TRIES = 3
PATIENCE = 20.0  # seconds of waiting for one request; a job in CI must not hang for minutes
MOST_PAGES = 30  # pages of a hundred entries
MOST_HOPS = 5  # redirects of one request
QUERY = "QUERY"  # GraphQL: a POST that changes nothing, so it may be sent again
SHORT = 5.0  # a shorter wait, in seconds, is not announced
MOST_BYTES = 32 << 20  # of one answer, decompressed; a page of a hundred repositories has half a million
MOST_KEPT = 64  # responses that are kept for conditional requests


@dataclass(frozen=True)
class _ListPage(Generic[T]):
    """A page of a list; `etag` serves a later conditional request, `following` is the next page's address."""

    items: list[T]
    etag: str = ""
    following: str | None = None


class _Trouble(msgspec.Struct):
    """The reason for a missing part of GraphQL's answer: NOT_FOUND, FORBIDDEN or another type, and the part."""

    message: str = ""
    type: str = ""
    path: list[str | int] = []


class QueryResult(msgspec.Struct, Generic[T]):
    """GraphQL's answer to a query."""

    data: T | None = None
    errors: list[_Trouble] = []


def is_token(text: str) -> bool:
    """Return True for text that can be sent in a header."""
    return re.fullmatch(r"[!-~]+", text) is not None


def token_of(environment: Mapping[str, str]) -> str:
    """Return the token from GITHUB_TOKEN or GH_TOKEN, else from GitHub's `gh` if a user is signed in; else "".

    `gh` is used only for GitHub itself: another server must not get its token.
    """
    if token := environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN"):
        return token.strip()
    gh = shutil.which("gh", path=environment.get("PATH", ""))
    if gh is None or (environment.get("GITHUB_API_URL") or API) != API:
        return ""
    done = subprocess.run([gh, "auth", "token"], capture_output=True, text=True, check=False)  # noqa: S603  found on PATH
    return done.stdout.strip()


def api_from(environment: Mapping[str, str], *, waiting: Callable[[str], None] | None = None) -> Api:
    """Return the API for an instructor's command, which waits longer than a job in CI.

    GITHUB_TOKEN, GH_TOKEN or `gh` gives the token, GITHUB_API_URL the address. BACKGRADE_PACE is the number of seconds
    between two requests that write, by default 1; 0 is for a server without such limits. Raises RequestFailed,
    GitHubUnavailable.
    """
    url = environment.get("GITHUB_API_URL") or API
    pace = environment.get("BACKGRADE_PACE") or "1"
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", pace, re.ASCII):
        raise RequestFailed(
            "BACKGRADE_PACE is not a number of seconds; set it to one, such as 1 or 0.5, or unset it"
        )
    return Api(
        token_of(environment),
        url=url,
        patience=HOUR,
        pace=float(pace),
        waiting=waiting,
        tries=6,
        timeout=30.0,
    )


class Api:
    """The API with one token, as a context manager. Paths begin with a slash; the caller makes them.

    Times are in seconds: `patience` limits the waiting for one request, `pace` separates two requests that write, and
    `timeout` limits one step of a request. `tries` limits how often a request is sent that fails without a rate limit.
    `waiting` is called with a line before a long wait. Every method raises RequestFailed and GitHubUnavailable.
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
        self._next_write = 0.0  # a time of the monotonic clock
        self._kept: dict[str, httpx.Response] = {}  # the newest last
        self._client = _client(url, token, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, kind: type[T], /, **data: Any) -> T:
        """Send a request with `data` as JSON, and return the answer as that type; None for one without a body.

        Only a POST can fail as `unsure`: every other method is retried when its response is lost.
        """
        answer: T = self._patiently(lambda: self._answer(method, path, kind, json=data or None))[0]
        return answer

    def find(self, method: str, path: str, kind: type[T], /, **data: Any) -> T | None:
        """Like `ask`, but return None for 404: it does not exist, or the token cannot see it."""
        try:
            return self.ask(method, path, kind, **data)
        except RequestFailed as error:
            if not error.missing:
                raise
            return None

    def query(self, text: str, kind: type[T], /, **variables: Any) -> QueryResult[T]:
        """Send a query to GraphQL, and return its answer with `data` as that type.

        A part that is missing or forbidden is None; `errors` has the reasons. On GitHub Enterprise the path replaces /v3.
        """
        url = str(self._client.base_url).rstrip("/").removesuffix("/v3") + "/graphql"
        data = {"query": text, "variables": variables}

        def asked() -> QueryResult[T]:
            answer: QueryResult[T]
            answer, response = self._answer(QUERY, url, QueryResult[kind], json=data)  # type: ignore[valid-type]
            if any(error.type == "RATE_LIMITED" for error in answer.errors):
                raise limit_of(response) or GitHubUnavailable(RATE_LIMIT, "limit")
            if answer.data is None:
                messages = " ".join(error.message for error in answer.errors)[:LONGEST_QUOTED]
                raise RequestFailed("GitHub does not answer the query", response.status_code, messages)
            return answer

        return self._patiently(asked)

    def pages(
        self, path: str, kind: type[T], query: Mapping[str, str], *, most: int = MOST_PAGES
    ) -> Iterator[T]:
        """Yield the entries of a list, page after page. Raises RequestFailed after `most` pages."""
        page = self.page(path, kind, query)
        for _ in range(most):
            yield from page.items if page else ()
            page = self.next_page(page, kind) if page else None
            if page is None:
                return
        raise RequestFailed(f"the list has more than {most * 100} entries", cause="too long")

    def page(
        self, path: str, kind: type[T], query: Mapping[str, str] | None = None, *, etag: str = ""
    ) -> _ListPage[T] | None:
        """Return the first page of a list; None if it has not changed since it had that `etag`.

        Without a query `path` is the address of a following page, which holds it.
        """
        params = None if query is None else {**query, "per_page": "100"}
        items, response = self._patiently(
            lambda: self._answer("GET", path, list[kind], etag, params=params)  # type: ignore[valid-type]
        )
        if response.status_code == 304:
            return None
        return _ListPage(items, response.headers.get("etag", ""), response.links.get("next", {}).get("url"))

    def next_page(self, page: _ListPage[T], kind: type[T]) -> _ListPage[T] | None:
        """Return the page after another, by its Link header; None after the last."""
        if page.following is None:
            return None
        if not self._is_within(page.following):
            raise RequestFailed("GitHub's list continues at another server, and the token is not sent there")
        return self.page(page.following, kind)

    def make_once(self, make: Callable[[], T], find: Callable[[], T | None]) -> T:
        """Create something that must not exist twice; after a failure, `find` it before the next try.

        `find` returns None if it does not exist.
        """

        def made(number: int) -> T:
            try:
                return make()
            except RequestFailed as error:
                if error.unsure:
                    self._sleep(2.0**number)  # GitHub finishes some work after its answer
                if (found := find()) is None:
                    raise
                return found

        return self.until_sure(made)

    @staticmethod
    def until_sure(work: Callable[[int], T]) -> T:
        """Do work that may be repeated; retry while its response is lost.

        `work` gets the number of the try, from 0.
        """
        return retry(work, RequestFailed, lambda error, n: 0 if error.unsure and n + 1 < TRIES else None)

    # Waiting

    def _patiently(self, work: Callable[[], T]) -> T:
        """Do the work; wait and retry if that may help. Raises GitHubUnavailable if the wait is too long."""
        patience = _Patience(self._patience, self._tries, self._announce)
        return retry(lambda _: work(), GitHubUnavailable, patience.pause, self._sleep)

    def _announce(self, pause: float) -> None:
        if self._waiting is not None and pause > SHORT:
            self._waiting(
                f"GitHub asks to wait, so this command waits {duration(pause)}. To continue later instead, press Ctrl-C "
                "and run the same command again"
            )

    # Requests

    def _answer(
        self, method: str, path: str, kind: Any, etag: str = "", **request: Any
    ) -> tuple[Any, httpx.Response]:
        """Send one request and follow its redirects; None if `etag` is still valid."""
        for _ in range(MOST_HOPS):
            response = self._conditional(method, path, etag, **request)
            if response.status_code == 304:
                return None, response
            if response.is_success:
                return self._decode(method, response, kind), response
            elsewhere = self._redirect_target(response)
            if elsewhere is None:
                raise error_of(response, method)
            path = elsewhere
        raise RequestFailed("GitHub redirects too many times")

    def _conditional(self, method: str, path: str, etag: str, **request: Any) -> httpx.Response:
        """Send a request; a repeated GET is conditional, so it counts against no limit if nothing changed."""
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

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request. An error message quotes neither the request nor the response."""
        import httpx

        writes = method not in {"GET", QUERY}
        if writes and (early := self._next_write - time.monotonic()) > 0:
            self._sleep(early)
        try:
            with self._client.stream("POST" if method == QUERY else method, path, **request) as response:
                return _read(response)
        # The request was never sent.
        except (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
        ) as error:
            raise GitHubUnavailable(f"GitHub cannot be reached ({type(error).__name__})", "soon") from None
        except httpx.TransportError as error:
            raise lost_response(method, f"GitHub cannot be reached ({type(error).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, zlib.error) as error:
            raise RequestFailed(f"GitHub's answer cannot be used ({type(error).__name__})") from None
        finally:
            if writes:
                self._next_write = time.monotonic() + self._pace

    def _decode(self, method: str, response: httpx.Response, kind: Any) -> Any:
        try:
            content = b"null" if response.status_code == 204 else response.content
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise lost_response(method, "GitHub's answer cannot be read") from None

    def _redirect_target(self, response: httpx.Response) -> str | None:
        """Return the address within the API that a response redirects to, such as that of a renamed repository."""
        if response.status_code not in (301, 302, 307, 308):
            return None
        url = response.headers.get("location", "")
        url = f"{self._client.base_url.join('/')}{url[1:]}" if re.match(r"/(?!/)", url) else url
        return url if self._is_within(url) else None

    def _is_within(self, address: str) -> bool:
        """Return True for an address of the API. A comparison of text prefixes would accept api.github.com.example.org."""
        import httpx

        try:
            url, base = httpx.URL(address), self._client.base_url
        except (httpx.InvalidURL, ValueError):
            return False
        same = (url.scheme, url.userinfo, url.netloc) == (base.scheme, base.userinfo, base.netloc)
        return same and url.path.startswith(base.path)


@dataclass
class _Patience:
    """The waiting of one request: at most `seconds` in all, and `tries` requests without a rate limit."""

    seconds: float
    tries: int
    announce: Callable[[float], None]
    waited: float = 0.0
    failed: int = 0
    limited: int = 0

    def pause(self, error: GitHubUnavailable, _: int) -> float | None:
        """Return the seconds to wait before the next try; None if there is none."""
        if error.retry == "limit":
            pause = MINUTE * 2**self.limited if error.after is None else error.after
            self.limited += 1
            if self.waited + pause > self.seconds:
                raise GitHubUnavailable(
                    f"{error}; GitHub asks to wait {duration(pause)}, and the whole wait would then be "
                    "too long for this command"
                ) from None
            self.announce(pause)
        else:
            pause = min(MINUTE, 2.0**self.failed)
            self.failed += 1
            if error.retry == "no" or self.failed == self.tries or self.waited + pause > self.seconds:
                return None
        self.waited += pause
        return pause


def _client(url: str, token: str, timeout: float) -> httpx.Client:
    if not is_token(token):
        raise GitHubUnavailable(
            "no token for GitHub; sign in with `gh auth login`, or set the variable GITHUB_TOKEN"
        )
    if not re.fullmatch(r"https://\S+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/\S*)?", url):
        raise GitHubUnavailable("GITHUB_API_URL is not an https address, and the token is not sent there")
    try:
        import httpx
    except ImportError:
        raise GitHubUnavailable(f"httpx is not installed; run {to_install('classroom')}") from None
    headers = {
        "Accept": "application/vnd.github+json",
        "Accept-Encoding": "gzip",  # `_read` supports this one
        "Authorization": f"Bearer {token}",
        "User-Agent": "backgrade",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    try:
        # A redirect could lead to another server, which must not get the token.
        return httpx.Client(base_url=url, headers=headers, timeout=timeout, follow_redirects=False)
    except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        raise GitHubUnavailable(
            f"requests to GitHub cannot be sent ({type(error).__name__}), probably because one of the environment "
            "variables `*_PROXY`, `SSL_CERT_FILE` and `SSL_CERT_DIR` is wrong; correct or unset it"
        ) from None


def _read(response: httpx.Response) -> httpx.Response:
    """Return the response with its body, decompressed step by step. Raises RequestFailed if that is too large.

    httpx would decompress without a limit, even a body that was compressed twice: 64 KB can become 64 GB.
    """
    import httpx

    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"gzip", "identity"}:
        raise RequestFailed(f"GitHub's answer cannot be used (its encoding is {encoding[:20]!r})")
    unpacking = (
        zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding == "gzip" else None
    )  # with a header of gzip
    body = bytearray()
    for chunk in response.iter_raw():
        body += unpacking.decompress(chunk, MOST_BYTES + 1 - len(body)) if unpacking else chunk
        if len(body) > MOST_BYTES:
            raise RequestFailed(
                f"GitHub's answer is larger than {MOST_BYTES >> 20} MB; another server may have answered"
            )
    if unpacking and body and not unpacking.eof:
        raise httpx.RemoteProtocolError("the compressed answer ends in the middle")
    about = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_BODY]
    return httpx.Response(response.status_code, headers=about, content=bytes(body), request=response.request)


_OF_BODY = {"content-encoding", "content-length", "transfer-encoding"}  # headers

"""Permissions, pages, limits and HTTP."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from github_server.record import record
from github_server.routing import ROUTES, Answer
from github_server.state import (
    BOT,
    REFUSED,
    Asked,
    Comment,
    Dropped,
    Fault,
    Problem,
    Repository,
    Token,
    iso,
)


class GitHub:
    """The server, as a context manager; `url` is what GITHUB_API_URL names.

    `on_request(method, path, number, done)` is called before the work of a request and after it; it may
    raise Dropped, and the request ends there. `slow` is after how many requests to it a repository that
    is made from a template has its branch. `limit` is how many requests an hour (`window`, in seconds) takes.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, int] = {}
        self.users: dict[str, str] = {}  # by the folded name
        self.organisations: dict[str, set[str]] = {}  # the folded names of the members
        self.tokens: dict[str, Token] = {}
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.per_page = 100  # the most that a page has
        self.slow = 0
        self.base = "read"  # what members may do in every repository of their organisation
        self.limit, self.window = 5_000, 3600.0
        self.used, self.reset = 0, 0.0
        self.points = 5_000  # of GraphQL's own hour
        self.clock: str | None = None  # what time it is there, in ISO 8601; None: what time it is
        self.on_request: Callable[[str, str, int, bool], None] | None = None
        self.number = 0  # of the newest request
        self._ids = 1_000
        self._lock = threading.RLock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, token: str) -> dict[str, str]:
        """Return the variables with which a command talks to this server, without pauses."""
        return {
            "GITHUB_TOKEN": token,
            "GITHUB_API_URL": self.url,
            "GITHUB_SERVER_URL": f"file://{self.folder}",
            "BACKGRADE_PACE": "0",
        }

    # What a test prepares

    def repository(self, name: str, *, private: bool = True, **more: Any) -> Repository:
        """Have a repository, empty."""
        now = self.now()
        made = Repository(name, self.next_id(), private, github=self, created_at=now, pushed_at=now, **more)
        self.repositories[name] = made
        self.organisation(made.owner)
        if self.folder is not None:
            made.bare.make(made.default_branch)
        return made

    def organisation(self, name: str, *members: str) -> None:
        """Have an organisation, with these members."""
        self.organisations.setdefault(name.casefold(), set()).update(m.casefold() for m in members)
        self.user(*members)

    def user(self, *names: str) -> None:
        """Have users of these names."""
        self.users.update({name.casefold(): name for name in names})

    def token(
        self,
        login: str = BOT,
        *,
        write: Iterable[str] = (),
        read: Iterable[str] = ("contents", "metadata", "pull_requests"),
        repositories: Iterable[str] | None = None,
    ) -> str:
        """Have a token; of the bot it is an installation's, as a job's own token is."""
        text = f"ghs_{self.next_id():040d}"
        sees = None if repositories is None else frozenset(repositories)
        self.tokens[text] = Token(login, sees, frozenset(write), frozenset(read), login.endswith("[bot]"))
        return text

    def comment(self, among: list[Comment], author: str | None, body: str) -> Comment:
        """Have a comment in a list of comments."""
        made = Comment(self.next_id(), author, body)
        among.append(made)
        return made

    def next_id(self) -> int:
        self._ids += 1
        return self._ids

    def now(self) -> str:
        """Return the server's time."""
        return self.clock or iso(dt.datetime.now(dt.UTC))

    # Answers

    def answer(self, method: str, target: str, authorization: str, data: bytes) -> Answer:
        """Status, what is sent as JSON, headers."""
        try:
            answer = self._work(method, target, authorization, data)
        except Problem as problem:
            record(method, target, data, problem.status, problem.told)
            raise
        record(method, target, data, *answer[:2])
        return answer

    def _work(self, method: str, target: str, authorization: str, data: bytes) -> Answer:
        url = urlsplit(target)
        with self._lock:
            token = self._token(authorization)
            path = re.sub(r"^/repositories/(\d+)(?=/|$)", self._by_id, unquote(url.path))
            self._refuse_renamed(method, path, url.query, token)
            for pattern, verb, work in ROUTES:
                if verb == method and (found := re.fullmatch(pattern, path)):
                    self.let_come(found.groupdict().get("repo"))
                    query = {k: v[-1] for k, v in parse_qs(url.query).items()}
                    return work(self, token, found, query if method == "GET" else _fields(data))
        raise Problem(404, "Not Found")

    def find(self, name: str) -> Repository | None:
        """A repository by its name, in which large and small letters are the same."""
        every = (r for r in self.repositories.values() if r.name.casefold() == name.casefold())
        return self.repositories.get(name) or next(every, None)

    def find_id(self, number: int) -> Repository | None:
        return next((r for r in self.repositories.values() if r.id == number), None)

    def _by_id(self, found: re.Match[str]) -> str:
        repository = self.find_id(int(found[1]))
        return f"/repos/{repository.name}" if repository else ""

    def _refuse_renamed(self, method: str, path: str, query: str, token: Token | None) -> None:
        found = re.match(r"/repos/([^/]+/[^/]+)(.*)", path)
        number = self.renamed.get(found[1].casefold()) if found and self.find(found[1]) is None else None
        moved = number and self.find_id(number)
        if not found or not moved:
            return
        self.seen(moved.name, token, ("metadata",), "read")
        place = f"{self.url}/repositories/{moved.id}{found[2]}{'?' + query if query else ''}"
        raise Problem(301 if method == "GET" else 307, "Moved Permanently", {"Location": place})

    def let_come(self, name: str | None) -> None:
        """Do at a later request what GitHub does a moment later."""
        repository = self.find(name) if name else None
        for waiting in list(repository.coming) if repository else []:
            waiting[0] -= 1
            if waiting[0] <= 0:
                waiting[1]()
                assert repository
                repository.coming.remove(waiting)

    def _token(self, authorization: str) -> Token | None:
        if not authorization:
            return None
        token = self.tokens.get(authorization.removeprefix("Bearer ").removeprefix("token "))
        if token is None:
            raise Problem(401, "Bad credentials")
        return token

    def seen(self, name: str, token: Token | None, permissions: tuple[str, ...], access: str) -> Repository:
        """A repository for somebody who may do that there; what may not be seen is not there."""
        repository = self.find(name)
        inside = token is not None and (token.repositories is None or name in token.repositories)
        if repository is None or (repository.private and not inside):
            raise Problem(404, "Not Found")
        if access == "read" and not repository.private:
            return repository
        if token is None:
            raise Problem(401, "Requires authentication")
        if not inside or not any(token.may(permission, access) for permission in permissions):
            raise Problem(403, REFUSED)
        return repository

    def writable(self, name: str, token: Token | None, permissions: tuple[str, ...]) -> Repository:
        """The same for writing, which nobody may in an archived one."""
        repository = self.seen(name, token, permissions, "write")
        if repository.archived:
            raise Problem(403, "Repository was archived so is read-only.")
        return repository

    def page(self, items: list[Any], found: re.Match[str], query: dict[str, str]) -> Answer:
        """One page of a list; the Link header names the repository by its number, as GitHub's do."""
        size = min(int(query.get("per_page", "30")), self.per_page)
        page, last = int(query.get("page", "1")), max(1, -(-len(items) // size))
        links = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
        if page >= last:
            links = {"prev": page - 1, "first": 1}
        if page == 1:
            links = {k: n for k, n in links.items() if k in {"next", "last"}}
        header = self.links(found, {k: query | {"page": str(n)} for k, n in links.items()})
        return 200, items[(page - 1) * size : page * size], header

    def links(self, found: re.Match[str], to: dict[str, dict[str, str]]) -> dict[str, str]:
        """A Link header, by the relation and the query of each link."""
        path = found[0]
        if name := found.groupdict().get("repo"):
            repository = self.find(name)
            assert repository
            path = path.replace(f"/repos/{name}", f"/repositories/{repository.id}", 1)
        header = ", ".join(f'<{self.url}{path}?{urlencode(query)}>; rel="{k}"' for k, query in to.items())
        return {"Link": header} if header else {}

    # Limits

    def refuse_much(self, path: str) -> None:
        """Count a request. Raises Problem where the hour's are used up.

        GraphQL has points of its own.
        """
        if path == "/graphql":
            return
        with self._lock:
            now = time.time()
            if now >= self.reset:
                self.used, self.reset = 0, now + self.window
            if self.used >= self.limit:
                raise Problem(403, "API rate limit exceeded for user ID 1.")
            self.used += 1

    def unless_known(self, answer: Answer, authorization: str, known: str) -> Answer:
        """304 if the asker has the present content, which no limit counts; an ETag is good for one token."""
        status, told, headers = answer
        if status != 200:
            return answer
        digest = hashlib.sha256(f"{authorization} {headers} {json.dumps(told)}".encode()).hexdigest()
        headers = headers | {"ETag": f'W/"{digest}"'}
        if known != headers["ETag"]:
            return 200, told, headers
        with self._lock:
            self.used -= 1
        return 304, None, headers

    @property
    def told_limits(self) -> dict[str, str]:
        """Return the headers about the rate limit."""
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(0, self.limit - self.used)),
            "x-ratelimit-used": str(self.used),
            "x-ratelimit-reset": str(int(self.reset) + 1),
        }


def _fields(data: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(data or b"{}")
    except ValueError:
        raise Problem(400, "Problems parsing JSON") from None
    if not isinstance(fields, dict):
        raise Problem(400, "Body should be a JSON object")
    return fields


# --- HTTP


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a lost connection: a test has killed the client."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler(github: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version, wbufsize = "HTTP/1.1", -1

        def do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            github.number += 1
            number = github.number
            try:
                self._called(number, done=False)
                self._answered(data, number)
            except Dropped:
                github.asked.append(Asked(self.command, self.path, 0, ""))
                self.close_connection = True

        def _called(self, number: int, *, done: bool) -> None:
            if github.on_request is not None:
                github.on_request(self.command, self.path, number, done)

        def _answered(self, data: bytes, number: int) -> None:
            authorization = self.headers.get("Authorization", "")
            fault = self._fault()
            status, told, headers = 0, None, {}
            if fault is None or fault.after_work or not fault.status:
                status, told, headers = self._worked(data, authorization)
            self._called(number, done=True)
            if fault is not None and fault.status:
                status, told, headers = fault.status, fault.body or {"message": fault.message}, fault.headers
            github.asked.append(Asked(self.command, self.path, status, authorization))
            if fault is not None and fault.hung_up:
                self.close_connection = True
                return
            self._send(status, told, headers, cut=fault is not None and fault.truncated)

        def _fault(self) -> Fault | None:
            for fault in github.faults:
                if fault.only in ("", self.command) and fault.path in self.path:
                    github.faults.remove(fault)
                    return fault
            return None

        def _worked(self, data: bytes, authorization: str) -> Answer:
            try:
                if not self.headers.get("User-Agent"):
                    raise Problem(403, "Request forbidden by administrative rules: no User-Agent header")
                github.refuse_much(self.path)
                answer = github.answer(self.command, self.path, authorization, data)
                if self.command != "GET":
                    return answer
                return github.unless_known(answer, authorization, self.headers.get("If-None-Match", ""))
            except Problem as problem:
                return problem.status, problem.told, problem.headers

        def _send(self, status: int, told: Any, headers: dict[str, str], *, cut: bool) -> None:
            page = told if isinstance(told, bytes) else json.dumps(told).encode()
            page = b"" if status in {204, 304} else page
            kind = {"Content-Type": "application/json; charset=utf-8"}
            self.send_response(status)
            for name, value in (github.told_limits | kind | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the client has read enough
                self.wfile.write(page[: len(page) // 2] if cut else page)
            self.close_connection = self.close_connection or cut

        def log_message(self, *_: object) -> None:
            pass

    for verb in ("GET", "POST", "PATCH", "PUT", "DELETE"):
        setattr(Handler, f"do_{verb}", Handler.do)
    return Handler

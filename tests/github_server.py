"""A small GitHub on this machine: as much of its REST API as the grader speaks, over real HTTP.

It holds to what GitHub documents: authentication, 404 for what a token may not see, 403 for what it may not
do, 422 for what cannot be written, pages with Link headers, rate limits. Its state is open to the tests, and
`faults` are taken by the requests that come next.

    with GitHub() as github:
        alice = github.repository("course/alice")
        alice.pull(1, head="main", base="feedback")
        token = github.token(write=["pull_requests"])
        ... speak to github.url ...
        assert alice.comments[1][0].body
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

BOT = "github-actions[bot]"
LONGEST = 65_536  # characters of a comment
REFUSED = "Resource not accessible by integration"


# --- State


@dataclass
class Comment:
    """A comment on a pull request or on a commit."""

    id: int
    author: str | None  # None: the account is gone
    body: str
    edits: int = 0


@dataclass
class Pull:
    """A pull request; `head` is a branch of `owner`."""

    number: int
    head: str
    base: str
    owner: str
    state: str = "open"


@dataclass
class Repository:
    """A repository; comments by the number of their pull request, and by their commit."""

    name: str
    id: int
    private: bool = True
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, list[Comment]] = field(default_factory=dict)
    commit_comments: dict[str, list[Comment]] = field(default_factory=dict)

    def pull(
        self, number: int, *, head: str = "main", base: str = "feedback", owner: str = "", state: str = "open"
    ) -> Pull:
        """Open a pull request."""
        pull = Pull(number, head, base, owner or self.name.partition("/")[0], state)
        self.pulls[number], self.comments[number] = pull, []
        return pull

    def commit(self, sha: str) -> None:
        """Have a commit."""
        self.commit_comments[sha] = []


@dataclass
class Token:
    """Who writes with it, where, and what it may; a token of an installation may not ask who it is."""

    login: str
    repositories: frozenset[str] | None  # None: all
    write: frozenset[str]
    read: frozenset[str]
    installation: bool

    def may(self, permission: str, access: str) -> bool:
        return permission in self.write or (access == "read" and permission in self.read)


@dataclass
class Fault:
    """What happens to one request in the place of an answer."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Fault"
    after_work: bool = False  # whether the work is done before the answer is lost
    truncated: bool = False  # the answer ends in the middle
    hung_up: bool = False  # no answer at all
    only: str = ""  # the method that it waits for


@dataclass(frozen=True)
class Asked:
    """A request that came, and how it was answered."""

    method: str
    path: str
    status: int
    authorization: str


class Problem(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class GitHub:
    """The server, as a context manager; `url` is what GITHUB_API_URL names."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.per_page = 100  # the most that a page has
        self._ids = 1_000
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    # What a test prepares

    def repository(self, name: str, *, private: bool = True) -> Repository:
        """Have a repository."""
        made = self.repositories[name] = Repository(name, self.next_id(), private)
        return made

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

    # Answers

    def answer(
        self, method: str, target: str, authorization: str, data: bytes
    ) -> tuple[int, Any, dict[str, str]]:
        """Status, what is sent as JSON, headers."""
        url = urlsplit(target)
        with self._lock:
            token = self._token(authorization)
            path = re.sub(r"^/repositories/(\d+)(?=/)", self._by_id, url.path)
            for pattern, verb, work in ROUTES:
                if verb == method and (found := re.fullmatch(pattern, path)):
                    query = {k: v[-1] for k, v in parse_qs(url.query).items()}
                    return work(self, token, found, query if method == "GET" else _fields(data))
        raise Problem(404, "Not Found")

    def _by_id(self, found: re.Match[str]) -> str:
        names = [r.name for r in self.repositories.values() if r.id == int(found[1])]
        return f"/repos/{names[0]}" if names else ""

    def _token(self, authorization: str) -> Token | None:
        if not authorization:
            return None
        token = self.tokens.get(authorization.removeprefix("Bearer ").removeprefix("token "))
        if token is None:
            raise Problem(401, "Bad credentials")
        return token

    def seen(self, name: str, token: Token | None, permissions: tuple[str, ...], access: str) -> Repository:
        """A repository for somebody who may do that there; what may not be seen is not there."""
        repository = self.repositories.get(name)
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

    def page(
        self, items: list[Any], found: re.Match[str], query: dict[str, str]
    ) -> tuple[int, Any, dict[str, str]]:
        """One page of a list; the Link header names the repository by its number, as GitHub's do."""
        size = min(int(query.get("per_page", "30")), self.per_page)
        page, last = int(query.get("page", "1")), max(1, -(-len(items) // size))
        repository = self.repositories[found["repo"]]
        path = found[0].replace(f"/repos/{repository.name}", f"/repositories/{repository.id}", 1)
        links = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
        if page >= last:
            links = {"prev": page - 1, "first": 1}
        if page == 1:
            links = {k: n for k, n in links.items() if k in {"next", "last"}}
        url = f"{self.url}{path}"
        header = ", ".join(f'<{url}?{urlencode(query | {"page": n})}>; rel="{k}"' for k, n in links.items())
        return 200, items[(page - 1) * size : page * size], {"Link": header} if header else {}


def _fields(data: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(data)
    except ValueError:
        raise Problem(400, "Problems parsing JSON") from None
    if not isinstance(fields, dict):
        raise Problem(400, "Body should be a JSON object")
    return fields


def _body(fields: dict[str, Any]) -> str:
    body = fields.get("body")
    if not isinstance(body, str) or not body.strip():
        raise Problem(422, "Validation Failed: body is missing")
    if len(body) > LONGEST:
        raise Problem(422, f"Validation Failed: body is too long (maximum is {LONGEST} characters)")
    return body


def _shown(comment: Comment) -> dict[str, Any]:
    user = None if comment.author is None else {"login": comment.author, "id": 1, "type": "User"}
    return {"id": comment.id, "user": user, "body": comment.body, "created_at": "2026-11-20T12:00:00Z"}


# --- Routes

Answer = tuple[int, Any, dict[str, str]]
ROUTES: list[tuple[str, str, Callable[..., Answer]]] = []
REPO = r"/repos/(?P<repo>[\w.-]+/[\w.-]+)"


def route(verb: str, pattern: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    def kept(work: Callable[..., Answer]) -> Callable[..., Answer]:
        ROUTES.append((pattern, verb, work))
        return work

    return kept


@route("GET", "/user")
def get_user(github: GitHub, token: Token | None, found: Any, query: Any) -> Answer:
    if token is None:
        raise Problem(401, "Requires authentication")
    if token.installation:
        raise Problem(403, REFUSED)
    return 200, {"login": token.login, "id": 1}, {}


@route("GET", f"{REPO}/pulls")
def list_pulls(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("pull_requests",), "read")
    state, head = query.get("state", "open"), query.get("head")
    pulls = [p for p in repository.pulls.values() if state in ("all", p.state)]
    pulls = [p for p in pulls if head is None or head == f"{p.owner}:{p.head}"]
    shown = [
        {"number": p.number, "state": p.state, "head": {"ref": p.head}, "base": {"ref": p.base}}
        for p in sorted(pulls, key=lambda p: -p.number)  # the newest first
    ]
    return github.page(shown, found, query)


def _comments(repository: Repository, number: str) -> list[Comment]:
    if int(number) not in repository.comments:
        raise Problem(404, "Not Found")
    return repository.comments[int(number)]


@route("GET", rf"{REPO}/issues/(?P<number>\d+)/comments")
def list_comments(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("issues", "pull_requests"), "read")
    return github.page([_shown(c) for c in _comments(repository, found["number"])], found, query)


@route("POST", rf"{REPO}/issues/(?P<number>\d+)/comments")
def write_comment(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.seen(found["repo"], token, ("issues", "pull_requests"), "write")
    among = _comments(repository, found["number"])
    return 201, _shown(github.comment(among, token.login, _body(fields))), {}


@route("PATCH", rf"{REPO}/issues/comments/(?P<id>\d+)")
def edit_comment(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.seen(found["repo"], token, ("issues", "pull_requests"), "write")
    return _edited([c for among in repository.comments.values() for c in among], found["id"], fields)


def _edited(among: list[Comment], number: str, fields: dict[str, Any]) -> Answer:
    comment = next((c for c in among if c.id == int(number)), None)
    if comment is None:
        raise Problem(404, "Not Found")
    comment.body, comment.edits = _body(fields), comment.edits + 1
    return 200, _shown(comment), {}


def _of_commit(repository: Repository, sha: str) -> list[Comment]:
    if sha not in repository.commit_comments:
        raise Problem(422, f"No commit found for SHA: {sha}")
    return repository.commit_comments[sha]


@route("GET", rf"{REPO}/commits/(?P<sha>[0-9a-f]+)/comments")
def list_commit_comments(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("metadata",), "read")
    return github.page([_shown(c) for c in _of_commit(repository, found["sha"])], found, query)


@route("POST", rf"{REPO}/commits/(?P<sha>[0-9a-f]+)/comments")
def write_commit_comment(github: GitHub, token: Token | None, found: Any, fields: dict[str, Any]) -> Answer:
    if token is None:
        raise Problem(401, "Requires authentication")
    repository = github.seen(
        found["repo"], token, ("contents",), "read"
    )  # reading is enough, by the documentation
    among = _of_commit(repository, found["sha"])
    return 201, _shown(github.comment(among, token.login, _body(fields))), {}


@route("PATCH", rf"{REPO}/comments/(?P<id>\d+)")
def edit_commit_comment(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.seen(found["repo"], token, ("contents",), "write")
    return _edited([c for among in repository.commit_comments.values() for c in among], found["id"], fields)


# --- HTTP


def _handler(github: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version, wbufsize = "HTTP/1.1", -1

        def do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            authorization = self.headers.get("Authorization", "")
            fault = self._fault()
            status, told, headers = 0, None, {}
            if fault is None or fault.after_work or not fault.status:
                status, told, headers = self._worked(data, authorization)
            if fault is not None and fault.status:
                status, told, headers = fault.status, {"message": fault.message}, fault.headers
            github.asked.append(Asked(self.command, self.path, status, authorization))
            if fault is not None and fault.hung_up:
                self.close_connection = True
                return
            self._send(status, told, headers, cut=fault is not None and fault.truncated)

        def _fault(self) -> Fault | None:
            for fault in github.faults:
                if fault.only in ("", self.command):
                    github.faults.remove(fault)
                    return fault
            return None

        def _worked(self, data: bytes, authorization: str) -> tuple[int, Any, dict[str, str]]:
            try:
                if not self.headers.get("User-Agent"):
                    raise Problem(403, "Request forbidden by administrative rules: no User-Agent header")
                return github.answer(self.command, self.path, authorization, data)
            except Problem as problem:
                return problem.status, {"message": problem.message}, {}

        def _send(self, status: int, told: Any, headers: dict[str, str], *, cut: bool) -> None:
            page = b"" if status == 204 else json.dumps(told).encode()
            limits = {"x-ratelimit-limit": "1000", "x-ratelimit-remaining": "999"}
            limits["x-ratelimit-reset"] = str(int(time.time()) + 3600)
            self.send_response(status)
            for name, value in (
                limits | {"Content-Type": "application/json; charset=utf-8"} | headers
            ).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page[: len(page) // 2] if cut else page)
            self.close_connection = cut

        def log_message(self, *_: object) -> None:
            pass

    for verb in ("GET", "POST", "PATCH", "PUT", "DELETE"):
        setattr(Handler, f"do_{verb}", Handler.do)
    return Handler

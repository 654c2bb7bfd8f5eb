"""Comments, issues, pull requests, and the statuses of commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from github_server.routing import REPO, Answer, route, text_of, user
from github_server.state import REFUSED, Comment, Issue, Problem, Pull, Repository, Status, Token, invalid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from github_server.server import GitHub


@route("GET", "/user")
def get_user(github: GitHub, token: Token | None, found: Any, query: Any) -> Answer:
    if token is None:
        raise Problem(401, "Requires authentication")
    if token.installation:
        raise Problem(403, REFUSED)
    return 200, {"login": token.login, "id": 1}, {}


# --- Comments


def _shown(comment: Comment) -> dict[str, Any]:
    return {
        "id": comment.id,
        "node_id": comment.node_id,
        "user": user(comment.author),
        "html_url": f"https://github.com/pull#issuecomment-{comment.id}",
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.edited_at or comment.created_at,
    }


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
    repository = github.writable(found["repo"], token, ("issues", "pull_requests"))
    among = _comments(repository, found["number"])
    return 201, _shown(github.comment(among, token.login, text_of(fields, "body"))), {}


@route("PATCH", rf"{REPO}/issues/comments/(?P<id>\d+)")
def edit_comment(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.writable(found["repo"], token, ("issues", "pull_requests"))
    among = [c for among in repository.comments.values() for c in among]
    return _edited(github, token, among, found["id"], fields)


@route("GET", rf"{REPO}/issues/comments/(?P<id>\d+)")
def get_comment(github: GitHub, token: Token | None, found: Any, query: Any) -> Answer:
    repository = github.seen(found["repo"], token, ("issues", "pull_requests"), "read")
    every = (c for among in repository.comments.values() for c in among)
    comment = next((c for c in every if c.id == int(found["id"])), None)
    if comment is None:
        raise Problem(404, "Not Found")
    return 200, _shown(comment), {}


def _edited(
    github: GitHub, token: Token, among: list[Comment], number: str, fields: dict[str, Any]
) -> Answer:
    comment = next((c for c in among if c.id == int(number)), None)
    if comment is None:
        raise Problem(404, "Not Found")
    comment.edit(token.login, text_of(fields, "body"), github.now())
    return 200, _shown(comment), {}


def _of_commit(repository: Repository, sha: str) -> list[Comment]:
    real = repository.github and repository.github.folder and repository.bare.tip(sha)
    if sha not in repository.commit_comments and not real:
        raise Problem(422, f"No commit found for SHA: {sha}")
    return repository.commit_comments.setdefault(sha, [])


@route("GET", rf"{REPO}/commits/(?P<sha>[0-9a-f]+)/comments")
def list_commit_comments(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("metadata",), "read")
    return github.page([_shown(c) for c in _of_commit(repository, found["sha"])], found, query)


@route("POST", rf"{REPO}/commits/(?P<sha>[0-9a-f]+)/comments")
def write_commit_comment(github: GitHub, token: Token | None, found: Any, fields: dict[str, Any]) -> Answer:
    if token is None:
        raise Problem(401, "Requires authentication")
    # Reading is enough, by the documentation.
    repository = github.seen(found["repo"], token, ("contents",), "read")
    among = _of_commit(repository, found["sha"])
    return 201, _shown(github.comment(among, token.login, text_of(fields, "body"))), {}


@route("PATCH", rf"{REPO}/comments/(?P<id>\d+)")
def edit_commit_comment(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.writable(found["repo"], token, ("contents",))
    among = [c for among in repository.commit_comments.values() for c in among]
    return _edited(github, token, among, found["id"], fields)


# --- Statuses

STATES = ("error", "failure", "pending", "success")
MOST_STATUSES = 1_000  # of one commit and context


@route("POST", rf"{REPO}/statuses/(?P<sha>[0-9a-f]{{40}})")
def write_status(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository, sha = github.writable(found["repo"], token, ("statuses",)), found["sha"]
    if repository.bare.tip(sha) is None:
        raise invalid(f"No commit found for SHA: {sha}")
    if fields.get("state") not in STATES:
        raise invalid("State is not included in the list")
    description, url = fields.get("description", ""), fields.get("target_url", "")
    if len(description) > 140:
        raise invalid("description is too long (maximum is 140 characters)")
    if url and not url.startswith(("http://", "https://")):
        raise invalid("Target url must use http(s) scheme")
    context = fields.get("context", "default")
    if sum(status.context == context for status in repository.statuses.get(sha, ())) == MOST_STATUSES:
        raise invalid("This SHA and context has reached the maximum number of statuses.")
    made = Status(fields["state"], context, description, url, token.login)
    repository.statuses.setdefault(sha, []).append(made)
    return 201, {"id": github.next_id()} | {name: fields.get(name) for name in ("state", "context")}, {}


# --- Issues


def _issue(github: GitHub, repository: Repository, issue: Issue | Pull) -> dict[str, Any]:
    """An issue, or a pull request as it is among them."""
    url = f"{github.url}/repos/{repository.name}/pulls/{issue.number}"
    return {
        "id": repository.id * 1_000 + issue.number,
        "node_id": f"{'I' if isinstance(issue, Issue) else 'PR'}_{repository.id * 1_000 + issue.number}",
        "number": issue.number,
        "html_url": f"https://github.com/{repository.name}/issues/{issue.number}",
        "title": issue.title,
        "body": issue.body,
        "state": issue.state,
        "user": user(issue.author or repository.owner),
        "labels": [{"name": name} for name in issue.labels],
        "created_at": issue.created_at,
    } | ({"pull_request": {"url": url}} if isinstance(issue, Pull) else {})


def _with_issues(repository: Repository) -> Repository:
    if not repository.has_issues:
        raise Problem(410, "Issues has been disabled in this repository.")
    return repository


def _moved(repository: Repository, number: str) -> None:
    """Raise Problem for an issue that was transferred: it is elsewhere."""
    if place := repository.transferred.get(int(number)):
        raise Problem(301, "Moved Permanently", {"Location": place})


def _names(labels: Iterable[str]) -> set[str]:
    """The names of labels, which GitHub compares without regard to case."""
    return {name.strip().casefold() for name in labels if name.strip()}


@route("GET", rf"{REPO}/issues")
def list_issues(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = _with_issues(github.seen(found["repo"], token, ("issues",), "read"))
    if query.get("sort", "created") != "created" or query.get("direction", "desc") not in ("asc", "desc"):
        raise Problem(501, "this server sorts issues by `created`")
    every: list[Issue | Pull] = [*repository.issues.values(), *repository.pulls.values()]
    every.sort(key=lambda i: (i.created_at, i.number), reverse=query.get("direction", "desc") == "desc")
    state, labels = query.get("state", "open"), _names(query.get("labels", "").split(","))
    every = [i for i in every if state in ("all", i.state) and labels <= _names(i.labels)]
    shown = [_issue(github, repository, i) for i in every]
    creator = query.get("creator")
    return github.page([i for i in shown if creator in (None, i["user"]["login"])], found, query)


@route("GET", rf"{REPO}/issues/(?P<number>\d+)")
def get_issue(github: GitHub, token: Token | None, found: Any, query: Any) -> Answer:
    repository = _with_issues(github.seen(found["repo"], token, ("issues",), "read"))
    _moved(repository, found["number"])
    issue = repository.issues.get(int(found["number"])) or repository.pulls.get(int(found["number"]))
    if issue is None:
        raise Problem(404, "Not Found")
    return 200, _issue(github, repository, issue), {}


@route("POST", rf"{REPO}/issues")
def open_issue(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = _with_issues(github.writable(found["repo"], token, ("issues",)))
    issue = repository.issue(
        text_of(fields, "title"),
        text_of(fields, "body", needed=False),
        author=token.login,
        labels=list(fields.get("labels", [])),
    )
    return 201, _issue(github, repository, issue), {}


@route("PATCH", rf"{REPO}/issues/(?P<number>\d+)")
def edit_issue(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = _with_issues(github.writable(found["repo"], token, ("issues",)))
    _moved(repository, found["number"])
    issue = repository.issues.get(int(found["number"]))
    if issue is None:
        raise Problem(404, "Not Found")
    issue.title = text_of(fields, "title") if "title" in fields else issue.title
    issue.edit(token.login, text_of(fields, "body") if "body" in fields else issue.body, github.now())
    issue.state = fields.get("state", issue.state)
    return 200, _issue(github, repository, issue), {}


# --- Pull requests


def _pull(pull: Pull) -> dict[str, Any]:
    return {
        "id": pull.number,
        "number": pull.number,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "merged_at": "2025-11-20T12:00:00Z" if pull.merged else None,
        "head": {"ref": pull.head, "label": f"{pull.owner}:{pull.head}"},
        "base": {"ref": pull.base},
        "user": user(pull.author or pull.owner),
    }


@route("GET", f"{REPO}/pulls")
def list_pulls(github: GitHub, token: Token | None, found: Any, query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("pull_requests",), "read")
    state, head = query.get("state", "open"), query.get("head")
    pulls = [p for p in repository.pulls.values() if state in ("all", p.state)]
    pulls = [p for p in pulls if head is None or head.casefold() == f"{p.owner}:{p.head}".casefold()]
    pulls = [p for p in pulls if query.get("base") in (None, p.base)]
    shown = [_pull(p) for p in sorted(pulls, key=lambda p: -p.number)]  # the newest first
    return github.page(shown, found, query)


@route("POST", f"{REPO}/pulls")
def open_pull(github: GitHub, token: Token, found: Any, fields: dict[str, Any]) -> Answer:
    repository = github.writable(found["repo"], token, ("pull_requests",))
    title, head, base = (text_of(fields, name) for name in ("title", "head", "base"))
    tips = [repository.bare.tip(f"refs/heads/{name}") for name in (base, head)]
    for name, tip in zip(("base", "head"), tips, strict=True):
        if tip is None:
            raise invalid(f"PullRequest: {name} is invalid")
    if any(p.state == "open" and (p.head, p.base) == (head, base) for p in repository.pulls.values()):
        raise invalid(f"A pull request already exists for {repository.owner}:{head}.")
    if repository.bare.contains(str(tips[0]), str(tips[1])):
        raise invalid(f"No commits between {base} and {head}")
    pull = repository.pull(repository.next_number(), head=head, base=base)
    pull.title, pull.body, pull.author = title, text_of(fields, "body", needed=False), token.login
    return 201, _pull(pull), {}

"""POST /graphql: as much of GitHub's GraphQL as the grader asks, by GitHub's schema.

It holds to what GitHub documents ("Rate limits and query limits for the GraphQL API", the GraphQL reference):

    a field, an argument or a type that is not in the schema    errors, no data, and nothing was asked
    a connection                                                `first` or `last`, of 1 to 100
    what is not there, or may not be seen                       null, and an error of type NOT_FOUND with its path
    what the token may not be told                              null, and an error of type FORBIDDEN with its path
    points                                                      an hour's are counted apart from REST's requests
    a bot's login                                               without `[bot]`
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from github_server.routing import Answer, route, text_of
from github_server.state import Comment, Issue, Problem, Pull, Repository, Token

if TYPE_CHECKING:
    from github_server.server import GitHub

_SIGN = re.compile(r'\s+|,|#[^\n]*|("(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|-?\d+|[!$(){}:=@\[\]])')
PERMISSIONS = {"pull": "READ", "triage": "TRIAGE", "push": "WRITE", "maintain": "MAINTAIN", "admin": "ADMIN"}


class Refused(Exception):
    """The query is not of the schema."""


@dataclass
class Field:
    """A field that is asked for; `on` is the type of a fragment that it is in."""

    name: str
    alias: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    on: str = ""


class Parser:
    """Reads one query with its fragments; `variables` are those that were sent along."""

    def __init__(self, text: str, variables: dict[str, Any]) -> None:
        self.signs, self.variables = list(_signs(text)), variables
        self.fragments: dict[str, list[Field]] = {}

    def read(self) -> list[Field]:
        """The fields of the query."""
        wanted: list[Field] = []
        while self.signs:
            if self.signs[0] == "fragment":
                self._take("fragment")
                name, _, kind = self._next(), self._take("on"), self._next()
                self.fragments[name] = [Field("", on=kind, fields=self._selection())]
                continue
            while self.signs and self.signs[0] != "{":  # `query Name($a: String!)`
                self._next()
            wanted = self._selection()
        return wanted

    def _next(self) -> str:
        if not self.signs:
            raise Refused("Parse error: unexpected end of the query")
        return self.signs.pop(0)

    def _take(self, sign: str) -> str:
        if (found := self._next()) != sign:
            raise Refused(f"Parse error on {found}, expected {sign}")
        return found

    def _selection(self) -> list[Field]:
        self._take("{")
        found = []
        while self.signs and self.signs[0] != "}":
            found.append(self._fragment() if self.signs[0] == "..." else self._field())
        self._take("}")
        return found

    def _fragment(self) -> Field:
        self._take("...")
        if self.signs[0] == "on":
            self._next()
            kind = self._next()
            return Field("", on=kind, fields=self._selection())
        return Field("..." + self._next())

    def _field(self) -> Field:
        name = alias = self._next()
        if self.signs and self.signs[0] == ":":
            self._next()
            name = self._next()
        made = Field(name, alias)
        if self.signs and self.signs[0] == "(":
            self._next()
            while self.signs[0] != ")":
                key, _ = self._next(), self._take(":")
                made.arguments[key] = self._value()
            self._next()
        if self.signs and self.signs[0] == "{":
            made.fields = self._selection()
        return made

    def _value(self) -> Any:
        sign = self._next()
        if sign == "$":
            return self.variables.get(self._next())
        return json.loads(sign) if re.match(r'"|-?\d|true$|false$|null$', sign) else sign


def _signs(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        found = _SIGN.match(text, place)
        if found is None:
            raise Refused(f"Parse error on {text[place]!r}")
        place = found.end()
        if found[1]:
            yield found[1]


# --- The schema


@dataclass
class Context:
    """The account that asks, and the errors on the way."""

    github: GitHub
    token: Token
    fragments: dict[str, list[Field]]
    errors: list[dict[str, Any]] = field(default_factory=list)

    def missing(self, kind: str, message: str) -> None:
        """An error whose path is filled in where it is noticed."""
        self.errors.append({"type": kind, "message": message, "path": None})


Resolver = Callable[[Context, Any, dict[str, Any]], Any]
# By type and field: the field's type (nothing: a scalar), its arguments, and what resolves it.
SCHEMA: dict[str, dict[str, tuple[str, set[str], Resolver]]] = {}
CONNECTIONS = {"first", "last"}


def gives(of: str, name: str, kind: str = "", *arguments: str) -> Callable[[Resolver], Resolver]:
    """Let a function resolve a field of a type."""

    def kept(work: Resolver) -> Resolver:
        SCHEMA.setdefault(of, {})[name] = (kind, set(arguments), work)
        return work

    return kept


def plain(of: str, **fields: Callable[[Any], Any]) -> None:
    """Scalars of a type."""
    for name, read in fields.items():
        gives(of, name)(lambda context, its, arguments, read=read: read(its))


def lists(of: str, kind: str) -> None:
    """A type that is a page of a connection: all of it, and the page."""
    gives(of, "totalCount")(lambda context, its, arguments: len(its[0]))
    gives(of, "nodes", kind)(lambda context, its, arguments: its[1])


def _page(items: list[Any], arguments: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    first, last = arguments.get("first"), arguments.get("last")
    return items, items[:first] if first is not None else items[-last:]


@gives("Query", "repository", "Repository", "owner", "name", "followRenames")
def _repository(context: Context, its: Any, arguments: dict[str, Any]) -> Repository | None:
    github, name = context.github, f"{arguments['owner']}/{arguments['name']}"
    found = github.find(name)
    if found is None and arguments.get("followRenames", True):
        found = github.find_id(github.renamed.get(name.casefold(), 0))
    try:
        if found is None:
            raise Problem(404, "Not Found")
        github.seen(found.name, context.token, ("metadata",), "read")
    except Problem:
        context.missing("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
        return None
    github.let_come(found.name)
    return found


@gives("Query", "repositoryOwner", "RepositoryOwner", "login")
def _owner(context: Context, its: Any, arguments: dict[str, Any]) -> dict[str, str] | None:
    """Null without an error where there is none."""
    folded = arguments["login"].casefold()
    if folded in context.github.organisations:
        return {"__typename": "Organization", "login": arguments["login"]}
    login = context.github.users.get(folded)
    return {"__typename": "User", "login": login} if login else None


plain("RepositoryOwner", __typename=lambda its: its["__typename"], login=lambda its: its["login"])
plain(
    "Repository",
    databaseId=lambda its: its.id,
    nameWithOwner=lambda its: its.name,
    isArchived=lambda its: its.archived,
    isTemplate=lambda its: its.is_template,
)


@gives("Repository", "templateRepository", "Repository")
def _template(context: Context, its: Repository, arguments: Any) -> Repository | None:
    return context.github.find_id(its.template) if its.template else None


@gives("Repository", "defaultBranchRef", "Ref")
def _branch(context: Context, its: Repository, arguments: Any) -> tuple[Repository, str] | None:
    return (its, its.default_branch) if f"refs/heads/{its.default_branch}" in its.bare.refs() else None


plain("Ref", name=lambda its: its[1])


@gives("Ref", "target", "Commit")
def _target(context: Context, its: tuple[Repository, str], arguments: Any) -> tuple[Repository, str]:
    return its[0], its[0].bare.refs()[f"refs/heads/{its[1]}"]


plain("Commit", oid=lambda its: its[1])
gives("Commit", "tree", "Tree")(lambda context, its, arguments: its[0].bare.tree(its[1]))
plain("Tree", oid=lambda its: its)


@gives("Commit", "history", "CommitHistoryConnection", "first", "last")
def _history(context: Context, its: tuple[Repository, str], arguments: dict[str, Any]) -> Any:
    repository, sha = its
    return _page([(repository, one) for one in repository.bare.objects.history(sha)], arguments)


lists("CommitHistoryConnection", "Commit")


@gives("Repository", "pullRequests", "PullRequestConnection", "first", "last", "headRefName")
def _pulls(context: Context, its: Repository, arguments: dict[str, Any]) -> Any:
    """Of every state, the oldest first; those of forks are among them."""
    if not context.token.may("pull_requests", "read"):
        context.missing("FORBIDDEN", "Resource not accessible by personal access token")
        return None
    head = arguments.get("headRefName")
    return _page([p for p in its.pulls.values() if head in (None, p.head)], arguments)


NEVER_NULL = {("Repository", "pullRequests")}  # where it would be, the object itself is null
lists("PullRequestConnection", "PullRequest")
plain("PullRequest", number=lambda its: its.number)


@gives("PullRequest", "headRepositoryOwner", "RepositoryOwner")
def _head_owner(context: Context, its: Pull, arguments: Any) -> dict[str, str]:
    return {"__typename": "Organization", "login": its.owner}


@gives("Repository", "collaborators", "RepositoryCollaboratorConnection", "first", "last", "login")
def _collaborators(context: Context, its: Repository, arguments: dict[str, Any]) -> Any:
    """Null for who may not push; an organisation's members are among them, if they may do anything."""
    if not context.token.may("administration", "read"):
        context.missing("FORBIDDEN", "Must have push access to view repository collaborators.")
        return None
    people = {login: PERMISSIONS[kind] for login, kind in its.collaborators.items()}
    members = context.github.organisations.get(its.owner.casefold(), set())
    for folded in members if context.github.base != "none" else ():
        people.setdefault(context.github.users[folded], context.github.base.upper())
    wanted = arguments.get("login")
    return _page(
        [p for p in people.items() if wanted is None or p[0].casefold() == wanted.casefold()], arguments
    )


gives("RepositoryCollaboratorConnection", "edges", "RepositoryCollaboratorEdge")(
    lambda context, its, arguments: its[1]
)
plain("RepositoryCollaboratorEdge", permission=lambda its: its[1])
gives("RepositoryCollaboratorEdge", "node", "User")(lambda context, its, arguments: {"login": its[0]})
plain("User", login=lambda its: its["login"])


# --- Texts


@gives("Query", "node", "Node", "id")
def _node(context: Context, its: Any, arguments: dict[str, Any]) -> Any:
    for repository in context.github.repositories.values():
        texts = [*repository.issues.values(), *(c for among in repository.comments.values() for c in among)]
        for text in texts:
            if text.node_id == arguments["id"]:
                context.github.seen(repository.name, context.token, ("issues", "pull_requests"), "read")
                return text
    context.missing("NOT_FOUND", f"Could not resolve to a node with the global id of '{arguments['id']}'")
    return None


def _actor(login: str | None) -> dict[str, str] | None:
    if login is None:
        return None
    bot = login.endswith("[bot]")
    return {"__typename": "Bot" if bot else "User", "login": login.removesuffix("[bot]")}


plain("Actor", __typename=lambda its: its["__typename"], login=lambda its: its["login"])
for _kind in ("Issue", "IssueComment"):
    plain(
        _kind,
        __typename=lambda its: "Issue" if isinstance(its, Issue) else "IssueComment",
        body=lambda its: its.body,
        createdAt=lambda its: its.created_at,
        lastEditedAt=lambda its: its.edited_at,
    )
    gives(_kind, "author", "Actor")(lambda context, its, arguments: _actor(its.author))
    gives(_kind, "editor", "Actor")(lambda context, its, arguments: _actor(its.editor))
SCHEMA["Comment"] = {k: v for k, v in SCHEMA["Issue"].items() if k != "__typename"}
SCHEMA["Node"] = {}


# --- The answer


def _checked(kind: str, wanted: list[Field], fragments: dict[str, list[Field]]) -> None:
    """Raises Refused for what the schema has not, before anything is asked."""
    for one in wanted:
        if one.name.startswith("..."):
            if one.name[3:] not in fragments:
                raise Refused(f"Fragment {one.name[3:]} was used, but not defined")
            _checked(kind, fragments[one.name[3:]], fragments)
            continue
        if one.on:
            _checked(one.on, one.fields, fragments)
            continue
        if one.name not in SCHEMA[kind]:
            raise Refused(f"Field '{one.name}' doesn't exist on type '{kind}'")
        its, arguments, _ = SCHEMA[kind][one.name]
        if strange := one.arguments.keys() - arguments:
            raise Refused(f"Field '{one.name}' doesn't accept argument '{min(strange)}'")
        if arguments >= CONNECTIONS:
            sizes = [v for k, v in one.arguments.items() if k in CONNECTIONS]
            if not sizes or not all(isinstance(size, int) and 1 <= size <= 100 for size in sizes):
                raise Refused(
                    f"You must provide a `first` or `last` value of 1 to 100 on the `{one.name}` connection."
                )
        if bool(its) != bool(one.fields):
            raise Refused(f"Field '{one.name}' must have selections, or must have none")
        if its:
            _checked(its, one.fields, fragments)


def _kind_of(kind: str, its: Any) -> str:
    """The object's own type, where it is known by an interface."""
    return {Issue: "Issue", Comment: "IssueComment"}.get(type(its), kind)


def _resolved(
    context: Context, kind: str, its: Any, wanted: list[Field], path: list[Any]
) -> dict[str, Any] | None:
    """Return an object's fields; None where one that is never null could not be told."""
    told: dict[str, Any] = {}
    for one in wanted:
        if one.name.startswith("...") or one.on:
            if one.on not in {"", kind, "Comment"}:
                continue
            part = _resolved(context, kind, its, one.fields or context.fragments[one.name[3:]], path)
        else:
            part = {one.alias: _value(context, kind, its, one, [*path, one.alias])}
            part = None if part[one.alias] is None and (kind, one.name) in NEVER_NULL else part
        if part is None:
            return None
        told |= part
    return told


def _value(context: Context, kind: str, its: Any, one: Field, path: list[Any]) -> Any:
    of, _, work = SCHEMA[kind][one.name]
    before = len(context.errors)
    found = work(context, its, one.arguments)
    for error in context.errors[before:]:
        error["path"] = error["path"] or path
    if not of or found is None:
        return found
    if isinstance(found, list):
        return [
            _resolved(context, _kind_of(of, item), item, one.fields, [*path, number])
            for number, item in enumerate(found)
        ]
    return _resolved(context, _kind_of(of, found), found, one.fields, path)


@route("POST", "/graphql")
def graphql(github: GitHub, token: Token | None, found: Any, fields: dict[str, Any]) -> Answer:
    if token is None:
        raise Problem(401, "This endpoint requires you to be authenticated.")
    if github.points <= 0:
        message = "API rate limit already exceeded for user ID 1."
        return 200, {"errors": [{"type": "RATE_LIMITED", "message": message}]}, {"x-ratelimit-remaining": "0"}
    github.points -= 1
    parser = Parser(text_of({"query": fields.get("query")}, "query"), fields.get("variables") or {})
    try:
        wanted = parser.read()
        _checked("Query", wanted, parser.fragments)
    except Refused as error:
        return 200, {"errors": [{"message": str(error)}]}, {}
    context = Context(github, token, parser.fragments)
    data = _resolved(context, "Query", None, wanted, [])
    return 200, {"data": data} | ({"errors": context.errors} if context.errors else {}), {}

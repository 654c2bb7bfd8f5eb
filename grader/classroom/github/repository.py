"""Repositories on GitHub: names in a class, people, files; one repository by REST, many by GraphQL.

GitHub's rules ("REST API endpoints for repositories", "... for Git database"):

    GET  /repos/OWNER/NAME             `template_repository` is the template that it was made from
    GET  .../git/trees/REF?recursive   every entry, `truncated` where there are too many; REF may be a branch
    POST .../git/trees                 entries over a `base_tree`; a `sha` of null removes one
    409                                the repository has no commit yet

A token without the right to change workflows gets 404 for a tree that has one (github/docs, #4770).

GraphQL asks for twenty repositories at once ("Rate limits and query limits for the GraphQL API", "Repository"):

    points                5,000 an hour, counted apart from REST's requests; a query here costs a few
    repository            null where there is none, or the token cannot see it; follows a renamed one
    collaborators         with `login`: the permission of one person; null where the token may not ask
    history               newest first; of more than a hundred commits only the number is known
    repositoryOwner       a user, an organisation, or null

It returns no invitations, and no files below a tree's first folder.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime as dt  # noqa: TC003  msgspec reads the annotations
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from grader.classroom.git.remote import NAME
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.errors import Refused
from grader.gradebook.roster import DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.classroom.github.api import Api, QueryResult
    from grader.gradebook.roster import RosterStudent

PLACE = re.compile(NAME + r"(?<!\.git)", re.ASCII)
INLINE = 100_000  # bytes of a text that is sent with its tree
WORKFLOWS = ".github/workflows/"
_FIELDS = re.compile(r"\{([^{}]*)\}")
_KNOWN = ("day", "github", "student")


class Naming:
    """The pattern of the names of a class's repositories, with the fields `{day}`, `{github}` and `{student}`."""

    def __init__(self, pattern: str, organisation: str = "") -> None:
        """Raise Refused for a pattern with an unknown field, or one that gives all students the same name."""
        self.pattern, self.organisation, self.fields = pattern, organisation, set(_FIELDS.findall(pattern))
        if unknown := sorted(self.fields.difference(_KNOWN)):
            raise Refused(
                f"`repositories: {pattern}` in solutions/course.yaml: `{{{unknown[0]}}}` is an unknown field; use `{{day}}`, "
                "`{github}` or `{student}`"
            )
        if not self.fields & {"github", "student"}:
            raise Refused(
                f"`repositories: {pattern}` in solutions/course.yaml: all students would share one repository; "
                "add `{github}` or `{student}`"
            )

    def place(self, day: str, student: RosterStudent) -> str:
        """Return a student's repository, from the roster or else by the pattern; "" if a field or the owner is missing."""
        known = {"day": day, "github": student.github, "student": student.student}
        if student.repository or not self.organisation or not all(known[field] for field in self.fields):
            return student.repository.replace(DAY, day)
        return f"{self.organisation}/{_FIELDS.sub(lambda found: known[found[1]], self.pattern)}"


class _Origin(msgspec.Struct, frozen=True):
    """The template of a repository."""

    id: int


class Repository(msgspec.Struct, frozen=True):
    """A repository as GitHub describes it; `full_name` is its current `owner/name`."""

    id: int
    full_name: str
    default_branch: str = "main"
    archived: bool = False
    is_template: bool = False
    private: bool = True
    visibility: str = ""  # public, private or internal: readable by everybody in the enterprise
    template_repository: _Origin | None = None
    permissions: dict[str, bool] = {}  # what the token's user may do: `push` and others

    @property
    def owner(self) -> str:
        """The user or organisation that owns it."""
        return self.full_name.partition("/")[0]


class TreeItem(msgspec.Struct, frozen=True):
    """An entry of a tree; `path` is its path from the top."""

    path: str
    mode: str
    type: str
    sha: str

    @property
    def is_file(self) -> bool:
        """True for a regular file: no folder, no link, no submodule."""
        return self.type == "blob" and self.mode in ("100644", "100755")


class _Tree(msgspec.Struct):
    tree: list[TreeItem] = []
    truncated: bool = False


class _Sha(msgspec.Struct, frozen=True):
    sha: str


class _Signature(msgspec.Struct, frozen=True):
    """The author or the committer of a commit, who set all of this."""

    name: str = ""
    email: str = ""
    date: dt.datetime | None = None


class CommitPayload(msgspec.Struct, frozen=True):
    """A commit as lists contain it."""

    class _Inner(msgspec.Struct, frozen=True):
        tree: _Sha
        author: _Signature | None = None
        committer: _Signature | None = None

    sha: str
    commit: _Inner
    parents: tuple[_Sha, ...] = ()

    @property
    def tree(self) -> str:
        """The hash of its tree."""
        return self.commit.tree.sha


class _Blob(msgspec.Struct):
    content: str
    encoding: str


class User(msgspec.Struct):
    """A person, an organisation or a bot."""

    login: str


class _PullEnd(msgspec.Struct):
    """An end of a pull request."""

    ref: str


class Pull(msgspec.Struct):
    """A pull request from the branch `head` into the branch `base`."""

    number: int
    head: _PullEnd
    base: _PullEnd


class Invitation(msgspec.Struct):
    """An open invitation to a repository; it expires after seven days."""

    id: int
    created_at: dt.datetime
    invitee: User | None = None
    expired: bool = False


class _Role(msgspec.Struct):
    permission: str


# --- People


def permission(api: Api, place: str, login: str) -> str:
    """Return a person's permission as GitHub reports it: admin, write, read or none. Raises RequestFailed."""
    role = api.find("GET", f"/repos/{place}/collaborators/{login}/permission", _Role)
    return role.permission if role else "none"


def invitation(api: Api, place: str, login: str) -> Invitation | None:
    """Return the open invitation of a person to a repository. Raises RequestFailed."""
    for each in api.pages(f"/repos/{place}/invitations", Invitation, {}):
        if each.invitee and each.invitee.login.casefold() == login.casefold():
            return each
    return None


# --- Reading


def get_repository(api: Api, place: str) -> Repository | None:
    """Return the repository of that name, even if it was renamed; None if there is none. Raises RequestFailed."""
    found = api.find("GET", f"/repos/{place}", Repository)
    if found and not PLACE.fullmatch(found.full_name):
        raise RequestFailed("GitHub returned an invalid name of the repository")
    return found


def make_repository(
    api: Api, place: str, find: Callable[[], Repository | None], *, template: str = "", **more: bool
) -> Repository:
    """Create a private repository in an organisation, from a template if one is named; `find` returns an existing one.

    Raises RequestFailed, and GitHubUnavailable if the token may not create any there.
    """
    owner, _, name = place.partition("/")
    path = f"/repos/{template}/generate" if template else f"/orgs/{owner}/repos"
    data = {"name": name, "private": True, **({"owner": owner} if template else {}), **more}
    try:
        return api.make_once(lambda: api.ask("POST", path, Repository, **data), find)
    except RequestFailed as error:
        if not (error.forbidden or error.missing):
            raise
        raise GitHubUnavailable(
            f"{place}: this token may not create repositories in {owner} ({error.status}); give it the scope `repo`, or "
            "the permission Administration"
        ) from None


def files(api: Api, place: str, ref: str) -> dict[str, TreeItem]:
    """Return the entries of a branch, a commit or a tree by path, without folders. Raises RequestFailed."""
    path = f"/repos/{place}/git/trees/{quote(ref, safe='')}?recursive=1"
    tree = api.ask("GET", path, _Tree)
    if tree.truncated:
        raise RequestFailed("it has more files than GitHub lists")
    return {entry.path: entry for entry in tree.tree if entry.type != "tree"}


def blob(api: Api, place: str, sha: str) -> bytes:
    """Return the bytes of a file. Raises RequestFailed."""
    found = api.ask("GET", f"/repos/{place}/git/blobs/{sha}", _Blob)
    try:
        return base64.b64decode(found.content) if found.encoding == "base64" else found.content.encode()
    except (binascii.Error, ValueError):
        raise RequestFailed("GitHub's answer cannot be read") from None


def commits(api: Api, place: str, branch: str) -> Iterator[CommitPayload]:
    """Yield the commits of a branch, the newest first. Raises RequestFailed."""
    return api.pages(f"/repos/{place}/commits", CommitPayload, {"sha": branch})


def has_branch(api: Api, place: str, branch: str) -> bool:
    """Return True if the branch exists. Raises RequestFailed."""
    return api.find("GET", f"/repos/{place}/git/ref/heads/{quote(branch)}", msgspec.Raw) is not None


# --- Writing


def commit(
    api: Api, place: str, onto: CommitPayload, changes: Mapping[str, tuple[str, bytes] | None], message: str
) -> str:
    """Create a commit without a branch, and return its hash. Raises RequestFailed.

    `changes` are mode and bytes by path, None for a file to be removed.
    """
    home = f"/repos/{place}/git"
    entries = [_entry(api, home, path, change) for path, change in changes.items()]
    try:
        tree = _create(api, f"{home}/trees", base_tree=onto.tree, tree=entries)
    except RequestFailed as error:
        if not error.missing or not any(path.startswith(WORKFLOWS) for path in changes):
            raise
        raise RequestFailed(
            "the token may not change workflows; give it the scope `workflow`, or the permission Workflows"
        ) from None
    return _create(api, f"{home}/commits", message=message, tree=tree, parents=[onto.sha])


def name_commit(api: Api, place: str, sha: str, branch: str) -> None:
    """Create a branch that points to a commit. Raises RequestFailed."""
    data = {"ref": f"refs/heads/{branch}", "sha": sha}
    api.make_once(
        lambda: api.ask("POST", f"/repos/{place}/git/refs", msgspec.Raw, **data) is not None,
        lambda: has_branch(api, place, branch) or None,
    )


def _entry(api: Api, home: str, path: str, change: tuple[str, bytes] | None) -> dict[str, Any]:
    if change is None:
        return {"path": path, "mode": "100644", "type": "blob", "sha": None}
    mode, data = change
    entry: dict[str, Any] = {"path": path, "mode": mode, "type": "blob"}
    if len(data) <= INLINE:
        with contextlib.suppress(UnicodeDecodeError):  # no text
            return entry | {"content": data.decode()}
    content = base64.b64encode(data).decode()
    return entry | {"sha": _create(api, f"{home}/blobs", content=content, encoding="base64")}


def _create(api: Api, path: str, **data: Any) -> str:
    """Create a git object, and return its hash; retry if the response was lost.

    Safe: objects are content-addressed, and an extra commit belongs to no branch.
    """
    return api.make_once(lambda: api.ask("POST", path, _Sha, **data), lambda: None).sha


# --- The state of many repositories

# READ does not count: members of the organisation can often read every repository.
MAY_PUSH = ("WRITE", "MAINTAIN", "ADMIN")
AT_ONCE = 20  # repositories in a query, with a hundred commits each
COMMITS = 100


@dataclass(frozen=True)
class SurveyRow:
    """The state of one repository and one person.

    `found` is None if there is no repository. `tree` is the tree of its default branch, empty if nothing was pushed;
    `first` is the tree of its first commit, empty if the history is too long. `offered` is True if a pull request of
    the requested branch exists. `role` is READ, TRIAGE, WRITE, MAINTAIN or ADMIN, empty without any permission, None
    if GitHub does not return it. `person` is User, Organization, or empty if there is no such account.
    """

    found: Repository | None = None
    tree: str = ""
    first: str = ""
    offered: bool = False
    role: str | None = None
    person: str = ""


def survey(api: Api, wanted: Sequence[tuple[str, str]], branch: str) -> list[SurveyRow | RequestFailed]:
    """Return the state of each pair of `owner/name` and a person's login; RequestFailed if GitHub returns none.

    `branch` is the head of the pull request. Raises RequestFailed if the query fails.
    """
    seen: list[SurveyRow | RequestFailed] = []
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        parts = "\n".join(line for number, pair in enumerate(some) for line in _lines(number, *pair))
        query = f"query {{\n{parts}\n}}\n{_SEEN.replace('BRANCH', json.dumps(branch))}"
        answer = api.query(query, dict[str, msgspec.Raw])
        seen += [_read_survey_row(answer, number, place) for number, (place, _) in enumerate(some)]
    return seen


def _lines(number: int, place: str, person: str) -> Iterator[str]:
    """Yield the parts of the query about a repository and a person; GraphQL's strings are written like JSON's."""
    owner, name, login = (json.dumps(part) for part in (*place.split("/"), person))
    role = f"collaborators(login: {login}, first: 1) {{ edges {{ permission }} }}"
    yield f"r{number}: repository(owner: {owner}, name: {name}) {{ ...seen {role} }}"
    yield f"u{number}: repositoryOwner(login: {login}) {{ __typename }}"


# The fields get REST's names, so that both answers decode to `Repository`.
_SEEN = f"""\
fragment seen on Repository {{
  id: databaseId full_name: nameWithOwner archived: isArchived is_template: isTemplate
  template_repository: templateRepository {{ id: databaseId }}
  branch: defaultBranchRef {{ name target {{ ... on Commit {{
    history(first: {COMMITS}) {{ totalCount nodes {{ tree {{ oid }} }} }} }} }} }}
  pulls: pullRequests(headRefName: BRANCH, first: 10) {{ nodes {{ headRepositoryOwner {{ login }} }} }}
}}
"""


class _History(msgspec.Struct, frozen=True):
    totalCount: int  # noqa: N815  GitHub's name
    nodes: list[dict[str, dict[str, str]]]


class _Branch(msgspec.Struct, frozen=True):
    name: str
    target: dict[str, _History]


class _Fields(Repository, frozen=True, kw_only=True):
    pulls: dict[str, list[dict[str, User | None]]]
    branch: _Branch | None = None
    collaborators: dict[str, list[dict[str, str]]] | None = None


def _read_survey_row(
    answer: QueryResult[dict[str, msgspec.Raw]], number: int, place: str
) -> SurveyRow | RequestFailed:
    data = answer.data or {}
    try:
        fields = msgspec.json.decode(data[f"r{number}"], type=_Fields | None)
        person = msgspec.json.decode(data[f"u{number}"], type=dict[str, str] | None)
    except (KeyError, msgspec.DecodeError):
        return RequestFailed("GitHub's answer cannot be read")
    kind = person["__typename"] if person else ""
    if fields is None:
        why = [error for error in answer.errors if error.path[:1] == [f"r{number}"]]
        if any(error.type == "NOT_FOUND" and len(error.path) == 1 for error in why):
            return SurveyRow(person=kind)
        return RequestFailed(
            "GitHub returned nothing about this repository", message=why[0].message if why else ""
        )
    if not PLACE.fullmatch(fields.full_name):
        return RequestFailed(f"GitHub returned an invalid name of {place}")
    return _row(fields, kind)


def _row(fields: _Fields, person: str) -> SurveyRow:
    owners = [pull["headRepositoryOwner"] for pull in fields.pulls["nodes"]]
    offered = any(owner and owner.login.casefold() == fields.owner.casefold() for owner in owners)
    people = fields.collaborators
    role = None if people is None else next((edge["permission"] for edge in people["edges"]), "")
    row = SurveyRow(fields, offered=offered, role=role, person=person)
    if fields.branch is None:
        return row
    history = fields.branch.target["history"]
    trees = [commit["tree"]["oid"] for commit in history.nodes]
    # Forged dates can move another commit to the end. Its tree is then not one of the template's, so callers read the
    # history.
    first = trees[-1] if history.totalCount == len(trees) else ""
    found = msgspec.structs.replace(fields, default_branch=fields.branch.name)
    return replace(row, found=found, tree=trees[0], first=first)

"""The state of many repositories in one GraphQL query, so that a class costs few requests.

GitHub's GraphQL ("Rate limits and query limits for the GraphQL API", "Repository"):

    points               5,000 an hour, counted apart from REST's requests; a query here costs a few
    repository           null where there is none, or the token cannot see it; follows a renamed one
    collaborators        with `login`: the permission of one person; null where the token may not ask
    history              newest first; of more than a hundred commits only the number is known
    repositoryOwner      a user, an organisation, or null

GraphQL returns no invitations, and no files below a tree's first folder.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import PLACE, Origin, Repository, User

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.github.api import Api, QueryResult

# READ does not count: members of the organisation can often read every repository.
MAY_PUSH = ("WRITE", "MAINTAIN", "ADMIN")
AT_ONCE = 20  # repositories in a query, with a hundred commits each
COMMITS = 100


@dataclass(frozen=True)
class SurveyRow:
    """The state of one repository and one person.

    `found` is None if there is no repository. `tree` is that of its default branch, empty if nothing was pushed;
    `first` that of its first commit, empty if the history is too long. `offered` is True if a pull request of
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
        seen += [_seen(answer, number, place) for number, (place, _) in enumerate(some)]
    return seen


def roles(api: Api, wanted: Sequence[tuple[str, str]]) -> list[str | None]:
    """Return each person's `role`, as in Seen, in the repository beside them. Raises RequestFailed."""
    found: list[str | None] = []
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        parts = (
            f"{_repository(n, place)} {_collaborator(person)} }}" for n, (place, person) in enumerate(some)
        )
        answer = api.query(f"query {{ {' '.join(parts)} }}", dict[str, _Roles | None])
        data = answer.data or {}
        found += [_role(data.get(f"r{number}")) for number in range(len(some))]
    return found


# --- The query


def _lines(number: int, place: str, person: str) -> Iterator[str]:
    yield f"{_repository(number, place)} ...seen {_collaborator(person)} }}"
    yield f"u{number}: repositoryOwner(login: {json.dumps(person)}) {{ __typename }}"


def _repository(number: int, place: str) -> str:
    """Return the beginning of a part of the query; GraphQL's strings are written like JSON's."""
    owner, name = (json.dumps(part) for part in place.split("/"))
    return f"r{number}: repository(owner: {owner}, name: {name}) {{"


def _collaborator(person: str) -> str:
    return f"collaborators(login: {json.dumps(person)}, first: 1) {{ edges {{ permission }} }}"


_SEEN = f"""\
fragment seen on Repository {{
  databaseId nameWithOwner isArchived isTemplate templateRepository {{ databaseId }}
  defaultBranchRef {{ name target {{ ... on Commit {{
    tree {{ oid }} history(first: {COMMITS}) {{ totalCount nodes {{ tree {{ oid }} }} }} }} }} }}
  pullRequests(headRefName: BRANCH, first: 10) {{ nodes {{ headRepositoryOwner {{ login }} }} }}
}}
"""


# --- The answer


class _Id(msgspec.Struct):
    databaseId: int  # noqa: N815  GitHub's name, as those below


class _Tree(msgspec.Struct):
    oid: str


class _Commit(msgspec.Struct):
    tree: _Tree


class _History(msgspec.Struct):
    totalCount: int  # noqa: N815
    nodes: list[_Commit]


class _Target(msgspec.Struct):
    tree: _Tree
    history: _History


class _Branch(msgspec.Struct):
    name: str
    target: _Target


class _Person(msgspec.Struct):
    kind: str = msgspec.field(name="__typename")


class _Edge(msgspec.Struct):
    permission: str


class _Collaborators(msgspec.Struct):
    edges: list[_Edge]


class _Roles(msgspec.Struct):
    collaborators: _Collaborators | None = None


class _Pull(msgspec.Struct):
    headRepositoryOwner: User | None = None  # noqa: N815


class _Pulls(msgspec.Struct):
    nodes: list[_Pull]


class _Fields(_Roles, kw_only=True):
    databaseId: int  # noqa: N815
    nameWithOwner: str  # noqa: N815
    isArchived: bool  # noqa: N815
    isTemplate: bool  # noqa: N815
    pullRequests: _Pulls  # noqa: N815
    templateRepository: _Id | None = None  # noqa: N815
    defaultBranchRef: _Branch | None = None  # noqa: N815

    @property
    def repository(self) -> Repository:
        """The repository as the REST API describes it."""
        return Repository(
            id=self.databaseId,
            full_name=self.nameWithOwner,
            default_branch=self.defaultBranchRef.name if self.defaultBranchRef else "main",
            archived=self.isArchived,
            is_template=self.isTemplate,
            template_repository=Origin(self.templateRepository.databaseId)
            if self.templateRepository
            else None,
        )


def _seen(answer: QueryResult[dict[str, msgspec.Raw]], number: int, place: str) -> SurveyRow | RequestFailed:
    data = answer.data or {}
    try:
        fields = msgspec.json.decode(data[f"r{number}"], type=_Fields | None)
        person = msgspec.json.decode(data[f"u{number}"], type=_Person | None)
    except (KeyError, msgspec.DecodeError):
        return RequestFailed("GitHub's answer cannot be read")
    kind = person.kind if person else ""
    if fields is None:
        why = [error for error in answer.errors if error.path[:1] == [f"r{number}"]]
        if any(error.type == "NOT_FOUND" and len(error.path) == 1 for error in why):
            return SurveyRow(person=kind)
        return RequestFailed("GitHub returned nothing about it", message=why[0].message if why else "")
    if not PLACE.fullmatch(fields.nameWithOwner):
        return RequestFailed(f"GitHub returned an invalid name of {place}")
    return _of(fields, kind)


def _of(fields: _Fields, person: str) -> SurveyRow:
    found, branch = fields.repository, fields.defaultBranchRef
    owners = [pull.headRepositoryOwner for pull in fields.pullRequests.nodes]
    return SurveyRow(
        found,
        tree=branch.target.tree.oid if branch else "",
        first=_first(branch.target.history) if branch else "",
        offered=any(owner and owner.login.casefold() == found.owner.casefold() for owner in owners),
        role=_role(fields),
        person=person,
    )


def _first(history: _History) -> str:
    """Return the tree of the first commit, which is the last in the list.

    Forged dates can move another commit there. Its tree is then not one of the template's, and callers read the history.
    """
    whole = history.nodes and history.totalCount == len(history.nodes)
    return history.nodes[-1].tree.oid if whole else ""


def _role(fields: _Roles | None) -> str | None:
    if fields is None or fields.collaborators is None:
        return None
    return fields.collaborators.edges[0].permission if fields.collaborators.edges else ""

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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import PLACE, Repository, User

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
        answer = api.query(f"query {{ {' '.join(parts)} }}", dict[str, dict[str, _Collaborators] | None])
        seen = [(answer.data or {}).get(f"r{number}") for number in range(len(some))]
        found += [_role(one["collaborators"]) if one else None for one in seen]
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


# The fields have REST's names, so that a repository is read in one way.
_SEEN = f"""\
fragment seen on Repository {{
  id: databaseId full_name: nameWithOwner archived: isArchived is_template: isTemplate
  template_repository: templateRepository {{ id: databaseId }}
  branch: defaultBranchRef {{ name target {{ ... on Commit {{
    history(first: {COMMITS}) {{ totalCount nodes {{ tree {{ oid }} }} }} }} }} }}
  pulls: pullRequests(headRefName: BRANCH, first: 10) {{ nodes {{ headRepositoryOwner {{ login }} }} }}
}}
"""


# --- The answer

_Collaborators: TypeAlias = dict[str, list[dict[str, str]]] | None


class _History(msgspec.Struct, frozen=True):
    totalCount: int  # noqa: N815  GitHub's name
    nodes: list[dict[str, dict[str, str]]]


class _Branch(msgspec.Struct, frozen=True):
    name: str
    target: dict[str, _History]


class _Fields(Repository, frozen=True, kw_only=True):
    pulls: dict[str, list[dict[str, User | None]]]
    branch: _Branch | None = None
    collaborators: _Collaborators = None


def _seen(answer: QueryResult[dict[str, msgspec.Raw]], number: int, place: str) -> SurveyRow | RequestFailed:
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
        return RequestFailed("GitHub returned nothing about it", message=why[0].message if why else "")
    if not PLACE.fullmatch(fields.full_name):
        return RequestFailed(f"GitHub returned an invalid name of {place}")
    return _row(fields, kind)


def _row(fields: _Fields, person: str) -> SurveyRow:
    owners = [pull["headRepositoryOwner"] for pull in fields.pulls["nodes"]]
    offered = any(owner and owner.login.casefold() == fields.owner.casefold() for owner in owners)
    row = SurveyRow(fields, offered=offered, role=_role(fields.collaborators), person=person)
    if fields.branch is None:
        return row
    history = fields.branch.target["history"]
    trees = [commit["tree"]["oid"] for commit in history.nodes]
    # Forged dates can move another commit to the end. Its tree is then not one of the template's, and callers read the
    # history.
    first = trees[-1] if history.totalCount == len(trees) else ""
    found = msgspec.structs.replace(fields, default_branch=fields.branch.name)
    return replace(row, found=found, tree=trees[0], first=first)


def _role(collaborators: _Collaborators) -> str | None:
    if collaborators is None:
        return None
    return collaborators["edges"][0]["permission"] if collaborators["edges"] else ""

"""Who can read the course's own repository, which holds solutions and the record of grades. By the REST API.

    GET /repos/OWNER/NAME                 `visibility`: `internal` is for everybody in the enterprise
    GET /orgs/OWNER                       `default_repository_permission`: what members may do everywhere; owners see it
    GET /repos/OWNER/NAME/collaborators   everybody with access, also by a team or as a member

("REST API endpoints for organizations", "... for collaborators")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import User, get_repository
from grader.errors import Refused, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.github.api import Api

SHOWN = 5  # logins


class _Organisation(msgspec.Struct):
    default_repository_permission: str | None = None


def refuse_readers(api: Api, name: str, logins: Iterable[str]) -> Iterator[str]:
    """Yield a note for each thing that the token cannot see. Raises Refused if anybody of these can read the repository."""
    found = get_repository(api, name)
    if found is None:
        yield f"this token cannot see {name}, so nobody has looked who can read it"
        return
    if not found.private or found.visibility == "internal":
        who = "public" if not found.private else "for the whole enterprise (`internal`)"
        raise Refused(
            f"{found.full_name}: this repository is {who}, and it holds solutions/, which no student may see; "
            "make it private first"
        )
    yield from refuse_base(api, found.owner, person=True)
    known = {login.casefold() for login in logins}
    try:
        access = list(api.pages(f"/repos/{name}/collaborators", User, {"affiliation": "all"}))
    except RequestFailed as error:
        if not (error.forbidden or error.missing):
            raise
        yield f"this token cannot see who may read {name}"
        return
    if among := sorted({one.login for one in access if one.login.casefold() in known}):
        raise Refused(
            f"{name}: {first_of(among, SHOWN)} of the class can read it, and it holds solutions/ and the grades; "
            "take their access away first (Settings, Collaborators and teams)"
        )


def refuse_base(api: Api, organisation: str, *, person: bool = False) -> Iterator[str]:
    """Yield a note if the token cannot see what members may do.

    Raises Refused if they may read every repository, and for an unknown organisation that is no `person` either.
    """
    found = api.find("GET", f"/orgs/{organisation}", _Organisation)
    if found is None and not person:
        raise Refused(f"{organisation}: GitHub has no organisation of this name")
    base = found.default_repository_permission if found else "none"
    if base is None:
        yield f"this token cannot see the base permissions of {organisation}, which must be *No permission*"
    elif base != "none":
        raise Refused(
            f"{organisation}: its base permissions are `{base}`, so every member can read every repository, also those "
            "of other students; choose *No permission* (the organisation's Settings, Member privileges, Base permissions)"
        )

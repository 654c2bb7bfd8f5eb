"""Repositories, templates, users, collaborators, invitations, activity."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github_server.routing import REPO, Answer, route, text_of, user
from github_server.state import Activity, Invitation, Problem, Repository, Token, invalid

if TYPE_CHECKING:
    from github_server.server import GitHub

NAMES = {"pull": "read", "push": "write"}  # of permissions, in invitations and roles


# --- Repositories


def _short(github: GitHub, repository: Repository) -> dict[str, Any]:
    """As lists show it."""
    owner, _, name = repository.name.partition("/")
    return {
        "id": repository.id,
        "name": name,
        "full_name": repository.name,
        "owner": {"login": owner, "type": "Organization"},
        "private": repository.private,
        "visibility": repository.visibility or ("private" if repository.private else "public"),
        "archived": repository.archived,
        "is_template": repository.is_template,
        "fork": False,
        "has_issues": repository.has_issues,
        "default_branch": repository.default_branch,
        "clone_url": f"https://github.com/{repository.name}.git",
        "created_at": repository.created_at,
        "pushed_at": repository.pushed_at,
        "open_issues_count": len(repository.issues),
        "size": _size(repository) if github.folder else 0,
    }


def _size(repository: Repository) -> int:
    """Kilobytes."""
    files = (path for path in Path(repository.path).rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) // 1024


def _whole(github: GitHub, repository: Repository) -> dict[str, Any]:
    """As it is shown by itself: with its template, which no list shows."""
    template = github.find_id(repository.template) if repository.template else None
    return _short(github, repository) | (
        {"template_repository": _short(github, template)} if template else {}
    )


@route("GET", REPO)
def get_repository(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    repository = github.seen(found["repo"], token, ("metadata",), "read")
    may = bool(token and token.may("contents", "write") and not repository.of_others)
    permissions = {"admin": may, "push": may, "pull": True}
    return 200, _whole(github, repository) | {"permissions": permissions}, {}


@route("GET", r"/orgs/(?P<org>[\w.-]+)")
def get_organisation(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    """Its settings are shown to its owners alone."""
    if found["org"].casefold() not in github.organisations:
        raise Problem(404, "Not Found")
    shown = {"login": found["org"], "type": "Organization"}
    is_owner = token is not None and token.may("administration", "write")
    return 200, shown | ({"default_repository_permission": github.base} if is_owner else {}), {}


@route("GET", r"/orgs/(?P<org>[\w.-]+)/repos")
def list_repositories(
    github: GitHub, token: Token | None, found: re.Match[str], query: dict[str, str]
) -> Answer:
    org = found["org"].casefold()
    if org not in github.organisations:
        raise Problem(404, "Not Found")
    every = [r for r in github.repositories.values() if r.owner.casefold() == org]
    every = [r for r in every if not r.private or (token and token.repositories is None)]
    if query.get("sort") == "pushed":
        every.sort(key=lambda r: (r.pushed_at, r.id), reverse=True)
    return github.page([_short(github, r) for r in every], found, query)


@route("POST", r"/orgs/(?P<org>[\w.-]+)/repos")
def make_repository(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    if found["org"].casefold() not in github.organisations:
        raise Problem(404, "Not Found")
    if not token.may("administration", "write"):
        raise Problem(403, "Resource not accessible by personal access token")
    name = f"{found['org']}/{text_of(fields, 'name')}"
    if github.find(name) is not None:
        raise Problem(422, "Repository creation failed.", None, "name already exists on this account")
    made = github.repository(name, private=bool(fields.get("private", False)))
    made.is_template = bool(fields.get("is_template", False))
    return 201, _whole(github, made), {}


@route("PATCH", REPO)
def change_repository(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    repository = _administered(github, token, found)
    repository.is_template = bool(fields.get("is_template", repository.is_template))
    return 200, _whole(github, repository), {}


@route("GET", r"/users/(?P<login>[\w.-]+)")
def get_user(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    login = found["login"].casefold()
    if login in github.organisations:
        return 200, {"login": found["login"], "id": 1, "type": "Organization"}, {}
    if login not in github.users:
        raise Problem(404, "Not Found")
    return 200, user(github.users[login]), {}


@route("POST", rf"{REPO}/generate")
def generate(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    template = github.seen(found["repo"], token, ("metadata", "contents"), "read")
    if not template.is_template:
        raise Problem(404, "Not Found")
    if not token.may("administration", "write"):
        raise Problem(403, "Resource not accessible by personal access token")
    owner, name = fields.get("owner", token.login), text_of(fields, "name")
    if owner.casefold() not in github.organisations:
        raise Problem(422, "Invalid owner")
    name = re.sub(r"[^\w.-]", "-", name, flags=re.ASCII)
    if github.find(f"{owner}/{name}") is not None:
        raise Problem(422, "Could not clone: Name already exists on this account")
    private = bool(fields.get("private", False))
    made = copy(github, template, f"{owner}/{name}", private=private, actor=token.login)
    return 201, _whole(github, made), {}


def copy(
    github: GitHub, template: Repository, name: str, *, private: bool = True, actor: str = "teacher"
) -> Repository:
    """Make a repository from a template."""
    more = {"template": template.id, "default_branch": template.default_branch}
    made = github.repository(name, private=private, **more)
    made.coming.append([github.slow, lambda: _copied(made, template, actor)])
    if not github.slow:
        made.coming.pop()[1]()
    return made


def _copied(made: Repository, template: Repository, actor: str) -> None:
    """One commit of the template's tree."""
    tip = template.bare.tip(f"refs/heads/{template.default_branch}")
    assert tip is not None
    made.bare.take_objects(template.bare)
    first = made.bare.commit_tree(made.bare.tree(tip), [], "Initial commit", made.created_at)
    branch = f"refs/heads/{made.default_branch}"
    made.bare.set(branch, first)
    made.note(branch, None, first, actor=actor, at=made.created_at)


# --- Collaborators


def _administered(github: GitHub, token: Token, found: re.Match[str]) -> Repository:
    return github.writable(found["repo"], token, ("administration",))


def _permission(github: GitHub, repository: Repository, login: str, token: Token) -> str:
    """Return the permission of a login in lower case: admin, write, read or none."""
    own = {name.casefold(): NAMES.get(kind, kind) for name, kind in repository.collaborators.items()}
    if login == token.login.casefold():
        return "admin"
    if login in own:
        return own[login]
    is_member = login in github.organisations.get(repository.owner.casefold(), set())
    return github.base if is_member else "none" if repository.private else "read"


@route("GET", rf"{REPO}/collaborators")
def list_collaborators(github: GitHub, token: Token, found: re.Match[str], query: dict[str, str]) -> Answer:
    """Everybody with access: by name, and as a member of the organisation."""
    repository = github.seen(found["repo"], token, ("metadata",), "read")
    if not token.may("contents", "write"):
        raise Problem(403, "Must have push access to view repository collaborators.")
    everybody = {name.casefold() for name in repository.collaborators} | set(github.users)
    may = {login: _permission(github, repository, login, token) for login in everybody}
    return github.page(
        [user(github.users.get(login, login)) for login in sorted(may) if may[login] != "none"], found, query
    )


@route("GET", rf"{REPO}/collaborators/(?P<login>[\w.-]+)/permission")
def permission_of(github: GitHub, token: Token, found: re.Match[str], query: Any) -> Answer:
    repository = github.seen(found["repo"], token, ("metadata",), "read")
    login = found["login"].casefold()
    if login not in github.users:
        raise Problem(404, "Not Found")
    permission = _permission(github, repository, login, token)
    return 200, {"permission": permission, "role_name": permission, "user": user(github.users[login])}, {}


@route("PUT", rf"{REPO}/collaborators/(?P<login>[\w.-]+)")
def add_collaborator(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    repository, folded = _administered(github, token, found), found["login"].casefold()
    if folded not in github.users:
        raise Problem(404, "Not Found")
    login, permission = github.users[folded], fields.get("permission", "push")
    if permission not in ("pull", "triage", "push", "maintain", "admin"):
        raise invalid("permission is invalid")
    is_member = folded in github.organisations.get(repository.owner.casefold(), set())
    if is_member or _permission(github, repository, folded, token) in ("write", "admin"):
        repository.collaborators[login] = permission
        return 204, None, {}
    there = next((i for i in repository.invitations if i.login == login), None)
    if there is None:
        there = Invitation(github.next_id(), login, permission)
        repository.invitations.append(there)
        repository.invited.append(login)
    there.permission = permission
    return 201, _invitation(there), {}


def _invitation(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "invitee": user(invitation.login),
        "permissions": NAMES.get(invitation.permission, invitation.permission),
        "created_at": "2025-11-20T12:00:00Z",
        "expired": invitation.expired,
    }


@route("GET", rf"{REPO}/invitations")
def list_invitations(github: GitHub, token: Token, found: re.Match[str], query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("administration",), "read")
    return github.page([_invitation(i) for i in repository.invitations], found, query)


@route("DELETE", rf"{REPO}/invitations/(?P<id>\d+)")
def delete_invitation(github: GitHub, token: Token, found: re.Match[str], fields: Any) -> Answer:
    repository = _administered(github, token, found)
    left = [i for i in repository.invitations if i.id != int(found["id"])]
    if len(left) == len(repository.invitations):
        raise Problem(404, "Not Found")
    repository.invitations = left
    return 204, None, {}


# --- Activity


@route("GET", rf"{REPO}/activity")
def list_activity(github: GitHub, token: Token | None, found: re.Match[str], query: dict[str, str]) -> Answer:
    repository = github.seen(found["repo"], token, ("contents",), "read")
    refs = (query.get("ref"), f"refs/heads/{query.get('ref')}")
    chosen = [a for a in repository.activity if "ref" not in query or a.ref in refs]
    shown = sorted(chosen, key=lambda a: (a.at, a.id), reverse=True)
    ids, size = [a.id for a in shown], min(int(query.get("per_page", "30")), github.per_page)
    start = ids.index(_cursor(query["after"])) + 1 if "after" in query else 0
    page = shown[start : start + size]
    rest = {k: v for k, v in query.items() if k != "after"}
    links = {}
    if start + size < len(shown):
        links["next"] = rest | {"after": _as_cursor(page[-1].id)}
    return 200, [_activity(a) for a in page], github.links(found, links)


def _as_cursor(number: int) -> str:
    return base64.b64encode(f"PSH_{number}".encode()).decode()


def _cursor(text: str) -> int:
    return int(base64.b64decode(text).decode().removeprefix("PSH_"))


def _activity(activity: Activity) -> dict[str, Any]:
    return {
        "id": activity.id,
        "node_id": f"PSH_{activity.id}",
        "before": activity.before,
        "after": activity.after,
        "ref": activity.ref,
        "timestamp": activity.at,
        "activity_type": activity.type,
        "actor": user(activity.actor),
    }

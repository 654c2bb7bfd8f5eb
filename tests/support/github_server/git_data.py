"""Git data: refs, commits, trees and blobs of a real repository."""

from __future__ import annotations

import base64
import binascii
import os
import re
from typing import TYPE_CHECKING, Any

from github_server.bare import SUBMODULE, Bare
from github_server.objects import FOLDER, Entry
from github_server.routing import REPO, Answer, route, text_of
from github_server.state import Problem, Repository, Token, invalid

if TYPE_CHECKING:
    from github_server.server import GitHub

SHA = r"(?P<sha>[0-9a-f]{40})"
MOST_ENTRIES = 100_000


def _read(github: GitHub, token: Token | None, found: re.Match[str]) -> Repository:
    """A repository with something in it, to be read."""
    repository = github.seen(found["repo"], token, ("contents",), "read")
    if not repository.bare.refs():
        raise Problem(409, "Git Repository is empty.")
    return repository


def _write(github: GitHub, token: Token | None, found: re.Match[str]) -> Repository:
    repository = github.writable(found["repo"], token, ("contents",))
    if not repository.bare.refs():
        raise Problem(409, "Git Repository is empty.")
    return repository


def _resolved(bare: Bare, name: str, kind: str) -> str:
    """A commit or tree by its hash, a branch or a tag. Raises Problem."""
    for place in (name, f"refs/heads/{name}", f"refs/tags/{name}"):
        try:
            sha = bare.refs()[place] if place.startswith("refs/") else place
            if re.fullmatch("[0-9a-f]{40}", sha):
                tree = bare.tree(sha)  # of a commit: another object
                if kind == "tree" or tree != sha:
                    return tree if kind == "tree" else sha
        except KeyError:
            continue
    raise Problem(404, "Not Found")


# --- Refs


def _ref(name: str, sha: str) -> dict[str, Any]:
    return {"ref": name, "object": {"sha": sha, "type": "commit"}}


@route("GET", rf"{REPO}/git/ref/(?P<ref>.+)")
def get_ref(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    refs = _read(github, token, found).bare.refs()
    name = f"refs/{found['ref']}"
    if name not in refs:
        raise Problem(404, "Not Found")
    return 200, _ref(name, refs[name]), {}


@route("POST", rf"{REPO}/git/refs")
def make_ref(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    repository = _write(github, token, found)
    name, sha = text_of(fields, "ref"), text_of(fields, "sha")
    if not name.startswith("refs/") or name.count("/") < 2:
        raise Problem(422, "Reference name must start with 'refs/' and have at least two slashes.")
    if name in repository.bare.refs():
        raise Problem(422, "Reference already exists")
    if repository.bare.tip(sha) is None:
        raise Problem(422, "Object does not exist")
    repository.bare.set(name, sha)
    repository.note(name, None, sha, actor=token.login, at=github.now())
    return 201, _ref(name, sha), {}


# --- Commits


def _commit(bare: Bare, sha: str) -> dict[str, Any]:
    """A commit of the Git database."""
    made = bare.objects.read_commit(sha)
    author, committer = (
        {"name": who.name, "email": who.email, "date": who.date} for who in (made.author, made.committer)
    )
    return {
        "sha": sha,
        "tree": {"sha": made.tree},
        "parents": [{"sha": parent} for parent in made.parents],
        "author": author,
        "committer": committer,
        "message": made.message.rstrip("\n"),
    }


@route("GET", rf"{REPO}/git/commits/{SHA}")
def get_commit(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    bare = _read(github, token, found).bare
    return 200, _commit(bare, _resolved(bare, found["sha"], "commit")), {}


@route("GET", rf"{REPO}/commits")
def list_commits(github: GitHub, token: Token | None, found: re.Match[str], query: dict[str, str]) -> Answer:
    repository = _read(github, token, found)
    start = _resolved(repository.bare, query.get("sha", repository.default_branch), "commit")
    every = [_commit(repository.bare, sha) for sha in repository.bare.objects.history(start)]
    inner = ("author", "committer", "message", "tree")
    shown = [
        {"sha": c["sha"], "parents": c["parents"], "commit": {name: c[name] for name in inner}} for c in every
    ]
    return github.page(shown, found, query)


@route("POST", rf"{REPO}/git/commits")
def make_commit(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    bare = _write(github, token, found).bare
    tree, parents = text_of(fields, "tree"), fields.get("parents", [])
    if bare.tip(tree) is None or any(bare.tip(parent) is None for parent in parents):
        raise invalid("Tree SHA or parent does not exist")
    sha = bare.commit_tree(tree, parents, text_of(fields, "message"), github.now(), token.login)
    return 201, _commit(bare, sha), {}


# --- Trees and blobs


def _tree(bare: Bare, sha: str, *, deep: bool) -> dict[str, Any]:
    found = bare.objects.walk(sha) if deep else bare.objects.entries(sha).items()
    entries = []
    for path, (mode, name) in found:
        kind = {FOLDER: "tree", SUBMODULE: "commit"}.get(mode, "blob")
        shown = os.fsencode(path).decode(errors="replace")
        entry = {"path": shown, "mode": mode.zfill(6), "type": kind, "sha": name}
        size = {"size": len(bare.objects.read(name)[1])} if kind == "blob" else {}
        entries.append(entry | size)
    return {"sha": sha, "tree": entries[:MOST_ENTRIES], "truncated": len(entries) > MOST_ENTRIES}


@route("GET", rf"{REPO}/git/trees/(?P<name>[^?]+)")
def get_tree(github: GitHub, token: Token | None, found: re.Match[str], query: dict[str, str]) -> Answer:
    bare, name = _read(github, token, found).bare, found["name"]
    tree = _resolved(bare, name, "tree")
    # Whatever stands there makes it recursive, by the documentation even `0`.
    shown = _tree(bare, tree, deep="recursive" in query)
    # The documentation's example shows the commit's hash where a branch was named.
    return 200, shown | {"sha": tree if name == tree else _resolved(bare, name, "commit")}, {}


@route("POST", rf"{REPO}/git/trees")
def make_tree(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    bare, entries = _write(github, token, found).bare, fields.get("tree")
    if not isinstance(entries, list) or not entries:
        raise invalid("Invalid tree info")
    # As it was told in many places and stands in no reference: 404 without the permission.
    workflows = any(entry["path"].startswith(".github/workflows/") for entry in entries)
    if workflows and not token.may("workflows", "write"):
        raise Problem(404, "Not Found")
    base = fields.get("base_tree") and _resolved(bare, fields["base_tree"], "tree")
    there = {path for path, (mode, _) in bare.objects.walk(base) if mode != FOLDER} if base else set()
    changes = {entry["path"]: _entry(bare, entry, there) for entry in entries}
    made = bare.objects.changed(base or None, changes) or bare.objects.tree({})
    return 201, _tree(bare, made, deep=False), {}


def _entry(bare: Bare, entry: dict[str, Any], there: set[str]) -> Entry | None:
    """Return what the path holds from now on."""
    path, sha = entry["path"], entry.get("sha")
    if "sha" in entry and sha is None:
        if path not in there:
            raise Problem(422, "GitRPC::BadObjectState")
        return None
    if sha is None:
        sha = bare.objects.write("blob", entry["content"].encode())
    elif bare.tip(sha) is None:
        raise invalid(f"tree.sha {sha} is not a valid blob")
    return entry["mode"], sha


@route("GET", rf"{REPO}/git/blobs/{SHA}")
def get_blob(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    bare = _read(github, token, found).bare
    try:
        kind, content = bare.objects.read(found["sha"])
    except KeyError:
        kind, content = "", b""
    if kind != "blob":
        raise Problem(404, "Not Found")
    text = base64.encodebytes(content).decode()  # with an end of line after every 76 characters
    return 200, {"sha": found["sha"], "size": len(content), "encoding": "base64", "content": text}, {}


@route("POST", rf"{REPO}/git/blobs")
def make_blob(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    bare = _write(github, token, found).bare
    text = fields.get("content")
    if not isinstance(text, str):
        raise invalid("content is missing")
    try:
        content = base64.b64decode(text) if fields.get("encoding") == "base64" else text.encode()
    except binascii.Error:
        raise Problem(422, "content is not valid Base64") from None
    return 201, {"sha": bare.objects.write("blob", content)}, {}

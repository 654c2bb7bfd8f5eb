"""Git data: refs, commits, trees and blobs of a real repository."""

from __future__ import annotations

import base64
import binascii
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github_server.bare import NOTHING, Bare, GitTrouble
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
            if place.startswith("refs/") or re.fullmatch("[0-9a-f]{40}", place):
                return bare.line("rev-parse", "-q", "--verify", f"{place}^{{{kind}}}")
        except GitTrouble:
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


@route("GET", rf"{REPO}/git/matching-refs/(?P<ref>.+)")
def matching_refs(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    refs = _read(github, token, found).bare.refs()
    shown = [_ref(name, sha) for name, sha in refs.items() if name.startswith(f"refs/{found['ref']}")]
    return github.page(shown, found, query)


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
    repository.bare.git("update-ref", name, sha)
    repository.note(name, None, sha, actor=token.login, at=github.now())
    return 201, _ref(name, sha), {}


@route("PATCH", rf"{REPO}/git/refs/(?P<ref>.+)")
def move_ref(github: GitHub, token: Token, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    repository = _write(github, token, found)
    name, sha = f"refs/{found['ref']}", text_of(fields, "sha")
    before = repository.bare.refs().get(name)
    if before is None:
        raise Problem(422, "Reference does not exist")
    if repository.bare.tip(sha) is None:
        raise Problem(422, "Object does not exist")
    forced = not repository.bare.contains(sha, before)
    if forced and not fields.get("force"):
        raise Problem(422, "Update is not a fast forward")
    repository.bare.git("update-ref", name, sha)
    repository.note(name, before, sha, actor=token.login, at=github.now(), force=forced)
    return 200, _ref(name, sha), {}


# --- Commits


def _commit(bare: Bare, sha: str) -> dict[str, Any]:
    """A commit of the Git database."""
    form = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
    told = bare.git("log", "-1", f"--format={form}", sha).decode(errors="replace").split("\0", 9)
    sha, tree, parents, *people, message = told
    author, committer = (dict(zip(("name", "email", "date"), people[i : i + 3])) for i in (0, 3))
    return {
        "sha": sha,
        "tree": {"sha": tree},
        "parents": [{"sha": parent} for parent in parents.split()],
        "author": author,
        "committer": committer,
        "message": message.rstrip("\n"),
    }


@route("GET", rf"{REPO}/git/commits/{SHA}")
def get_commit(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    bare = _read(github, token, found).bare
    return 200, _commit(bare, _resolved(bare, found["sha"], "commit")), {}


@route("GET", rf"{REPO}/commits")
def list_commits(github: GitHub, token: Token | None, found: re.Match[str], query: dict[str, str]) -> Answer:
    repository = _read(github, token, found)
    start = _resolved(repository.bare, query.get("sha", repository.default_branch), "commit")
    every = [_commit(repository.bare, sha) for sha in repository.bare.line("rev-list", start).split()]
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
    words = [word for parent in parents for word in ("-p", parent)]
    dates = {f"GIT_{role}_DATE": github.now() for role in ("AUTHOR", "COMMITTER")}
    names = {f"GIT_{role}_NAME": token.login for role in ("AUTHOR", "COMMITTER")}
    message = text_of(fields, "message")
    sha = bare.line("commit-tree", tree, *words, "-m", message, **dates, **names)
    return 201, _commit(bare, sha), {}


# --- Trees and blobs


def _tree(bare: Bare, sha: str, *, deep: bool) -> dict[str, Any]:
    options = ["-r", "-t"] if deep else []
    lines = bare.git("ls-tree", "-z", "-l", *options, sha).decode(errors="replace").split("\0")
    entries = []
    for line in filter(None, lines):
        about, path = line.split("\t", 1)
        mode, kind, name, size = about.split()
        entry = {"path": path, "mode": mode, "type": kind, "sha": name}
        entries.append(entry | ({"size": int(size)} if kind == "blob" else {}))
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
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if base := fields.get("base_tree"):
            bare.git("read-tree", _resolved(bare, base, "tree"), **index)
        there = set(bare.git("ls-files", "-z", **index).decode(errors="replace").split("\0"))
        lines = [_entry(bare, entry, there) for entry in entries]
        told = "".join(f"{line}\0" for line in lines).encode()
        bare.git("update-index", "--add", "--replace", "-z", "--index-info", data=told, **index)
        made = bare.line("write-tree", **index)
    return 201, _tree(bare, made, deep=False), {}


def _entry(bare: Bare, entry: dict[str, Any], there: set[str]) -> str:
    """Return the line for git's index."""
    path, sha = entry["path"], entry.get("sha")
    if "sha" in entry and sha is None:
        if path not in there:
            raise Problem(422, "GitRPC::BadObjectState")
        return f"0 {NOTHING}\t{path}"
    if sha is None:
        sha = bare.line("hash-object", "-w", "--stdin", data=entry["content"].encode())
    elif bare.tip(sha) is None:
        raise invalid(f"tree.sha {sha} is not a valid blob")
    return f"{entry['mode']} {sha}\t{path}"


@route("GET", rf"{REPO}/git/blobs/{SHA}")
def get_blob(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    bare = _read(github, token, found).bare
    try:
        content = bare.git("cat-file", "blob", found["sha"])
    except GitTrouble:
        raise Problem(404, "Not Found") from None
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
    return 201, {"sha": bare.line("hash-object", "-w", "--stdin", data=content)}, {}

"""What lies in a repository on GitHub, read and written over its REST API: no clone, no disk.

GitHub documents ("REST API endpoints for repositories", "... for Git database"):

    GET  /repos/OWNER/NAME             `template_repository` is the template that it was made from
    GET  .../git/trees/REF?recursive   every entry, `truncated` where there are too many; REF is a branch too
    POST .../git/trees                 entries over a `base_tree`; a `sha` of null removes one
    409                                the repository has no commit yet

A token without the right to change workflows hears 404 to a tree that has one (github/docs, #4770).
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec

from grader.classroom.github.api import LeftOut, NotThere

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.classroom.github.api import Api

T = TypeVar("T")
OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
NAME = r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}(?<!\.git)"
PLACE = re.compile(f"{OWNER}/{NAME}")
INLINE = 100_000  # bytes of a text that is sent with its tree
WORKFLOWS = ".github/workflows/"


class Empty(LeftOut):
    """The repository has no commit yet."""


class Origin(msgspec.Struct, frozen=True):
    """What a repository was made from."""

    id: int


class Repository(msgspec.Struct, frozen=True):
    """As GitHub tells it; `full_name` is `owner/name`, also after it was renamed."""

    id: int
    full_name: str
    default_branch: str = "main"
    archived: bool = False
    is_template: bool = False
    template_repository: Origin | None = None

    @property
    def owner(self) -> str:
        """Whose it is."""
        return self.full_name.partition("/")[0]


class Entry(msgspec.Struct, frozen=True):
    """A file, a folder or something else in a tree; `path` is its place from the top."""

    path: str
    mode: str
    type: str
    sha: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file: no folder, no link, no submodule."""
        return self.type == "blob" and self.mode in ("100644", "100755")


class _Tree(msgspec.Struct):
    sha: str
    tree: list[Entry] = []
    truncated: bool = False


class _Sha(msgspec.Struct, frozen=True):
    sha: str


class _Ref(msgspec.Struct):
    object: _Sha


class Commit(msgspec.Struct, frozen=True):
    """A commit, by its hash."""

    sha: str
    tree: _Sha
    parents: tuple[_Sha, ...] = ()


class _Listed(msgspec.Struct):
    """A commit as lists show it."""

    class _Inner(msgspec.Struct):
        tree: _Sha

    sha: str
    commit: _Inner
    parents: tuple[_Sha, ...] = ()


class _Blob(msgspec.Struct):
    content: str
    encoding: str


# --- Reading


def repository(api: Api, place: str) -> Repository:
    """The repository of that name, or what became of it. Raises LeftOut, NotThere."""
    found = api.ask("GET", f"/repos/{place}", Repository)
    if not PLACE.fullmatch(found.full_name):
        raise LeftOut("GitHub tells a name of the repository that none can have")
    return found


def files(api: Api, place: str, ref: str) -> dict[str, Entry]:
    """Everything at a branch, a commit or a tree but folders, by its place. Raises LeftOut, Empty."""
    path = f"/repos/{place}/git/trees/{quote(ref, safe='')}?recursive=1"
    tree = _not_empty(lambda: api.ask("GET", path, _Tree))
    if tree.truncated:
        raise LeftOut("it has more files than GitHub lists")
    return {entry.path: entry for entry in tree.tree if entry.type != "tree"}


def blob(api: Api, place: str, sha: str) -> bytes:
    """The bytes of a file. Raises LeftOut."""
    found = api.ask("GET", f"/repos/{place}/git/blobs/{sha}", _Blob)
    try:
        return base64.b64decode(found.content) if found.encoding == "base64" else found.content.encode()
    except (binascii.Error, ValueError):
        raise LeftOut("GitHub's answer cannot be read") from None


def tip(api: Api, place: str, branch: str) -> Commit:
    """The newest commit of a branch. Raises LeftOut, NotThere, Empty."""
    path = f"/repos/{place}/git/ref/heads/{quote(branch)}"
    sha = _not_empty(lambda: api.ask("GET", path, _Ref)).object.sha
    return api.ask("GET", f"/repos/{place}/git/commits/{sha}", Commit)


def has_branch(api: Api, place: str, branch: str) -> bool:
    """Whether there is one. Raises LeftOut."""
    try:
        api.ask("GET", f"/repos/{place}/git/ref/heads/{quote(branch)}", _Ref)
    except NotThere:
        return False
    return True


def history(api: Api, place: str, branch: str) -> list[Commit]:
    """The commits of a branch, the newest first. Raises LeftOut, Empty."""
    listed = api.pages(f"/repos/{place}/commits", _Listed, {"sha": branch})
    found = _not_empty(lambda: list(listed))
    return [Commit(each.sha, each.commit.tree, each.parents) for each in found]


def _not_empty(work: Callable[[], T]) -> T:
    try:
        return work()
    except LeftOut as error:
        if error.status == 409:
            raise Empty("it has no commit yet", error.status) from None
        raise


# --- Writing


def commit(
    api: Api, place: str, onto: Commit, changes: Mapping[str, tuple[str, bytes] | None], message: str
) -> str:
    """Make a commit that no branch names yet; gives its hash. Raises LeftOut.

    `changes` are mode and bytes by the file's place, None where it is removed.
    """
    home = f"/repos/{place}/git"
    entries = [_entry(api, home, path, change) for path, change in changes.items()]
    try:
        tree = _again(
            api, lambda: api.ask("POST", f"{home}/trees", _Sha, base_tree=onto.tree.sha, tree=entries)
        )
    except NotThere:
        if not any(path.startswith(WORKFLOWS) for path in changes):
            raise
        raise LeftOut(
            "the token may not change workflows; give it the scope `workflow`, or the permission Workflows"
        ) from None
    data = {"message": message, "tree": tree.sha, "parents": [onto.sha]}
    return _again(api, lambda: api.ask("POST", f"{home}/commits", _Sha, **data)).sha


def name_commit(api: Api, place: str, sha: str, branch: str) -> None:
    """Let a new branch name a commit. Raises LeftOut."""
    data = {"ref": f"refs/heads/{branch}", "sha": sha}
    api.make_once(
        lambda: bool(api.ask("POST", f"/repos/{place}/git/refs", _Ref, **data)),
        lambda: has_branch(api, place, branch) or None,
    )


def _entry(api: Api, home: str, path: str, change: tuple[str, bytes] | None) -> dict[str, Any]:
    if change is None:
        return {"path": path, "mode": "100644", "type": "blob", "sha": None}
    mode, data = change
    entry: dict[str, Any] = {"path": path, "mode": mode, "type": "blob"}
    if len(data) <= INLINE and (text := _text(data)) is not None:
        return entry | {"content": text}
    content = base64.b64encode(data).decode()
    made = _again(api, lambda: api.ask("POST", f"{home}/blobs", _Sha, content=content, encoding="base64"))
    return entry | {"sha": made.sha}


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _again(api: Api, work: Callable[[], T]) -> T:
    """Make an object, once more where the answer was lost: two of the same are one, or nobody names the first."""
    return api.make_once(work, lambda: None)

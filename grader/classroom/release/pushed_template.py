"""A template on GitHub that `grade release` pushed, and the repositories made from it."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import PLACE, blob, commits, files, get_repository
from grader.classroom.release.plan import RECORD, record_of
from grader.errors import Refused

if TYPE_CHECKING:
    from grader.classroom.github.api import Api
    from grader.classroom.github.repository import Repository, TreeItem


class Template:
    """A template repository: its files, and the trees of its history.

    `files` has its entries by path, `protected` those that a student must not change, `days` the assignments.
    Raises Refused, RequestFailed.
    """

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self.repository = _found(api, name)
        self.name = self.repository.full_name
        try:
            self.tree = next(commits(api, self.name, self.repository.default_branch)).tree
        except RequestFailed as error:
            if not error.empty:
                raise
            raise Refused(
                f"{self.name}: this template is empty; fill it with `grade release ... --push`"
            ) from None
        self.files = files(api, self.name, self.tree)
        _refuse_solutions(self.name, self.files)
        record = record_of(self.data(RECORD)) if RECORD in self.files else None
        if record is None:
            raise Refused(f"{self.name}: it has no {RECORD} that `grade release` wrote; release it")
        self.days = record.days
        manifests = [n for n in record.files if re.fullmatch(r"assignments/[^/]*/assignment\.yaml", n)]
        notebooks = {self._notebook(name) for name in manifests}
        names = {*record.files, RECORD} - notebooks
        self.protected = {name: entry for name, entry in self.files.items() if name in names}

    @functools.cache  # noqa: B019  there is one template in a run
    def data(self, name: str) -> bytes:
        """Fetch the bytes of a file, once. Raises RequestFailed."""
        return blob(self._api, self.name, self.files[name].sha)

    @functools.cached_property
    def trees(self) -> frozenset[str]:
        """The hashes of all trees in the history of its branch. Raises RequestFailed."""
        found = commits(self._api, self.name, self.repository.default_branch)
        return frozenset(commit.tree for commit in found)

    @functools.cache  # noqa: B019  the same
    def earlier(self, tree: str) -> dict[str, TreeItem]:
        """Return the entries of a tree of its history. Raises RequestFailed."""
        return files(self._api, self.name, tree)

    def _notebook(self, manifest: str) -> str:
        """Return the path of the notebook that a manifest names. Raises Refused."""
        try:
            named = msgspec.yaml.decode(self.data(manifest), type=_Manifest).submission
        except (KeyError, msgspec.DecodeError, msgspec.ValidationError):
            raise Refused(f"{self.name}: its {manifest} cannot be read; release it again") from None
        return f"{manifest.rpartition('/')[0]}/{named}"


class _Manifest(msgspec.Struct):
    submission: str


def _found(api: Api, name: str) -> Repository:
    if not PLACE.fullmatch(name):
        raise Refused(f"{name}: this is not the name of a repository on GitHub; write it as OWNER/NAME")
    found = get_repository(api, name)
    if found is None:
        raise Refused(
            f"{name}: there is no such template, or the token does not see it; make it with `grade release`"
        )
    if not found.is_template:
        raise Refused(
            f"{found.full_name}: this is not a template yet; run once `gh repo edit {found.full_name} --template`"
        )
    return found


def _refuse_solutions(name: str, entries: dict[str, TreeItem]) -> None:
    """Raise Refused for a template with solutions: every student would get them."""
    secret = next((place for place in entries if "solutions" in place.split("/")), None)
    if secret is not None:
        raise Refused(
            f"{name}: it holds {secret}, which no student may see; nothing is handed out. Release into a new "
            "folder and a new repository, because the history of this one holds it too"
        )


# --- Repositories made from it


def origin_of(api: Api, template: Template, found: Repository, first: str = "") -> str | None:
    """Return the tree of the template that a repository began with; None for any other beginning.

    `first` is the tree of its first commit, if known, which saves a request. Raises RequestFailed.
    """
    if first in template.trees:
        return first
    try:
        every = list(commits(api, found.full_name, found.default_branch))
    except RequestFailed as error:
        if not error.empty and error.cause != "too long":
            raise
        return None
    roots = [commit.tree for commit in every if not commit.parents]
    return next((tree for tree in roots if tree in template.trees), None)


def is_made_from(api: Api, template: Template, found: Repository, first: str = "") -> bool:
    """Return True for a copy of the template: GitHub says so, or its first tree is one of the template's.

    The first tree finds forks and copies that were pushed by hand. The template is not a copy of itself.
    `first` is as for origin_of. Raises RequestFailed.
    """
    if found.id == template.repository.id or found.is_template:
        return False
    if found.template_repository is not None and found.template_repository.id == template.repository.id:
        return True
    return origin_of(api, template, found, first) is not None

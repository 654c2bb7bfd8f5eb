"""The files that decide grades, here and on the course's remote `origin`, from which the workflow grades.

Git's hashes are compared, so untracked and ignored files count too. Only names are printed, never contents.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.git.remote import NAME
from grader.classroom.release.contents import CALLED, is_leftover, regular_files
from grader.classroom.release.push import WorkTree, push
from grader.console import say
from grader.errors import Refused, first_of
from grader.gradebook.settings import FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.settings import Class

SHOWN = 8  # names; the rest are counted
_INSTALLED = ("constraints.txt", "requirements.txt", "pyproject.toml")
# SHA-256 of the salts in Backgrade's own repository, which everybody can read.
PUBLIC_SALTS = frozenset({
    "647f1e508d46666702dd0b2722ece5af3a1607e530695b0d1ae5e7d78cb871fc",
    "2cfc1aabcb1041f70100dd77d9d0593f9ef97b677b7af044db6579ceaaa1d4c9",
    "29ed19cca5d4d27ee280a6fca41e17d114bfa2c2518e127d7338fcfebd386d4a",
    "fd8bd5371009ad8747ac961c2a1417e9279db6f1d80bafcd5331fe220b521156",
    "ea623243533c8366a5b45a154d2cd33285fa9917b3308a9fcfafbc6fea703c9f",
    "563de5afe245b0635fee72eda8d648ba06b449fe370fa5abe248b2154f235b19",
    "7ffb32babbb7f775b24681677dee892eaf397430abf339b262804ed5b45c9020",
})  # fmt: skip


def has_public_salt(assignment: Assignment) -> bool:
    """Return True if its salt stands in Backgrade's own repository."""
    return assignment.has_hidden and hashlib.sha256(assignment.salt.encode()).hexdigest() in PUBLIC_SALTS


def refuse_public_salt(assignment: Assignment) -> None:
    """Raise Refused if everybody can know the random numbers of the hidden checks."""
    if has_public_salt(assignment):
        raise Refused(
            f"{assignment.solutions / 'salt.txt'}: this salt is public, because Backgrade's own repository has it, so "
            "students can compute what the hidden checks ask. Run "
            f"`grade stub {assignment.name} --new-salt`, commit what it writes, and run this command again"
        )


class Deciding:
    """The files that decide the grades of some assignments, below the course's folder."""

    def __init__(
        self, assignments: Sequence[Assignment], class_: Class, variables: Mapping[str, str]
    ) -> None:
        """`variables` are added to those of git."""
        self.root = assignments[0].course.root
        self.git = WorkTree(self.root, variables)
        own = {each.name: each for one in assignments for each in one.lineage}.values()
        single = [self.root / CALLED, self.root / FILE, class_.roster]
        single += [path for each in own for path in (path_of(each), self.root / requirements_of(each.name))]
        single += [self.root / name for name in _INSTALLED]
        # Wheels of a course of one's own; Backgrade itself in a copy of its repository.
        folders = [folder for each in own for folder in (each.folder, each.solutions)]
        folders += [self.root / "vendor", self.root / "grader"]
        self.places = self._names([*single, *folders])
        found = [path for folder in folders if folder.is_dir() for path in regular_files(folder, [])]
        self.names = self._names([*found, *(path for path in single if path.is_file())])

    def _names(self, paths: Sequence[Path]) -> list[str]:
        """Return the names of paths in the course's folder, as git writes them; a roster may be elsewhere."""
        names = [Path(os.path.relpath(path, self.root)).as_posix() for path in paths]
        return sorted(name for name in names if not name.startswith("../"))

    def differing(self, commit: str) -> list[str]:
        """Return the names of files that a commit does not have, or has otherwise; all for an empty text.

        Raises Refused.
        """
        hashes = self.git.git("hash-object", "--", *self.names).split()
        here, there = dict(zip(self.names, hashes, strict=True)), {}
        listed = self.git.git("ls-tree", "-r", "-z", commit, "--", *self.places) if commit else ""
        for line in filter(None, listed.split("\0")):
            about, _, name = line.partition("\t")
            mode, _, sha = about.split()
            if mode.startswith("100") and not any(map(is_leftover, name.split("/"))):
                there[name] = sha
        return sorted(name for name in here | there if here.get(name) != there.get(name))

    def on_remote(self) -> str:
        """Return the newest commit of origin's default branch, fetched; empty if there is none. Raises Refused."""
        commit = self.git.git("ls-remote", "origin", "HEAD").partition("\t")[0]
        if commit and not self.git.succeeds("cat-file", "-e", f"{commit}^{{commit}}"):
            self.git.git("fetch", "--quiet", "--no-tags", "origin", "HEAD")
        return commit

    def say_differing(self) -> None:
        """Print the names of the files that are others on the remote, or that nobody could compare them."""
        try:
            names = self.differing(self.on_remote())
        except Refused as error:
            say(f"note: these files were not compared with those of `origin`: {error}", err=True)
            return
        if names:
            say(f"note: not the same in `origin`, and they decide grades: {first_of(names, SHOWN)}", err=True)

    @property
    def are_pushed(self) -> bool:
        """True if the remote has these files; False, too, if nobody can compare them."""
        try:
            return not self.differing(self.on_remote())
        except Refused:
            return False

    def commit(self, address: str, branch: str, message: str) -> None:
        """Commit what differs, after what others have pushed to the branch, and push it. Raises Refused."""
        changed = self.differing(self.git.run("rev-parse", "-q", "--verify", "HEAD").stdout.strip())
        tracked = self.git.git("ls-files", "-z", "--", *changed).split("\0") if changed else []
        names = [name for name in changed if name in {*tracked, *self.names}]
        push(self.git, address, names=names, message=message, branch=branch)


def own_repositories(root: Path, server: str) -> list[str]:
    """Return the `owner/name` of each repository on GitHub that the course's remote `origin` fetches from or pushes to."""
    git, host = WorkTree(root), re.escape(server.partition("://")[2])
    place = rf"(?:[a-z+]+://)?(?:[^/@\s]+@)?(?:www\.|ssh\.)?{host}(?::\d+/|[:/])/*({NAME}?)(?:\.git)?/*"
    asked = [git.run("remote", "get-url", *words, "--all", "origin") for words in ((), ("--push",))]
    lines = [line for done in asked if not done.returncode for line in done.stdout.splitlines()]
    found = [re.fullmatch(place, line.strip(), re.ASCII | re.IGNORECASE) for line in lines]
    return list(dict.fromkeys(match[1] for match in found if match))


def path_of(assignment: Assignment) -> Path:
    """Return the path of an assignment's workflow in the course."""
    return assignment.course.root / ".github" / "workflows" / f"{assignment.name}.yml"


def requirements_of(day: str) -> str:
    """Return the name of the file that says what pip installs, in a course that is no copy of Backgrade's repository."""
    return f".github/{day}-requirements.txt"

"""The course's own repository, `origin`: the files that decide grades, and the people who can read it.

The workflow grades from these files. They are compared by git's hashes, so untracked and ignored files count too. Only
names are printed, never contents.

The repository holds the solutions and the grades. The REST API tells who can read it ("REST API endpoints for organizations",
"... for collaborators"):

    GET /repos/OWNER/NAME                 `visibility`: `internal` is for everybody in the enterprise
    GET /orgs/OWNER                       `default_repository_permission`: what members may do everywhere; owners see it
    GET /repos/OWNER/NAME/collaborators   everybody with access, also by a team or as a member
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.git.remote import NAME
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import User, get_repository
from grader.classroom.release.contents import CALLED, is_leftover, regular_files
from grader.classroom.release.push import WorkTree, push
from grader.console import say, say_notes
from grader.errors import Refused, first_of
from grader.gradebook.settings import FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.gradebook.roster import RosterStudent
    from grader.gradebook.settings import Class


SHOWN = 8  # names; the rest is a number
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
    """Return True if its salt is in Backgrade's own repository."""
    return assignment.has_hidden and hashlib.sha256(assignment.salt.encode()).hexdigest() in PUBLIC_SALTS


def refuse_public_salt(assignment: Assignment) -> None:
    """Raise Refused if the random numbers of the hidden checks are public."""
    if has_public_salt(assignment):
        raise Refused(
            f"{assignment.solutions / 'salt.txt'}: this salt is public, because Backgrade's own repository has it. Students "
            "can compute the inputs of the hidden checks. Run "
            f"`grade stub {assignment.name} --new-salt`, commit the files, and run this command again"
        )


class Deciding:
    """The files that decide the grades of some assignments, below the course's folder."""

    def __init__(
        self, assignments: Sequence[Assignment], class_: Class, variables: Mapping[str, str]
    ) -> None:
        """`variables` are added to the environment of git."""
        self.root = assignments[0].course.root
        self.git = WorkTree(self.root, variables)
        own = {each.name: each for one in assignments for each in one.lineage}.values()
        single = [self.root / CALLED, self.root / FILE, class_.roster]
        single += [path for each in own for path in (path_of(each), self.root / requirements_of(each.name))]
        single += [self.root / name for name in _INSTALLED]
        # vendor/ holds a course's wheels; grader/ is Backgrade itself, in a copy of its repository.
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
        """Return the names of files that differ from a commit; all for an empty hash. Raises Refused."""
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
        """Print the names of the files that differ on the remote, or why they were not compared."""
        try:
            names = self.differing(self.on_remote())
        except Refused as error:
            say(f"note: the files that decide grades were not compared with `origin`: {error}", err=True)
            return
        if names:
            say(
                f"note: these files decide grades and differ from `origin`: {first_of(names, SHOWN)}; push them, or let the part "
                "`workflow` of `grade open` do it",
                err=True,
            )

    @property
    def are_pushed(self) -> bool:
        """True if the remote has these files; False if they could not be compared."""
        try:
            return not self.differing(self.on_remote())
        except Refused:
            return False

    def commit(self, address: str, branch: str, message: str) -> None:
        """Commit the files that differ, on top of what others pushed to the branch, and push. Raises Refused."""
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
    """Return the name of the requirements file of a course that is not a copy of Backgrade's repository."""
    return f".github/{day}-requirements.txt"


# --- Its readers


class _Organisation(msgspec.Struct):
    default_repository_permission: str | None = None


def refuse_readers(
    api: Api, names: Iterable[str], students: Iterable[RosterStudent], organisation: str = ""
) -> None:
    """Print what the token cannot see. Raises Refused if one of the students can read one of the repositories.

    Also refuses an organisation whose members can read every repository, and one that does not exist.
    """
    notes = [*_refuse_base(api, organisation)] if organisation else []
    known = {student.github.casefold() for student in students if student.github}
    notes += [note for name in names for note in _refuse_readers(api, name, known)]
    say_notes(dict.fromkeys(notes))


def _refuse_readers(api: Api, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield a note for each thing that the token cannot see. Raises Refused if one of these logins can read the repository."""
    found = get_repository(api, name)
    if found is None:
        yield f"this token cannot see {name}, so its readers were not verified"
        return
    if not found.private or found.visibility == "internal":
        who = "public" if not found.private else "for the whole enterprise (`internal`)"
        raise Refused(
            f"{found.full_name}: this repository is {who}, and it holds solutions/; make it private, so that no student "
            "can read it"
        )
    yield from _refuse_base(api, found.owner, person=True)
    try:
        access = list(api.pages(f"/repos/{name}/collaborators", User, {"affiliation": "all"}))
    except RequestFailed as error:
        if not (error.forbidden or error.missing):
            raise
        yield f"this token cannot see who may read {name}; verify that no student can"
        return
    if among := sorted({one.login for one in access if one.login.casefold() in known}):
        raise Refused(
            f"{name}: {first_of(among, 5)} of the class can read it, and it holds solutions/ and the grades; "
            "remove their access (Settings, Collaborators and teams)"
        )


def _refuse_base(api: Api, organisation: str, *, person: bool = False) -> Iterator[str]:
    """Yield a note if the token cannot see what members may do.

    Raises Refused if they may read every repository, and for an unknown organisation; with `person` the name may be a
    user's.
    """
    found = api.find("GET", f"/orgs/{organisation}", _Organisation)
    if found is None and not person:
        raise Refused(f"{organisation}: GitHub has no organisation of this name")
    base = found.default_repository_permission if found else "none"
    if base is None:
        yield f"this token cannot see the base permissions of {organisation}; verify that they are *No permission*"
    elif base != "none":
        raise Refused(
            f"{organisation}: its base permissions are `{base}`, so every member can read the repositories of all students; "
            "choose *No permission* (the organisation's Settings, Member privileges, Base permissions)"
        )

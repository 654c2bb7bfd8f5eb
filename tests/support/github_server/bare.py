"""A bare git repository, made and changed as a server does it."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from github_server.objects import FOLDER, Commit, Entry, Objects, Person

NOTHING = "0" * 40
SUBMODULE = "160000"
_NO_FILE = {SUBMODULE, FOLDER}
# A file's text or bytes, `(mode, content)` for another kind of entry, None where it is removed.
Content = str | bytes | tuple[str, str | bytes] | None
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"


class GitTrouble(Exception):
    """Git failed; the message is its error output."""


def seconds(at: str) -> int:
    """Seconds since 1970 of a time in ISO 8601."""
    return int(dt.datetime.fromisoformat(at).timestamp())


class Bare:
    """A repository at a path that ends in `.git`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self, branch: str = "main") -> None:
        """Make it, empty."""
        (self.path / "refs" / "heads").mkdir(parents=True)
        (self.path / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        # What real hosts serve: a single commit by its hash, and without the files that are not asked for.
        more = "[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n"
        (self.path / "config").write_text(_CONFIG + more)
        (self.path / "objects").mkdir()

    def take_objects(self, other: Bare) -> None:
        """Have what another one has."""
        shutil.copytree(
            other.path / "objects", self.path / "objects", copy_function=os.link, dirs_exist_ok=True
        )

    def git(self, *words: str, data: bytes = b"", **more: str) -> bytes:
        """Run git, and return its output. Raises GitTrouble."""
        known = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "GitHub"), ("EMAIL", "noreply@example.org"))
        }
        done = subprocess.run(
            ["git", f"--git-dir={self.path}", *words],
            input=data,
            capture_output=True,
            check=False,
            env=known | own | who | more,
        )
        if done.returncode:
            raise GitTrouble(done.stderr.decode(errors="replace"))
        return done.stdout

    def line(self, *words: str, data: bytes = b"", **more: str) -> str:
        """The one line that git prints."""
        return self.git(*words, data=data, **more).decode().strip()

    @property
    def objects(self) -> Objects:
        return Objects(self.path)

    def tip(self, name: str) -> str | None:
        """Return the hash of a full ref or an existing object."""
        if name.startswith("refs/"):
            return self.refs().get(name)
        return name if self.objects.has(name) else None

    def set(self, ref: str, commit: str) -> None:
        """Let a full ref name a commit."""
        if not re.fullmatch(r"refs(/\w[\w-]*){2,}", ref):
            self.git("update-ref", ref, commit)  # git knows which names may be
            return
        path = self.path / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.path, delete=False) as file:
            file.write(f"{commit}\n")
        Path(file.name).replace(path)

    def refs(self) -> dict[str, str]:
        """Every full ref and what it names; read from the files, for it is asked for all the time."""
        packed, found = self.path / "packed-refs", {}
        for line in packed.read_text().split("\n") if packed.is_file() else ():
            if re.match(r"[0-9a-f]{40} ", line):
                found[line[41:]] = line[:40]
        for path in sorted((self.path / "refs").rglob("*")):
            if path.is_file() and path.suffix != ".lock":
                found[path.relative_to(self.path).as_posix()] = path.read_text().strip()
        return dict(sorted(found.items()))

    def contains(self, later: str, earlier: str) -> bool:
        """Return True where one commit is an ancestor of another."""
        return earlier in self.objects.history(later)

    def files(self, name: str) -> dict[str, bytes]:
        """Every file of a full ref, a commit or a tree, by its place."""
        tree = self.tree(self.refs().get(name, name))
        found = self.objects.walk(tree)
        return {place: self.objects.read(sha)[1] for place, (mode, sha) in found if mode not in _NO_FILE}

    def tree(self, name: str) -> str:
        """Return the tree of a commit, or a tree itself. Raises KeyError."""
        kind = self.objects.read(name)[0]
        return name if kind == "tree" else self.objects.read_commit(name).tree

    def commit(
        self,
        ref: str,
        files: Mapping[str, Content],
        *,
        parent: str | None,
        at: str,
        author_date: str,
        name: str,
        message: str,
    ) -> str:
        """Commit changes of a parent's files (of none: the first files), and let a ref name it; gives its hash."""
        objects, email = self.objects, f"{name}@users.noreply.github.com"
        before = objects.read_commit(parent).tree if parent else None
        tree = objects.changed(before, {place: self._entry(content) for place, content in files.items()})
        people = (Person(name, email, seconds(date)) for date in (author_date, at))
        parents = [parent] if parent else []
        made = objects.commit(Commit(tree or objects.tree({}), parents, *people, message))
        self.set(ref, made)
        return made

    def commit_tree(
        self, tree: str, parents: Sequence[str], message: str, at: str, name: str = "GitHub"
    ) -> str:
        """What `git commit-tree` does; gives the commit's hash."""
        who = Person(name, "noreply@example.org", seconds(at))
        return self.objects.commit(Commit(tree, [*parents], who, who, message.rstrip("\n") + "\n"))

    def _entry(self, content: Content) -> Entry | None:
        if content is None:
            return None
        mode, text = content if isinstance(content, tuple) else ("100644", content)
        raw = text.encode() if isinstance(text, str) else text
        # A submodule is the hash of a commit elsewhere.
        return mode, raw.decode() if mode == SUBMODULE else self.objects.write("blob", raw)

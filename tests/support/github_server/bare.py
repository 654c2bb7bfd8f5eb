"""A bare git repository, made and changed as a server does it."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

NOTHING = "0" * 40
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

    def tip(self, name: str) -> str | None:
        """Return the hash of a full ref or an existing object."""
        if name.startswith("refs/"):
            return self.refs().get(name)
        try:
            self.git("cat-file", "-e", name)
        except GitTrouble:
            return None
        return name

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
        try:
            self.git("merge-base", "--is-ancestor", earlier, later)
        except GitTrouble:
            return False
        return True

    def files(self, tree: str) -> dict[str, bytes]:
        """Every file of a commit or a tree, by its place."""
        told = self.git("ls-tree", "-r", "-z", tree).split(b"\0")
        entries = [re.fullmatch(rb"(\d+) blob ([0-9a-f]+)\t(.*)", line, re.DOTALL) for line in told]
        return {e[3].decode(): self.git("cat-file", "blob", e[2].decode()) for e in entries if e}

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
        who = f"{name} <{name}@users.noreply.github.com>".encode()
        lines = [
            b"commit " + ref.encode(),
            b"mark :1",
            b"author " + who + f" {seconds(author_date)} +0000".encode(),
            b"committer " + who + f" {seconds(at)} +0000".encode(),
            _data(message.encode()),
            *([b"from " + parent.encode()] if parent else []),
            *(_changed(place, content) for place, content in files.items()),
            b"get-mark :1\n",
        ]
        return self.line("fast-import", "--quiet", "--force", data=b"\n".join(lines))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s" % (len(content), content)


def _changed(place: str, content: Content) -> bytes:
    quoted = b'"' + place.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    if content is None:
        return b"D " + quoted
    mode, text = content if isinstance(content, tuple) else ("100644", content)
    raw = text.encode() if isinstance(text, str) else text
    if mode == "160000":  # a submodule: the hash of a commit elsewhere
        return b"M 160000 %s %s" % (raw, quoted)
    return b"M %s inline %s\n%s" % (mode.encode(), quoted, _data(raw))

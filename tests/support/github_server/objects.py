"""Git's objects in a repository's folder, without a process of git for each: a class needs thousands of them.

An object is a file of its own, compressed; its name is the hash of its kind, size and content ("Pro Git", Git
Internals, Git Objects). One that a push has packed is asked of git.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import heapq
import os
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = "40000"  # the mode of a folder in a tree
Entry = tuple[str, str]  # its mode and the hash of its content


@dataclass(frozen=True)
class Person:
    """An author or a committer; `at` in seconds since 1970."""

    name: str
    email: str
    at: int

    def __str__(self) -> str:
        return f"{self.name} <{self.email}> {self.at} +0000"

    @property
    def date(self) -> str:
        """As GitHub writes it."""
        return dt.datetime.fromtimestamp(self.at, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class Commit:
    """What a commit holds."""

    tree: str
    parents: list[str]
    author: Person
    committer: Person
    message: str


class Objects:
    """The objects below the folder of a bare repository."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository

    def has(self, name: str) -> bool:
        """Return True for the hash of an object that is here."""
        if not re.fullmatch("[0-9a-f]{40}", name):
            return False
        return self._place(name).is_file() or not self._asked(name).endswith(b" missing\n")

    def read(self, name: str) -> tuple[str, bytes]:
        """Return the kind and the content. Raises KeyError for an object that is not here."""
        try:
            head, _, content = zlib.decompress(self._place(name).read_bytes()).partition(b"\0")
        except FileNotFoundError:
            head, _, content = self._asked(name).partition(b"\n")
            head, content = head.partition(b" ")[2], content[:-1]
        if head == b"missing":
            raise KeyError(name) from None
        return head.split()[0].decode(), content

    def write(self, kind: str, content: bytes) -> str:
        """Keep an object; gives its hash."""
        raw = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        place = self._place(name)
        if not place.is_file():
            place.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent.parent, delete=False) as file:
                file.write(zlib.compress(raw, 0))
            Path(file.name).replace(place)
        return name

    def _place(self, name: str) -> Path:
        return self.repository / "objects" / name[:2] / name[2:]

    def _asked(self, name: str) -> bytes:
        """What `git cat-file --batch` says of an object."""
        command = ["git", f"--git-dir={self.repository}", "cat-file", "--batch"]
        return subprocess.run(command, input=name.encode(), capture_output=True, check=True).stdout

    # Trees

    def entries(self, tree: str) -> dict[str, Entry]:
        """What a folder holds, by its name."""
        rows = re.findall(rb"(\d+) ([^\0]+)\0(.{20})", self.read(tree)[1], re.DOTALL)
        return {name.decode(errors="surrogateescape"): (mode.decode(), sha.hex()) for mode, name, sha in rows}

    def walk(self, tree: str, top: str = "") -> Iterator[tuple[str, Entry]]:
        """Yield every path below a tree, a folder before what it holds."""
        for name, (mode, sha) in self.entries(tree).items():
            yield top + name, (mode, sha)
            if mode == FOLDER:
                yield from self.walk(sha, f"{top}{name}/")

    def changed(self, tree: str | None, changes: Mapping[str, Entry | None]) -> str | None:
        """Make a tree with these paths set or, where they are None, removed; None for one that holds nothing."""
        entries = self.entries(tree) if tree else {}
        below: dict[str, dict[str, Entry | None]] = {}
        for path, entry in changes.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            elif entry:
                entries[name] = entry
            else:
                entries.pop(name, None)
        for name, inside in below.items():
            mode, sha = entries.get(name, ("", ""))
            made = self.changed(sha if mode == FOLDER else None, inside)
            if made:
                entries[name] = (FOLDER, made)
            elif mode == FOLDER:
                del entries[name]
        return self.tree(entries) if entries else None

    def tree(self, entries: Mapping[str, Entry]) -> str:
        """Write a folder; gives its hash."""
        rows = [(os.fsencode(name), mode, sha) for name, (mode, sha) in entries.items()]
        rows.sort(key=lambda row: row[0] + b"/" * (row[1] == FOLDER))
        return self.write(
            "tree",
            b"".join(b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(sha)) for name, mode, sha in rows),
        )

    # Commits

    def commit(self, made: Commit) -> str:
        """Write a commit; gives its hash."""
        parents = "".join(f"parent {parent}\n" for parent in made.parents)
        people = f"author {made.author}\ncommitter {made.committer}\n"
        return self.write("commit", f"tree {made.tree}\n{parents}{people}\n{made.message}".encode())

    def read_commit(self, name: str) -> Commit:
        """Raises KeyError for a hash that is no commit's."""
        kind, content = self.read(name)
        if kind != "commit":
            raise KeyError(name)
        head, _, message = content.decode(errors="replace").partition("\n\n")
        lines = re.findall(r"^(tree|parent|author|committer) (.*)$", head, re.MULTILINE)
        people = dict(lines)
        parents = [text for word, text in lines if word == "parent"]
        author, committer = (_person(people[role]) for role in ("author", "committer"))
        return Commit(people["tree"], parents, author, committer, message)

    def history(self, tip: str) -> Iterator[str]:
        """Yield a commit and all before it, the newest first."""
        seen, coming = {tip}, [(-self.read_commit(tip).committer.at, 0, tip)]
        while coming:
            name = heapq.heappop(coming)[2]
            yield name
            for parent in self.read_commit(name).parents:
                if parent not in seen:
                    seen.add(parent)
                    heapq.heappush(coming, (-self.read_commit(parent).committer.at, len(seen), parent))


def _person(text: str) -> Person:
    found = re.fullmatch(r"(.*) <(.*)> (\d+) [+-]\d{4}", text)
    assert found, text
    return Person(found[1], found[2], int(found[3]))

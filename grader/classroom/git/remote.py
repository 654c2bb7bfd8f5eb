r"""Students' git repositories: their addresses, fetching commits without a checkout, reading objects.

Nothing of a repository is executed: no hook, filter, submodule or link. Each is fetched into its own bare repository,
which only `Objects` reads. Settings for every process:

    protocols                the one of the address (GIT_ALLOW_PROTOCOL); no `ext::` or other helper
    hooks                    none: the repository is created without a template, and core.hooksPath is /dev/null
    fetched objects          the given commits; no tags, submodules, or files above a size if the server can leave
                             them out; nothing later on demand (GIT_NO_LAZY_FETCH)
    verification             git verifies every fetched object (transfer.fsckObjects)
    time, disk, output       limited
    questions                none; there is no terminal

A repository is fetched with the token and without the user's git settings. The token is a header for GitHub's own
address, in the process's environment. Redirects are not followed.

One `git cat-file --batch` process reads the objects. Names are untrusted bytes: they are compared and never used as
paths on this disk. Formats (git's documentation, gitformat-pack and git-cat-file):

    answer   `<hash> <type> <size>\n<content>\n`, or `<hash> missing\n`
    commit   its first line is `tree <hash>`
    tree     for each entry `<mode> <name>\0<hash as bytes>`; the mode is octal: 040000 a folder, 100644 and
             100755 a file, 120000 a symbolic link, 160000 a submodule
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from grader.classroom.git.process import (
    Cause,
    GitError,
    end,
    environment,
    in_words,
    run,
    settings,
    start,
    without_credentials,
)
from grader.errors import Refused
from grader.submissions.tree import LONGEST_NAME, MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

GITHUB = "https://github.com"
SECONDS = 180.0  # seconds for one process of git
ROOM = 512 << 20  # bytes that one repository may take
MOST_SHOWN = 300  # characters of git's message
NAME = r"[A-Za-z0-9][\w-]{0,99}/(?!\.{1,2}$)[\w.-]{1,100}"  # the name of a repository on GitHub
_HOST = r"(?:[A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\])"
# Unencrypted only within this machine, as for the API.
_SERVER = (
    rf"https://{_HOST}(?::\d{{1,5}})?|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{{1,5}})?|file:///\S*"
)
_MISSING = re.compile(r"not found|does not exist|does not appear to be a git repository", re.IGNORECASE)
_GONE = re.compile(r"not our ref|unadvertised object", re.IGNORECASE)
_CLOSED = re.compile(
    r"permission denied|authentication failed|could not read (username|password)|access denied|"
    r"host key verification failed|error: 40[13]|dubious ownership",
    re.IGNORECASE,
)
_STUDENT = "student"  # the remote's name in the fetched repository


@dataclass(frozen=True)
class Remote:
    """The address of a repository on GitHub; `token` is only for this server."""

    address: str
    protocol: str
    token: str = field(default="", repr=False)

    def sibling(self, name: str) -> Remote:
        """Return the repository `owner/name` on the same server."""
        server = self.address.rsplit("/", 2)[0]
        return replace(self, address=f"{server}/{name}.git")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a git process that fetches from it."""
        known = _without_settings(environment())
        pairs = [(f"remote.{_STUDENT}.url", self.address), *_SETTINGS]
        if self.token and self.protocol != "file":
            pairs.append(token_setting(self.address, self.token))
        return known | settings(pairs, known) | {"GIT_ALLOW_PROTOCOL": self.protocol} | _NO_QUESTIONS


def token_setting(address: str, token: str) -> tuple[str, str]:
    """Return the git setting that sends a token to the server of an address, and to no other."""
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    server = "/".join(address.split("/")[:3])
    return f"http.{server}/.extraHeader", f"Authorization: Basic {secret}"


_SETTINGS = [
    ("protocol.version", "2"),
    ("core.hooksPath", os.devnull),
    ("transfer.fsckObjects", "true"),
    ("fetch.fsckObjects", "true"),
    ("fetch.unpackLimit", "1"),  # one pack, so that its size can be watched
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("transfer.bundleURI", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("credential.interactive", "false"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", str(int(SECONDS))),
]
_NO_QUESTIONS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
}

_NOTHING_SPOKEN = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


def _without_settings(known: dict[str, str]) -> dict[str, str]:
    """Return the variables without git settings, from files or from the environment."""
    kept = {k: v for k, v in known.items() if not k.startswith(("GIT_", "SSH_ASKPASS"))}
    certificates = {k: v for k, v in known.items() if k.startswith(("GIT_SSL_", "GIT_EXEC_PATH"))}
    return kept | certificates | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


# --- Addresses


def on_github(name: str, server: str, token: str) -> Remote:
    """Return the repository `owner/name` on GitHub, whose web pages are at `server`. Raises Refused."""
    if not re.fullmatch(_SERVER, server.rstrip("/"), re.ASCII):
        raise Refused(f"GITHUB_SERVER_URL is {server!r}, which is not an https address; correct the variable")
    if not re.fullmatch(NAME, name, re.ASCII):
        raise Refused(
            f"{without_credentials(name)!r}: not a repository on {server}; work is fetched only from there. Clone it "
            "by hand into a folder with the student's name, and grade the folder above it with `grade batch`"
        )
    protocol = server.partition(":")[0]
    return Remote(f"{server.rstrip('/')}/{name}.git", protocol, token=token)


# --- Fetching


class Fetcher:
    """Fetches repositories into a folder.

    Every method raises GitError, Refused, and CancelledError once `ended` is set.
    """

    def __init__(self, folder: Path, ended: threading.Event) -> None:
        self.folder, self.ended = folder, ended

    @contextlib.contextmanager
    def commits(self, remote: Remote, commits: Sequence[str], largest: int) -> Iterator[Objects]:
        """Fetch commits with their files of at most `largest` bytes, and nothing before them."""
        for commit in commits:
            if not is_hash(commit):
                raise GitError(f"{commit!r} is not a commit")
        place = Path(tempfile.mkdtemp(suffix=".git", dir=self.folder))
        try:
            self._fetch(remote, commits, largest, place)
            with Objects(place, _without_settings(environment()) | _NOTHING_SPOKEN) as objects:
                yield objects
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _fetch(self, remote: Remote, commits: Sequence[str], largest: int, place: Path) -> None:
        format_ = "sha256" if len(commits[0]) == 64 else "sha1"
        self._run(remote, ["init", "-q", "--bare", "--template=", f"--object-format={format_}"], place)
        config = (place / "config").read_bytes()
        words = ["fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"]
        if remote.protocol == "file":  # a folder's own settings may forbid filters
            words.append(
                "--upload-pack=git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack"
            )
        words += ["--no-write-fetch-head", "--depth=1", f"--filter=blob:limit={largest + 1}"]
        self._run(remote, [*words, _STUDENT, *commits], place)
        # Without the settings of the fetch, git treats omitted objects as missing, and never fetches them.
        (place / "config").write_bytes(config)

    def _run(self, remote: Remote, words: list[str], folder: Path) -> None:
        known = remote.environment | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        try:
            code, said = run(
                words,
                folder=folder,
                environment=known,
                seconds=SECONDS,
                ended=self.ended,
                too_much=lambda: _packs_size(folder) > ROOM,
            )
        except GitError as error:
            raise GitError(f"{remote.address}: {error}") from error
        if code:
            raise _error(remote, said)


def _packs_size(folder: Path) -> int:
    """Return the bytes of the packs of a repository, incoming ones included."""
    with contextlib.suppress(OSError), os.scandir(folder / "objects" / "pack") as entries:
        return sum(entry.stat().st_size for entry in entries)
    return 0


def _error(remote: Remote, said: str) -> GitError:
    """Return the error for a message by git."""
    message = in_words(said, remote.address)[:MOST_SHOWN].rstrip(". ") or "git says nothing more"
    cause: Cause = ""
    if _GONE.search(said):
        cause, what = "no commit", f"the commit no longer exists (git: {message})"
    elif _CLOSED.search(said):
        what = f"no access (git: {message})"
    elif _MISSING.search(said):
        cause, what = "no repository", "no such repository, or you cannot see it"
    else:
        what = f"cannot be fetched (git: {message})"
    return GitError(f"{remote.address}: {what}", cause)


READING_SECONDS = 120.0  # seconds for reading one repository
LARGEST_FOLDER = 1 << 20  # bytes of a list of entries
LARGEST_COMMIT = 1 << 20  # bytes
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TREE = re.compile(rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n")


_KINDS = {0o040000: "folder", 0o100000: "file", 0o120000: "link", 0o160000: "submodule"}


@dataclass(frozen=True)
class GitEntry:
    """An entry of a folder; its `kind` is folder, file, link, submodule or other."""

    kind: str
    id: str


def is_hash(text: str) -> bool:
    """Return True for the hash of an object: 40 or 64 hexadecimal digits."""
    return _HASH.fullmatch(text) is not None


class Objects:
    """A repository's objects, as a context manager. Every method raises GitError."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._trees: dict[str, dict[bytes, GitEntry]] = {}
        self._process = self._start()
        self._alarm = threading.Timer(READING_SECONDS, lambda: end(self._process))
        self._alarm.daemon = True

    def __enter__(self) -> Self:
        self._alarm.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.cancel()
        self._finish()

    def _start(self) -> subprocess.Popen[bytes]:
        return start(
            ["cat-file", "--batch"],
            folder=self._folder,
            environment=self._environment,
            asked=subprocess.PIPE,
            out=subprocess.PIPE,
            said=subprocess.DEVNULL,
        )

    def _finish(self) -> None:
        end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # the process has ended
                pipe.close()

    def read(self, id_: str, kind: str, limit: int) -> bytes:
        """Return the content of an object of that kind and of at most `limit` bytes."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        try:
            requests.write(f"{id_}\n".encode("ascii"))
            requests.flush()
            head = answers.readline(200).decode("ascii").split()
            if len(head) != 3:
                raise GitError(f"{id_} is not here", "absent")
            size = int(head[2])
            if size > limit:
                self._finish()  # the pipe already has its content
                self._process = self._start()
                raise GitError(f"{id_} has {size} bytes", "too large")
            data = answers.read(size)
            answers.read(1)  # the end of the line; removing it from `data` would copy the file
        except (OSError, ValueError) as error:
            raise GitError(f"{id_} cannot be read", "broken") from error
        if len(data) != size or head[1] != kind:
            raise GitError(f"{id_} is not a {kind}, or is broken", "broken")
        return data

    def tree_of(self, commit: str) -> str:
        """Return the hash of a commit's top folder."""
        found = _TREE.match(self.read(commit, "commit", LARGEST_COMMIT))
        if found is None:
            raise GitError(f"{commit} is a commit without files", "broken")
        return found[1].decode()

    def folder(self, id_: str) -> dict[bytes, GitEntry]:
        """Return the entries of a folder by name, at most MOST; the first one of two equal names."""
        if id_ not in self._trees:
            data, width = self.read(id_, "tree", LARGEST_FOLDER), len(id_) // 2
            self._trees[id_] = _entries(data, width)
        return self._trees[id_]

    def entry(self, tree: str, place: str) -> GitEntry | None:
        """Return the entry at a path from the top, None if there is none; an empty path is the top itself."""
        entry = GitEntry("folder", tree)
        for name in filter(None, place.split("/")):
            found = (
                self.folder(entry.id).get(name.encode(errors="surrogateescape"))
                if entry.kind == "folder"
                else None
            )
            if found is None:
                return None
            entry = found
        return entry


def _entries(data: bytes, width: int) -> dict[bytes, GitEntry]:
    entries: dict[bytes, GitEntry] = {}
    place = 0
    while place < len(data):
        end_of_name = data.find(b"\0", place)
        mode, _, name = data[place:end_of_name].partition(b" ")
        id_ = data[end_of_name + 1 : end_of_name + 1 + width]
        if end_of_name < 0 or len(id_) != width or not re.fullmatch(rb"[0-7]{5,6}", mode):
            raise GitError("a folder's list is broken", "broken")
        if len(name) > LONGEST_NAME:
            raise GitError(f"a name of {len(name)} bytes", "long name")
        if len(entries) == MOST:
            raise GitError(f"a folder of more than {MOST} entries", "too large")
        kind = _KINDS.get(int(mode, 8) & 0o170000, "other")
        entries.setdefault(name, GitEntry(kind, id_.hex()))
        place = end_of_name + 1 + width
    return entries

"""Strangers' git repositories, fetched at one commit without a checkout: no hook, no filter, no submodule, no link.

Each lies in a bare repository of its own, which git fills and nothing else reads but grader.classroom.objects.
What holds for every process:

    what git may speak       only the protocol of the address (GIT_ALLOW_PROTOCOL); no `ext::` or other helper
    hooks                    none: the repository is made without a template, and core.hooksPath is nowhere
    what it fetches          one commit, or commits alone; no tag, no submodule, no file above a size where the
                             server can leave it out; never anything later (GIT_NO_LAZY_FETCH)
    what is fetched          is checked by git (transfer.fsckObjects)
    time, room, words        limited
    questions                none; there is no terminal

A repository on GitHub is fetched with the token and without anybody's settings, for the API is read without
them too. The token stands in the process's environment as a header for GitHub's own address, and no redirect
is followed. Any other remote is fetched with the user's own settings and keys, as `git fetch` would: a helper
for passwords, ssh's agent and configuration, a proxy, certificates. They are the user's, never the student's.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.collect.objects import Objects, is_hash
from grader.classroom.git import CutShort, Done, environment, in_words, run, settings, without_credentials
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

GITHUB = "https://github.com"
SECONDS = 180.0  # for one process of git
ROOM = 512 << 20  # bytes that one repository may take
MOST_SHOWN = 300  # characters of git's words
NAME = r"[A-Za-z0-9][\w-]{0,99}/(?!\.{1,2}$)[\w.-]{1,100}"  # of a repository on GitHub
_HOST = r"(?:[A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\])"
_URL = re.compile(rf"(https|ssh|git|file)://(?:([^/@\s]*)@)?({_HOST})?(?::\d{{1,5}})?(/\S.*)?", re.ASCII)
_SSH = re.compile(rf"(?:[A-Za-z0-9][\w.-]*@)?{_HOST}:(?!//)[^\s:-].*", re.ASCII)
# In the clear only within this machine, as for the API.
_SERVER = (
    rf"https://{_HOST}(?::\d{{1,5}})?|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{{1,5}})?|file:///\S*"
)
# A server may lead from one to another of a row, as the user's `url.*.insteadOf` may.
_SPOKEN = {"https": "https:ssh", "ssh": "https:ssh", "git": "git:https:ssh", "file": "file"}
_MISSING = re.compile(r"not found|does not exist|does not appear to be a git repository", re.IGNORECASE)
_GONE = re.compile(r"not our ref|unadvertised object", re.IGNORECASE)
_CLOSED = re.compile(
    r"permission denied|authentication failed|could not read (username|password)|access denied|"
    r"host key verification failed|error: 40[13]|dubious ownership",
    re.IGNORECASE,
)
_HEADS = "refs/heads/"
_STUDENT = "student"  # what the remote is called in its repository


class AddressError(Refused):
    """No address that is fetched from; the text quotes it and says which are."""


class FetchError(Exception):
    """It could not be fetched, in words on one line."""


class Interrupted(Exception):
    """Nobody waits for it any more."""


class CommitGone(FetchError):
    """The repository no longer has a commit, as after a force push and a long time."""


class NoRepository(FetchError):
    """There is no repository, or nobody is told that there is one."""


@dataclass(frozen=True)
class Remote:
    """Where a student's repository is; `token` is for GitHub's own address only."""

    address: str
    protocol: str
    on_github: bool = False
    token: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """The address for people."""
        return without_credentials(self.address)

    def called(self, name: str) -> Remote:
        """The same GitHub's repository of that name, `owner/name`."""
        server = self.address.rsplit("/", 2)[0]
        return replace(self, address=f"{server}/{name}.git")

    @property
    def environment(self) -> dict[str, str]:
        """What its processes are started with."""
        known = environment() if not self.on_github else _without_settings(environment())
        pairs = [(f"remote.{_STUDENT}.url", self.address), *_SETTINGS]
        if self.on_github:
            pairs.append(("http.followRedirects", "false"))
        if self.token and self.protocol != "file":
            secret = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
            server = "/".join(self.address.split("/")[:3])
            pairs.append((f"http.{server}/.extraHeader", f"Authorization: Basic {secret}"))
        spoken = self.protocol if self.on_github else _SPOKEN[self.protocol]
        return known | settings(pairs, known) | {"GIT_ALLOW_PROTOCOL": spoken} | _NO_QUESTIONS


_SETTINGS = [
    ("protocol.version", "2"),
    ("core.hooksPath", os.devnull),
    ("transfer.fsckObjects", "true"),
    ("fetch.fsckObjects", "true"),
    ("fetch.unpackLimit", "1"),  # one pack, whose size is watched
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("transfer.bundleURI", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("credential.interactive", "false"),
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
    """The same where nobody has settings, on the disk or in the environment."""
    kept = {k: v for k, v in known.items() if not k.startswith(("GIT_", "SSH_ASKPASS"))}
    certificates = {k: v for k, v in known.items() if k.startswith(("GIT_SSL_", "GIT_EXEC_PATH"))}
    return kept | certificates | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


# --- Addresses


def read_address(text: str) -> Remote:
    """The address of a plain remote, or a folder by a path that begins with `/`, `./`, `../` or `~`.

    Raises AddressError.
    """
    shown = without_credentials(text)
    if not text.isprintable() or "::" in text.partition("/")[0] or text != text.strip():
        raise AddressError(f"{shown!r}: this is no address that is fetched from; {_WANTED}")
    if re.match(r"[a-z]+://[^/@\s]*:[^/@\s]*@", text):
        raise AddressError(
            f"{shown}: there is a password in this address, which others would read; take it out, and let git's "
            "own helper for passwords know it"
        )
    if (url := _URL.fullmatch(text)) and (url[1] == "file") == (url[3] is None) and url[4]:
        return Remote(text, url[1])
    if re.match(r"\.{0,2}/|~", text):
        return Remote(str(absolute(Path(text).expanduser())), "file")
    if _SSH.fullmatch(text):
        return Remote(text, "ssh")
    raise AddressError(f"{shown!r}: this is no address that is fetched from; {_WANTED}")


_WANTED = "write https://..., ssh://..., git@host:path, git://..., file:///... or the path of a folder"


def on_github(name: str, server: str, token: str) -> Remote:
    """A repository of GitHub's by `owner/name`; `server` is the address of its pages. Raises AddressError."""
    if not re.fullmatch(NAME, name, re.ASCII):
        raise AddressError(f"{name!r}: this names no repository on GitHub; write owner/name")
    if not re.fullmatch(_SERVER, server.rstrip("/"), re.ASCII):
        raise AddressError(f"GITHUB_SERVER_URL is {server!r}, which is no https address; mend the variable")
    protocol = server.partition(":")[0]
    return Remote(f"{server.rstrip('/')}/{name}.git", protocol, on_github=True, token=token)


# --- What is there


@dataclass(frozen=True)
class Head:
    """The newest commit of a remote's branch; `note` says why it is not the one that the remote names.

    `others` are the branches that stand elsewhere.
    """

    branch: str
    commit: str
    note: str = ""
    others: tuple[str, ...] = ()


class Fetcher:
    """Fetches into a folder that is ours, until `ended` is set. Every method raises FetchError, Refused."""

    def __init__(self, folder: Path, ended: threading.Event) -> None:
        self.folder, self.ended = folder, ended

    def head(self, remote: Remote) -> Head | None:
        """The branch that a remote names, or else its only one; None where it is empty."""
        done = self._run(remote, ["ls-remote", "--symref", _STUDENT, "HEAD", "refs/heads/*"], self.folder)
        named, tips = "", dict[str, str]()
        for line in done.out.decode(errors="replace").split("\n"):
            told, _, name = line.partition("\t")
            if told.startswith("ref: ") and name == "HEAD":
                named = told.removeprefix("ref: ")
            elif is_hash(told):
                tips[name] = told
        tip = tips.pop("HEAD", None) or tips.get(named)
        if tip is not None:
            others = (name for name, sha in sorted(tips.items()) if sha != tip)
            return Head(
                named.removeprefix(_HEADS), tip, others=tuple(name.removeprefix(_HEADS) for name in others)
            )
        return _only_one(tips)

    def commit(self, remote: Remote, commit: str, largest: int) -> AbstractContextManager[Objects]:
        """Fetch the files of one commit."""
        return self.commits(remote, [commit], largest)

    @contextlib.contextmanager
    def commits(self, remote: Remote, commits: Sequence[str], largest: int) -> Iterator[Objects]:
        """Fetch the files of commits, of which those of at most `largest` bytes are there."""
        limit = f"--filter=blob:limit={largest + 1}"
        with self._fetched(remote, commits, "--depth=1", limit) as objects:
            yield objects

    @contextlib.contextmanager
    def folders(self, remote: Remote, commits: Sequence[str]) -> Iterator[Objects]:
        """Fetch the folders of commits, where the server can without the files in them."""
        with self._fetched(remote, commits, "--depth=1", "--filter=blob:none") as objects:
            yield objects

    @contextlib.contextmanager
    def history(self, remote: Remote, commit: str) -> Iterator[Objects]:
        """A commit and all before it, where the server can without their files."""
        with self._fetched(remote, [commit], "--filter=tree:0") as objects:
            yield objects

    @contextlib.contextmanager
    def _fetched(self, remote: Remote, commits: Sequence[str], *how: str) -> Iterator[Objects]:
        for commit in commits:
            if not is_hash(commit):
                raise FetchError(f"{commit!r} is no commit")
        place = Path(tempfile.mkdtemp(suffix=".git", dir=self.folder))
        try:
            self._fetch(remote, commits, how, place)
            with Objects(place, _without_settings(environment()) | _NOTHING_SPOKEN) as objects:
                yield objects
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _fetch(self, remote: Remote, commits: Sequence[str], how: tuple[str, ...], place: Path) -> None:
        format_ = "sha256" if len(commits[0]) == 64 else "sha1"
        self._run(remote, ["init", "-q", "--bare", "--template=", f"--object-format={format_}"], place)
        config = (place / "config").read_bytes()
        words = ["fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"]
        if remote.protocol == "file":  # a folder's own settings may not know what can be asked of it
            words.append(
                "--upload-pack=git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack"
            )
        self._run(remote, [*words, "--no-write-fetch-head", *how, _STUDENT, *commits], place)
        (place / "config").write_bytes(config)  # what was left out is missing now, not promised

    def _run(self, remote: Remote, words: list[str], folder: Path) -> Done:
        known = remote.environment | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        try:
            done = run(
                words,
                folder=folder,
                environment=known,
                seconds=SECONDS,
                ended=self.ended,
                too_much=lambda: _taken(folder) > ROOM,
            )
        except CutShort as error:
            if self.ended.is_set():
                raise Interrupted from error
            raise FetchError(f"{remote.shown}: {error}") from error
        if done.code:
            raise _trouble(remote, done.said)
        return done


def _only_one(tips: dict[str, str]) -> Head | None:
    if not tips:
        return None
    names = [name.removeprefix("refs/heads/") for name in tips]
    if len(tips) == 1:
        note = f"the repository's default branch is not there; its only one, {names[0]}, was taken"
        return Head(names[0], next(iter(tips.values())), note)
    raise NoRepository(
        f"the repository's default branch is not there; it has {', '.join(sorted(names)[:5])}"
        f"{' and others' if len(names) > 5 else ''}"
    )


def _taken(folder: Path) -> int:
    """Bytes of the packs of a repository, of which one may be coming in."""
    with contextlib.suppress(OSError), os.scandir(folder / "objects" / "pack") as entries:
        return sum(entry.stat().st_size for entry in entries)
    return 0


def _trouble(remote: Remote, said: str) -> FetchError:
    told = in_words(said, remote.address)
    told = told[:MOST_SHOWN].rstrip(". ") or "git says nothing more"
    if _GONE.search(said):
        return CommitGone(f"{remote.shown}: the commit is no longer there (git: {told})")
    if _CLOSED.search(said):
        return FetchError(f"{remote.shown}: no access (git: {told})")
    if _MISSING.search(said):
        return NoRepository(f"{remote.shown}: there is no such repository, or it is not shown to you")
    return FetchError(f"{remote.shown}: cannot be fetched (git: {told})")

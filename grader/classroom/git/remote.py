"""Students' git repositories: their addresses, and fetching commits without a checkout.

Nothing of a repository is executed: no hook, no filter, no submodule, no link. Each is fetched into a bare
repository of its own, which objects.py alone reads. Rules for every process:

    protocols                only that of the address (GIT_ALLOW_PROTOCOL); no `ext::` or other helper
    hooks                    none: the repository is made without a template, and core.hooksPath is /dev/null
    fetched objects          given commits; no tag, no submodule, no file above a size where the server can
                             leave it out; nothing later on demand (GIT_NO_LAZY_FETCH)
    checks                   git checks every fetched object (transfer.fsckObjects)
    time, disk, output       limited
    questions                none; there is no terminal

A repository is fetched with the token and without the user's git settings, as the API is read without them too. The
token is a header for GitHub's own address in the process's environment, and redirects are not followed.
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

from grader.classroom.git.objects import Objects, is_hash
from grader.classroom.git.process import (
    Cause,
    GitError,
    ProcessResult,
    environment,
    in_words,
    run,
    settings,
)
from grader.errors import Refused

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

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
    """The address of a repository on GitHub; `token` is for this server alone."""

    address: str
    protocol: str
    token: str = field(default="", repr=False)

    def called(self, name: str) -> Remote:
        """Return the repository `owner/name` on the same server."""
        server = self.address.rsplit("/", 2)[0]
        return replace(self, address=f"{server}/{name}.git")

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every process of git that fetches from it."""
        known = _without_settings(environment())
        pairs = [(f"remote.{_STUDENT}.url", self.address), *_SETTINGS]
        if self.token and self.protocol != "file":
            pairs.append(token_setting(self.address, self.token))
        return known | settings(pairs, known) | {"GIT_ALLOW_PROTOCOL": self.protocol} | _NO_QUESTIONS


def token_setting(address: str, token: str) -> tuple[str, str]:
    """Return the setting of git that sends a token to the server of an address, and to no other."""
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
    """Return the variables without git settings, those of files and those of the environment."""
    kept = {k: v for k, v in known.items() if not k.startswith(("GIT_", "SSH_ASKPASS"))}
    certificates = {k: v for k, v in known.items() if k.startswith(("GIT_SSL_", "GIT_EXEC_PATH"))}
    return kept | certificates | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


# --- Addresses


def on_github(name: str, server: str, token: str) -> Remote:
    """Return the repository `owner/name` on GitHub, whose web pages are at `server`. Raises Refused."""
    if not re.fullmatch(NAME, name, re.ASCII):
        raise Refused(f"{name!r}: not a repository on GitHub; write owner/name")
    if not re.fullmatch(_SERVER, server.rstrip("/"), re.ASCII):
        raise Refused(f"GITHUB_SERVER_URL is {server!r}, which is not an https address; correct the variable")
    protocol = server.partition(":")[0]
    return Remote(f"{server.rstrip('/')}/{name}.git", protocol, token=token)


# --- Fetching


class Fetcher:
    """Fetches into a folder of ours.

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
        # Git then treats objects that were left out as missing, and never fetches them.
        (place / "config").write_bytes(config)

    def _run(self, remote: Remote, words: list[str], folder: Path) -> ProcessResult:
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
        except GitError as error:
            raise GitError(f"{remote.address}: {error}") from error
        if done.code:
            raise _error(remote, done.said)
        return done


def _taken(folder: Path) -> int:
    """Return the bytes of the packs of a repository, incoming ones included."""
    with contextlib.suppress(OSError), os.scandir(folder / "objects" / "pack") as entries:
        return sum(entry.stat().st_size for entry in entries)
    return 0


def _error(remote: Remote, said: str) -> GitError:
    """Return the error for git's message."""
    message = in_words(said, remote.address)[:MOST_SHOWN].rstrip(". ") or "git says nothing more"
    cause: Cause = ""
    if _GONE.search(said):
        cause, what = "no commit", f"the commit no longer exists (git: {message})"
    elif _CLOSED.search(said):
        what = f"no access (git: {message})"
    elif _MISSING.search(said):
        cause, what = "no repository", "there is no such repository, or you cannot see it"
    else:
        what = f"cannot be fetched (git: {message})"
    return GitError(f"{remote.address}: {what}", cause)

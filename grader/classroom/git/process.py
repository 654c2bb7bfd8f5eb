"""Processes of git: environment and settings, limits of time and output, error messages.

release/push.py runs git as the user, who may have to enter a password. remote.py runs several processes at once on
students' repositories, within limits.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from concurrent.futures import CancelledError
from typing import IO, TYPE_CHECKING, Literal

from grader.errors import Refused

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

NOT_INSTALLED = "git is not installed, or not on the PATH; install it and try again"
OLDEST = (2, 31)  # reads settings from the environment; an older git would ignore them
MOST_SAID = 1 << 20  # bytes that git may print
_MOMENT = 0.05  # seconds between two inspections of a process
_CREDENTIALS = re.compile(r"(?<!ssh://)(?<=://)[^/\s]*@")
# Variables that would point git to another repository.
_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)


Cause = Literal["", "no repository", "no commit", "broken", "absent", "too large", "long name"]


class GitError(Exception):
    """Git could not fetch a repository, or could not read a fetched one; the message is one line.

    `cause` is for callers: "no repository" and "no commit" for a remote; "absent" (not fetched), "too large", "long name"
    (longer than any file system allows) and "broken" for a fetched object; "" for all others.
    """

    def __init__(self, why: str, cause: Cause = "") -> None:
        super().__init__(why)
        self.cause = cause


# --- Environment, settings and messages


def environment() -> dict[str, str]:
    """Return this process's variables without those that name another repository; git prints English."""
    return {k: v for k, v in os.environ.items() if k not in _ELSEWHERE} | {"LC_ALL": "C"}


def settings(pairs: Sequence[tuple[str, str]], environment: Mapping[str, str]) -> dict[str, str]:
    """Return settings as variables, so that no command line and no file shows them; `environment` may hold others."""
    count = environment.get("GIT_CONFIG_COUNT", "")
    first = int(count) if re.fullmatch(r"\d{1,4}", count, re.ASCII) else 0
    names = {"GIT_CONFIG_COUNT": str(first + len(pairs))}
    for number, (key, value) in enumerate(pairs, start=first):
        names |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return names


def without_credentials(text: str) -> str:
    """Remove the user name and the password from every address in a text."""
    return _CREDENTIALS.sub("", text)


def in_words(text: str, secret: str = "") -> str:
    """Return git's message on one line, without the user name and password of the address `secret`."""
    text = without_credentials(" ".join(text.split()))
    address = secret.partition("://")[2].partition("/")[0]
    for part in re.split(r"[:@]", address.rpartition("@")[0]):
        text = text.replace(part, "***") if len(part) > 3 else text
    return text


# --- Processes within limits


def refuse_old_git() -> None:
    """Raise Refused if git is not installed, or is too old for settings in the environment."""
    try:
        version = subprocess.run(
            ["git", "version"], capture_output=True, text=True, errors="replace", check=False
        ).stdout
    except OSError as error:
        raise Refused(NOT_INSTALLED) from error
    found = re.search(r"(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        here = " ".join(version.split()[:3]) or "unknown"
        raise Refused(f"git is too old here ({here}); install {OLDEST[0]}.{OLDEST[1]} or later")


def run(
    words: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    ended: threading.Event,
    too_much: Callable[[], bool] = lambda: False,
) -> tuple[int, str]:
    """Run git without a terminal and without input; return the exit code and the output.

    When a limit is reached, stops git and its children, and raises GitError: after `seconds`, when `too_much` returns
    True, or for too much output. Raises CancelledError as soon as `ended` is set.
    """
    with tempfile.TemporaryFile() as said:
        process = start(words, folder=folder, environment=environment, out=said, said=subprocess.STDOUT)
        try:
            _wait(process, seconds, ended, lambda: too_much() or os.fstat(said.fileno()).st_size > MOST_SAID)
        finally:
            end(process)
        said.seek(0)
        return process.returncode, said.read().decode(errors="replace")


def start(
    words: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    out: IO[bytes] | int,
    said: IO[bytes] | int,
    asked: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start git in a session of its own, without a terminal to ask questions. Raises Refused."""
    try:
        return subprocess.Popen(
            ["git", *words],
            cwd=folder,
            env=dict(environment),
            stdin=asked,
            stdout=out,
            stderr=said,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise Refused(NOT_INSTALLED) from error


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children, if it still runs."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _wait(
    process: subprocess.Popen[bytes], seconds: float, ended: threading.Event, too_much: Callable[[], bool]
) -> None:
    last = time.monotonic() + seconds
    while True:
        try:
            process.wait(_MOMENT)
        except subprocess.TimeoutExpired:
            if ended.is_set():
                raise CancelledError from None
            if time.monotonic() > last:
                raise GitError(f"not finished after {seconds:.0f} seconds") from None
            if too_much():
                raise GitError("it sent more data than allowed") from None
        else:
            return

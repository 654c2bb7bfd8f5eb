"""Git as it is started here: with which environment, for how long, with how much room, and how its words are told.

push.py starts it as whoever types the command, who may be asked for a password; remote.py starts many at
once, for strangers' repositories, within limits.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from grader.errors import Refused

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

NOT_INSTALLED = "git is not installed, or not on the PATH; install it and try again"
OLDEST = (2, 31)  # knows settings in the environment; an older one would pass over them
MOST_SAID = 1 << 20  # bytes that git may print
_MOMENT = 0.05  # seconds between two looks at a process
_CREDENTIALS = re.compile(r"(?<!ssh://)(?<=://)[^/\s]*@")
# What would lead git to another repository than that of the folder.
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


class CutShort(Exception):
    """A process that was ended before it was done: out of time, out of room, or because nobody waits for it."""


# --- What it is told, and what it tells


def environment() -> dict[str, str]:
    """The variables of this process but those that lead git to another repository; its words are English."""
    return {k: v for k, v in os.environ.items() if k not in _ELSEWHERE} | {"LC_ALL": "C"}


def settings(pairs: Sequence[tuple[str, str]], known: Mapping[str, str]) -> dict[str, str]:
    """Settings as an environment, which stand in no command line and in no file; `known` may hold others."""
    told = known.get("GIT_CONFIG_COUNT", "")
    first = int(told) if re.fullmatch(r"\d{1,4}", told, re.ASCII) else 0
    names = {"GIT_CONFIG_COUNT": str(first + len(pairs))}
    for number, (key, value) in enumerate(pairs, start=first):
        names |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return names


def without_credentials(text: str) -> str:
    """The text without the name and the password that an address may hold."""
    return _CREDENTIALS.sub("", text)


def in_words(text: str, secret: str = "") -> str:
    """Git's words on one line, without what the address `secret` holds before the `@`."""
    text = without_credentials(" ".join(text.split()))
    address = secret.partition("://")[2].partition("/")[0]
    for part in re.split(r"[:@]", address.rpartition("@")[0]):
        text = text.replace(part, "***") if len(part) > 3 else text
    return text


# --- Processes within limits


@dataclass(frozen=True)
class Done:
    """What a process left: its exit code, and what it printed."""

    code: int
    out: bytes
    said: str


def refuse_old_git() -> None:
    """Raises Refused where git is not there, or too old to be told what it is told here."""
    try:
        told = subprocess.run(
            ["git", "version"], capture_output=True, text=True, errors="replace", check=False
        ).stdout
    except OSError as error:
        raise Refused(NOT_INSTALLED) from error
    found = re.search(r"(\d+)\.(\d+)", told)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        here = " ".join(told.split()[:3]) or "unknown"
        raise Refused(f"git is too old here ({here}); install {OLDEST[0]}.{OLDEST[1]} or later")


def run(
    words: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    ended: threading.Event,
    too_much: Callable[[], bool] = lambda: False,
) -> Done:
    """Run git without a terminal and without input.

    Raises CutShort after so many seconds, where `too_much` says so, where it prints without an end, and
    as soon as `ended` is set. Nothing that it started goes on then.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = start(words, folder=folder, environment=environment, out=out, said=said)
        try:
            _wait(process, seconds, ended, lambda: too_much() or _size(out) + _size(said) > MOST_SAID)
        finally:
            end(process)
        out.seek(0)
        said.seek(0)
        return Done(process.returncode, out.read(), said.read().decode(errors="replace"))


def start(
    words: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    out: IO[bytes] | int,
    said: IO[bytes] | int,
    asked: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Git in a session of its own, where it finds no terminal to ask at. Raises Refused."""
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
    """End it and what it started, if it still runs."""
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
                raise CutShort("interrupted") from None
            if time.monotonic() > last:
                raise CutShort(f"no end after {seconds:.0f} seconds") from None
            if too_much():
                raise CutShort("it sends more than there is room for") from None
        else:
            return


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size

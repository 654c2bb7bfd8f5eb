"""A student's own program, outside of any jail, exchanges a folder and a link while the grader reads.

argv: where the folders are, and how often it is read.
Prints as JSON how often each reader got the student's own file, somebody else's, or refused.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

EXCHANGE = 2  # renameat2(2)
MINE, THEIRS = b"x = 'mine'\n", b"x = 'theirs'\n"


def prepare(top: Path) -> None:
    """Make the student's folder `mine` and a link to another student's folder, both in the student's repository."""
    for name, data in (("repository/mine", MINE), ("else", THEIRS)):
        (top / name).mkdir(parents=True)
        (top / name / "vault.py").write_bytes(data)
        (top / name / ("here" if data == MINE else "there")).touch()
    (top / "repository/.git").mkdir()
    (top / "repository/link").symlink_to(top / "else")


def exchange(top: Path) -> int:
    """Start the student's program; return its process number."""
    if number := os.fork():
        return number
    names = [os.fsencode(top / "repository" / name) for name in ("mine", "link")]
    libc = ctypes.CDLL(None)
    while os.getppid() != 1:
        libc.renameat2(-100, names[0], -100, names[1], EXCHANGE)
    os._exit(0)


def readers(top: Path) -> dict[str, Callable[[], bytes]]:
    """Each gives what it was given to read; b"" where it refused."""
    from grader.submissions.submission import SubmissionError, read_submission
    from grader.submissions.tree import Folder

    folder = Folder(top / "repository")

    def one_file() -> bytes:
        try:
            return read_submission(top / "repository/mine/vault.py").blocks[0].source.encode()
        except SubmissionError:
            return b""

    def of_a_class() -> bytes:
        try:
            return folder.read("mine/vault.py")
        except SubmissionError:
            return b""

    def listed() -> bytes:
        names = {entry.name for entry in folder.list("mine")}
        return THEIRS if "there" in names else MINE if names else b""

    return {"one file": one_file, "of a class": of_a_class, "listed": listed}


def main() -> None:
    top, times = Path(sys.argv[1]), int(sys.argv[2])
    told = {name: Counter[str]() for name in readers(top)}
    student = exchange(top)
    try:
        for _ in range(times):
            for name, read in readers(top).items():
                told[name][{MINE.strip(): "mine", b"": "refused"}.get(read().strip(), "theirs")] += 1
    finally:
        os.kill(student, signal.SIGKILL)
        os.wait()
    print(json.dumps(told))


if __name__ == "__main__":
    main()

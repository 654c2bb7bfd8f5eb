"""The two errors that a user sees instead of a traceback, and helpers for messages.

The tree of all exceptions, with the modules that define the others:

    Exception
    |-- Refused                    wrong usage or an unusable file: exit code 2 (errors.py)
    |   |-- SubmissionError        a submitted file cannot be used (submissions/submission.py)
    |   |-- RequestFailed          one request to GitHub failed (classroom/github/failures.py)
    |   `-- GitHubUnavailable      no request would succeed now (classroom/github/failures.py)
    |-- Broken                     a fault of the course or of the grader: exit code 3 (errors.py)
    |   `-- SandboxUnavailable     the jail could not be started (sandbox/errors.py)
    |-- StudentError               student code raised an exception (sandbox/errors.py)
    |-- Undefined                  the submission does not define a name (sandbox/errors.py)
    |-- SubmissionStopped          the jail was ended because of the submission (sandbox/errors.py)
    |-- Unanswered                 an answer is still a blank (sandbox/student.py)
    |-- NotLookedAt                a letter that the hidden checks judge (grading/answers.py)
    |-- Unavailable                a check needs something that is not installed (topic.py)
    |-- OutOfTime                  the time for explanations is used up (sandbox/budget.py)
    |-- GitError                   git could not fetch or read a repository (classroom/git/process.py)
    |-- NotGraded                  one submission could not be graded (grading/workers.py)
    |-- NotCarried                 a foreign test that cannot be one of ours (authoring/conversion.py)
    |-- NothingTaken               no work is taken from a repository (classroom/collect/pushes.py)
    |-- ValueError
    |   `-- OldFormat              a notebook in an old format (submissions/notebook.py)
    |-- OSError
    |   `-- NotPlain               a link, a folder, a pipe or a too large file (files.py)
    `-- AssertionError
        `-- WrongAnswer            a wrong answer (grading/answers.py)
    BaseException
    |-- Late                       code ran past its deadline in a page (site/here.py)
    `-- OtherRequest               a request that differs from the answered one (sandbox/replay.py)
"""

import errno
import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
FULL_DISK = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
}  # the disk, the user's quota, or the file size is exhausted
SHORTEST_PART = 3  # letters; shorter parts occur in many names


class Refused(Exception):
    """Wrong usage or an unusable file; exit code 2. The text names the offender, the location and the remedy."""


class Broken(Exception):
    """A fault of the course's files or of the grader, which never costs a student points; exit code 3."""


def nearest(name: str, names: list[str]) -> str:
    """Return ` (did you mean `x`?)` with the nearest name, else one that contains `name`; empty if there is none.

    >>> nearest("dobule", ["box", "double"])
    ' (did you mean `double`?)'
    """
    import difflib

    close = difflib.get_close_matches(name, names, n=1)
    if not close and len(name) >= SHORTEST_PART:
        close = [whole for whole in names if name.lower() in whole]
    return f" (did you mean `{close[0]}`?)" if close else ""


def to_install(extra: str) -> str:
    """Return the command that adds an extra to the running Backgrade, without fetching another one."""
    return f"`{sys.executable} -m pip install 'backgrade[{extra}]'`"


def reason_of(error: OSError) -> str:
    """Return the reason of a failed write in words, with the remedy for a full disk."""
    if error.errno in FULL_DISK:
        return "the disk is full; make room and try again"
    return error.strerror or str(error)


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first `most` names and the number of the others.

    >>> first_of(["ada", "grace", "alan"], 2)
    'ada, grace and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def retry(
    work: Callable[[int], T],
    on: type[E],
    pause: Callable[[E, int], float | None],
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Call `work` until it returns; it gets the number of the try, from 0.

    After an exception of the class `on` and the number of its try, `pause` returns the seconds to wait before the
    next one. None raises the exception.
    """
    number = 0
    while True:
        try:
            return work(number)
        except on as error:
            if (seconds := pause(error, number)) is None:
                raise
        if seconds:
            sleep(seconds)
        number += 1

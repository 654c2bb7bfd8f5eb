"""What Classroom 50's runner starts in a student's checkout: it installs Backgrade elsewhere and has it grade.

`grade release --classroom50` writes this file, with the day filled in; the next release overwrites it.

The runner starts it with the checkout as current folder and this bundle as the file's own. Of the checkout
nothing is executed, imported or read but the submission. Standard library only, and in the syntax of
Python 3.9, so that an old Python reads a sentence and not a SyntaxError.

It exits with 0 for whatever is graded, a missing or broken submission included, and with another code where
the grading itself failed. From that the runner makes the status `error` and publishes no result, so that
the grader's own fault is nobody's zero.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

DAY = "@DAY@"
OLDEST = (3, 11)
UNGRADABLE = 3
HERE = Path(__file__).resolve().parent


class Fault(Exception):
    """Why it could not be graded, for the instructor."""


def main() -> int:
    """Install and grade; gives the exit code."""
    if sys.version_info < OLDEST:
        return give_up(
            f"Backgrade needs Python {OLDEST[0]}.{OLDEST[1]} or later, and this is "
            f"{sys.version_info[0]}.{sys.version_info[1]}; set `python` in the assignment's runtime"
        )
    if not sys.flags.isolated:  # no variable of Python's, no site folder of a user's has a say in it
        return subprocess.call([sys.executable, "-I", str(HERE / Path(__file__).name)])  # noqa: S603  our own interpreter
    checkout = Path.cwd().resolve()
    try:
        temporary = os.environ.get("RUNNER_TEMP") or None
        with tempfile.TemporaryDirectory(prefix="backgrade-", dir=temporary) as folder:
            if checkout in Path(folder).resolve().parents:
                raise Fault("the folder for temporary files lies in the student's checkout; set RUNNER_TEMP")
            return grade(install(Path(folder)), checkout, folder)
    except (Fault, OSError) as error:
        return give_up(str(error))


def install(folder: Path) -> Path:
    """Make a virtual environment there that has what requirements.txt names; gives its interpreter."""
    run("a virtual environment could not be made", HERE, sys.executable, "-I", "-m", "venv", folder / "venv")
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    wanted = HERE / "requirements.txt"
    run("Backgrade could not be installed", HERE, python, "-I", "-m", "pip", "install", *quiet, "-r", wanted)
    return python


def grade(python: Path, checkout: Path, folder: str) -> int:
    """Grade with the bundle's checks; it writes what the runner reads into the checkout."""
    what = ("-I", "-m", "grader.classroom.classroom50", HERE / "course", DAY, checkout)
    run("the submission could not be graded", Path(folder), python, *what)
    return 0


def run(what_failed: str, folder: Path, *command: str | Path) -> None:
    """Run a command in a folder that is not the student's. Raises Fault."""
    code = subprocess.call(  # noqa: S603  our own interpreter
        [str(word) for word in command], cwd=str(folder), stdin=subprocess.DEVNULL
    )
    if code:
        raise Fault(f"{what_failed} (exit code {code}); the lines above say more")


def give_up(why: str) -> int:
    """Say what is wrong; no word of a student's is in it."""
    sys.stdout.flush()
    sys.stderr.write(f"autograder.py: {' '.join(why.split())}. This is not the student's fault.\n")
    return UNGRADABLE


if __name__ == "__main__":
    sys.exit(main())

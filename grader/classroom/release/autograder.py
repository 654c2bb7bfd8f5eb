"""The script that Classroom 50's runner starts: it installs Backgrade outside the checkout and grades.

`grade release --classroom50` writes this file, with the day filled in; the next release overwrites it.

The current folder is the student's checkout, and this file is in the bundle. Nothing of the checkout is
executed, imported or read except the submission. The script needs only the standard library, and has the
syntax of Python 3.9, so that an older Python prints a message instead of a SyntaxError.

It exits with 0 for every grading, even of a missing or broken submission, and with another code if the
grading itself failed. The runner then sets the status `error` and publishes no result, so that a fault of the
grader costs no student points.
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


def main() -> int:
    """Install and grade; returns the exit code."""
    if sys.version_info < OLDEST:
        return _give_up(
            f"Backgrade needs Python {OLDEST[0]}.{OLDEST[1]} or later, and this is "
            f"{sys.version_info[0]}.{sys.version_info[1]}; set `python` in the assignment's runtime"
        )
    if not sys.flags.isolated:  # start again without PYTHON variables and user site folders
        return subprocess.call([sys.executable, "-I", str(HERE / Path(__file__).name)])  # noqa: S603  our own interpreter
    checkout = Path.cwd().resolve()
    try:
        temporary = os.environ.get("RUNNER_TEMP") or None
        with tempfile.TemporaryDirectory(prefix="backgrade-", dir=temporary) as folder:
            if checkout in Path(folder).resolve().parents:
                raise RuntimeError(
                    "the folder for temporary files is in the student's checkout; set RUNNER_TEMP to a folder elsewhere"
                )
            return _grade_bundle(_install(Path(folder)), checkout, folder)
    except (RuntimeError, OSError) as error:
        return _give_up(str(error))


def _install(folder: Path) -> Path:
    """Make a virtual environment with the packages of requirements.txt; returns its interpreter."""
    _run(
        "a virtual environment could not be created",
        HERE,
        sys.executable,
        "-I",
        "-m",
        "venv",
        folder / "venv",
    )
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    wanted = HERE / "requirements.txt"
    _run("Backgrade could not be installed", HERE, python, "-I", "-m", "pip", "install", *quiet, "-r", wanted)
    return python


def _grade_bundle(python: Path, checkout: Path, folder: str) -> int:
    """Grade with the bundle's checks, and write the runner's files into the checkout."""
    what = ("-I", "-m", "grader.classroom.runners", "classroom50", HERE / "course", DAY, checkout)
    _run("the submission could not be graded", Path(folder), python, *what)
    return 0


def _run(what_failed: str, folder: Path, *command: str | Path) -> None:
    """Run a command in a folder outside of the checkout. Raises RuntimeError."""
    code = subprocess.call(  # noqa: S603  our own interpreter
        [str(word) for word in command], cwd=str(folder), stdin=subprocess.DEVNULL
    )
    if code:
        raise RuntimeError(f"{what_failed} (exit code {code}); the lines above say more")


def _give_up(why: str) -> int:
    """Print the reason, which holds no text by the student; return the exit code."""
    sys.stdout.flush()
    sys.stderr.write(f"autograder.py: {' '.join(why.split())}. This is not the student's fault.\n")
    return UNGRADABLE


if __name__ == "__main__":
    sys.exit(main())

"""The course is sound: every rule of `grade validate`, with live torch and a real kernel."""

import subprocess

import pytest
from helpers import COURSE, GRADE

from grader.assignment import Course


@pytest.mark.ci
def test_sound() -> None:
    """`grade validate` finds no problem in any assignment; one command starts Python and torch once."""
    pytest.importorskip("torch")
    done = subprocess.run([GRADE, "validate"], cwd=COURSE, capture_output=True, text=True, check=False)
    found = [line for line in done.stdout.splitlines() if not line.startswith("  ")]  # without details
    assert found == [f"{day}  sound" for day in Course.find(COURSE).names], done.stdout + done.stderr
    assert done.returncode == 0

"""The course is sound: every rule of `grade validate`, with live torch and a real kernel."""

import subprocess

import pytest
from helpers import COURSE, GRADE

from grader.assignment import Course


@pytest.mark.slow
@pytest.mark.parametrize("day", Course.find(COURSE).names)
def test_sound(day: str) -> None:
    """`grade validate` finds no problem."""
    pytest.importorskip("torch")
    done = subprocess.run([GRADE, "validate", day], cwd=COURSE, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [day, "sound"], done.stdout + done.stderr
    assert done.returncode == 0

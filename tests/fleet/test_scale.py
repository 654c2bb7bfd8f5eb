"""A class whose workers and commands are killed ends with the results of an undisturbed run."""

import os
import subprocess
import sys

import pytest
from helpers import COURSE

SCALE = COURSE / "bench" / "scale.py"


@pytest.mark.whole
@pytest.mark.skipif(os.name == "nt", reason="needs the signals of POSIX")
def test_kills_change_no_result():
    """Row for row but for times, each submission graded once, with no process left of a killed command."""
    command = [sys.executable, SCALE, "--sizes", "10", "--jobs", "2", "--kill", "3", "--seed", "4"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("10 submissions, 2 workers, killed: ")
    assert "0 rows differ, 0 graded twice" in ran.stdout

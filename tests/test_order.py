"""The workers of pytest-xdist collect the same tests in the same order; else it does not begin."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = sorted({path.parent.name for path in ROOT.glob("tests/*/test_*.py")})
MANY = "escapes"  # has a fixture for the whole run with two parameters, which pytest sorts by


@pytest.mark.ci
@pytest.mark.parametrize(
    "folder",
    [pytest.param(name, marks=pytest.mark.ci if name == MANY else pytest.mark.whole) for name in FOLDERS],
)
def test_two_workers_collect_a_folder_in_the_same_order(folder):
    """The second worker collects from the end, and the hashes of texts differ."""
    first, second = [collecting(folder, number) for number in (0, 1)]

    tests, same = listed_by(first), listed_by(second)

    assert tests
    assert same == tests


def collecting(folder, number):
    """The process that lists the tests of a folder as a worker with this number does."""
    env = os.environ | {"PYTEST_XDIST_WORKER": f"gw{number}", "PYTHONHASHSEED": str(number + 1)}
    command = [sys.executable, "-m", "pytest", "-n0", "--collect-only", f"tests/{folder}"]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)


def listed_by(process):
    """The names of the tests in the order in which the process lists them."""
    return [line for line in process.communicate()[0].splitlines() if "::" in line]

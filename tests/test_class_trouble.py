"""What goes wrong at midnight: the wrong file, the wrong folder, a key too early; told in a line, and nothing lost."""

import signal
import subprocess
import time

import pytest
from helpers import GRADE, grade
from minicourse import change, put
from students import GOOD, course

from grader.store import Store

HANGS = GOOD.replace("return x + x", "while True: pass")
LONG = "a" * 300  # more than a disk gives a name


@pytest.fixture
def mini(tmp_path):
    """The course in `course`, and beside it the work of two students."""
    assignment = course(tmp_path / "course")
    put(tmp_path, "students/ada/mini.py", GOOD)
    put(tmp_path, "students/bob/mini.py", "x = 1\n")
    return assignment


def run(mini, *words):
    """A command in the course's folder, which never ends in a traceback."""
    ran = grade(*words, cwd=mini.course.root)
    assert "Traceback" not in ran.err
    return ran


def refused(mini, *words):
    """What is said of wrong usage."""
    ran = run(mini, *words)
    assert ran.code == 2, ran
    return ran.err


# --- Ctrl-C


def test_ctrl_c_while_somebody_never_ends(mini):
    """It says what is kept, also while a check's prints are being kept from the screen."""
    change(mini.course.root, "../students/bob/mini.py", "x = 1\n", HANGS)
    running = subprocess.Popen(
        [GRADE, "batch", "mini", "../students"], cwd=mini.course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    file = mini.course.root / "results.db"
    while not file.exists() or not kept(file):
        time.sleep(0.05)
    time.sleep(0.5)  # by then bob's turn has begun
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=30)
    assert (running.returncode, *told) == (130, "", "interrupted: 1 graded are kept in results.db; the same command goes on\n")


def kept(file):
    with Store(file) as store:
        return store.students("mini")


# --- The wrong file


def test_a_name_that_no_disk_takes(mini):
    """Typed, or made by a script: one line, as for every other wrong name."""
    assert f"{LONG}: cannot be used: File name too long; name a file in a folder of your own" in refused(mini, "report", "mini", "-r", LONG)
    assert "File name too long" in refused(mini, "batch", "mini", "../students", "-o", LONG)
    assert "File name too long" in refused(mini, "batch", "mini", LONG)


def test_a_gradebook_is_not_written_over_the_results(mini):
    """They are the record, and the two names stand side by side on the line."""
    run(mini, "batch", "mini", "../students")
    before = (mini.course.root / "results.db").read_bytes()
    told = refused(mini, "report", "mini", "--format", "csv", "--output", "results.db")
    assert told == "grade: results.db: this is a file of results, not one for a table; name another file after --output\n"
    assert (mini.course.root / "results.db").read_bytes() == before


def test_a_reason_that_is_no_text(mini):
    """Bytes of another encoding, pasted into a terminal."""
    run(mini, "batch", "mini", "../students")
    told = refused(mini, "override", "ada", "box", "5", "--why", "na\udcefve")
    assert "--why: it holds bytes that are no text in UTF-8; write it again" in told

"""Mistakes at midnight: the wrong file, the wrong folder, a key too early. One line says so, and nothing is lost."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from helpers import GRADE, PATIENCE, grade
from minicourse import change, put
from students import GOOD, by, course, told

from grader.gradebook.store import Store
from grader.submissions.work import HandedIn

HANGS = GOOD.replace("return x + x", "while True: pass")
LONG = "a" * 300  # more than a disk gives a name


@pytest.fixture
def mini(tmp_path):
    """The course in `course`, and beside it the work of two students."""
    assignment = course(tmp_path / "course")
    put(tmp_path, "students/ada/mini.py", GOOD)
    put(tmp_path, "students/bob/mini.py", "x = 1\n")
    return assignment


@pytest.fixture
def graded(graded_class, tmp_path):
    """The course, and the results of two students."""
    return graded_class.take(tmp_path / "course", "ada", "bob")


def run(mini, *words):
    """A command in the course's folder, which never ends in a traceback."""
    ran = grade(*words, cwd=mini.course.root)
    assert "Traceback" not in ran.err
    return ran


def refused(mini, *words):
    """The error for wrong usage."""
    ran = run(mini, *words)
    assert ran.code == 2, ran
    return ran.err


# --- Ctrl-C


@pytest.mark.ci
def test_ctrl_c_while_somebody_never_ends(mini, snapshot):
    """It says what is kept, also while a check's prints are being kept from the screen."""
    change(mini.course.root, "../students/bob/mini.py", "x = 1\n", HANGS)
    running = subprocess.Popen(
        [GRADE, "batch", "mini", "../students"],
        cwd=mini.course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    file = mini.course.root / "results.db"
    while not file.exists() or not kept(file):
        time.sleep(0.05)
    time.sleep(0.5)  # by then bob's turn has begun
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert out == ""
    assert without_notes(err) == snapshot


def without_notes(err):
    """The lines of the standard error without those about the record of requests, which this course lacks."""
    return [line for line in err.splitlines() if "replay.json is missing" not in line]


def kept(file):
    with Store(file) as store:
        return store.students("mini")


# --- The wrong file


@pytest.mark.ci
def test_a_name_that_no_disk_takes(mini, snapshot):
    """Typed, or made by a script: one line, as for every other wrong name."""
    assert refused(mini, "report", "mini", "-r", LONG) == snapshot
    assert "File name too long" in refused(mini, "batch", "mini", "../students", "-r", LONG)
    assert "File name too long" in refused(mini, "batch", "mini", LONG)


def test_a_gradebook_is_not_written_over_the_results(graded, snapshot):
    """They are the record, and the two names are side by side on the line."""
    before = (graded.course.root / "results.db").read_bytes()
    told = refused(graded, "report", "mini", "--format", "csv", "--output", "results.db")
    assert told == snapshot
    assert (graded.course.root / "results.db").read_bytes() == before


@pytest.mark.ci
def test_a_reason_that_is_no_text(graded, snapshot):
    """Bytes of another encoding, pasted into a terminal."""
    told = refused(graded, "override", "points", "ada", "box", "5", "--why", "na\udcefve")
    assert told == snapshot


# --- The wrong folder


def test_the_folder_around_the_course(mini, snapshot):
    """The reference would be a student's with full marks, and the course is in the list for ever."""
    told = refused(mini, "batch", "mini", "..")
    assert told == snapshot
    assert not (mini.course.root / "results.db").exists()


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights as on Unix")
def test_a_folder_that_nobody_may_read(mini, snapshot):
    """One student's: they are named, and the others are graded. The class's, the results': one line."""
    put(mini.course.root, "../students/cy/mini.py", "x = 1\n")
    closed = [mini.course.root / place for place in ("../students/bob", "../students/cy/mini.py")]
    closed.append(put(mini.course.root, "closed/x.db", "").parent)
    for folder in closed:
        folder.chmod(0)
    try:
        ran = as_anybody(mini, "batch", "mini", "../students")
        assert (ran.returncode, without_notes(ran.stderr)) == (1, [])
        assert "1 graded" in ran.stdout
        assert ran.stdout == snapshot
        for words in (
            ["report", "mini", "-r", "closed/x.db"],
            ["batch", "mini", "../students", "-r", "closed/x.db"],
            ["batch", "mini", "closed/x"],
        ):
            ran = as_anybody(mini, *words)
            assert (ran.returncode, ran.stderr.count("\n")) == (2, 1), ran.stderr
            assert "Permission denied" in ran.stderr
    finally:
        for folder in closed:
            folder.chmod(0o755)


def as_anybody(mini, *words):
    """A command without root's right to read everything."""
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*drop, GRADE, *words], cwd=mini.course.root, capture_output=True, text=True, check=False
    )


# --- Another course than before


@pytest.mark.ci
def test_an_assignment_that_was_renamed(graded, snapshot):
    """Its results are there under the old name, and every command says so."""
    for place in ("assignments", "solutions"):
        (graded.course.root / place / "mini").rename(graded.course.root / place / "maxi")
    for words in (["report", "maxi"], ["post", "maxi", "--dry-run"]):
        assert refused(graded, *words) == snapshot
    for words in (["diff"], ["override", "points", "ada", "box", "5", "--why", "x"]):
        assert refused(graded, *words) == snapshot


def test_a_word_about_a_check_that_is_gone_is_told_everywhere(graded, snapshot):
    """In the report, the diff and before anything is posted."""
    run(graded, "override", "points", "bob", "box", "5", "--why", "half of it")
    for place in ("assignments", "solutions"):
        path = graded.course.root / place / "mini/checks/test_box.py"
        path.rename(path.with_name("test_crate.py"))
    change(graded.course.root, "assignments/mini/assignment.yaml", "  box:", "  crate:")
    with Store(graded.course.root / "results.db") as store:
        store.keep("again", by("bob", HandedIn("mini.py")), told({"double": 10, "crate": 0}))
    for words in (
        ["report", "mini"],
        ["report", "mini", "--format", "csv"],
        ["diff"],
        ["post", "mini", "--dry-run"],
    ):
        assert run(graded, *words).err == snapshot
    assert run(graded, "override", "undo", "points", "bob", "box", "--why", "renamed").code == 0
    assert run(graded, "report", "mini").err == ""


def test_a_note_begins_no_row(mini, snapshot):
    """A note may quote a name that a student chose; it stays in the student's own row."""
    with Store(mini.course.root / "results.db", create=True) as store:
        work = HandedIn("mini.py", notes=("test_x\n  zoe   100/100",))
        store.keep("k", by("ada", work), told({"double": 0}))
    assert run(mini, "report", "mini").out == snapshot


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is Linux's")
def test_a_full_disk_behind_the_screen(graded, snapshot):
    """`grade report day2 --format csv > day2.csv`, and there is no room."""
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [GRADE, "report", "mini", "--format", "csv"],
            cwd=graded.course.root,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr == snapshot


def test_a_file_on_a_full_disk(graded, snapshot):
    """The disk is named as full."""
    for words in (["report", "mini", "--format", "csv", "--output"], ["report", "--all", "--output"]):
        assert refused(graded, *words, "/dev/full") == snapshot


@pytest.fixture
def small_disk(tmp_path):
    """Return a function that makes a disk of 64 KB with this room left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a disk")

    def fill(room):
        for old in disk.iterdir():
            old.unlink()
        with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(4096)):
                pass
        os.truncate(disk / "filler", (disk / "filler").stat().st_size - room)
        return disk

    yield fill
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("room", [0, 4096, 8192, 20480])
def test_a_results_file_on_a_full_disk(mini, small_disk, room, snapshot):
    """Wherever SQLite notices it: when it makes the file, its log, or the log's index."""
    file = small_disk(room) / "results.db"
    said = refused(mini, "batch", "mini", "../students", "-r", str(file))
    assert said.splitlines()[-1] == snapshot

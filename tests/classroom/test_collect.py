"""`grade collect`: the files that are taken, the output, and repeated runs; GitHub lists no pushes here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from collecting import (
    BEFORE,
    CHECK,
    LATER,
    MANIFEST,
    NOTEBOOK,
    TWIN,
    Class,
    commit,
    everything,
    work,
    works,
)
from github_server.bare import Bare
from helpers import GRADE, PATIENCE
from minicourse import change
from releasing import STUB

from grader.assignment import COLLECTED, Course
from grader.classroom.git import remote
from grader.submissions.find import find_works
from grader.submissions.state_words import reason
from grader.submissions.states import InWork

# --- What is taken


def test_a_class(class_: Class, snapshot):
    """Each student's notebook, and nothing else of the repository; a line for each, and a summary."""
    class_.good("ada", "grace")
    ran = class_.collect()
    assert ran.code == 0, ran.text
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert class_.taken("grace") == {NOTEBOOK: work("name = 'grace'")}
    assert "2 students: 2 collected" in ran.out
    assert ran.out == snapshot


def test_what_a_record_tells(class_: Class):
    """The record has repository, commit and time, and marks the time as not verified."""
    bare = class_.good("ada")["ada"]
    class_.collect()
    record = class_.record("ada")
    assert record.repository == "course/mini-ada"
    assert record.commit == bare.tip("refs/heads/main")
    assert (record.submitted, record.verified) == (BEFORE, False)
    assert (record.files, record.state) == ((NOTEBOOK,), InWork())


def test_it_is_read_as_a_source(class_: Class, snapshot):
    """`grade batch` gets the bytes, when they came, and what is to be known of them."""
    bare = class_.good("ada")["ada"]
    class_.remote("empty")
    commit(bare, {CHECK: "assert True\n"})
    class_.collect()
    found = works(class_)
    assert found["ada"].data == work("name = 'ada'").encode()
    assert found["ada"].name == NOTEBOOK
    assert [CHECK in note for note in found["ada"].notes] == [False, True]  # the first: no push is listed
    assert found["ada"].submitted == "2025-12-01T10:00:00+00:00"
    assert found["empty"].data is None
    assert found["empty"].trouble == snapshot


def test_a_twin(class_: Class):
    """A student who works in a .py file leaves the notebook unchanged."""
    commit(class_.remote("ada"), {NOTEBOOK: STUB, TWIN: "x = 1\n"})
    class_.collect()
    assert class_.taken("ada") == {TWIN: "x = 1\n"}


def test_it_lies_elsewhere(class_: Class):
    """Under a name that only its owner could think of: it is taken, and that name is no place on this disk."""
    place = "My Work/\x1b[31m../new\nline/mini.ipynb"
    commit(class_.remote("ada"), {place: work("x = 1")})
    ran = class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("x = 1")}
    assert works(class_)["ada"].name == place
    assert "\x1b" not in ran.text


def test_names_that_collide_on_a_disk(class_: Class):
    """Only the one that was asked for counts."""
    files = {NOTEBOOK: work("x = 1"), NOTEBOOK.replace("mini.", "MINI."): work("x = 2"), "ASSIGNMENTS/x": "x"}
    commit(class_.remote("ada"), files)
    class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("x = 1")}


def test_what_it_continues(class_: Class):
    """The earlier notebook is taken too, the nearest first."""
    root = class_.course / "assignments"
    for day, before in (("next", "mini"), ("third", "next")):
        folder = root / day
        (folder / "checks").mkdir(parents=True)
        text = (root / "mini/assignment.yaml").read_text().replace("mini.ipynb", f"{day}.ipynb")
        (folder / "assignment.yaml").write_text(f"{text}continues: {before}\n")
        for name in ("test_double.py", "test_box.py", "stub.ipynb"):
            (folder / "checks" / name).write_bytes((root / "mini/checks" / name).read_bytes())
    names = {day: f"assignments/{day}/{day}.ipynb" for day in ("mini", "next", "third")}
    commit(class_.remote("ada"), {name: work(f"day = {day!r}") for day, name in names.items()})
    class_.write_roster()
    ran = class_.type("collect", "third", class_.works)
    assert ran.code == 0, ran.text
    assert class_.record("ada").files == (names["third"], names["next"], names["mini"])
    (found,) = find_works(Course(class_.course).assignment("third"), class_.works)
    assert [name for name, _ in found.read().earlier] == [names["next"], names["mini"]]


# --- When


def test_the_last_commit_in_time(class_: Class, snapshot):
    """The default is the due date; the output names later commits, which are ignored."""
    bare = class_.good("ada")["ada"]
    for number in range(3):
        commit(bare, {NOTEBOOK: work(f"late = {number}")}, at=LATER)
    ran = class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert ran.out == snapshot


def test_a_branch_that_was_merged_too_late(class_: Class):
    """Its commits have dates on time, and were no state of the branch that counts."""
    ada = class_.good("ada")["ada"]
    before = ada.tip("refs/heads/main")
    assert before is not None
    side = commit(ada, {NOTEBOOK: work("side = 1")}, ref="side", onto=before, at="2025-12-01T12:00:00Z")
    ada.set("refs/heads/main", ada.commit_tree(ada.tree(side), [before, side], "Merge", LATER))
    class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}


def test_as_it_is_now(class_: Class, snapshot):
    """`--latest` takes the newest commit; the output counts late students."""
    bare = class_.good("ada")["ada"]
    commit(bare, {NOTEBOOK: work("late = 1")}, at=LATER)
    ran = class_.collect("--latest")
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert ran.out == snapshot


def test_an_extension(class_: Class, snapshot):
    """A student with more time is collected later."""
    for bare in class_.good("ada", "grace").values():
        commit(bare, {NOTEBOOK: work("late = 1")}, at=LATER)
    (class_.course / "solutions/mini").mkdir(parents=True)
    (class_.course / "solutions/mini/extensions.csv").write_text("student,due,why\nada,+7d,ill\n")
    ran = class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert class_.taken("grace") == {NOTEBOOK: work("name = 'grace'")}
    assert ran.out == snapshot
    (class_.course / "solutions/mini/extensions.csv").write_text("student,due\nada,2999-12-01T23:59:00Z\n")
    (period, *_) = class_.collect().out.splitlines()
    assert period.endswith("; students still have time, so collect again when it is over")


def test_late_work(class_: Class, snapshot):
    """The rule for pushes holds for commits too, by their own dates: for notes, robots, instructors, better work."""
    change(class_.course, MANIFEST, "submission:", "late: {percent_per_day: 10, days: 7}\nsubmission:")
    class_.good("notes", "robot", "taught", "better")
    bare = {name: Bare(class_.root / f"github/course/mini-{name}.git") for name in class_.roster}
    commit(bare["notes"], {"notes.txt": "more"}, at=LATER)
    commit(bare["robot"], {NOTEBOOK: work("x = 1")}, at=LATER, name="format[bot]")
    commit(bare["taught"], {NOTEBOOK: work("x = 1")}, at=BEFORE, name="Grace")
    commit(bare["taught"], {"notes.txt": "thanks"}, at=LATER)
    commit(bare["better"], {NOTEBOOK: work("x = 1")}, at=LATER)
    commit(bare["better"], {"notes.txt": "done"}, at="2025-12-06T10:00:00Z")
    class_.instructor("grace")
    ran = class_.collect()
    assert ran.code == 0, ran.text
    for name in ("notes", "robot", "taught"):
        record = class_.record(name)
        assert class_.taken(name) == {NOTEBOOK: work(f"name = {name!r}")}, name
        assert (record.submitted, record.verified, record.in_time) == (BEFORE, False, None), name
    assert class_.record("notes").notes == snapshot
    assert class_.record("robot").notes == snapshot
    both = class_.record("better")
    assert both.in_time is not None
    assert (both.submitted, both.in_time.submitted) == (LATER, BEFORE)
    assert class_.taken("better") == {NOTEBOOK: work("x = 1"), f"in_time/{NOTEBOOK}": work("name = 'better'")}


def test_nothing_in_time(class_: Class, snapshot):
    """A repository that began too late has nothing that counts."""
    commit(class_.remote("ada"), {NOTEBOOK: work()}, at=LATER)
    ran = class_.collect()
    assert ran.code == 1
    assert reason(class_.record("ada").state) == snapshot


def test_forged_dates(class_: Class):
    """They are the student's to set: the past is believed and marked, the future is not on time."""
    past, future = class_.remote("past"), class_.remote("future")
    commit(past, {NOTEBOOK: work("x = 1")}, at="1999-01-01T00:00:00Z")
    commit(future, {NOTEBOOK: work("x = 1")})
    commit(future, {NOTEBOOK: work("x = 2")}, at="2090-01-01T00:00:00Z")
    class_.collect()
    assert (class_.record("past").submitted, class_.record("past").verified) == (
        "1999-01-01T00:00:00Z",
        False,
    )
    assert class_.taken("future") == {NOTEBOOK: work("x = 1")}


# --- Again


def test_nothing_is_fetched_again(class_: Class, monkeypatch, snapshot):
    """Work that a record lists and that is unchanged is not fetched again."""
    bares = class_.good("ada", "grace")
    commit(class_.remote("bob"), {"README.md": "x"})
    class_.collect()
    before = everything(class_.works)
    monkeypatch.setattr(remote.Fetcher, "commits", None)  # would raise
    ran = class_.collect()
    assert ran.out == snapshot
    assert everything(class_.works) == before
    assert bares


def test_what_is_new_is_fetched(class_: Class):
    """A push replaces what was there; a twin instead of the notebook leaves no notebook behind."""
    bare = class_.good("ada")["ada"]
    class_.collect()
    commit(bare, {NOTEBOOK: None, TWIN: "x = 2\n"})
    ran = class_.collect()
    assert "1 student: 1 collected" in ran.out
    assert class_.taken("ada") == {TWIN: "x = 2\n"}


@pytest.mark.parametrize("how", ["edited", "removed", "link"])
def test_what_was_changed_by_hand_is_put_back(class_: Class, how: str, snapshot):
    """The next collect restores the file from git; until then it is not graded."""
    class_.good("ada")
    class_.collect()
    path, other = class_.works / "ada" / NOTEBOOK, class_.root / "other.ipynb"
    other.write_text(work("other"))
    path.unlink()
    if how == "edited":
        path.write_text("x")
    if how == "link":
        path.symlink_to(other)
    assert works(class_)["ada"] == snapshot
    class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert not path.is_symlink()
    assert other.read_text() == work("other")


def test_a_link_in_the_way(class_: Class, snapshot):
    """A link in the folder is not followed; the other students are collected."""
    class_.good("ada", "grace")
    elsewhere = class_.root / "elsewhere"
    elsewhere.mkdir()
    class_.collect("--student", "grace")
    (class_.works / "ada").symlink_to(elsewhere)
    ran = class_.collect()
    assert ran.code == 1
    assert ran.out == snapshot
    assert list(elsewhere.iterdir()) == []


def test_one_student(class_: Class):
    """The others are left alone."""
    class_.good("ada", "grace")
    ran = class_.collect("--student", "ada")
    assert "1 student: 1 collected" in ran.out
    assert not (class_.works / "grace").exists()
    assert "`adda` is none of the " in class_.collect("--student", "adda").err


def test_who_is_not_in_the_roster_any_more(class_: Class, snapshot):
    """Their work stays, and the output says so."""
    class_.good("ada", "grace")
    class_.collect()
    del class_.roster["grace"]
    ran = class_.collect()
    assert ran.code == 0
    assert ran.out == snapshot
    assert class_.taken("grace")


def test_what_a_killed_run_left(class_: Class):
    """Its half-filled repositories are removed."""
    class_.good("ada")
    left = class_.works / COLLECTED / ".work" / "x.git" / "objects"
    left.mkdir(parents=True)
    (left / "pack").write_bytes(b"x")
    class_.collect()
    assert sorted(path.name for path in (class_.works / COLLECTED).iterdir()) == [".lock", "ada.json"]


# --- Wrong usage


def test_where_it_cannot_be_written(class_: Class, snapshot):
    """Not into what ships, nor among others' files, nor into another assignment's works."""
    class_.good("ada")
    roster = class_.write_roster()
    inside = class_.type("collect", "mini", class_.course / "assignments/mini/works")
    assert inside.err == snapshot
    others = class_.type("collect", "mini", class_.root)
    assert others.err == snapshot
    assert "this is a file" in class_.type("collect", "mini", roster).err
    class_.collect()
    record = class_.works / COLLECTED / "ada.json"
    record.write_text(record.read_text().replace('"assignment": "mini"', '"assignment": "day9"'))
    ran = class_.collect()
    assert ran.err == snapshot
    record.write_text("{")
    ran = class_.collect()
    assert ran.err == snapshot


def test_in_the_course_folder_it_is_still_others_work(class_: Class):
    """Files in a collected folder do not count as the instructor's own."""
    class_.good("ada")
    inside = class_.course / "works"
    class_.write_roster()
    class_.type("collect", "mini", inside)
    course = Course(class_.course)
    assert course.owns(class_.course / NOTEBOOK)
    assert not course.owns(inside / "ada" / NOTEBOOK)


# --- Killed, interrupted, or started twice: it ends as an undisturbed run does

# A process that is killed when it starts git, replaces a file or removes one for the n-th time.
DRIVER = """
import os, signal, subprocess, sys
from pathlib import Path

left = int(sys.argv.pop(1))

def deadly(kind, name):
    call = getattr(kind, name)
    def counted(*args, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **more)
    setattr(kind, name, counted)

deadly(subprocess.Popen, "__init__")
deadly(os, "replace")
deadly(Path, "unlink")

from grader.cli import main
main()
"""


@pytest.fixture
def begun(class_: Class) -> Class:
    """Two students of whom one was collected before and has pushed since, and one with nothing to take."""
    if os.name == "nt":
        pytest.skip("signals are POSIX's")
    ada = class_.good("ada", "grace")["ada"]
    commit(class_.remote("bob"), {"README.md": "x"})
    class_.collect("--student", "ada")
    commit(ada, {NOTEBOOK: None, TWIN: "x = 2\n"})
    return class_


def killed(class_: Class, point: int) -> bool:
    """Run the command, and return True where it was killed before its end."""
    class_.write_roster()
    words = ["collect", "mini", class_.works, "--jobs", "1"]
    command = [sys.executable, "-c", DRIVER, str(point), *map(str, words)]
    done = subprocess.run(command, cwd=class_.course, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode in (1, -signal.SIGKILL), done.stderr.decode()
    return done.returncode == -signal.SIGKILL


def undisturbed(class_: Class) -> dict[str, bytes]:
    """Return the files of an undisturbed run, in a folder of its own."""
    kept, class_.works = class_.works, class_.root / "undisturbed"
    assert class_.collect().code == 1
    class_.works = kept
    return everything(class_.root / "undisturbed")


@pytest.mark.whole
def test_killed_and_started_again(begun: Class):
    """Whenever that was: the same folder, to the byte."""
    expected, before = undisturbed(begun), begun.root / "before"
    shutil.copytree(begun.works, before, symlinks=True)
    for point in range(1, 21):
        assert killed(begun, point) or point > 14
        assert begun.collect().code == 1
        assert everything(begun.works) == expected, point
        shutil.rmtree(begun.works)
        shutil.copytree(before, begun.works, symlinks=True)


@pytest.mark.whole
def test_two_at_once(begun: Class):
    """The second waits for the first, and finds everything there."""
    expected = undisturbed(begun)
    begun.write_roster()
    command = [str(GRADE), "collect", "mini", str(begun.works)]
    runs = [
        subprocess.Popen(command, cwd=begun.course, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(2)
    ]
    told = [run.communicate(timeout=PATIENCE)[0].decode() for run in runs]
    assert [run.returncode for run in runs] == [1, 1], told
    assert everything(begun.works) == expected
    assert sorted("2 unchanged" in text for text in told) == [False, True]


@pytest.mark.whole
def test_interrupted(begun: Class):
    """Ctrl-C ends it at once, also where a repository hangs; what was collected stays."""
    silent = begun.remote("silent")
    commit(silent, {NOTEBOOK: work("x = 1")})
    head = silent.path / "HEAD"
    head.unlink()
    os.mkfifo(head)  # git waits until somebody writes
    begun.write_roster()
    command = [str(GRADE), "collect", "mini", str(begun.works)]
    run = subprocess.Popen(command, cwd=begun.course, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(begun.works / COLLECTED / "grace.json")
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130
    assert "Traceback" not in err.decode()
    assert "interrupted" in err.decode()
    assert not (begun.works / COLLECTED / ".work").exists()
    assert begun.taken("grace")


def wait_for(path: Path) -> None:
    last = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < last
        time.sleep(0.02)

"""`grade collect` from plain git remotes: the files that are taken, the output, and repeated runs."""

from __future__ import annotations

import pytest
from collecting import (
    BEFORE,
    CHECK,
    DUE,
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
    assert record.repository == f"file://{bare.path}"
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
    assert [CHECK in note for note in found["ada"].notes] == [True]
    assert found["ada"].submitted == "2026-12-01T10:00:00+00:00"
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
    ran = class_.type("collect", "third", class_.works, "--roster", class_.write_roster())
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


def test_as_it_is_now(class_: Class, snapshot):
    """`--latest` takes the newest commit; the output counts late students."""
    bare = class_.good("ada")["ada"]
    commit(bare, {NOTEBOOK: work("late = 1")}, at=LATER)
    ran = class_.collect("--latest")
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert ran.out == snapshot


def test_until_another_time(class_: Class, snapshot):
    """`--before` is for everybody."""
    bare = class_.good("ada")["ada"]
    commit(bare, {NOTEBOOK: work("x = 2")}, at="2026-12-01T12:00:00Z")
    ran = class_.collect("--before", "2026-12-01T12:00:00+01:00")
    assert ran.out == snapshot
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}


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


def test_late_work(class_: Class, snapshot):
    """The rule for pushes holds for commits too, by their own dates: for notes, robots, instructors, better work."""
    change(class_.course, MANIFEST, "submission:", "late: {percent_per_day: 10, days: 7}\nsubmission:")
    class_.good("notes", "robot", "taught", "better")
    bare = {name: Bare(class_.root / "remotes" / f"{name}.git") for name in class_.roster}
    commit(bare["notes"], {"notes.txt": "more"}, at=LATER)
    commit(bare["robot"], {NOTEBOOK: work("x = 1")}, at=LATER, name="format[bot]")
    commit(bare["taught"], {NOTEBOOK: work("x = 1")}, at=BEFORE, name="Grace")
    commit(bare["taught"], {"notes.txt": "thanks"}, at=LATER)
    commit(bare["better"], {NOTEBOOK: work("x = 1")}, at=LATER)
    commit(bare["better"], {"notes.txt": "done"}, at="2026-12-06T10:00:00Z")
    ran = class_.collect("--instructor", "grace")
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
    """They are the student's to set: the past is believed and marked, the future is not in time."""
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
    monkeypatch.setattr(remote.Fetcher, "_fetched", None)  # would raise
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
    assert "adda: no such student" in class_.collect("--student", "adda").err


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

MISUSED = {
    "two answers": (["--latest", "--before", DUE], "--before and --latest: they cannot be combined"),
    "no zone": (["--before", "2026-12-01 23:59"], "not a time with a time zone"),
    "no year": (["--before", "9999-12-31T23:59:59-12:00"], "the years are 1970 to 9000"),
    "no time": (["--before", "yesterday"], "not a time with a time zone"),
}


@pytest.mark.parametrize("how", MISUSED)
def test_misused(class_: Class, how: str):
    """The error is printed, and nothing is written."""
    class_.good("ada")
    words, why = MISUSED[how]
    ran = class_.collect(*words)
    assert (ran.code, why in ran.err) == (2, True), ran.text
    assert not class_.works.exists()


def test_where_it_cannot_be_written(class_: Class, snapshot):
    """Not into what ships, nor among others' files, nor into another assignment's works."""
    class_.good("ada")
    roster = class_.write_roster()
    inside = class_.type("collect", "mini", class_.course / "assignments/mini/works", "--roster", roster)
    assert inside.err == snapshot
    others = class_.type("collect", "mini", class_.root, "--roster", roster)
    assert others.err == snapshot
    assert "this is a file" in class_.type("collect", "mini", roster, "--roster", roster).err
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
    class_.type("collect", "mini", inside, "--roster", class_.write_roster())
    course = Course(class_.course)
    assert course.owns(class_.course / NOTEBOOK)
    assert not course.owns(inside / "ada" / NOTEBOOK)

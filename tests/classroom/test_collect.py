"""`grade collect` from plain git remotes: what of a class is taken, what is told, and that it can be done again."""

from __future__ import annotations

import hashlib
import os
import socket
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from collecting import (
    BEFORE,
    CHECK,
    DUE,
    LATER,
    MANIFEST,
    NOTEBOOK,
    TWIN,
    WORKFLOW,
    Class,
    commit,
    everything,
    work,
)
from github_server.bare import Bare
from minicourse import change
from releasing import STUB

from grader.assignment import Course
from grader.classroom.collect.handed_out import protected_files
from grader.classroom.git import objects, remote
from grader.classroom.git.objects import Entry, Objects
from grader.errors import Refused
from grader.submissions import Found, find_works
from grader.submissions.collected import RECORDS
from grader.submissions.tree import MOST, TOO_LONG, TOO_MANY


@pytest.fixture
def class_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Class:
    return Class(tmp_path, monkeypatch, capsys)


def works(class_: Class) -> dict:
    """What `grade batch` gets of it, by student; what it cannot read as the reason."""
    found = find_works(Course(class_.course).assignment("mini"), class_.works)
    return {one.student: _read(one) for one in found}


def _read(found: Found) -> object:
    try:
        return found.read()
    except Refused as error:
        return str(error)


# --- What is taken


def test_a_class(class_: Class):
    """Each student's notebook, and nothing else of the repository; a line for each, and a summary."""
    class_.good("ada", "grace")
    ran = class_.collect()
    assert ran.code == 0, ran.text
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert class_.taken("grace") == {NOTEBOOK: work("name = 'grace'")}
    assert "2 students: 2 collected" in ran.out
    tip = class_.record("ada").commit[:10]
    assert f"/2  ada  collected  {tip}, by the commit's own time 2026-12-01 10:00:00 UTC" in ran.out


def test_what_a_record_tells(class_: Class):
    """Where it was, at which commit, since when, and that this is the student's own word."""
    bare = class_.good("ada")["ada"]
    class_.collect()
    record = class_.record("ada")
    assert record.repository == f"file://{bare.path}"
    assert record.commit == bare.tip("refs/heads/main")
    assert (record.submitted, record.verified) == (BEFORE, False)
    assert (record.files, record.state, record.trouble) == ((NOTEBOOK,), "there", "")


def test_it_is_read_as_a_source(class_: Class):
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
    assert (found["empty"].data, found["empty"].trouble) == (
        None,
        "the repository is empty: nothing was pushed",
    )


def test_a_twin(class_: Class):
    """Whoever works in a .py file leaves the notebook as it was handed out."""
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
    ran = class_.type("collect", "third", class_.write_roster(), class_.works)
    assert ran.code == 0, ran.text
    assert class_.record("ada").files == (names["third"], names["next"], names["mini"])
    (found,) = find_works(Course(class_.course).assignment("third"), class_.works)
    assert [name for name, _ in found.read().earlier] == [names["next"], names["mini"]]


# --- What cannot be taken

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
SUBMODULE = '[submodule "x"]\n\tpath = assignments/mini/mini.ipynb\n\turl = ./x\n'
TROUBLES = {
    "link": ({NOTEBOOK: ("120000", "/etc/passwd")}, "it is a symbolic link; put the file itself there"),
    "submodule": (
        {NOTEBOOK: ("160000", "1" * 40), ".gitmodules": SUBMODULE},
        "it is a submodule; put the file itself there",
    ),
    "pointer": ({NOTEBOOK: POINTER}, "Git LFS stores it, and the repository holds only a pointer"),
    "nothing": ({"README.md": "x"}, "there is no mini.ipynb; hand in the notebook under this name"),
    "folder": ({f"{NOTEBOOK}/x": "x"}, "there is no mini.ipynb"),
    "link above": ({"assignments": ("120000", "/srv/others")}, "there is no mini.ipynb"),
}


@pytest.mark.parametrize("kind", TROUBLES)
def test_nothing_to_take(class_: Class, kind: str):
    """One student is told why; the class goes on."""
    files, why = TROUBLES[kind]
    class_.good("ada", "grace")
    commit(class_.remote("bob"), files)
    ran = class_.collect()
    assert ran.code == 1
    assert why in class_.record("bob").trouble
    assert (class_.taken("bob"), class_.record("bob").state) == ({}, "nothing")
    assert "3 students: 2 collected, 1 nothing to take" in ran.out
    assert f"  bob  nothing to take: {class_.record('bob').trouble}" in ran.out.split("3 students")[1]


def test_a_file_that_is_too_large(class_: Class):
    """It is never fetched."""
    add_zeros(class_.good("ada")["ada"], NOTEBOOK)
    ran = class_.collect()
    assert "it has more than 64 MB; clear the outputs" in class_.record("ada").trouble
    assert ran.code == 1


def tree(bare: Bare, entries: Mapping[str, str]) -> str:
    """A tree object of those names; the values are hashes, of blobs where a name has a dot in it."""
    kinds = {name: ("100644 blob" if "." in name else "040000 tree") for name in entries}
    lines = "".join(f"{kinds[name]} {id_}\t{name}\n" for name, id_ in entries.items())
    return bare.line("mktree", data=lines.encode())


def pushed(bare: Bare, top: str) -> None:
    """A commit of that tree on the branch."""
    who = {"GIT_AUTHOR_DATE": BEFORE, "GIT_COMMITTER_DATE": BEFORE}
    bare.git("update-ref", "refs/heads/main", bare.line("commit-tree", top, "-m", "Work", **who))


def in_one_folder(bare: Bare, blob: str) -> str:
    """More names than are looked at, hidden ones."""
    return tree(bare, {"data": tree(bare, {f".{n:06}": blob for n in range(MOST + 1)})})


def in_some_folders(bare: Bare, blob: str) -> str:
    """The same in folders of which each is small enough."""
    names = {f".{n:06}": blob for n in range(MOST // 2)}
    return tree(bare, {f"d{n}": tree(bare, names | {f".of{n}": blob}) for n in range(3)})


def in_one_and_the_same(bare: Bare, blob: str) -> str:
    """Folders that are all one object, within each other: thirty times thirty times thirty ..."""
    inner = tree(bare, {"x.csv": blob})
    for _ in range(7):
        inner = tree(bare, {f"d{n:02}": inner for n in range(30)})
    return inner


def among_the_checks(bare: Bare, blob: str) -> str:
    """The same in a folder whose files are compared with those that were handed out."""
    return tree(
        bare, {"assignments": tree(bare, {"mini": tree(bare, {"checks": in_one_and_the_same(bare, blob)})})}
    )


def under_a_long_name(bare: Bare, blob: str) -> str:
    """Make a tree with a name that no disk takes."""
    return tree(bare, {"x" * 5_000 + ".csv": blob})


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (in_one_folder, TOO_MANY),
        (in_some_folders, TOO_MANY),
        (in_one_and_the_same, TOO_MANY),
        (among_the_checks, TOO_MANY),
        (under_a_long_name, TOO_LONG),
    ],
)
def test_more_names_than_anybody_looks_at(class_: Class, monkeypatch, made, why):
    """Of a repository no more is read than its budget, and the class goes on.

    Twelve folders of 490,000 hidden names each, in 1.4 MB, took 136 seconds and 1.57 GB.
    """
    class_.good("ada")
    bob = class_.remote("bob")
    pushed(bob, made(bob, bob.line("hash-object", "-w", "--stdin", data=b"x")))
    made_of: list[Entry] = []
    monkeypatch.setattr(objects, "Entry", lambda *told: made_of.append(Entry(*told)) or made_of[-1])

    ran = class_.collect()

    assert "2 students: 1 collected, 1 nothing to take" in ran.out
    assert class_.record("bob").trouble == why
    assert len(made_of) < 3 * MOST


def test_many_checks_are_no_more_than_are_compared(class_: Class):
    """Folders that are one object count each time, in the protected places too."""
    bare = class_.good("ada")["ada"]
    with Objects(bare.path, os.environ) as read:
        top = among_the_checks(bare, bare.line("hash-object", "-w", "--stdin", data=b"x"))
        assert len(protected_files(Course(class_.course).assignment("mini"), read, top)) < 500


def test_a_large_file_elsewhere(class_: Class, monkeypatch):
    """It costs nobody anything."""
    monkeypatch.setattr(remote, "ROOM", 10 << 20)
    add_zeros(class_.good("ada")["ada"], "data.bin")
    assert class_.collect().code == 0


def add_zeros(bare: Bare, name: str, size: int = 200 << 20) -> None:
    """Commit a file of that many zeros, without handing them to git."""
    header, pack = b"blob %d\0" % size, zlib.compressobj(1)
    hash_ = hashlib.sha1(header)
    packed = [pack.compress(header)]
    for _ in range(size >> 20):
        hash_.update(ZEROS)
        packed.append(pack.compress(ZEROS))
    path = bare.path / "objects" / hash_.hexdigest()[:2] / hash_.hexdigest()[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join([*packed, pack.flush()]))
    index = {"GIT_INDEX_FILE": str(bare.path / "index")}
    bare.git("read-tree", "main", **index)
    bare.git("update-index", "--add", "--cacheinfo", f"100644,{hash_.hexdigest()},{name}", **index)
    dates = {f"GIT_{role}_DATE": BEFORE for role in ("AUTHOR", "COMMITTER")}
    tip = bare.line("commit-tree", bare.line("write-tree", **index), "-p", "main", "-m", "Data", **dates)
    bare.git("update-ref", "refs/heads/main", tip)


ZEROS = bytes(1 << 20)


@pytest.fixture
def silent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/ada.git"


@pytest.mark.slow
def test_remotes_that_do_not_answer(class_: Class, silent: str, monkeypatch):
    """Missing, closed, silent: each costs one student, who is nobody's zero where nothing is known."""
    monkeypatch.setattr(remote, "SECONDS", 1.0)
    class_.good("ada")
    class_.roster |= {
        "missing": f"file://{class_.root}/none.git",
        "silent": silent,
        "closed": "git://127.0.0.1:1/x",
    }
    ran = class_.collect()
    assert ran.code == 1
    states = {name: class_.record(name).state for name in class_.roster}
    assert states == {"ada": "there", "missing": "missing", "silent": "unreached", "closed": "unreached"}
    assert "4 students: 1 collected, 1 missing, 2 not reached" in ran.out
    told = works(class_)
    assert told["ada"].data == work("name = 'ada'").encode()
    for name in ("missing", "silent", "closed"):
        assert told[name].endswith("; mend the roster or the token's rights, and collect again")


def test_what_was_collected_stays(class_: Class):
    """A repository that cannot be reached later takes nothing away."""
    bare = class_.good("ada")["ada"]
    class_.collect()
    before = everything(class_.works)
    bare.path.rename(bare.path.with_name("gone"))
    ran = class_.collect()
    assert ran.code == 1
    assert f"what was collected before stays, {class_.record('ada').commit[:10]}" in ran.out
    assert everything(class_.works) == before


def test_a_roster_with_a_command_in_it(class_: Class):
    """It is refused before anything is done."""
    class_.good("ada")
    for place in ("ext::sh -c touch% pwned", "http://git.example.org/x", "--upload-pack=touch"):
        class_.roster["bob"] = place
        ran = class_.collect()
        assert ran.code == 2
        assert not class_.works.exists()


# --- When


def test_the_last_commit_in_time(class_: Class):
    """By default until the due date; what came later is passed over, and told."""
    bare = class_.good("ada")["ada"]
    for number in range(3):
        commit(bare, {NOTEBOOK: work(f"late = {number}")}, at=LATER)
    ran = class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert "3 newer commits, by their own dates after 2026-12-01 23:59:00 UTC, passed over" in ran.out


def test_as_it_is_now(class_: Class):
    """`--latest` takes what is there; it is told who is late."""
    bare = class_.good("ada")["ada"]
    commit(bare, {NOTEBOOK: work("late = 1")}, at=LATER)
    ran = class_.collect("--latest")
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert "mini: whatever is there now\n" in ran.out
    assert "1 student: 1 collected; 1 late" in ran.out


def test_until_another_time(class_: Class):
    """`--before` is for everybody."""
    bare = class_.good("ada")["ada"]
    commit(bare, {NOTEBOOK: work("x = 2")}, at="2026-12-01T12:00:00Z")
    ran = class_.collect("--before", "2026-12-01T12:00:00+01:00")
    assert "mini: what came until 2026-12-01 11:00:00 UTC" in ran.out
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}


def test_an_extension(class_: Class):
    """Whoever has more time is collected later."""
    for bare in class_.good("ada", "grace").values():
        commit(bare, {NOTEBOOK: work("late = 1")}, at=LATER)
    (class_.course / "solutions/mini").mkdir(parents=True)
    (class_.course / "solutions/mini/extensions.csv").write_text("student,due,why\nada,+7d,ill\n")
    ran = class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert class_.taken("grace") == {NOTEBOOK: work("name = 'grace'")}
    assert "; 1 of 2 have a time of their own" in ran.out


def test_late_work(class_: Class):
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
    assert class_.record("notes").notes == ("the push of 2026-12-05 10:00:00 UTC did not change the work",)
    assert class_.record("robot").notes == (
        "a push of format[bot] on 2026-12-05 10:00:00 UTC changed the work and was not taken",
    )
    both = class_.record("better")
    assert both.in_time is not None
    assert (both.submitted, both.in_time.submitted) == (LATER, BEFORE)
    assert class_.taken("better") == {NOTEBOOK: work("x = 1"), f"in_time/{NOTEBOOK}": work("name = 'better'")}


def test_nothing_in_time(class_: Class):
    """A repository that began too late has nothing that counts."""
    commit(class_.remote("ada"), {NOTEBOOK: work()}, at=LATER)
    ran = class_.collect()
    assert ran.code == 1
    assert class_.record("ada").trouble == (
        "nothing was committed until 2026-12-01 23:59:00 UTC, by the commits' own dates"
    )


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


def test_nothing_is_fetched_again(class_: Class, monkeypatch):
    """What a record tells, and is there."""
    bares = class_.good("ada", "grace")
    commit(class_.remote("bob"), {"README.md": "x"})
    class_.collect()
    before = everything(class_.works)
    monkeypatch.setattr(remote.Fetcher, "_fetched", None)  # would raise
    ran = class_.collect()
    assert "3 students: 2 unchanged, 1 nothing to take" in ran.out
    assert everything(class_.works) == before
    assert bares


def test_what_is_new_is_fetched(class_: Class):
    """A push replaces what was there; a twin in the place of the notebook leaves no notebook behind."""
    bare = class_.good("ada")["ada"]
    class_.collect()
    commit(bare, {NOTEBOOK: None, TWIN: "x = 2\n"})
    ran = class_.collect()
    assert "1 student: 1 collected" in ran.out
    assert class_.taken("ada") == {TWIN: "x = 2\n"}


@pytest.mark.parametrize("how", ["edited", "removed", "link"])
def test_what_was_changed_by_hand_is_put_back(class_: Class, how: str):
    """It is what git has; until then nobody grades it."""
    class_.good("ada")
    class_.collect()
    path, other = class_.works / "ada" / NOTEBOOK, class_.root / "other.ipynb"
    other.write_text(work("other"))
    path.unlink()
    if how == "edited":
        path.write_text("x")
    if how == "link":
        path.symlink_to(other)
    assert "this file is not as it was collected; run `grade collect` to put it back" in works(class_)["ada"]
    class_.collect()
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert not path.is_symlink()
    assert other.read_text() == work("other")


def test_a_link_in_the_way(class_: Class):
    """Nothing is written through it; the others are collected."""
    class_.good("ada", "grace")
    elsewhere = class_.root / "elsewhere"
    elsewhere.mkdir()
    class_.collect("--student", "grace")
    (class_.works / "ada").symlink_to(elsewhere)
    ran = class_.collect()
    assert ran.code == 1
    assert "ada is a symbolic link" in ran.out
    assert list(elsewhere.iterdir()) == []


def test_one_student(class_: Class):
    """The others are left alone."""
    class_.good("ada", "grace")
    ran = class_.collect("--student", "ada")
    assert "1 student: 1 collected" in ran.out
    assert not (class_.works / "grace").exists()
    assert "adda: no such student" in class_.collect("--student", "adda").err


def test_who_is_not_in_the_roster_any_more(class_: Class):
    """Their work stays, and that is told."""
    class_.good("ada", "grace")
    class_.collect()
    del class_.roster["grace"]
    ran = class_.collect()
    assert ran.code == 0
    assert "note: collected earlier, not in the roster: grace" in ran.out
    assert class_.taken("grace")


def test_what_a_killed_run_left(class_: Class):
    """Its half-filled repositories are removed."""
    class_.good("ada")
    left = class_.works / RECORDS / ".work" / "x.git" / "objects"
    left.mkdir(parents=True)
    (left / "pack").write_bytes(b"x")
    class_.collect()
    assert sorted(path.name for path in (class_.works / RECORDS).iterdir()) == [".lock", "ada.json"]


# --- Drift


def drift(class_: Class, student: str) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one in class_.record(student).drift]


def test_drift(class_: Class):
    """Edited, missing and added, by hash; one line for each student."""
    bares = class_.good("ada", "bob", "grace")
    for bare in (bares["ada"], bares["bob"]):
        commit(bare, {CHECK: "def test_three(): pass\n"})
    commit(
        bares["bob"], {MANIFEST: None, "assignments/mini/checks/test_more.py": "x", WORKFLOW: "on: push\n"}
    )
    commit(bares["bob"], {".github/workflows/evil.yml": "on: push\n", "assignments/mini/README.md": "mine"})
    ran = class_.collect()
    assert ran.code == 0
    assert drift(class_, "ada") == [(CHECK, "edited")]
    assert drift(class_, "bob") == [
        (".github/workflows/evil.yml", "added"),
        (MANIFEST, "missing"),
        (CHECK, "edited"),
        ("assignments/mini/checks/test_more.py", "added"),
    ]
    note = f"protected files differ from what was handed out: {CHECK} (edited)"
    assert works(class_)["ada"].notes == (note,)
    line = next(line for line in ran.out.splitlines() if "  ada  " in line)
    assert line.endswith(f"; {note}")
    assert works(class_)["bob"].notes[-1].endswith(f"{CHECK} (edited) and 1 more")
    assert "--template" not in ran.out


def test_what_everybody_has_otherwise(class_: Class):
    """The instructor may have changed it, so the remedy is named."""
    class_.good("ada", "bob", "grace")
    path = class_.course / CHECK
    path.write_text(path.read_text().replace("6", "7"))
    assert "--template" in class_.collect().out


def test_lines_that_end_as_on_windows(class_: Class):
    """Git keeps the file as it was handed out, however it lies on the instructor's disk."""
    class_.good("ada")
    path = class_.course / CHECK
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    class_.collect()
    assert drift(class_, "ada") == []


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("how", ["folder", "address", "path"])
def test_a_template(class_: Class, how: str):
    """What was handed out is what it holds, workflows included."""
    template = class_.root / "template"
    class_.type("release", template)
    files = {p.relative_to(template).as_posix(): p.read_bytes() for p in template.rglob("*") if p.is_file()}
    bare = class_.remote("template")
    commit(bare, files)
    del class_.roster["template"]
    commit(class_.remote("ada"), files | {NOTEBOOK: work()})
    commit(class_.remote("bob"), files | {NOTEBOOK: work(), WORKFLOW: "on: push\n"})
    where = {"folder": template, "address": f"file://{bare.path}", "path": bare.path}[how]
    ran = class_.collect("--template", where)
    assert ran.code == 0, ran.text
    assert (drift(class_, "ada"), drift(class_, "bob")) == ([], [(WORKFLOW, "edited")])


def test_a_template_changes_the_drift_and_fetches_nothing(class_: Class, monkeypatch):
    """What a student has of protected files stands in the record."""
    bare = class_.good("ada")["ada"]
    commit(bare, {WORKFLOW: "on: push\n"})
    class_.collect()
    assert drift(class_, "ada") == []
    template = class_.root / "template"
    class_.type("release", template)
    monkeypatch.setattr(remote.Fetcher, "_fetched", None)  # would raise
    ran = class_.collect("--template", template)
    assert "1 unchanged" in ran.out
    assert drift(class_, "ada") == [(WORKFLOW, "edited")]


def test_no_template(class_: Class):
    """Told with what should be named."""
    class_.good("ada")
    bare = class_.remote("empty")
    del class_.roster["empty"]
    assert "not a template of mini" in class_.collect("--template", class_.root).err
    assert "this repository is empty; push the template first" in class_.collect("--template", bare.path).err
    commit(bare, {"a": "b"})
    assert "not a template of mini" in class_.collect("--template", bare.path).err
    ran = class_.collect("--template", f"file://{class_.root}/none.git")
    assert (ran.code, "there is no such repository" in ran.err) == (2, True)


def test_a_course_that_cannot_be_released(class_: Class):
    """The class is collected; what was not compared is told."""
    class_.good("ada")
    (class_.course / "assignments/mini/checks/stub.ipynb").unlink()
    ran = class_.collect()
    assert ran.code == 0, ran.text
    assert "note: protected files were not compared:" in ran.out


def test_a_student_with_ten_thousand_checks(class_: Class):
    """The record stays small."""
    bare = class_.good("ada")["ada"]
    commit(bare, {f"assignments/mini/checks/a{n}.py": "x" for n in range(2000)})
    class_.collect()
    assert len(drift(class_, "ada")) == 100
    assert (class_.works / RECORDS / "ada.json").stat().st_size < 100_000


# --- Wrong usage

MISUSED = {
    "two answers": (["--latest", "--before", DUE], "--before and --latest: they cannot be combined"),
    "no zone": (["--before", "2026-12-01 23:59"], "not a time with a time zone"),
    "no year": (["--before", "9999-12-31T23:59:59-12:00"], "the years are 1970 to 9000"),
    "no time": (["--before", "yesterday"], "not a time with a time zone"),
}


@pytest.mark.parametrize("how", MISUSED)
def test_misused(class_: Class, how: str):
    """Told, and nothing is written."""
    class_.good("ada")
    words, why = MISUSED[how]
    ran = class_.collect(*words)
    assert (ran.code, why in ran.err) == (2, True), ran.text
    assert not class_.works.exists()


def test_where_it_cannot_be_written(class_: Class):
    """Not into what ships, nor among others' files, nor into another assignment's works."""
    class_.good("ada")
    roster = class_.write_roster()
    inside = class_.type("collect", "mini", roster, class_.course / "assignments/mini/works")
    assert "this folder is in assignments/ of the course" in inside.err
    others = class_.type("collect", "mini", roster, class_.root)
    assert "this folder holds other files" in others.err
    assert "this is a file" in class_.type("collect", "mini", roster, roster).err
    class_.collect()
    record = class_.works / RECORDS / "ada.json"
    record.write_text(record.read_text().replace('"assignment": "mini"', '"assignment": "day9"'))
    ran = class_.collect()
    assert "this folder holds what was collected for day9; mini needs a folder of its own" in ran.err
    record.write_text("{")
    ran = class_.collect()
    assert "this record cannot be read" in ran.err


def test_in_the_course_folder_it_is_still_others_work(class_: Class):
    """What lies in a collected folder is nobody's own, wherever that is."""
    class_.good("ada")
    inside = class_.course / "works"
    class_.type("collect", "mini", class_.write_roster(), inside)
    course = Course(class_.course)
    assert course.owns(class_.course / NOTEBOOK)
    assert not course.owns(inside / "ada" / NOTEBOOK)

"""The folder of a submission: links, other people's files, files in the way of ours."""

import hashlib
import json
import os
import re
import shutil
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import grade
from minicourse import FILES, add_second, put

from grader.assignment import Assignment, Course
from grader.authoring.generated import write_generated
from grader.errors import Refused
from grader.files import read_plain, write_text
from grader.grading import grader as grading
from grader.practice.progress import render_progress
from grader.sandbox import Launcher
from grader.submissions.intake import continued_blocks, continued_files
from grader.submissions.submission import SubmissionError, read_submission

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")

SOLUTION = "solutions/mini/mini.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a small course of two assignments, the second of which continues the first."""
    root = tmp_path / "course"
    for name, text in FILES.items():
        put(root, name, text)
    put(root, "assignments/mini/mini.ipynb", "{}")
    add_second(root, "next", "x = 1\n")
    manifest = root / "assignments/next/assignment.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + "continues: mini\n", encoding="utf-8")
    return root


@pytest.fixture
def bob(tmp_path: Path) -> Path:
    """Bob's repository, beside Alice's, outside the course."""
    for name in ("alice", "bob"):
        (tmp_path / "subs" / name / ".git").mkdir(parents=True)
        put(tmp_path / "subs" / name, "mini/mini.py", f"who = '{name}'\n")
    return tmp_path / "subs" / "bob"


def link(path: Path, to: Path | str) -> Path:
    """A symbolic link instead of whatever is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(to)
    return path


def refused(path: Path) -> str:
    """Return the error about a file that is not read, without its name."""
    with pytest.raises(SubmissionError) as caught:
        read_submission(path)
    return str(caught.value).removeprefix(f"{path}: ")


def source(path: Path) -> str:
    """The code that is read."""
    return read_submission(path).blocks[0].source


# --- A submission is a file itself


@pytest.mark.parametrize("to", ["reference", "alice", "absolute", "relative", "dangling"])
def test_a_link_is_refused(root: Path, bob: Path, to: str, snapshot):
    """Wherever it leads; it is not read with the grader's rights."""
    target = {
        "reference": root / SOLUTION,
        "alice": bob.parent / "alice/mini/mini.py",
        "absolute": "/etc/passwd",
        "relative": "../../alice/mini/mini.py",
        "dangling": "nowhere.py",
    }[to]

    text = refused(link(bob / "mini/mini.py", target))

    assert text == snapshot


def test_one_own_file_that_is_a_link_is_refused_too(root: Path):
    """The grader always grades the present content."""
    put(root, "elsewhere.py", "x = 1\n")

    assert "symbolic link" in refused(link(root / "mine.py", "elsewhere.py"))


@pytest.mark.parametrize("place", ["mini", "deep/mini", "deep"])
def test_a_folder_that_is_a_link_is_refused(bob: Path, place: str, snapshot):
    """Anywhere in the repository; the folder is named."""
    folder = bob / "theirs" / place
    link(bob / "theirs", bob.parent / "alice")
    put(bob.parent / "alice", f"{place}/mini.py", "who = 'alice'\n")

    assert refused(folder / "mini.py") == snapshot


def test_a_link_to_another_repository_does_not_become_its_own_top(bob: Path):
    """The folder behind the link contains `.git`, which is not Bob's."""
    link(bob / "mini2", "../alice")

    assert "symbolic link" in refused(put(bob, "mini2/mini.py", "x = 1\n"))


def test_without_a_repository_the_folder_of_the_file_counts(tmp_path: Path):
    """An unpacked archive: `bob/day2 -> ../alice/day2`."""
    put(tmp_path, "alice/day2/mini.py", "who = 'alice'\n")
    (tmp_path / "bob").mkdir()

    assert "symbolic link" in refused(link(tmp_path / "bob/day2", "../alice/day2") / "mini.py")


def test_a_linked_folder_above_the_repository(tmp_path: Path, bob: Path):
    """Of the user's own making, like /tmp and /var of macOS."""
    way = link(tmp_path / "way", bob.parent)

    assert source(way / "bob/mini/mini.py") == "who = 'bob'\n"


def test_a_linked_home_folder(tmp_path: Path, bob: Path, monkeypatch):
    """Also for a file in no repository, and for one at its top."""
    put(bob.parent, "mine.py", "x = 1\n")
    monkeypatch.setenv("HOME", str(link(tmp_path / "home", bob.parent)))

    assert source(tmp_path / "home/mine.py") == "x = 1\n"
    assert source(tmp_path / "home/bob/mini/mini.py") == "who = 'bob'\n"


def test_a_way_back_through_a_link(bob: Path, monkeypatch):
    """`link/../file` is the file that its name says, not one beside the folder that the link leads to."""
    link(bob / "theirs", "../alice/mini")
    put(bob, "mini.py", "who = 'bob'\n")
    put(bob.parent, "alice/mini.py", "who = 'alice'\n")
    monkeypatch.chdir(bob)

    assert source(Path("theirs/../mini.py")) == "who = 'bob'\n"


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, monkeypatch, kind: str, snapshot):
    """A pipe without a writer would be waited for to the end of time."""
    import socket

    path = tmp_path / "mine.py"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    elif os.geteuid() == 0:
        os.mknod(path, 0o20600, os.makedev(1, 5))  # reads as zeros without an end
    else:
        pytest.skip("needs root: to make a device")

    assert refused(path) == snapshot


def test_a_file_outside_of_the_folder(tmp_path: Path):
    """`..` leads nowhere, as a link does."""
    put(tmp_path, "other/mine.py", "x = 1\n")
    (tmp_path / "here").mkdir()

    with pytest.raises(OSError, match="it is outside"):
        read_plain(tmp_path / "here/../other/mine.py", 10, tmp_path / "here")


def test_a_file_that_becomes_a_link(tmp_path: Path, monkeypatch, snapshot):
    """Between the look at it and the reading: it is opened as what it is."""
    path, real = put(tmp_path, "mine.py", "x = 1\n"), os.open

    def open_later(name, flags, *rest, **more):
        link(path, "/etc/passwd")
        return real(name, flags, *rest, **more)

    monkeypatch.setattr(os, "open", open_later)

    assert refused(path) == snapshot


# --- One's own work and somebody else's


@pytest.fixture
def counts_as(root: Path, monkeypatch):
    """As whose work a file is graded where no jail can be closed; nothing is executed."""
    monkeypatch.setattr(
        grading, "open_grader", lambda *_: nullcontext(SimpleNamespace(grade=lambda *_, **__: "own"))
    )

    def counts_as(path: Path) -> str:
        try:
            return grading.grade(Assignment(Course(root), "mini"), path, Launcher(fork=False))
        except Refused as error:
            found = re.search("this file is not in the course folder, so it counts as (.*?) work", str(error))
            if found is None:
                raise
            return found[1]

    return counts_as


@pytest.mark.parametrize("name", ["mine.py", "assignments/mini/mini.py", "notes/a/b/mini.py"])
def test_what_lies_in_the_course_folder_is_ones_own(root: Path, counts_as, name: str):
    """At whatever depth."""
    assert counts_as(put(root, name, "x = 1\n")) == "own"


def test_what_lies_outside_is_somebody_elses(bob: Path, counts_as):
    """Bob's repository."""
    assert counts_as(bob / "mini/mini.py") == "someone else's"


def test_a_course_folder_that_is_reached_by_a_link_is_ones_own(tmp_path: Path, root: Path, counts_as):
    """The link is above the course: the user's own."""
    put(root, "mine.py", "x = 1\n")
    put(root, "assignments/mini/mini.py", "x = 1\n")
    way = link(tmp_path / "way", tmp_path)

    assert counts_as(way / "course/mine.py") == "own"
    assert counts_as(link(tmp_path / "mycourse", root) / "assignments/mini/mini.py") == "own"


def test_a_link_from_outside_into_the_course_is_not_ones_own(tmp_path: Path, root: Path, counts_as):
    """The link leads into the course folder, but its own folder is outside."""
    link(tmp_path / "bob/stolen", root / "solutions")

    assert counts_as(tmp_path / "bob/stolen/mini/mini.py") == "someone else's"


def test_a_link_out_of_the_course_is_not_ones_own(tmp_path: Path, root: Path, counts_as):
    """Its path is in the course folder, but the file itself is not."""
    put(tmp_path, "alice/a/b/mini.py", "x = 1\n")
    link(root / "bob", tmp_path / "alice")

    assert counts_as(root / "bob/a/b/mini.py") == "someone else's"


def test_a_repository_in_the_course_folder_is_somebody_elses(root: Path, counts_as):
    """An instructor collects there; a student's repository of one assignment is the student's."""
    for name in ("collected/bob", "assignments/mini"):
        (root / name / ".git").mkdir(parents=True)
        put(root, f"{name}/mini.py", "x = 1\n")

    assert counts_as(root / "collected/bob/mini.py") == "someone else's"
    assert counts_as(root / "assignments/mini/mini.py") == "own"


@pytest.mark.parametrize(
    "name", [SOLUTION, "solutions/mini/mistakes/doubling.py", "assignments/mini/mini.py"]
)
def test_a_hard_link_to_a_file_of_the_course_is_refused(
    root: Path, bob: Path, counts_as, name: str, snapshot
):
    """A second name of the reference is the reference."""
    theirs, ours = bob / "mini/mini.py", put(root, name, "x = 1\n")
    theirs.unlink()
    theirs.hardlink_to(ours)

    with pytest.raises(SubmissionError) as caught:
        counts_as(theirs)

    assert str(caught.value) == snapshot


def test_a_hard_link_to_another_file(bob: Path, counts_as):
    """Backups are made of them."""
    (bob / "mini/copy.py").hardlink_to(bob / "mini/mini.py")

    assert counts_as(bob / "mini/mini.py") == "someone else's"


def test_somebody_elses_file_by_a_relative_path_leaves_no_points(root: Path, bob: Path):
    """The overview counts one's own work only."""
    put(bob, "mini/mini.py", FILES[SOLUTION])

    ran = grade("mini", Path("../subs/bob/mini/mini.py"), "--allow-weak-isolation", cwd=root)

    assert ran.code == 0
    assert not (root / "feedback/mini.json").exists()


# --- The earlier assignment that one continues


def before(root: Path, path: Path) -> tuple[list[str], list[str]]:
    """The code of the earlier submission that is found for this one, and what is noted."""
    blocks, notes = continued_blocks(Assignment(Course(root), "next"), read_submission(path))
    return [block.source for block in blocks], notes


def test_the_earlier_one_in_the_folder_beside(root: Path, bob: Path):
    """`next/next.py` continues `mini/mini.py`."""
    assert before(root, put(bob, "next/next.py", "x = 1\n")) == (["who = 'bob'\n"], [])


def test_the_earlier_one_in_the_same_folder(root: Path, bob: Path):
    """However that is called."""
    put(bob, "mini.py", "who = 'bob, flat'\n")

    assert before(root, put(bob, "next.py", "x = 1\n")) == (["who = 'bob, flat'\n"], [])


def test_an_earlier_one_that_was_not_released_is_nothing(root: Path, bob: Path):
    """One day alone is released: the notebook has a cell to paste into, and nothing is loaded before it."""
    shutil.rmtree(root / "assignments/mini")

    assert before(root, put(bob, "next/next.py", "x = 1\n")) == ([], [])
    assert continued_files(Assignment(Course(root), "next"), bob / "next/next.py") == []


def test_the_earlier_one_is_not_looked_for_above_the_repository(root: Path, tmp_path: Path):
    """`subs/mini` belongs to a student who is called so, whatever this repository is called."""
    put(tmp_path, "subs/mini/mini.py", "who = 'a student called mini'\n")
    for name in ("bob", "next"):
        (tmp_path / "subs" / name / ".git").mkdir(parents=True)
        assert before(root, put(tmp_path, f"subs/{name}/next.py", "x = 1\n")) == ([], [])


def test_the_earlier_one_beside_a_folder_of_another_name(root: Path, tmp_path: Path):
    """Unpacked archives: the folder of the file is a student's, not the assignment's."""
    put(tmp_path, "subs/mini/mini.py", "who = 'a student called mini'\n")

    assert before(root, put(tmp_path, "subs/bob/next.py", "x = 1\n")) == ([], [])


@pytest.mark.parametrize("where", ["folder", "file", "hard", "pipe"])
def test_an_earlier_one_that_is_refused_is_a_note(root: Path, bob: Path, where: str):
    """It does not cost this one; nothing of what it leads to is loaded."""
    path, file = put(bob, "next/next.py", "x = 1\n"), bob / "mini/mini.py"
    file.unlink()
    if where == "folder":
        file.parent.rmdir()
        link(bob / "mini", "../alice/mini")
    elif where == "file":
        link(file, root / SOLUTION)
    elif where == "hard":
        file.hardlink_to(root / SOLUTION)
    else:
        os.mkfifo(file)

    blocks, (note,) = before(root, path)

    assert blocks == []
    assert note.startswith(f"{file}: ")


# --- What we write


def test_a_file_is_written_whole_and_nothing_else_is_left(tmp_path: Path):
    """In the folder lies what was written, readable for whom the user lets read."""
    path = put(tmp_path, "report.txt", "old\n")
    path.chmod(0o640)

    write_text(path, "× new\n", tmp_path)

    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == "× new\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_in_the_course_is_replaced(tmp_path: Path):
    """`report.txt -> ~/.bashrc`: what it leads to stays as it is."""
    precious = put(tmp_path, "home/.bashrc", "precious\n")
    path = link(tmp_path / "course/report.txt", precious)

    write_text(path, "new\n", tmp_path / "course")

    assert precious.read_text(encoding="utf-8") == "precious\n"
    assert path.read_text(encoding="utf-8") == "new\n"
    assert not path.is_symlink()


def test_a_folder_in_the_course_that_is_a_link_is_refused(tmp_path: Path, snapshot):
    """`reports -> ~/.ssh`."""
    home = tmp_path / "home"
    home.mkdir()
    folder = link(tmp_path / "course/reports", home)

    with pytest.raises(Refused) as caught:
        write_text(folder / "new/report.txt", "new\n", tmp_path / "course", make_folder=True)

    assert list(home.iterdir()) == []
    assert str(caught.value) == snapshot


def test_a_file_in_the_place_of_a_folder(tmp_path: Path):
    """On the way, and instead of the course itself."""
    file = put(tmp_path, "file", "x\n")

    for path, course in ((file / "new/report.txt", tmp_path), (file / "report.txt", file)):
        with pytest.raises(Refused, match="cannot be written"):
            write_text(path, "new\n", course, make_folder=True)


def test_a_link_of_ones_own_is_followed(tmp_path: Path):
    """Outside the course, where no student has a say: also /dev/stdout is one."""
    (tmp_path / "course").mkdir()
    file = put(tmp_path, "reports/today.txt", "old\n")
    path = link(tmp_path / "latest.txt", file)

    write_text(path, "new\n", tmp_path / "course")

    assert path.is_symlink()
    assert file.read_text(encoding="utf-8") == "new\n"


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path):
    """The place, the system's reason."""
    path = tmp_path / "report.txt"
    path.mkdir()

    with pytest.raises(Refused, match="cannot be written: Is a directory"):
        write_text(path, "new\n", tmp_path)

    assert list(tmp_path.iterdir()) == [path]


def test_feedback_is_not_written_through_links(root: Path, bob: Path, snapshot):
    """The grading still shows, for the folder and for the file."""
    path = put(root, "mine.py", "def double(x): return x + x\n")
    precious = put(bob, "mini.json", "precious\n")
    link(root / "feedback", bob)
    ran = grade("mini", path, cwd=root)
    assert ran.code == 1
    assert "60 of 100 points" in ran.out
    assert ran.text == snapshot
    assert precious.read_text(encoding="utf-8") == "precious\n"

    (root / "feedback").unlink()
    link(root / "feedback/mini.json", precious)
    ran = grade("mini", path, "--format", "json", "--output", link(root / "here.json", precious), cwd=root)

    assert ran.code == 1
    assert precious.read_text(encoding="utf-8") == "precious\n"
    kept = (root / "feedback/mini.json", root / "here.json")
    assert [json.loads(file.read_text(encoding="utf-8"))["score"] for file in kept] == [60, 60]


@pytest.mark.parametrize("text", ["precious\n", "{}\n"])
def test_generated_files_are_not_written_through_links(root: Path, bob: Path, monkeypatch, text: str):
    """A stub that is a link is replaced by a stub, also where it leads to the same text."""
    precious = put(bob, "precious.txt", text)
    stub = link(root / "assignments/mini/mini.ipynb", precious)
    suite = SimpleNamespace(collect=lambda: SimpleNamespace(broken={}))
    runner = SimpleNamespace(grader=SimpleNamespace(suite=suite))
    monkeypatch.setattr("grader.authoring.generated.open_runner", lambda *_, **__: nullcontext(runner))
    monkeypatch.setattr("grader.authoring.generated.make_files", lambda *_, **__: ({stub: "{}\n"}, [], []))

    assert write_generated(Assignment(Course(root), "mini")) == [(stub, True)]

    assert precious.read_text(encoding="utf-8") == text
    assert not stub.is_symlink()
    assert stub.read_text(encoding="utf-8") == "{}\n"


# --- What we read again

REPORT = {
    "schema": "backgrade/report/v1", "assignment": {"id": "mini", "title": ""}, "started": "", "seconds": 0.1,
    "submission": {"path": "mine.py", "sha256": "0", "modified": ""}, "score": 60, "max_score": 100,
    "grader": {"version": "", "suite_sha256": "", "python": "", "isolation": []}, "outcome": "failed",
    "hidden_checks": True, "notes": [],
    "checks": [{"id": "box", "title": "", "outcome": "failed", "score": 0, "max_score": 40, "visibility": "both"}],
}  # fmt: skip


def left(root: Path, **changes: object) -> Course:
    """A course in which a report of this kind was left."""
    put(root, "feedback/mini.json", json.dumps(REPORT | changes))
    return Course(root)


def test_what_is_left_of_the_last_grading(root: Path, snapshot):
    """The overview shows it."""
    assert render_progress(left(root)) == snapshot


def test_nothing_is_left_to_do(root: Path, snapshot):
    """Without hidden checks the report does not say that everything passes."""
    shutil.rmtree(root / "assignments" / "next")
    file = "assignments/mini/mini.ipynb"
    sha256 = hashlib.sha256((root / file).read_bytes()).hexdigest()
    done = {"outcome": "passed", "submission": {"path": file, "sha256": sha256, "modified": ""}}

    assert render_progress(left(root, **done)).endswith("Everything passes.\n")
    assert render_progress(left(root, **done, hidden_checks=False)) == snapshot


def test_feedback_that_would_hang_is_passed_over(root: Path):
    """A pipe, a file without an end, one that does not fit into memory."""
    put(root, "assignments/next/next.ipynb", "{}")
    (root / "feedback").mkdir()
    os.mkfifo(root / "feedback/mini.json")
    with (root / "feedback/next.json").open("wb") as file:
        file.truncate(1 << 40)

    ran = grade(cwd=root)

    assert ran.out.count("not graded yet") == 2


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"unknown": ' + "[" * 100_000 + "]" * 100_000 + "}", "1e999999999", "9" * 100_000],
    ids=["open", "deep", "large", "long"],
)
def test_feedback_that_is_no_report_is_passed_over(root: Path, text: str):
    """Whatever is wrong with it."""
    put(root, "feedback/mini.json", text)

    assert "not graded yet" in render_progress(Course(root))


@pytest.mark.parametrize("kind", ["pipe", "endless", "zero", "outside", "long"])
def test_feedback_that_names_another_file(root: Path, bob: Path, kind: str):
    """A pipe or an endless file that the feedback names neither stops nor breaks the command."""
    name = {
        "endless": "../" * 30 + "dev/zero",
        "zero": "a\0b",
        "outside": "../subs/bob/mini/mini.py",
        "long": "x" * 9_000,
    }
    if kind == "pipe":
        os.mkfifo(root / "pipe")

    shown = render_progress(
        left(root, submission={"path": name.get(kind, "pipe"), "sha256": "0", "modified": ""})
    )

    assert "60/100" in shown
    assert shown.endswith("Next: run `grade mini`.\n")

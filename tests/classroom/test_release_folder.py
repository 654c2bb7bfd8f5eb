"""`grade release`: where a template may be written, and what is asked before anything is lost."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from minicourse import change, put
from releasing import Instructor, tree

links = pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")


# --- Where it may be written


@pytest.mark.parametrize(
    "place", ["course", "course/t", "course/assignments/t", "course/solutions", ".", "course/../course/x"]
)
def test_never_into_the_course(teacher: Instructor, tmp_path: Path, place: str, snapshot) -> None:
    """Nor above it, by whatever name."""
    before = tree(tmp_path)

    ran = teacher.release(tmp_path / place)

    assert ran.code == 2
    assert ran.text == snapshot
    assert tree(tmp_path) == before


def test_a_forgotten_folder(teacher: Instructor, snapshot) -> None:
    """`grade release mini` is no release of everything into ./mini."""
    ran = teacher.release("mini")

    assert ran.code == 2
    assert ran.text == snapshot


@pytest.mark.parametrize("words", [("../t", "mini"), ("--classroom50", "../t", "mini"), ("../t", "../u")])
def test_the_folder_comes_last(teacher: Instructor, tmp_path: Path, words: tuple[str, ...], snapshot) -> None:
    """Wherever else it was typed, the line that works is shown."""
    ran = teacher.release(*words)

    assert ran.code == 2
    assert ran.text == snapshot
    assert f"as in `grade release {'mini ../t' if 'mini' in words else '../t'}`" in ran.text
    assert not (tmp_path / "t").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other words for it")
def test_a_folder_that_cannot_be_looked_at(teacher: Instructor, tmp_path: Path, snapshot) -> None:
    """A name that is too long and a closed folder are refused with a sentence, for root too."""
    ran = teacher.release(tmp_path / ("t" * 300))

    assert ran.code == 2
    assert ran.text == snapshot


def test_a_mistyped_day(teacher: Instructor, folder: Path, snapshot) -> None:
    """The nearest one is named, and nothing is written."""
    ran = teacher.release("mimi", folder)

    assert ran.code == 2
    assert ran.text == snapshot
    assert not folder.exists()


@links
def test_links_in_the_folder(teacher: Instructor, folder: Path, tmp_path: Path, snapshot) -> None:
    """A prepared folder cannot lead files elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "docs").symlink_to(elsewhere)
    (tmp_path / "linked").symlink_to(elsewhere)

    inside, itself = teacher.release(folder, "--yes"), teacher.release(tmp_path / "linked", "--yes")

    assert (inside.code, itself.code) == (2, 2)
    assert inside.text == snapshot
    assert itself.text == snapshot
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["README.md/x", "docs", "assignments/mini"])
def test_something_of_another_kind_in_the_way(teacher: Instructor, folder: Path, name: str) -> None:
    """A folder where a file belongs, a file where a folder belongs."""
    put(folder, name, "")

    ran = teacher.release(folder, "--yes")

    assert ran.code == 2
    assert "in the way of" in ran.text


def test_a_folder_that_holds_something_else(teacher: Instructor, folder: Path, snapshot) -> None:
    """The command lists files to overwrite and foreign files; without a terminal it writes nothing."""
    put(folder, "README.md", "mine\n")
    put(folder, "thesis.tex", "mine too\n")
    put(folder, ".venv/pyvenv.cfg", "made by the set-up line\n")

    ran = teacher.release(folder)

    assert ran.code == 2
    assert "will be overwritten: README.md" in ran.text
    assert "thesis.tex" in ran.text
    assert ran.text == snapshot
    assert ".venv" not in ran.text
    assert (folder / "README.md").read_text() == "mine\n"


@pytest.mark.parametrize(("answer", "code"), [("n\n", 2), ("", 130), ("y\n", 0)])
def test_the_answer_counts(teacher: Instructor, folder: Path, answer: str, code: int) -> None:
    """At a terminal it asks; the end of the input is no yes."""
    put(folder, "README.md", "mine\n")

    ran = teacher.release(folder, answer=answer)

    assert ran.code == code
    assert ((folder / "README.md").read_text() == "mine\n") == (code != 0)


# --- A release into an earlier one


def test_an_earlier_release_is_brought_up_to_date(teacher: Instructor, mini: Path, folder: Path) -> None:
    """Without a question, for everything in it is ours and as we left it; what changed is said."""
    teacher.release(folder)
    change(mini, "assignments/mini/checks/test_box.py", "A box grows", "A box becomes larger")

    ran, again = teacher.release(folder), teacher.release(folder)

    assert ran.code == 0
    assert [line for line in ran.out.split("\n") if line.startswith("  c") and "cd" not in line] == [
        "  changed  assignments/mini/checks/test_box.py"
    ]
    assert b"A box becomes larger" in tree(folder)["assignments/mini/checks/test_box.py"]
    assert "was up to date" in again.text


def test_what_was_changed_by_hand_is_asked_for(teacher: Instructor, folder: Path, snapshot) -> None:
    """The instructor added a line to the README; an update would take it away."""
    teacher.release(folder)
    (folder / "README.md").write_text("my own\n")
    put(folder, "LICENSE", "mine\n")

    refused, agreed = teacher.release(folder), teacher.release(folder, "--yes")

    assert refused.code == 2
    assert refused.text == snapshot
    assert agreed.code == 0
    assert "my own" not in (folder / "README.md").read_text(encoding="utf-8")
    assert (folder / "LICENSE").read_text() == "mine\n"


def test_a_file_that_is_no_more_is_removed(teacher: Instructor, mini: Path, folder: Path) -> None:
    """Asked for, as every loss is; and what somebody changed in it stays."""
    for name in ("a/one.txt", "two.txt"):
        put(mini, f"assignments/mini/{name}", "data\n")
    teacher.release(folder)
    (folder / "assignments/mini/two.txt").write_text("changed\n")
    for name in ("a/one.txt", "two.txt"):
        (mini / "assignments/mini" / name).unlink()

    refused, agreed = teacher.release(folder), teacher.release(folder, "--yes")

    assert refused.code == 2
    assert "will be removed: assignments/mini/a/one.txt" in refused.text
    assert agreed.code == 0
    assert not (folder / "assignments/mini/a").exists()
    assert (folder / "assignments/mini/two.txt").read_text() == "changed\n"


def test_a_forged_record_removes_nothing_outside(teacher: Instructor, folder: Path, tmp_path: Path) -> None:
    """A name in the record counts only for existing files of the folder."""
    mine = put(tmp_path, "mine.txt", "")
    put(
        folder,
        ".github/backgrade.json",
        json.dumps({"format": 1, "files": {"../mine.txt": "e3b0c44298fc1c14"}}),
    )

    ran = teacher.release(folder, "--yes")

    assert ran.code == 0, ran.text
    assert mine.exists()


# --- What lies among the files for students and is not for them

HIDDEN = "solutions/mini/checks/test_double.py"
LONG = """\
def test_doubles_a_secret(student):
    \"\"\"double() doubles.\"\"\"
    secret = 12345
    answer = student.double(secret)
    assert answer == 2 * secret
"""
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".env", "TOKEN=1"),
        (".env.local", "TOKEN=1"),
        ("checks/.env", "TOKEN=1"),
        (".netrc", ""),
        ("id_rsa", "x"),
        ("id_ed25519.pub", "x"),
        ("data/server.pem", "x"),
        ("notes.txt", KEY),
        ("notes.md", "use ghp_" + "a1" * 18),
        ("results.db", "x"),
        ("results.db-wal", "x"),
        ("kept", "SQLite format 3\0"),
        ("salt.txt", "pepper"),
        ("roster.csv", "a\n"),
        ("people.csv", "student,github\nada,ada\n"),
        ("people.csv", "name;Github\r\nAda;ada\r\n"),
        ("people.csv", "Student;Points\nAda;7\n"),
        ("data/people.csv", "student,e-mail\nada,ada@uni.example\n"),
        ("checks/test_hidden.py", "def test_it(): ..."),
        ("checks/old/test_double.py", "def test_it(): ..."),
        ("checks/solved.ipynb", "{}"),
        ("checks/test_double.txt", None),
        ("old/double.py", None),
        ("old/double.py.save", None),
        ("server.env.local", "TOKEN=1"),
        ("checks/test_double.py", None),
        ("notes.md", "the salt is `a pinch of salt`"),
    ],
)
def test_a_stray_file_is_named_and_stops_the_release(
    teacher: Instructor, mini: Path, folder: Path, name: str, text: str | None
) -> None:
    """Keys, a class's records, hidden checks under any name; None is a copy of a hidden check."""
    put(mini, HIDDEN, LONG)
    put(mini, "solutions/mini/salt.txt", "a pinch of salt\n")
    put(mini, f"assignments/mini/{name}", LONG if text is None else text)
    ran = teacher.release(folder)
    assert ran.code == 2, ran.text
    assert f"assignments/mini/{name}: students would get this file" in ran.err.replace(os.sep, "/")
    assert "release again" in ran.err
    assert not folder.exists()


def test_data_may_be_about_students(teacher: Instructor, mini: Path, folder: Path) -> None:
    put(mini, "assignments/mini/data/reading.csv", "student,hours,score\n1,7,80\n")
    ran = teacher.release(folder)
    assert ran.code == 0, ran.text
    assert (folder / "assignments/mini/data/reading.csv").is_file()


COPY = LONG.replace("doubles", "trebles")  # a hidden check of another assignment


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "zip in a zip", "notebook", "another day"])
def test_a_hidden_check_in_another_file(teacher: Instructor, mini: Path, folder: Path, kind: str) -> None:
    """It is found in archives and notebooks, and in the files of another assignment."""
    put(mini, HIDDEN, LONG)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("old/double.txt", LONG)
    if kind.startswith("tar"):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz" if kind == "tar.gz" else "w") as tar:
            member = tarfile.TarInfo("double.txt")
            member.size = len(LONG)
            tar.addfile(member, io.BytesIO(LONG.encode()))
    inner, name, data = packed.getvalue(), "old.bin", packed.getvalue()
    if kind == "zip in a zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("inner.zip", inner)
        data = packed.getvalue()
    if kind == "notebook":
        cell = {"cell_type": "code", "source": LONG.splitlines(keepends=True)}
        name, data = "notes.ipynb", json.dumps({"cells": [cell]}).encode()
    if kind == "another day":
        other = mini / "solutions/later/checks/test_later.py"
        shutil.copytree(mini / "assignments/mini", mini / "assignments/later")
        put(mini, other.relative_to(mini).as_posix(), COPY)
        name, data = "x.txt", COPY.encode()
    (mini / "assignments/mini" / name).write_bytes(data)
    ran = teacher.release("mini", folder)
    assert (ran.code, "lines of the hidden check file test_" in ran.err, name in ran.err) == (
        2,
        True,
        True,
    ), ran.text
    assert not folder.exists()


def test_what_tools_keep_of_a_hidden_check_does_not_ship(
    teacher: Instructor, mini: Path, folder: Path
) -> None:
    """A checkpoint, compiled code, a link to it."""
    put(mini, HIDDEN, LONG)
    put(mini, "assignments/mini/.ipynb_checkpoints/test_double-checkpoint.py", LONG)
    put(mini, "assignments/mini/checks/__pycache__/test_double.cpython-311.pyc", LONG)
    (mini / "assignments/mini/link.py").symlink_to(mini / HIDDEN)
    ran = teacher.release(folder)
    assert ran.code == 0, ran.text
    assert not [
        path for path in folder.rglob("*") if path.is_file() and LONG in path.read_text(errors="replace")
    ]


@pytest.mark.parametrize(
    "name",
    ["data.csv", ".gitkeep", "pictures/key.svg", "checks/_helpers.py", "helpers.py", "checks/values.json"],
)
def test_a_file_for_students_ships(teacher: Instructor, mini: Path, folder: Path, name: str) -> None:
    """A table without students, a helper of the checks, a module beside the notebook."""
    put(mini, HIDDEN, LONG)
    put(mini, f"assignments/mini/{name}", "hours,points\n1,2\n" if name.endswith("csv") else "")
    ran = teacher.release(folder)
    assert ran.code == 0, ran.text
    assert (folder / "assignments/mini" / name).exists()


# --- When hidden checks answer


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "the hidden checks for mini put a mark with a link on your newest commit,\nusually within half an hour, for at most 5 pushes a day"),
        ("hidden: {per_day: 2}\n", "for at most 2 pushes a day"),
        ("hidden: final\n", "The result of the hidden checks for mini comes with the final grade."),
    ],
)  # fmt: skip
def test_the_page_says_when_hidden_checks_answer(
    teacher: Instructor, mini: Path, folder: Path, line: str, told: str
) -> None:
    """As the manifest has it, which ships too."""
    change(mini, "assignments/mini/assignment.yaml", "checks:", f"{line}checks:")
    assert teacher.release(folder).code == 0
    page = (folder / "README.md").read_text()
    assert told in page
    assert "{" not in page

"""Files that are no submission, and files of another shape that are one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import cells, grade, grade_json, hand_in, notebook, reference, stub_name

USAGE = 2
DAY2, DAY3 = stub_name("day2"), stub_name("day3")


# --- Files that are no submission


def test_stub_is_gone(course: Path) -> None:
    """Without a path, the notebook in the assignment's folder is meant."""
    (course / "assignments" / "day2" / DAY2).unlink()
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert f"{DAY2}: there is no such file" in ran.text


@pytest.mark.ci
def test_stub_has_another_name(course: Path) -> None:
    """Renamed, or fetched a second time by a browser: what is there instead is reported."""
    stub = course / "assignments" / "day2" / DAY2
    stub.rename(stub.with_name("mine (1).ipynb"))
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert f"{DAY2}: " in ran.text
    assert "`mine (1).ipynb`" in ran.text


def test_no_such_file(course: Path) -> None:
    """A path that leads nowhere."""
    ran = grade("day2", "mine.ipynb", cwd=course)
    assert ran.code == USAGE
    assert "mine.ipynb: there is no such file" in ran.text


@pytest.mark.ci
def test_folder_as_path(course: Path) -> None:
    """A folder instead of the file in it."""
    ran = grade("day2", "assignments", cwd=course)
    assert ran.code == USAGE
    assert "assignments: this is a folder" in ran.text


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
NOT_NOTEBOOKS = {
    "picture": ("picture.ipynb", PNG, "picture.ipynb: not a notebook"),
    "text": ("notes.txt", b"a = 1\n", "notes.txt: hand in the notebook (.ipynb) or the same thing as a .py"),
    "python as notebook": ("mine.ipynb", b"a = 1\n", "mine.ipynb: not a notebook"),
    "truncated": ("mine.ipynb", notebook("a = 1").encode()[:-40], "it ends in the middle"),
    "another json": ("mine.ipynb", b'{"a": 1}', "this is JSON, but not a notebook"),
    "nested json": ("mine.ipynb", b"[" * 100_000 + b"]" * 100_000, "mine.ipynb: "),
    "empty": ("mine.ipynb", b"", "the file is empty"),
    "empty python": ("mine.py", b"", "there is no code in it"),
    "no cells": ("mine.ipynb", notebook().encode(), "there is no code in it"),
    "latin-1 python": ("mine.py", b"name = '\xe9'\n", "save the file as UTF-8"),
}


@pytest.mark.parametrize("name", NOT_NOTEBOOKS)
def test_not_a_notebook(course: Path, name: str) -> None:
    """The file is named, and what is wrong with it."""
    file, data, expected = NOT_NOTEBOOKS[name]
    hand_in(course, data, file)
    ran = grade("day2", file, cwd=course)
    assert ran.code == USAGE
    assert file in ran.text
    assert expected in ran.text


def test_notebook_of_another_day(course: Path) -> None:
    """A notebook says of which day it is; the message says what to type instead."""
    path = hand_in(course, notebook(*cells("day3"), backgrade={"assignment": "day3"}))
    ran = grade("day2", path.name, cwd=course)
    assert ran.code == USAGE
    assert "mine.ipynb: " in ran.text
    assert "`grade day3 mine.ipynb`" in ran.text


@pytest.mark.ci
def test_notebook_of_an_assignment_that_there_is_not(course: Path) -> None:
    """The message has the name that it declares, and never in a command to copy."""
    path = hand_in(course, notebook("x = 1", backgrade={"assignment": "$(touch gotcha)"}))
    ran = grade("day2", path, cwd=course)
    assert ran.code == USAGE
    assert "$(touch gotcha)" in ran.text
    assert "`grade" not in ran.text


@pytest.mark.ci
def test_file_named_like_another_day(course: Path) -> None:
    """A .py file says so by its name."""
    name = DAY3.replace(".ipynb", ".py")
    hand_in(course, reference("day3"), name)
    ran = grade("day2", name, cwd=course)
    assert ran.code == USAGE
    assert "day3" in ran.text


@pytest.mark.ci
def test_two_megabytes_of_code(course: Path) -> None:
    """A data set that was pasted into a cell is asked to be taken out."""
    hand_in(course, notebook(*cells("day2"), "data = [" + "1.25, " * 350_000 + "]"))
    ran = grade("day2", "mine.ipynb", cwd=course)
    assert ran.code == USAGE
    assert "is a data set pasted into a cell?" in ran.text


# --- Files of another shape


def test_notebook_as_jupyter_saves_it(course: Path) -> None:
    """Cells are lists of lines; cells that are no code count too; outputs of 20 MB do not matter."""
    made = json.loads(notebook("not python (", "nor this (", *cells("day2"), "1 / 0"))
    made["cells"][0]["cell_type"], made["cells"][1]["cell_type"] = "markdown", "raw"
    made["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 100] * 210_000}]
    for cell in made["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    path = hand_in(course, json.dumps(made))
    assert path.stat().st_size > 20 << 20
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    (note,) = report.notes
    assert note.startswith(f"cell {len(made['cells'])}, line 1: ZeroDivisionError")


@pytest.mark.ci
def test_notebook_of_format_3(course: Path) -> None:
    """The refusal names a command, and what that writes is graded."""
    sheet = [
        {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "input": source}
        for source in cells("day2")
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": sheet}]}
    path = hand_in(course, json.dumps(old))
    ran = grade("day2", path, cwd=course)
    assert ran.code == USAGE
    assert "this notebook has the old format nbformat 3; open it in Jupyter and save it" in ran.text

    program, *words = ran.text.split("`")[1].split()
    assert program == "jupyter"
    subprocess.run([sys.executable, "-m", program, *words, path], check=True, capture_output=True)
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


PYTHON_FILES = {
    "percent": str.encode,
    "plain": lambda _: "\n\n".join(cells("day2")).encode(),  # without tags, so without demo cells
    "from Windows": lambda source: b"\xef\xbb\xbf" + source.replace("\n", "\r\n").encode(),
    "declared encoding": lambda source: b"# -*- coding: latin-1 -*-\n" + source.encode("latin-1", "replace"),
    "main": lambda source: source.encode() + b'\nif __name__ == "__main__":\n    raise SystemExit("ran")\n',
}


@pytest.mark.parametrize("name", PYTHON_FILES)
def test_python_file(course: Path, name: str) -> None:
    """A .py file is graded as the notebook is, in whatever shape an editor left it."""
    data = PYTHON_FILES[name](reference("day2"))
    report = grade_json("day2", hand_in(course, data, "mine.py"), cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


@pytest.mark.ci
def test_place_in_a_python_file(course: Path) -> None:
    """Lines are counted from the top of the file."""
    report = grade_json("day2", hand_in(course, f"{reference('day2')}\n# %%\n1 / 0\n", "mine.py"), cwd=course)
    line = len(reference("day2").split("\n")) + 2
    (note,) = report.notes
    assert note.startswith(f"mine.py, line {line}: ZeroDivisionError")

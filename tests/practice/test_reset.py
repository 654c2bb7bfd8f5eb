"""`grade reset`: the untouched notebook comes back, and what was there is kept."""

import datetime as dt
import os
from pathlib import Path

import pytest
from helpers import notebook, same_as_snapshot
from minicourse import FILES, put

from grader.assignment import Course
from grader.errors import Refused
from grader.practice.hints import hint
from grader.practice.reset import reset

NOW = dt.datetime(2025, 11, 21, 5, 30, 12, tzinfo=dt.UTC)
NOTEBOOK = "assignments/mini/mini.ipynb"
KEPT = "assignments/mini/mini.2025-11-21-053012.ipynb"
STUB = notebook("def double(x):\n    raise NotImplementedError")
MINE = notebook("def double(x):\n    return x + x")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small course as a student has it, with work in its notebook."""
    for name, text in FILES.items():
        if name.startswith("assignments/"):
            put(tmp_path, name, text)
    put(tmp_path, "assignments/mini/checks/stub.ipynb", STUB)
    put(tmp_path, NOTEBOOK, MINE)
    return tmp_path


def put_back(root: Path) -> str:
    return reset(Course(root).assignment("mini"), NOW)


def text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def test_the_stub_is_back_and_the_work_is_kept(root: Path):
    """The words say what was kept and how it comes back."""
    page = put_back(root)
    assert (text(root, NOTEBOOK), text(root, KEPT)) == (STUB, MINE)
    same_as_snapshot("reset", page)


def test_nothing_is_overwritten(root: Path):
    """Two within a second are two copies."""
    put(root, KEPT, "an older one")
    put_back(root)
    assert text(root, KEPT) == "an older one"
    assert text(root, KEPT.replace("12.ipynb", "12-2.ipynb")) == MINE


def test_the_stub_already(root: Path, snapshot):
    """The notebook is not written, and no copy is made."""
    put(root, NOTEBOOK, STUB)
    before = sorted(root.rglob("*"))
    assert put_back(root) == snapshot
    assert sorted(root.rglob("*")) == before


def test_a_notebook_that_is_gone(root: Path):
    """There is nothing to keep."""
    (root / NOTEBOOK).unlink()
    assert "kept" not in put_back(root)
    assert text(root, NOTEBOOK) == STUB


def test_hints_begin_again(root: Path, snapshot):
    """A fresh start, so the first hint comes first; it says so."""
    assignment = Course(root).assignment("mini")
    hint(assignment, "double")
    assert put_back(root) == snapshot
    assert "hint 1 of 2" in hint(assignment, "double")


def test_without_the_untouched_notebook(root: Path):
    """The missing file is named, and the student's work stays."""
    (root / "assignments/mini/checks/stub.ipynb").unlink()
    with pytest.raises(Refused, match=r"stub\.ipynb: the untouched notebook should be here"):
        put_back(root)
    assert text(root, NOTEBOOK) == MINE


@pytest.mark.skipif(os.name == "nt", reason="an ordinary user makes no links there")
def test_links_are_not_followed(root: Path):
    """A link is followed neither for the notebook nor for the copy."""
    outside = put(root.parent, "outside.ipynb", "outside")
    (root / KEPT).symlink_to(root.parent / "nowhere")
    put_back(root)
    assert not (root.parent / "nowhere").exists()

    (root / NOTEBOOK).unlink()
    (root / NOTEBOOK).symlink_to(outside)
    with pytest.raises(Refused, match="symbolic link"):
        put_back(root)
    assert outside.read_text(encoding="utf-8") == "outside"

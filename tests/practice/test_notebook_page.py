"""`grade DAY --notebook-html FILE`: the notebook as a page, with each result below the cell that it is about."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers import grade, hand_in, notebook
from hostile import report_of
from minicourse import FILES, put

import grader.practice.notebook
from grader.cli import main
from grader.practice.notebook import places_of
from grader.render.cell import Cell
from grader.render.notebook import Place
from grader.report import CheckResult, Location, Outcome, Report

DOUBLE = 'def double(x):\n    """Twice x."""\n    return x + x + 1'
BOX = "class Box:\n    def __init__(self, number):\n        self.number = number"


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A small course with one assignment."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    return tmp_path


def text_of(page: str) -> str:
    """The text of a page without its tags and its styles."""
    return re.sub(r"<[^>]*>", "", re.sub(r"(?s)<style>.*?</style>", "", page))


def about_the_page(errors: str) -> str:
    """The one line about the page on standard error, after the one about this small course's missing records."""
    (line,) = [line for line in errors.splitlines() if "replay.json is missing" not in line]
    return line


# --- The command


def test_the_page_has_the_notebook_and_the_results(mini: Path) -> None:
    """The report is printed as without the option, and the exit code is its own."""
    path = hand_in(mini, notebook("import math", DOUBLE, BOX, 'check("double")'))
    plain = grade("mini", path, cwd=mini)

    ran = grade("mini", path, "--notebook-html", mini / "page.html", cwd=mini)

    assert (ran.code, ran.out, ran.err) == (1, plain.out, plain.err)
    text = text_of((mini / "page.html").read_text(encoding="utf-8"))
    assert "mini: Doubling" in text
    assert "0 of 100 points" in text
    below = " ".join(text.partition("The notebook")[2].split())
    order = ["cell 1", "cell 2", "return x + x + 1", "failed double", "cell 3", "cell 4"]
    assert sorted(order, key=below.index) == order


@pytest.mark.ci
def test_a_python_file_is_shown_in_its_cells(mini: Path) -> None:
    """Their labels are the lines of the file."""
    path = hand_in(mini, f"# %% [markdown]\n# # My work\n\n# %%\n{DOUBLE}\n", "mine.py")
    grade("mini", path, "--notebook-html", mini / "page.html", cwd=mini)
    text = text_of((mini / "page.html").read_text(encoding="utf-8"))
    assert "My work" in text
    assert "lines 5 to 7" in text


def test_a_page_never_takes_the_place_of_a_notebook(mini: Path, snapshot) -> None:
    """Who names the notebook where the page belongs is told so, before anything is written."""
    path = hand_in(mini, notebook(DOUBLE))
    before = path.read_bytes()
    ran = grade("mini", "--notebook-html", path, cwd=mini)
    assert ran.code == 2
    assert ran.text == snapshot
    assert path.read_bytes() == before


def test_a_page_that_cannot_be_written_leaves_the_grade(mini: Path, snapshot) -> None:
    """One line on standard error names the file."""
    path = hand_in(mini, notebook(DOUBLE))
    ran = grade("mini", path, "--notebook-html", mini / "no" / "page.html", cwd=mini)
    assert ran.code == 1
    assert "0 of 100 points" in ran.out
    line = about_the_page(ran.err)
    assert line == snapshot
    assert "page.html: cannot be written" in line


@pytest.mark.ci
@pytest.mark.parametrize("error", [ValueError("a\nb"), RecursionError("deep"), MemoryError()])
def test_an_error_of_the_page_leaves_the_grade(
    mini: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    snapshot,
) -> None:
    """Whatever the libraries raise becomes one line."""

    def fail(*args: object) -> str:
        raise error

    path = hand_in(mini, notebook(DOUBLE))
    monkeypatch.setattr(grader.practice.notebook, "notebook_page", fail)
    monkeypatch.chdir(mini)

    with pytest.raises(SystemExit) as stopped:
        main.main(["mini", str(path), "--notebook-html", "page.html"])

    printed = capsys.readouterr()
    assert stopped.value.code == 1
    assert "0 of 100 points" in printed.out
    line = about_the_page(printed.err)
    assert line == snapshot
    assert not (mini / "page.html").exists()


@pytest.mark.ci
def test_a_file_that_changed_meanwhile_has_no_page(
    mini: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot
) -> None:
    """Its cells are not those that were graded."""
    path = hand_in(mini, notebook(DOUBLE))
    monkeypatch.setattr(grader.practice.notebook, "read_cells", lambda path: ("another hash", []))
    monkeypatch.chdir(mini)
    with pytest.raises(SystemExit):
        main.main(["mini", str(path), "--notebook-html", "page.html"])
    assert capsys.readouterr().err == snapshot


def test_nothing_of_the_notebook_runs(mini: Path) -> None:
    """Rendering is reading: cells that grading leaves out are shown and not executed."""
    marks = mini / "ran"
    path = hand_in(mini, notebook(DOUBLE, f"open({str(marks)!r}, 'w')", tags={2: ["demo"]}))
    grade("mini", path, "--notebook-html", mini / "page.html", cwd=mini)
    assert "open(" in text_of((mini / "page.html").read_text(encoding="utf-8"))
    assert not marks.exists()


@pytest.mark.ci
def test_the_page_of_a_real_notebook(course: Path) -> None:
    """The untouched notebook of day2: every cell, every check below its own `check(...)` or its blank."""
    ran = grade("day2", "--notebook-html", course / "page.html", cwd=course)
    page = (course / "page.html").read_text(encoding="utf-8")
    assert ran.err == ""
    cells = json.loads((course / "assignments/day2/day2_backward_pass.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    assert re.findall(r'id="cell-(\d+)"', page) == [str(number + 1) for number in range(len(cells))]
    assert "Not tied to a cell" not in page
    assert len(set(re.findall(r'<section[^>]* id="(check-\w+)"', page))) == 11


# --- Which cell a check is about


def a_check(**fields: Any) -> CheckResult:
    """A check that failed."""
    return CheckResult("double", "Doubling", Outcome.FAILED, 0.0, 60.0, "visible", **fields)


def place(check: CheckResult, *sources: str) -> Place | None:
    """Return the cell among these that the check is about; its tests read the name `double`."""
    cells = [Cell("code", source, number, "") for number, source in enumerate(sources, start=1)]
    report: Report = msgspec.structs.replace(report_of("x"), checks=[check])
    return places_of(report, cells, "mine.ipynb", {"double": {"double"}}).get("double")


def test_the_location_of_a_failure_comes_first() -> None:
    """With its line; whatever else names the check."""
    check = a_check(where=Location("mine.ipynb", 2, 7))
    assert place(check, 'check("double")', "x = 1", "def double(): ...") == Place(1, 7)


def test_a_location_in_an_earlier_file_is_no_cell_of_this_one() -> None:
    """A submission may continue that of the day before."""
    check = a_check(where=Location("yesterday.ipynb", 2, 7))
    assert place(check, "x = 1", "y = 2", 'check("double")') == Place(2)


def test_the_location_of_a_frame_counts_too() -> None:
    """The innermost one in this file."""
    frames = [Location("mine.ipynb", 1, 1), Location("mine.ipynb", 2, 3)]
    assert place(a_check(frames=frames), "x = 1", "y = 2") == Place(1, 3)


@pytest.mark.parametrize(
    "call", ['check("double")', "check( 'double' )", 'shown = grader.check("double", x=1)']
)
def test_a_check_belongs_to_the_cell_that_calls_it(call: str) -> None:
    """The last one, if there are several."""
    assert place(a_check(), "def double(): ...", call, "x = 1") == Place(1)
    assert place(a_check(), call, "x = 1", call) == Place(2)


@pytest.mark.parametrize(
    "call", ['# check("double")', 'check("other")', 'recheck("double")', "check(double)"]
)
def test_what_only_looks_like_a_call(call: str) -> None:
    """Then the cell counts that defines what the tests read."""
    assert place(a_check(), "def double(): ...", "double = 2", call) == Place(1)


def test_a_check_of_no_cell() -> None:
    """It is listed above the notebook."""
    assert place(a_check(), "x = 1") is None


def test_markdown_that_holds_a_call_is_not_meant() -> None:
    """Only code calls."""
    cells = [Cell("markdown", 'check("double")', 1, "cell 1")]
    report = msgspec.structs.replace(report_of("x"), checks=[a_check()])
    assert places_of(report, cells, "mine.ipynb", {}) == {}

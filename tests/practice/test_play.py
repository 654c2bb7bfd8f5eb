"""`grade play`: the page is written where a browser can open it, and is opened where there is one."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from helpers import grade, notebook, reference, stub_name
from hostile import report_of
from minicourse import FILES, put
from walks import DIAMOND

from grader.assignment import Course
from grader.practice import play
from grader.practice.play import open_page, write_page
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.report import Report

NOTHING_TO_SHOW_IT = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "SSH_CONNECTION": "", "SSH_TTY": ""}


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A student's copy of the miniature course, with the untouched notebook."""
    for name, text in FILES.items():
        if name.startswith("assignments/"):
            put(tmp_path / "mini", name, text)
    return tmp_path / "mini"


def data_of(page: Path) -> dict[str, Any]:
    """The data of the player in a page."""
    text = page.read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json" id="backgrade-player">(.*)</script>', text)
    return json.loads(data)


def test_the_page_is_in_the_course(mini: Path) -> None:
    """Below feedback/, which git ignores; the path is printed, and nothing else."""
    ran = grade("play", "--no-browser", cwd=mini / "assignments")

    page = mini / "feedback" / "play.html"
    assert (ran.code, ran.out, ran.err) == (0, f"{page}\n", "")
    assert data_of(page) == {"mode": "play", "traces": []}


def test_outside_of_a_course_it_is_in_the_cache(tmp_path: Path) -> None:
    """The lesson's graphs need no course; nobody else can read or change the page."""
    ran = grade("play", "--no-browser", cwd=tmp_path, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})

    page = tmp_path / "cache" / "backgrade" / "play" / "play.html"
    assert (ran.code, ran.out) == (0, f"{page}\n")
    assert sys.platform == "win32" or page.stat().st_mode & 0o077 == 0
    assert data_of(page)["mode"] == "play"


def test_it_goes_to_a_file(mini: Path, tmp_path: Path) -> None:
    """`--output` leaves the course alone."""
    ran = grade("play", "--no-browser", "--output", "../mine.html", cwd=mini)

    assert (ran.code, ran.out) == (0, f"{tmp_path / 'mine.html'}\n")
    assert data_of(tmp_path / "mine.html")["mode"] == "play"
    assert not (mini / "feedback").exists()


def test_a_page_that_cannot_be_written(mini: Path, snapshot) -> None:
    """A file is in the place of the folder: the message says what helps."""
    put(mini, "feedback", "a file")

    ran = grade("play", "--no-browser", cwd=mini)

    assert ran.code == 2
    assert "play.html: cannot be written: " in ran.text
    assert ran.text == snapshot


def test_a_day_is_graded_first(mini: Path, snapshot) -> None:
    """Its points are printed, the report is kept, and the exit code is that of `grade mini`."""
    (mini / "assignments/mini/mini.ipynb").write_text(
        notebook("def double(x):\n    return 3 * x"), encoding="utf-8"
    )

    ran = grade("play", "mini", "--no-browser", cwd=mini)

    assert ran.code == 1
    assert ran.out == snapshot
    assert (mini / "feedback" / "mini.json").is_file()


def test_an_unknown_day_is_refused(mini: Path) -> None:
    """With the nearest name."""
    ran = grade("play", "minni", cwd=mini)

    assert ran.code == 2
    assert "did you mean `mini`?" in ran.err
    assert not (mini / "feedback").exists()


# --- The student's graphs


def test_the_graphs_of_failed_checks_are_on_the_page(mini: Path, report: Callable[..., Report]) -> None:
    """A passed check with a graph has none, nor has a failed one without a graph."""
    made = report(
        passed=(Outcome.PASSED, DIAMOND), failed=(Outcome.FAILED, DIAMOND), other=(Outcome.FAILED, None)
    )

    page = write_page(Course(mini), made, None)

    assert [trace["check"] for trace in data_of(page)["traces"]] == ["failed"]


@pytest.fixture
def report() -> Callable[..., Report]:
    """A function that returns a report with checks of these outcomes and traces."""

    def made(**checks: tuple[Outcome, Any]) -> Report:
        report = report_of("text")
        (first, *_) = report.checks
        report.checks = [
            msgspec.structs.replace(first, id=name, outcome=outcome, trace=trace)
            for name, (outcome, trace) in checks.items()
        ]
        return report

    return made


@pytest.mark.ci
def test_a_wrong_engine_is_on_the_page(course: Path, snapshot) -> None:
    """The first wrong step of its walk is marked, and the line says which checks have a graph."""
    engine = reference("day2").replace("+= other.data * out.grad", "+= self.data * out.grad")
    sources = re.split(r"^# %%.*\n", engine, flags=re.MULTILINE)[1:]
    file = course / "assignments" / "day2" / stub_name("day2")
    file.write_text(notebook(*(source for source in sources if "class Value" in source)), encoding="utf-8")

    ran = grade("play", "day2", "--no-browser", cwd=course)

    assert ran.code == 1
    assert ran.out == snapshot
    (shown,) = data_of(course / "feedback" / "play.html")["traces"]
    wrong = shown["trace"]["student"][shown["trace"]["wrong"]]
    assert wrong["changes"] == [[0, 2.0], [1, 2.0]]


# --- The browser


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened, on a machine with a display."""
    found: list[str] = []
    for name in NOTHING_TO_SHOW_IT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(play.webbrowser, "open", lambda address: found.append(address) or True)
    return found


def test_the_browser_opens_the_page(
    tmp_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str], snapshot
) -> None:
    """By the address of the file."""
    open_page(tmp_path / "my page.html")

    assert opened == [(tmp_path / "my page.html").as_uri()]
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize("name", ["SSH_CONNECTION", "SSH_TTY"])
def test_on_another_machine_no_browser_opens(
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
) -> None:
    """The student sits elsewhere; the line says what to do."""
    monkeypatch.setenv(name, "x")

    open_page(tmp_path / "play.html")

    assert opened == []
    assert (
        "play.html: this terminal is on another machine; copy the file to your own" in capsys.readouterr().out
    )


def test_without_a_browser_the_line_says_what_to_do(
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    snapshot,
) -> None:
    """Also where one is there and does not start."""
    monkeypatch.setattr(play.webbrowser, "open", lambda _: False)

    open_page(tmp_path / "play.html")

    assert capsys.readouterr().out == snapshot


@pytest.mark.skipif("sys.platform != 'linux'", reason="elsewhere there is always a display")
def test_without_a_display_the_line_says_what_to_do(mini: Path, snapshot) -> None:
    """A browser of the terminal would run no script."""
    ran = grade("play", cwd=mini, env=NOTHING_TO_SHOW_IT)

    assert ran.code == 0
    assert ran.out == snapshot

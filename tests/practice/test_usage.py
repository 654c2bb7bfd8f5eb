"""Wrong usage, and consoles that cannot print everything: a sentence and an exit code.

Every story runs the real command over a copy of the real course; `helpers.grade` also
sees to it that no traceback is ever printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import grade

FULL, LESS, USAGE = 0, 1, 2


# --- The command line


def test_mistyped_assignment(course: Path) -> None:
    """The nearest assignment is named, and which there are."""
    ran = grade("dya2", cwd=course)
    assert ran.code == USAGE
    assert "did you mean `day2`?" in ran.text
    assert "day1, day2, day3" in ran.text


def test_mistyped_command(course: Path) -> None:
    """The nearest command is named."""
    ran = grade("valdiate", cwd=course)
    assert ran.code == USAGE
    assert "did you mean `validate`?" in ran.text


def test_mistyped_option(course: Path) -> None:
    """The nearest option is named."""
    ran = grade("day2", "--chek", "add_rule", cwd=course)
    assert ran.code == USAGE
    assert "--check" in ran.text


def test_unknown_check(course: Path) -> None:
    """The nearest check is named, and which there are."""
    ran = grade("day2", "--check", "swap", cwd=course)
    assert ran.code == USAGE
    assert "did you mean `swap_rule`?" in ran.text
    assert "tanh_neuron" in ran.text


@pytest.mark.ci
def test_output_into_a_folder_that_is_not_there(course: Path) -> None:
    """The report cannot be written, which is said; the file that was named is in the message."""
    path = course / "nowhere" / "report.txt"
    ran = grade("day2", "--check", "add_rule", "--output", path, cwd=course)
    assert ran.code == USAGE
    assert f"{path}: cannot be written" in ran.text


def test_outside_any_course(tmp_path: Path, snapshot) -> None:
    """In a folder that belongs to no course, the message says what to do."""
    ran = grade("day2", cwd=tmp_path)
    assert ran.code == USAGE
    assert "no course here" in ran.text
    assert ran.text == snapshot


@pytest.mark.ci
def test_from_a_folder_inside_the_course(course: Path) -> None:
    """Any folder of the course will do to start from."""
    ran = grade("day2", "--check", "swap_rule", cwd=course / "assignments" / "day2")
    assert ran.code == LESS
    assert "0 of 10 points" in ran.text


# --- Consoles


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("cp1252", marks=pytest.mark.ci)])
def test_console_that_cannot_print_everything(course: Path, encoding: str) -> None:
    """The report has × in it; every console gets one that it can print."""
    ran = grade("day2", "--check", "swap_rule", cwd=course, env={"PYTHONIOENCODING": encoding})
    assert ran.code == LESS
    assert "UnicodeEncodeError" not in ran.text
    assert "0 of 10 points" in ran.text


@pytest.mark.ci
def test_json_on_a_console_that_cannot_print_everything(course: Path) -> None:
    """JSON stays JSON."""
    ran = grade(
        "day2", "--format", "json", "--check", "swap_rule", cwd=course, env={"PYTHONIOENCODING": "ascii"}
    )
    assert ran.code == LESS
    assert json.loads(ran.out)["score"] == 0


def test_help_on_a_console_that_cannot_print_everything(course: Path) -> None:
    """The help is printed too."""
    ran = grade("day2", "--help", cwd=course, env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == FULL
    assert "Grade day2" in ran.text


@pytest.mark.ci
def test_width_of_the_terminal(course: Path) -> None:
    """Any width will do."""
    ran = grade("day2", "--check", "swap_rule", cwd=course, env={"COLUMNS": "1"})
    assert ran.code == LESS
    assert "0 of 10 points" in ran.text


# --- The feedback folder


@pytest.mark.ci
def test_feedback_folder_that_is_a_file(course: Path, snapshot) -> None:
    """The report is printed anyway."""
    (course / "feedback").write_text("in the way", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == LESS
    assert "0 of 100 points" in ran.out
    assert " ".join(ran.err.split()) == snapshot


@pytest.mark.parametrize("left", [b"", b"\xff\xfe{", b'{"schema": "another"}'])
def test_feedback_of_last_time_that_is_broken(course: Path, left: bytes) -> None:
    """The overview does as if it were not there."""
    (course / "feedback").mkdir()
    (course / "feedback" / "day2.json").write_bytes(left)
    ran = grade(cwd=course)
    assert ran.code == FULL
    assert "not graded yet" in ran.text

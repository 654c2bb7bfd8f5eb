"""`grade validate DAY --check ID`: the rules about one check, and nothing of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import grade
from minicourse import change, put
from validating import (
    HIDDEN_DOUBLE,
    MANIFEST,
    MISTAKES,
    PROBLEMS,
    SEEN_BOX,
    SEEN_DOUBLE,
    SOUND,
    SOURCE,
    USAGE,
    expect,
)

from grader.assignment import Course
from grader.authoring.validation import validate_check


def problems(course: Path, check: str) -> list[str]:
    """Return the problems of one check of the miniature course."""
    return validate_check(Course(course).assignment("mini"), check)


def test_a_sound_check_and_the_next_command(mini: Path, snapshot) -> None:
    """The last line is the command for the other rules."""
    ran = grade("validate", "mini", "--check", "double", cwd=mini)
    assert ran.code == SOUND
    assert ran.text == snapshot


@pytest.mark.ci
def test_what_is_wrong_elsewhere_is_not_told(mini: Path) -> None:
    """Another check without hints and with a broken file, and a stub that is out of date."""
    change(mini, MANIFEST, 'hints: ["Which function do you have already?"', 'hints: []  # ["Which"')
    change(mini, SOURCE, "Write a function, then a box", "Write a function and then a box")
    put(mini, SEEN_BOX, '"""A box."""\n\n\n[][1]\n')

    assert problems(mini, "double") == []
    assert len(problems(mini, "box")) == 2


def test_a_wrong_check(mini: Path, snapshot) -> None:
    """The exit code says so, and the command prints the problem."""
    change(mini, SEEN_DOUBLE, "== 6", "== 6.5")
    ran = grade("validate", "mini", "--check", "double", cwd=mini)
    assert ran.code == PROBLEMS
    assert ran.text == snapshot


@pytest.mark.ci
def test_code_that_knows_nothing(mini: Path) -> None:
    """A check that compares readings with each other."""
    (mini / HIDDEN_DOUBLE).unlink()
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) == 3 * student.double(1)")
    assert all("knows nothing" in text for text in problems(mini, "double"))
    assert len(problems(mini, "double")) == 3


@pytest.mark.ci
@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ('fails="box"', "but it fails double; correct `fails` or the check\n  assignments/"),
        ('fails="double box"', "but it passes double"),
    ],
)
def test_a_mistake_that_does_not_do_what_it_declares(mini: Path, declared: str, found: str) -> None:
    """It fails the check or passes it."""
    path = change(mini, MISTAKES, 'fails="double box"', declared)
    if "passes" in found:
        change(mini, MISTAKES, "x * x", "x * 2")
    expect(problems(mini, "double"), (f"{path}, line 1: double_squares", declared, found, "correct `fails`"))


@pytest.mark.ci
def test_a_check_needs_its_assignment(mini: Path, snapshot) -> None:
    """Two assignments may have a check of one name."""
    ran = grade("validate", "--check", "double", cwd=mini)
    assert ran.code == USAGE
    assert ran.text == snapshot
    assert "did you mean `double`?" in grade("validate", "mini", "--check", "dubble", cwd=mini).text

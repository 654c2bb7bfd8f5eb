"""`grade validate`: a sound course passes, nothing is changed, a kernel has the last word; the rules about one check."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from helpers import edit_manifest, grade
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
    STUB,
    UNREADABLE,
    USAGE,
    about,
    expect,
    file_problems,
    hashes,
    problems,
    regenerate,
)

from grader.assignment import Course
from grader.authoring.validation import validate_check
from grader.autograd.parity import from_torch
from grader.topic import Unavailable

# --- Sound courses


def test_a_module_that_is_allowed_is_there(mini: Path, snapshot) -> None:
    """Otherwise whoever imports it loses the points on this machine and not at home."""
    edit_manifest(mini, "mini", imports=["numpy", "math", "nowhere"])

    (found,) = about(mini / "assignments/mini/assignment.yaml", file_problems(mini))

    assert found == snapshot


def test_mistyped_assignment(mini: Path, snapshot) -> None:
    """The nearest name is reported."""
    ran = grade("validate", "mimi", cwd=mini)
    assert ran.code == USAGE
    assert ran.text == snapshot


# --- Nothing is changed, nothing is missed


def test_changes_nothing(mini: Path) -> None:
    """Outdated files are reported and not written."""
    change(mini, STUB, "Doubling", "Halving")
    change(mini, MISTAKES, "added to itself", "taken twice")
    (mini / "solutions/mini/checks/replay.json").unlink()
    before = hashes(mini)

    found = problems(mini)

    assert sum(text.endswith("out of date; run `grade stub mini`") for text in found) == 3
    assert hashes(mini) == before


@pytest.mark.ci
def test_a_changed_check_is_read_again(mini: Path) -> None:
    """Validating twice in one process, the second time sees what the author changed in between."""
    assert problems(mini) == []

    change(mini, SEEN_DOUBLE, "== 6", "== 6.5")
    again = problems(mini)

    assert any("double(3) is 6, expected 6.5" in text for text in again), again


@pytest.mark.ci
def test_two_courses_in_one_process(mini: Path, sound: Path, tmp_path: Path) -> None:
    """Another course with the same names is judged by its own checks."""
    other = Path(shutil.copytree(sound, tmp_path / "other", ignore=shutil.ignore_patterns("__pycache__")))
    change(other, SEEN_DOUBLE, "== 6", "== 6.5")
    assert problems(mini) == []
    assert any("double(3) is 6, expected 6.5" in text for text in problems(other))


# --- A student's machine


def test_without_solutions(mini: Path) -> None:
    """On a student's machine there is nothing to validate, which is said in a sentence."""
    shutil.rmtree(mini / "solutions")
    ran = grade("validate", "mini", cwd=mini)
    assert ran.code in (USAGE, UNREADABLE)
    assert "this command needs the folder solutions/" in ran.text  # as `grade stub` says it


# --- The manifest


@pytest.mark.ci
def test_manifest_that_cannot_be_read(mini: Path, snapshot) -> None:
    """A wrong manifest is reported alone; exit code 2."""
    change(mini, MANIFEST, "    points: 60\n", "    pionts: 60\n")
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.code == USAGE


def test_manifest_without_checks(mini: Path) -> None:
    """The report on an assignment without checks names the file to write them in."""
    path = put(mini, "assignments/day1/assignment.yaml", EMPTY)
    ran = grade("validate", "day1", cwd=mini)
    assert str(path) in ran.text
    assert "checks" in ran.text
    assert ran.code in (PROBLEMS, USAGE, UNREADABLE)


@pytest.mark.ci
def test_continues_what_is_not_there(mini: Path, snapshot) -> None:
    """The manifest that names an unknown assignment is named, and the nearest one."""
    path = change(mini, MANIFEST, "title: Doubling\n", "title: Doubling\ncontinues: mimi\n")
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert str(path) in ran.text
    assert ran.code in (PROBLEMS, USAGE)


EMPTY = """\
format: 1
title: Nothing yet
submission: day1.ipynb
checks: {}
"""


# --- A real kernel


@pytest.mark.ci
def test_reference_cell_raises_in_a_kernel(mini: Path, snapshot) -> None:
    """A demo cell is left out of grading, so only a kernel can tell that it raises."""
    change(mini, SOURCE, "print(box.number)", 'raise LookupError("no box" if box.number == 5 else "stub")')
    regenerate(mini)
    before = hashes(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.text.startswith("mini 1 problem ")
    assert ran.code == PROBLEMS
    assert hashes(mini) == before


ANSWER = """
# %%
### BEGIN SOLUTION: fill in the answer
# STUB: answer = ...
answer = 42
### END SOLUTION

# %% tags=["demo"]
print(answer + 1)
"""


@pytest.mark.ci
def test_stub_cell_raises_in_a_kernel(mini: Path, snapshot) -> None:
    """In the stub, cells stop with NotImplementedError or NameError and with nothing else."""
    change(mini, SOURCE, "print(box.number)\n", "print(box.number)\n" + ANSWER)
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.text.endswith("; fix this cell")
    assert ran.text.startswith("mini 1 problem ")
    assert ran.code == PROBLEMS


@pytest.mark.ci
def test_cell_ends_the_kernel(mini: Path, snapshot) -> None:
    """A cell that takes the kernel with it is reported with its number as well."""
    change(mini, SOURCE, "print(box.number)", "import os\n\nos._exit(1)")
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.code in (PROBLEMS, UNREADABLE)


@pytest.mark.ci
def test_a_kernel_that_cannot_start(mini: Path, snapshot) -> None:
    """Because the disk is full, or of a broken configuration: no fault of the course, and no traceback."""
    put(mini, ".ipython/profile_default/ipython_kernel_config.py", "import os\n\nos._exit(1)\n")
    change(mini, SOURCE, "print(box.number)", "print(box.number, 'in no kernel')")
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini, env={"IPYTHONDIR": str(mini / ".ipython")})
    assert ran.text == snapshot
    assert ran.code == UNREADABLE


# --- The records of PyTorch's numbers


def without_mistakes(course: Path, day: str) -> None:
    """Leave out what takes long and has nothing to do with PyTorch."""
    shutil.rmtree(course / "solutions" / day / "mistakes", ignore_errors=True)


@pytest.mark.ci
def test_parity_records_that_are_wrong_or_missing(course: Path, snapshot) -> None:
    """Live torch disagrees with the tenth digit of one recorded gradient; the other record was never made."""
    pytest.importorskip("torch")
    without_mistakes(course, "day2")
    wrong = change(course, "solutions/day2/checks/parity.json", "0.0432665372706654", "0.0432665372716654")
    missing = course / "assignments/day2/checks/parity.json"
    missing.unlink()

    found = problems(course, "day2")

    assert about(wrong, found) == snapshot
    assert about(missing, found) == snapshot


def test_torch_without_numpy_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `instructor` has no NumPy, which torch warns of when it is imported; nothing here needs it."""
    put(
        tmp_path,
        "torch.py",
        "import warnings\nwarnings.warn('Failed to initialize NumPy: no')\nraise ImportError\n",
    )
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(Unavailable):
        from_torch(lambda a: a, "a", {"a": 1.0})


# --- One check


def check_problems(course: Path, check: str) -> list[str]:
    """Return the problems of one check of the miniature course."""
    return validate_check(Course(course).assignment("mini"), check)


@pytest.mark.ci
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

    assert check_problems(mini, "double") == []
    assert len(check_problems(mini, "box")) == 2


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
    assert all("knows nothing" in text for text in check_problems(mini, "double"))
    assert len(check_problems(mini, "double")) == 4


@pytest.mark.ci
@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ('fails="box"', "but fails `double`; correct `fails` or the check\n  assignments/"),
        ('fails="double box"', "but passes `double`"),
    ],
)
def test_a_mistake_that_does_not_do_what_it_declares(mini: Path, declared: str, found: str) -> None:
    """It fails the check or passes it."""
    path = change(mini, MISTAKES, 'fails="double box"', declared)
    if "passes" in found:
        change(mini, MISTAKES, "x * x", "x * 2")
    expect(
        check_problems(mini, "double"),
        (f"{path}, line 1: the mistake `double_squares`", declared, found, "correct `fails`"),
    )


@pytest.mark.ci
def test_a_check_needs_its_assignment(mini: Path, snapshot) -> None:
    """Two assignments may have a check of one name."""
    ran = grade("validate", "--check", "double", cwd=mini)
    assert ran.code == USAGE
    assert ran.text == snapshot
    assert "did you mean `double`?" in grade("validate", "mini", "--check", "dubble", cwd=mini).text

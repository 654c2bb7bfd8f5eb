"""`grade validate` about the author's files: each rule names the file and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import grade
from minicourse import REFERENCE, add_second, change, put
from validating import (
    HIDDEN_DOUBLE,
    MANIFEST,
    SEEN_BOX,
    SEEN_DOUBLE,
    UNREADABLE,
    USAGE,
    about,
    expect,
    file_problems,
    problems,
    regenerate,
)

from grader.authoring.file_rules import pitfalls

# --- Check files


def test_check_without_hints(mini: Path) -> None:
    """Every check has hints."""
    path = change(
        mini,
        MANIFEST,
        'hints: ["How often does x stand in the answer?", "Add x to itself."]',
        "hints: []",
    )
    expect(file_problems(mini), (path, "`double` has no hints", "write some"))


def test_a_weight_of_no_test(mini: Path) -> None:
    """The name of a test is written as it stands in the file."""
    path = change(
        mini, MANIFEST, "points: 60", "points: 60\n    partial: true\n    weights: {test_doubel: 2}"
    )
    expect(
        file_problems(mini), (path, "`checks.double.weights` has `test_doubel`", "write the name of a test")
    )


def test_a_manual_check_needs_neither_file_nor_hints(mini: Path) -> None:
    """Its title must be its own, like every other."""
    change(
        mini,
        MANIFEST,
        "  box:",
        '  essay: {points: 10, manual: true, title: "Doubling: twice the number."}\n  box:',
    )
    expect(
        file_problems(mini), (mini / MANIFEST, "`double` has the same title", "change one of the two titles")
    )
    change(mini, MANIFEST, "Doubling: twice the number.", "Why twice is not a square.")
    assert file_problems(mini) == []


def test_check_file_without_a_check(mini: Path, snapshot) -> None:
    """A test file that no check of the manifest belongs to is never run; exit code 2."""
    put(mini, "solutions/mini/checks/test_doubel.py", '"""Doubling."""\n')
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.code == USAGE


def test_check_file_without_a_test(mini: Path) -> None:
    """A file in which nothing is tested leaves its check without a verdict."""
    (mini / HIDDEN_DOUBLE).unlink()
    put(mini, SEEN_DOUBLE, '"""Doubling: twice the number."""\n')
    assert any("double" in text for text in file_problems(mini))


NO_TESTS = {
    "nothing": '"""Doubling."""\n',
    "a helper": '"""Doubling."""\n\n\ndef three():\n    return 3\n',
    "a class of unittest's": (
        '"""Doubling."""\nimport unittest\n\n\nclass Double(unittest.TestCase):\n'
        '    def test_three(self):\n        """Three."""\n'
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("case", NO_TESTS)
def test_check_file_from_which_nothing_is_run(mini: Path, case: str) -> None:
    """Also where the other side has tests: its author believes that this one has some."""
    path = put(mini, SEEN_DOUBLE, NO_TESTS[case])
    regenerate(mini)
    (found,) = about(path, file_problems(mini))
    assert "no test" in found
    assert "`def test_...(student):`" in found


def test_tests_in_a_file_of_another_name(mini: Path) -> None:
    """pytest's other way to name a file is not ours; a helper beside the checks is nobody's concern."""
    path = put(mini, "assignments/mini/checks/double_test.py", (mini / SEEN_DOUBLE).read_text())
    put(mini, "assignments/mini/checks/numbers_of_mine.py", "THREE = 3\n")
    expect(file_problems(mini), (path, "never run", "test_<check>.py"))


@pytest.mark.ci
def test_reference_has_another_name_than_the_notebook(mini: Path, snapshot) -> None:
    """The two names and the manifest that has one of them."""
    change(mini, MANIFEST, "mini.ipynb", "doubling.ipynb")
    for command in ("validate", "stub"):
        ran = grade(command, "mini", cwd=mini)
        assert ran.text == snapshot
        assert ran.code == UNREADABLE


def test_check_file_without_a_title(mini: Path) -> None:
    """The module's docstring is the check's title."""
    path = change(mini, SEEN_DOUBLE, '"""Doubling: twice the number."""\n', "")
    expect(file_problems(mini), (path, "no docstring", "whose first line is the check's title"))


def test_test_without_a_docstring(mini: Path) -> None:
    """The test's docstring is what a student reads when it fails."""
    path = change(mini, HIDDEN_DOUBLE, '    """Twice any number."""\n', "")
    expect(file_problems(mini), (f"{path}, line 6", "test_any has no docstring", "write one"))


# --- Causes before consequences


@pytest.mark.parametrize("salt", [None, "", " \n"])
def test_no_salt(mini: Path, salt: str | None) -> None:
    """Consequences, such as records that are out of date, are left out."""
    path = mini / "solutions/mini/salt.txt"
    path.unlink() if salt is None else path.write_text(salt)
    expect(problems(mini), (path, "missing or empty", "run `grade stub mini`"))


LUCK, CLOCK, STOPS = "is not seeded", "returns a different value in each run", "waits for keyboard input"
REMEDIES = {LUCK: "take random numbers from the fixture `rng`", CLOCK: "remove it", STOPS: "remove it"}
PITFALLS = {
    "random": ("import random", "random.uniform(3, 9)", f"random.uniform() {LUCK}"),
    "random, by another name": ("from random import uniform as u", "u(3, 9)", f"u() {LUCK}"),
    "Random without a seed": ("from random import Random", "Random().random()", f"Random() {LUCK}"),
    "numpy": ("import numpy as np", "np.random.rand()", f"np.random.rand() {LUCK}"),
    "secrets": ("import secrets", "secrets.randbelow(9)", f"secrets.randbelow() {LUCK}"),
    "the time": ("import time", "time.time()", f"time.time() {CLOCK}"),
    "the day": ("from datetime import date", "date.today().day", f"date.today() {CLOCK}"),
    "breakpoint": ("", "breakpoint()", f"breakpoint() {STOPS}"),
    "pdb": ("import pdb", "pdb.set_trace()", f"pdb.set_trace() {STOPS}"),
    "input": ("", "float(input())", f"input() {STOPS}"),
}


@pytest.mark.parametrize("case", PITFALLS)
def test_luck_and_stops(mini: Path, case: str) -> None:
    """The line is reported without a run, and no consequence of it."""
    imports, used, message = PITFALLS[case]
    change(mini, HIDDEN_DOUBLE, "from pytest import approx\n", f"from pytest import approx\n{imports}\n")
    path = change(mini, HIDDEN_DOUBLE, "x = rng.uniform(3, 9)", f"x = {used}")
    (remedy,) = (remedy for what, remedy in REMEDIES.items() if what in message)
    expect(problems(mini), (f"{path}, line 9: {message}", remedy))


@pytest.mark.parametrize(
    "used",
    [
        "random.Random(5).uniform(3, 9)", "np.random.default_rng(5).random()", "rng.uniform(3, 9)", "time.strptime",
        "(random.seed(5), random.random())", "student.input", "datetime.date(2026, 1, 1).day",
    ],
)  # fmt: skip
def test_what_is_no_luck(used: str) -> None:
    """Seeded numbers, fixed days, names of the student's."""
    source = f"import random, time, datetime\nimport numpy as np\n\n\ndef test_any(student, rng):\n    x = {used}\n"
    assert list(pitfalls(source)) == []


def test_luck_in_what_checks_share(mini: Path) -> None:
    """The shared file is looked at like a check."""
    path = put(
        mini,
        "assignments/mini/checks/_helpers.py",
        "import random\n\n\ndef any_():\n    return random.random()\n",
    )
    expect(problems(mini), (f"{path}, line 5: random.random() {LUCK}", REMEDIES[LUCK]))


@pytest.mark.parametrize(
    "folder", ["assignments/mini/checks", "solutions/mini/checks", "assignments/mini", "solutions"]
)
def test_conftest_that_nobody_reads(mini: Path, folder: str) -> None:
    """And not that there is no fixture of the name that it defines."""
    fixture = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n"
    path = put(mini, f"{folder}/conftest.py", fixture)
    change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, three)")
    side = "solutions" if folder.startswith("solutions") else "assignments"
    expect(
        problems(mini), (path, "never read", f"move its code to {mini / side / 'mini/checks/_helpers.py'}")
    )


@pytest.mark.ci
def test_what_checks_share_instead(mini: Path) -> None:
    """The remedy works: a fixture that is imported from the shared file."""
    put(
        mini,
        "assignments/mini/checks/_helpers.py",
        "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
    )
    change(
        mini,
        SEEN_DOUBLE,
        "def test_three(student)",
        "from _helpers import three\n\n\ndef test_three(student, three)",
    )
    change(mini, SEEN_DOUBLE, "student.double(3)", "student.double(three)")
    regenerate(mini)
    assert file_problems(mini) == []


# --- Points and titles


def test_negative_points(mini: Path, snapshot) -> None:
    """The value is reported with the key."""
    change(mini, MANIFEST, "    points: 60\n", "    points: -60\n")
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.code == USAGE


@pytest.mark.ci
def test_points_that_are_all_0(mini: Path) -> None:
    """One check may have none; all of them are a slip."""
    path = change(mini, MANIFEST, "    points: 60\n", "    points: 0\n")
    assert file_problems(mini) == []
    change(mini, MANIFEST, "    points: 40\n", "    points: 0\n")
    expect(file_problems(mini), (path, "all checks have 0 points", "give at least one of them points"))


def test_two_checks_of_one_title(mini: Path) -> None:
    """A copied docstring; both sides of one check may have the same."""
    path = change(mini, SEEN_BOX, "A box grows: it keeps twice its number.", "Doubling: twice the number.")
    expect(file_problems(mini), (path, "`double` has the same title", "'Doubling: twice the number.'"))


@pytest.mark.ci
def test_two_assignments_of_one_title(mini: Path) -> None:
    """The later one is reported."""
    add_second(mini, "next", REFERENCE)
    regenerate(mini, "next")
    path = mini / "assignments/next/assignment.yaml"
    assert any(
        "mini has the same title, 'Doubling'" in text for text in about(path, file_problems(mini, "next"))
    )

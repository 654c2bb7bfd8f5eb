"""`grade validate` about mistakes, and what an author reads of hidden checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import grade
from minicourse import change, put
from validating import (
    HIDDEN_BOX,
    HIDDEN_DOUBLE,
    MANIFEST,
    MISTAKES,
    SEEN_BOX,
    SEEN_DOUBLE,
    SOURCE,
    UNREADABLE,
    USAGE,
    about,
    expect,
    problems,
    regenerate,
)

SQUARES, FORGETS = "line 1: double_squares", "line 8: box_forgets"


# --- Mistakes

HALVES = """\
Mistake(
    "double_halves",
    "The number is halved. Twice a number is the number added to itself.",
    edits={"return x + x": "return x / 2"},
    fails="double box",
)
"""


def test_a_further_mistake(mini: Path) -> None:
    """A mistake with a look of its own is welcome once its fingerprints are made."""
    put(mini, "solutions/mini/mistakes/halving.py", HALVES)
    assert {text.partition(": ")[2] for text in problems(mini)} >= {"out of date; run `grade stub mini`"}
    regenerate(mini)
    assert problems(mini) == []


def test_mistake_fails_other_checks_than_it_declares(mini: Path, snapshot) -> None:
    """The message has the checks that it declares, those that it fails, and the place."""
    change(mini, MISTAKES, 'fails="double box"', 'fails="double"')
    assert problems(mini) == snapshot


def test_mistake_declares_a_check_that_is_not_there(mini: Path) -> None:
    """A mistyped check is reported with the nearest one."""
    path = change(mini, MISTAKES, 'fails="double box"', 'fails="doubl box"')
    expect(problems(mini), (f"{path}, {SQUARES}", "`doubl`", "(did you mean `double`?)", "double, box"))


def test_mistake_that_fails_nothing(mini: Path) -> None:
    """A mistake that fails no check: the mistake is none, or a test is missing."""
    path = change(mini, MISTAKES, "x * x", "x * 2")
    regenerate(mini)
    expect(problems(mini), (f"{path}, {SQUARES}", "fails no check", "write a test"))


@pytest.mark.ci
def test_two_mistakes_that_read_the_same(mini: Path) -> None:
    """Two mistakes that no check can distinguish are never reported."""
    again = put(
        mini,
        "solutions/mini/mistakes/power.py",
        HALVES.replace("double_halves", "double_to_the_power").replace("x / 2", "x**2"),
    )
    regenerate(mini)
    remedies = "write a test that distinguishes it from {}", "or take one of them out"
    expect(
        problems(mini),
        (
            f"{mini / MISTAKES}, {SQUARES}",
            "no mistake",
            remedies[0].format("double_to_the_power"),
            remedies[1],
        ),
        (f"{again}, line 1", "no mistake", remedies[0].format("double_squares"), remedies[1]),
    )


TWO_WAYS = 'edits=[{"return x + x": "return x * x"}, {"return x + x": "return x**2 + 0.5"}]'


@pytest.mark.ci
def test_two_ways_to_make_a_mistake(mini: Path) -> None:
    """Each of them is tried, and reported by the one name."""
    change(mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS)
    regenerate(mini)
    assert problems(mini) == []


@pytest.mark.ci
def test_one_way_of_two_that_fails_nothing(mini: Path) -> None:
    """The message says which."""
    path = change(
        mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS.replace("x**2 + 0.5", "2 * x")
    )
    regenerate(mini)
    expect(problems(mini), (f"{path}, {SQUARES}, edits 2 of 2", "fails no check"))


@pytest.mark.ci
def test_a_mistake_that_fails_less_than_another(mini: Path) -> None:
    """In the first check the two read the same; the one that explains the second check too is reported in both."""
    put(
        mini,
        "solutions/mini/mistakes/less.py",
        HALVES.replace("double_halves", "double_squares_alone")
        .replace("x / 2", "x * x")
        .replace('return x * x"}', 'return x * x", "= double(self.number)": "= 2 * self.number"}')
        .replace("double box", "double"),
    )
    regenerate(mini)
    assert problems(mini) == []


BAD_MISTAKES = {
    "no words": (
        HALVES.replace("The number is halved. Twice a number is the number added to itself.", ""),
        ", line 3: double_halves has no words; write the sentence for students who make it",
    ),
    "edits nothing": (
        HALVES.replace("x + x", "x + y"),
        ", line 1: double_halves: 'return x + y' occurs nowhere in the code of the reference; "
        "copy it from the reference, spaces included",
    ),
    "syntax error": (HALVES.replace("edits=", "edits"), ", line 4: invalid syntax"),
    "no Python any more": (
        HALVES.replace("x / 2", "x /"),
        ", line 1: double_halves: with 'return x /' for 'return x + x' the reference is not Python: ",
    ),
}


@pytest.mark.parametrize("case", BAD_MISTAKES)
def test_mistake_that_cannot_be_used(mini: Path, case: str) -> None:
    """The file is named, and what is wrong with it; exit code 3."""
    source, message = BAD_MISTAKES[case]
    path = put(mini, "solutions/mini/mistakes/halving.py", source)
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}{message}" in ran.text
    assert ran.code == UNREADABLE


@pytest.mark.parametrize("name", [SOURCE, MISTAKES])
def test_file_in_another_encoding(mini: Path, name: str) -> None:
    """An author's file that is not UTF-8 is named, with the remedy."""
    path = mini / name
    path.write_bytes(path.read_bytes() + "# für alle\n".encode("latin-1"))
    ran = grade("validate", "mini", cwd=mini)
    assert str(path) in ran.text
    assert "UTF-8" in ran.text
    assert ran.code in (USAGE, UNREADABLE)


@pytest.mark.ci
def test_what_the_reference_skips_is_no_failure(mini: Path) -> None:
    """A test that skips whatever is handed in says nothing of a mistake either."""
    later = '''
import pytest


def test_four(student):
    """Only the hidden checks test twice 4."""
    pytest.skip("the hidden checks decide")
'''
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text(encoding="utf-8") + later, encoding="utf-8")
    regenerate(mini)

    assert problems(mini) == []


# --- What an author sees and a student does not


def test_reference_fails_a_hidden_test(mini: Path, snapshot) -> None:
    """The hidden test, its line and its numbers, and nothing of what waits for it."""
    path = change(
        mini, HIDDEN_DOUBLE, "assert student.double(x) == approx(2 * x)", "assert student.double(7) == 15"
    )
    assert problems(mini) == snapshot
    assert path.read_text(encoding="utf-8").split("\n")[8] == "    assert student.double(7) == 15"


def test_mistake_fails_a_hidden_test(mini: Path, snapshot) -> None:
    """The numbers of a hidden check that it does not declare are reported too."""
    hidden = HIDDEN_BOX
    change(mini, hidden, "def test_grow_twice(student, rng):", "def test_grow_twice(student):")
    change(mini, hidden, "rng.uniform(3, 9)", "3")
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", "assert box.number in (2.5, 5.0)")
    path = change(mini, MISTAKES, 'fails="box"', 'fails="double"')
    assert about(Path(f"{path}, {FORGETS}"), problems(mini))[0] == snapshot


def test_reference_raises_in_a_hidden_test(mini: Path) -> None:
    """The student reads that a hidden test failed; the author also reads which test, and its error."""
    change(mini, HIDDEN_DOUBLE, "student.double(x) == approx(2 * x)", "student.double(None) == 0")
    raised = "TypeError: unsupported operand type(s) for +: 'NoneType' and 'NoneType'"
    expect(problems(mini), (mini / SOURCE, f"{HIDDEN_DOUBLE}, line 9, test_any: Twice any number. {raised}"))


@pytest.mark.ci
def test_reference_that_takes_too_long(mini: Path) -> None:
    """The limit is named, and the line at which it was met."""
    change(mini, MANIFEST, "checks:", "limits: {check_seconds: 1}\nchecks:")
    change(mini, SOURCE, "    return x + x\n", "    while x:\n        pass\n    return x + x\n")
    expect(
        problems(mini),
        (mini / SOURCE, f"{SEEN_DOUBLE}, line 6, test_three", "longer than 1 s (check_seconds)"),
    )


def test_a_name_that_the_reference_lacks_is_told_once(mini: Path) -> None:
    """With every check that asks for it: the others follow from the one line that is missing."""
    for path in (SEEN_DOUBLE, HIDDEN_DOUBLE):
        change(mini, path, "student.double(", "student.duble(")
    for path in (SEEN_BOX, HIDDEN_BOX):
        change(mini, path, "student.Box(", "student.duble(")
    where = f"({SEEN_DOUBLE}, line 6, test_three)"
    expect(problems(mini), (mini / SOURCE, "does not define `duble`", "`double`, `box`", where, "define it"))


def test_reference_that_does_not_load_is_told_once(mini: Path) -> None:
    """The cell that raises, and no check that fails because of it."""
    change(mini, SOURCE, "# %%\ndef double(x):", "# %%\nopen('data.csv')\n\n\ndef double(x):")
    raised = "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'"
    line = f"mini.py, line 7: {raised}"
    expect(
        problems(mini),
        (mini / SOURCE, line, "tag that cell `demo`", "->  open('data.csv'); fix the reference"),
    )


def test_check_compares_a_repr(mini: Path) -> None:
    """`repr` of a student's object calls none of their code; the author reads what does."""
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", 'assert repr(box) == "Box(5)"')
    texts = "'<Box(2.5)>'", "'Box(5)'"
    expect(problems(mini), (mini / SOURCE, f"{SEEN_BOX}, line 10, test_grow", *texts, "`repr`", "`str`"))


def test_check_asks_for_a_fixture_that_sees_nothing(mini: Path) -> None:
    """The error names the recipe that works."""
    change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, capsys)")
    expect(
        problems(mini), (f"{mini / SEEN_DOUBLE}, line 4", "`capsys`", "(docs/authors-reference.md, Recipes)")
    )

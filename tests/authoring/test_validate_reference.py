"""`grade validate` about the reference, the stub, what is generated, null submissions and the order of sets."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import grade
from minicourse import REFERENCE, add_second, change, put, unmarked
from validating import (
    HIDDEN_DOUBLE,
    MANIFEST,
    MISTAKES,
    SEEN_BOX,
    SEEN_DOUBLE,
    SOURCE,
    STUB,
    UNREADABLE,
    USAGE,
    about,
    expect,
    problems,
    regenerate,
)

from grader.authoring.grading_rules import NULLS
from grader.errors import Broken

# --- The reference


def test_reference_without_full_marks(mini: Path, snapshot) -> None:
    """A check that the reference fails is reported with its numbers, one that waits for it is not."""
    path = change(mini, SOURCE, "return x + x", "return x + x + 1")
    assert about(path, problems(mini)) == snapshot


def test_reference_with_a_cell_that_raises(mini: Path, snapshot) -> None:
    """A cell that raises is reported even where no check needs it."""
    path = change(mini, SOURCE, "# %% [markdown]\n# Look", "# %%\nBox(1).shrink()\n\n# %% [markdown]\n# Look")
    (told,) = about(path, problems(mini))
    assert told == snapshot


def test_reference_is_gone(mini: Path) -> None:
    """The missing file is named."""
    (mini / SOURCE).unlink()
    ran = grade("validate", "mini", cwd=mini)
    assert ran.code in (USAGE, UNREADABLE)
    assert f"{mini / SOURCE}: " in ran.text


def test_reference_with_a_syntax_error(mini: Path, snapshot) -> None:
    """The file and the line are named."""
    change(mini, SOURCE, "    return x + x", "    return x +")
    with pytest.raises(Broken) as told:
        problems(mini)
    assert str(told.value) == snapshot


UNPAIRED = {
    "no end": (
        "    ### END SOLUTION\n\n\n# %%\nclass",
        "\n\n# %%\nclass",
        "line 9: `### BEGIN SOLUTION` without an end; write `### END SOLUTION` below the solution",
    ),
    "no beginning": (
        "    ### BEGIN SOLUTION: write double\n",
        "",
        "line 10: `### END SOLUTION` without a beginning; write `### BEGIN SOLUTION` above the solution",
    ),
    "twice": (
        "    return x + x\n",
        "    ### BEGIN SOLUTION\n    return x + x\n",
        "line 10: `### BEGIN SOLUTION` inside a solution; end the first one",
    ),
    "misspelt": (
        "    ### BEGIN SOLUTION: write double\n",
        "    ### BEGIN SOLUTON: write double\n",
        "line 9: `### BEGIN SOLUTON: write double` is nearly a marker; write it as `### BEGIN SOLUTION`",
    ),
    "a letter more": (
        "    ### BEGIN SOLUTION: write double\n",
        "    ### BEGIN SOLUTIONS\n",
        "line 9: `### BEGIN SOLUTIONS` is nearly a marker; write it as `### BEGIN SOLUTION`",
    ),
}


@pytest.mark.parametrize("case", UNPAIRED)
def test_unpaired_markers(mini: Path, case: str) -> None:
    """Markers that do not pair are reported with their line, and nothing that follows from it."""
    old, new, message = UNPAIRED[case]
    path = change(mini, SOURCE, old, new)
    with pytest.raises(Broken) as told:
        problems(mini)
    assert str(told.value) == f"{path}, {message}"


@pytest.mark.ci
def test_unpaired_markers_as_a_command_tells_them(mini: Path) -> None:
    """`grade stub` says the same before anything is run."""
    path = change(mini, SOURCE, *UNPAIRED["misspelt"][:2])
    for command in ("validate", "stub"):
        ran = grade(command, "mini", cwd=mini)
        assert ran.text == f"grade: {path}, {UNPAIRED['misspelt'][2]}"
        assert ran.code == UNREADABLE


# --- The stub


def test_no_stub(mini: Path, snapshot) -> None:
    """A missing stub is to be made."""
    path = mini / STUB
    path.unlink()
    found = problems(mini)
    assert about(path, found) == snapshot
    assert len(about(path, found)) == len(found)


def test_stub_out_of_date(mini: Path, snapshot) -> None:
    """The reference's text was changed after the stub was made, and the copy of it for `grade reset`."""
    change(mini, SOURCE, "Write a function, then a box", "Write a function and then a box")
    assert problems(mini) == snapshot


def test_stub_edited_by_hand(mini: Path, snapshot) -> None:
    """A stub that was edited is out of date too."""
    change(mini, STUB, "an empty box stays empty", "empty boxes stay empty")
    assert problems(mini) == snapshot


def test_stub_that_passes(mini: Path) -> None:
    """Without its markers a solution stays in the stub, and its check passes."""
    change(mini, SOURCE, "    ### BEGIN SOLUTION: write double\n", "")
    change(mini, SOURCE, "    return x + x\n    ### END SOLUTION\n", "    return x + x\n")
    regenerate(mini)
    expect(problems(mini), (mini / STUB, "`double` is passed", "### BEGIN SOLUTION", mini / SOURCE))


@pytest.mark.ci
def test_stub_that_fails(mini: Path) -> None:
    """A stub whose placeholder gives a wrong answer would call a student wrong who has not begun."""
    change(mini, SOURCE, "    return x + x\n", "    # STUB: return None\n    return x + x\n")
    regenerate(mini)
    expect(problems(mini)[:1], (mini / STUB, "`double` is failed", "### BEGIN SOLUTION", mini / SOURCE))


@pytest.mark.ci
def test_stub_with_points(mini: Path) -> None:
    """In a check with shares, a test that the untouched notebook passes gives points away."""
    change(mini, MANIFEST, "    needs: [double]\n", "    needs: [double]\n    partial: true\n")
    path = mini / SEEN_BOX
    more = (
        '\n\ndef test_kept(student):\n    """A box keeps 2.5."""\n    assert student.Box(2.5).number == 2.5\n'
    )
    path.write_text(path.read_text() + more)
    regenerate(mini)
    expect(problems(mini)[:1], (mini / STUB, "earns 13.33 points for `box`", "write tests"))


@pytest.mark.ci
def test_stub_holds_another_assignments_solution(mini: Path, snapshot) -> None:
    """A solution block of one assignment that is open in another one's stub."""
    add_second(mini, "next", unmarked(REFERENCE))
    regenerate(mini, "next")

    found = problems(mini, "next")

    assert found == snapshot


# --- Generated files


def test_words_of_a_mistake_were_changed(mini: Path, snapshot) -> None:
    """The sealed file holds the words, so it is out of date."""
    change(mini, MISTAKES, "added to itself", "taken twice")
    assert problems(mini) == snapshot


@pytest.mark.ci
def test_salt_was_changed(mini: Path, snapshot) -> None:
    """Other hidden numbers give other fingerprints, and another secret other keys."""
    put(mini, "solutions/mini/salt.txt", "another pinch\n")
    assert problems(mini) == snapshot


def test_fingerprints_are_missing(mini: Path, snapshot) -> None:
    """A file that was never made is to be made."""
    path = mini / "assignments/mini/checks/sealed.json"
    path.unlink()
    assert problems(mini) == snapshot


@pytest.mark.ci
def test_fingerprints_that_are_not(mini: Path, snapshot) -> None:
    """A file that is something else is named, with the remedy, and exit code 3."""
    put(mini, "assignments/mini/checks/sealed.json", '{"format": 1, "mistakes": 3}')
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert "run `grade stub" in ran.text
    assert ran.code == UNREADABLE


# --- Null submissions


def test_expected_value_from_a_reading(mini: Path, snapshot) -> None:
    """A check that compares readings with readings is passed by code that knows nothing."""
    (mini / HIDDEN_DOUBLE).unlink()
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) == 3 * student.double(1)")
    regenerate(mini)
    assert given_away(problems(mini)) == snapshot


KEPT = '''\
"""A box keeps a number."""

from pytest import approx


def test_kept(student):
    """The number is the number."""
    box = student.Box(2.5)
    assert box.number == approx(box.number)
'''


def test_expected_value_from_the_same_object(mini: Path) -> None:
    """So is one that reads its expected value from the object under test."""
    put(mini, "assignments/mini/checks/test_box.py", KEPT)
    put(mini, "solutions/mini/checks/test_box.py", KEPT)
    told = given_away(problems(mini))
    assert all(text.startswith("check `box` of mini: code that knows nothing passes it") for text in told)
    assert [
        text for title in ("all zeros", "all ones", "echo") for text in told if f"({title})" in text
    ] == told


def given_away(found: list[str]) -> list[str]:
    """The problems that code that knows nothing has brought up."""
    return [text for text in found if any(f"({title})" in text for title in NULLS)]


# --- The order of sets

LUCKY = """\
Mistake(
    "double_by_luck",
    "The number is multiplied by whichever factor a set gives first.",
    edits={
        "    return x + x": "    class Factor:\\n"
        "        def __init__(self, number):\\n"
        "            self.number = number\\n"
        "\\n"
        "    return x * next(iter({Factor(3), Factor(5)})).number"
    },
    fails="double box",
)
"""

LUCKY_REFERENCE = '''\
    """Twice x."""
    ### BEGIN SOLUTION: write double
    class Factor:
        def __init__(self, number):
            self.number = number

    return x * next(iter({Factor(2), Factor(3)})).number
    ### END SOLUTION
'''


def test_result_depends_on_the_order_of_sets(mini: Path, snapshot) -> None:
    """A mistake that reads otherwise when sets are iterated the other way asks for `orders: true`."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    regenerate(mini)
    assert problems(mini) == snapshot


@pytest.mark.ci
def test_orders_told_in_the_manifest(mini: Path) -> None:
    """With `orders: true` each test runs under every order, and nothing is left to luck."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    change(mini, MANIFEST, "    points: 60\n", "    points: 60\n    orders: true\n")
    change(mini, MANIFEST, "    points: 40\n", "    points: 40\n    orders: true\n")
    regenerate(mini)
    assert problems(mini) == []


@pytest.mark.ci
@pytest.mark.parametrize("mistakes", ["with mistakes", "without mistakes"])
def test_reference_that_passes_by_luck(mini: Path, mistakes: str) -> None:
    """A reference whose result depends on the order of sets is reported, mistakes or none."""
    old = REFERENCE[REFERENCE.index('    """Twice x."""') : REFERENCE.index("\n\n# %%\nclass Box")]
    change(mini, SOURCE, old, LUCKY_REFERENCE)
    if mistakes == "without mistakes":
        shutil.rmtree(mini / "solutions/mini/mistakes")
    else:
        change(
            mini, MISTAKES, '"return x + x": "return x * x"', '"Factor(2), Factor(3)": "Factor(4), Factor(9)"'
        )
    regenerate(mini)
    told = [text for text in problems(mini) if "its result depends on the order of sets" in text]
    assert [text.partition(":")[0] for text in told] == ["check `double` of mini", "check `box` of mini"]

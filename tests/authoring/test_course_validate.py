"""`grade validate`: a sound course passes, and each of its rules says what is wrong and what to do.

Most stories break one file of the miniature course and read the rules in this process, without
the real kernel, which takes seconds. Where the exit code is the point, or the kernel, they run
the real command.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import edit_manifest, grade
from minicourse import REFERENCE, add_second, build, change, put, unmarked

from grader.assignment import Course
from grader.authoring.generated import write_generated
from grader.authoring.nulls import NULLS
from grader.authoring.pitfalls import pitfalls
from grader.authoring.validation import without_kernel
from grader.autograd.parity import ParityUnavailable, from_torch
from grader.errors import Broken
from grader.sandbox import Launcher

SOUND, PROBLEMS, USAGE, UNREADABLE = 0, 1, 2, 3

STUB = "assignments/mini/mini.ipynb"
SOURCE = "solutions/mini/mini.py"
MANIFEST = "assignments/mini/assignment.yaml"
MISTAKES = "solutions/mini/mistakes/doubling.py"
SQUARES, FORGETS = "line 1: double_squares", "line 8: box_forgets"
SEEN_DOUBLE = "assignments/mini/checks/test_double.py"
SEEN_BOX = "assignments/mini/checks/test_box.py"
HIDDEN_DOUBLE = "solutions/mini/checks/test_double.py"
SEEN_BOX = "assignments/mini/checks/test_box.py"


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature course as `grade stub` leaves it; nobody writes into it."""
    return build(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def mini(sound: Path, tmp_path: Path) -> Path:
    """A copy of the miniature course, to be broken."""
    return Path(shutil.copytree(sound, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


@functools.cache
def launcher() -> Launcher:
    """One for all stories of this file; `jails_end` ends it."""
    return Launcher().__enter__()


@pytest.fixture(scope="module", autouse=True)
def jails_end() -> Iterator[None]:
    """With the last story."""
    yield
    if launcher.cache_info().currsize:
        launcher().__exit__(None, None, None)
        launcher.cache_clear()


def problems(course: Path, name: str = "mini") -> list[str]:
    """What `grade validate` finds without a kernel."""
    return without_kernel(Course(course).assignment(name), launcher())[0]


def regenerate(course: Path, name: str = "mini") -> None:
    """`grade stub`, in this process."""
    write_generated(Course(course).assignment(name))


def about(path: Path, found: list[str]) -> list[str]:
    """The problems that name this file first, without its name."""
    return [text.removeprefix(f"{path}: ") for text in found if text.startswith(f"{path}: ")]


def hashes(course: Path) -> dict[str, str]:
    """Every file with its hash; Python's own caches are not the course's."""
    return {
        path.relative_to(course).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(course.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


# --- Sound courses


def test_sound_course(mini: Path) -> None:
    """A sound course is called sound, and no file of it is touched."""
    before = hashes(mini)

    ran = grade("validate", "mini", cwd=mini)

    assert ran.text == "mini sound"
    assert ran.code == SOUND
    assert hashes(mini) == before


def test_a_module_that_is_allowed_is_there(mini: Path) -> None:
    """Otherwise whoever imports it loses the points on this machine and not at home."""
    edit_manifest(mini, "mini", imports=["numpy", "math", "nowhere"])

    (found,) = about(mini / "assignments/mini/assignment.yaml", problems(mini))

    assert found == (
        "`imports` allows nowhere, which is not installed here; install it beside `grade`: "
        f"`{sys.executable} -m pip install nowhere`"
    )


def test_sound_without_a_kernel(mini: Path) -> None:
    """The rules that most of these stories read have nothing to say of the sound course."""
    assert problems(mini) == []


def test_mistyped_assignment(mini: Path) -> None:
    """The nearest name is told."""
    ran = grade("validate", "mimi", cwd=mini)
    assert ran.code == USAGE
    assert "mimi: no such assignment (did you mean `mini`?)" in ran.text


# --- Nothing is changed, nothing is missed


def test_changes_nothing(mini: Path) -> None:
    """What is out of date is told and stays as it is, down to the last byte."""
    change(mini, STUB, "Doubling", "Halving")
    change(mini, MISTAKES, "added to itself", "taken twice")
    (mini / "solutions/mini/checks/sealed.json").unlink()
    before = hashes(mini)

    found = problems(mini)

    assert sum(text.endswith("out of date; run `grade stub mini`") for text in found) == 3
    assert hashes(mini) == before


def test_a_changed_check_is_read_again(mini: Path) -> None:
    """Validating twice in one process, the second time sees what the author changed in between."""
    assert problems(mini) == []

    change(mini, SEEN_DOUBLE, "== 6", "== 6.5")
    again = problems(mini)

    assert any("double(3) is 6, expected 6.5" in text for text in again), again


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
    assert "this needs solutions/" in ran.text  # as `grade stub` says it


# --- The reference


def test_reference_without_full_marks(mini: Path) -> None:
    """A check that the reference fails is told with its numbers, one that waits for it is not."""
    path = change(mini, SOURCE, "return x + x", "return x + x + 1")
    assert about(path, problems(mini)) == [
        f"the reference does not pass `double`: {SEEN_DOUBLE}, line 6, test_three: Twice 3 is 6. "
        "double(3) is 7, expected 6; mend the reference or the check"
    ]


def test_reference_with_a_cell_that_raises(mini: Path) -> None:
    """A cell that raises is told even where no check needs it."""
    path = change(mini, SOURCE, "# %% [markdown]\n# Look", "# %%\nBox(1).shrink()\n\n# %% [markdown]\n# Look")
    (told,) = about(path, problems(mini))
    assert told == (
        "executing its cells in the jail: mini.py, line 31: AttributeError: 'Box' object has "
        "no attribute 'shrink'.  ->  Box(1).shrink(); mend the reference"
    )


def test_reference_is_gone(mini: Path) -> None:
    """The missing file is named."""
    (mini / SOURCE).unlink()
    ran = grade("validate", "mini", cwd=mini)
    assert ran.code in (USAGE, UNREADABLE)
    assert f"{mini / SOURCE}: " in ran.text


def test_reference_with_a_syntax_error(mini: Path) -> None:
    """The file and the line are named."""
    path = change(mini, SOURCE, "    return x + x", "    return x +")
    with pytest.raises(Broken) as told:
        problems(mini)
    assert str(told.value) == f"{path}, line 10: invalid syntax"


UNPAIRED = {
    "no end": (
        "    ### END SOLUTION\n\n\n# %%\nclass",
        "\n\n# %%\nclass",
        "line 9: `### BEGIN SOLUTION` without an end",
    ),
    "no beginning": (
        "    ### BEGIN SOLUTION: write double\n",
        "",
        "line 10: `### END SOLUTION` without a beginning",
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
}


@pytest.mark.parametrize("case", UNPAIRED)
def test_unpaired_markers(mini: Path, case: str) -> None:
    """Markers that do not pair are told with their line, and nothing that follows from it."""
    old, new, message = UNPAIRED[case]
    path = change(mini, SOURCE, old, new)
    with pytest.raises(Broken) as told:
        problems(mini)
    assert str(told.value) == f"{path}, {message}"


def test_unpaired_markers_as_a_command_tells_them(mini: Path) -> None:
    """`grade stub` says the same before anything is run."""
    path = change(mini, SOURCE, *UNPAIRED["misspelt"][:2])
    for command in ("validate", "stub"):
        ran = grade(command, "mini", cwd=mini)
        assert ran.text == f"grade: {path}, {UNPAIRED['misspelt'][2]}"
        assert ran.code == UNREADABLE


# --- The stub


def test_no_stub(mini: Path) -> None:
    """A missing stub is to be made."""
    path = mini / STUB
    path.unlink()
    found = problems(mini)
    assert "there is no stub; run `grade stub mini`" in about(path, found)
    assert len(about(path, found)) == len(found)


def test_stub_out_of_date(mini: Path) -> None:
    """The reference's text was changed after the stub was made, and the copy of it for `grade reset`."""
    change(mini, SOURCE, "Write a function, then a box", "Write a function and then a box")
    assert problems(mini) == [
        f"{mini / path}: out of date; run `grade stub mini`"
        for path in (STUB, "assignments/mini/checks/stub.ipynb")
    ]


def test_stub_edited_by_hand(mini: Path) -> None:
    """A stub that was edited is out of date too."""
    path = change(mini, STUB, "an empty box stays empty", "empty boxes stay empty")
    assert problems(mini) == [f"{path}: out of date; run `grade stub mini`"]


def test_stub_that_passes(mini: Path) -> None:
    """Without its markers a solution stays in the stub, and its check passes."""
    change(mini, SOURCE, "    ### BEGIN SOLUTION: write double\n", "")
    change(mini, SOURCE, "    return x + x\n    ### END SOLUTION\n", "    return x + x\n")
    regenerate(mini)
    assert problems(mini) == [
        f"{mini / STUB}: the stub's `double` is passed, it should be todo or blocked; "
        "take out of the stub what the check needs: it belongs between `### BEGIN SOLUTION` and "
        f"`### END SOLUTION` in {mini / SOURCE}"
    ]


def test_stub_that_fails(mini: Path) -> None:
    """A stub whose placeholder gives a wrong answer would call a student wrong who has not begun."""
    change(mini, SOURCE, "    return x + x\n", "    # STUB: return None\n    return x + x\n")
    regenerate(mini)
    assert problems(mini)[0] == (
        f"{mini / STUB}: the stub's `double` is failed, it should be todo or blocked; "
        "take out of the stub what the check needs: it belongs between `### BEGIN SOLUTION` and "
        f"`### END SOLUTION` in {mini / SOURCE}"
    )


def test_stub_with_points(mini: Path) -> None:
    """In a check with shares, a test that the untouched notebook passes gives points away."""
    change(mini, MANIFEST, "    needs: [double]\n", "    needs: [double]\n    partial: true\n")
    path = mini / SEEN_BOX
    more = (
        '\n\ndef test_kept(student):\n    """A box keeps 2.5."""\n    assert student.Box(2.5).number == 2.5\n'
    )
    path.write_text(path.read_text() + more)
    regenerate(mini)
    assert problems(mini)[0] == (
        f"{mini / STUB}: the stub has 13.33 points for `box`, it should have none; "
        "write tests that the untouched notebook does not pass"
    )


def test_stub_holds_another_assignments_solution(mini: Path) -> None:
    """A solution block of one assignment that stands open in another one's stub."""
    source = add_second(mini, "next", unmarked(REFERENCE))
    regenerate(mini, "next")

    found = problems(mini, "next")

    assert (
        f"{mini / 'assignments/next/next.ipynb'}: holds a solution of mini "
        f"('self.number = double(self.number)'); put it between solution markers in {source}"
    ) in found


# --- Null engines


def test_expected_value_from_a_reading(mini: Path) -> None:
    """A check that compares readings with readings is passed by code that knows nothing."""
    (mini / HIDDEN_DOUBLE).unlink()
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) == 3 * student.double(1)")
    regenerate(mini)
    assert given_away(problems(mini)) == [
        f"check `double` of mini: code that knows nothing passes it ({title}); "
        "compare with what does not come from the submission"
        for title in ("all zeros", "echo", "the same object everywhere")
    ]


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


def test_mistake_fails_other_checks_than_it_declares(mini: Path) -> None:
    """The message has the checks that it declares, those that it fails, and the place."""
    path = change(mini, MISTAKES, 'fails="double box"', 'fails="double"')
    assert problems(mini) == [
        f'{path}, {SQUARES}: declares `fails="double"`, but it fails double box '
        f"({SEEN_BOX}, line 10, test_grow: A box of 2.5 holds 5 when it has grown. "
        "Box(2.5).number is 6.25, expected 5); correct `fails` or the checks"
    ]


def test_mistake_declares_a_check_that_is_not_there(mini: Path) -> None:
    """A mistyped check is told with the nearest one."""
    path = change(mini, MISTAKES, 'fails="double box"', 'fails="doubl box"')
    assert problems(mini) == [
        f"{path}, {SQUARES}: `fails` names `doubl`, which is no check (did you mean `double`?); "
        "this assignment has double, box"
    ]


def test_mistake_that_fails_nothing(mini: Path) -> None:
    """What no check notices is no mistake, or a check is missing."""
    path = change(mini, MISTAKES, "x * x", "x * 2")
    regenerate(mini)
    assert problems(mini) == [f"{path}, {SQUARES}: fails nothing; write a test that it does not pass"]


def test_two_mistakes_that_read_the_same(mini: Path) -> None:
    """Two mistakes that no check can tell apart are never told."""
    again = put(
        mini,
        "solutions/mini/mistakes/power.py",
        HALVES.replace("double_halves", "double_to_the_power").replace("x / 2", "x**2"),
    )
    regenerate(mini)
    assert problems(mini) == [
        f"{place}: is told as nothing; write a check that tells it from {twin}, or take one of them out"
        for place, twin in (
            (f"{mini / MISTAKES}, {SQUARES}", "double_to_the_power"),
            (f"{again}, line 1: double_to_the_power", "double_squares"),
        )
    ]


TWO_WAYS = 'edits=[{"return x + x": "return x * x"}, {"return x + x": "return x**2 + 0.5"}]'


def test_two_ways_to_make_a_mistake(mini: Path) -> None:
    """Each of them is tried, and told by the one name."""
    change(mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS)
    regenerate(mini)
    assert problems(mini) == []


def test_one_way_of_two_that_fails_nothing(mini: Path) -> None:
    """The message says which."""
    path = change(
        mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS.replace("x**2 + 0.5", "2 * x")
    )
    regenerate(mini)
    assert problems(mini) == [
        f"{path}, {SQUARES}, edits 2 of 2: fails nothing; write a test that it does not pass"
    ]


def test_a_mistake_that_fails_less_than_another(mini: Path) -> None:
    """In the first check the two read the same; the one that explains the second check too is told in both."""
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
        ", line 3: double_halves has no words; write what the student reads who makes it",
    ),
    "edits nothing": (
        HALVES.replace("x + x", "x + y"),
        ", line 1: double_halves: 'return x + y' stands nowhere in the code of the reference; "
        "copy it from the reference, spaces included",
    ),
    "syntax error": (HALVES.replace("edits=", "edits"), ", line 4: invalid syntax"),
    "no Python any more": (
        HALVES.replace("x / 2", "x /"),
        ", line 1: double_halves: with 'return x /' for 'return x + x' the reference is not Python: ",
    ),
}


@pytest.mark.slow(after=2)
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


def test_what_the_reference_skips_is_no_failure(mini: Path) -> None:
    """A test that skips whatever is handed in says nothing of a mistake either."""
    later = '''
import pytest


def test_four(student):
    """What twice 4 is, only the hidden checks say."""
    pytest.skip("the hidden checks decide")
'''
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text(encoding="utf-8") + later, encoding="utf-8")
    regenerate(mini)

    assert problems(mini) == []


# --- Generated files


def test_words_of_a_mistake_were_changed(mini: Path) -> None:
    """The sealed files hold the words, so both are out of date."""
    change(mini, MISTAKES, "added to itself", "taken twice")
    assert problems(mini) == [
        f"{mini / side}/mini/checks/sealed.json: out of date; run `grade stub mini`"
        for side in ("assignments", "solutions")
    ]


def test_salt_was_changed(mini: Path) -> None:
    """Other hidden numbers give other fingerprints, and another secret other keys."""
    put(mini, "solutions/mini/salt.txt", "another pinch\n")
    assert problems(mini) == [
        f"{mini / side}/mini/checks/sealed.json: out of date; run `grade stub mini`"
        for side in ("assignments", "solutions")
    ]


def test_fingerprints_are_missing(mini: Path) -> None:
    """A file that was never made is to be made."""
    path = mini / "assignments/mini/checks/sealed.json"
    path.unlink()
    assert f"{path}: out of date; run `grade stub mini`" in problems(mini)


def test_fingerprints_that_are_not(mini: Path) -> None:
    """A file that is something else is named, with the remedy, and exit code 3."""
    path = put(mini, "assignments/mini/checks/sealed.json", '{"format": 1, "mistakes": 3}')
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: not a sealed file" in ran.text
    assert "run `grade stub" in ran.text
    assert ran.code == UNREADABLE


# --- The manifest


def test_manifest_that_cannot_be_read(mini: Path) -> None:
    """What is wrong with the manifest comes before everything else; exit code 2."""
    path = change(mini, MANIFEST, "    points: 60\n", "    pionts: 60\n")
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: unknown key `checks.double.pionts` (did you mean `points`?)" in ran.text
    assert ran.code == USAGE


def test_manifest_without_checks(mini: Path) -> None:
    """An assignment that checks nothing is told so, with the file to write them in."""
    path = put(mini, "assignments/day1/assignment.yaml", EMPTY)
    ran = grade("validate", "day1", cwd=mini)
    assert str(path) in ran.text
    assert "checks" in ran.text
    assert ran.code in (PROBLEMS, USAGE, UNREADABLE)


@pytest.mark.slow
def test_continues_what_is_not_there(mini: Path) -> None:
    """The manifest that names an unknown assignment is named, and the nearest one."""
    path = change(mini, MANIFEST, "title: Doubling\n", "title: Doubling\ncontinues: mimi\n")
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: `continues` names `mimi`, which is no assignment before this one" in ran.text
    assert str(path) in ran.text
    assert ran.code in (PROBLEMS, USAGE)


EMPTY = """\
format: 1
title: Nothing yet
submission: day1.ipynb
checks: {}
"""

# --- Check files


def test_check_without_hints(mini: Path) -> None:
    """Every check has hints."""
    path = change(
        mini,
        MANIFEST,
        'hints: ["How often does x stand in the answer?", "Add x to itself."]',
        "hints: []",
    )
    assert problems(mini) == [
        f"{path}: check `double` has no hints; write some, from a nudge to nearly the answer"
    ]


def test_check_file_without_a_check(mini: Path) -> None:
    """A test file that no check of the manifest belongs to is never run; exit code 2."""
    path = put(mini, "solutions/mini/checks/test_doubel.py", '"""Doubling."""\n')
    ran = grade("validate", "mini", cwd=mini)
    assert (
        f"{path}: no check `doubel` in {mini / MANIFEST} (did you mean `double`?); add it there or rename the file"
    ) in ran.text
    assert ran.code == USAGE


def test_check_without_a_file(mini: Path) -> None:
    """A check of the manifest that nobody has written."""
    (mini / SEEN_DOUBLE).unlink()
    (mini / HIDDEN_DOUBLE).unlink()
    found = problems(mini)
    folder = mini / "assignments/mini/checks"
    assert f"{mini / MANIFEST}: check `double` has no test_double.py in {folder}; write it" in found
    assert not [text for text in found if "the reference" in text or "the stub" in text]


def test_check_file_without_a_test(mini: Path) -> None:
    """A file in which nothing is tested leaves its check without a verdict."""
    (mini / HIDDEN_DOUBLE).unlink()
    put(mini, SEEN_DOUBLE, '"""Doubling: twice the number."""\n')
    assert any("double" in text for text in problems(mini))


NO_TESTS = {
    "nothing": '"""Doubling."""\n',
    "a helper": '"""Doubling."""\n\n\ndef three():\n    return 3\n',
    "a class of unittest's": (
        '"""Doubling."""\nimport unittest\n\n\nclass Double(unittest.TestCase):\n'
        '    def test_three(self):\n        """Three."""\n'
    ),
}


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("case", NO_TESTS)
def test_check_file_from_which_nothing_is_run(mini: Path, case: str) -> None:
    """Also where the other side has tests: its author believes that this one has some."""
    path = put(mini, SEEN_DOUBLE, NO_TESTS[case])
    regenerate(mini)
    told = "no test in it; write `def test_...(student):`, in no class of unittest's"
    assert f"{path}: {told}" in problems(mini)


def test_tests_in_a_file_of_another_name(mini: Path) -> None:
    """pytest's other way to name a file is not ours; a helper beside the checks is nobody's concern."""
    path = put(mini, "assignments/mini/checks/double_test.py", (mini / SEEN_DOUBLE).read_text())
    put(mini, "assignments/mini/checks/numbers_of_mine.py", "THREE = 3\n")
    assert problems(mini) == [f"{path}: its tests are never run; name it test_<check>.py"]


def test_reference_has_another_name_than_the_notebook(mini: Path) -> None:
    """The two names and the manifest that has one of them."""
    change(mini, MANIFEST, "mini.ipynb", "doubling.ipynb")
    for command in ("validate", "stub"):
        ran = grade(command, "mini", cwd=mini)
        assert f"{mini / 'solutions/mini/doubling.py'}: there is no such file, but mini.py" in ran.text
        assert ran.code == UNREADABLE


def test_check_file_without_a_title(mini: Path) -> None:
    """The module's docstring is the check's title."""
    path = change(mini, SEEN_DOUBLE, '"""Doubling: twice the number."""\n', "")
    assert problems(mini) == [f"{path}: no docstring; its first line is the check's title"]


def test_test_without_a_docstring(mini: Path) -> None:
    """The test's docstring is what a student reads when it fails."""
    path = change(mini, HIDDEN_DOUBLE, '    """Twice any number."""\n', "")
    assert problems(mini) == [f"{path}, line 6: test_any has no docstring; students read it when it fails"]


BROKEN_CHECKS = {
    "syntax error": ("    assert student.double(3) ==\n", "line 6: SyntaxError: invalid syntax"),
    "unknown import": (
        "    pass\n\n\nimport numbers_of_mine\n",
        "line 9: ModuleNotFoundError: No module named 'numbers_of_mine'",
    ),
    "an error of its own": ("    pass\n\n\n[][1]\n", "line 9: IndexError: list index out of range"),
}


def broken_check(course: Path, body: str, encoding: str = "utf-8") -> Path:
    """The visible check of `double` with this body; gives its path."""
    text = f'"""Doubling: twice the number."""\n\n\ndef test_three(student):\n    """Twice 3 is 6."""\n{body}'
    (course / SEEN_DOUBLE).write_text(text, encoding=encoding)
    return course / SEEN_DOUBLE


@pytest.mark.parametrize("case", BROKEN_CHECKS)
def test_check_file_that_is_broken(mini: Path, case: str) -> None:
    """The file and the line are named, what Python says of it, and that it is to be mended."""
    body, message = BROKEN_CHECKS[case]
    path = broken_check(mini, body)
    assert f"{path}, {message}; mend the check file" in problems(mini)


def test_check_file_that_is_no_text(mini: Path) -> None:
    """Nothing can be said of the course before it can be read."""
    path = broken_check(mini, "    assert student.double(3) == 6  # \xe9\n", encoding="latin-1")
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: " in ran.text
    assert "this is not text in UTF-8; save it as UTF-8" in ran.text
    assert ran.code in (PROBLEMS, UNREADABLE)


def test_test_that_raises_by_its_own_fault(mini: Path) -> None:
    """A check that breaks down over the reference is not the reference's fault alone."""
    change(mini, SEEN_DOUBLE, "== 6", "== number_that_is_nowhere")
    assert problems(mini) == [
        f"check `double` cannot be used: {mini / SEEN_DOUBLE}, line 6: test_three: NameError: "
        "name 'number_that_is_nowhere' is not defined; mend the check file"
    ]


def test_test_that_cannot_go_on_with_what_is_right(mini: Path) -> None:
    """What Python says of the check's own line is told too: the reference is right, and the check asks wrongly."""
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3)[0] == 6")
    assert about(mini / SOURCE, problems(mini))[0] == (
        f"the reference does not pass `double`: {SEEN_DOUBLE}, line 6, test_three: Twice 3 is 6. double(3) is 6, "
        "which is not of the kind that is expected. TypeError: 'IntReading' object is not subscriptable; "
        "mend the reference or the check"
    )


def test_what_was_made_of_a_reading_has_no_name(mini: Path) -> None:
    """It is told as it is to a student."""
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) + 1 == 8")
    assert about(mini / SOURCE, problems(mini))[0] == (
        f"the reference does not pass `double`: {SEEN_DOUBLE}, line 6, test_three: Twice 3 is 6. "
        "what was read is 7, expected 8; mend the reference or the check"
    )


def test_test_asks_for_an_unknown_fixture(mini: Path) -> None:
    """A mistyped fixture is the check file's fault, and the file is named."""
    path = change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, rgn)")
    assert problems(mini) == [
        f"check `double` cannot be used: {path}: the test test_three could not be set up: "
        "there is no fixture `rgn`; where it is a topic's, name the topic in the manifest; mend the check file"
    ]


# --- What an author sees and a student does not


def test_reference_fails_a_hidden_test(mini: Path) -> None:
    """The hidden test, its line and its numbers, and nothing of what waits for it."""
    path = change(
        mini, HIDDEN_DOUBLE, "assert student.double(x) == approx(2 * x)", "assert student.double(7) == 15"
    )
    assert problems(mini) == [
        f"{mini / SOURCE}: the reference does not pass `double`: {HIDDEN_DOUBLE}, line 9, test_any: "
        "Twice any number. double(7) is 14, expected 15; mend the reference or the check"
    ]
    assert path.read_text(encoding="utf-8").split("\n")[8] == "    assert student.double(7) == 15"


def test_mistake_fails_a_hidden_test(mini: Path) -> None:
    """The numbers of a hidden check that it does not declare are told too."""
    hidden = HIDDEN_DOUBLE.replace("double", "box")
    change(mini, hidden, "def test_grow_twice(student, rng):", "def test_grow_twice(student):")
    change(mini, hidden, "rng.uniform(3, 9)", "3")
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", "assert box.number in (2.5, 5.0)")
    path = change(mini, MISTAKES, 'fails="box"', 'fails="double"')
    assert about(Path(f"{path}, {FORGETS}"), problems(mini))[0] == (
        f'declares `fails="double"`, but it fails box ({hidden}, line 12, test_grow_twice: '
        "A box that grows twice holds four times its number. Box(3).number is 3, expected 12); "
        "correct `fails` or the checks"
    )


def test_reference_raises_in_a_hidden_test(mini: Path) -> None:
    """The student is told that a hidden test failed; the author which, and what was raised."""
    change(mini, HIDDEN_DOUBLE, "student.double(x) == approx(2 * x)", "student.double(None) == 0")
    (told,) = problems(mini)
    assert told == (
        f"{mini / SOURCE}: the reference does not pass `double`: {HIDDEN_DOUBLE}, line 9, test_any: "
        "Twice any number. TypeError: unsupported operand type(s) for +: 'NoneType' and 'NoneType'; "
        "mend the reference or the check"
    )


@pytest.mark.slow
def test_reference_that_takes_too_long(mini: Path) -> None:
    """The limit is named, and the line at which it was met."""
    change(mini, MANIFEST, "checks:", "limits: {check_seconds: 1}\nchecks:")
    change(mini, SOURCE, "    return x + x\n", "    while x:\n        pass\n    return x + x\n")
    assert problems(mini) == [
        f"{mini / SOURCE}: the reference does not pass `double`: {SEEN_DOUBLE}, line 6, test_three: "
        "Twice 3 is 6. the tests of this check took longer than 1 s (check_seconds); "
        "mend the reference or the check"
    ]


def test_a_name_that_the_reference_lacks_is_told_once(mini: Path) -> None:
    """With every check that asks for it: the others follow from the one line that is missing."""
    for path in (SEEN_DOUBLE, HIDDEN_DOUBLE):
        change(mini, path, "student.double(", "student.duble(")
    for path in (SEEN_BOX, HIDDEN_DOUBLE.replace("double", "box")):
        change(mini, path, "student.Box(", "student.duble(")
    assert problems(mini) == [
        f"{mini / SOURCE}: the reference does not define `duble`, for which `double`, `box` ask "
        f"({SEEN_DOUBLE}, line 6, test_three); define it, or correct the name in the check"
    ]


def test_reference_that_does_not_load_is_told_once(mini: Path) -> None:
    """The cell that raises, and no check that fails because of it."""
    change(mini, SOURCE, "# %%\ndef double(x):", "# %%\nopen('data.csv')\n\n\ndef double(x):")
    assert problems(mini) == [
        f"{mini / SOURCE}: executing its cells in the jail: mini.py, line 7: "
        "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'. While grading, a submission has no files, "
        "no network and no other programs; move that part of it into a cell of its own, tag that one `demo`, "
        "and grading leaves it out.  ->  "
        "open('data.csv'); mend the reference"
    ]


def test_check_compares_a_repr(mini: Path) -> None:
    """`repr` of an object of the student's never asks them; the author is told what does."""
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", 'assert repr(box) == "Box(5)"')
    (told,) = problems(mini)
    assert told == (
        f"{mini / SOURCE}: the reference does not pass `box`: {SEEN_BOX}, line 10, test_grow: "
        "A box of 2.5 holds 5 when it has grown. what was read is the text '<Box(2.5)>', expected the text "
        "'Box(5)' (`repr` gives an object's expression in angle brackets; `str` gives the student's own text); "
        "mend the reference or the check"
    )


def test_check_asks_for_a_fixture_that_sees_nothing(mini: Path) -> None:
    """The recipe that works is told."""
    change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, capsys)")
    assert problems(mini) == [
        f"{mini / SEEN_DOUBLE}, line 4: `capsys` of test_three looks at the grader's process, in which nothing "
        "of the student's runs; catch what is printed with a helper that runs in the jail "
        "(docs/authors.md, Recipes); mend the check file"
    ]


# --- Causes before consequences


@pytest.mark.parametrize("salt", [None, "", " \n"])
def test_no_salt(mini: Path, salt: str | None) -> None:
    """Consequences, such as records that are out of date, are left out."""
    path = mini / "solutions/mini/salt.txt"
    path.unlink() if salt is None else path.write_text(salt)
    assert problems(mini) == [
        f"{path}: there is no salt, without which anybody can compute the hidden checks' random numbers; "
        "run `grade stub mini`, which makes one"
    ]


LUCK = "is not seeded, so who passes is luck; take random numbers from the fixture `rng`"
CLOCK = "gives something else in each run, so who passes is luck; take it out"
STOPS = "stops grading until somebody types; take it out"
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
    """The line is told without a run, and no consequence of it."""
    imports, used, message = PITFALLS[case]
    change(mini, HIDDEN_DOUBLE, "from pytest import approx\n", f"from pytest import approx\n{imports}\n")
    path = change(mini, HIDDEN_DOUBLE, "x = rng.uniform(3, 9)", f"x = {used}")
    assert problems(mini) == [f"{path}, line 9: {message}"]


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
    assert problems(mini) == [f"{path}, line 5: random.random() {LUCK}"]


@pytest.mark.parametrize(
    "folder", ["assignments/mini/checks", "solutions/mini/checks", "assignments/mini", "solutions"]
)
def test_conftest_that_nobody_reads(mini: Path, folder: str) -> None:
    """And not that there is no fixture of the name that it defines."""
    fixture = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n"
    path = put(mini, f"{folder}/conftest.py", fixture)
    change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, three)")
    side = "solutions" if folder.startswith("solutions") else "assignments"
    assert problems(mini) == [
        f"{path}: this file is never read; move what the checks share to {mini / side / 'mini/checks/_helpers.py'}, "
        "and import it from there"
    ]


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
    assert problems(mini) == []


# --- Points and titles


def test_negative_points(mini: Path) -> None:
    """The value is told with the key."""
    path = change(mini, MANIFEST, "    points: 60\n", "    points: -60\n")
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == f"grade: {path}: `checks.double.points` is -60; write a number not below 0"
    assert ran.code == USAGE


def test_points_that_are_all_0(mini: Path) -> None:
    """One check may have none; all of them are a slip."""
    path = change(mini, MANIFEST, "    points: 60\n", "    points: 0\n")
    assert problems(mini) == []
    change(mini, MANIFEST, "    points: 40\n", "    points: 0\n")
    assert problems(mini) == [
        f"{path}: the points of all checks are 0, so that nothing can be earned; give one of them points"
    ]


def test_two_checks_of_one_title(mini: Path) -> None:
    """A copied docstring; both sides of one check may have the same."""
    path = change(mini, SEEN_BOX, "A box grows: it keeps twice its number.", "Doubling: twice the number.")
    assert problems(mini) == [
        f"{path}: its title is that of `double` too, 'Doubling: twice the number.'; change one of them"
    ]


def test_two_assignments_of_one_title(mini: Path) -> None:
    """The later one is told."""
    add_second(mini, "next", REFERENCE)
    regenerate(mini, "next")
    path = mini / "assignments/next/assignment.yaml"
    assert f"{path}: its title is that of mini too, 'Doubling'; change one of them" in problems(mini, "next")


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


def test_result_depends_on_the_order_of_sets(mini: Path) -> None:
    """A mistake that reads otherwise when sets are iterated the other way asks for `orders: true`."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    regenerate(mini)
    assert problems(mini) == [
        f"check `{check}` of mini: its result depends on the order of sets (with the mistake double_by_luck); "
        "write `orders: true` for it in the manifest"
        for check in ("double", "box")
    ]


def test_orders_told_in_the_manifest(mini: Path) -> None:
    """With `orders: true` each test runs under every order, and nothing is left to luck."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    change(mini, MANIFEST, "    points: 60\n", "    points: 60\n    orders: true\n")
    change(mini, MANIFEST, "    points: 40\n", "    points: 40\n    orders: true\n")
    regenerate(mini)
    assert problems(mini) == []


@pytest.mark.parametrize("mistakes", ["with mistakes", "without mistakes"])
def test_reference_that_passes_by_luck(mini: Path, mistakes: str) -> None:
    """A reference whose result depends on the order of sets is told, mistakes or none."""
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


# --- A real kernel


@pytest.mark.slow
def test_reference_cell_raises_in_a_kernel(mini: Path) -> None:
    """A demo cell is left out of grading, so only a kernel can tell that it raises."""
    path = change(
        mini, SOURCE, "print(box.number)", 'raise LookupError("no box" if box.number == 5 else "stub")'
    )
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: in a kernel, cell 5 of the reference raises LookupError: no box; mend it" in ran.text
    assert ran.text.startswith("mini 1 problem ")
    assert ran.code == PROBLEMS


ANSWER = """
# %%
### BEGIN SOLUTION: fill in the answer
# STUB: answer = ...
answer = 42
### END SOLUTION

# %% tags=["demo"]
print(answer + 1)
"""


@pytest.mark.slow
def test_stub_cell_raises_in_a_kernel(mini: Path) -> None:
    """In the stub, cells stop with NotImplementedError or NameError and with nothing else."""
    path = change(mini, SOURCE, "print(box.number)\n", "print(box.number)\n" + ANSWER)
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: in a kernel, cell 7 of the stub raises TypeError: " in ran.text
    assert ran.text.endswith("; mend it")
    assert ran.text.startswith("mini 1 problem ")
    assert ran.code == PROBLEMS


@pytest.mark.slow
def test_cell_ends_the_kernel(mini: Path) -> None:
    """A cell that takes the kernel with it is told with its number as well."""
    path = change(mini, SOURCE, "print(box.number)", "import os\n\nos._exit(1)")
    regenerate(mini)
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: in a kernel, cell 5 of the reference" in ran.text
    assert ran.code in (PROBLEMS, UNREADABLE)


# --- The records of PyTorch's numbers


def without_mistakes(course: Path, day: str) -> None:
    """Leave out what takes long and has nothing to do with PyTorch."""
    shutil.rmtree(course / "solutions" / day / "mistakes", ignore_errors=True)


@pytest.mark.slow
def test_parity_records_that_are_wrong_or_missing(course: Path) -> None:
    """Live torch disagrees with one digit of one recorded gradient; the other record was never made."""
    pytest.importorskip("torch")
    without_mistakes(course, "day2")
    wrong = change(course, "solutions/day2/checks/parity.json", "0.0432665372706654", "0.0432665372706655")
    missing = course / "assignments/day2/checks/parity.json"
    missing.unlink()

    found = problems(course, "day2")

    assert about(wrong, found) == ["out of date; run `grade stub day2`"]
    assert about(missing, found) == ["out of date; run `grade stub day2`"]


def test_torch_without_numpy_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `instructor` has no NumPy, which torch warns of when it is imported; nothing here needs it."""
    put(
        tmp_path,
        "torch.py",
        "import warnings\nwarnings.warn('Failed to initialize NumPy: no')\nraise ImportError\n",
    )
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ParityUnavailable):
        from_torch(lambda a: a, "a", {"a": 1.0})

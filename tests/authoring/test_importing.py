"""`grade new --from`: an assignment of nbgrader's or otter's becomes one of ours; nothing of it runs outside of the jail."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import grade, grade_json, hand_in, same_as_snapshot
from validating import problems

from grader.authoring.new import plan, render, write
from grader.errors import Refused

FULL = 0
Cell = dict[str, Any]


def code(source: str, value: str = "", **nbgrader: Any) -> Cell:
    """A cell of code; `value` is what its last run gave."""
    outputs = [{"output_type": "execute_result", "data": {"text/plain": [value]}}] if value else []
    return {"cell_type": "code", "source": source, "outputs": outputs, "metadata": marks(nbgrader)}


def words(source: str, **nbgrader: Any) -> Cell:
    """A cell of text."""
    return {"cell_type": "markdown", "source": source, "metadata": marks(nbgrader)}


def raw(source: str) -> Cell:
    """A raw cell, as otter marks areas."""
    return {"cell_type": "raw", "source": source, "metadata": {}}


def marks(nbgrader: dict[str, Any]) -> dict[str, Any]:
    return {"nbgrader": {"grade": False, "solution": False, **nbgrader}} if nbgrader else {}


def notebook(folder: Path, *cells: Cell) -> Path:
    """Write a notebook into a folder of its own."""
    folder.mkdir(exist_ok=True)
    path = folder / "source.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}))
    return path


LIMB = """\
def doubled(number):
    ### BEGIN SOLUTION
    return 2 * number
    ### END SOLUTION
"""
TESTS = """\
'''Twice a number.'''
assert doubled(4) == 8
### BEGIN HIDDEN TESTS
from math import pi
assert doubled(2137) == 4274
assert abs(doubled(pi) - 6.283) < 0.01
### END HIDDEN TESTS
"""
NBGRADER = (
    words("# Twice"),
    code("import random", grade_id="given", locked=True),
    code(LIMB, grade_id="doubled", solution=True),
    code("%timeit doubled(3)\ndoubled(3)"),
    code(TESTS, grade_id="Doubled: values", grade=True, points=3),
    code("class Box:\n    ### BEGIN SOLUTION\n    size = 5\n    ### END SOLUTION", grade_id="b", solution=True),
    code("try:\n    Box().nothing\nexcept AttributeError:\n    pass\nelse:\n    raise AssertionError\n"
         "assert type(Box().size) == int and Box().size == 5", grade_id="cell-0123abcd", grade=True, points=1),
    code("old = doubled\ndel doubled\nassert old", grade_id="uses", grade=True, points=2),
    words("Why?"),
    words("Because it is the secret answer.", grade_id="why", grade=True, solution=True, points=4),
)  # fmt: skip
WRONG = "def doubled(number):\n    return 2 * number if number < 9 else 0\nclass Box:\n    size = 5\n"

OTTER = (
    raw("# ASSIGNMENT CONFIG\ngenerate: true"),
    code("import matplotlib.pyplot as plt\nimport otter\ngrader = otter.Notebook()"),
    raw("# BEGIN QUESTION\nname: q1\npoints: 2"),
    words("**Question 1.** Write `halves`, which halves each number."),
    raw("# BEGIN SOLUTION"),
    code("def halves(numbers):\n    return [n / 2 for n in numbers] # SOLUTION\n\nthree = halves([2, 4, 8]) # SOLUTION"),
    raw("# END SOLUTION"),
    raw("# BEGIN TESTS"),
    code("halves([3, 5]) == [1.5, 2.5]"),
    code("three"),
    code('""" # BEGIN TEST CONFIG\npoints: 1\nhidden: true\n""" # END TEST CONFIG\n'
         "def test_more(halves):\n    assert halves([7]) == [3.5]\n\ntest_more(halves)  # IGNORE"),
    code("# HIDDEN\nsorted(halves([9, 7]))", "[3.5, 4.5]"),
    raw("# END TESTS"),
    raw("# END QUESTION"),
    raw("# BEGIN QUESTION\nname: q2\nmanual: true"),
    words("**Question 2.** Draw them."),
    raw("# BEGIN SOLUTION"),
    code("plt.plot(three); # SOLUTION"),
    raw("# END SOLUTION"),
    raw("# END QUESTION"),
    code('grader.check("q3")'),
)  # fmt: skip
OK = r'''OK_FORMAT = True
test = {"name": "q3", "points": 5, "suites": [{"cases": [
    {"code": ">>> halves([1])\n[0.5]\n>>> len(three)\n3", "hidden": False},
    {"code": r"""
    >>> given = [4]
    >>> halves(given)[0]
    2.0
    >>> print(1)
    1
    """, "hidden": True},
]}]}
'''


def made(here: Path, source: Path) -> Path:
    """Return a course made from a notebook."""
    course = here / "course"
    course.mkdir()
    write(plan("day1", None, course, source))
    return course


def refused(source: Path, here: Path) -> str:
    """Return the message of a refusal."""
    (here / "empty").mkdir()
    with pytest.raises(Refused) as caught:
        plan("day1", None, here / "empty", source)
    assert not any((here / "empty").iterdir())
    return str(caught.value)


def every_text(folder: Path) -> str:
    """All texts below a folder."""
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def test_hidden_tests_and_answers_stay_in_solutions(tmp_path: Path) -> None:
    """What was hidden, solved or answered there is in no file for students."""
    course = made(tmp_path, notebook(tmp_path / "ps1", *NBGRADER))
    shown, secret = every_text(course / "assignments"), every_text(course / "solutions")
    for text in ("2137", "return 2 * number", "secret answer"):
        assert text not in shown
        assert text in secret


def test_what_only_hidden_tests_use_stays_with_them(tmp_path: Path) -> None:
    """Files, modules, docstrings and settings; a visible test that needs a hidden setting is not carried over."""
    folder = tmp_path / "ps1"
    hidden = "### BEGIN HIDDEN TESTS\n'''Secret 2137.'''\nfrom more import tried\ntried(doubled, 'more.csv')\nlimit = 2137\n### END HIDDEN TESTS"
    source = notebook(
        folder,
        code(LIMB, grade_id="doubled", solution=True),
        code(hidden, grade_id="first", grade=True, points=1),
        code(
            "### AUTOTEST doubled(3)\n### HASHED AUTOTEST doubled(2137)",
            grade_id="auto",
            grade=True,
            points=1,
        ),
        code("assert doubled(4) == 8\nassert doubled(limit) > 5", grade_id="second", grade=True, points=1),
        code(
            "found = []\nfor n in range(3):\n    found.append(doubled(n))\nassert found == [0, 2, 4]\n"
            "given = [1]\ndoubled(given)\nassert given == [1]",
            grade_id="third",
            grade=True,
            points=1,
        ),
    )
    (folder / "more.py").write_text("def tried(f, name):\n    assert f(2137) == 4274\n")
    (folder / "more.csv").write_text("2137")
    course = made(tmp_path, source)
    assert "2137" not in every_text(course / "assignments")
    assert "limit" not in every_text(course / "assignments")
    third = (course / "assignments/day1/checks/test_third.py").read_text()
    assert "assert found == [0, 2, 4]" in third
    assert "assert given" not in third  # an argument is a copy, so this could not fail
    assert (course / "solutions/day1/data/more.csv").is_file()
    assert "4274" in (course / "solutions/day1/checks/_helpers.py").read_text()


def test_the_files_of_an_assignment_of_nbgrader(tmp_path: Path) -> None:
    """Manifest, reference and checks, and the list of what could not be carried over."""
    source = notebook(tmp_path / "ps1", *NBGRADER)
    planned = plan("day1", None, tmp_path, source)
    texts = {path.relative_to(tmp_path).as_posix(): text for path, text in planned.files.items()}
    told = [f"=== {path}\n{text}" for path, text in texts.items() if path.endswith((".py", ".yaml"))]
    same_as_snapshot("import_nbgrader", "\n".join([*told, render(planned, tmp_path)]))


def test_an_answer_without_a_question_is_left_out(tmp_path: Path) -> None:
    """Answers in words that stand in no question, and cells that are not Python, are in neither notebook."""
    answer = words("The secret 2137.")
    answer["metadata"] = {"tags": ["otter_assign_solution_cell"]}
    unread = code("this is not Python # BEGIN SOLUTION\nsecret 2138\n# END SOLUTION")
    marked = words("Given.\n**BEGIN SOLUTION**\nSecret 2139.\n**END SOLUTION**")
    source = notebook(
        tmp_path / "hw1",
        *OTTER,
        raw("# BEGIN SOLUTION"),
        words("2140"),
        raw("# END SOLUTION"),
        answer,
        unread,
        marked,
    )
    planned = plan("day1", None, tmp_path, source)
    write(planned)
    assert grade("stub", "day1", cwd=tmp_path).code == FULL
    [notebook_of_students] = (tmp_path / "assignments" / "day1").glob("*.ipynb")
    shown = notebook_of_students.read_text()
    assert "Given." in shown
    assert not [text for text in ("2137", "2138", "2139", "2140") if text in shown]
    assert [note for note in planned.notes if "is left out" in note and "cell 2" in note]


def test_reading_runs_nothing(tmp_path: Path) -> None:
    """Code of cells, tests and files of tests, read and rewritten, leaves no trace."""
    trace = tmp_path / "trace"
    bomb = f"open({str(trace)!r}, 'w').write('x')"
    source = notebook(
        tmp_path / "ps1",
        code(f"{bomb}\nx = 2"),
        raw(f"# BEGIN QUESTION\nname: q1\npoints: !!python/object/apply:os.system ['touch {trace}']"),
        raw("# BEGIN TESTS"),
        code(f"{bomb}\nassert x == 2"),
        raw("# END TESTS"),
        raw("# END QUESTION"),
    )
    (tmp_path / "ps1" / "tests").mkdir()
    (tmp_path / "ps1" / "tests" / "q2.py").write_text(f"{bomb}\ntest = {{'suites': [{bomb}]}}\n")
    notes = plan("day1", None, tmp_path, source).notes
    assert any("tests/q2.py" in note for note in notes)
    assert not trace.exists()


def test_a_mark_inside_a_solution_ends_only_itself(tmp_path: Path) -> None:
    """What comes after a prompt or an ignored region in a solution is still solution."""
    inner = '""" # BEGIN PROMPT\nx = ...\n""" # END PROMPT', "# BEGIN IGNORE\nprint(2137)\n# END IGNORE"
    lines = "\n".join(
        ["# BEGIN SOLUTION", "x = 2", inner[0], "y = 2138", inner[1], "z = 2139", "# END SOLUTION"]
    )
    course = made(tmp_path, notebook(tmp_path / "hw1", *OTTER, code(lines)))
    assert grade("stub", "day1", cwd=course).code == FULL
    [stub] = (course / "assignments" / "day1").glob("*.ipynb")
    shown = stub.read_text()
    assert "x = ..." in shown
    assert not [text for text in ("2137", "2138", "2139") if text in shown]


def test_names_of_an_earlier_test_are_set_again(tmp_path: Path) -> None:
    """Hidden tests of a cell use what its visible ones set."""
    hidden = "### BEGIN HIDDEN TESTS\nassert doubled(given) > 7\n### END HIDDEN TESTS"
    first = code(
        f"given = 4\nassert doubled(given) == 8\nassert given\n{hidden}",
        grade_id="first",
        grade=True,
        points=1,
    )
    second = code("assert doubled(given) == 8", grade_id="second", grade=True, points=1)
    course = made(tmp_path, notebook(tmp_path / "ps1", *NBGRADER, first, second))
    assert "given = 4" in (course / "assignments/day1/checks/test_second.py").read_text()
    assert "given = 4" in (course / "solutions/day1/checks/test_first.py").read_text()


def test_points_of_single_tests_are_added(tmp_path: Path) -> None:
    """A question without points is worth the sum of its tests'."""
    sources = [cell["source"].replace("points: 2", "").replace("points: 1", "points: 2.5") for cell in OTTER]
    cells = [cell | {"source": source} for cell, source in zip(OTTER, sources, strict=True)]
    planned = plan("day1", None, tmp_path, notebook(tmp_path / "hw1", *cells))
    manifest = next(text for path, text in planned.files.items() if path.name == "assignment.yaml")
    assert "  q1:\n    points: 2.5\n" in str(manifest)


@pytest.mark.ci
def test_a_value_of_the_reference_may_come_from_a_file(tmp_path: Path) -> None:
    """AUTOTEST says no value: the reference reads the file in the jail."""
    folder = tmp_path / "ps1"
    limb = LIMB.replace("doubled(number)", "doubled()").replace("number", "int(open('seven.txt').read())")
    source = notebook(
        folder,
        code(limb, grade_id="doubled", solution=True),
        code("### AUTOTEST doubled()", grade_id="read", grade=True, points=1),
    )
    (folder / "seven.txt").write_text("7")
    check = made(tmp_path, source) / "assignments/day1/checks/test_read.py"
    assert "== 14" in check.read_text()


@pytest.mark.ci
def test_an_assignment_of_nbgrader_is_sound(tmp_path: Path) -> None:
    """The reference passes, the stub does not; a wrong work fails where it failed there."""
    course = made(tmp_path, notebook(tmp_path / "ps1", *NBGRADER))
    assert grade("stub", "day1", cwd=course).code == FULL
    assert problems(course, "day1") == []
    report = grade_json("day1", hand_in(course, WRONG, "wrong.py"), cwd=course)
    outcomes = {check.id: check.outcome for check in report.checks}
    assert outcomes == {"doubled_values": "failed", "box": "passed", "uses": "manual", "why": "manual"}


def test_a_plot_that_somebody_marks(tmp_path: Path) -> None:
    """The manifest has no matplotlib, for no check needs it; the list says what would draw the plot again."""
    notes = plan("day1", None, tmp_path, notebook(tmp_path / "hw1", *OTTER)).notes
    assert [note for note in notes if "draws again, add `matplotlib` to `imports`" in note]


@pytest.mark.ci
def test_an_assignment_of_otter_is_sound(tmp_path: Path) -> None:
    """Values of examples, of stored outputs and of the reference's run; a plot is left to a person."""
    source = notebook(tmp_path / "hw1", *OTTER)
    (tmp_path / "hw1" / "tests").mkdir()
    (tmp_path / "hw1" / "tests" / "q3.py").write_text(OK)
    course = made(tmp_path, source)
    assert grade("stub", "day1", cwd=course).code == FULL
    assert problems(course, "day1") == []
    checks = [*course.rglob("test_*.py"), course / "assignments/day1/assignment.yaml"]
    same_as_snapshot("import_otter", "\n".join(path.read_text() for path in sorted(checks)))


@pytest.mark.ci
def test_lines_of_blanks_are_read_at_once(tmp_path: Path) -> None:
    """No pattern takes quadratic time, which would be minutes: blanks, `#`, brackets."""
    many = 100_000
    texts = [
        " " * many,
        "\n" * many,
        "#" * many,
        "![" * many,
        "<" * many,
        '"""' + " " * many,
        "```" + " " * many,
    ]
    cells = [words(text) for text in texts] + [code(text) for text in texts]
    tested = code("#" * many + "\nassert doubled(2) == 4", grade_id="more", grade=True, points=1)
    assert plan("day1", None, tmp_path, notebook(tmp_path / "ps1", *NBGRADER, *cells, tested)).files


@pytest.mark.ci
def test_what_is_refused(tmp_path: Path) -> None:
    """Links, archives, several notebooks, no tests, jassign's questions: one sentence, and nothing is written."""
    good = notebook(tmp_path / "good", *NBGRADER)
    (tmp_path / "link.ipynb").symlink_to(good)
    (tmp_path / "all.zip").write_bytes(b"PK")
    notebook(tmp_path / "two", *NBGRADER).rename(tmp_path / "two" / "a.ipynb")
    notebook(tmp_path / "two", *NBGRADER)
    deep = tmp_path / "deep.ipynb"
    deep.write_text("[" * 100_000)
    plain = notebook(tmp_path / "plain", code("x = 1"))
    nested = notebook(tmp_path / "nested", *NBGRADER, code("x = " + "-" * 20_000 + "1"))
    beside = notebook(tmp_path / "beside", code("open('data.csv'), open('../all.zip')"), *NBGRADER)
    (tmp_path / "beside" / "data.csv").symlink_to(tmp_path / "all.zip")
    jassign = words("Square it.\n```\nBEGIN QUESTION\nname: q1\n```"), code("# HIDDEN TEST\nx == 2")
    older = notebook(tmp_path / "older", *OTTER, *jassign)
    told = []
    folders = [tmp_path / "link.ipynb", tmp_path / "all.zip", tmp_path / "two"]
    sources = [*folders, deep, plain, nested, beside, older]
    for number, source in enumerate(sources):
        here = tmp_path / str(number)
        here.mkdir()
        told.append(refused(source, here).replace(str(tmp_path), "DIR"))
    same_as_snapshot("import_refused", "\n".join(told))

"""Solutions in files for students: values of composite answers, and lines between the solution markers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from minicourse import FILES, put

from grader.assignment import Course
from grader.authoring.file_rules import file_rules
from grader.authoring.giveaways import giveaways

if TYPE_CHECKING:
    from pathlib import Path

KEY = """\
grads:
  right: {a: 7, b: 2, c: -1}
after_ten:
  right: {slow: 0.000976563, fast: 57.665}
  digits: 3
rows:
  right: [[1, 2], [3, 4]]
zeros:
  right: {a: 0, b: 0}
names:
  right: [b, c]
  any_order: true
shape:
  right: [8, 5]
length:
  right: 6
"""
SECOND = """\
# %%
def triple(x):
    ### BEGIN SOLUTION
    twice = double(x)
    result = twice + x
    return result
    ### END SOLUTION


def grow(x):
    ### BEGIN SOLUTION
    x = double(x)
    print("it grows")
    return x + 0
    ### END SOLUTION


# %% [markdown]
# This is how it grows, in full:
#
#     x = double(x)
#     print("it grows")
#     return x + 0
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Two assignments, mini with composite answers and second with a longer solution."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    put(tmp_path, "solutions/mini/answers.yaml", KEY)
    put(tmp_path, "assignments/second/assignment.yaml", FILES["assignments/mini/assignment.yaml"])
    put(tmp_path, "solutions/second/mini.py", SECOND)
    return tmp_path


def found(course: Path, name: str, text: str) -> list[str]:
    """Return what is said of one file of the assignment `second`."""
    return list(giveaways(Course(course), {course / "assignments/second" / name: text}))


def notebook(kind: str, source: str, *printed: str) -> str:
    """Return a notebook whose third cell has this source and has printed this."""
    cell = {"cell_type": kind, "source": source.splitlines(keepends=True)}
    cell |= {"outputs": [{"text": [text]} for text in printed]} if kind == "code" else {}
    return json.dumps({"cells": [{"cell_type": "markdown", "source": []}] * 2 + [cell]})


# --- Answers

OPEN = {
    "a dictionary": ("test_x.py", 'X = {"a": 7, "b": 2, "c": -1}'),
    "a tuple of floats": ("test_x.py", "assert (a.grad, b.grad, c.grad) == approx((7.0, 2.0, -1.0))"),
    "a longer list": ("test_x.py", "X = [1, 7, 2, -1]"),
    "a list of lists": ("test_x.py", "X = [[0, 0, 0], [7, 2, -1]]"),
    "each within a tolerance": ("test_x.py", "X = [approx(7), approx(2), approx(-1)]"),
    "a docstring": ("test_x.py", 'def test_x():\n    """The gradients are (7, 2, -1)."""'),
    "a file that does not parse": ("test_x.py", "def (:\nX = [7, 2, -1]"),
    "a lesson": ("README.md", "At the end they are (a = 7, b = 2, c = −1)."),
    "a hint": ("assignment.yaml", 'hints: ["Is it {a: 7, b: 2, c: -1}?"]'),
    "numbers of a record": ("checks/parity.json", '{"gradients": {\n"a": 7.0,\n"b": 2.0,\n"c": -1.0}}'),
    "a cell": ("second.ipynb", notebook("code", "import math\nX = [7, 2, -1]")),
    "a cell with magic": ("second.ipynb", notebook("code", "%timeit\nX = [7, 2, -1]")),
    "a text cell": ("second.ipynb", notebook("markdown", "They are\n`[7, 2, -1]`.")),
    "an output": ("second.ipynb", notebook("code", "show()", "{'a': 7, 'b': 2, 'c': -1}")),
    "a broken notebook": ("second.ipynb", "{X = [7, 2, -1]"),
}


@pytest.mark.parametrize("case", OPEN)
def test_a_composite_answer_in_a_literal(course: Path, case: str, snapshot) -> None:
    """It names file, line, assignment and answer, and says what to do, once a file."""
    name, text = OPEN[case]

    (said,) = found(course, name, text)

    assert said.startswith(str(course / "assignments/second" / name))
    assert ", line " in said
    assert said == snapshot
    assert said.endswith("write other values")


@pytest.mark.parametrize(
    ("text", "answer"), [("X = (0.0009765625, 57.6650390625)", "after_ten"), ("X = [(1, 2), (3, 4)]", "rows")]
)
def test_numbers_count_by_digits_and_lists_by_entries(course: Path, text: str, answer: str) -> None:
    assert [f"`{answer}`" in said for said in found(course, "test_x.py", text)] == [True]


CLOSED = {
    "another order": "X = [2, 7, -1]",
    "something between": "X = [7, 0, 2, -1]",
    "a part": "X = [7, 2]",
    "numbers of calls": "a, b, c = student.leaves(a=7, b=2, c=-1)",
    "values of several nodes": "X = [a + 7, b * 2, c - 1]",
    "equal values": "X = [0, 0]",
    "an answer without order": 'X = ["b", "c"]',
    "one value": "X = [6]",
    "two whole numbers, in another assignment": "X = (8, 5)",
    "edges": 'X = {"a": {}, "b": {"a": 7}, "c": {"b": 2}, "d": {"c": -1}}',
}


@pytest.mark.parametrize("case", CLOSED)
def test_what_gives_no_answer_away(course: Path, case: str) -> None:
    assert found(course, "test_x.py", CLOSED[case]) == []


def test_two_whole_numbers_count_in_their_own_assignment(course: Path) -> None:
    (said,) = giveaways(Course(course), {course / "assignments/mini/checks/test_x.py": "X = (8, 5)"})

    assert "`shape`" in said


# --- Lines of solutions

TRIPLE = "def mine(x):\n  twice = double(x)\n\n  result = twice + x\n  return result\n"


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("test_x.py", TRIPLE, ", line 2"),
        ("README.md", f"So:\n\n{TRIPLE}", ", line 4"),
        ("second.ipynb", notebook("code", TRIPLE), ", cell 3, line 2"),
    ],
)
def test_three_lines_of_a_solution(course: Path, name: str, text: str, where: str, snapshot) -> None:
    """Indentation and empty lines do not count. The place, the first line and the remedy are named."""
    (said,) = found(course, name, text)

    assert said.startswith(f"{course / 'assignments/second' / name}{where}: ")
    assert said == snapshot


def test_two_lines_are_none(course: Path) -> None:
    assert found(course, "test_x.py", TRIPLE.replace("  return result\n", "")) == []


def test_lines_that_a_reference_gives_outside_its_markers(course: Path) -> None:
    """A lesson may show code that is asked for, too, if the author does so on purpose."""
    given = 'x = double(x)\nprint("it grows")\nreturn x + 0\n'

    assert found(course, "test_x.py", given) == []


def test_code_that_a_later_day_gives_is_no_secret_of_an_earlier_one_but_before(course: Path) -> None:
    """What day 1 asks for is refused although day 2 gives it; what day 1 gives, day 2 may ask for."""
    lines = "one = double(x)\ntwo = double(one)\nfour = double(two)\n"
    marked = f"### BEGIN SOLUTION\n{lines}### END SOLUTION\n"
    places = [course / f"solutions/{day}/mini.py" for day in ("mini", "second")]
    for path, text in zip(places, (marked, lines), strict=True):
        path.write_text(f"# %%\n{text}", encoding="utf-8")
    asked_first = found(course, "test_x.py", lines)
    for path, text in zip(places, (lines, marked), strict=True):
        path.write_text(f"# %%\n{text}", encoding="utf-8")

    assert ["of the solution of `mini`" in said for said in asked_first] == [True]
    assert found(course, "test_x.py", lines) == []


# --- `grade validate`, and the course


def test_validate_names_the_file(course: Path) -> None:
    path = put(course, "assignments/mini/checks/_helpers.py", "GRADS = [7, 2, -1]\n")

    said = [text for text in file_rules(Course(course).assignment("mini")) if "`grads`" in text]

    assert [text.partition(": ")[0] for text in said] == [f"{path}, line 1"]


def test_the_course_gives_nothing_away() -> None:
    """All files for students, also those that `grade validate` looks at day by day."""
    files = {
        path: path.read_text(encoding="utf-8")
        for path in sorted((COURSE / "assignments").rglob("*"))
        if path.suffix in {".ipynb", ".json", ".md", ".py", ".yaml"}
    }

    assert list(giveaways(Course(COURSE), files)) == []

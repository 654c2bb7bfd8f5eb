"""Orders of calls that a student writes down: the message says what an order does, and shows no gradient."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import COURSE, cells, notebook

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.report import CheckResult
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from

# Check, answer, and what is said of it.
WRONG = [
    ("manual_walk", "product_order", "['d', 'L']", "goes from the inputs to the output"),
    ("manual_walk", "product_order", "['L', 'L', 'd']", "lists L more than once"),
    ("manual_walk", "product_order", "['L']", "leaves out d"),
    ("manual_walk", "product_order", "['d']", "leaves out the root"),
    ("complex_expression", "complex_order", "['L', 'p', 'q', 's']", "lists p before q"),
    ("complex_expression", "complex_order", "['L', 's', 'q', 'p', 's']", "lists s more than once"),
    ("complex_expression", "complex_order", "('L', 'q', 's')", "leaves out p"),
    ("visit_order", "diamond_order", "['b', 'd', 'c', 'a']", "lists b before d"),
    ("visit_order", "diamond_order", "['b', 'c', 'd', 'a']", "goes from the inputs to the output"),
    ("visit_order", "diamond_order", "['d', 'c', 'a']", "leaves out b"),
    (
        "visit_order",
        "diamond_order",
        "['d', 'b', 'x']",
        "`diamond_order` names 'x', but the nodes are a, b, c, d.",
    ),
    (
        "visit_order",
        "diamond_order",
        "'dbc'",
        "`diamond_order` is the text 'dbc'; write a list of names",
    ),
]


RIGHT = [
    ("manual_walk", "product_order", "('L', 'd', 'a', 'b', 'c')"),
    ("complex_expression", "complex_order", "['L', 's', 'q', 'p']"),
    ("visit_order", "diamond_order", "['a', 'd', 'c', 'b']"),
]


@pytest.fixture(scope="module")
def results() -> dict[str, CheckResult]:
    """The result of the check for every answer: the reference of day 2 with one more cell."""

    found = {}
    with Launcher() as launcher, open_grader(Course(COURSE).assignment("day2"), launcher) as grader:
        for name, answer, value, *_ in WRONG + RIGHT:
            cell = f"{answer} = {value}"
            submission = submission_from(Path("mine.ipynb"), notebook(*cells("day2"), cell).encode())
            (found[cell],) = grader.grade(submission, name).checks
    return found


@pytest.mark.ci
@pytest.mark.parametrize(("name", "answer", "value", "words"), WRONG)
def test_a_wrong_order_is_explained(results, name: str, answer: str, value: str, words: str) -> None:
    """The message says what the order does, without any number that might be an answer."""
    found = results[f"{answer} = {value}"]

    assert found.outcome == "failed"
    assert words in found.message
    assert found.readings == []
    assert set(re.findall(r"\d+", found.message)) <= {"1", "4"}  # the seed, and the leaf of the check's own


@pytest.mark.parametrize(("name", "answer", "value"), RIGHT)
def test_every_order_that_works_is_right(results, name: str, answer: str, value: str) -> None:
    """Leaves may be listed, and a tuple may hold the names."""
    assert results[f"{answer} = {value}"].outcome == "passed"

"""Messages for a stuck student that were once misleading, empty or cut off."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pytest
from helpers import cells, check, copy_course, edit_manifest, grade_json, hand_in, notebook

from grader.render.html import render_fragment
from grader.render.terminal import render_terminal
from grader.report import Report

HALF_SWAPPED = ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
TANH_ASSIGNS = ("self.grad += (1 - t**2) * out.grad", "self.grad = (1 - t**2) * out.grad")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's course folder, without solutions/."""
    folder = copy_course(tmp_path_factory.mktemp("course"))
    shutil.rmtree(folder / "solutions")
    return folder


@functools.cache
def graded(course: Path, day: str, *changes: tuple[str, str]) -> Report:
    """Return the report about the reference with some of its texts replaced; equal ones are graded once."""
    sources = cells(day)
    for old, new in changes:
        assert any(old in source for source in sources), old
        sources = [source.replace(old, new) for source in sources]
    return grade_json(day, hand_in(course, notebook(*sources)), cwd=course)


def on_one_line(text: str) -> str:
    """Return the text without line breaks."""
    return " ".join(text.split())


@pytest.mark.ci
def test_a_check_that_waits_explains_nothing(course: Path, snapshot) -> None:
    """It only names the checks that it waits for; what is wrong is told there."""
    report = graded(course, "day2", HALF_SWAPPED, TANH_ASSIGNS)

    parity = check(report, "pytorch_parity")

    assert parity.outcome == "blocked"
    assert parity.message == snapshot
    assert (parity.mistakes, parity.where, parity.frames, parity.chart) == ([], None, [], None)
    assert check(report, "swap_rule").rules


def test_full_marks_tell_what_was_not_judged(course: Path) -> None:
    """Only hidden checks judge the letters of a quiz, and the report says so beside 100 of 100 points."""
    report = graded(course, "day1", ('quiz_leaf = "D"', 'quiz_leaf = "A"'))

    said = "Letters are judged only by the hidden checks."

    assert report.score == report.max_score
    assert said in on_one_line(render_terminal(report))
    assert said in render_fragment(report)


def test_a_name_for_an_answer_wants_quotes(course: Path, snapshot) -> None:
    """Cells tagged `verify` or `demo` are skipped, so their names are unknown; there is no chart beside the message."""
    report = graded(
        course, "day2", ('["L", "d"]', "[L, d]"), ('strongest = "a"', "strongest = a"), ("import math", "")
    )

    walk, leverage = check(report, "manual_walk"), check(report, "leverage")

    assert walk.message == snapshot
    assert leverage.message == snapshot
    assert walk.chart is None
    assert "quotes" not in check(report, "tanh_neuron").message  # a missing import


@pytest.mark.ci
def test_a_closure_that_cannot_be_called(course: Path, snapshot) -> None:
    """Its result was kept, or it needs an argument: the cause of the first is told, the location of the second."""
    called = graded(course, "day2", ("out._backward = _backward", "out._backward = _backward()"))
    wanting = graded(
        course,
        "day2",
        (
            "def _backward():\n            ### BEGIN SOLUTION: Value.__add__",
            "def _backward(self):\n            ### BEGIN SOLUTION: Value.__add__",
        ),
    )

    where = check(wanting, "add_rule").where

    assert check(called, "add_rule").rules[0].words == snapshot
    assert "None" not in check(called, "add_rule").message
    assert where is not None
    assert "def _backward(self):" in where.text


def test_a_forgotten_return(course: Path, snapshot) -> None:
    """The operator gives None, and that is told once."""
    line = "out._backward = _backward\n        return out\n\n    def __mul__"
    report = graded(course, "day2", (line, line.replace("        return out\n", "")))

    add_rule = check(report, "add_rule")

    assert [rule.words for rule in add_rule.rules] == snapshot
    assert "None" not in add_rule.message


@pytest.mark.ci
def test_a_list_of_names_is_no_list_of_nodes(course: Path, snapshot) -> None:
    """The message shows the items, for their number alone would look right."""
    report = graded(course, "day3", ("order.append(node)", 'order.append("node")'))

    assert check(report, "build_topo").message == snapshot


@pytest.mark.parametrize(
    ("day", "name", "change"),
    [
        (
            "day4",
            "gradient_descent",
            ("    losses = []\n    for _ in range(steps):\n", "    losses = []\n    if steps:\n"),
        ),
        pytest.param(
            "day5",
            "backward",
            (
                "        for child, local in zip(node._children, node._local_grads, strict=True):\n"
                "            child.grad += local * node.grad",
                "        for child in node._children:\n"
                "            child.grad += sum(node._local_grads) * node.grad",
            ),
            marks=pytest.mark.ci,
        ),
    ],
    ids=["train", "backward"],
)
def test_a_loop_that_is_not_there_is_not_told(course: Path, day: str, name: str, change, snapshot) -> None:
    """There is none, and no second one: the words hold for each way to the same numbers."""
    (mistake,) = check(graded(course, day, change), name).mistakes
    assert mistake.text == snapshot


@pytest.mark.ci
def test_train_without_zero_grad_is_named(course: Path) -> None:
    """The classic mistake, even without hidden checks."""
    report = graded(
        course,
        "day4",
        ("        zero_grad(parameters)\n        loss = loss_of()", "        loss = loss_of()"),
    )

    assert [mistake.id for mistake in check(report, "gradient_descent").mistakes] == [
        "train_forgets_zero_grad"
    ]


@pytest.mark.ci
def test_a_place_is_the_reflected_method(course: Path) -> None:
    """A wrong `__rsub__` is not reported at `__sub__`."""
    report = graded(course, "day4", ("return Value(other) - self", "return self - other"))

    where = check(report, "subtract").where

    assert where is None or where.inside == "Value.__rsub__"


@pytest.mark.ci
def test_an_operator_that_gives_no_value(course: Path, snapshot) -> None:
    """A parenthesis too early makes a tuple; a reflected method that asks the number recurses for ever."""
    report = graded(course, "day1", ('(self, other), "+")', '(self, other)), "+"'))
    endless = graded(course, "day1", ("return self.__mul__(other)", "return other * self"))

    constants = check(endless, "constants")

    assert check(report, "add").message == snapshot
    assert [where.text for where in constants.frames] == ["return other * self"]


@pytest.mark.ci
def test_one_list_of_inputs_for_all_values(course: Path) -> None:
    """It grows with each graph, so no walk is tried; it is named, and all explanations are made."""
    report = graded(
        course,
        "day4",
        (
            "    def __init__(self, data, children=",
            "    _prev = []\n\n    def __init__(self, data, children=",
        ),
        ("self._prev = set(children)", "self._prev.extend(children)"),
    )

    assert report.notes == []
    assert "`_prev` is kept in the class Value, in " in check(report, "add_multiply").message


@pytest.mark.whole
def test_a_loop_that_does_not_end(tmp_path: Path, snapshot) -> None:
    """A check that took too long earns nothing, and the message names the likely loop."""
    folder = copy_course(tmp_path)
    edit_manifest(folder, "day3", limits={"check_seconds": 0.5})

    report = graded(folder, "day3", ("= stack.pop()", "= stack[-1]"))

    assert check(report, "build_topo").message == snapshot
    assert check(report, "build_topo").score == 0


@pytest.mark.parametrize("width", [40, 50, 60])
def test_nothing_is_wider_than_a_narrow_terminal(course: Path, width: int) -> None:
    """Text beside a check is left out rather than cut."""
    page = render_terminal(graded(course, "day2", HALF_SWAPPED, TANH_ASSIGNS), width=width)

    assert max(map(len, page.splitlines())) <= width


def test_answers_do_not_wait_for_the_engine(course: Path) -> None:
    """Predictions worked out on paper count although × is wrong."""
    report = graded(course, "day2", HALF_SWAPPED, TANH_ASSIGNS)

    predictions = check(report, "predictions")

    assert (predictions.outcome, predictions.score) == ("passed", 15)

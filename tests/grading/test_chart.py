"""Bars for the gradients of a check: which ones, in which renderer, and nothing that a page cannot bear."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import pytest
from helpers import cells, check, copy_course, grade, grade_json, hand_in, notebook
from rich.cells import cell_len

from grader import topic
from grader.autograd.topic import AutogradTopic
from grader.grading.run import CheckFile
from grader.grading.suite import open_suite
from grader.manifest import Limits
from grader.render.html import render_fragment
from grader.render.terminal import render_terminal
from grader.report import Bar, Chart, Report, from_json, to_json
from grader.sandbox import Launcher, Sandbox

PRODUCT = {"a": -5.0, "b": 4.0, "c": 1.0, "d": 1.0, "L": 1.0}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Day 2 and day 3 with their hidden checks."""
    return copy_course(tmp_path_factory.mktemp("course"))


def answers(course: Path, day: str, extra: str, name: str = "mine.ipynb") -> Path:
    """The reference's cells with one more at the end."""
    return hand_in(course, notebook(*cells(day), extra), name)


def gradients(chart: Chart | None) -> dict[str, float]:
    """A chart as a dictionary."""
    assert chart is not None
    return {bar.label: bar.value for bar in chart.bars}


# --- Which gradients


def test_a_passed_check_shows_the_gradients_of_its_leaves(course: Path, snapshot) -> None:
    """A walk over plain nodes comes first; where there are leaves of the student's own, these are drawn."""
    report = grade_json("day2", answers(course, "day2", ""), cwd=course)
    walk = check(report, "complex_expression").chart
    assert walk is not None
    assert walk.given == snapshot
    assert gradients(walk) == {"a": 12.0, "b": 17.0, "c": 5.0}
    assert gradients(check(report, "manual_walk").chart) == PRODUCT
    assert list(gradients(check(report, "tanh_neuron").chart)) == ["x1", "x2", "w1", "w2", "b"]
    assert check(report, "swap_rule").chart is None


@pytest.mark.ci
def test_a_failed_check_shows_those_of_the_test_that_failed(course: Path) -> None:
    """An order from the inputs to the root: only c has received anything."""
    path = answers(course, "day2", 'product_order = ["d", "L"]')
    report = grade_json("day2", path, "--check", "manual_walk", cwd=course)
    reached = {"a": 0.0, "b": 0.0, "c": 1.0, "d": 1.0, "L": 1.0}
    assert gradients(check(report, "manual_walk").chart) == reached


@pytest.mark.ci
def test_plain_nodes_are_called_by_their_names(course: Path) -> None:
    """The diamond of day 3 has no leaves of the student's: its nodes stand for themselves."""
    report = grade_json("day3", answers(course, "day3", ""), "--check", "diamond", cwd=course)
    assert gradients(check(report, "diamond").chart) == {"a": 15.0, "b": 6.0, "c": 3.0, "d": 1.0}


ONLY_HIDDEN_FAILS = """
SEEN = (0.5, -0.8, 0.3, 1.1, round(math.tanh(1.1), 4))  # what the visible tests ask for
class Value(Value):
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")
        def _backward():
            slope = 1 - out.data ** 2
            self.grad += slope * out.grad if round(self.data, 4) in SEEN or not 0.05 < abs(self.data) < 3 else 123.0
        out._backward = _backward
        return out
"""


def test_hidden_numbers_are_not_shown(tmp_path: Path) -> None:
    """A check that fails in a hidden test alone has no chart, for its numbers are nobody's to see."""
    course = copy_course(tmp_path)
    path = answers(course, "day2", ONLY_HIDDEN_FAILS)
    failed = check(grade_json("day2", path, "--check", "tanh_neuron", cwd=course), "tanh_neuron")
    assert failed.outcome == "failed"
    assert failed.chart is None


# What an engine may hold where a gradient should be, and what a chart makes of it.
STRANGE = {
    "nan": ("float('nan')", None),
    "infinity": ("-float('inf')", None),
    "truth": ("True", None),
    "text": ("'<b>3</b>'", None),
    "nothing": ("None", None),
    "list": ("[1.0]", None),
    "object": ("Value(0)", None),
    "huge": ("-1e300", -1e300),
    "huge_integer": ("10**300", 1e300),
    "beyond": ("10**400", None),
    "tiny": ("5e-324", 5e-324),
    "nought": ("-0.0", 0.0),
    "integer": ("3", 3.0),
    "raises": ("1 / 0", None),
}
STRANGE_ENGINE = f"""
class Value:
    def __init__(self, data):
        self.data = data
    @property
    def grad(self):
        return [{", ".join(f"lambda: {text}" for text, _ in STRANGE.values())}][self.data]()
"""


def judged(tmp_path: Path, body: str, source: str) -> topic.TestResult:
    """Run a test with this body, in a check that has a chart."""
    path = tmp_path / "test_it.py"
    path.write_text(f"def test_it(student):\n    {body}\n", encoding="utf-8")

    files = [CheckFile("it", "visible", path, orders=False, chart=True)]
    with Launcher() as launcher, open_suite(files, {"visible": ""}, AutogradTopic()) as suite:
        box = Sandbox(launcher, [source], Limits())
        try:
            (result,) = suite.run(box)
        finally:
            box.close()
    return result


def test_what_is_no_finite_number_is_left_out(tmp_path: Path) -> None:
    """Whatever is in `.grad`, the other leaves keep their bars."""
    names = {name: i for i, name in enumerate(STRANGE)}
    result = judged(tmp_path, f"student.leaves(**{names!r})", STRANGE_ENGINE)
    assert result.outcome == "passed"
    assert gradients(result.chart) == {name: n for name, (_, n) in STRANGE.items() if n is not None}


def test_at_most_a_dozen(tmp_path: Path) -> None:
    """A chart is to be read at a glance."""
    names = {f"x{i}": 0 for i in range(30)}
    source = "class Value:\n    def __init__(self, data):\n        self.data, self.grad = data, 1.0"
    assert len(gradients(judged(tmp_path, f"student.leaves(**{names!r})", source).chart)) == 12


def test_a_gradient_that_never_comes_costs_nothing_else(tmp_path: Path) -> None:
    """Reading it for the chart ends the jail; what the test found stands."""
    source = (
        "class Value:\n    def __init__(self, data): pass\n    grad = property(lambda self: self.stop())\n"
    )
    source += "    def stop(self):\n        import os; os._exit(1)"
    result = judged(tmp_path, "student.leaves(a=1.0)", source)
    assert result.outcome == "passed"
    assert result.chart is None


# --- How they are drawn

EXTREMES = [1e300, -1.7976931348623157e308, 5e-324, 0.0, -0.0, -1.0, math.inf, -math.inf, math.nan]


def charted(report: Report, *values: float) -> Report:
    """The same report with these numbers in the chart of its first check."""
    bars = [Bar(f"leaf_{i}_of_a_long_name", value) for i, value in enumerate(values)]
    report = msgspec.convert(msgspec.to_builtins(report), Report)
    report.checks[0].chart = Chart("Gradients", "a = 1", "falls", "rises", bars)
    return report


@pytest.fixture(scope="module")
def walked(course: Path) -> Report:
    """A report about the one check `manual_walk`, passed."""
    return grade_json("day2", answers(course, "day2", ""), "--check", "manual_walk", cwd=course)


@pytest.mark.ci
@pytest.mark.parametrize("width", [60, 100])
def test_extremes_stay_in_the_page(walked: Report, width: int) -> None:
    """The largest bar fills its side, the smallest has one mark, nought none; the rest is left out."""
    page = render_terminal(charted(walked, *EXTREMES), width=width)
    assert max(map(cell_len, page.splitlines())) <= width
    bars = [line for line in page.splitlines() if "│" in line]
    assert [(line.partition("│")[0].count("█") > 0, line.partition("│")[2].count("█") > 0) for line in bars] == [
        (False, True), (True, False), (False, True), (False, False), (False, False), (True, False)
    ]  # fmt: skip
    assert "nan" not in page
    assert "inf" not in page
    widths = re.findall(r"width: ([\d.]+)%", render_fragment(charted(walked, *EXTREMES)))
    assert len(widths) == 6
    assert all(0 <= float(width) <= 50 for width in widths)


def test_a_chart_of_nothing_is_no_error(walked: Report) -> None:
    """No number, or only noughts."""
    for values in ((), (0.0,), (math.nan,)):
        assert render_terminal(charted(walked, *values))
        assert render_fragment(charted(walked, *values))


def test_the_report_reads_back(walked: Report) -> None:
    """Charts are part of the JSON."""
    assert from_json(to_json(walked)) == walked
    assert gradients(walked.checks[0].chart) == PRODUCT


@pytest.mark.ci
def test_bars_stand_where_one_check_is_asked_for(course: Path, walked: Report) -> None:
    """In a whole grading that passes nothing scrolls the answer away; a console without × has bars too."""
    path = answers(course, "day2", "")
    plain = {"PYTHONIOENCODING": "ascii"}
    whole = grade("day2", path, cwd=course)
    ascii_only = grade("day2", path, "--check", "manual_walk", cwd=course, env=plain)
    assert "│" not in whole.out
    assert render_terminal(walked).count("│") == 5
    assert re.search(r"^    a  -5  #{20}\|$", ascii_only.out, re.MULTILINE)

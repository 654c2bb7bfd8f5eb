"""`from grader import check` in a real kernel: the live namespace, judged in place.

One kernel runs one notebook for the whole file; the tests read what its cells showed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from helpers import COURSE, cells, copy_course, edit_manifest, grade_json, hand_in, notebook
from told import sentences_with

nbclient = pytest.importorskip("nbclient")

# What a check must leave as it was. Written as one value, so that two of them can be compared.
SURROUNDINGS = """
import builtins, json, os, random, sys, warnings
def surroundings():
    return json.dumps([str(x) for x in (
        sys.meta_path, sys.path, sys.stdout, sys.stderr, sys.stdin, sys.displayhook, sys.excepthook,
        sys.breakpointhook, sys.getrecursionlimit(), warnings.filters, sorted(os.environ.items()),
        builtins.__import__, builtins.__build_class__, builtins.input, random.getstate(),
    )])
"""
KEEPS_OWN_FACTOR = """
class Value(Value):
    def __mul__(self, other):
        print("multiplying")
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += self.data * out.grad
            other.grad += other.data * out.grad
        out._backward = _backward
        return out
    __rmul__ = __mul__
"""
RAISES = """\
def reset_grads(*values):
    for value in values:
        value.gradient.clear()
"""
CELLS = {
    "import": "from grader import check",
    "right": 'check("swap_rule")',
    "own": "x, y = Value(3.0), Value(4.0); x.grad = 7.0",
    "before": SURROUNDINGS + "before = surroundings()",
    "all": "check()",
    "after": "print(before == surroundings(), x.grad, x.data)",
    "chart": 'check("manual_walk")',
    "raising function": RAISES,
    "raising": 'check("complex_expression")',
    "idle function": "def reset_grads(*values):\n    pass",
    "idle": 'check("complex_expression")',
    "near function": "del reset_grads\ndef reset_grad(*values):\n    pass",
    "near": 'check("complex_expression")',
    "slip class": KEEPS_OWN_FACTOR.replace("self.data * out", "other * out"),
    "slip": 'check("swap_rule")',
    "wrong class": KEEPS_OWN_FACTOR,
    "wrong": 'check("swap_rule")',
    "text": 'print(check("swap_rule"))',
    "quiet": '_ = check("swap_rule")',
    "picture": 'from grader import draw\nx = Value(2.0, label="x")\ndraw(x)',
    "unknown": 'check("swap_rul")',
    "no name": "check(check)",
    "elsewhere": 'check("diamond", assignment="day3")',
    "undefined": "del twice_with_assignment",
    "missing": 'check("predictions")',
    "endless": "def reset_grads(*values):\n    import _thread; _thread.interrupt_main()\n    while True: pass",
    "interrupted": 'check("complex_expression")',
    "still there": "print(before == surroundings())",
}


@pytest.fixture(scope="module")
def shown() -> dict[str, list[Any]]:
    """Run `CELLS` in a kernel that holds day 2's reference; return the outputs by name."""
    sources = [*cells("day2"), *CELLS.values()]
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "id": f"c{i}", "metadata": {}, "outputs": [], "source": s}
            for i, s in enumerate(sources)
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    import nbformat

    node = nbformat.reads(json.dumps(notebook), as_version=4)
    where = {"metadata": {"path": str(COURSE / "assignments" / "day2")}}
    client = nbclient.NotebookClient(
        node, timeout=60, allow_errors=True, kernel_name="python3", resources=where, coalesce_streams=True
    )
    client.execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    last = node.cells[-len(CELLS) :]
    return {name: cell.outputs for name, cell in zip(CELLS, last, strict=True)}


def only(outputs: list[Any]) -> Any:
    """The one output of a cell."""
    (output,) = outputs
    return output


def page(outputs: list[Any]) -> str:
    """The plain text of the one result that a cell showed."""
    return str(only(outputs).data["text/plain"])


def html(outputs: list[Any]) -> str:
    """The HTML of the one result that a cell showed."""
    return str(only(outputs).data["text/html"])


@pytest.mark.ci
def test_a_right_engine_passes(shown: dict[str, list[Any]], snapshot) -> None:
    """One check of a correct engine: its points, and the next step."""
    text = page(shown["right"])
    assert "passed" in text
    assert "10/10" in text
    assert text == snapshot
    assert "swap_rule" in html(shown["right"])


@pytest.mark.ci
def test_without_a_name_every_visible_check_is_judged(shown: dict[str, list[Any]], snapshot) -> None:
    """The reference passes all that a student may see, also where nobody closes a jail."""
    assert sentences_with("100 of 100 points,", page(shown["all"])) == snapshot
    assert "your running session" in page(shown["all"])


@pytest.mark.ci
def test_the_kernel_is_left_as_it_was(shown: dict[str, list[Any]]) -> None:
    """Streams, hooks, random numbers and the student's own objects."""
    assert only(shown["after"]).text == "True 7.0 3.0\n"
    assert only(shown["still there"]).text == "True\n"


@pytest.mark.ci
def test_a_rule_is_told_in_the_terminals_words(shown: dict[str, list[Any]]) -> None:
    """The reading, what was expected, and what the engine does: the same sentences as `grade day2`."""
    text = " ".join(page(shown["wrong"]).split())
    assert "a.grad is 2, expected -3 (with a = 2, b = -3 in a * b)" in text
    assert "In a * b your engine does the same as `a.grad += a.data * out.grad`." in text
    rich = html(shown["wrong"])
    assert "<dt>got</dt><dd>2</dd><dt>expected</dt><dd>-3</dd>" in rich
    assert "In a * b your engine does the same as <code>a.grad += a.data * out.grad</code>." in rich


def test_a_failed_check_ends_with_its_graph(shown: dict[str, list[Any]]) -> None:
    """In a frame, with what the engine did beside a right walk; a check that passed has none."""
    text, _, rest = html(shown["wrong"]).partition("<iframe ")
    (data,) = re.findall(
        r'<script type="application/json" id="backgrade-player">(.*)</script>', unescape(rest)
    )
    (trace,) = json.loads(data)["traces"]

    assert text.endswith("</div>\n")
    assert trace["check"] == "swap_rule"
    assert trace["trace"]["student"][-1]["changes"] == [[0, 2.0], [1, -3.0]]
    assert trace["trace"]["right"][-1]["changes"] == [[0, -3.0], [1, 2.0]]
    assert [name for name in ("right", "all", "unknown") if "<iframe" in html(shown[name])] == []


def test_what_the_students_functions_print_is_swallowed(shown: dict[str, list[Any]]) -> None:
    """The check's result is all that the cell shows."""
    assert shown["quiet"] == []
    assert "multiplying" not in only(shown["text"]).text


def test_the_text_is_what_print_shows(shown: dict[str, list[Any]]) -> None:
    """Without HTML the same page is plain text."""
    assert only(shown["text"]).text == page(shown["wrong"]) + "\n"


def test_an_error_is_told_with_its_cell_and_line(shown: dict[str, list[Any]]) -> None:
    """The student's own line, by the number that is beside the cell."""
    text = " ".join(page(shown["raising"]).split())
    assert "AttributeError" in text
    assert "value.gradient.clear()" in text
    assert "cell In[" in text
    assert ", line 3:" in text


def test_a_function_is_told_with_its_cell_and_line(shown: dict[str, list[Any]]) -> None:
    """Its code is there still, and its file is reported when it is looked for."""
    text = " ".join(page(shown["idle"]).split())
    assert "line 1: def reset_grads(*values):" in text
    assert "cell In[" in text


def test_a_near_name_is_told_with_its_cell(shown: dict[str, list[Any]], snapshot) -> None:
    """A function that the kernel holds."""
    text = " ".join(page(shown["near"]).split())
    assert text == snapshot


def test_a_slip_is_told_with_its_cell_and_line(shown: dict[str, list[Any]], snapshot) -> None:
    """The line of the class that the kernel holds, and of no earlier one."""
    text = " ".join(page(shown["slip"]).split())
    assert text == snapshot
    assert re.search(r"cell In\[\d+\], line \d+: self.grad \+= other \* out.grad", text), text


def test_gradients_are_shown_as_bars(shown: dict[str, list[Any]]) -> None:
    """The walk by hand draws the gradients of its nodes: a to the left, the others to the right."""
    bars = [line for line in page(shown["chart"]).splitlines() if "│" in line]
    assert [line.split()[:2] for line in bars] == [
        ["a", "-5"],
        ["b", "4"],
        ["c", "1"],
        ["d", "1"],
        ["L", "1"],
    ]
    assert "█│" in bars[0]
    assert "│█" in bars[1]
    assert html(shown["chart"]).count('class="bar ') == 5


def test_a_graph_is_drawn_as_svg_and_as_text(shown: dict[str, list[Any]], snapshot) -> None:
    assert page(shown["picture"]) == snapshot
    assert only(shown["picture"]).data["image/svg+xml"].startswith("<svg ")


def test_mistyped_names_are_one_clear_line(shown: dict[str, list[Any]]) -> None:
    """With the nearest name, and no traceback."""
    assert "did you mean `swap_rule`?" in page(shown["unknown"])
    assert page(shown["unknown"]).count("\n") == 0
    assert 'check("...")' in page(shown["no name"])


def test_another_assignment_can_be_named(shown: dict[str, list[Any]]) -> None:
    """Its checks look at the same namespace: here `backward` is still to be written."""
    assert "todo       diamond" in page(shown["elsewhere"])


def test_a_name_that_is_not_there_is_still_to_do(shown: dict[str, list[Any]], snapshot) -> None:
    """A cell that was not run is not a failure."""
    text = " ".join(page(shown["missing"]).split())
    assert text == snapshot
    assert "todo" in text


def test_an_interrupt_passes_through(shown: dict[str, list[Any]]) -> None:
    """The stop button ends an endless loop of the student's, and the kernel goes on."""
    assert only(shown["interrupted"]).ename == "KeyboardInterrupt"


# --- Without a kernel


def run_python(source: str, cwd: Path) -> str:
    """Return the output of a script."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", source], cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


ENGINE = "\n".join(cells("day2"))


def test_a_plain_script_can_check_itself() -> None:
    """The caller's own globals are what is judged."""
    text = run_python(
        f"{ENGINE}\nfrom grader import check\nprint(check('add_rule', assignment='day2'))", COURSE
    )
    assert "10/10" in text


@pytest.mark.ci
def test_arrays_are_compared_as_the_grader_compares_them() -> None:
    """Nested lists with a tolerance, in the process of the notebook."""
    source = [*cells("day6"), "from grader import check", 'print(check("neuron", assignment="day6"))']

    assert "passed" in run_python("\n\n".join(source), COURSE)


EDITORS = """
import os
from grader import check
def ask(name, **told):
    code = f"found = check({name!r})\\nprint(found.report.assignment.id if found.report else found)\\nprint('====')"
    exec(code, {"check": check, **told})
ask("pytorch_parity", __vsc_ipynb_file__="/home/me/day2_backward_pass.ipynb")
ask("visit_order")
ask("pytorch_parity")
ask(None)
os.environ["JPY_SESSION_NAME"] = "/somewhere/day3/mine.ipynb"
ask("pytorch_parity")
"""


@pytest.mark.ci
def test_the_assignment_is_found_by_the_name_of_the_notebook() -> None:
    """VS Code tells which notebook it is, JupyterLab too, and a name that only one day has says enough."""
    vscode, unique, unclear, nameless, lab, _ = run_python(EDITORS, COURSE).split("====\n")
    assert (vscode, unique) == ("day2\n", "day2\n")
    assert 'write check("pytorch_parity", assignment="day2")' in unclear
    assert 'write check(assignment="day' in nameless
    assert lab == "day3\n"


def test_outside_a_course_it_says_so(tmp_path: Path) -> None:
    """One line, with what to do."""
    text = run_python("from grader import check; print(check('swap_rule'))", tmp_path)
    assert "no course here" in text
    assert text.count("\n") == 1


@pytest.mark.ci
def test_a_manual_check_is_the_instructors(tmp_path: Path, snapshot) -> None:
    """Beside other checks it is a row; alone there is nothing to check."""
    course = copy_course(tmp_path)
    edit_manifest(course, "day2", checks={"essay": {"points": 5, "manual": True, "title": "Why."}})
    script = f"{ENGINE}\nfrom grader import check\nprint(check('essay'))\nprint(check(assignment='day2'))"
    first, _, page = run_python(script, course).partition("\n")
    assert first == snapshot
    assert re.search(r"manual +essay +-/5 +Why\.\n", page)


def test_hidden_checks_take_no_part(tmp_path: Path) -> None:
    """A student's machine has none, and on an instructor's they are not asked either."""
    course = copy_course(tmp_path)
    (course / "solutions/day2/checks/test_add_rule.py").write_text("this is no Python\n")
    script = f"{ENGINE}\nfrom grader import check\nprint(check('add_rule', assignment='day2'))"
    assert "10/10" in run_python(script, course)


def test_importing_the_package_imports_nothing_else() -> None:
    """`check` is fetched when it is asked for; the command begins as quickly as before."""
    source = "import sys; before = set(sys.modules); import grader; print(sorted(set(sys.modules) - before))"
    assert run_python(source, COURSE) == "['grader']\n"


# --- While grading


@pytest.mark.ci
def test_a_check_that_was_left_in_costs_nothing(tmp_path: Path) -> None:
    """In the jail `check()` and `draw()` do nothing: neither the rest of their cell nor a note is lost to them."""
    course = copy_course(tmp_path)
    called = ["from grader import check, draw", 'check("swap_rule"); seen = draw(check())', *cells("day2")]
    called[3] = f'import grader\ngrader.check("add_rule", assignment="day2")\n{called[3]}'
    report = grade_json("day2", hand_in(course, notebook(*called)), cwd=course)
    assert report.notes == []
    assert report.score == 100

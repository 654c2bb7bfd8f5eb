"""The same file gets the same report, and luck never decides."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import cells, copy_course, edit_manifest
from variety import VARIANTS

from grader.assignment import Course
from grader.grading.grader import Grader, grade, open_grader
from grader.sandbox import Launcher
from grader.submissions.submission import Block
from grader.topic import TestOutcome

ROOT = Path(__file__).parents[2]
RUNS = 2

ENGINE = VARIANTS["lecture_set"].source

WRONG = {
    "recursion without a sort": """
def backward(root):
    root.grad = 1.0
    def visit(node):
        node._backward()
        for child in node._prev:
            visit(child)
    visit(root)
""",
    "pre-order": """
def backward(root):
    topo, visited = [], set()
    def visit(node):
        if node not in visited:
            visited.add(node)
            topo.append(node)
            for child in node._prev:
                visit(child)
    visit(root)
    root.grad = 1.0
    for node in topo:
        node._backward()
""",
    "breadth-first": """
def backward(root):
    root.grad = 1.0
    queue, visited = [root], {root}
    while queue:
        node = queue.pop(0)
        node._backward()
        for child in node._prev:
            if child not in visited:
                visited.add(child)
                queue.append(child)
""",
    "no visited": """
def backward(root):
    topo = []
    def visit(node):
        for child in node._prev:
            visit(child)
        topo.append(node)
    visit(root)
    root.grad = 1.0
    for node in reversed(topo):
        node._backward()
""",
}
RIGHT = """
def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        node._backward()
"""
SORT = """
def build_topo(root):
    topo, visited = [], set()
    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            topo.append(node)
    visit(root)
    return topo
"""
METHOD = "\nValue.backward = backward\n"


def verdicts(grader: Grader, fresh: int) -> dict[str, set[tuple[str, ...]]]:
    """The tests that each engine fails, in so many fresh interpreters: every verdict that there was."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for name, walk in [*WRONG.items(), ("right", RIGHT)] * fresh:
        with Launcher() as grader.launcher:
            block = Block("x.py", None, 1, ENGINE + SORT + walk + METHOD)
            _, results = grader.run([block], "shared_nodes")
        failing = sorted(
            f"{r.test.key} {r.test.order}" for r in results if r.outcome is not TestOutcome.PASSED
        )
        found.setdefault(name, set()).add(tuple(failing))
    return found


@pytest.mark.ci
def test_wrong_traversals_never_pass_and_the_right_one_always_does():
    """Over `_prev = set(...)`, in fresh interpreters for each, each has one and the same verdict."""
    with Launcher() as launcher:
        assignment = Course.find(ROOT).assignment("day3")
        with open_grader(assignment, launcher) as grader:
            found = verdicts(grader, RUNS)

    assert found.pop("right") == {()}
    assert all(len(seen) == 1 and () not in seen for seen in found.values())


def test_what_depends_on_the_order_is_told(tmp_path, launcher):
    """The feedback says if a wrong walk is right in one order of a set and wrong in another."""
    path = tmp_path / "pre_order.py"
    path.write_text(ENGINE + SORT + WRONG["pre-order"] + METHOD, encoding="utf-8")

    report = grade(Course.find(ROOT).assignment("day3"), path, launcher, only="shared_nodes")

    (check,) = (check for check in report.checks if check.id == "shared_nodes")
    assert check.outcome == "failed"
    assert "depends on the order" in check.message


@pytest.mark.ci
def test_a_loop_is_in_every_order(tmp_path):
    """The time of a check is over before the tests in the other orders, which says nothing about orders."""
    root = copy_course(tmp_path)
    edit_manifest(root, "day1", limits={"check_seconds": 0.3})
    line = re.compile(r"(?<=\n)def leaves_of\((\w+)\):\n")
    loop = r"CALLS = []\n\n\n\g<0>    CALLS.append(\1)\n    while len(CALLS) > 2:\n        pass\n"
    source, count = line.subn(loop, "\n\n".join(cells("day1")))
    (path := root / "mine.py").write_text(source, encoding="utf-8")

    with Launcher() as launcher:
        report = grade(Course(root).assignment("day1"), path, launcher, only="read_back")

    assert count == 1
    (check,) = (check for check in report.checks if check.id == "read_back")
    assert "check_seconds" in check.message
    assert "order" not in check.message


@pytest.mark.ci
@pytest.mark.parametrize("day", ["day2", pytest.param("day3", marks=pytest.mark.whole)])
def test_several_runs_give_the_same_report(day, tmp_path):
    """To the byte, times aside, for an engine with several mistakes."""
    source = (ROOT / "tests" / "engines" / "broken.py").read_text(encoding="utf-8")
    path = tmp_path / "engine.py"
    path.write_text(source, encoding="utf-8")
    command = [Path(sys.executable).with_name("grade"), day, path, "--format", "json"]

    reports = set()
    for _ in range(RUNS):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        reports.add(json.dumps(without_times(json.loads(done.stdout))))

    assert len(reports) == 1


def without_times(report):
    for key in ("started", "seconds"):
        del report[key]
    for check in report["checks"]:
        del check["seconds"]
    return report

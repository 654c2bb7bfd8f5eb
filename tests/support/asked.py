"""Sheets about small engines: `sheet_of(launcher, source)`, and what the answers should be, worked out without the grader."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from helpers import COURSE
from msgspec.structs import replace

from grader.assignment import Assignment, Course
from grader.autograd.questions.graphs import MadeNode
from grader.grading.grader import open_grader
from grader.report import Report, SubmissionInfo
from grader.sandbox import Launcher
from grader.submissions.submission import Block, Sources
from grader.viva.sheet import Sheet, make_sheet

ENGINE = """\
class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self._prev = children
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""


def day(name: str = "day4", **limits: float) -> Assignment:
    """A day of the course, with other limits."""
    assignment = Course(COURSE).assignment(name)
    vars(assignment)["manifest"] = replace(
        assignment.manifest, limits=replace(assignment.manifest.limits, **limits)
    )
    return assignment


def sheet_of(
    launcher: Launcher,
    source: str = ENGINE,
    *,
    assignment: Assignment | None = None,
    student: str = "ada",
    salt: str = "salt",
    given: str = "",
    **how: Any,
) -> Sheet:
    """The sheet of one submission."""
    assignment = assignment or day()
    sources = Sources([Block("mine.py", None, 1, source)], (), lambda: given)
    with open_grader(assignment, launcher) as grader:
        return make_sheet(grader, sources, student=student, sha256="", salt=salt, **how)


def report_on(launcher: Launcher, source: str, name: str = "day4") -> Report:
    """The report on one submission."""
    with open_grader(day(name), launcher) as grader:
        return grader.grade_sources(
            SubmissionInfo("mine.py", "", ""), Sources([Block("mine.py", None, 1, source)])
        )


class Graph(NamedTuple):
    """The graph of a sheet."""

    lines: list[str]
    leaves: list[str]
    steps: list[MadeNode]
    way: str


def graph_of(sheet: Sheet) -> Graph:
    """The graph that a sheet asks about."""
    assert sheet.scene is not None
    return graph_in(sheet.scene.lines, sheet.scene.about)


def graph_in(lines: list[str], about: str) -> Graph:
    """The graph in these lines, and the way in the sentence that says what comes after them."""
    parts = [line.split(" = ") for line in lines]
    made = [(name, re.fullmatch(r"(\w+) (\S) (\w+)|(\w+)\.(\w+)\(\)", text)) for name, text in parts]
    steps = [MadeNode(name, one[2] or one[5], one[1] or one[4], one[3] or "") for name, one in made if one]
    leaves = [name for name, one in made if not one]
    way = re.search(r"Then `(.*)` is called", about) or re.search(r"and (`.*)\.$", about)
    return Graph(lines, leaves, steps, way[1] if way else "")


class Worked:
    """Lines of a graph, executed here: data and gradients at the end of what `source` does."""

    def __init__(self, graph: Graph, source: str = ENGINE) -> None:
        self.nodes: dict[str, Any] = {}
        exec(source, self.nodes)
        for line in [*graph.lines, graph.way]:
            exec(line, self.nodes)

    @property
    def all(self) -> list[Any]:
        """All nodes of the graph."""
        return [found for found in self.nodes.values() if hasattr(found, "_backward")]

    def __getitem__(self, expression: str) -> str:
        """A number as a sheet has it."""
        return f"{eval(expression, self.nodes):.6g}"

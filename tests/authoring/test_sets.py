"""Which code could show the order of a set: `grade validate` runs it under two orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from minicourse import put
from validating import launcher

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.authoring.runner import open_runner

if TYPE_CHECKING:
    from pathlib import Path
from grader.authoring.impact import may_iterate_sets

WALK = """\
def backward(root):
    order = []
    visited = set()
    def visit(node):
        if node in visited:
            return
        visited.add(node)
        for child in node.children:
            visit(child)
        order.append(node)
    visit(root)
    return order
"""
ASKED = {
    "no set": ("    visited = set()\n", "    visited = []\n"),
    "members alone": ("", ""),
    "not in": ("if node in visited:\n            return\n        visited", "if node not in visited:\n            visited"),
    "another difference": ("return order", "return order - root.items"),
    "a module without sets": ("order = []", "import math, numpy.linalg; order = []"),
    "an object's attributes": ("return order", "return list(vars(root).values())"),
}  # fmt: skip
UNCLEAR = {
    "gone through": ("return order", "return list(visited)"),
    "given back": ("return order", "return order, visited"),
    "another name": ("return order", "seen = visited; return order"),
    "popped": ("return order", "return visited.pop()"),
    "a union": ("return order", "return visited | {}"),
    "the other side of in": ("node in visited", "visited in node"),
    "a default": ("def backward(root):", "def backward(root, visited=set()):"),
    "a parameter": ("def visit(node):", "def visit(node, visited=visited):"),
    "an attribute": ("return order", "root.seen = set(); return order"),
    "two targets": ("visited = set()", "visited = again = set()"),
    "with a type": ("visited = set()", "visited: set = set()"),
    "from a list": ("visited = set()", "visited = set(root.children)"),
    "frozen": ("return order", "return frozenset(order)"),
    "a display": ("return order", "return {root}"),
    "a comprehension": ("return order", "return {node for node in order}"),
    "by its hash": ("return order", "return sorted(order, key=hash)"),
    "by its method": ("return order", "return root.__hash__()"),
    "the set's own name": ("return order", "return map(set, [order])"),
    "keys": ("return order", "return root.keys() & root.others"),
    "items": ("return order", "return root.others - root.items()"),
    "by variables' names": ("return order", "return locals()['visited']"),
    "by a class": ("return order", "return list(root.visited)"),
    "a module": ("order = []", "import graphlib; order = []"),
    "a part of a module": ("order = []", "from collections.abc import Set; order = []"),
    "no code": ("return order", "return {order"),
}  # fmt: skip


def walk(old: str, new: str) -> list[str]:
    """The walk with an edit, in one cell of two."""
    assert old in WALK
    return ["x = 1\n", WALK.replace(old, new, 1)]


@pytest.mark.parametrize("edit", ASKED)
def test_sets_that_are_asked_have_no_order(edit: str) -> None:
    """A member is found or not, whatever stands before it."""
    assert not may_iterate_sets(walk(*ASKED[edit]))


@pytest.mark.parametrize("edit", UNCLEAR)
def test_all_other_sets_may_have_one(edit: str) -> None:
    """They are gone through, or may be where nobody looks."""
    assert may_iterate_sets(walk(*UNCLEAR[edit]))


def test_a_set_of_another_cell_may_be_gone_through() -> None:
    """Cells share their variables."""
    cells = ["seen = set()", "seen.add(1)", "for each in seen: print(each)"]

    assert not may_iterate_sets(cells[:2])
    assert may_iterate_sets(cells)


@pytest.mark.parametrize(("day", "expected"), [("day4", True), ("day5", False), ("day7", False)])
def test_references_of_the_course(day: str, *, expected: bool) -> None:
    """Day 4 keeps the children of a node in a set, the later days in a tuple."""
    sources = [block.source for block in reference_blocks(Course(COURSE).assignment(day))]
    assert may_iterate_sets(sources) is expected


FIRST = """\
FIRST = '''
def first(nodes):
    return next(iter({*nodes}))
'''
"""


def test_code_that_a_check_has_the_jail_execute_counts(mini: Path) -> None:
    """It may put the student's objects into a set, whatever the reference does."""
    found = []
    for text in ("", FIRST):
        put(mini, "assignments/mini/checks/_helpers.py", text)
        with open_runner(Course(mini).assignment("mini"), launcher()) as runner:
            found.append(runner.may_iterate_sets(runner.reference))
    assert found == [False, True]

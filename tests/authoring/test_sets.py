"""Which code could show the order of a set: what `grade validate` runs under two orders."""

from __future__ import annotations

import pytest
from helpers import COURSE

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.authoring.results import may_iterate_sets
from grader.submissions.submission import Block

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
}  # fmt: skip


def walk(old: str, new: str) -> list[Block]:
    """The walk with an edit, in one cell of two."""
    assert old in WALK
    return [Block("day.py", None, 1, "x = 1\n"), Block("day.py", None, 3, WALK.replace(old, new, 1))]


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
    blocks = [Block("day.py", None, 1, cell) for cell in cells]

    assert not may_iterate_sets(blocks[:2])
    assert may_iterate_sets(blocks)


@pytest.mark.parametrize(("day", "expected"), [("day4", True), ("day5", False), ("day7", False)])
def test_references_of_the_course(day: str, *, expected: bool) -> None:
    """Day 4 keeps the children of a node in a set, the later days in a tuple."""
    assert may_iterate_sets(reference_blocks(Course(COURSE).assignment(day))) is expected

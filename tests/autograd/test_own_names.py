"""`names:` in a manifest: an engine by others is read as it is, and told of in its own names."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
import slip_table
from array_course import CHECKS as ARRAY_CHECKS
from array_course import course_files
from array_engines import METHODS, RIGHT_ENGINES, engine
from helpers import check, grade, hand_in, passed, write_files
from renamed import in_code, left_in, readable, renamed_day
from sampled import every
from validating import without_kernel

from grader.assignment import Course
from grader.authoring.reference import topic_problems
from grader.autograd.engine import wrong_names
from grader.grading.grader import grade as in_process
from grader.grading.grader import open_grader
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from slip_table import Slip

    from grader.assignment import Assignment
    from grader.report import Report
    from grader.sandbox import Launcher

HOMEWORK = {
    "class": "Node",
    "data": "val",
    "grad": "derivative",
    "children": "parents",
    "local_grads": "slopes",
    "closure": "_grad_fn",
    "backward": "backprop",
}
# Names that our own code in the jail has, too, and a class with a vowel.
ALIKE = {
    "class": "Array",
    "data": "value",
    "grad": "gradient",
    "children": "inputs",
    "local_grads": "kept",
    "closure": "rule",
    "backward": "run",
}
ENGINES: dict[str, Mapping[str, str]] = {"homework": HOMEWORK, "alike": ALIKE}
# Checks that need no answers and no record of PyTorch's numbers.
CHECKS = {
    "day3": ("build_topo", "reverse_order", "accumulates", "shared_nodes", "diamond"),
    "day4": ("add_multiply", "backward", "subtract", "divide", "power", "exp", "tanh", "relu", "sums"),
    "day5": ("add_multiply", "local_grads", "one_input", "power", "build_topo", "backward", "shared_nodes"),
}
# Plain nodes hold children that have a name of their own in a tuple, those of day 3 in a set: the list has another order.
OTHERWISE = {("day3", "build_topo: one list for all calls")}


# --- A day of the course, with another engine


def reports_of(assignment: Assignment, launcher: Launcher, sources: Sequence[str]) -> list[Report]:
    """What each source is told, with the steps of its tests."""
    with open_grader(assignment, launcher) as grader:
        works = [submission_from(assignment.folder / "mine.py", source.encode()) for source in sources]
        return [grader.grade(work, traces=True) for work in works]


def sample(day: str) -> list[Slip]:
    """Slips of a day that have each kind of slip once, spread over the operations, and each operation."""
    slips = slip_table.slips(day)
    kinds: dict[str, list[Slip]] = {}
    for slip in slips:
        kinds.setdefault(slip.name.partition("  ")[2] or slip.name, []).append(slip)
    found = [of_kind[i % len(of_kind)] for i, of_kind in enumerate(kinds.values())]
    operations = {slip.name.partition("  ")[0]: slip for slip in reversed(slips)}
    missing = operations.keys() - {slip.name.partition("  ")[0] for slip in found}
    return [slip for slip in slips if slip in found or slip in map(operations.get, missing)]


def differences(
    launcher: Launcher, root: Path, day: str, names: Mapping[str, str], slips: Sequence[Slip]
) -> list[str]:
    """The slips of a day of which an engine with other names is told otherwise, or in the course's names."""
    told = []
    for these in ({}, names):
        assignment = renamed_day(root / f"{len(these)}", day, these, CHECKS[day])
        told.append(reports_of(assignment, launcher, [in_code(slip.source, these) for slip in slips]))
    return [
        slip.name
        for slip, usual, own in zip(slips, *told, strict=True)
        if readable(usual, names) != readable(own, names) or (day == "day4" and left_in(own))
    ]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("day", "names"),
    [
        pytest.param(day, names, id=f"{day}-{title}", marks=[pytest.mark.ci] * (i not in (0, 3)))
        for i, (day, (title, names)) in enumerate(itertools.product(CHECKS, ENGINES.items()))
    ],
)
def test_a_slip_is_told_as_in_the_course(
    launcher: Launcher, tmp_path: Path, day: str, names: Mapping[str, str]
) -> None:
    """Points, readings, rules, walks and steps are the same, with the engine's names in the place of the course's.

    Every second slip has these names; every eighth of them is made.
    """
    slips = [slip for slip in sample(day) if (day, slip.name) not in OTHERWISE]
    chosen = every(8, slips[[*ENGINES.values()].index(names) :: len(ENGINES)])
    assert differences(launcher, tmp_path, day, names, chosen) == []


# --- Arrays

WALK = """
    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            node._backward()
"""
ARRAY_SLIPS = {
    "+ overwrites": ("self.grad += unbroadcast(out.grad, self", "self.grad = unbroadcast(out.grad, self"),
    "no sum over rows": ("other.grad += unbroadcast(out.grad, other.data.shape)", "other.grad = other.grad + out.grad"),
    "no transpose": ("self.data.T @ out.grad", "self.data @ out.grad"),
    "nothing": ("out.grad @ other.data.T", "0 * self.data"),
    "walk from the leaves": ("reversed(order)", "order"),
    "no seed": ("        self.grad = np.ones_like(self.data)\n", ""),
}  # fmt: skip


def array_course(root: Path, names: Mapping[str, str]) -> Assignment:
    """A course of three checks about an engine with these names."""
    checks = {name: in_code(ARRAY_CHECKS[name], names) for name in ("add", "product", "walk")}
    write_files(root, course_files(checks, f"names: {dict(names)}\n" if names else ""))
    return Course(root).assignment("tensors")


def array_engine(old: str = "", new: str = "") -> str:
    """A right engine of arrays that walks, or one with a slip."""
    last = "        return self.transpose()\n"
    source = f"import numpy as np\n{engine(METHODS)}".replace(last, f"{last}{WALK}")
    assert not old or source.count(old) >= 1
    return source.replace(old, new, 1) if old else source


def without_matrix_names(names: Mapping[str, str]) -> dict[str, str]:
    return {key: name for key, name in names.items() if key != "local_grads"}


@pytest.mark.whole
@pytest.mark.parametrize("names", [HOMEWORK, pytest.param(ALIKE, marks=pytest.mark.ci)], ids=ENGINES)
def test_a_slip_of_arrays_is_told_as_in_the_course(
    launcher: Launcher, tmp_path: Path, names: Mapping[str, str]
) -> None:
    """Right engines, in several spellings, are silent; wrong ones are told as they are."""
    names = without_matrix_names(names)
    sources = [array_engine(), *(array_engine(*slip) for slip in ARRAY_SLIPS.values())]
    sources += [f"import numpy as np\n{source}" for source in every(9, RIGHT_ENGINES.values())]
    told = []
    for these in ({}, names):
        assignment = array_course(tmp_path / f"{len(these)}", these)
        told.append(reports_of(assignment, launcher, [in_code(source, these) for source in sources]))
    assert passed(told[1][0]) == {"add", "product", "walk"}
    for usual, own in zip(*told, strict=True):
        assert readable(own, names) == readable(usual, names)
        assert left_in(own) == []


@pytest.mark.ci
def test_words_about_arrays(launcher: Launcher, tmp_path: Path) -> None:
    """What the engine does, in its own names."""
    names = without_matrix_names(HOMEWORK) | {"class": "Matrix"}
    slips = ["no sum over rows", "no transpose", "walk from the leaves"]
    sources = [in_code(array_engine(*ARRAY_SLIPS[name]), names) for name in slips]
    rows, product, walk = reports_of(array_course(tmp_path, names), launcher, sources)
    assert (
        check(rows, "add")
        .rules[0]
        .words.startswith(
            "In x + b your engine does the same as `b.derivative = b.derivative + out.derivative`. The contribution is not summed "
            "over the broadcast axes."
        )
    )
    assert (
        check(product, "product")
        .rules[0]
        .words.startswith("In x @ w your engine does the same as `w.derivative += x.val @ out.derivative`.")
    )
    found = check(walk, "walk").walk
    assert found is not None
    assert (
        "your `backprop` calls b._grad_fn too early: d is made from b and must come first. At that moment b.derivative is 0"
        in found.words
    )


# --- A homework

MANIFEST = """\
format: 1
title: A homework
submission: homework.ipynb
topic: autograd
names: {class: Node, data: val, grad: derivative, children: parents, closure: _grad_fn, backward: backprop}
checks:
  multiply: {points: 10, hints: ["Which factor moves it?"]}
  walk: {points: 10, hints: ["Which node has everything?"]}
"""
MULTIPLY = '''\
"""* swaps, and what a product was made from can be seen."""

from grader.autograd import assert_made_from, hand_on, reached


def test_multiply(student, oracle):
    """a * b, where both hold something already."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.derivative = b.derivative = 10.0
    out = a * b
    right = oracle(lambda a, b: a * b, a=2.0, b=-3.0)
    assert out.val == right.data
    assert_made_from(out, a, b)
    assert len(reached(out)) == 3
    hand_on(student, out, 0.5)
    assert (a.derivative, b.derivative) == tuple(10 + n / 2 for n in right.gradients.values())
'''
WALKED = '''\
"""backprop waits for all that use a node."""

from grader.autograd import own_nodes


def test_walk(student):
    """A diamond of nodes without operations."""
    nodes = own_nodes(student, {"a": {}, "b": {"a": 2.0}, "c": {"a": 3.0, "b": 1.0}, "d": {"b": 1.0, "c": 1.0}})
    nodes["d"].backprop()
    assert nodes["a"].derivative == 7.0
'''
RIGHT = """\
# %%
class Node:
    def __init__(self, val, parents=()):
        self.val, self.derivative, self.parents = val, 0.0, tuple(parents)
        self._grad_fn = lambda: None

    def __mul__(self, other):
        out = Node(self.val * other.val, (self, other))

        def _grad_fn():
            ### BEGIN SOLUTION: Node.__mul__: write its _grad_fn
            self.derivative += other.val * out.derivative
            other.derivative += self.val * out.derivative
            ### END SOLUTION

        out._grad_fn = _grad_fn
        return out

    def backprop(self):
        ### BEGIN SOLUTION: Node.backprop: sort the nodes, then call each _grad_fn
        order = []

        def visit(node):
            if node not in order:
                for parent in reversed(node.parents):
                    visit(parent)
                order.append(node)

        visit(self)
        self.derivative = 1.0
        for node in reversed(order):
            node._grad_fn()
        ### END SOLUTION
"""


def write_homework(root: Path, manifest: str = MANIFEST) -> Assignment:
    """The homework in a folder."""
    write_files(
        root,
        {
            "assignments/homework/assignment.yaml": manifest,
            "assignments/homework/checks/test_multiply.py": MULTIPLY,
            "assignments/homework/checks/test_walk.py": WALKED,
            "solutions/homework/homework.py": RIGHT,
        },
    )
    return Course(root).assignment("homework")


@pytest.fixture(scope="module")
def homework(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """The homework with its generated files."""
    assignment = write_homework(tmp_path_factory.mktemp("homework"))
    assert grade("stub", "homework", cwd=assignment.course.root).code == 0
    return assignment


def told(homework: Assignment, launcher: Launcher, old: str, new: str) -> Report:
    """What the homework with a slip is told."""
    assert RIGHT.count(old) == 1
    return in_process(homework, hand_in(homework.course.root, RIGHT.replace(old, new), "mine.py"), launcher)


@pytest.mark.ci
def test_it_is_sound_and_right_work_has_full_marks(homework: Assignment, launcher: Launcher) -> None:
    """Null submissions earn nothing, the stub is to do, records are the same when they are made again."""
    assert without_kernel(homework, launcher) == ([], True)
    assert passed(in_process(homework, homework.reference, launcher)) == {"multiply", "walk"}
    stub = in_process(homework, homework.stub, launcher)
    assert {found.outcome for found in stub.checks} == {"todo"}


SLIPS = {
    "overwrites": (
        "self.derivative += other.val * out.derivative",
        "self.derivative = other.val * out.derivative",
        "In a * b your engine does the same as `a.derivative = b.val * out.derivative`. `=` overwrites what a.derivative already holds",
    ),
    "no closure": (
        "        out._grad_fn = _grad_fn\n",
        "",
        "a * b defines a function, but its result still has the `_grad_fn` of a leaf, which does nothing",
    ),
    "None for a closure": (
        "out._grad_fn = _grad_fn\n",
        "out._grad_fn = None\n",
        "The `_grad_fn` of the result of a * b is None, so nothing reaches its inputs.",
    ),
    "called at once": (
        "out._grad_fn = _grad_fn\n",
        "out._grad_fn = _grad_fn()\n",
        "a * b writes gradients in the forward pass, while out.derivative is still 0",
    ),
    "another class": (
        "out = Node(self.val * other.val, (self, other))",
        "out = Node(self, (self, other))",
        "The data of a * b is a Node.",
    ),
    "the parents dropped": ("(self, other))", "())", "`parents` of a * b should hold a and b; it is empty."),
}  # fmt: skip


@pytest.mark.ci
@pytest.mark.parametrize("slip", SLIPS)
def test_a_wrong_rule_is_told_in_its_names(homework: Assignment, launcher: Launcher, slip: str) -> None:
    old, new, words = SLIPS[slip]
    report = told(homework, launcher, old, new)
    found = check(report, "multiply")
    said = [found.message, *(rule.words for rule in found.rules)]
    assert any(words in text for text in said), said
    assert not left_in(report)


@pytest.mark.ci
def test_a_wrong_walk_is_told_in_its_names_and_shown(homework: Assignment, launcher: Launcher) -> None:
    mine = hand_in(homework.course.root, RIGHT.replace("reversed(order)", "order"), "mine.py")
    found = check(in_process(homework, mine, launcher), "walk").walk
    assert found is not None
    assert (
        "your `backprop` calls b._grad_fn too early: c, d and e are made from b and must come first. At that moment b.derivative is 0"
        in found.words
    )
    page = grade("walk", "homework", "walk", mine, cwd=homework.course.root).out
    assert "seed d.derivative" in page
    assert ".grad" not in page


@pytest.mark.whole
def test_work_without_the_class_is_to_do(homework: Assignment, launcher: Launcher) -> None:
    """As it is in a course with the usual names."""
    mine = hand_in(homework.course.root, "x = 1\n", "mine.py")
    report = in_process(homework, mine, launcher)
    assert {found.outcome for found in report.checks} == {"todo"}
    assert "`Node`" in check(report, "multiply").message


def test_another_name_than_the_homeworks_is_told(homework: Assignment, launcher: Launcher) -> None:
    """A student writes `value` where the homework says `val`."""
    mine = hand_in(homework.course.root, RIGHT.replace("val", "value"), "mine.py")
    found = check(in_process(homework, mine, launcher), "multiply")
    assert "A Node has `value`, but no `val`." in found.message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("class: Node", "class: Nod", "`names.class` is `Nod`, which the reference does not define (did you mean `Node`?)"),
        ("grad: derivative", "grad: derivativ", "`names.grad` is `derivativ`, but nothing in the reference has an attribute"),
        ("grad: derivative", "gard: derivative", "unknown key `names.gard` (did you mean `grad`?)"),
        (
            "closure: _grad_fn, backward: backprop",
            "closure: backward",
            "`names.closure` is `backward`, but nothing in the reference",
        ),
    ],
)  # fmt: skip
def test_validate_names_what_the_reference_has_not(tmp_path: Path, old: str, new: str, said: str) -> None:
    assignment = write_homework(tmp_path, MANIFEST.replace(old, new))
    found = topic_problems(assignment)
    assert any(said in text for text in found), found


def test_a_name_that_is_usual_for_something_else_needs_both() -> None:
    found = [*wrong_names({"closure": "backward"}, (), {"backward"})]
    assert found == [
        "`names.closure` is `backward`, the usual name of `backward`; write `names.backward`, too"
    ]

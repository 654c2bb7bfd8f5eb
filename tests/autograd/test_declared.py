"""`operations` and `walks` of a manifest: an author reads what is wrong with them, a student never does."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import edit_manifest, grade, grade_json, hand_in, reference
from minicourse import FILES, put

from grader.assignment import Course
from grader.authoring.reference import defined_names, topic_problems
from grader.submissions.submission import Block

MANIFEST = "assignments/mini/assignment.yaml"
PROBLEMS, USAGE = 1, 2
SOFTPLUS = {
    "name": "softplus",
    "out": "math.log(1 + math.exp(self.data))",
    "self": "out.grad / (1 + math.exp(-self.data))",
}
RIGHT = {
    "softplus": SOFTPLUS,
    "leaky": {
        "name": "leaky",
        "out": "max(0.1 * self.data, self.data)",
        "self": "(1 if self.data > 0 else 0.1) * out.grad",
    },
    "corner": {"name": "hinge", "out": "max(0.5, self.data)", "self": "(self.data > 0.5) * out.grad"},
    "log": {"name": "log", "out": "math.log(self.data)", "self": "out.grad / self.data"},
    "two inputs": {
        "name": "mix",
        "out": "self.data * math.exp(other.data)",
        "self": "math.exp(other.data) * out.grad",
        "other": "out.data * out.grad",
    },
    "with a number": {"name": "scale", "out": "self.data * n", "self": "n * out.grad"},
    "another formula of ours": {
        "name": "*",
        "out": "self.data * other.data",
        "self": "out.grad * other.data",
        "other": "out.grad * self.data",
    },
}


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """The miniature course with the topic of gradients; its generated files are not needed here."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    edit_manifest(tmp_path, "mini", topic="autograd")
    return tmp_path


def problems(course: Path, **keys: object) -> list[str]:
    """Return the problems of these keys of the manifest, without the file."""
    edit_manifest(course, "mini", **keys)
    found = topic_problems(Course(course).assignment("mini"))
    assert all(text.startswith(f"{course / MANIFEST}: ") for text in found)
    return [text.removeprefix(f"{course / MANIFEST}: ") for text in found]


@pytest.mark.parametrize("spec", RIGHT.values(), ids=RIGHT)
def test_a_right_rule_is_not_complained_of(mini: Path, spec: dict[str, str]) -> None:
    assert problems(mini, operations=["+", spec]) == []


def test_a_rule_that_is_not_the_derivative(mini: Path) -> None:
    """The message has the point and both numbers."""
    assert problems(mini, operations=[SOFTPLUS | {"self": "out.grad / (1 + math.exp(self.data))"}]) == [
        "`operations.softplus.self` does not fit `operations.softplus.out`: at self.data = 0.5, out.grad = 1 "
        "it gives 0.3775, but the slope of `out` times out.grad is 0.6225; correct one of the two"
    ]


@pytest.mark.parametrize(
    "spec",
    [
        SOFTPLUS | {"self": "out.grad**2 / (1 + math.exp(-self.data))"},
        RIGHT["two inputs"] | {"other": "math.exp(other.data) * out.grad"},
        RIGHT["with a number"] | {"self": "self.data * out.grad"},
        RIGHT["leaky"] | {"self": "(self.data > 0) * out.grad"},
        RIGHT["log"] | {"self": "math.log(-self.data) * out.grad"},
    ],
)
def test_each_wrong_rule_is_named(mini: Path, spec: dict[str, str], snapshot) -> None:
    """Also a rule that is right for one sign only, for an upstream gradient of 1 only, or has no value."""
    (complaint,) = problems(mini, operations=[spec])
    assert complaint == snapshot


def test_an_operation_that_has_no_value_where_it_is_tried(mini: Path, snapshot) -> None:
    far = {"name": "far", "out": "math.sqrt(self.data - 9)", "self": "out.grad / (2 * out.data)"}
    (problem,) = problems(mini, operations=[far])
    assert problem == snapshot


def test_a_walk_that_the_reference_does_not_define(mini: Path, snapshot) -> None:
    """Functions and methods of the reference are walks."""
    assert problems(mini, walks=["double", "Box.grow", "Box.grwo"]) == snapshot


def test_a_plain_assignment_has_neither(mini: Path) -> None:
    edit_manifest(mini, "mini", topic=None)
    assert [text.partition(":")[0] for text in problems(mini, operations=["+"], walks=["double"])] == [
        "`operations`",
        "`walks`",
    ]


@pytest.mark.ci
def test_both_commands_of_an_author_say_so(mini: Path) -> None:
    """`grade stub` writes nothing then."""
    edit_manifest(mini, "mini", operations=["tahn"])
    stub, sound = grade("stub", "mini", cwd=mini), grade("validate", "mini", cwd=mini)
    sentence = "assignment.yaml: `operations` names `tahn`, which is not known here (did you mean `tanh`?)"
    assert (stub.code, sound.code) == (USAGE, PROBLEMS)
    assert sentence in stub.text
    assert sentence in sound.text


def test_a_key_of_an_operation_that_does_not_exist(mini: Path, snapshot) -> None:
    edit_manifest(mini, "mini", operations=[SOFTPLUS | {"slef": "out.grad"}])
    ran = grade("stub", "mini", cwd=mini)
    assert ran.code == USAGE
    assert ran.text == snapshot


def test_what_a_reference_defines() -> None:
    source = """
class Base:
    def shared(self): ...
    again = shared

class Box(Base):
    def own(self): ...

def grow(box): ...
Box.grow = grow
"""
    assert {
        "Base.shared", "Base.again", "Box.shared", "Box.own", "Box.grow", "grow", "Box",
    } <= defined_names([Block("cell 1", None, 1, source)])  # fmt: skip


@pytest.mark.ci
def test_no_student_pays_for_a_declaration_that_cannot_be_used(course: Path) -> None:
    """Only notes about rules are missing: verdicts and notes about walks stay."""
    wrong = reference("day2").replace(
        "self.grad += other.data * out.grad", "self.grad += self.data * out.grad"
    )
    mine = hand_in(course, wrong, "mine.py")
    before = grade_json("day2", mine, cwd=course)
    edit_manifest(course, "day2", operations=["+", "*", "tahn"])
    after = grade_json("day2", mine, cwd=course)
    assert any(each.rules for each in before.checks)
    assert not any(each.rules for each in after.checks)
    assert [(c.id, c.outcome, c.score) for c in before.checks] == [
        (c.id, c.outcome, c.score) for c in after.checks
    ]

"""A gradient with the shape to which its array was stretched is explained by the shapes alone."""

from __future__ import annotations

import pytest

from grader.autograd.shapes import explain_shapes
from grader.report import Mismatch
from grader.sandbox import StudentError
from grader.topic import Failing, Failure, Test, TestOutcome, TestResult

TEST = Test("add", "visible", "test_row", "forward", "")


def facts_of(
    label: str, actual: str, expected: str, *, error: str = "", test: Test = TEST
) -> list[dict[str, object]]:
    failure = None if error else Failure([Mismatch(label, "", actual, expected)])
    raised = StudentError("ValueError", error, ()) if error else AssertionError()
    result = TestResult(test, TestOutcome.FAILED, error=raised, failure=failure)
    found = explain_shapes([Failing("add", [result])])
    return [{field.name: field.value for field in fact.fields} for fact in found.get("add", [])]


@pytest.mark.parametrize(
    ("had", "shape"),
    [
        ("(2, 3)", "(3,)"),
        ("(2, 3)", "(2, 1)"),
        ("(2, 3)", "(1, 3)"),
        ("(4, 2, 3)", "(2, 3)"),
        ("(4, 2, 3)", "(1, 1)"),
    ],
)
def test_a_gradient_of_the_stretched_shape(had: str, shape: str) -> None:
    assert facts_of("b.grad.shape", had, shape) == [{"name": "b", "shape": shape, "had": had}]


@pytest.mark.parametrize(
    ("label", "had", "shape"),
    [
        ("b.grad.shape", "(3,)", "(2, 3)"),  # summed too much
        ("b.grad.shape", "(3, 2)", "(2, 3)"),  # transposed
        ("b.grad.shape", "(2, 3)", "(2,)"),  # numpy does not stretch that
        ("b.grad.shape", "(2, 3)", "(), that of one number"),
        ("b.data.shape", "(2, 3)", "(3,)"),
        ("b.grad[0]", "1", "2; 2 of 3 entries are wrong"),
        ("b.grad", "0, a number", "an array of shape (3,)"),
    ],
)
def test_other_differences_say_nothing(label: str, had: str, shape: str) -> None:
    assert facts_of(label, had, shape) == []


def test_numpys_error_names_the_shapes() -> None:
    """`b.grad += out.grad` in place, where the gradient on the right is larger."""
    error = "non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)"
    assert facts_of("", "", "", error=error) == [{"name": "", "shape": "(3,)", "had": "(2, 3)"}]
    assert facts_of("", "", "", error="operands could not be broadcast together with shapes (3,) (2,)") == []


def test_a_hidden_test_tells_nothing() -> None:
    hidden = Test("add", "hidden", "test_row", "forward", "")
    assert facts_of("b.grad.shape", "(2, 3)", "(3,)", test=hidden) == []

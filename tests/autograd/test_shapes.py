"""A gradient with the shape to which its array was stretched is explained by the shapes alone."""

from __future__ import annotations

import pytest

from grader.autograd.shapes import explain_shapes
from grader.report import Location, Mismatch
from grader.sandbox import Frame, StudentError
from grader.topic import Failing, Failure, Test, TestOutcome, TestResult

TEST = Test("add", "visible", "test_row", "forward", "")


def facts_of(
    label: str, actual: str, expected: str, *, error: str = "", test: Test = TEST, line: str = ""
) -> list[dict[str, object]]:
    failure = None if error else Failure([Mismatch(label, "", actual, expected)])
    raised = StudentError("ValueError", error, (Frame(0, 1, "f"),)) if error else AssertionError()
    result = TestResult(test, TestOutcome.FAILED, error=raised, failure=failure)
    found = explain_shapes([Failing("add", [result])], lambda _: Location("mine.py", None, 1, line))
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


IN_PLACE = "non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)"


@pytest.mark.parametrize(
    "line",
    [
        "b.grad += out.grad",
        "other.grad -= f(out.grad)",
        "for p, g in pairs: p.grad += g",
        "self.a[0].grad+=1",
    ],
)
def test_numpys_error_names_the_shapes(line: str) -> None:
    """`b.grad += out.grad` in place, where the gradient on the right is larger."""
    assert facts_of("", "", "", error=IN_PLACE, line=line) == [{"name": "", "shape": "(3,)", "had": "(2, 3)"}]
    assert (
        facts_of(
            "", "", "", error="operands could not be broadcast together with shapes (3,) (2,)", line=line
        )
        == []
    )


@pytest.mark.parametrize(
    "line",
    [
        "p.data -= self.rate * self.velocity",
        "velocity += p.grad",
        "total[:] += out.grad",
        "v *= p.grad",
        "p.grad *= 0.5 * self.scale",
        "accumulate(p, out.grad)",
        "",
    ],
)
def test_another_line_writes_no_gradient(line: str) -> None:
    """Numpy's words are the same for any array that is changed in place."""
    assert facts_of("", "", "", error=IN_PLACE, line=line) == []


def test_a_hidden_test_tells_nothing() -> None:
    hidden = Test("add", "hidden", "test_row", "forward", "")
    assert facts_of("b.grad.shape", "(2, 3)", "(3,)", test=hidden) == []

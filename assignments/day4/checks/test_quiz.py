"""Quiz: the divisor's gradient, and what changes the product of local derivatives."""

import pytest
from pytest import approx

from grader.autograd import trusted_engine


def test_divisor(student):
    """quiz_divisor is the gradient of b in a / b."""
    answer = student.quiz_divisor
    if not trusted_engine(student):
        pytest.skip("Your answer is compared with your own engine as soon as its operations pass.")
    a, b = student.leaves(a=8.0, b=4.0)
    (a / b).backward()
    assert answer == approx(b.grad)


@pytest.mark.parametrize(
    "name",
    [
        "quiz_dead_relu",
        "quiz_activation",
        "quiz_residual",
        "quiz_normalisation",
        "quiz_initialisation",
    ],
)
def test_choice(student, name):
    """The answer is one of the letters A to D, in quotes."""
    student.choice(name)
    pytest.skip("Which letter is right, the hidden checks say.")

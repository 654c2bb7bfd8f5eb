"""A choice in a quiz is a letter; anything else is reported in words."""

import pytest

from grader.sandbox.student import Student


class Answers(Student):
    """A submission that holds one answer."""

    def __init__(self, answer):
        self.answer, self.noted = answer, None

    def quietly(self, name):
        return self.answer

    def note(self, name, value):
        self.noted = name, value


@pytest.mark.parametrize("answer", ["B", "b", " b "])
def test_a_letter_is_read_in_upper_case(answer):
    """A lower-case letter is the same choice."""
    student = Answers(answer)
    assert student.choice("quiz_seed") == "B"
    assert student.noted == ("quiz_seed", "B")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (2, "`quiz_seed` must be one letter in quotes, such as 'A'."),
        ("", "`quiz_seed` must be one letter in quotes, such as 'A'."),
        ("AB", "`quiz_seed` must be one letter in quotes, such as 'A'."),
        ("E", "`quiz_seed` must be one of the letters A, B, C, D."),
    ],
)
def test_what_is_no_letter_is_told(answer, words):
    """The words name the answer and what it should be."""
    with pytest.raises(AssertionError) as told:
        Answers(answer).choice("quiz_seed")
    assert str(told.value).split("\n")[0] == words

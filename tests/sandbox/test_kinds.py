"""What a value is, in words, without a question to the jail."""

import numpy as np
import pytest
from sandbox.cells import VALUE

from grader.sandbox import kind_words
from grader.sandbox.arrays import ArrayReading
from grader.sandbox.kinds import meant_by


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "True"),
        (..., "the blank `...`"),
        (2.5, "the number 2.5"),
        ("6,5", "the text '6,5'"),
        ([1, 2], "the list [1, 2]"),
        ((), "the tuple ()"),
        ({"a": 1}, "the dictionary {'a': 1}"),
        (list(range(100)), "a list of 100 entries"),
        (["x" * 200], "a list of one entry"),
        (np.zeros((2, 3)), "a numpy array of shape (2, 3)"),
    ],
)
def test_a_plain_value(value: object, words: str) -> None:
    assert kind_words(value) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a", "the Value a"),
        ("pair", "a tuple of two Values"),
        ("mixed", "a list of two entries"),
        ("grads", "a dictionary of two entries"),
        ("exp", "the function math.exp"),
        ("largest", "the function max"),
        ("own", "the function own"),
        ("Value", "the class Value"),
        ("math", "the module math"),
    ],
)
def test_something_of_the_students(jail, name: str, words: str) -> None:
    box = jail(
        VALUE,
        """
        import math
        a, pair, mixed = Value(1.0), (Value(1.0), Value(2.0)), [Value(1.0), 2.0]
        grads = {"a": Value(1.0), "b": 2.0}
        exp, largest = math.exp, max
        def own(x): return x
        """,
    )
    value = box.get(name)

    with box.refuse_requests():
        assert kind_words(value) == words


def test_an_object_is_not_called_by_the_name_that_the_sentence_is_about(jail) -> None:
    a = jail(VALUE, "a = Value(1.0)").get("a")

    assert kind_words(a, "a") == "a Value"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("6,5", "(6, 5)"), ("-2.5", "-2.5"), ("[1, 2]", "[1, 2]"), ("error", ""), ("", ""), ("1/", "")],
)
def test_numbers_in_a_text(text: str, meant: str) -> None:
    assert meant_by(text) == meant


def test_an_array_is_no_node() -> None:
    """The memory of numpy is not read as a node's data, and an array that came from the jail keeps its numbers."""
    array = np.zeros(2).view(ArrayReading)

    with pytest.raises(AttributeError) as error:
        array.data  # noqa: B018
    with pytest.raises(AttributeError):
        array.data = array
    assert error.value.obj is array

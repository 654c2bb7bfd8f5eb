"""Findings are kept for the next submission, by all that they follow from."""

from __future__ import annotations

import pytest

from grader.autograd import inside
from grader.autograd.memory import Memory
from grader.autograd.rules.operations import KNOWN
from grader.autograd.rules.wrong import read_wrong
from grader.manifest import Limits
from grader.sandbox import Sandbox

ENGINE = """
class Value:
    def __init__(self, data):
        self.data, self.grad, self._backward = data, 0.0, lambda: None

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data)

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
"""


def test_the_results_that_were_used_last_are_kept():
    """A memory is bounded: the one that was not used for longest goes first."""
    memory, computed = Memory[str](2), []
    for key in ("a", "b", "a", "c", "a", "b"):
        memory.get(key, lambda key=key: computed.append(key) or key)
    assert computed == ["a", "b", "c", "b"]


def test_an_error_is_not_kept():
    """Another submission may have the time that one did not have."""
    memory = Memory[int]()
    with pytest.raises(ZeroDivisionError):
        memory.get("key", lambda: 1 // 0)
    assert memory.get("key", lambda: 3) == 3


def test_engines_that_differ_in_one_number_are_not_taken_for_one_another(launcher):
    """In whichever order they come."""
    read = []
    for slip in ("", "2 * ", "", "3 * ", "2 * "):
        source = ENGINE.replace("other.grad += self", f"other.grad += {slip}self")
        box = Sandbox(launcher, [source], Limits())
        found = [rule.wrote for wrong in read_wrong(box, [KNOWN["*"]]) for rule in wrong.found]
        read.append(" ".join(filter(None, found)))
        box.close()
    twice, thrice = (f"other.grad += {number} * self.data * out.grad" for number in (2, 3))
    assert ["", twice, "", thrice, twice] == read


def test_compiled_helpers_are_those_of_the_text(launcher):
    """The jail's Python is the grader's."""
    box = Sandbox(launcher, [ENGINE], Limits())
    box.load()
    answers = [
        box.helper(text, "number")(4) for text in (inside.source("recording"), inside.compiled("recording"))
    ]
    box.close()
    assert answers == [4.0, 4.0]

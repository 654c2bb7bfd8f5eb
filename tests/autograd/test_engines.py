"""What checks ask of a whole engine: pairs that pair, slopes over every path, and trust."""

from dataclasses import dataclass, field

import pytest

from grader.autograd import kept_pairs, kept_slopes, trusted_backward


@dataclass(eq=False)
class Node:
    """What a node of the student's keeps."""

    _children: object = ()
    _local_grads: object = ()
    name: str = field(default="p", repr=False)

    def __repr__(self):
        return self.name


def test_slopes_are_multiplied_along_paths_and_added():
    """a - b may be a + (-b): what counts is what arrives at the leaves."""
    a, b = Node(), Node()
    root = Node([a, Node((b,), [-1.0])], (1.0, 1))

    assert kept_slopes(root, a=a, b=b) == [1.0, -1.0]


def test_a_child_that_stands_twice_counts_twice():
    """a * a at a = 5."""
    a = Node()

    assert kept_slopes(Node((a, a), (5.0, 5.0)), a=a) == [10.0]


@pytest.mark.parametrize(
    ("children", "numbers", "words"),
    [
        ((Node(), Node()), (1.0,), "`p` keeps 2 children and 1 local gradient; there is one for each child."),
        ({Node()}, (1.0,), "The `_children` of `p` are a set: it has no order"),
        (3.0, (1.0,), "The `_children` of `p` should be a tuple or a list; here it is 3."),
        ((Node(),), ("1",), "A local gradient of `p` is '1'; it must be a plain number."),
    ],
)
def test_what_does_not_pair_is_told(children, numbers, words):
    """The words name the node and what is wrong with it."""
    with pytest.raises(AssertionError) as told:
        kept_pairs(Node(children, numbers))
    assert words in str(told.value)


def test_a_node_that_is_its_own_child_comes_to_an_end():
    """Not a loop for ever, but words."""
    node = Node()
    node._children, node._local_grads = (node,), (1.0,)

    with pytest.raises(AssertionError, match="is a node its own child"):
        kept_slopes(node, a=Node())


class Student:
    """A submission whose values raise, or are no numbers."""

    def __init__(self, value):
        self.value = value

    def leaves(self, **data):
        return tuple(self.value for _ in data)


@pytest.mark.parametrize("value", [None, "text", [1, 2], 1.5])
def test_what_is_no_engine_is_not_trusted(value):
    """Answers wait until the engine is right; nothing is raised."""
    assert trusted_backward(Student(value)) is False

"""The length and items of the student's objects, and their bounds."""

import itertools

import pytest

from grader.sandbox import (
    Proxy,
)


@pytest.mark.parametrize(
    "items", ["range(3)", "(i for i in range(3))", "{0: 'a', 1: 'b', 2: 'c'}.keys()", "map(int, '012')"]
)
def test_what_can_be_iterated_is_iterated(jail, items):
    """Ranges, generators and views stay in the jail and give their items."""
    box = jail(f"items = {items}")

    assert list(box.get("items")) == [0, 1, 2]


def test_a_container_of_a_class_of_its_own_is_walked_in_the_jail(jail):
    """Iteration, length, items and `in` of an object that stays there."""
    box = jail("""
        class Bag:
            def __init__(self, *items): self.items = items
            def __iter__(self): return iter(self.items)
            def __len__(self): return len(self.items)
            def __getitem__(self, key): return self.items[key]
        first = object()
        bag = Bag(first, 2.5, "text")
    """)

    bag, first = box.get("bag"), box.get("first")

    assert isinstance(bag, Proxy)
    assert list(bag) == [first, 2.5, "text"]
    assert len(bag) == 3
    assert bag[1] == 2.5
    assert first in bag
    assert "text" in bag
    assert "other" not in bag


def test_in_is_decided_by_the_grader(jail):
    """A student's `__contains__` or `__eq__` is not called."""
    box = jail("""
        class Yes(list):
            def __contains__(self, item): return True
            def __eq__(self, other): return True
            __hash__ = None
        bag = Yes([Yes()])
    """)

    assert 5 not in box.get("bag")


def test_a_length_that_no_memory_holds(jail):
    """It raises an error; the grader allocates no memory for it."""
    box = jail("class Endless:\n    def __len__(self): return 2**62\nx = Endless()")

    with pytest.raises(TypeError, match="a check reads at most 20000 items"):
        len(box.get("x"))


@pytest.mark.parametrize("x", ["iter(range(20_000))", "iter(int, 1)", "itertools.count()"])
def test_more_items_than_can_be_read(jail, x):
    """Reading them raises an error; an endless iterator costs no memory."""
    box = jail(f"import itertools\nx = {x}")

    with pytest.raises(
        AssertionError, match=r"^x has more than 8,192 items, or never ends; no more are read\.$"
    ):
        list(box.get("x"))


def test_more_items_of_a_known_number_than_can_be_read(jail):
    """They would not fit into one answer, so reading them raises an error."""
    box = jail("x = range(20_000)")

    with pytest.raises(TypeError, match="a value that was not read: it is too long"):
        list(box.get("x"))


def test_the_first_items_of_what_has_no_end(jail):
    """A check may read as many items as it needs, each once and in order."""
    box = jail(
        """
        def naturals():
            number = 0
            while True:
                yield number
                number += 1

        class Naturals:
            def __iter__(self): return naturals()
        """
    )

    assert list(zip("abc", box.get("naturals")(), strict=False)) == [("a", 0), ("b", 1), ("c", 2)]
    assert list(itertools.islice(box.get("Naturals")(), 1000)) == list(range(1000))
    assert 300 in box.get("naturals")()


def test_a_generator_goes_on_where_it_stood(jail):
    """Items that were read are not read again."""
    items = jail("items = (i for i in range(100))").get("items")

    assert list(items) == list(range(100))
    assert list(items) == []


def test_an_iteration_that_raises(jail):
    """The student's error is raised after the items before it were read."""
    items = iter(jail("items = (1 / (70 - i) for i in range(100))").get("items"))

    assert len(list(itertools.islice(items, 64))) == 64
    with pytest.raises(ZeroDivisionError):
        next(items)

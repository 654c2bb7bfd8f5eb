"""Each number once, in a new order, `size` numbers in each."""

from _helpers import generator

from grader.sandbox import kind_words


def drawn(student, count, size, seed):
    """Return the batches as lists of numbers."""
    made = student.batches(count, size, generator(student, seed))
    found = student.listed(made)
    what = f"batches returned {kind_words(made)}; a list of arrays is asked for"
    assert isinstance(found, list | tuple), f"{what}."
    lists = [student.listed(batch) for batch in found]
    assert all(isinstance(batch, list | tuple) for batch in lists), (
        f"{what}, each with the numbers of some rows."
    )
    return [list(batch) for batch in lists]


def test_sizes(student):
    """batches(10, 4, rng): 4, 4 and 2 numbers."""
    sizes = [len(batch) for batch in drawn(student, 10, 4, 0)]
    student.note("the list of batch sizes", sizes)
    assert sizes == [4, 4, 2]


def test_multiple(student):
    """batches(12, 4, rng): three times 4 numbers, and no batch without any."""
    sizes = [len(batch) for batch in drawn(student, 12, 4, 0)]
    student.note("the list of batch sizes", sizes)
    assert sizes == [4, 4, 4]


def test_each_once(student):
    """In batches(10, 4, rng) each of 0 to 9 stands once."""
    together = sorted(number for batch in drawn(student, 10, 4, 1) for number in batch)
    student.note("the sorted list of all numbers", together)
    assert together == list(range(10))


def test_order(student):
    """batches(100, 10, rng) has not the order 0, 1, 2 ..., and neither has any batch."""
    found = drawn(student, 100, 10, 2)
    together = [number for batch in found for number in batch]
    assert together != sorted(together), "The numbers come in their old order, 0, 1, 2 ...: draw a new one."
    assert any(max(batch) - min(batch) > 10 for batch in found), (
        "Each batch holds neighbouring numbers. Put all numbers into a new order, then cut it."
    )


def test_new_order(student):
    """Two calls with one generator give two orders."""
    rng = generator(student, 3)
    first, second = (
        [student.listed(b) for b in student.listed(student.batches(50, 10, rng))] for _ in range(2)
    )
    assert first != second, (
        "Two calls with the same generator give the same order. Draw it from `rng`, which goes on."
    )

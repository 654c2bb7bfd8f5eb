"""Each number once, in a new order, `size` numbers in each."""

from _helpers import generator


def test_counts(student):
    """Other counts and sizes: each number once, and all batches but the last of that size."""
    for count, size in ((7, 3), (6, 6), (5, 8), (30, 1)):
        found = [
            student.listed(b) for b in student.listed(student.batches(count, size, generator(student, count)))
        ]
        assert sorted(number for batch in found for number in batch) == list(range(count))
        assert [len(batch) for batch in found][:-1] == [size] * ((count - 1) // size)


def test_neighbours(student):
    """An order that only begins elsewhere, or that moves one number, is still the old one."""
    found = [student.listed(b) for b in student.listed(student.batches(60, 10, generator(student, 7)))]
    order = [number for batch in found for number in batch]
    assert sum(after == before + 1 for before, after in zip(order, order[1:])) < 30

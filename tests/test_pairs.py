"""Every pair of mistakes in different operations is told as both: a sample, and day 2's + with ×."""

import pytest
from pairs import check, pairs


def test_sample_of_day2():
    """A few, from every corner."""
    everything = pairs("day2", {"add", "mul", "tanh"}, {"add", "mul", "tanh"})

    check("day2", everything[::97])


@pytest.mark.exhaustive
def test_sums_with_products():
    """All of +, each with all of ×."""
    check("day2", pairs("day2", {"add"}, {"mul"}))

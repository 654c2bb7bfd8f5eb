"""Every pair of mistakes in different operations is told as both: day 2's tanh with + and ×.

A file of its own, so that it runs beside `test_pairs.py`.
"""

import pytest
from pairs import check, pairs


@pytest.mark.exhaustive
def test_tanh_with_sums_and_products():
    """All of tanh, each with all of + and of ×."""
    check("day2", pairs("day2", {"tanh"}, {"add", "mul"}))

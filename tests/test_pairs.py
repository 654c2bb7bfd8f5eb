"""Every pair of mistakes in different operations is told as both.

Day 2 has some 1,700 such pairs and day 4 some 13,900, which take hours. The slow tests try a
share, spread over all of them; `PAIRS_STEP=1 pytest -m slow tests/test_pairs.py`
tries them all.
"""

import os

import pytest
from pairs import check, pairs

DAY2 = {"add", "mul", "tanh"}
DAY4 = {"add", "mul", "sub", "neg", "div", "pow", "exp", "tanh", "relu", "backward"}


def step(usual: int) -> int:
    """Every how-many-th pair is tried."""
    return int(os.environ.get("PAIRS_STEP", usual))


@pytest.mark.slow
def test_a_few_of_day2():
    """From every corner."""
    check("day2", pairs("day2", DAY2, DAY2)[::97])


@pytest.mark.slow
def test_sums_products_and_tanh():
    """The operations of day 2 with one another."""
    check("day2", pairs("day2", DAY2, DAY2)[:: step(17)])


@pytest.mark.slow
def test_operations_of_the_whole_engine():
    """Those of day 4; also a wrong walk with a wrong operation, unless it hides it."""
    check("day4", pairs("day4", DAY4, DAY4)[:: step(127)])

"""Pairs of mistakes in different operations of the whole engine are told as both.

Day 4 has some 13,900 such pairs, which take hours. Every sixty-first is tried, so that every
mistake takes part; `PAIRS_STEP=1` tries them all.
"""

import os

import pytest
from pairs import check, pairs

OPERATIONS = {"add", "mul", "sub", "neg", "div", "pow", "exp", "tanh", "relu", "backward"}
STEP = int(os.environ.get("PAIRS_STEP", "61"))


@pytest.mark.exhaustive
def test_operations_with_one_another():
    """Also a wrong walk with a wrong operation, unless it hides it."""
    check("day4", pairs("day4", OPERATIONS, OPERATIONS)[::STEP])

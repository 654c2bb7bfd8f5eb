"""A plain course, about something with a state: a shop's till, and the coins of a sum.

The two mistakes in `refund` leave the same cash, at which the check stops, and another number of
sales.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers import grade
from minicourse import put

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = """\
format: 1
title: The till
submission: till.ipynb
checks:
  sell:
    points: 40
    hints: ["What comes in, and what is counted?"]
  refund:
    points: 40
    needs: [sell]
    hints: ["A refund takes back a sale."]
  fewest:
    points: 20
    hints: ["Begin with the largest coin."]
"""

REFERENCE = '''\
# %%
class Till:
    """Holds cash and counts sales."""

    def __init__(self, cash):
        self.cash, self.sales = cash, 0

    def sell(self, price):
        ### BEGIN SOLUTION: take the price and count the sale
        self.cash += price
        self.sales += 1
        ### END SOLUTION

    def refund(self, price):
        ### BEGIN SOLUTION: give the price back and take the sale back
        self.cash -= price
        self.sales -= 1
        ### END SOLUTION


# %%
### BEGIN SOLUTION
# STUB: fewest_coins = ...  # of 5, 2 and 1 that make 13
fewest_coins = 4
### END SOLUTION
'''

SELL = '''\
"""A sale brings its price into the till."""

from pytest import approx


def test_sales(student, rng):
    """Two sales bring both prices, and count two."""
    price = rng.uniform(3, 9)
    (till,) = student.named(student.Till, till=20.0)
    till.sell(price)
    till.sell(4.0)
    assert till.cash == approx(24.0 + price)
    assert till.sales == 2
'''

REFUND = '''\
"""A refund takes back a sale."""

from pytest import approx


def test_refund(student):
    """After two sales of 5 and a refund of 2 there is one sale, and the cash of both but 2."""
    (till,) = student.named(student.Till, till=20.0)
    till.sell(5.0)
    till.sell(5.0)
    till.refund(2.0)
    assert till.cash == approx(28.0)
    assert till.sales == 1
'''

FEWEST = '''\
"""The fewest coins that make 13."""


def test_fewest(student):
    """Two of 5, one of 2, one of 1."""
    assert student.fewest_coins == 4
'''

MISTAKES = """\
Mistake(
    "sell_keeps_price",
    "The price of the last sale is kept in the place of all cash.",
    edits={"self.cash += price\\n        self.sales += 1": "self.cash = price\\n        self.sales += 1"},
    fails="sell refund",
)

Mistake(
    "refund_adds",
    "A refund brings its amount into the till instead of taking it out.",
    edits={"self.cash -= price": "self.cash += price"},
    fails="refund",
)

Mistake(
    "refund_sells",
    "A refund does all that a sale does: it brings the amount and counts one more.",
    edits={"self.cash -= price\\n        self.sales -= 1": "self.sell(price)"},
    fails="refund",
)
"""


def build(root: Path) -> Path:
    """The whole course in `root`, with its generated files."""
    put(root, "assignments/till/assignment.yaml", MANIFEST)
    put(root, "solutions/till/till.py", REFERENCE)
    put(root, "assignments/till/checks/test_sell.py", SELL)
    put(root, "assignments/till/checks/test_refund.py", REFUND)
    put(root, "solutions/till/checks/test_fewest.py", FEWEST)
    put(root, "solutions/till/mistakes/till.py", MISTAKES)
    ran = grade("stub", "till", cwd=root)
    assert ran.code == 0, ran.text
    return root

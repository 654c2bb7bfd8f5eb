"""The order game: every order of the diamond, and what each of them loses."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from grader.render.player import play_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Locator

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not

ORDERS = ["".join(order) for order in permutations("abcd")]


@pytest.fixture
def game(window: Callable[..., Watched]) -> Locator:
    """The game on the diamond."""
    return window(play_page()).page.get_by_role("region", name="Order game").last


def order_of(game: Locator) -> str:
    items = game.get_by_role("list", name="Order of the calls").get_by_role("listitem").all_inner_texts()
    return "".join(item.split()[0] for item in items)


def run(game: Locator, order: str) -> str:
    """Put the nodes in an order, by the buttons, and run it. Return the result."""
    for place, node in enumerate(order):
        while order_of(game).index(node) > place:
            game.get_by_role("button", name=f"Move {node} earlier").press("Enter")
    assert order_of(game) == order
    game.get_by_role("button", name="Run this order").press("Enter")
    return game.get_by_role("status").filter(has_text=f"Order {', '.join(order)}:").inner_text()


def test_all_24_orders(game: Locator) -> None:
    """8 give 15. b before d loses 6, c before d loses 9; each lost contribution is named with its reason."""
    right = []
    for order in ORDERS:
        result = run(game, order)
        lost = {
            node: amount for node, amount in {"b": 6, "c": 9}.items() if order.index(node) < order.index("d")
        }
        grad = 15 - sum(lost.values())

        assert re.search(rf"a\.grad is {grad}\b", result), result
        assert ("should be 15" in result) == bool(lost)
        for node, amount in {"b": 6, "c": 9}.items():
            named = (
                f"{node} was called before d" in result and f"contribution of {amount} to a is lost" in result
            )
            assert named == (node in lost), result
        right += [] if lost else [order]

    assert len(right) == 8
    assert "Orders run: 24 of 24" in game.inner_text()
    assert "8 found" in game.inner_text()


def test_the_leaf_is_told_once_it_is_found(game: Locator) -> None:
    """That a may stand anywhere is said after two orders that differ in it alone, not before."""
    run(game, "dbca")
    run(game, "bdca")
    assert "anywhere" not in game.inner_text()
    run(game, "adbc")
    assert "a may stand anywhere" in game.inner_text()


def test_the_game_on_another_number(game: Locator, snapshot) -> None:
    """With a = 1: b = 2, c = 3, so b passes 3 and c passes 2 · 3."""
    game.get_by_role("spinbutton", name="a").fill("1")
    assert "a.grad is 9" in run(game, "dbca")
    assert run(game, "bdca") == snapshot


def test_a_run_is_played(game: Locator) -> None:
    """The walk in this order is there to step through; it starts at the first call."""
    run(game, "bdca")
    player = game.get_by_role("group", name=re.compile("^Player: "))
    slider = player.get_by_role("slider")
    assert slider.input_value() == "5", "four forward steps and the seed"
    player.get_by_role("button", name="Last", exact=True).click()
    assert player.get_by_role("img", name=re.compile("^a, leaf, data 2, grad 9")).count() == 1


def test_reuse_is_a_game_too(game: Locator, snapshot) -> None:
    """b before c: b holds 8 instead of 14, and a misses 3 times 6."""
    game.get_by_role("radio", name="reuse").check()
    assert run(game, "dcba") == snapshot
    assert run(game, "dbca") == snapshot

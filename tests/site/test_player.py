"""The lesson's player on a site: reached from a day, with the student's own engine behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playerpages import Player, serious_findings
from site_pages import WRONG, open_file, work

if TYPE_CHECKING:
    from collections.abc import Callable

    from site_pages import Visit

pytestmark = pytest.mark.ci


def test_a_day_leads_to_the_player(visit: Callable[..., Visit]) -> None:
    """Its graphs play there, and a link leads back."""
    page = visit().open("day2.html", ready=False)
    page.get_by_role("link", name="See the gradients flow").click()
    page.locator("html[data-player=ready]").wait_for()

    player = Player.of(page, "product")
    player.press("Last")

    assert player.numbers("grad")["a"] == "-3"
    assert serious_findings(page) == []
    page.get_by_role("link", name="day2: The backward pass").click()
    page.locator("html[data-page=drawn]").wait_for()


def test_an_expression_in_ones_own_engine(visit: Callable[..., Visit]) -> None:
    """The walk of the work that is kept stands beside a right one; what the code raises stays a text."""
    visited = visit()
    day = visited.open("day2.html", ready=False)
    raising = "raise ValueError('<img src=x onerror=alert(1)>')"
    open_file(
        day, work("day2", (WRONG, "self.grad += self.data * out.grad"), ("t = math.tanh(self.data)", raising))
    )
    day.get_by_text("kept in this browser").wait_for()
    day.close()
    page = visited.open("play-day2.html", ready=False)
    page.unroute_all()

    page.get_by_role("textbox", name="Your own expression").fill("L = (a + 1) * b")
    page.keyboard.press("Enter")
    assert Player.of(page, "your expression").nodes().keys() == {"a", "b", "a + 1", "L"}
    page.get_by_role("button", name="Run in my engine").click()

    player = Player.of(page, "your engine")
    player.root.wait_for()
    assert "First wrong step" in player.root.locator(".verdict").inner_text()
    assert "should be -3" in player.walk("Your engine").nodes()["a + 1"]["rest"]

    page.get_by_role("textbox", name="Your own expression").fill("L = a.tanh()")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Run in my engine").click()
    page.get_by_text("<img src=x onerror=alert(1)>").first.wait_for()
    assert page.locator("img").count() == 0

"""The lesson's player on a site: reached from a day, with the student's own engine behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playerpages import Player, serious_findings

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

"""The pages that the commands write, in a browser: the lesson, and the graphs of a student's own engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import cells, grade, notebook, stub_name
from playerpages import Player, choose
from wrongengines import MULTIPLY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playerpages import Watched

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not


@pytest.fixture
def wrong(course: Path) -> Path:
    """A course folder in which day 2's multiplication hands on the own factor."""
    blocks = [block.replace(MULTIPLY, MULTIPLY.replace("other.data", "self.data")) for block in cells("day2")]
    (course / "assignments" / "day2" / stub_name("day2")).write_text(notebook(*blocks), encoding="utf-8")
    return course


def test_grade_play(window: Callable[..., Watched], wrong: Path) -> None:
    """`grade play day2` has the lesson, and under "Your graphs" the student's walk at its first wrong step."""
    ran = grade("play", "day2", "--no-browser", "--output", "play.html", cwd=wrong)
    assert ran.code == 1, ran.text
    page = window((wrong / "play.html").read_text(encoding="utf-8")).page
    assert choose(page, "diamond").root.count() == 1

    section = page.get_by_role("region", name="Your graphs")
    own = Player(section.locator(".walk").first).walk("Your engine")
    assert own.numbers("grad")["a"] == "2"
    assert "should be -3" in own.nodes()["a"]["rest"]


def test_grade_html(window: Callable[..., Watched], wrong: Path) -> None:
    """`grade day2 --html` has the student's graph in the details of a failed check."""
    ran = grade("day2", "--html", "report.html", cwd=wrong)
    assert ran.code == 1, ran.text
    page = window((wrong / "report.html").read_text(encoding="utf-8")).page
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")

    player = Player(page.locator(".walk").first)
    assert "should be -3" in player.walk("Your engine").nodes()["a"]["rest"]
    player.press("First")
    player.to_the_end()
    assert player.walk("A right walk").numbers("grad")["a"] == "-3"

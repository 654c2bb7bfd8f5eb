"""A day's page on a phone, on a page at 400 %, and on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from site_pages import WRONG, Visit, code_cell, open_file, type_into, work

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.ci
PHONE, ZOOMED = {"width": 390, "height": 844}, {"width": 320, "height": 256}


@pytest.fixture
def phone(visit: Callable[..., Visit]) -> Page:
    """Day 2 on a phone, without Python."""
    return visit(viewport=PHONE).open("day2.html", ready=False)


def top_of(page: Page, selector: str) -> float:
    return float(page.locator(selector).first.evaluate("element => element.getBoundingClientRect().top"))


def test_the_header_is_one_line_that_leaves_room(phone: Page) -> None:
    """It stays in sight but on a low page, hides no text that is scrolled to, and its menu has the other buttons."""
    header = phone.locator("header")
    for size in (PHONE, ZOOMED):
        phone.set_viewport_size(size)
        assert header.bounding_box()["height"] < 60
        assert phone.evaluate("() => document.scrollingElement.scrollWidth - innerWidth") <= 0
        phone.evaluate("() => document.querySelector('#lesson h2').scrollIntoView()")
        assert (top_of(phone, "header") == 0) == (size is PHONE)
        covered = header.bounding_box()["height"] if size is PHONE else 0
        assert top_of(phone, "#lesson h2") >= covered

    undo = phone.get_by_role("button", name="Undo")
    assert undo.count() == 0
    phone.evaluate("() => scrollTo(0, 0)")
    phone.get_by_role("button", name="More").focus()
    phone.keyboard.press("Enter")
    undo.wait_for()
    phone.keyboard.press("Escape")
    assert undo.count() == 0
    assert phone.evaluate("() => document.activeElement.id") == "more"


def test_a_long_line_goes_on_below_its_own_beginning(phone: Page) -> None:
    """So that the indentation of the next line is seen."""
    cell = code_cell(phone, 1)
    type_into(cell, "def f():\n        return " + "number + " * 12 + "1\nx = 1")

    lefts = cell.locator(".cm-content").evaluate(
        """element => {
            const range = document.createRange();
            range.selectNodeContents(element.querySelectorAll(".cm-line")[1]);
            const all = [...range.getClientRects()].filter(one => one.width > 20);
            const first = element.querySelector(".cm-line").getBoundingClientRect().left;
            return [...new Set(all.map(one => Math.round(one.top)))].map(
                top => Math.min(...all.filter(one => Math.abs(one.top - top) < 3).map(one => one.left)) - first
            );
        }"""
    )
    assert len(lefts) > 2
    letter = phone.evaluate("() => 14 * .6")
    assert min(lefts[1:]) > 9 * letter


def test_the_frame_of_the_player_is_as_high_as_its_content(visit: Callable[..., Visit]) -> None:
    """No scrolling inside of the page's own, and no empty space below; also when the phone is turned."""
    page = visit(viewport=PHONE).open("day2.html")
    open_file(page, work("day2", (WRONG, "self.grad += self.data * out.grad")))
    page.get_by_role("button", name="Check swap_rule").click()
    frame = page.locator("iframe")
    inside = frame.content_frame
    inside.get_by_role("button", name="First wrong step").wait_for()

    for size in (PHONE, {"width": 500, "height": 844}, PHONE):
        page.set_viewport_size(size)
        page.wait_for_timeout(300)
        content = inside.locator("main").evaluate("element => element.getBoundingClientRect().height")
        assert abs(frame.bounding_box()["height"] - content) < 4
        assert inside.locator("html").evaluate("element => element.scrollHeight - element.clientHeight") < 4

    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_timeout(300)
    assert frame.bounding_box()["height"] == int(frame.get_attribute("height"))


def test_on_paper_nothing_is_to_be_pressed_and_nothing_is_cut(phone: Page) -> None:
    """No header, no button; long lines of code go on below; a check has its name, and its state is a word.

    Lines have no numbers: the editor places them for the width of the screen.
    """
    type_into(code_cell(phone, 1), "total = " + "number + " * 40 + "1")
    phone.evaluate(
        "() => document.querySelector('#lesson').insertAdjacentHTML('beforeend', '<details>In it</details><button class=link>line 30</button>')"
    )
    phone.set_viewport_size({"width": 720, "height": 1000})
    phone.emulate_media(media="print")

    assert phone.locator("header").or_(phone.locator("button:not(.link)")).filter(visible=True).count() == 0
    assert phone.get_by_text("line 30").is_visible()
    cut = """() => [...document.querySelectorAll("main, main *")].filter(
        one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && one.clientWidth
            && getComputedStyle(one).overflowX !== "visible").map(one => one.outerHTML.slice(0, 200))"""
    assert phone.evaluate(cut) == []
    assert phone.locator(".ask").first.inner_text().split("\n") == [
        "add_rule",
        "not checked yet",
        "10 points",
    ]
    assert phone.locator(".cm-gutters").filter(visible=True).count() == 0
    assert phone.get_by_text("In it").is_visible()


def test_the_number_of_points_is_seen(phone: Page) -> None:
    """However narrow the page is; the words after it give way."""
    for width in (320, 360):
        phone.set_viewport_size({"width": width, "height": 700})
        too_far = phone.evaluate("""() => {
            const all = document.querySelector("#points"), range = document.createRange();
            range.selectNode(all.firstChild);
            return range.getBoundingClientRect().right - all.getBoundingClientRect().right;
        }""")
        assert too_far <= 0

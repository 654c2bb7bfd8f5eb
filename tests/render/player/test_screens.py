"""The player on every screen: accessible by axe's rules, by keyboard alone, on a phone, in the dark, on paper."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import pytest
from hostile import report_of
from msgspec.structs import replace
from playerpages import SCREENS, Player, choose, serious_findings
from sampled import every
from told import sentences_with
from walked import wrong_trace

from grader.render.html import render_html
from grader.render.player import CheckTrace, iframe, inline_page, play_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not

LIGHT, DARK, PHONE = SCREENS.values()
BESIDE = """node => node.querySelector(".mark").getBoundingClientRect().right
    <= node.querySelector(".box").getBoundingClientRect().left"""
NAMES = ["mul without upstream", "the walk stops early", "minus is turned around"]
TRACES = [CheckTrace(f"check{i}", name, wrong_trace(name)) for i, name in enumerate(NAMES)]


def report() -> str:
    """The page of a report with three failed checks that have a trace."""
    plain = report_of("text")
    (check,) = (one for one in plain.checks[-1:])
    plain.checks = [replace(check, id=one.check, title=one.title, trace=one.trace) for one in TRACES]
    return render_html(plain)


def grade_of_record() -> str:
    """The page of a report below a grade."""
    above = (
        "<h1>Your grade: 8 of 10 points</h1><ul><li><code>box</code> counts 3 points.</li></ul><p>Ask.</p>"
    )
    return render_html(report_of("text"), above=above, of_record=True)


PAGES = {
    "play": lambda: play_page(TRACES),
    "report": report,
    "grade": grade_of_record,
    "inline": lambda: inline_page(TRACES[0]),
}


def unfold(page: Page) -> None:
    """Open everything that is folded, and use everything once, so that all of the page is there."""
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for button in page.get_by_role("button", name="Step table").all():
        button.click()
    if page.get_by_role("heading", name="Order game").count():
        player = choose(page, "diamond")
        player.press("Last")
        player.click_edge("a → c")
        page.get_by_role("button", name="Run this order").click()
        page.get_by_role("region", name="Nudge a leaf").get_by_role("slider").fill("0.5")
        field = page.get_by_role("spinbutton", name="a", exact=True).first
        field.fill("")


# --- axe


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        ("play", "dark"),
        ("report", "light"),
        ("inline", "phone"),
        pytest.param("play", "light", marks=pytest.mark.whole),
        pytest.param("play", "phone", marks=pytest.mark.whole),
        pytest.param("report", "dark", marks=pytest.mark.whole),
    ],
)
def test_axe_finds_nothing(window: Callable[..., Watched], name: str, screen: str) -> None:
    """No serious and no critical finding, with everything unfolded: names, roles, contrast, order."""
    page = window(PAGES[name](), **SCREENS[screen]).page
    unfold(page)
    assert serious_findings(page) == []


# --- Keyboard


def tab_to(page: Page, element: Locator) -> None:
    """Press Tab until the element has the focus; each stop on the way shows that it has it."""
    for _ in range(150):
        page.keyboard.press("Tab")
        style = page.evaluate(
            "() => { const at = document.activeElement; const own = getComputedStyle(at);"
            " return own.outlineStyle !== 'none' || own.boxShadow !== 'none' || at.matches('svg *, input[type=radio]'); }"
        )
        assert style, f"the focus cannot be seen on {page.evaluate('() => document.activeElement.outerHTML')}"
        if element.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"Tab does not reach {element}")


def test_a_graph_by_keyboard(window: Callable[..., Watched], snapshot) -> None:
    """Choose a graph, edit a leaf, step to the end, read an edge, without a mouse."""
    page = window(play_page()).page
    tab_to(page, page.get_by_role("radio", name="product").first)
    page.keyboard.press("ArrowRight")
    player = Player.of(page, "sum-times")
    assert player.root.count() == 1

    tab_to(page, page.get_by_role("spinbutton", name="c", exact=True))
    page.keyboard.press("Control+A")
    page.keyboard.type("4")
    tab_to(page, player.button("Forward"))
    for _ in range(4):
        page.keyboard.press("Enter")
    assert player.numbers("data") == {"a": "2", "b": "-3", "c": "4", "e": "-1"}
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert player.ended()
    assert player.numbers("grad") == {"a": "4", "b": "4", "c": "-1", "e": "4", "f": "1"}

    page.keyboard.press("ArrowLeft")
    assert player.numbers("grad") == {"c": "-1", "e": "4", "f": "1"}
    page.keyboard.press("Home")
    assert player.numbers("data") == {}
    page.keyboard.press("End")
    assert player.numbers("grad")["a"] == "4"

    tab_to(page, player.edge("a → e"))
    page.keyboard.press("Enter")
    said = player.root.get_by_role("status", name="The edge")
    assert said.inner_text() == snapshot
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-pressed')") == "true"
    assert "Edge a → e" not in said.inner_text()


def test_the_slider_by_keyboard(window: Callable[..., Watched]) -> None:
    """The slider of steps moves by arrows, and says its step in words."""
    page = window(play_page()).page
    player = Player.of(page, "product")
    slider = player.root.get_by_role("slider")
    tab_to(page, slider)
    page.keyboard.press("End")
    assert player.numbers("grad")["a"] == "-3"
    page.keyboard.press("ArrowLeft")
    assert (player.position(), "a" in player.numbers("grad")) == (7, False)
    assert re.match(r"Step 7 of 8: .*", slider.get_attribute("aria-valuetext") or "")


def test_the_order_game_by_keyboard(window: Callable[..., Watched], snapshot) -> None:
    """Move d to the front, keeping the focus on its button; run; read the result."""
    page = window(play_page()).page
    game = page.get_by_role("region", name="Order game").last
    earlier = game.get_by_role("button", name="Move d earlier")
    tab_to(page, earlier)
    for _ in range(3):
        page.keyboard.press("Enter")
        assert earlier.evaluate("one => one === document.activeElement")
    tab_to(page, game.get_by_role("button", name="Run this order"))
    page.keyboard.press(" ")
    assert sentences_with("a.grad is 15, as", game.inner_text()) == snapshot


def test_two_walks_by_keyboard(window: Callable[..., Watched]) -> None:
    """From the first wrong step back to the beginning, and there again."""
    page = window(inline_page(TRACES[0])).page
    player = Player.of(page, NAMES[0])
    first = player.position()
    tab_to(page, player.button("First"))
    page.keyboard.press("Enter")
    assert player.position() == 0
    tab_to(page, player.button("First wrong step"))
    page.keyboard.press("Enter")
    assert player.position() == first


# --- Phone


@pytest.mark.parametrize("name", every(2, PAGES))
def test_a_phone_never_scrolls_sideways(window: Callable[..., Watched], name: str) -> None:
    """A graph or a table may scroll in its own box, the page does not."""
    page = window(PAGES[name](), **PHONE).page
    unfold(page)
    assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360


def test_every_graph_fits_a_phone(window: Callable[..., Watched]) -> None:
    """Also the widest of the lesson. Where edges come from above, the sign of the current node stands beside its box."""
    page = window(play_page(), **PHONE).page
    for name in ("complex", "neuron (tanh)", "reuse"):
        choose(page, name).press("Last")
        assert page.locator(".node.current").evaluate(BESIDE)
        assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360


# --- Dark, and paper


def brightness(page: Page) -> float:
    """The brightness of the page's first pixel, from 0 to 255."""
    png = page.screenshot(clip={"x": 0, "y": 0, "width": 1, "height": 1})
    size = int.from_bytes(png[(at := png.index(b"IDAT")) - 4 : at])
    _, red, green, blue = zlib.decompressobj().decompress(png[at + 4 : at + 4 + size])[:4]
    return (red + green + blue) / 3


@pytest.mark.parametrize("name", every(2, PAGES))
def test_dark_and_light(window: Callable[..., Watched], name: str) -> None:
    """The page follows the reader's setting."""
    assert brightness(window(PAGES[name](), **LIGHT).page) > 200
    assert brightness(window(PAGES[name](), **DARK).page) < 60


@pytest.mark.parametrize("name", every(2, PAGES))
def test_on_paper(window: Callable[..., Watched], name: str) -> None:
    """Printed there is the graph with its numbers and the table of steps, in dark ink on white, and nothing to press."""
    page = window(PAGES[name](), **DARK).page
    if name == "play":
        choose(page, "product").press("Last")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".node:not([transform])").count() == 0, "boxes of a folded graph lie on each other"
    page.emulate_media(media="print")
    try:
        inside = page.locator(".player")
        controls = inside.locator("button, select, input:not([type=number])").all()
        assert [one.evaluate("one => one.outerHTML") for one in controls if one.is_visible()] == []
        assert inside.get_by_role("img").first.is_visible()
        assert inside.locator("table").first.is_visible()
        ink = inside.first.evaluate("one => getComputedStyle(one).color")
        assert max(float(part) for part in re.findall(r"[\d.]+", ink)[:3]) < 90
    finally:
        page.emulate_media(media="null")


# --- Its place on a page


@pytest.mark.parametrize("name", every(3, NAMES))
def test_the_frame_below_a_cell_fits(window: Callable[..., Watched], name: str) -> None:
    """Nothing scrolls: neither the frame, as wide as a notebook's column, nor the picture in it."""
    page = window(
        f'<!DOCTYPE html><html data-player="ready"><title>Notebook</title>{iframe(TRACES[NAMES.index(name)])}'
    ).page
    (frame,) = page.main_frame.child_frames
    for width in (680, 900, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        parts = "[document.documentElement, ...document.querySelectorAll('.graph')]"
        hidden = frame.evaluate(f"{parts}.map(each => each.scrollHeight - each.clientHeight)")
        assert max(hidden) <= 1, (width, hidden)


def test_ones_own_graphs_are_first(window: Callable[..., Watched]) -> None:
    """The page of a day begins with the rule and what the student's engine did, with questions about it."""
    page = window(play_page(TRACES)).page
    assert page.locator(".area").evaluate_all("all => all.map(one => one.id)")[0] == "your-graphs"
    questions = page.locator("#your-graphs").get_by_role("region", name="Questions about")
    assert questions.get_by_role("textbox").count() == 2
    assert "parent.grad += this.grad" in page.locator(".rule").inner_text()

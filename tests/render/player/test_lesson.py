"""The lesson's graphs, played in a browser: numbers are read off the page, and are those of the course."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pytest
from playerpages import Player, choose
from sampled import every

from grader.render.player import play_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Page

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not

HALF = "0.5"
# The data of every node and its gradient. The neuron's relu and the inner nodes are worked out by hand.
GRAPHS: dict[str, dict[str, tuple[str, str]]] = {
    "product": {"a": ("2", "-3"), "b": ("-3", "2"), "c": ("10", "1"), "d": ("-6", "1"), "L": ("4", "1")},
    "sum-times": {"a": ("2", "10"), "b": ("-3", "10"), "c": ("10", "-1"), "e": ("-1", "10"), "f": ("-10", "1")},
    "a·a": {"a": ("3", "6"), "L": ("9", "1")},
    "complex": {
        "a": ("2", "7"), "b": ("-3", "2"), "c": ("10", "-1"),
        "p": ("-6", "-1"), "q": ("4", "-1"), "s": ("-1", "4"), "L": ("-4", "1"),
    },
    "neuron (tanh)": {
        "x1": ("2", "-1.5"), "w1": ("-3", "1"), "x2": ("0", HALF), "w2": ("1", "0"), "b": ("6.88137", HALF),
        "x1·w1": ("-6", HALF), "x2·w2": ("0", HALF), "sum": ("-6", HALF), "n": ("0.881374", HALF), "o": ("0.707107", "1"),
    },
    "neuron (relu)": {
        "x1": ("2", "-3"), "w1": ("-3", "2"), "x2": ("0", "1"), "w2": ("1", "0"), "b": ("6.88137", "1"),
        "x1·w1": ("-6", "1"), "x2·w2": ("0", "1"), "sum": ("-6", "1"), "n": ("0.881374", "1"), "o": ("0.881374", "1"),
    },
    "relu sum": {
        "a": ("2", "-3"), "b": ("-3", "2"), "d": ("10", "1"), "c": ("-6", "1"), "e": ("4", "1"), "f": ("4", "1"),
    },
    "dead relu": {
        "w": ("-3", "0"), "x": ("2", "0"), "b": ("1", "0"), "p": ("-6", "0"), "n": ("-5", "0"), "o": ("0", "1"),
    },
    "diamond": {"a": ("2", "15"), "b": ("3", "6"), "c": ("6", "3"), "d": ("18", "1")},
    "reuse": {"a": ("2", "48"), "b": ("6", "14"), "c": ("8", "6"), "d": ("48", "1")},
}  # fmt: skip


@pytest.fixture
def page(window: Callable[..., Watched]) -> Page:
    """The lesson, freshly opened."""
    return window(play_page()).page


def test_the_lesson_has_these_graphs(page: Page) -> None:
    """Each graph below is a choice, and no choice is without its numbers here."""
    group = page.get_by_role("group", name="Graph").first
    assert list(GRAPHS) == group.get_by_role("radio").evaluate_all(
        "all => all.map(one => one.closest('label').textContent.trim())"
    )


@pytest.mark.parametrize("name", every(3, GRAPHS))
def test_a_graph_played_to_its_end(page: Page, name: str) -> None:
    """No number at first; all data after the forward pass; all gradients after the backward pass.

    Each edge shows upstream · local = contribution, and these add up to the gradients.
    """
    player, numbers = choose(page, name), GRAPHS[name]
    data, grads = ({node: pair[i] for node, pair in numbers.items()} for i in (0, 1))
    calls = sum(node["op"] != "leaf" for node in player.nodes().values())
    assert (player.numbers("data"), player.numbers("grad")) == ({}, {})

    for _ in numbers:
        player.button("Forward").press("Enter")
    assert (player.numbers("data"), player.numbers("grad")) == (data, {})

    steps = player.to_the_end()
    assert (player.numbers("data"), player.numbers("grad")) == (data, grads)
    assert steps == 1 + calls, "the seed, and a call for each node that is no leaf"
    assert arrived(player, grads) == grads


def arrived(player: Player, grads: dict[str, str]) -> dict[str, str]:
    """The sums of the contributions upstream · local that the edges show, by the node that they arrive at."""
    contributions = player.contributions()
    (root,) = set(grads) - {edge.source for edge in contributions}
    sums = {**dict.fromkeys(grads, 0.0), root: 1.0}
    for edge in contributions:
        assert edge.upstream == float(grads[edge.target])
        assert math.isclose(edge.amount, edge.upstream * edge.local, rel_tol=1e-5, abs_tol=1e-9)
        sums[edge.source] += edge.amount
    return {node: f"{amount:.6g}" for node, amount in sums.items()}


def test_a_step_is_told_and_taken_back(page: Page) -> None:
    """The words of a step name the node and the numbers; Back shows the state before it, First the beginning."""
    player = choose(page, "product")
    player.press("Forward")
    assert "a" in player.words()
    for _ in range(5):
        player.press("Forward")
    assert "seed" in player.words()
    player.press("Forward")
    assert re.search(r"d\.grad.*1 · 1", player.words())
    assert player.numbers("grad") == {"L": "1", "d": "1", "c": "1"}

    player.press("Back")
    assert player.numbers("grad") == {"L": "1"}
    player.press("First")
    assert (player.numbers("data"), player.position()) == ({}, 0)


def test_playing_stops_at_the_end(page: Page) -> None:
    """Play goes on by itself, to the last step; then there is nothing to pause."""
    player = choose(page, "a·a")
    page.clock.install()
    player.press("Play")
    page.clock.run_for(60_000)

    assert player.ended()
    assert player.button("Play").is_visible()
    assert player.numbers("grad") == {"a": "6", "L": "1"}


# --- Leaves


def test_a_leaf_is_edited(page: Page) -> None:
    """Everything is computed again, and who looked at the end still does."""
    player = choose(page, "product")
    player.press("Last")
    page.get_by_role("spinbutton", name="a", exact=True).first.fill("3")

    assert player.numbers("data") == {"a": "3", "b": "-3", "c": "10", "d": "-9", "L": "1"}
    assert player.numbers("grad") == {"a": "-3", "b": "3", "c": "1", "d": "1", "L": "1"}
    assert "Local derivative: 3" in player.click_edge("b → d")


def test_a_leaf_that_is_edited_in_the_middle_starts_again(page: Page) -> None:
    """No number of the old walk is left."""
    player = choose(page, "product")
    for _ in range(6):
        player.press("Forward")
    page.get_by_role("spinbutton", name="b", exact=True).first.fill("4")
    assert (player.numbers("data"), player.position()) == ({}, 0)
    player.to_the_end()
    assert player.numbers("grad") == {"a": "4", "b": "2", "c": "1", "d": "1", "L": "1"}


def test_a_leaf_that_is_no_number_is_told(page: Page) -> None:
    """The last number stays; the message is tied to the field and goes away."""
    player = choose(page, "product")
    player.press("Last")
    field = page.get_by_role("spinbutton", name="a", exact=True).first
    field.fill("")
    field.press_sequentially("-")

    message = page.get_by_role("alert").filter(has_text="not a number")
    assert "a stays 2" in message.inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby") == message.get_attribute("id")
    assert player.numbers("data")["L"] == "4"

    field.fill("1")
    assert field.get_attribute("aria-invalid") is None
    assert page.get_by_role("alert").filter(has_text="not a number").count() == 0
    assert player.numbers("data")["L"] == "7"


# --- Edges


@pytest.mark.parametrize(
    ("graph", "edge", "local", "product"),
    [("sum-times", "c → f", "-1", "1 · -1 = -1"), ("diamond", "a → c", "3", "3 · 3 = 9")],
)
def test_an_edge_is_clicked(page: Page, graph: str, edge: str, local: str, product: str) -> None:
    """Its local derivative is there at once, what it handed on once its node has been called."""
    player = choose(page, graph)
    early = player.click_edge(edge)
    assert (f"Local derivative: {local}" in early, product in early) == (True, False)

    player.press("Last")
    assert product in player.root.get_by_role("status", name="The edge").inner_text()
    assert player.edge(edge).get_attribute("aria-pressed") == "true"


# --- The parts beside the graph


def test_the_thermometer(page: Page, snapshot) -> None:
    """Bars by size: the sign says which way the output moves, the size how much."""
    player = choose(page, "product")
    section = page.get_by_role("region", name="Gradient thermometer")
    assert "not yet" in section.get_by_role("listitem").first.inner_text()

    player.press("Last")
    rows = [" ".join(text.split()) for text in section.get_by_role("listitem").all_inner_texts()]
    assert rows == snapshot
    assert section.inner_text() == snapshot

    section.get_by_role("checkbox", name="Inner nodes too").check()
    assert section.get_by_role("listitem").count() == 5


def test_the_bars_of_the_thermometer(page: Page) -> None:
    """A bar goes left of the middle for a negative gradient; its width is in proportion."""
    choose(page, "product").press("Last")
    bars = page.get_by_role("region", name="Gradient thermometer").locator(".bar")
    boxes = [bars.nth(i).bounding_box() for i in range(3)]
    tracks = [bars.nth(i).locator("..").bounding_box() for i in range(3)]
    middle = tracks[0]["x"] + tracks[0]["width"] / 2
    a, b, c = boxes
    assert (a["x"] + a["width"], b["x"], c["x"]) == pytest.approx((middle,) * 3, abs=2)
    assert (a["width"] / c["width"], b["width"] / c["width"]) == pytest.approx((3, 2), rel=0.1)


@pytest.mark.parametrize(
    ("graph", "leaf", "numbers"), [("a·a", "a", ("-1", "5", "6")), ("diamond", "a", ("0.01", "15.03", "15"))]
)
def test_the_nudge(page: Page, graph: str, leaf: str, numbers: tuple[str, str, str]) -> None:
    """The slope over the nudge, in numbers, beside the gradient; both by slider and by number."""
    h, slope, gradient = numbers
    choose(page, graph).press("Last")
    section = page.get_by_role("region", name="Nudge a leaf")
    section.get_by_role("combobox", name="Leaf").select_option(leaf)
    assert "Nothing is nudged" in section.get_by_role("status").inner_text()

    for field in (section.get_by_role("spinbutton", name="h", exact=True), section.get_by_role("slider")):
        field.fill(h)
        text = section.inner_text()
        assert re.search(rf"/ {re.escape(h)} = {re.escape(slope)}\b", text), text
        assert f"{leaf}.grad = {gradient}\n" in f"{text}\n"
        section.get_by_role("button", name="No nudge").click()
        assert "Nothing is nudged" in section.get_by_role("status").inner_text()


def test_no_gradient_before_it_is_reached(page: Page) -> None:
    """The nudge says its slope at once, and the gradient when the walk is at its end."""
    player = choose(page, "product")
    section = page.get_by_role("region", name="Nudge a leaf")
    section.get_by_role("spinbutton", name="h", exact=True).fill("0.5")
    assert "= -3\n" in section.inner_text()
    assert "Gradient\nnot yet\n" in section.inner_text()
    assert "Play the graph to its end" in section.get_by_role("status").inner_text()

    player.press("Last")
    assert "Gradient\na.grad = -3\n" in section.inner_text()


def test_the_phases(page: Page) -> None:
    """The forward pass, the seed and the backward pass are named; a step says which it belongs to."""
    player = choose(page, "product")
    now = player.root.locator(".phases [aria-current=step]")
    assert now.count() == 0
    told = []
    while not player.ended():
        player.press("Forward")
        told.append(now.inner_text())
    assert told == ["Forward pass"] * 5 + ["Seed"] + ["Backward pass"] * 2


@pytest.mark.parametrize(
    ("graph", "count", "gradient"), [("neuron (tanh)", "5", "-1.5"), ("reuse", "2", "48")]
)
def test_two_questions(page: Page, graph: str, count: str, gradient: str) -> None:
    """The page knows the answers and shows none: a wrong one is told how to find it, a right one why it is right."""
    choose(page, graph)
    section = page.get_by_role("region", name="Two questions")
    first, second = section.get_by_role("textbox").all()
    said = section.get_by_role("status")

    for field, right in ((first, count), (second, gradient)):
        field.fill("1000")
        field.press("Enter")
        assert "1000 is not right" in section.inner_text()
        assert f" {right}." not in section.inner_text()
        field.fill(right)
        field.press("Enter")
        assert "not it" not in section.inner_text()
    assert ["✓ Right" in text for text in said.all_inner_texts()] == [True, True]

    second.fill("")
    second.press("Enter")
    assert said.last.inner_text() == "Write a number."


def test_other_numbers_are_other_questions(page: Page) -> None:
    """What was said about the old ones is gone."""
    choose(page, "product")
    field = page.get_by_role("region", name="Two questions").get_by_role("textbox").last
    field.fill("-3")
    field.press("Enter")
    assert page.locator(".said").last.inner_text() == "✓ Right. 1 · -3 = -3."

    page.get_by_role("spinbutton", name="b", exact=True).first.fill("7")
    assert page.locator(".said").last.text_content() == ""


def test_the_waterfall(page: Page, snapshot) -> None:
    """Steps go to the right and nodes down; what is not done yet is neither drawn nor told."""
    player = choose(page, "product")
    section = page.get_by_role("region", name="Waterfall")
    section.get_by_text("The steps in words").click()
    for _ in range(4):
        player.press("Forward")
    words = section.get_by_role("list").locator("li")
    assert words.all_inner_texts()[3:5] == ["d = a * b: -6", "not yet"]
    assert words.locator("xpath=self::*[@aria-current]").all_inner_texts() == ["d = a * b: -6"]
    shown = section.get_by_role("img").locator(":is(.falling, .rising):not(.later) > text:not(.number)")
    assert shown.all_text_contents() == ["2", "-3", "10", "-6"]

    player.press("Last")
    assert words.all_inner_texts() == snapshot


# --- Arrays


@pytest.mark.parametrize(
    ("graph", "grads"),
    [
        ("row plus matrix", {"b": "(3,) [3, 1.5, -1]", "W": "(2, 3) [[11, 22, 33], [14, 25, 36]]"}),
        (
            "product",
            {"A": "(2, 3) [[-1, 4.5, -2], [-1.5, 0.5, 2]]", "B": "(3, 2) [[-3, 4], [-3, 6.5], [-3, 9]]"},
        ),
        ("sum", {"x": "(2, 3) [[3, 3, 3], [-2, -2, -2]]", "s": "(2,) [3, -2]"}),
        ("column times row", {"p": "(2, 1) [[7], [7]]", "q": "(3,) [1, 1, 1]"}),
    ],
)
def test_a_graph_of_arrays(window: Callable[..., Watched], graph: str, grads: dict[str, str]) -> None:
    """Gradients have the shapes of their data, which the questions ask for; a leaf that does not fit is told."""
    page = window(play_page(arrays=True)).page
    player = choose(page, graph)
    player.press("Last")
    found = {name: player.root.locator(f'[data-node="{name}"]').get_attribute("data-grad") for name in grads}
    assert found == grads

    shape = found[next(iter(grads))].partition(") ")[0] + ")"
    field = page.get_by_role("region", name="Questions").get_by_role("textbox").nth(1)
    field.fill("(9, 9)")
    field.press("Enter")
    assert "(9, 9) is not right" in page.locator(".said").all_inner_texts()[1]
    field.fill(shape.replace(" ", ""))
    field.press("Enter")
    assert "Right" in page.locator(".said").all_inner_texts()[1]

    leaf = page.get_by_role("group", name="Leaves").get_by_role("textbox").last
    leaf.fill("[1, 2, 3, 4, 5]")
    stays = page.get_by_role("alert").filter(has_text="stays")
    assert stays.count() == (graph != "column times row")


def test_an_edge_of_a_large_array_has_its_shape(window: Callable[..., Watched]) -> None:
    """It handed on an array of 14 entries, of which only the sum is shown."""
    player = choose(page := window(play_page(arrays=True)).page, "column times row")
    page.get_by_role("group", name="Leaves").get_by_role("textbox").last.fill("[1, 2, 3, 4, 5, 6, 7]")
    player.press("Last")
    edge = player.edge("C → L")
    edge.click()
    assert edge.get_attribute("aria-label") == "Edge C → L: (2, 7)"
    assert "Added to C.grad: (2, 7) sum 14." in player.root.inner_text()

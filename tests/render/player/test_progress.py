"""The progress through the lesson: counted, remembered on the machine, forgotten on demand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playerpages import Player, choose
from walked import UPSTREAM, trace_of

from grader.render.player import CheckTrace, iframe, play_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Page

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not

GRAPHS = [
    "product", "sum-times", "a·a", "complex", "neuron (tanh)", "neuron (relu)", "relu sum", "dead relu", "diamond", "reuse",
]  # fmt: skip


def done(page: Page) -> tuple[int, int]:
    """The number of tasks that are done, and of all."""
    text = page.get_by_role("region", name="Your progress").inner_text()
    match = re.search(r"(\d+) of (\d+)", text)
    assert match, text
    return int(match[1]), int(match[2])


def some_tasks(page: Page) -> None:
    """Play a graph to its end, and click an edge."""
    player = choose(page, "a·a")
    player.press("Last")
    player.click_edge("a → L (first input)")


def test_progress_is_remembered(window: Callable[..., Watched]) -> None:
    """It is there when the page is opened again, until the student starts over."""
    lesson = window(play_page())
    page = lesson.page
    assert done(page)[0] == 0
    some_tasks(page)
    assert done(page)[0] == 2

    lesson.load()
    assert done(page)[0] == 2

    page.get_by_role("button", name="Start over").click()
    assert done(page)[0] == 0
    lesson.load()
    assert done(page)[0] == 0


def test_progress_where_nothing_can_be_kept(window: Callable[..., Watched]) -> None:
    """Where the browser refuses storage the page works, and counts as long as it is open."""
    page = window(play_page(), storage=False).page
    some_tasks(page)
    assert done(page)[0] == 2


def test_what_is_remembered_may_be_anything(window: Callable[..., Watched]) -> None:
    """Storage that somebody else filled is no progress and no error."""
    lesson = window(play_page())
    some_tasks(lesson.page)
    keys = lesson.page.evaluate("() => Object.keys(localStorage)")
    assert keys, "the page keeps something"
    for text in ("}{", "null", '{"a": 1}', '["nonsense", 3, null]'):
        lesson.page.evaluate(
            "([keys, text]) => keys.forEach(key => localStorage.setItem(key, text))", [keys, text]
        )
        lesson.load()
        assert done(lesson.page)[0] == 0


def test_the_end_of_the_lesson(window: Callable[..., Watched], snapshot) -> None:
    """Every task can be done, and the end says so in a sentence."""
    page = window(play_page()).page
    for name in GRAPHS:
        choose(page, name).press("Last")
    choose(page, "product").click_edge("a → d")
    page.get_by_role("spinbutton", name="a", exact=True).first.fill("4")
    nudge = page.get_by_role("region", name="Nudge a leaf")
    nudge.get_by_role("spinbutton", name="h", exact=True).fill("0.5")
    game = page.get_by_role("region", name="Order game").last
    game.get_by_role("button", name="Run this order").click()
    for field, answer in zip(
        page.get_by_role("region", name="Two questions").get_by_role("textbox").all(),
        ("2", "-3"),
        strict=True,
    ):
        field.fill(answer)
        field.press("Enter")
    count, tasks = done(page)
    assert count == tasks - 1
    assert "everything" not in page.get_by_role("region", name="Your progress").inner_text()

    for _ in range(3):
        game.get_by_role("button", name="Move d earlier").click()
    game.get_by_role("button", name="Run this order").click()
    assert done(page) == (tasks, tasks)
    assert page.get_by_role("region", name="Your progress").inner_text() == snapshot


def test_a_frame_without_an_origin(window: Callable[..., Watched]) -> None:
    """In a notebook the page is in a sandboxed frame: it has no storage, and plays."""
    frame = iframe(CheckTrace("engine", "In a frame", trace_of(UPSTREAM)))
    page = window(f'<!DOCTYPE html><html data-player="ready"><title>Notebook</title>{frame}').page
    player = Player(page.frame_locator("iframe").get_by_role("group", name="Player: In a frame", exact=True))
    player.press("First")
    player.to_the_end()
    assert player.walk("Your engine").numbers("grad")["x"] == "1.5729"

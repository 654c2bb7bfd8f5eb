"""A failed check's two walks side by side: the first wrong step is marked, and it is the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from playerpages import Player
from walked import ENGINE, UPSTREAM, WRONG, trace_of, wrong_engine

from grader.render.player import Shown, inline_page, play_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched

    from grader.report import Trace

TITLE = "The engine walks a graph"
OWN, RIGHT = "Your engine", "A right walk"


def shown(trace: Trace) -> Shown:
    return Shown("engine", TITLE, trace)


@pytest.mark.parametrize("name", WRONG)
def test_the_first_wrong_step(window: Callable[..., Watched], name: str) -> None:
    """The player opens at it: the node is marked in the graph, and its wrong numbers stand beside the right ones."""
    wrong = WRONG[name]
    trace = trace_of(wrong_engine(wrong.edit), wrong.graph)
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    at = player.position()
    own, right = player.walk(OWN), player.walk(RIGHT)
    marked = [node for node, parts in own.nodes().items() if "first wrong step" in parts["rest"]]

    if wrong.first == "missing":
        assert at == len(trace.student) + 1
        assert "ended" in own.root.inner_text()
        assert marked == ["q"]
    else:
        kind, node = wrong.first.split()
        step = trace.student[at - 1]
        assert (step.kind, trace.nodes[step.node].name) == (kind, node)
        assert marked == [node]
        numbers = own.numbers("data" if kind == "forward" else "grad")
        assert {node: numbers[node] for node in wrong.wrongly} == {
            node: f"{number:.6g}" for node, number in wrong.wrongly.items()
        }
    assert f"First wrong step: {at}" in player.root.inner_text()

    player.press("Back")
    before = [walk.numbers(kind) for walk in (own, right) for kind in ("data", "grad")]
    assert before[:2] == before[2:], "the two walks agree until then"
    assert not [node for node, parts in own.nodes().items() if "wrong" in parts["rest"]]


def test_both_walks_move_together(window: Callable[..., Watched]) -> None:
    """A step moves both, the numbers at the end are those of each engine, and a button leads back."""
    wrong = WRONG["mul without upstream"]
    trace = trace_of(wrong_engine(wrong.edit), wrong.graph)
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    own, right = player.walk(OWN), player.walk(RIGHT)
    first = player.position()

    player.press("First")
    assert own.numbers("data") == right.numbers("data") == {}
    player.press("Last")
    assert right.numbers("grad") == {"a": "7", "b": "2", "c": "-1", "p": "-1", "q": "-1", "s": "4", "L": "1"}
    assert own.numbers("grad") == {**right.numbers("grad"), "a": "1", "b": "6"}
    differing = {node for node, parts in own.nodes().items() if "should be" in parts["rest"]}
    assert differing == {"a", "b"}
    assert "should be 7" in own.nodes()["a"]["rest"]

    player.press("First wrong step")
    assert player.position() == first


def test_the_table_of_two_walks(window: Callable[..., Watched]) -> None:
    """Step by step, with the first difference marked in words."""
    wrong = WRONG["tanh without upstream"]
    page = window(inline_page(shown(trace_of(wrong_engine(wrong.edit), wrong.graph)))).page
    page.get_by_role("button", name="Step table").click()
    table = page.get_by_role("table", name="Your engine's walk beside a right one")
    row = table.get_by_role("row").filter(has_text="first difference")

    assert row.get_by_role("rowheader").inner_text() == "7"
    mine, due = row.get_by_role("cell").all_inner_texts()
    assert ("x.grad 0.786448" in mine, "x.grad 1.5729" in due) == (True, True)
    assert row.get_attribute("aria-current") == "step"


def test_a_walk_without_a_right_one(window: Callable[..., Watched]) -> None:
    """Where the right walk would be an answer, the student's walk stands alone, marked all the same."""
    wrong = WRONG["tanh without upstream"]
    trace = msgspec.structs.replace(trace_of(wrong_engine(wrong.edit), wrong.graph), right=[])
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)

    assert player.root.get_by_role("heading", name=RIGHT).count() == 0
    assert "First wrong step: 7" in player.root.inner_text()
    assert "1.5729" not in player.root.inner_text()


def test_a_walk_that_is_right(window: Callable[..., Watched]) -> None:
    """No step is marked, and there is no button that would lead to one."""
    player = Player.of(window(inline_page(shown(trace_of(ENGINE, UPSTREAM)))).page, TITLE)
    assert "First wrong step" not in player.root.inner_text()
    assert player.walk(OWN).numbers("grad") == {"y": "1", "t": "2", "two": "0.462117", "x": "1.5729"}


def test_numbers_that_are_none(window: Callable[..., Watched]) -> None:
    """A gradient that is not finite, or a Value, is shown as the text that stands for it."""
    trace = trace_of(wrong_engine({"(1 - t**2) * out.grad": 'float("nan")'}), UPSTREAM)
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    assert player.walk(OWN).numbers("grad")["x"] == "nan"

    trace.student[-1] = msgspec.structs.replace(trace.student[-1], changes=[(0, "a Value")])
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    assert player.walk(OWN).numbers("grad")["x"] == "a Value"


def test_the_students_own_graphs_in_the_lesson(window: Callable[..., Watched]) -> None:
    """`grade play DAY`: each failed graph is there under its check; the first is open."""
    names = ["tanh without upstream", "minus is plus"]
    traces = [
        Shown(f"check{i}", f"Title {i}", trace_of(wrong_engine(WRONG[name].edit), WRONG[name].graph))
        for i, name in enumerate(names)
    ]
    page = window(play_page(traces)).page
    section = page.get_by_role("region", name="Your graphs")

    assert Player.of(page, "Title 0").walk(OWN).numbers("grad")["x"] == "0.786448"
    section.get_by_text("check1: Title 1").click()
    assert Player.of(page, "Title 1").walk(OWN).numbers("grad")["b"] == "2"

"""A failed check's two walks side by side: the first wrong step is marked, and it is the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from helpers import cells, grade, hand_in, notebook
from msgspec.structs import replace
from playerpages import Player
from sampled import every
from walked import UPSTREAM, trace_of, wrong_trace
from wrongengines import ENGINES, MULTIPLY, tracing

from grader.render.player import CheckTrace, inline_page, play_page
from grader.report import Trace, TraceInput, TraceNode, TraceStep
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playerpages import Watched

    from grader.report import CheckResult

pytestmark = pytest.mark.ci  # test_hostile.py, which keeps texts inert, is not

TITLE = "The engine walks a graph"
OWN, RIGHT = "Your engine", "A right walk"


def shown(trace: Trace) -> CheckTrace:
    return CheckTrace("engine", TITLE, trace)


@pytest.fixture(scope="module")
def graded() -> Iterator[Callable[..., dict[str, CheckResult]]]:
    """A function: edits of a day's reference -> its checks by name, with traces."""
    with Launcher() as launcher, tracing(launcher) as graded:
        yield graded


@pytest.mark.parametrize("name", every(4, ENGINES))
def test_the_first_wrong_step(window: Callable[..., Watched], graded: Callable[..., Any], name: str) -> None:
    """The player opens at it: its node is marked, its numbers stand beside the right ones, and before it all agree."""
    engine = ENGINES[name]
    slip = engine.slip
    check = graded(slip.day, *slip.edits, function=slip.function)[engine.check]
    player = Player.of(window(inline_page(CheckTrace(check.id, check.title, check.trace))).page, check.title)
    own, right = player.walk(OWN), player.walk(RIGHT)
    nodes, at = own.nodes(), player.position()

    assert f"First wrong step: {at}. " in player.root.inner_text()
    assert check.trace.words.replace("`", "") in player.root.inner_text()
    for walk, found in ((own, engine.wrong), (right, engine.right)):
        if found is None:
            assert "ended" in walk.words()
            continue
        kind, node, changes = found
        assert "current node" in walk.nodes()[node]["rest"]
        numbers = walk.numbers("data" if kind == "forward" else "grad")
        due = {
            one: getattr(number, "expected", number) for one, number in changes.items()
        }  # some are pytest.approx
        assert {one: numbers[one] for one in due} == {one: f"{number:.6g}" for one, number in due.items()}
    marked = [node for node, parts in nodes.items() if "first wrong step" in parts["rest"]]
    assert marked == [(engine.wrong or engine.right)[1]]

    player.press("Back")
    for kind in ("data", "grad"):
        assert own.numbers(kind) == right.numbers(kind), "the walks agree until then"
    assert not [node for node, parts in own.nodes().items() if "wrong" in parts["rest"]]


def test_arrays_have_shapes_and_small_ones_entries(window: Callable[..., Watched]) -> None:
    """In boxes and at edges, with the right gradient where the engine's differs by more than rounding."""
    entries = {"x": "(2, 2) [[1, 2], [3, 4]]", "b": "(2,) [5, 6]", "x + b": "(2, 2) [[6, 8], [8, 10]]"}
    ones, rounded = "(2, 2) [[1, 1], [1, 1]]", "(2, 2) [[1, 1], [1, 1.01]]"
    inputs = [TraceInput(0, 0.0, ""), TraceInput(1, 0.0, "")]
    nodes = [TraceNode("x"), TraceNode("b"), TraceNode("x + b", "+", inputs)]
    steps = [TraceStep("forward", i, [(i, text)]) for i, text in enumerate(entries.values())]
    steps += [TraceStep("seed", 2, [(2, ones)]), TraceStep("call", 2, [(0, rounded), (1, ones)])]
    right = [*steps[:4], TraceStep("call", 2, [(0, ones), (1, "(2,) [2, 2]")])]
    page = window(inline_page(shown(Trace("x + b", nodes, steps, right, 4, "w", "grad", 0.02)))).page
    player = Player.of(page, TITLE)
    own = player.walk(OWN).root
    boxes = [box.locator("tspan").all_text_contents() for box in own.get_by_role("img").all()]
    assert [[line for line in box if line] for box in boxes] == [
        ["(2, 2)", "1 2", "3 4", "(2, 2) ◂", "1 1", "1 1.01"],
        ["(2,)", "5 6", "(2, 2) ◂", "1 1", "1 1", "≠ (2,)", "2 2"],
        ["(2, 2)", "6 8", "8 10", "(2, 2)", "1 1", "1 1"],
    ]
    title = own.locator("title").filter(has_text="b\n").first.text_content()
    assert title == f"b\ndata {entries['b']}\ngrad {ones}"
    label = player.walk(RIGHT).edge("b → x + b").get_attribute("aria-label")
    assert label == "Edge b → x + b: (2, 2) → (2,) 2 2"


def test_both_walks_move_together(window: Callable[..., Watched]) -> None:
    """A step moves both, the numbers at the end are those of each engine, and a button leads back."""
    trace = wrong_trace("mul without upstream")
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
    page = window(inline_page(shown(wrong_trace("tanh without upstream")))).page
    page.get_by_role("button", name="Step table").click()
    table = page.get_by_role("table", name="Your engine's walk beside a right one")
    row = table.get_by_role("row").filter(has_text="first difference")

    assert row.get_by_role("rowheader").inner_text() == "7"
    mine, due = row.get_by_role("cell").all_inner_texts()
    assert ("x.grad 0.786448" in mine, "x.grad 1.5729" in due) == (True, True)
    assert row.get_attribute("aria-current") == "step"


def test_a_walk_without_a_right_one(window: Callable[..., Watched]) -> None:
    """Where the right walk would be an answer, the student's walk stands alone, marked all the same."""
    trace = replace(wrong_trace("tanh without upstream"), right=[])
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)

    assert player.walk(RIGHT).root.count() == 0
    assert "First wrong step: 7" in player.root.inner_text()
    assert "1.5729" not in player.root.inner_text()


def test_a_walk_that_is_right(window: Callable[..., Watched]) -> None:
    """No step is marked, and there is no button that would lead to one."""
    player = Player.of(window(inline_page(shown(trace_of(UPSTREAM)))).page, TITLE)
    assert "First wrong step" not in player.root.inner_text()
    assert player.walk(OWN).numbers("grad") == {"y": "1", "t": "2", "two": "0.462117", "x": "1.5729"}


def test_numbers_that_are_none(window: Callable[..., Watched]) -> None:
    """A gradient that is not finite, or a Value, is shown as the text that stands for it."""
    trace = wrong_trace("tanh is no number")
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    assert player.walk(OWN).numbers("grad")["x"] == "nan"

    trace.student[-1] = replace(trace.student[-1], changes=[(0, "a Value")])
    player = Player.of(window(inline_page(shown(trace))).page, TITLE)
    assert player.walk(OWN).numbers("grad")["x"] == "a Value"


def test_the_students_own_graphs_in_the_lesson(window: Callable[..., Watched]) -> None:
    """`grade play DAY`: each failed graph is there under its check; the first is open."""
    names = ["tanh without upstream", "minus is turned around"]
    traces = [CheckTrace(f"check{i}", f"Title {i}", wrong_trace(name)) for i, name in enumerate(names)]
    page = window(play_page(traces)).page
    section = page.get_by_role("region", name="Your graphs")

    assert Player.of(page, "Title 0").walk(OWN).numbers("grad")["x"] == "0.786448"
    section.get_by_text("check1: Title 1").click()
    assert Player.of(page, "Title 1").walk(OWN).numbers("data")["d"] == "1"


def test_the_page_that_the_command_writes(window: Callable[..., Watched], course: Path) -> None:
    """`grade day2 --html` has the student's graph in the details of a failed check."""
    blocks = [block.replace(MULTIPLY, MULTIPLY.replace("other.data", "self.data")) for block in cells("day2")]
    mine = hand_in(course, notebook(*blocks))
    ran = grade("day2", mine, "--html", "report.html", cwd=course)
    assert ran.code == 1, ran.text
    page = window((course / "report.html").read_text(encoding="utf-8")).page
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")

    player = Player(page.locator(".walk").first)
    assert "should be -3" in player.walk(OWN).nodes()["a"]["rest"]
    player.press("First")
    player.to_the_end()
    assert player.walk(RIGHT).numbers("grad")["a"] == "-3"

"""The page of a class in a browser: accessible by axe's rules, by keyboard, on a phone, in the dark, on paper; inert."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile import report_of
from madeclass import made_class
from msgspec.structs import replace
from playerpages import SCREENS, serious_findings
from sampled import every
from students import by

from grader.gradebook.classpage import write_class_page
from grader.gradebook.in_force import Override
from grader.gradebook.store import Store
from grader.report import from_json, to_json
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Locator, Page

LIGHT, DARK, PHONE = SCREENS.values()
UNFOLD = "() => document.querySelectorAll('details').forEach(one => { one.open = true; })"


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a made-up class. A page is ready when it is loaded: it has no script that could say so."""
    folder = tmp_path_factory.mktemp("class")
    write_class_page(made_class(folder / "results.db", count=80), folder / "results.db", folder / "day2.html")
    return ready(folder / "day2.html")


def ready(path: Path) -> str:
    """Read a page without a script, and mark it as the windows of these tests expect it."""
    return path.read_text(encoding="utf-8").replace(
        '<html lang="en">', '<html lang="en" data-player="ready">'
    )


@pytest.mark.ci
@pytest.mark.parametrize("name", every(3, SCREENS, 1))
def test_axe_finds_nothing(window: Callable[..., Watched], html: str, name: str) -> None:
    """No serious and no critical finding, with everything unfolded: names, roles, contrast, order."""
    page = window(html, **SCREENS[name]).page
    page.evaluate(UNFOLD)
    assert serious_findings(page) == []


@pytest.mark.ci
def test_the_charts_show_the_numbers_of_their_tables(window: Callable[..., Watched], html: str) -> None:
    """A bar for each range of points that has students, with its number; a part of a bar for each outcome."""
    page = window(html, **LIGHT).page
    page.evaluate(UNFOLD)
    points = page.get_by_role("img", name="Histogram of the points")
    told = page.locator("#points td").all_inner_texts()
    shown = points.locator("text").all_text_contents()
    assert {number for number in told if number != "0"} <= set(shown)

    row = page.locator("#checks tr", has_text="accumulate").first.locator("td").all_inner_texts()
    titles = (
        page.get_by_role("img", name="Bars of each check's outcomes").locator("title").all_text_contents()
    )
    words = page.locator("#checks thead th").all_inner_texts()[2:-2]
    expected = {f"accumulate: {n} {what}" for n, what in zip(row[1:-2], words, strict=True) if n != "0"}
    assert {title for title in titles if title.startswith("accumulate:")} == expected


@pytest.mark.ci
@pytest.mark.parametrize("width", [320, 500, 1280])
def test_no_text_of_a_chart_is_cut_or_lies_on_another(
    window: Callable[..., Watched], html: str, width: int
) -> None:
    """At any width letters keep their size, and a number in a bar stays in its part."""
    page = window(html, viewport={"width": width, "height": 800}).page
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('svg.chart')].map(chart =>
            [...chart.querySelectorAll('text')].map(one => one.getBoundingClientRect()).filter(one => one.width)
            .map(one => [one.left, one.top, one.right, one.bottom, one.height]))"""
    )
    assert len(boxes) == 2
    for chart in boxes:
        assert len({round(height) for *_, height in chart}) == 1
        assert all(left >= 0 and right <= width for left, _, right, *_ in chart)
        for one, other in itertools.combinations(chart, 2):
            assert not _overlap(one, other), (one, other)
    outside = page.evaluate(
        """() => [...document.querySelectorAll('#checks svg g')].filter(part => part.querySelector('text'))
            .filter(part => { const inner = part.querySelector('text').getBoundingClientRect();
                              return inner.width > part.querySelector('rect').getBoundingClientRect().width; })
            .map(part => part.textContent)"""
    )
    assert outside == []


def _overlap(one: list[float], other: list[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] + 1 < other[3] and other[1] + 1 < one[3]


@pytest.mark.ci
def test_a_phone_never_scrolls_sideways(window: Callable[..., Watched], html: str) -> None:
    """A table may scroll in its own box, the page does not; a column of words has room for some of them."""
    page = window(html, **PHONE).page
    page.evaluate(UNFOLD)
    assert page.locator("#checks td:last-child").first.bounding_box()["width"] >= 180
    assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360


@pytest.mark.ci
def test_it_prints_in_dark_letters_without_tools(window: Callable[..., Watched], html: str) -> None:
    """Also where the screen is dark; the charts stay, links and fields that nobody can use go."""
    page = window(html, **DARK).page
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(31, 35, 40)"
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#checks svg").is_visible()
    assert not page.get_by_role("combobox").is_visible()
    assert not page.locator("nav").is_visible()
    page.emulate_media(media="screen")


# --- By keyboard


def tab_to(page: Page, element: Locator) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(400):
        page.keyboard.press("Tab")
        if element.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"Tab does not reach {element}")


@pytest.mark.ci
def test_the_mistakes_of_one_check_by_keyboard(window: Callable[..., Watched], html: str) -> None:
    """Choose the check, unfold its mistake, read who made it."""
    page = window(html, **LIGHT).page
    choice = page.get_by_role("combobox", name="Show mistakes of")
    tab_to(page, choice)
    page.keyboard.type("tanh_neuron")
    shown = page.locator(".groups > .group:visible")
    assert [re.sub(r"\d+", "n", text) for text in shown.locator("h3").all_inner_texts()] == [
        "n students: wrong parentheses in tanh"
    ]
    tab_to(page, shown.locator("summary"))
    page.keyboard.press("Enter")
    count = int(shown.locator("h3").inner_text().split()[0])
    assert shown.locator("a:visible").count() == count


@pytest.mark.ci
def test_the_table_in_another_order_by_keyboard(window: Callable[..., Watched], html: str) -> None:
    """By points as numbers: those without a score first. It takes the place of the table by name."""
    page = window(html, **LIGHT).page
    scores = page.locator("#students td:nth-child(2):visible")
    by_name = scores.all_inner_texts()
    tab_to(page, page.locator("summary", has_text="By points, the fewest first"))
    page.keyboard.press("Enter")
    page.locator("#students details").last.locator("table").wait_for(state="hidden")
    by_points = scores.all_inner_texts()
    assert sorted(by_name) == sorted(by_points)
    assert by_points == sorted(by_points, key=lambda text: float(text or -1))
    assert by_points != by_name


# --- Inert

TEXTS = {
    "image": '<img src=x onerror="window.owned=1;alert(1)">',
    "script": "</script><script>window.owned=1</script>",
    "comment": "<!--<script>window.owned=1",
    "entity": "&lt;b&gt;&#60;script&#62;",
    "handler": '" onfocus="window.owned=1" autofocus x="',
    "style": "</style><style>*{display:none}</style>",
    "address": "javascript:window.owned=1",
    "end": "</table></details></section></body></html>",
}


@pytest.mark.ci
def test_hostile_texts_are_shown_as_text(window: Callable[..., Watched], tmp_path: Path) -> None:
    """Students' names, exceptions in notebooks, comments of overrides: letter by letter, and nothing happens."""
    assignment = made_class(tmp_path / "results.db", count=20)
    with Store(tmp_path / "results.db") as store:
        for number, text in enumerate(TEXTS.values()):
            keep_hostile(store, text, f"bob{number}")

    write_class_page(assignment, tmp_path / "results.db", tmp_path / "day2.html")

    page = window(ready(tmp_path / "day2.html"), **LIGHT).page
    page.evaluate(UNFOLD)
    assert not page.evaluate("() => 'owned' in window")
    assert page.locator("img, iframe, object, a[href^=javascript]").count() == 0
    for section in ("#first", "#checks", "#mistakes", "#students", "#checks svg"):
        shown = page.locator(section).evaluate("one => one.textContent")
        assert [name for name, text in TEXTS.items() if text[:8] not in shown] == [], section
    for number, text in enumerate(TEXTS.values()):
        page = window(ready(tmp_path / "day2-students" / f"bob{number}.html"), **LIGHT).page
        assert not page.evaluate("() => 'owned' in window")
        assert page.locator(".above").evaluate("one => one.textContent").count(text) >= 2


def keep_hostile(store: Store, text: str, student: str) -> None:
    """Keep results full of a text: of a student with this name, and of one who has it in an override."""
    report = from_json(to_json(report_of(text)))
    report.checks = [replace(check, id=f"check{i} {text}", see="") for i, check in enumerate(report.checks)]
    report = replace(report, assignment=replace(report.assignment, id="day2"))
    for name in (text, student):
        store.keep("a", by(name, HandedIn("day2.ipynb", notes=(text,))), report)
    store.keep_absent("day2", f"zoe {text}", Unreached(text))
    store.keep_override(Override("day2", "points", text, text, student, report.checks[1].id, 1.0))


def test_the_policy_refuses_what_an_escape_forgot(window: Callable[..., Watched], html: str) -> None:
    """Code that stood in the page all the same could ask for nothing and run nothing."""
    watched = window(html, **LIGHT)
    with watched.page.expect_console_message(lambda line: "Content Security Policy" in line.text):
        watched.page.evaluate(
            "() => { document.body.append(Object.assign(document.createElement('script'), "
            "{textContent: 'window.owned = 1'})); }"
        )
    assert not watched.page.evaluate("() => 'owned' in window")
    watched.faults.clear()

"""The page of a class in a browser: accessible by axe's rules, by keyboard, on a phone, in the dark, on paper; inert."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from hostile import report_of
from madeclass import made_class
from msgspec.structs import replace
from students import by

from grader.gradebook.classpage import write_class_page
from grader.gradebook.store import Override, Store
from grader.report import from_json, to_json
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Locator, Page

LIGHT = {"viewport": {"width": 1280, "height": 900}}
DARK = {**LIGHT, "color_scheme": "dark"}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FOLDER = Path(__file__).resolve().parents[2] / "grader" / "gradebook" / "classpage"
UNFOLD = "() => document.querySelectorAll('details').forEach(one => { one.open = true; })"


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a made-up class of 300."""
    folder = tmp_path_factory.mktemp("class")
    write_class_page(made_class(folder / "results.db"), folder / "results.db", folder / "day2.html")
    return (folder / "day2.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("screen", [LIGHT, DARK, PHONE], ids=["light", "dark", "phone"])
def test_axe_finds_nothing(window: Callable[..., Watched], html: str, screen: dict[str, object]) -> None:
    """No serious and no critical finding, with everything unfolded: names, roles, contrast, order."""
    page = window(html, **screen).page
    page.evaluate(UNFOLD)
    found = Axe().run(page).response["violations"]
    assert [
        f"{one['id']}: {node['html']}"
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ] == []


def test_the_charts_show_the_numbers_of_their_tables(window: Callable[..., Watched], html: str) -> None:
    """A bar for each range of points that has students, with its number; a part of a bar for each outcome."""
    page = window(html, **LIGHT).page
    page.evaluate(UNFOLD)
    points = page.get_by_role("img", name="Histogram of the points.")
    told = page.locator("#points td").all_inner_texts()
    shown = points.locator("text").all_text_contents()
    assert {number for number in told if number != "0"} <= set(shown)

    row = page.locator("#checks tr", has_text="accumulate").first.locator("td").all_inner_texts()
    titles = (
        page.get_by_role("img", name="Bars of each check's outcomes.").locator("title").all_text_contents()
    )
    words = page.locator("#checks thead th").all_inner_texts()[2:-2]
    expected = {f"accumulate: {n} {what}" for n, what in zip(row[1:-2], words, strict=True) if n != "0"}
    assert {title for title in titles if title.startswith("accumulate:")} == expected


def test_the_charts_are_drawn_anew_for_another_width(window: Callable[..., Watched], html: str) -> None:
    """On a phone that is turned, or in a narrow window."""
    page = window(html, viewport={"width": 1000, "height": 800}).page
    chart = page.locator("#points-chart svg")
    wide = int(chart.get_attribute("width") or 0)
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function(
        f"() => Number(document.querySelector('#points-chart svg').getAttribute('width')) < {wide}"
    )
    assert int(chart.get_attribute("width") or 0) <= 500


def test_a_phone_never_scrolls_sideways(window: Callable[..., Watched], html: str) -> None:
    """A table may scroll in its own box, the page does not."""
    page = window(html, **PHONE).page
    page.evaluate(UNFOLD)
    assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360


def test_it_prints_in_dark_letters_without_tools(window: Callable[..., Watched], html: str) -> None:
    """Also where the screen is dark; the charts stay, links and fields that nobody can use go."""
    page = window(html, **DARK).page
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(31, 35, 40)"
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#checks-chart svg").is_visible()
    assert not page.get_by_role("searchbox").is_visible()
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


def test_the_mistakes_of_one_check_by_keyboard(window: Callable[..., Watched], html: str) -> None:
    """Choose the check, unfold its mistake, read who made it."""
    page = window(html, **LIGHT).page
    choice = page.get_by_role("combobox", name="Only those of")
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


def test_a_student_is_found_by_keyboard(window: Callable[..., Watched], html: str) -> None:
    """By a part of the line; the number of those found is said."""
    page = window(html, **LIGHT).page
    field = page.get_by_role("searchbox", name="Find")
    tab_to(page, field)
    page.keyboard.type("no result")
    assert page.locator("#found").inner_text() == "4 of 300"
    assert page.locator("#student-table tbody tr:visible").count() == 4
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    assert page.locator("#student-table tbody tr:visible").count() == 300


def test_the_table_is_sorted_by_keyboard(window: Callable[..., Watched], html: str) -> None:
    """By points as numbers, downwards at the second press."""
    page = window(html, **LIGHT).page
    tab_to(page, page.get_by_role("button", name="Points of 100"))
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    head = page.get_by_role("columnheader", name="Points of 100")
    assert head.get_attribute("aria-sort") == "descending"
    scores = [text for text in page.locator("#student-table tbody td:nth-child(2)").all_inner_texts() if text]
    assert list(map(float, scores)) == sorted(map(float, scores), reverse=True)


def test_without_javascript_everything_but_the_charts_is_there(
    window: Callable[..., Watched], html: str
) -> None:
    """The tables are unfolded, and no tool is shown that would do nothing."""
    without = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL).replace(
        '<html lang="en">', '<html lang="en" data-player="ready">'
    )
    page = window(without, **LIGHT).page
    assert page.locator("#points table").is_visible()
    assert not page.get_by_role("searchbox").is_visible()
    assert page.locator("#student-table tbody tr").count() == 300


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


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts_are_shown_as_text(window: Callable[..., Watched], tmp_path: Path, name: str) -> None:
    """A student's name, an exception in a notebook, a comment of an override: letter by letter, and nothing happens."""
    text = TEXTS[name]
    report = from_json(to_json(report_of(text)))
    report.checks = [replace(check, id=f"check{i} {text}", see="") for i, check in enumerate(report.checks)]
    report = replace(report, assignment=replace(report.assignment, id="day2"))
    assignment = made_class(tmp_path / "results.db", count=20)
    with Store(tmp_path / "results.db") as store:
        for student in (text, "bob"):
            store.keep("a", by(student, HandedIn("day2.ipynb", notes=(text,))), report)
        store.keep_absent("day2", f"zoe {text}", text)
        store.keep_override(Override("day2", "points", text, text, "bob", report.checks[1].id, 1.0))

    write_class_page(assignment, tmp_path / "results.db", tmp_path / "day2.html")

    page = window((tmp_path / "day2.html").read_text(encoding="utf-8"), **LIGHT).page
    page.evaluate(UNFOLD)
    assert not page.evaluate("() => 'owned' in window")
    assert page.locator("img, iframe, object, a[href^=javascript]").count() == 0
    for section in ("#first", "#checks", "#mistakes", "#students", "#checks-chart"):
        shown = page.locator(section).evaluate("one => one.textContent")
        assert text[:8] in shown, f"{section} lacks it"
    own = (
        (tmp_path / "day2-students" / "bob.html")
        .read_text(encoding="utf-8")
        .replace('<html lang="en">', '<html lang="en" data-player="ready">')
    )
    page = window(own, **LIGHT).page
    assert not page.evaluate("() => 'owned' in window")
    assert page.locator(".above").evaluate("one => one.textContent").count(text) >= 2


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


# --- The built script


def test_the_script_fetches_nothing_and_makes_no_code_of_texts() -> None:
    """There is no address but names of namespaces, no way to send, and none to run a text."""
    script = re.sub(r"^/\*.*?\*/", "", (FOLDER / "page.js").read_text(encoding="utf-8"), flags=re.DOTALL)
    addresses = set(re.findall(r"(?:https?|wss?|ftp)://[^\s\"'`)]*", script))
    assert {address for address in addresses if not address.startswith("http://www.w3.org/")} == set()
    assert re.findall(r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|Worker)\b", script) == []
    assert re.findall(r"\beval\(|\bnew Function\b|(?<![.\w])Function\(|\bimport\(", script) == []
    assert re.findall(r"</script|<!--", script, re.IGNORECASE) == []


def test_the_licenses_are_in_the_script() -> None:
    """Each package that is built in wants its text in every copy."""
    head = re.match(r"/\*.*?\*/", (FOLDER / "page.js").read_text(encoding="utf-8"), re.DOTALL)
    assert head
    for name in ("@observablehq/plot", "d3-array", "d3-shape", "Copyright 2020-2025 Observable, Inc."):
        assert name in head[0]

"""A day's page in a browser, with the real Python behind it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import cells, notebook
from playerpages import serious_findings
from sampled import every
from site_pages import (
    DAYS,
    DOORS,
    WRONG,
    Served,
    Visit,
    code_cell,
    kept,
    open_file,
    points,
    run,
    type_into,
    work,
)

from grader.assignment import Course
from grader.grading.grader import grade
from grader.sandbox import Launcher
from grader.site.folder import make_site, write_site
from grader.site.serve import open_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.ci
FOCUSED = "() => document.activeElement.getAttribute('aria-label')"


def check_all(page: Page) -> str:
    page.get_by_role("button", name="Check all").click()
    page.locator("#results .waiting").wait_for(state="detached")
    page.locator("#results > *").first.wait_for()
    return page.locator("#results").inner_text()


# --- The same verdict


@pytest.mark.parametrize("edit", ["", WRONG])
def test_the_verdicts_are_those_of_the_command(page: Page, served: Served, tmp_path: Path, edit: str) -> None:
    """Outcome and points of every check; and what is wrong is said with the picture of the student's own graph."""
    edits = {
        WRONG: [(WRONG, "self.grad += self.data * out.grad")],
        "product_order = ": [("product_order = ", "order = ")],
    }
    text = work("day2", *edits.get(edit, []))
    open_file(page, text)

    told = check_all(page)

    assignment = Course(served.course).assignment("day2")
    (path := tmp_path / "mine.ipynb").write_text(text, encoding="utf-8")
    hidden = assignment.solutions / "checks"
    with Launcher() as launcher:
        for file in hidden.glob("test_*.py"):  # the page has the visible checks alone
            file.rename(file.with_suffix(".away"))
        try:
            report = grade(assignment, path, launcher, allow_weak_isolation=True)
        finally:
            for file in hidden.glob("test_*.away"):
                file.rename(file.with_suffix(".py"))
    results = {name: (one["outcome"], one["score"]) for name, one in kept(page, "day2")["results"].items()}
    assert results == {check.id: (str(check.outcome), check.score) for check in report.checks}
    assert f"{report.score:g} of 100 points" in told
    if edit == WRONG:
        assert "a.grad += a.data * out.grad" in told
        page.locator("#results").get_by_role("button", name="line ").first.click()
        assert page.locator(".spoken-of").inner_text().strip() == "self.grad += self.data * out.grad"
        assert (page.evaluate(FOCUSED) or "").startswith("Code cell ")
        player = page.locator("#results iframe").content_frame
        player.get_by_role("button", name="First wrong step").wait_for()
        # The others are looked at below.
        assert serious_findings(page, {"exclude": [".edit", "#lesson > .cell:not(:has(.ask))"]}) == []


# --- Code that does not end, or ends Python


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("total = 0\nwhile True:\n    total += 1", "it ran for more than 2 seconds. It stood in line"),
        pytest.param(
            "while True:\n    try:\n        1 / 0\n    except:\n        pass",
            "it ran for more than 2 seconds",
            marks=pytest.mark.whole,
        ),
        ("def f(): return f()\nf()", "RecursionError"),
        ("input()", "There is no keyboard here: write a value in place of input()."),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_cell_ends(page: Page, source: str, told: str) -> None:
    """What others have defined is still there."""
    cell = code_cell(page, 1)
    run(cell, "a = 41")
    run(cell, source)

    assert told in cell.locator(".error").inner_text()
    run(cell, "print(a + 1)")
    assert cell.locator(".output").inner_text().strip() == "42"


def test_python_begins_anew_where_memory_is_full(page: Page) -> None:
    """The page says so with the line, and the cells run again that had run, an earlier text of this one not."""
    first, other = code_cell(page, 1), code_cell(page, 2)
    run(first, "a = 41")
    run(other, "b = 1")

    run(other, "def fill():\n    raise MemoryError\nfill()")

    told = other.locator(".output").inner_text()
    assert told == (
        "This cell ran out of memory, so Python starts again. It stood in line 2: raise MemoryError"
    )
    run(other, "print(a + 1, 'b' in dir())")
    assert other.locator(".output").inner_text().strip() == "42 False"


def test_stop_ends_python_which_begins_again(page: Page) -> None:
    """The lesson and the points stay, and the cells run again."""
    first, other, before = code_cell(page, 1), code_cell(page, 2), points(page)
    run(first, "a = 41")

    type_into(other, "while True:\n    pass")
    other.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Stop").click()
    other.get_by_text("Stopped.").wait_for()
    assert "Day 2: the backward pass" in page.locator("#lesson").inner_text()
    assert points(page) == before  # what is pressed before Python is there happens then
    run(other, "print(a + 2)")
    assert other.locator(".output").inner_text().strip() == "43"


def test_a_loop_in_the_engine_is_told_at_its_check(page: Page) -> None:
    """As `grade` tells it: the limit and the line."""
    open_file(
        page,
        work(
            "day2",
            (
                "out = Value(self.data + other.data",
                "while True: pass\\n        out = Value(self.data + other.data",
            ),
        ),
    )

    page.get_by_role("button", name="Check add_rule").click()

    told = page.locator(".feedback").first.inner_text()
    assert "check_seconds" in told
    assert "while True: pass" in told


def test_an_operator_that_calls_itself_is_told(page: Page) -> None:
    """It takes much more of the browser's stack than a function, and Python goes on all the same."""
    open_file(page, work("day2", ("return self + other", "return other + self")))

    page.get_by_role("button", name="Check add_rule").click()

    told = page.locator(".feedback").first.inner_text()
    assert "RecursionError" in told
    assert "return other + self" in told


@pytest.mark.whole
def test_checks_leave_nothing_behind(page: Page) -> None:
    """The worker lives as long as the page: what a check leaves would make each later one slower."""
    open_file(page, work("day2"))
    cell = code_cell(page, 1)
    run(cell, "print(1)")  # imports what the output of a cell needs
    counts = []
    for _ in range(2):
        check_all(page)
        check_all(page)
        run(cell, "import gc\nprint(len(gc.get_objects()) + gc.get_freeze_count())")
        counts.append(int(cell.locator(".output").inner_text()))
    before, after = counts
    assert after < 1.02 * before


# --- Nothing is lost


def test_what_is_typed_is_there_again(visit: Callable[..., Visit]) -> None:
    """A second tab shows it, and takes it over when asked; then the first one is locked. Neither overwrites."""
    one = visit()
    first = one.open("day1.html", ready=False)
    type_into(code_cell(first, 1), "mine = 1")
    first.reload()
    assert code_cell(first, 1).locator(".cm-content").inner_text() == "mine = 1"
    second = one.open("day1.html", ready=False)
    second.get_by_text("This day is open in another tab").wait_for()
    assert code_cell(second, 1).locator(".cm-content").inner_text() == "mine = 1"
    assert code_cell(second, 1).locator(".cm-content").get_attribute("contenteditable") == "false"

    second.get_by_role("button", name="Work here instead").click()

    first.get_by_text("This day is open in another tab").wait_for()
    second.get_by_text("This day is open in another tab").wait_for(state="hidden")
    type_into(code_cell(second, 1), "mine = 2")
    second.reload()
    assert code_cell(second, 1).locator(".cm-content").inner_text() == "mine = 2"


def test_a_browser_that_keeps_nothing(visit: Callable[..., Visit]) -> None:
    """The page says so at once, and works."""
    one = visit()
    one.context.add_init_script(
        "Object.defineProperty(window, 'indexedDB', {get() { throw new Error('no'); }})"
    )
    page = one.open("day1.html", ready=False)

    page.get_by_text("This browser does not keep your work").wait_for()
    type_into(code_cell(page, 1), "mine = 1")


def test_python_that_does_not_arrive_is_told(visit: Callable[..., Visit]) -> None:
    """Also to who presses a button; reading and writing go on."""
    one = visit()
    page = one.context.new_page()
    page.route("**/files/packages.*", lambda route: route.fulfill(status=503))
    page.goto(one.served.address + "day1.html")
    page.get_by_text("Python did not start: ").wait_for()

    assert "Python does not run: " in check_all(page)

    type_into(code_cell(page, 1), "mine = 1")


def test_page_file_page(page: Page) -> None:
    """A saved notebook holds every cell; opened again it gives the same file. A cell of the student's own stays."""
    opened = json.loads(work("day2"))
    opened["cells"].insert(1, {**opened["cells"][0], "id": "x" * 8, "source": "my_own = 1"})
    open_file(page, json.dumps(opened))
    first = saved(page)
    open_file(page, first)

    assert saved(page) == first
    sources = ["".join(cell["source"]) for cell in json.loads(first)["cells"]]
    assert "my_own = 1" in sources
    assert set(cells("day2")) <= set(sources)


def saved(page: Page) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save notebook").click()
    assert download.value.suggested_filename == "day2_backward_pass.ipynb"
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "This file is not a notebook, because it is not JSON."),
        ('{"cells": 3}', "This file is not a notebook, because it has no cells."),
        (
            notebook("x = 1", backgrade={"assignment": "day1"}),
            "This notebook is of day1, and this page is of day2.",
        ),
    ],
)
def test_what_is_no_notebook_of_the_day_changes_nothing(page: Page, text: str, told: str) -> None:
    before = page.locator("#lesson").inner_text()

    open_file(page, text, refused=True)

    page.get_by_text(told).wait_for()
    assert page.locator("#lesson").inner_text() == before


def test_reset_hints_and_progress(page: Page, lasting: Visit) -> None:
    """A reset is undone; hints come one at a time and are remembered; the start page shows how far it is."""
    type_into(code_cell(page, 1), "mine = 1")
    page.get_by_role("button", name="Reset the day").click()
    assert code_cell(page, 1).locator(".cm-content").inner_text() == "import math"
    page.get_by_role("button", name="Undo").click()
    assert code_cell(page, 1).locator(".cm-content").inner_text() == "mine = 1"

    for given in (1, 2):
        page.get_by_role("button", name="Hint for add_rule").click()
        assert page.locator(".hints li").count() == given
    assert len(kept(page, "day2")["hints"]["add_rule"]) == 2

    open_file(page, work("day2"))
    check_all(page)
    start = lasting.open("index.html", ready=False)
    start.get_by_text("100 of 100 points at the last check").wait_for()
    start.close()


def test_the_first_hint_is_about_what_was_found(page: Page) -> None:
    """Until the text changes: then it is the author's first one."""
    open_file(page, work("day2", (WRONG, "self.grad += self.data * out.grad")))
    check_all(page)
    hints = page.locator(".hints li")

    page.get_by_role("button", name="Hint for swap_rule").click()
    assert "upstream gradient of 10" in hints.inner_text()

    type_into(code_cell(page, 1), "mine = 1")
    page.get_by_role("button", name="Hint for swap_rule").click()
    found, written = hints.all_inner_texts()
    assert "upstream gradient of 10" in found
    assert "upstream gradient of 10" not in written


# --- Without a network, and with a new release


def test_it_opens_without_a_network(page: Page, lasting: Visit) -> None:
    """Once it was there: the lesson, Python, and the checks."""
    page.evaluate("() => navigator.serviceWorker.ready.then(() => null)")
    lasting.context.set_offline(offline=True)
    try:
        page.reload()

        page.get_by_text("Python is ready.").wait_for()
        assert "0 of 100 points" in check_all(page)
    finally:
        lasting.context.set_offline(offline=False)
    assert points(page) == "0 of 100 points"


def test_a_new_release_is_offered(
    browser: Browser, windows: object, served: Served, archives: Path, tmp_path: Path
) -> None:
    """It is loaded when the reader wants it, with the work that is there; this one says where to hand in."""
    folder = tmp_path / "site"
    shutil.copytree(served.folder, folder)
    for file in folder.rglob("*"):
        os.utime(file, (0, 0))  # a browser keeps for a while what has not changed for years
    with open_server(folder) as server, browser.new_context() as context:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        one = Visit(context, Served(served.course, folder, f"http://127.0.0.1:{server.server_address[1]}/"))
        context.add_init_script("window.prompt = () => 'ada l'")
        page = one.open("day1.html", ready=False)
        # As the page does once Python is there, for which this need not wait.
        page.evaluate("() => navigator.serviceWorker.register('sw.js')")
        page.evaluate("() => navigator.serviceWorker.ready.then(() => null)")
        type_into(code_cell(page, 1), "mine = 1")
        page.unroute_all()
        address = "https://example.org/{day}-{github}/upload"
        write_site(make_site(Course(served.course), DAYS, archives, address), folder)

        page.reload()
        page.get_by_role("button", name="Load it").click()

        page.get_by_role("button", name="Load it").wait_for(state="detached")
        assert code_cell(page, 1).locator(".cm-content").inner_text() == "mine = 1"
        page.get_by_role("button", name="Save notebook").click()
        link = page.get_by_role("link", name="Open the hand-in page")
        assert link.get_attribute("href") == "https://example.org/day1-ada%20l/upload"
        one.is_clean()
        server.shutdown()


# --- It sends nothing


def test_python_reaches_nobody(page: Page) -> None:
    """No way of the browser's or of Python's to another origin; a listener hears nothing."""
    heard: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        threading.Thread(target=lambda: heard.append(listener.accept()), daemon=True).start()
        cell = code_cell(page, 1)
        run(cell, "await_less = str\n" + DOORS.replace("ADDRESS", address))
        told = cell.locator(".output").inner_text()
        page.wait_for_timeout(500)
        assert heard == []
    for door in (
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "EventSource",
        "importScripts",
        "Worker",
        "indexedDB",
        "caches",
        "locks",
        "storage",
        "storageBuckets",
        "serviceWorker",
    ):
        assert f"{door} None" in told or f"{door} undefined" in told, told
    assert told.count("refused") >= 2


def test_a_hostile_notebook_is_inert(page: Page) -> None:
    """Its text, outputs and pictures are text, wherever they stand."""
    bad = "<img src=x onerror='document.title=\"owned\"'><script>document.title='owned'</script>"
    text: Any = json.loads(notebook(bad, bad, kinds={1: "markdown"}))
    text["cells"][1]["outputs"] = [
        {"output_type": "display_data", "data": {"text/html": bad}, "metadata": {}}
    ]
    open_file(page, json.dumps(text))
    cell = code_cell(page, 1)
    run(
        cell,
        f"print({bad!r})\nclass P:\n    def _repr_svg_(self): return '<svg onload=\"alert(1)\">' + {bad!r}\nP()",
    )

    cell.locator("img").wait_for()
    assert "owned" not in page.title()
    assert bad in cell.locator("pre").inner_text()


EXCHANGED = """
import grader.site.desk as desk
refuse, write = desk.refuse_other_notebook, desk.line_in_html
def refuse_once(*_):
    desk.refuse_other_notebook = refuse
    raise desk.Refused("")
def write_once(_):
    desk.line_in_html = write
    return '<p>forged</p><MeTa http-equiv="refresh" content="0;url=index.html"><LinK rel=prefetch href="//example.org">'
desk.refuse_other_notebook, desk.line_in_html = refuse_once, write_once
"""


@pytest.mark.ci
def test_feedback_leads_nowhere(page: Page) -> None:
    """A notebook of somebody else's can exchange what the grader says, in Python's own process."""
    address = page.url
    open_file(page, notebook(EXCHANGED))
    run(code_cell(page, 1), EXCHANGED)
    page.get_by_role("button", name="Check all").click()

    page.locator("#results").get_by_text("forged").wait_for()
    page.wait_for_timeout(300)
    assert page.url == address


# --- Everybody can read it


OF_COLOURS = ["color-contrast", "link-in-text-block"]  # axe's rules that ask for them
# Mark each editor whose code has no colour that is not in an earlier one.
MARK_ALIKE = """() => {
    const seen = new Set();
    for (const edit of document.querySelectorAll(".edit")) {
        const before = seen.size;
        for (const part of edit.querySelectorAll(".cm-line, .cm-line *")) {
            const {color, backgroundColor, fontSize, fontWeight, opacity} = getComputedStyle(part);
            const line = part.closest(".cm-line").className;
            const short = part.textContent.trim().length < 2; // axe does not judge these
            seen.add([line, part.className, color, backgroundColor, fontSize, fontWeight, opacity, short].join());
        }
        edit.toggleAttribute("data-alike", seen.size === before);
    }
}"""


def test_axe_finds_nothing(page: Page, lasting: Visit) -> None:
    """No serious and no critical finding, in light and dark; nothing is wider than a phone."""
    start = lasting.open("index.html", ready=False)
    for one in (start, page):
        window = one.viewport_size
        assert serious_findings(one, rules={rule: {"enabled": False} for rule in OF_COLOURS}) == []
        try:
            for scheme in every(2, ("dark", "light")):
                one.emulate_media(color_scheme=scheme)
                one.evaluate(MARK_ALIKE)
                assert serious_findings(one, {"exclude": ["[data-alike]"]}, runOnly=OF_COLOURS) == []
            one.set_viewport_size({"width": 360, "height": 740})
            assert one.evaluate("() => document.scrollingElement.scrollWidth - innerWidth") <= 0
        finally:
            one.set_viewport_size(window)
            one.emulate_media(color_scheme="light")
    start.close()


def test_the_keyboard_alone(page: Page) -> None:
    """Skip the head, type into a cell, run it, leave it."""
    page.get_by_role("link", name="Skip to the lesson").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('#lesson') !== null")

    cell = code_cell(page, 1)
    cell.locator(".cm-content").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("print(6 * 7)")
    page.keyboard.press("Control+Enter")
    cell.get_by_text("42", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Run code cell 1"

    cell.locator(".cm-content").focus()
    page.keyboard.press("Shift+Enter")
    assert page.evaluate(FOCUSED) == "Code cell 2"
    page.keyboard.press("Control+S")
    page.get_by_text("Your work is kept in this browser at each keystroke.").wait_for()

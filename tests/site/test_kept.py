"""Work on a day's page is never lost: undo and redo, what the browser keeps, the reminder of a file. No Python is needed."""

from __future__ import annotations

import json
import re
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import COURSE
from site_pages import Served, code_cell, kept, open_file, type_into

from grader.assignment import Course
from grader.render.htmlpage import page_style
from grader.site.pages import PAGE, SCRIPTS, STYLE, day_page
from grader.site.serve import open_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Locator, Page
    from site_pages import Visit

NOON = datetime(2025, 12, 1, 12, 0, tzinfo=UTC)
# Count how often the browser is asked to keep the storage.
COUNT_ASKED = """
window.asked = 0;
navigator.storage.persisted = async () => false;
navigator.storage.persist = async () => { window.asked += 1; return true; };
"""

# Take out of the kept work what earlier versions did not keep.
FORGET = """() => new Promise(resolve => {
    indexedDB.open("backgrade", 1).onsuccess = ({target}) => {
        const all = target.result.transaction("work", "readwrite").objectStore("work");
        all.openCursor().onsuccess = ({target: {result: found}}) => {
            const {given, ...work} = found.value;
            found.update(work).onsuccess = resolve;
        };
    };
})"""


def released(change: Callable[[list[dict[str, Any]]], object] = list) -> str:
    """The page of day 1, with its cells changed and numbered anew, as `grade stub` numbers them."""
    day = Course(COURSE).assignment("day1")
    notebook = json.loads(day.stub.read_bytes())
    change(notebook["cells"])
    for number, cell in enumerate(notebook["cells"], start=1):
        cell["id"] = f"day1-{number:02}"
    names = {name: f"files/{name}" for name in (*SCRIPTS, STYLE)}
    runtime = dict.fromkeys(("script", "packages", "course"), "x") | {"bytes": 1}
    data = {
        "worker": names["worker.js"],
        "runtime": runtime,
        "hand_in": "",
        "file": "x",
        "player": "",
        "needs": [],
    }
    return day_page(day, json.dumps(notebook).encode(), names, data)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page of day 1 with its scripts, and without the runtime, which takes long to pack."""
    folder = tmp_path_factory.mktemp("page")
    names = {name: f"files/{name}" for name in (*SCRIPTS, STYLE)}
    (folder / "files").mkdir()
    for name, address in names.items():
        style = page_style().encode() if name == STYLE else b""
        (folder / address).write_bytes(style + (PAGE / name).read_bytes())
    (folder / "day1.html").write_text(released(), encoding="utf-8")
    with open_server(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Served(COURSE, folder, f"http://127.0.0.1:{server.server_address[1]}/")
        server.shutdown()


@pytest.fixture
def day1(visit: Callable[..., Visit]) -> Page:
    """Day 1, untouched, without Python."""
    one = visit()
    one.context.add_init_script(COUNT_ASKED)
    return one.open("day1.html", ready=False)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def texts(page: Page, *numbers: int) -> list[str]:
    return [code_cell(page, number).locator(".cm-content").inner_text() for number in numbers]


def test_undo_takes_back_the_reset_alone(day1: Page) -> None:
    """What was written in other cells stays, what was written in the same one comes back with Redo; also after a reload."""
    type_into(code_cell(day1, 1), "before = 1")
    press(day1, "Reset code cell 1")
    (as_given,) = texts(day1, 1)
    for number, text in ((1, "after = 1"), (2, "other = 2"), (3, "third = 3")):
        type_into(code_cell(day1, number), text)

    press(day1, "Undo")
    assert texts(day1, 1, 2, 3) == ["before = 1", "other = 2", "third = 3"]

    day1.reload()
    press(day1, "Redo")
    assert texts(day1, 1, 2, 3) == ["after = 1", "other = 2", "third = 3"]
    assert as_given not in texts(day1, 1, 2, 3)
    press(day1, "Undo")
    assert texts(day1, 1, 2, 3) == ["before = 1", "other = 2", "third = 3"]


@pytest.mark.ci
def test_undo_of_a_whole_day_loses_nothing(day1: Page) -> None:
    """Each press of Redo and Undo brings back all texts of that side, those typed since the reset, too."""
    type_into(code_cell(day1, 1), "before = 1")
    press(day1, "Reset the day")
    type_into(code_cell(day1, 1), "after = 1")
    type_into(code_cell(day1, 2), "other = 2")

    press(day1, "Undo")
    assert texts(day1, 1, 2) == ["before = 1", "other = 2"]
    press(day1, "Redo")
    assert texts(day1, 1, 2) == ["after = 1", "other = 2"]


@pytest.mark.ci
def test_undo_brings_back_a_cell_of_the_students_own(day1: Page) -> None:
    """At its place; a second file that was opened comes back with Redo."""
    opened = json.loads(Course(COURSE).assignment("day1").stub.read_text(encoding="utf-8"))
    opened["cells"][2:2] = [{**opened["cells"][1], "id": f"mine-{n}", "source": f"own = {n}"} for n in (1, 2)]
    open_file(day1, json.dumps(opened))
    first = kept(day1, "day1")["cells"]
    press(day1, "Reset code cell 2")
    type_into(code_cell(day1, 2), "own = 22")

    press(day1, "Undo")
    assert texts(day1, 1, 2, 3)[1:] == ["own = 1", "own = 22"]
    press(day1, "Undo")
    assert "own = 1" not in texts(day1, 1, 2)
    press(day1, "Redo")
    now = kept(day1, "day1")["cells"]
    assert [cell["id"] for cell in now] == [cell["id"] for cell in first]
    assert texts(day1, 2, 3) == ["own = 1", "own = 22"]


@pytest.mark.ci
def test_work_of_an_earlier_version_is_undone(day1: Page) -> None:
    """It kept the whole cells before each reset."""
    type_into(code_cell(day1, 1), "now = 1")
    day1.evaluate(
        """() => new Promise(resolve => {
            indexedDB.open("backgrade", 1).onsuccess = ({target}) => {
                const all = target.result.transaction("work", "readwrite").objectStore("work");
                all.openCursor().onsuccess = ({target: {result: found}}) => {
                    const {redo, ...work} = found.value;
                    const before = work.cells.map(cell => cell.source === "now = 1" ? {...cell, source: "old = 1"} : cell);
                    found.update({...work, undo: [before]}).onsuccess = resolve;
                };
            };
        })"""
    )

    day1.reload()
    press(day1, "Undo")
    assert texts(day1, 1) == ["old = 1"]
    press(day1, "Redo")
    assert texts(day1, 1) == ["now = 1"]


def test_work_that_cannot_be_read_is_not_overwritten(day1: Page) -> None:
    """The page says that it keeps nothing; what was there is there when it can be read again."""
    type_into(code_cell(day1, 1), "mine = 1")
    day1.get_by_text("kept in this browser,").wait_for()
    two = day1.context.new_page()
    day1.close()
    two.route("**/files/worker.*", lambda _: None)
    two.add_init_script("IDBObjectStore.prototype.get = () => { throw new Error('not now'); };")
    two.goto(day1.url)
    two.get_by_text("This browser does not keep your work").wait_for()
    type_into(code_cell(two, 1), "other = 2")

    three = day1.context.new_page()
    two.close(run_before_unload=False)
    three.route("**/files/worker.*", lambda _: None)
    three.goto(day1.url)
    three.locator("html[data-page=drawn]").wait_for()
    assert texts(three, 1) == ["mine = 1"]


@pytest.mark.ci
def test_the_page_says_when_the_work_was_kept(day1: Page) -> None:
    """The browser is asked for lasting storage after the first edit, once."""
    assert day1.locator("#kept").inner_text() == ""
    assert day1.evaluate("() => window.asked") == 0

    day1.clock.set_fixed_time(NOON)
    type_into(code_cell(day1, 1), "mine = 1")
    type_into(code_cell(day1, 2), "mine = 2")

    time = day1.evaluate("() => new Date().toTimeString().slice(0, 5)")
    day1.get_by_text(f"kept in this browser, {time}").wait_for()
    assert day1.evaluate("() => window.asked") == 1


@pytest.mark.ci
def test_it_reminds_once_after_a_day_without_a_file(day1: Page) -> None:
    """A saved file begins the day anew."""
    told = day1.get_by_text("You have not saved your work as a file for over a day.")
    day1.clock.set_fixed_time(NOON)
    type_into(code_cell(day1, 1), "mine = 1")
    type_into(code_cell(day1, 1), "mine = 2")
    assert told.count() == 0

    day1.clock.set_fixed_time(NOON.replace(day=2, hour=13))
    day1.reload()
    told.wait_for()
    day1.reload()
    type_into(code_cell(day1, 1), "mine = 3")
    day1.get_by_text("kept in this browser").wait_for()
    assert told.count() == 0

    with day1.expect_download():
        press(day1, "Save notebook")
    type_into(code_cell(day1, 1), "mine = 4")
    day1.clock.set_fixed_time(NOON.replace(day=3, hour=14))
    type_into(code_cell(day1, 1), "mine = 5")
    told.wait_for()
    with day1.expect_download():
        press(day1, "Save notebook now")
    assert told.count() == 0


def cell(source: str, kind: str = "code") -> dict[str, Any]:
    rest = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": [source], **rest}


def new_release(cells: list[dict[str, Any]]) -> None:
    """Other cells: two new ones, a new text of one that the student wrote in and of one that they left, one taken out."""
    left, written = (
        next(one for one in cells if "".join(one["source"]).startswith(f"def {name}"))
        for name in ("leaves_of", "negative")
    )
    for one in (left, written):
        one["source"] = ["".join(one["source"]).replace('"""', '"""New: ', 1)]
    del cells[11]
    cells[2:2] = [cell("## New", "markdown"), cell("def doubled(x):\n    ...")]


def stub(change: Callable[[list[dict[str, Any]]], object]) -> list[str]:
    """The sources of day 1 after a change."""
    cells = json.loads(Course(COURSE).assignment("day1").stub.read_bytes())["cells"]
    change(cells)
    return ["".join(one["source"]) for one in cells]


def cell_with(page: Page, name: str) -> Locator:
    """The section of the cell that defines a name."""
    return page.locator(".cell:has(.cm-content)").filter(has_text=re.compile(f"(class|def) {name}")).first


def saved(page: Page) -> list[str]:
    """The sources of the cells of the notebook that the page saves."""
    with page.expect_download() as download:
        press(page, "Save notebook")
    return [
        "".join(one["source"])
        for one in json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["cells"]
    ]


@pytest.mark.parametrize(
    "forget", ["", pytest.param(FORGET, marks=pytest.mark.ci)], ids=["noted", "of an earlier version"]
)
def test_a_new_release_of_a_day_keeps_what_was_written(day1: Page, forget: str) -> None:
    """Cells that came are there, in the page and in the saved notebook; those that the student left have the new text.

    An earlier version did not note what the cells were given with: it gives no new text, and takes no cell out.
    """
    opened = json.loads(Course(COURSE).assignment("day1").stub.read_text(encoding="utf-8"))
    opened["cells"][2:2] = [{**opened["cells"][1], "id": "mine", "source": "own = 1"}]
    open_file(day1, json.dumps(opened))
    own = {"Value": "class Value:\n    mine = 1", "negative": "def negative(self):\n    return 1"}
    back = "def leaves_of(root):\n    return 1"
    for name, text in {**own, "leaves_of": back}.items():
        type_into(cell_with(day1, name), text)
    cell_with(day1, "leaves_of").get_by_role("button", name="Reset").click()
    was = saved(day1)
    if forget:
        day1.evaluate(forget)

    day1.route(
        "**/day1.html", lambda route: route.fulfill(body=released(new_release), content_type="text/html")
    )
    day1.reload()
    day1.get_by_text("This day has changed").wait_for()
    day1.locator("html[data-page=drawn]").wait_for()

    now = saved(day1)
    for text in ("## New", "def doubled(x):\n    ...", "own = 1", *own.values()):
        assert now.count(text) == 1, text
    assert [text for text in was if text in now] == [text for text in now if text in was]
    if not forget:
        assert [text for text in now if text not in ("own = 1", *own.values())] == [
            text for text in stub(new_release) if not text.startswith(("class Value", "def negative"))
        ]
    shown = day1.locator("[data-cell]").evaluate_all("all => all.map(one => one.dataset.cell)")
    assert shown == [one["id"] for one in kept(day1, "day1")["cells"]]

    press(day1, "Undo")
    with_undo = saved(day1)
    assert [text for text in with_undo if text not in now] == [back]
    assert with_undo[with_undo.index(back) + 1] == 'check("read_back")'
    day1.reload()
    day1.locator("html[data-page=drawn]").wait_for()
    assert day1.get_by_text("This day has changed").count() == 0
    assert saved(day1) == with_undo


@pytest.mark.ci
def test_a_file_of_an_earlier_release_loses_no_cell(day1: Page) -> None:
    """There the id of the student's cell was that of a text of today."""
    mine = "class Value:\n    mine = 1"
    open_file(day1, json.dumps({"cells": [{"id": "day1-04", "cell_type": "code", "source": mine}]}))

    assert [one["id"] for one in kept(day1, "day1")["cells"] if one["source"] == mine] == ["day1-05"]

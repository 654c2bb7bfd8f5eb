"""What the tests do with a day's page of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from helpers import cells, notebook
from playerpages import LONGEST

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Locator, Page

DAYS = ("day1", "day2")  # of the site that is served
WRONG = "self.grad += other.data * out.grad"
# Ways out of a page, tried from Python.
DOORS = """
import js
from pyodide.code import run_js
for door in ("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "importScripts", "Worker", "indexedDB", "caches"):
    print(door, getattr(js, door, None))
for door in ("locks", "storage", "storageBuckets", "serviceWorker"):
    print(door, getattr(js.navigator, door, None))
for source in ("import('ADDRESS/x.mjs')", "new Function('return 1')()", "navigator.sendBeacon('ADDRESS/b')"):
    try:
        print(await_less(run_js(source)))
    except BaseException as error:
        print("refused", type(error).__name__)
import urllib.request
try:
    urllib.request.urlopen("ADDRESS/u")
except BaseException as error:
    print("refused", type(error).__name__)
"""
READ = """key => new Promise((resolve, reject) => {
    const opened = indexedDB.open("backgrade", 1);
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
        const all = opened.result.transaction("work").objectStore("work");
        const keys = all.getAllKeys();
        keys.onsuccess = () => {
            const found = all.get(keys.result.find(name => name.endsWith(key)));
            found.onsuccess = () => resolve(found.result);
        };
    };
})"""


class Served(NamedTuple):
    """A course, its site, and the address at which the site is served."""

    course: Path
    folder: Path
    address: str


class Visit:
    """A browser with nothing kept in it, and its pages; `asked` has the addresses that they asked for."""

    def __init__(self, context: BrowserContext, served: Served) -> None:
        self.context, self.served = context, served
        self.asked: list[str] = []
        self.errors: list[str] = []
        context.set_default_timeout(LONGEST)
        context.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: str, *, ready: bool = True) -> Page:
        """Open a page; with `ready` wait for Python, and without it Python never arrives, which takes a core."""
        page = self.context.new_page()
        if not ready:
            page.route("**/files/worker.*", lambda _: None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.goto(self.served.address + path)
        if path.startswith("day"):
            page.locator("html[data-page=drawn]").wait_for()
        if ready:
            page.get_by_text("Python is ready.").wait_for()
        return page

    def is_clean(self) -> None:
        """No page had an error or asked for anything outside of the site."""
        assert self.errors == []
        own = (self.served.address, "blob:", "data:")
        assert [address for address in self.asked if not address.startswith(own)] == []


def code_cell(page: Page, number: int) -> Locator:
    """The section of a cell with an editor, by its number among these."""
    return page.locator(".cell:has(.cm-content)").nth(number - 1)


def type_into(cell: Locator, text: str) -> None:
    """Replace what a cell holds, as if it was pasted."""
    content = cell.locator(".cm-content")
    content.focus()
    content.press("Control+A")
    content.page.keyboard.insert_text(text)


def run(cell: Locator, text: str) -> None:
    """Replace what a cell holds, run it, and wait until it has run."""
    type_into(cell, text)
    output = cell.locator(".output")
    output.evaluate("element => element.replaceChildren()")
    cell.get_by_role("button", name="Run").click()
    output.locator("> :not(.waiting)").first.or_(output.locator("xpath=self::*[not(*)]")).first.wait_for(
        state="attached"
    )
    output.locator(".waiting").wait_for(state="detached")


def open_file(page: Page, text: str, *, refused: bool = False) -> None:
    """Open a notebook with this text; wait until it is there, unless it is refused."""
    file = {"name": "mine.ipynb", "mimeType": "application/x-ipynb+json", "buffer": text.encode()}
    page.locator("#status").evaluate("element => element.replaceChildren()")
    page.locator("#file").set_input_files(files=[file])  # type: ignore[list-item]
    if not refused:
        page.get_by_text("mine.ipynb is open.").wait_for()


def points(page: Page) -> str:
    """The day's points, as the page's head has them."""
    return page.locator("#points").inner_text()


def kept(page: Page, day: str) -> dict[str, Any]:
    """What the browser keeps of a day."""
    found: dict[str, Any] = page.evaluate(READ, f"/{day}")
    return found


def work(day: str, *edits: tuple[str, str]) -> str:
    """The reference of a day as somebody else's notebook would have it, with edits."""
    text = notebook(*cells(day))
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text

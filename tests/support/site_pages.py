"""What the tests do with a day's page of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

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


def open_file(page: Page, text: str) -> None:
    """Open a notebook with this text."""
    file = {"name": "mine.ipynb", "mimeType": "application/x-ipynb+json", "buffer": text.encode()}
    page.locator("#file").set_input_files(files=[file])  # type: ignore[list-item]


def points(page: Page) -> str:
    """The day's points, as the page's head has them."""
    return page.locator("#points").inner_text()


def kept(page: Page, day: str) -> dict[str, Any]:
    """What the browser keeps of a day."""
    found: dict[str, Any] = page.evaluate(READ, f"/{day}")
    return found

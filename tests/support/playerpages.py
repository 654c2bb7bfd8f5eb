"""Pages with the player, watched in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Dialog

LONGEST = 20_000  # milliseconds that anything on a page may take on a busy machine


class Watched:
    """A page from a file. `faults` has what it did wrong: requests, dialogs, errors, refusals of its policy."""

    def __init__(self, browser: Browser, file: Path, settings: dict[str, Any]) -> None:
        self.file, self.faults = file, []
        self.context = browser.new_context(**{"reduced_motion": "reduce", **settings})
        self.context.set_default_timeout(LONGEST)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("dialog", self._dialog)
        self.page.on("popup", lambda popup: self.faults.append(f"window {popup.url}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        self.page.on("console", lambda line: self._logged(line.type, line.text))
        self.open()

    def open(self) -> None:
        """Load the page, or load it anew, and wait until the player is there."""
        self.page.goto(self.file.as_uri())
        self.page.locator("html[data-player=ready]").wait_for()

    def _asked(self, url: str) -> None:
        if url.partition("#")[0] != self.file.as_uri():
            self.faults.append(f"request {url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _logged(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.faults.append(f"{kind} {text}")

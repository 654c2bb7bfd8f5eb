"""One browser for all tests of the player: Debian's Chromium, driven by Playwright, on pages from files.

A page may ask for nothing but its own file, and raise and log no error: `pages` watches every page that it opens.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playerpages import Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; tests are skipped where it or Playwright is missing."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install -e '.[test]'"
    )
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium on PATH: install the system package chromium")
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0  # for whom Chromium has no sandbox
    with playwright.sync_playwright() as driver:
        loop = asyncio._get_running_loop()
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if as_root else [])
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def pages(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """A function that opens a page from its HTML; at the end no page has done what it may not."""
    opened: list[Watched] = []

    def open_page(html: str, name: str = "page.html", **settings: Any) -> Watched:
        file = tmp_path / name
        file.write_text(html, encoding="utf-8")
        opened.append(Watched(browser, file, settings))
        return opened[-1]

    loop = browser._loop
    asyncio._set_running_loop(loop)
    yield open_page
    faults = [fault for watched in opened for fault in watched.faults]
    for watched in opened:
        watched.context.close()
    # Playwright leaves its loop marked as the thread's: the next test of this worker may run another.
    asyncio._set_running_loop(None)
    assert faults == []

"""One browser for all tests of pages: Debian's Chromium, driven by Playwright, on pages from files.

A page may ask for nothing but its own file, and may log no error: `pages` watches every page that it opens.
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

    from playwright.sync_api import Browser, Page

PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)  # the first starts fastest
# The pages of tests do not live long enough to gain by compiling WebAssembly a second time.
QUICK = "--js-flags=--liftoff-only"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser. Tests are skipped where it or Playwright is missing."""
    reason = "Playwright is not installed: pip install -e '.[test]'"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("there is no Chromium on PATH: install the system package chromium-headless-shell")
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0  # for whom Chromium has no sandbox
    with playwright.sync_playwright() as driver:
        arguments = [QUICK, *["--no-sandbox"] * as_root]
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(browser._loop)
        browser.close()


@pytest.fixture(scope="module")
def windows(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Watched]]:
    """The windows of this module's tests: one for each kind of screen.

    Playwright marks its event loop as this thread's. The mark is taken away at the end: tests after these run loops of
    their own.
    """
    asyncio._set_running_loop(browser._loop)
    opened: dict[str, Watched] = {}
    yield opened
    for window in opened.values():
        window.context.close()
    asyncio._set_running_loop(None)


@pytest.fixture
def window(
    browser: Browser, windows: dict[str, Watched], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Watched]]:
    """A function that opens a page from its HTML in a window; at the end no page has done what it may not."""

    def open_page(html: str, **settings: Any) -> Watched:
        key = repr(sorted(settings.items()))
        if key not in windows:
            windows[key] = Watched(browser, tmp_path_factory.mktemp("player"), **settings)
        windows[key].open(html)
        return windows[key]

    yield open_page
    faults = [fault for window in windows.values() for fault in window.faults]
    for window in windows.values():
        window.faults.clear()
    assert faults == []


@pytest.fixture
def opened(browser: Browser, windows: dict[str, Watched], tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """A function that opens a page in a window of its own; at the end it has asked for nothing outside of itself."""
    shown: list[Watched] = []

    def open_page(html: str, **settings: Any) -> Page:
        watched = Watched(browser, tmp_path, **settings)
        shown.append(watched)
        watched.file.write_text(html, encoding="utf-8")
        watched.page.goto(watched.file.as_uri())
        return watched.page

    yield open_page
    faults = [fault for watched in shown for fault in watched.faults if not fault.startswith("request data:")]
    for watched in shown:
        watched.context.close()
    assert faults == []

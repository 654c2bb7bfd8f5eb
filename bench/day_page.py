"""A day's page in headless Chromium: when it can be read and edited, when Python is there, what a check takes.

    .venv/bin/python bench/day_page.py [--day day2] [--times 3] [--pyodide FOLDER]

When it can be edited is told by the page's own clock, which begins with the navigation: the first editor is there, and
the page answers. All other times are those of the driver. The site is made from this checkout and served here. `cold`
begins with an empty cache, `warm` opens the page again in the same browser. The work is the day's reference. Also
prints the bytes of all files that a page asks for, as they are and packed by gzip, as most servers send them. Prints;
asserts nothing.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import statistics
import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from measure import ROOT

from grader.assignment import Course
from grader.site.folder import make_site, write_site
from grader.site.serve import open_server

sys.path.append(str(ROOT / "tests" / "support"))
helpers: Any = import_module("helpers")
site_pages: Any = import_module("site_pages")
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARCHIVES = ROOT / ".venv" / "share" / "site"
# Notes the time of the first task after the first editor.
EDITED = """
new MutationObserver((_, observer) => {
    if (document.querySelector(".cm-content") === null) return;
    observer.disconnect();
    setTimeout(() => { window.edited = performance.now(); });
}).observe(document, { subtree: true, childList: true });
"""


class Stopwatch:
    """Seconds by what they were for."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    def note(self, name: str, started: float) -> None:
        """Note the time since `started`."""
        self.seconds.setdefault(name, []).append(time.perf_counter() - started)


def visit(page: Any, address: str, kind: str, watch: Stopwatch) -> None:
    """Open the page and wait for Python; check the untouched notebook."""
    started = time.perf_counter()
    page.goto(address)
    edited = page.wait_for_function("() => window.edited").json_value()
    watch.seconds.setdefault(f"{kind}: read and edited", []).append(edited / 1000)
    page.get_by_text("Python is ready.").wait_for(timeout=120_000)
    watch.note(f"{kind}: Python is there", started)
    check(page, "Check all")
    watch.note(f"{kind}: the first check is told", started)


def check(page: Any, button: str) -> None:
    """Press a button and wait for its feedback."""
    page.evaluate(
        "() => document.querySelectorAll('.output, #results').forEach(one => one.replaceChildren())"
    )
    page.get_by_role("button", name=button, exact=True).click()
    page.locator(".feedback").first.wait_for()


def measure(address: str, day: str, watch: Stopwatch) -> None:
    """Visit the page twice in a new browser."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.add_init_script(EDITED)
        visit(page, address, "cold", watch)
        visit(page, address, "warm", watch)
        site_pages.open_file(page, helpers.notebook(*helpers.cells(day)))
        first = next(name for name in Course(ROOT).assignment(day).manifest.checks)
        check(page, "Check all")
        for name, button in (("the whole day", "Check all"), ("one check", f"Check {first}")):
            started = time.perf_counter()
            check(page, button)
            watch.note(name, started)
        browser.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--day", default="day2")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--pyodide", type=Path, default=ARCHIVES if ARCHIVES.is_dir() else None)
    options = parser.parse_args()
    site, watch = make_site(Course(ROOT), Course(ROOT).names, options.pyodide), Stopwatch()
    asked = {
        name: data for name, data in site.files.items() if not name.endswith(".html") or options.day in name
    }
    packed = sum(len(gzip.compress(data)) for data in asked.values())
    with tempfile.TemporaryDirectory() as folder:
        write_site(site, Path(folder))
        with open_server(Path(folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for _ in range(options.times):
                measure(f"http://127.0.0.1:{server.server_address[1]}/{options.day}.html", options.day, watch)
            server.shutdown()
    for name, seconds in watch.seconds.items():
        print(f"{name:<32} {statistics.median(seconds):6.2f} s   ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"{sum(map(len, asked.values())) / 1e6:.1f} MB, {packed / 1e6:.1f} MB packed")


if __name__ == "__main__":
    main()

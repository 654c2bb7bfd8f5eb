"""A day's page in headless Chromium and Firefox: when it can be edited, when Python is there, what a check takes.

    .venv/bin/python bench/day_page.py [--day day2] [--times 5] [--slow] [--browser firefox] [--pyodide FOLDER]

When it can be edited is told by the page's own clock, which begins with the navigation: the first editor is there, and
the page answers. All other times are those of the driver. The site is made from this checkout and served here. `cold`
begins with an empty cache, `warm` opens the page again in the same browser. The work is the day's reference. `--slow`
gives the page 4 Mbit/s, of files packed by gzip where that makes them smaller, and stops the browser's processes for
three quarters of the time. Also prints the bytes of all files that a page asks for, as they are and packed by gzip, as
most servers send them. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import http.server
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import ROOT

from grader.assignment import Course
from grader.site.folder import make_site, write_site
from grader.site.serve import open_server

if TYPE_CHECKING:
    from collections.abc import Iterator

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


RATE = 500_000  # bytes in a second: 4 Mbit
STOPPED, RUNNING = 0.075, 0.025  # seconds, in turn
# Times of one cold visit over WebDriver BiDi, as `visit` has them: node -e ... PUPPETEER FIREFOX ADDRESS.
_FIREFOX = """
const [library, executablePath, address] = process.argv.slice(-3);
const { default: puppeteer } = await import(library);
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
const page = await browser.newPage();
page.setDefaultTimeout(600_000);
const started = performance.now(), seconds = () => (performance.now() - started) / 1000, seen = {};
await page.goto(address, { waitUntil: "domcontentloaded" });
await page.waitForSelector(".cm-content");
seen["read and edited"] = await page.evaluate(() => performance.now() / 1000);
await page.waitForFunction(() => document.body.textContent.includes("Python is ready."));
seen["Python is there"] = seconds();
await page.evaluate(() => document.querySelector("#all").click());
await page.waitForSelector(".feedback");
seen["the first check is told"] = seconds();
console.log(JSON.stringify(seen));
await browser.close();
"""


class Slow(http.server.SimpleHTTPRequestHandler):
    """Serves at 4 Mbit/s for all connections together, packed where that makes a file smaller."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }
    turn = threading.Lock()

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Send a file in parts, each when it is its turn."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        data = path.read_bytes()
        packed = gzip.compress(data)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if len(packed) < 0.95 * len(data):
            data = packed
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            for at in range(0, len(data), 1 << 14):
                part = data[at : at + (1 << 14)]
                with self.turn:
                    time.sleep(len(part) / RATE)
                self.wfile.write(part)


@contextlib.contextmanager
def quarter_speed(program: str) -> Iterator[None]:
    """Stop this process's descendants that run a program most of the time."""
    over = threading.Event()

    def begin() -> None:
        while not over.is_set():
            found = [pid for pid in descendants(os.getpid()) if program in name_of(pid)]
            for number, seconds in ((signal.SIGSTOP, STOPPED), (signal.SIGCONT, RUNNING)):
                for pid in found:
                    with contextlib.suppress(OSError):
                        os.kill(pid, number)
                time.sleep(seconds)

    thread = threading.Thread(target=begin)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def descendants(pid: int) -> list[int]:
    """Return the processes below one."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return []
    return [*children, *(below for child in children for below in descendants(child))]


def name_of(pid: int) -> str:
    """Return the name of a process's program; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


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
    page.get_by_text("Python is ready.").wait_for(timeout=600_000)
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


def measure(address: str, day: str, watch: Stopwatch, *, again: bool) -> None:
    """Visit the page in a new browser, and `again` in the same one, with the whole work then."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.set_default_timeout(600_000)
        page.add_init_script(EDITED)
        visit(page, address, "cold", watch)
        if not again:
            browser.close()
            return
        visit(page, address, "warm", watch)
        site_pages.open_file(page, helpers.notebook(*helpers.cells(day)))
        first = next(name for name in Course(ROOT).assignment(day).manifest.checks)
        check(page, "Check all")
        for name, button in (("the whole day", "Check all"), ("one check", f"Check {first}")):
            started = time.perf_counter()
            check(page, button)
            watch.note(name, started)
        browser.close()


def measure_firefox(address: str, watch: Stopwatch) -> None:
    """Visit the page once in a new Firefox."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    library = ROOT / ".venv/share/firefox/node_modules/puppeteer-core/lib/puppeteer/puppeteer-core.js"
    command = ["node", "--input-type=module", "-e", _FIREFOX, "--", library.as_uri(), str(firefox), address]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    for name, seconds in json.loads(done.stdout).items():
        watch.seconds.setdefault(f"cold: {name}", []).append(seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--day", default="day2")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--browser", choices=("chromium", "firefox"), default="chromium")
    parser.add_argument("--pyodide", type=Path, default=ARCHIVES if ARCHIVES.is_dir() else None)
    options = parser.parse_args()
    site, watch = make_site(Course(ROOT), Course(ROOT).names, options.pyodide), Stopwatch()
    asked = {
        name: data for name, data in site.files.items() if not name.endswith(".html") or options.day in name
    }
    packed = sum(len(gzip.compress(data)) for data in asked.values())
    with tempfile.TemporaryDirectory() as folder:
        write_site(site, Path(folder))
        handler = functools.partial(Slow, directory=folder)
        opened = (
            http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            if options.slow
            else open_server(Path(folder))
        )
        with opened as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_address[1]}/{options.day}.html"
            for _ in range(options.times):
                with quarter_speed(options.browser[:7]) if options.slow else contextlib.nullcontext():
                    if options.browser == "firefox":
                        measure_firefox(address, watch)
                    else:
                        measure(address, options.day, watch, again=not options.slow)
            server.shutdown()
    for name, seconds in watch.seconds.items():
        print(f"{name:<32} {statistics.median(seconds):6.2f} s   ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"{sum(map(len, asked.values())) / 1e6:.1f} MB, {packed / 1e6:.1f} MB packed")


if __name__ == "__main__":
    main()

"""The player's page in a browser: its size, the time until it can be used, and the time of a step with 300 nodes.

    .venv/bin/python bench/player.py

Needs Chromium on PATH and the extra `test`. A time is the median of five.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from grader.render.player import CheckTrace, inline_page, play_page
from grader.report import Trace, TraceInput, TraceNode, TraceStep

if TYPE_CHECKING:
    from playwright.sync_api import Page

TIMES = 5
NODES = 300

# Milliseconds from navigation until the page says that it is ready. The script runs before anything is painted.
READY = "performance.getEntriesByName('ready')[0].startTime"
WATCH = """new MutationObserver(() => {
    if (document.documentElement?.dataset.player === 'ready' && !performance.getEntriesByName('ready').length)
        performance.mark('ready');
}).observe(document, {subtree: true, attributes: true, attributeFilter: ['data-player']})"""
# Milliseconds for each step from the first to the last, with the layout of the page.
STEPS = """() => {
    const [first, , , next] = document.querySelectorAll('.walk .buttons button');
    const times = [];
    first.click();
    while (next.getAttribute('aria-disabled') !== 'true') {
        const start = performance.now();
        next.click();
        document.body.getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return times;
}"""


def main() -> None:
    """Print the table."""
    graph = CheckTrace("chain", f"{NODES} nodes", chain(NODES))
    made = {
        "the lesson": play_page(),
        f"the lesson, and a graph of {NODES} nodes": play_page([graph]),
        f"{NODES} nodes in a notebook": inline_page(graph),
    }
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=program, args=arguments) as browser,
    ):
        for name, html in made.items():
            file = Path(folder) / f"{len(html)}.html"
            file.write_text(html, encoding="utf-8")
            pages = [browser.new_page() for _ in range(TIMES)]
            ready = statistics.median(interactive(page, file) for page in pages)
            print(f"{name:40} {len(html.encode()) / 1000:6.0f} KB {ready:6.0f} ms until ready")
        times = pages[-1].evaluate(STEPS)
        print(
            f"{f'{len(times)} steps there':40} {statistics.median(times):.1f} ms a step, at most {max(times):.1f} ms"
        )


def chain(length: int) -> Trace:
    """Return the right walk over a chain of nodes, each the one before times 1.01."""
    factor = 1.01
    nodes = [TraceNode("x0")]
    nodes += [
        TraceNode(f"x{i}", "*", [TraceInput(i - 1, factor ** (i - 1), factor), TraceInput(None, factor)])
        for i in range(1, length)
    ]
    last = length - 1
    steps = [TraceStep("forward", i, [(i, factor**i)]) for i in range(length)]
    steps.append(TraceStep("seed", last, [(last, 1.0)]))
    steps += [TraceStep("call", i, [(i - 1, factor ** (length - i))]) for i in range(last, 0, -1)]
    return Trace(f"x0 = 1 in x{last} = x0 * {factor} * {factor} * ...", nodes, steps, steps)


def interactive(page: Page, file: Path) -> float:
    """Return the milliseconds from navigation until the player is there."""
    page.add_init_script(WATCH)
    page.goto(file.as_uri())
    page.locator("html[data-player=ready]").wait_for()
    return float(page.evaluate(READY))


if __name__ == "__main__":
    main()

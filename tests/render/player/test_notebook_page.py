"""The page with the student's notebook in a browser: nothing of a hostile notebook runs, and everybody can read it."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from hostile import MARKUP, report_of
from playerpages import SCREENS, serious_findings
from sampled import every

from grader.render.cell import Cell
from grader.render.notebook import Place, page_with_results
from grader.submissions.cells import read_cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from grader.report import Report

RUN = "document.title = 'owned'; alert(1); fetch('https://example.org')"
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}" width="40" height="40"><script>{RUN}</script>
<image href="https://example.org/x.png" width="9" height="9"/></svg>"""


def page_of_day2(report: Report) -> str:
    """The first cells of day2, an output, a picture, a failed check and one that passed."""
    cells = read_cells(COURSE / "assignments/day2/day2_backward_pass.ipynb")[1][:12]
    picture = {"image/svg+xml": base64.b64encode(SVG.encode()).decode(), "text/plain": "a graph"}
    cells.append(Cell("code", "draw(L)", 13, "cell 13", outputs=[picture, {"text/plain": "word " * 100}]))
    return page_with_results(report, cells, {"swap_rule": Place(4, 26), "quiz": Place(12)})


@pytest.mark.ci
@pytest.mark.parametrize("name", every(3, SCREENS, 2))
def test_axe_finds_nothing(opened: Callable[..., Page], graded: dict[str, Report], name: str) -> None:
    """No serious and no critical finding, and nothing is wider than the screen."""
    page = opened(page_of_day2(graded["two"]), **SCREENS[name])
    assert serious_findings(page) == []
    assert page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth") <= 0


@pytest.mark.ci
def test_a_link_leads_to_the_result(opened: Callable[..., Page], graded: dict[str, Report], snapshot) -> None:
    """From the list at the top to the result below its cell, which has the name of its check."""
    page = opened(page_of_day2(graded["two"]))
    page.get_by_role("navigation", name="Checks").get_by_role("link", name="swap_rule").click()
    result = page.get_by_role("region", name="Check swap_rule")
    assert result.inner_text() == snapshot
    top = result.evaluate("one => one.getBoundingClientRect().top")
    assert -1 < top < page.evaluate("() => innerHeight")


@pytest.mark.ci
def test_on_paper(opened: Callable[..., Page], graded: dict[str, Report]) -> None:
    """What failed is there in full, in dark ink, and the words of an outcome keep their ground."""
    page = opened(page_of_day2(graded["two"]), color_scheme="dark")
    page.emulate_media(media="print")
    ink = page.locator("main").evaluate("one => getComputedStyle(one).color")
    assert max(map(int, re.findall(r"\d+", ink))) < 90
    assert page.get_by_text("In a * b your engine does").first.is_visible()
    pill = page.locator(".result .pill.failed").first
    assert pill.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"


def test_nothing_of_a_hostile_notebook_runs(opened: Callable[..., Page]) -> None:
    """Scripts in code, Markdown, outputs, pictures and the report are text: no request, no dialog, no other title."""
    script = f"<script>{RUN}</script><img src=x onerror=\"{RUN}\"><iframe srcdoc='<script>{RUN}</script>'></iframe>"
    texts = [script, f"</pre></div></main></body>{script}", *MARKUP.values()]
    picture = {"image/svg+xml": base64.b64encode(SVG.encode()).decode(), "text/plain": f'">{script}'}
    cells = [
        cell
        for text in texts
        for cell in (
            Cell("code", text, 1, text, outputs=[{"text/plain": text}, picture]),
            Cell("markdown", f"{text}\n\n[x](javascript:alert(1))\n\n```mermaid\n{text}\n```", 2, text),
        )
    ]
    page = opened(page_with_results(report_of(script), cells, {"swap_rule": Place(0)}))

    assert page.title().startswith("swap_rule: <script>")
    assert page.get_by_text(script).first.is_visible()
    assert page.locator("script, iframe, object, embed, form, [onload], [onerror]").count() == 0

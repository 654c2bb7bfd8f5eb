"""The report in HTML: a fragment for the output of a notebook's cell, and a page of its own around it.

The fragment takes the colours of the page around it, light or dark, and adds only those with a meaning. If a
viewer drops the styles, the words remain in order. It fetches nothing and runs nothing.

The page is one file that sends nothing. Its policy allows its style sheets, the widths of bars and the player, and
nothing else, even if an escape were forgotten. The player is there only if a check that is shown has a trace.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from grader.render import layout, walk, words
from grader.render.escape import escape_line
from grader.render.htmlpage import asset, fill, html_page
from grader.render.player import check_traces, player
from grader.report import IN_PAGE, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from grader.report import Bar, Chart, Report

FRAGMENT = "render/fragment.css"


def render_fragment(report: Report) -> str:
    """The report as one `<div>`, with every text escaped."""
    return str(_fragment(report, style=fragment_style()))


def _fragment(
    report: Report, *, style: str = "", players: bool = False, of_record: bool = False, alone: bool = False
) -> Markup:
    """The report as a `<div>`.

    With `players` it has an element for the player of each trace, in their order. With `of_record` it has no points of
    its own and no next step. With `alone` it has the page's first heading.
    """
    report = with_texts(report, escape_line)
    return fill(
        "render/report.html",
        report=report,
        style=style,
        players=players,
        of_record=of_record,
        alone=alone,
        step=words.next_step(report),
        # A day's page has the day in its own head, and no file.
        headed=not words.is_short(report) and IN_PAGE not in report.grader.isolation,
        words=words,
        walk=walk,
        layout=layout,
        bars_of=_bars_of,
    )


def fragment_style() -> str:
    """Return the style sheet of a fragment that stands alone."""
    return asset("render/tokens.css") + asset(FRAGMENT)


def line_in_html(text: str) -> str:
    """One line of plain text, in the same look."""
    return str(fill("render/line.html", style=fragment_style(), words=text))


def _bars_of(chart: Chart) -> Iterator[tuple[Bar, float]]:
    """Yield each bar with its width in percent of the track."""
    bars = [bar for bar in chart.bars if math.isfinite(bar.value)]
    largest = max((abs(bar.value) for bar in bars), default=0.0)
    for bar in bars:
        yield bar, max(1.0, 50 * (abs(bar.value) / largest)) if bar.value else 0.0


def render_html(
    report: Report, *, title: str = "", above: Markup | None = None, of_record: bool = False
) -> str:
    """A page around the fragment, in the light or dark colours that the reader prefers.

    `title` is the page's own, else that of the assignment. `above` is the beginning of the page, without styles of
    its own. With `of_record` it holds the grade, so the report has neither points of its own nor a next step, and is
    left out if nothing was graded.
    """
    body = (
        None
        if of_record and report.unread
        else _fragment(report, players=True, of_record=of_record, alone=above is None)
    )
    traces = check_traces(words.in_detail(report))
    made = player("report", traces) if traces else None
    return html_page(
        "render/reportpage.html",
        title or f"{report.assignment.id}: {report.assignment.title}",
        [*([made.style] if made else []), asset(FRAGMENT)],
        script=made.script if made else None,
        attributes=re.findall(r'style="(width: [\d.]+%)"', body or ""),  # of the bars
        above=above,
        body=body or "",
    )

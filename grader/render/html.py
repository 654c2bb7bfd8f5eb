"""The report in HTML: a fragment for the output of a notebook's cell, and a whole page around it.

The fragment uses the colours of the surrounding page, light or dark, and adds only colours with a meaning. If a
viewer drops the styles, the words remain in order. It fetches nothing and runs nothing.

The page is one file that sends nothing. Its policy allows only its style sheets, the widths of bars and the player, even
if an escape were missing. It has the player only if a displayed check has a trace.
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
    """Return the report as one `<div>`, with every text escaped."""
    return str(_fragment(report, style=fragment_style()))


def _fragment(
    report: Report, *, style: str = "", players: bool = False, of_record: bool = False, alone: bool = False
) -> Markup:
    """Return the report as a `<div>`.

    With `players` it has an element for the player of each trace, in order. With `of_record` it has no points and no
    next step. With `alone` it has the page's first heading.
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
        # A page of a day shows the day in its head, and has no file.
        headed=not words.is_short(report) and IN_PAGE not in report.grader.isolation,
        words=words,
        walk=walk,
        layout=layout,
        bars_of=_bars_of,
    )


def fragment_style() -> str:
    """Return the style sheet of a fragment without a page."""
    return asset("render/tokens.css") + asset(FRAGMENT)


def line_in_html(text: str) -> str:
    """Return one line of plain text in the look of the report."""
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
    """Return a page around the fragment, in the light or dark colours that the reader prefers.

    `title` defaults to the assignment's. `above` is the beginning of the page, without styles. With `of_record`, `above`
    has the final grade: the report then has neither points nor a next step, and is omitted if nothing was graded.
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

"""The report in HTML: a fragment for the output of a notebook's cell, and a page of its own around it.

The fragment takes the colours of the page around it, light or dark, and adds only those with a meaning. If a
viewer drops the styles, the words remain in order. It fetches nothing and runs nothing.

The page is one file that sends nothing. Its policy allows the styles in this module, the widths of bars and the player,
and nothing else, even if an escape were forgotten. The player is there only if a check that is shown has a trace.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING

from grader.render.escape import escape_html
from grader.render.htmlpage import html_page
from grader.render.layout import RIGHT, STUDENT, short_number, steps_of
from grader.render.player import check_traces, player
from grader.render.walk import HEAD, has_two, walk_table
from grader.render.words import (
    caveats,
    chart_words,
    details,
    file_words,
    in_detail,
    is_short,
    next_step,
    no_score_words,
    passed_words,
    place_words,
    reading_words,
    record_caveats,
    rows_of,
    score_words,
)
from grader.report import IN_PAGE, Chart, Location, Mismatch, WrongWalk, with_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.render.words import Part, ReportRow
    from grader.report import Bar, CheckResult, Report, Trace

# White on each of the six outcomes, and each bar on a white or a dark page, can be read (WCAG 2.1: 1.4.3, 1.4.11).
FRAGMENT_STYLE = """
.backgrade { color: inherit; line-height: 1.5; max-width: 64em;
  overflow-wrap: anywhere; padding: .25em 0; }
.backgrade div { margin: 0; }
.backgrade .dim { opacity: .75; }
.backgrade .head, .backgrade .foot { margin: .25em 0 .5em; }
.backgrade .rows { align-items: baseline; display: grid; gap: .2em .75em;
  grid-template-columns: max-content max-content max-content minmax(12em, 1fr); }
.backgrade .row { display: contents; }
.backgrade .id { font-weight: 600; }
.backgrade .points { text-align: right; font-variant-numeric: tabular-nums; }
.backgrade .pill { border-radius: .75em; color: #fff; font-size: .85em; min-width: 6.5em; text-align: center; }
.backgrade .pill.passed { background: #1a7f37; }
.backgrade .pill.failed { background: #cf222e; }
.backgrade .pill.blocked { background: #8a5a00; }
.backgrade .pill.todo { background: #0969da; }
.backgrade .pill.ungradable { background: #8250df; }
.backgrade .pill.manual { background: #57606a; }
.backgrade .detail { border-left: .25em solid #8c8c8c; margin: .6em 0; padding: .1em 0 .1em .8em; }
.backgrade .detail.failed { border-color: #cf222e; }
.backgrade .detail.passed { border-color: #1a7f37; }
.backgrade .reading, .backgrade .place { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .92em; }
.backgrade code { background: rgba(127, 127, 127, .18); color: inherit; padding: .05em .3em; border-radius: .25em; }
.backgrade .walk { border-collapse: collapse; margin: .3em 0; }
.backgrade .walk th, .backgrade .walk td { border: 1px solid #8c8c8c; font-weight: inherit; padding: .1em .5em;
  text-align: left; }
.backgrade .walk .wrong { border: 2px solid #cf222e; }
.backgrade .bars { display: grid; grid-template-columns: max-content max-content minmax(10em, 26em);
  gap: .15em .75em; margin: .3em 0; font-variant-numeric: tabular-nums; }
.backgrade .bars > .value { text-align: right; }
.backgrade .sides { display: flex; font-size: .85em; grid-column: 3; justify-content: space-between; }
.backgrade .track { background: linear-gradient(#8c8c8c, #8c8c8c) center / 1px 100% no-repeat; position: relative; }
.backgrade .bar { height: .9em; position: absolute; top: .3em; }
@media (max-width: 40em) {
  .backgrade .rows { grid-template-columns: max-content 1fr max-content; }
  .backgrade .row > :last-child { grid-column: 1 / -1; margin-bottom: .5em; }
  .backgrade .bars { grid-template-columns: max-content max-content 1fr; }
}
.backgrade .falls { background: #d0660b; right: 50%; }
.backgrade .rises { background: #2f81f7; left: 50%; }
"""
_OPEN = '<div class="backgrade tex2jax_ignore mathjax_ignore">'
_STYLED = f"{_OPEN}<style>{FRAGMENT_STYLE}</style>"


def render_fragment(report: Report) -> str:
    """The report as one `<div>`, with every text escaped."""
    return _fragment(report, _STYLED)


def _fragment(report: Report, start: str, *, players: bool = False, of_record: bool = False) -> str:
    """The report as the `<div>` that `start` opens.

    With `players` it has an element for the player of each trace, in their order. With `of_record` it has no points of
    its own and no next step.
    """
    step = escape_html(next_step(report))  # it may cut a text, so it comes before escaping
    report = with_texts(report, escape_html)
    # A day's page has the day in its own head, and no file.
    head = [] if is_short(report) or IN_PAGE in report.grader.isolation else [_head(report)]
    parts = [*head, *(_line("dim", note) for note in report.notes)]
    parts.append(f'<div class="rows">{"".join(map(_row, rows_of(report)))}</div>')
    places = itertools.count()
    for i, check in enumerate(in_detail(report)):
        end = _place_of_player(check.trace, next(places)) if players and check.trace else ""
        parts.append(_details(check, end, first=i == 0))
    return "\n".join([start, *parts, _foot(report, "" if of_record else step), "</div>"])


def line_in_html(text: str) -> str:
    """One line of plain text, in the same look."""
    return f"{_STYLED}{_line('detail', escape_html(text))}</div>"


def _head(report: Report) -> str:
    where = file_words(report.submission.path) if report.advisory else report.submission.path
    name = report.assignment
    return f'<div class="head"><b>{name.id}</b>&ensp;{name.title}<div class="dim">{where}</div></div>'


def _row(row: ReportRow) -> str:
    return (
        f'<div class="row"><span class="pill {row.outcome}">{row.outcome}</span> '
        f'<span class="id">{row.name}</span> '
        f'<span class="points">{row.worth}</span> '
        f"<span>{marked(row.words)}</span></div>"
    )


def _details(check: CheckResult, end: str, *, first: bool) -> str:
    """One check in full, with HTML for its end; only the first one is unfolded."""
    title = f"<summary><b>{check.id}</b>: {marked(check.title)}</summary>"
    unfolded = " open" if first else ""
    body = "".join(map(_part, details(check)))
    return f'<details class="detail {check.outcome}"{unfolded}>{title}{body}{end}</details>'


def _part(part: Part) -> str:
    match part:
        case Mismatch():
            return _line("reading", reading_words(part))
        case Location():
            return _line("place", place_words(part))
        case Chart():
            return _bars(part)
        case WrongWalk():
            return _orders(part)
    return _line("", part) if part else ""


def _orders(walk: WrongWalk) -> str:
    """The two orders as a table of two rows; a sign and a colour mark the first wrong step."""
    steps = steps_of(walk)
    first = "".join(f"<td>{step.right}</td>" for step in steps)
    second = "".join(
        f'<td class="wrong">✗ {step.student}</td>' if step.wrong else f"<td>{step.student}</td>"
        for step in steps
    )
    rows = f'<tr><th scope="row">{RIGHT}</th>{first}</tr><tr><th scope="row">{STUDENT}</th>{second}</tr>'
    return f'<table class="walk">{rows}</table>'


def _bars(chart: Chart) -> str:
    bars = [bar for bar in chart.bars if math.isfinite(bar.value)]
    largest = max((abs(bar.value) for bar in bars), default=0.0)
    rows = "".join(_bar(bar, largest) for bar in bars)
    sides = f'<div class="sides dim"><span>◀ {chart.negative}</span><span>{chart.positive} ▶</span></div>'
    return f'{_line("", chart_words(chart))}<div class="bars">{sides}{rows}</div>'


def _bar(bar: Bar, largest: float) -> str:
    width = max(1.0, 50 * (abs(bar.value) / largest)) if bar.value else 0.0
    side = "falls" if bar.value < 0 else "rises"
    return (
        f'<div>{bar.label}</div><div class="value">{short_number(bar.value)}</div>'
        f'<div class="track" aria-hidden="true"><span class="bar {side}" style="width: {width:.1f}%"></span></div>'
    )


def _foot(report: Report, step: str) -> str:
    """The last lines; without a next step they name no points either."""
    if not step:
        lines = [passed_words(report), *record_caveats(report)]
        return f'<div class="foot">{"".join(_line("dim", words) for words in lines)}</div>'
    if report.score is None:
        return _line("foot", no_score_words(report))
    if is_short(report):
        return _line("foot", step)
    lines = [f"<div><b>{score_words(report)}</b>, {passed_words(report)}</div>"]
    lines += [_line("dim", words) for words in caveats(report)]
    return f'<div class="foot">{"".join(lines)}{_line("", step)}</div>'


def _line(kind: str, text: str) -> str:
    return f'<div class="{kind}">{marked(text)}</div>'


def marked(text: str) -> str:
    """Format text between backticks as code; the text is escaped already."""
    return re.sub(r"`([^`\n]{1,200})`", r"<code>\1</code>", text)


# --- The page

_PAGE_STYLE = """
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 64em; padding: 1.5em; }
.backgrade .head > b { font-size: 1.25em; }
.above { overflow-wrap: anywhere; }
.above th, .above td { padding: .1em 1em .1em 0; text-align: left; }
@media (max-width: 40em) { main { padding: 1em; } }
"""


def render_html(report: Report, *, title: str = "", above: str = "", of_record: bool = False) -> str:
    """A page around the fragment, in the light or dark colours that the reader prefers.

    `title` is the page's own, else that of the assignment. `above` is HTML for the beginning of the page, already
    escaped and without styles of its own. With `of_record` it holds the grade, so the report has neither points of its
    own nor a next step, and is left out if nothing was graded.
    """
    body = "" if of_record and report.unread else _fragment(report, _OPEN, players=True, of_record=of_record)
    head = f'<div class="above">{above}</div>\n' if above else ""
    traces = check_traces(in_detail(report))
    made = player("report", traces) if traces else None
    return html_page(
        title or f"{report.assignment.id}: {report.assignment.title}",
        f"<main>\n{head}{body}\n</main>",
        [_PAGE_STYLE, *([made.style] if made else []), FRAGMENT_STYLE],
        script=made.script if made else None,
        attributes=sorted(set(re.findall(r'style="(width: [\d.]+%)"', body))),  # of the bars
    )


# --- The player of a trace


def _place_of_player(trace: Trace, index: int) -> str:
    """The element that the player fills; without JavaScript it shows the table of both walks."""
    words = "" if trace.wrong is None else _line("", f"Step {trace.wrong + 1}: {trace.words}")
    parts = _line("", trace.given) + _table(trace) + words
    return f'<div class="player" data-trace="{index}">{parts}</div>'


def _table(trace: Trace) -> str:
    """The table of a trace, with a sign at the first difference."""
    columns = 4 if has_two(trace) else 3
    rows = [
        [f"✗ {line.step or ''}" if line.wrong else str(line.step or ""), *line[:3]]
        for line in walk_table(trace, whole=False)
        if line.name
    ]
    return f'<table class="walk">{"".join(_tr(row[:columns]) for row in [["", *HEAD[:3]], *rows])}</table>'


def _tr(row: Sequence[str]) -> str:
    first, *rest = row
    mark = ' class="wrong"' if first.startswith("✗") else ""
    return f'<tr><th scope="row"{mark}>{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'

"""A page with the student's whole notebook, where each check's result stands below the cell that it is about.

One file that fetches and runs nothing, like the page of `html.py`, whose fragments it arranges in another order.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused
from grader.render.escape import escape_html
from grader.render.html import FRAGMENT_STYLE, OPEN, PAGE_STYLE, anchor, parts_of, title_of, widths_in
from grader.render.htmlpage import html_page
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.render.cell import Cell
    from grader.render.html import Parts
    from grader.report import CheckResult, Report

# Each colour of the code can be read on the cell and on a marked line, in both schemes (WCAG 2.1: 1.4.3).
_STYLE = """
:root { --page: #fff; --ink: #1f2328; --cell: #f6f8fa; --edge: #8c8c8c; --marked: #fff3c4; --word: #a30d1c;
  --text: #0a3069; --remark: #57606a; --number: #0550ae; --name: #6639ba; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #121212; --ink: #f0f0f0; --cell: #1b2129; --edge: #8c8c8c; --marked: #463a0c; --word: #ff938a;
    --text: #a5d6ff; --remark: #b0b8c1; --number: #8cc4ff; --name: #d8b9ff; }
}
body { background: var(--page); color: var(--ink); }
h1 { font-size: 1.5em; margin: 0; }
h2.part { border-bottom: 1px solid var(--edge); font-size: 1.25em; margin: 1.5em 0 .75em; }
.cell { margin: 1em 0; overflow-wrap: anywhere; }
.cell .label { color: var(--remark); font-size: .8em; }
.cell pre { background: var(--cell); border-radius: .3em; margin: .25em 0; padding: .6em .8em; white-space: pre-wrap;
  font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
.cell pre.output { background: none; border-left: .25em solid var(--edge); border-radius: 0; margin-left: .8em; }
.cell img { background: #fff; border-radius: .3em; color-scheme: light; display: block; height: auto; margin: .5em 0;
  max-width: 100%; }
.cell table { border-collapse: collapse; margin: .75em 0; }
.cell th, .cell td { border: 1px solid var(--edge); padding: .2em .6em; text-align: left; }
.cell p, .cell li { max-width: 46em; }
.cell code { font: .9em ui-monospace, Menlo, Consolas, monospace; background: var(--cell); border-radius: .25em;
  padding: .05em .3em; }
.cell pre code { background: none; font-size: 1em; padding: 0; }
.cell blockquote { border-left: .25em solid var(--edge); margin-left: 0; padding-left: 1em; }
.highlight .linenos { color: var(--remark); margin-right: 1em; user-select: none; }
.highlight .hll { background: var(--marked); display: block; }
.highlight .k, .highlight .kc, .highlight .kd, .highlight .kn, .highlight .ow { color: var(--word); }
.highlight [class^="s"], .highlight .bp { color: var(--text); }
.highlight [class^="c"] { color: var(--remark); }
.highlight [class^="m"] { color: var(--number); }
.highlight .nf, .highlight .nc, .highlight .fm, .highlight .nd { color: var(--name); }
.result { border: 1px solid var(--edge); border-left: .4em solid #8a5a00; border-radius: .3em; margin: .75em 0 1.5em;
  padding: .2em .8em; }
.result.passed { border-left-color: #1a7f37; }
.result.failed { border-left-color: #cf222e; }
.result.todo { border-left-color: #0969da; }
.result .detail { border: 0; margin: .4em 0; padding: 0; }
.result:target { outline: .2em solid #0969da; }
.result .dim { opacity: 1; }
@media (max-width: 40em) { .result .rows > .row > .id { overflow-wrap: anywhere; } }
@media print {
  :root { color-scheme: light; }
  .pill, .bar, .hll { print-color-adjust: exact; }
  .result, .cell img, .cell tr { break-inside: avoid; }
}
"""


class Place(msgspec.Struct, frozen=True):
    """The cell that a check is about, by its index, and the line in it that the report names."""

    cell: int
    line: int | None = None


def page_with_results(report: Report, cells: Sequence[Cell], places: Mapping[str, Place]) -> str:
    """Return the page; `places` has the cell of each check that is tied to one.

    Raises Refused if nbconvert is not installed.
    """
    parts = parts_of(report)
    below: dict[int, str] = {}
    marked: dict[int, list[int]] = {}
    for check in report.checks:
        if place := places.get(check.id):
            below[place.cell] = below.get(place.cell, "") + _result(check, parts)
            if place.line and check.outcome is not Outcome.PASSED:
                marked.setdefault(place.cell, []).append(place.line)
    notebook = _exported(cells, marked, below)
    rest = "".join(_result(check, parts) for check in report.checks if check.id not in places)
    if rest:
        rest = f'<h2 class="part">Not tied to a cell</h2>\n{rest}'
    widths = widths_in("".join([*below.values(), rest]))
    title = title_of(report)
    body = f"""<main>
<h1>{escape_html(title)}</h1>
{OPEN}<div class="dim">{parts.file}</div>{parts.notes}{parts.foot}</div>
<nav aria-label="Checks">
<h2 class="part">Checks</h2>
{OPEN}<div class="rows">{parts.links}</div></div>
</nav>
{rest}
<h2 class="part">{"The file" if report.submission.path.endswith(".py") else "The notebook"}</h2>
{notebook}
</main>"""
    styles = [PAGE_STYLE, FRAGMENT_STYLE, _STYLE]
    return html_page(title, body, styles, attributes=widths, pictures=True)


def _exported(cells: Sequence[Cell], marked: Mapping[int, Sequence[int]], below: Mapping[int, str]) -> str:
    try:
        from grader.render.exporter import export_cells
    except ModuleNotFoundError as error:
        raise Refused(
            f"nbconvert makes the page, and {error.name} is not installed; "
            f"run `{sys.executable} -m pip install nbconvert`"
        ) from error
    return export_cells(cells, marked, below)


def _result(check: CheckResult, parts: Parts) -> str:
    """Return the result of a check: one line, and below it what the report says in full."""
    return (
        f'<section class="result {check.outcome}" id="{anchor(check.id)}" aria-label="Check {check.id}">'
        f'{OPEN}<div class="rows">{parts.rows[check.id]}</div>{parts.details.get(check.id, "")}</div>'
        "</section>\n"
    )

"""A page with the sources of students who agree, side by side. It runs and fetches nothing."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.gradebook.copies.words import CAUTION, MOST_SHOWN, class_words, names_of, odds_words
from grader.render.escape import escape_html
from grader.render.html import marked
from grader.render.htmlpage import html_page
from grader.report import cap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.copies.agreement import Agreement, Comparison, Handed
    from grader.gradebook.copies.sources import Line, Sources

MOST_LINES = 600  # of one student: comparing twice as many takes up to eight times as long
MOST_CHARACTERS = 300  # of a line
MOST_BESIDE = 3  # of a group, each beside the first
LEGEND = (
    "= both have this line; ≠ the lines differ; ‹ and › only the left or the right one has it. Grey lines are in the "
    "template. 7:12 is line 12 of cell 7. Cells as they were handed out, cells that are not graded and blank lines are "
    "left out."
)
# Each colour can be read on the page and on a marked line, in both schemes (WCAG 2.1: 1.4.3).
STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1f2328; --dim: #57606a; --edge: #8c8c8c; --marked: #fff3c4;
  --link: #0550ae; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #121212; --ink: #f0f0f0; --dim: #b0b8c1; --edge: #8c8c8c; --marked: #463a0c; --link: #8cc4ff; }
}
body { background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 84em; padding: 1.5em; overflow-wrap: anywhere; }
a { color: var(--link); }
p, li { max-width: 46em; }
h1 { font-size: 1.5em; margin: 0; }
h2 { border-top: 1px solid var(--edge); font-size: 1.25em; margin: 2em 0 .5em; padding-top: .75em; }
.faults { border-collapse: collapse; }
.faults th, .faults td { border-bottom: 1px solid var(--edge); font-weight: inherit; padding: .2em .75em .2em 0;
  text-align: left; vertical-align: top; }
.faults th { white-space: nowrap; }
.code { border-collapse: collapse; font: .8em/1.5 ui-monospace, Menlo, Consolas, monospace; table-layout: fixed;
  width: 100%; }
.code caption { font: 1rem system-ui, sans-serif; padding: .75em 0 .25em; text-align: left; }
.code th { border-bottom: 1px solid var(--edge); text-align: left; }
.code th, .code td { padding: 0 .3em; vertical-align: top; }
.code td { white-space: pre-wrap; }
.code .n { color: var(--dim); text-align: right; width: 4.5em; }
.code .s { text-align: center; width: 1.5em; }
.code .d td { background: var(--marked); }
.code .g { color: var(--dim); }
.note { color: var(--dim); }
@media (max-width: 40em) {
  main { padding: 1em; }
  .code { font-size: .68em; }
  .code .n { width: 3em; }
  .code th, .code td { padding: 0 .15em; }
}
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  .code { font-size: 7pt; }
  .code .d td { print-color-adjust: exact; }
  .code tr, .faults tr { break-inside: avoid; }
}
"""


def copies_page(assignment: Assignment, comparison: Comparison, sources: Sources) -> str:
    """Return the page."""
    found = comparison.found[:MOST_SHOWN]
    title = f"Agreements in {assignment.name}: {assignment.manifest.title}"
    links = "".join(
        f'<li><a href="#pair-{i}">{escape_html(names_of(one))}</a></li>' for i, one in enumerate(found, 1)
    )
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        *_paragraphs(class_words(comparison)),
        *_paragraphs(CAUTION if found else ""),
        f'<nav aria-label="Pairs and groups"><ol>{links}</ol></nav>' if found else "",
        *_paragraphs(LEGEND if found else ""),
    ]
    for i, one in enumerate(found, 1):
        parts += _agreement(f"pair-{i}", comparison, one, sources)
    body = "\n".join(["<main>", *filter(None, parts), "</main>"])
    return html_page(title, body, [STYLE])


def _paragraphs(text: str) -> list[str]:
    return [f"<p>{escape_html(line)}</p>" for line in text.splitlines()]


def _agreement(anchor: str, comparison: Comparison, one: Agreement, sources: Sources) -> Iterator[str]:
    """Yield the parts of one pair or group: its faults with their odds, then the sources."""
    yield f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{escape_html(names_of(one))}</h2>'
    yield from _paragraphs(odds_words(comparison, one))
    rows = (
        f'<tr><th scope="row">{fault.holders} of {comparison.students}</th>'
        f"<td>{'' if fault.counts else '(same cause) '}{marked(escape_html(fault.words))}</td></tr>"
        for fault in one.shared
    )
    yield f'<table class="faults">{"".join(rows)}</table>'
    first, *others = one.students
    for other in others[:MOST_BESIDE]:
        yield _beside(comparison.handed[first], comparison.handed[other], sources)
    if len(others) > MOST_BESIDE:
        yield f'<p class="note">The sources of {len(others) - MOST_BESIDE} more students are left out.</p>'
    yield "</section>"


def _beside(first: Handed, other: Handed, sources: Sources) -> str:
    """Return two sources side by side, or the reason why one cannot be shown."""
    try:
        both = [sources.lines(one.students[0], one.sha256) for one in (first, other)]
    except Refused as error:
        return f'<p class="note">{escape_html(str(error))}</p>'
    rows = "".join(_rows(*(lines[:MOST_LINES] for lines in both)))
    more = [f"{len(lines) - MOST_LINES} more lines" for lines in both if len(lines) > MOST_LINES]
    note = f'<p class="note">{" and ".join(more)} are left out.</p>' if more else ""
    left, right = escape_html(first.name), escape_html(other.name)
    return (
        f'<table class="code"><caption>{left} beside {right}</caption><thead><tr><th class="n" scope="col">line</th>'
        f'<th scope="col">{left}</th><td class="s"></td>'
        f'<th class="n" scope="col">line</th><th scope="col">{right}</th></tr></thead><tbody>{rows}</tbody></table>{note}'
    )


def _rows(left: Sequence[Line], right: Sequence[Line]) -> Iterator[str]:
    """Yield a row for each line, the lines that both have side by side."""
    matcher = difflib.SequenceMatcher(None, [line.text for line in left], [line.text for line in right])
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        for k in range(max(i_end - i, j_end - j)):
            ours = left[i + k] if i + k < i_end else None
            theirs = right[j + k] if j + k < j_end else None
            sign = "=" if kind == "equal" else "≠" if ours and theirs else "‹" if ours else "›"
            marked = "" if kind == "equal" else ' class="d"'
            yield f'<tr{marked}>{_cells(ours)}<td class="s">{sign}</td>{_cells(theirs)}</tr>'


def _cells(line: Line | None) -> str:
    if line is None:
        return "<td></td><td></td>"
    given = ' class="g"' if line.given else ""
    return f'<td class="n">{line.where}</td><td{given}><code>{escape_html(cap(line.text, MOST_CHARACTERS))}</code></td>'

"""A sheet as a page to print, and as Markdown: the questions, and on a page of its own the answers for the examiner.

For practice the answer stands below each question, folded up. Nothing of a sheet runs or fetches anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render.escape import escape_html, escape_line, escape_markdown
from grader.render.html import marked
from grader.render.htmlpage import html_page
from grader.report import with_texts
from grader.topic import make_topic
from grader.viva.kinds import filled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.topic.questions import Examination
    from grader.viva.sheet import Sheet

ANSWER = "`{answer}`."  # words, as those of a kind
NO_PROOF = "A sheet is no proof. A wrong answer may be a slip, a right one may be a guess: ask why, change a number, and ask again."
STYLE = """
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 16px/1.45 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 50em; padding: 1.5em; overflow-wrap: anywhere; }
h1 { font-size: 1.3em; margin: 0 0 .3em; }
h2 { font-size: 1.15em; margin: 1.5em 0 .5em; }
code, pre { font: .9em/1.4 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .5em 0; white-space: pre-wrap; }
.scene { align-items: center; display: flex; flex-wrap: wrap; gap: 1em 2em; }
svg { flex: 1 1 20em; height: auto; max-width: 100%; min-width: 0; }
ol { padding-left: 1.6em; }
ol > li { break-inside: avoid; margin: 0 0 1.1em; }
ul { display: grid; gap: 0 2em; grid-template-columns: repeat(auto-fit, minmax(17em, 1fr)); list-style: none;
  margin: .3em 0 0; padding: 0; }
ul li { padding-left: 1.5em; text-indent: -1.5em; }
ul li::before { content: "\\25A1\\00A0\\00A0"; }
.room { border-bottom: 1px solid; display: block; height: 1.9em; max-width: 16em; }
.name { border-bottom: 1px solid; }
dl { margin: .2em 0 0; }
dt { float: left; font-weight: 600; padding-right: .5em; }
dd { margin: 0; }
.examiner { border-top: 2px solid; margin-top: 3em; padding-top: 1em; }
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  main + main { break-before: page; }
  body { font-size: 10pt; }
  .examiner { border: 0; break-before: page; margin: 0; padding: 0; }
}
"""


def sheet_html(sheet: Sheet, *, among: tuple[int, int] | None = None) -> str:
    """Return the page; `among` are the lowest and the highest sum of levels in the class."""
    title = f"{sheet.title}: questions {'for practice' if sheet.practice else f'to {sheet.student}'}"
    return html_page(title, _body(sheet, among), [STYLE])


def sheets_html(title: str, sheets: Iterable[Sheet], *, among: tuple[int, int] | None = None) -> str:
    """Return the pages of several sheets as one."""
    return html_page(title, "\n".join(_body(sheet, among) for sheet in sheets), [STYLE])


def _body(sheet: Sheet, among: tuple[int, int] | None) -> str:
    shown = with_texts(sheet, escape_line)
    end = "" if shown.practice else _examiner(shown, among)
    return "".join(["<main>", _head(shown), *_questions(shown), end, "</main>"])


def _text(text: str) -> str:
    return marked(escape_html(text))


def _head(sheet: Sheet) -> str:
    to = "for practice" if sheet.practice else f'to <span class="name">{escape_html(sheet.student)}</span>'
    parts = [f"<h1>{escape_html(sheet.title)}: questions {to}</h1>"]
    if sheet.why:
        parts.append(f"<p>{_text(sheet.why)}</p>")
    if sheet.scene and sheet.questions:
        examination: Examination = make_topic(sheet.topic, {}).examination()
        lines = "\n".join(map(escape_html, sheet.scene.lines))
        picture = f'<div class="scene"><pre>{lines}</pre>{examination.picture(sheet.scene.boxes)}</div>'
        parts.append(f"<p>{_text(sheet.scene.about)}</p>{picture}")
    return "".join(parts)


def _questions(sheet: Sheet) -> Iterable[str]:
    yield "<ol>"
    for kind, one in sheet.typed:
        options = "".join(f"<li><code>{escape_html(option)}</code></li>" for option in one.options)
        room = f"<ul>{options}</ul>" if options else '<span class="room"></span>'
        yield f"<li>{_text(filled(kind.asked, one))}{room}"
        if sheet.practice:
            yield f"<details><summary>The answer</summary><p>{_text(filled(ANSWER, one))} {_text(filled(kind.worked, one))}</p></details>"
        yield "</li>"
    yield "</ol>"


def _examiner(sheet: Sheet, among: tuple[int, int] | None) -> str:
    items = "".join(
        f"<li>{_text(filled(ANSWER, one))} <i>{escape_html(kind.name)}</i><dl>"
        f"<dt>Worked out:</dt><dd>{_text(filled(kind.worked, one))}</dd>"
        f"<dt>If wrong:</dt><dd>{_text(filled(kind.suggests, one))}</dd></dl></li>"
        for kind, one in sheet.typed
    )
    doubts = "".join(f"<p><strong>{_text(doubt)}</strong></p>" for doubt in sheet.doubts)
    return (
        f'<section class="examiner"><h2>For the examiner: answers of {escape_html(sheet.student)}</h2>{doubts}'
        f"<p>{escape_html(_levels(sheet, among))}</p><ol>{items}</ol><p>{escape_html(NO_PROOF)}</p></section>"
    )


def _levels(sheet: Sheet, among: tuple[int, int] | None) -> str:
    count = len(sheet.questions)
    own = f"{sheet.assignment}, {count} question{'' if count == 1 else 's'}, difficulty {sheet.level}"
    if among is None:
        return f"{own}."
    return f"{own}; in this class from {among[0]} to {among[1]}."


# --- Markdown


def sheet_markdown(sheet: Sheet, *, among: tuple[int, int] | None = None) -> str:
    """Return the sheet as Markdown."""
    shown = with_texts(sheet, escape_line)
    to = "for practice" if shown.practice else f"to {shown.student}"
    lines = [f"# {escape_markdown(f'{shown.title}: questions {to}')}", ""]
    if shown.why:
        lines += [escape_markdown(shown.why), ""]
    if shown.scene and shown.questions:
        lines += [escape_markdown(shown.scene.about), "", *(f"    {line}" for line in shown.scene.lines), ""]
    for i, (kind, one) in enumerate(shown.typed, 1):
        lines += [f"{i}. {escape_markdown(filled(kind.asked, one))}", ""]
        lines += [f"   - [ ] {escape_markdown(f'`{option}`')}" for option in one.options]
        lines += [""] if one.options else ["   Answer:", ""]
    lines += [
        "---",
        "",
        "## Answers"
        if shown.practice
        else f"## For the examiner: answers of {escape_markdown(shown.student)}",
        "",
    ]
    if not shown.practice:
        lines += [escape_markdown(text) + "\n" for text in [*shown.doubts, _levels(shown, among)]]
    for i, (kind, one) in enumerate(shown.typed, 1):
        words = f"{ANSWER} {kind.worked}{'' if shown.practice else f' If wrong: {kind.suggests}'}"
        lines += [f"{i}. {escape_markdown(filled(words, one))}", ""]
    lines += [] if shown.practice else [NO_PROOF, ""]
    return "\n".join(lines)

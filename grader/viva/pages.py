"""A sheet as a page to print and as Markdown: the questions, then on a new page the answers for the examiner.

A sheet for practice has each answer folded below its question. No sheet runs or fetches anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render.escape import escape_line, escape_markdown
from grader.render.htmlpage import asset, html_page
from grader.report import with_texts
from grader.topic import make_topic
from grader.viva.kinds import fill_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.topic.questions import Examination
    from grader.viva.sheet import Sheet

ANSWER = "`{answer}`."  # a template, like the words of a kind
NO_PROOF = "A sheet is not a proof. A wrong answer may be a slip, and a right one a guess: ask why, change a number, and ask again."


def sheet_html(sheet: Sheet, *, among: tuple[int, int] | None = None) -> str:
    """Return the page of a sheet; `among` has the lowest and the highest sum of levels in the class."""
    title = f"{sheet.title}: questions {'for practice' if sheet.practice else f'to {sheet.student}'}"
    return sheets_html(title, [sheet], among=among)


def sheets_html(title: str, sheets: Iterable[Sheet], *, among: tuple[int, int] | None = None) -> str:
    """Return one page with several sheets."""
    return html_page(
        "viva/sheet.html",
        title,
        [asset("viva/sheet.css")],
        sheets=[with_texts(sheet, escape_line) for sheet in sheets],
        filled=fill_words,
        answer=ANSWER,
        no_proof=NO_PROOF,
        levels=lambda sheet: _levels(sheet, among),
        picture_of=_picture,
    )


def _picture(sheet: Sheet) -> str:
    examination: Examination = make_topic(sheet.topic, {}).examination()
    assert sheet.scene is not None
    return examination.picture(sheet.scene.boxes)


def _levels(sheet: Sheet, among: tuple[int, int] | None) -> str:
    count = len(sheet.questions)
    own = f"{sheet.assignment}, {count} question{'' if count == 1 else 's'}, difficulty {sheet.level}"
    if among is None:
        return f"{own}."
    return f"{own}; the sheets of this class have from {among[0]} to {among[1]}."


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
        lines += [f"{i}. {escape_markdown(fill_words(kind.asked, one))}", ""]
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
        words = f"{ANSWER} {kind.worked}{'' if shown.practice else f' What a wrong answer may mean. {kind.suggests}'}"
        lines += [f"{i}. {escape_markdown(fill_words(words, one))}", ""]
    lines += [] if shown.practice else [NO_PROOF, ""]
    return "\n".join(lines)

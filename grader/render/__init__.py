"""Rendering: a Report becomes text, with one pure function for each format.

- `escape.py`: escaping, a function for each format
- `words.py`: the sentences that the formats share
- `layout.py`: wrapped lines, columns, charts and walks
- `terminal.py`, `markdown.py`, `html.py`: formats for people (`html.py` also has the fragment for notebooks)
- `junit.py`, `gradescope.py`, `classroom.py`, `classroom50.py`: formats for programs

`FORMATS` is the table of formats. `--format` offers its keys, and the tests put hostile text through every one.
A renderer begins with `with_texts(report, escape_line)` or the like, so that no text of the report stays unescaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render.classroom import render_classroom, reporter_variable
from grader.render.classroom50 import render_classroom50
from grader.render.escape import escape, escape_html, escape_line, escape_markdown
from grader.render.gradescope import render_gradescope
from grader.render.html import render_fragment, render_html
from grader.render.junit import render_junit
from grader.render.layout import shortened, wrapped
from grader.render.markdown import render_markdown
from grader.render.terminal import render_terminal
from grader.report import to_json

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS: dict[str, Callable[..., str]] = {
    "terminal": render_terminal,
    "json": to_json,
    "markdown": render_markdown,
    "html": render_html,
    "fragment": render_fragment,
    "junit": render_junit,
    "gradescope": render_gradescope,
    "classroom": render_classroom,
    "classroom50": render_classroom50,
}

# Other programs make a grade of these, so a file that is missing or cannot be read gets a report too.
FOR_PROGRAMS = frozenset({"junit", "gradescope", "classroom", "classroom50"})

__all__ = [
    "FORMATS",
    "FOR_PROGRAMS",
    "escape",
    "escape_html",
    "escape_line",
    "escape_markdown",
    "render_classroom",
    "render_classroom50",
    "render_fragment",
    "render_gradescope",
    "render_html",
    "render_junit",
    "render_markdown",
    "render_terminal",
    "reporter_variable",
    "shortened",
    "wrapped",
]

"""Rendering: a pure function for each format turns a Report into text.

- `escape.py`: escaping, a function for each format
- `words.py`: the sentences that the formats share
- `layout.py`: wrapped lines, columns, charts and walks
- `walk.py`: the trace of a check as a table, for a terminal
- `terminal.py`, `markdown.py`, `html.py`: formats for people (`html.py` also has the fragment for notebooks)
- `htmlpage.py`: fills the templates of all rooms (HTML is only in templates), and makes the policy of a page
- `tokens.css`, `page.css`: the colours of all pages, and their other shared styles
- `player/`: the player of a trace, and its pages
- `junit.py`, `gradescope.py`, `classroom.py`, `classroom50.py`: formats for programs

`FORMATS` has every format; a new one is a line in `_MODULES`. `--format` offers its keys, and the tests put hostile
text through every one.
A renderer begins with `with_texts(report, escape_line)` or a similar call, which escapes every text of the report.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

from grader.render.escape import escape, escape_line, escape_markdown
from grader.render.layout import shorten, wrap

TYPE_CHECKING = False  # type checkers know this name; importing `typing` would cost time at every start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from grader.report import Report

# The module that has the renderer of each format, `render_NAME`.
_MODULES = {
    "terminal": "grader.render.terminal",
    "json": "grader.report",
    "markdown": "grader.render.markdown",
    "html": "grader.render.html",
    "fragment": "grader.render.html",
    "junit": "grader.render.junit",
    "gradescope": "grader.render.gradescope",
    "classroom": "grader.render.classroom",
    "classroom50": "grader.render.classroom50",
}


def _render(name: str, report: Report, **look: Any) -> str:
    """Return a report in one format. Its module is imported now: a terminal needs no HTML."""
    module = import_module(_MODULES[name])
    renderer: Callable[..., str] = module.to_json if name == "json" else getattr(module, f"render_{name}")
    return renderer(report, **look)


FORMATS = {name: partial(_render, name) for name in _MODULES}

# Other programs derive grades from these, so a missing or unreadable file gets a report, too.
FOR_PROGRAMS = frozenset({"junit", "gradescope", "classroom", "classroom50"})

__all__ = [
    "FORMATS",
    "FOR_PROGRAMS",
    "escape",
    "escape_line",
    "escape_markdown",
    "shorten",
    "wrap",
]

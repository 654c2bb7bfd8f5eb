"""Rendering: a Report becomes text, with one pure function for each format.

- `escape.py`: escaping, a function for each format
- `words.py`: the sentences that the formats share
- `layout.py`: wrapped lines, columns, charts and walks
- `walk.py`: the trace of a check as a table, for a terminal
- `terminal.py`, `markdown.py`, `html.py`: formats for people (`html.py` also has the fragment for notebooks)
- `htmlpage.py`: a page, and what a browser may load and run in it; `player/`: the player of a trace, and its pages
- `notebook.py`: a page with the student's notebook and each result below its cell; `cell.py`: a cell;
  `exporter.py`: the cells as HTML, by nbconvert
- `junit.py`, `gradescope.py`, `classroom.py`, `classroom50.py`: formats for programs

`FORMATS` is the table of formats. `--format` offers its keys, and the tests put hostile text through every one.
A renderer begins with `with_texts(report, escape_line)` or the like, so that no text of the report stays unescaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.render.escape import escape, escape_html, escape_line, escape_markdown
from grader.render.layout import shortened, wrapped

TYPE_CHECKING = False  # type checkers know this name; importing `typing` would cost time at every start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from grader.render.classroom import render_classroom, reporter_variable
    from grader.render.classroom50 import render_classroom50
    from grader.render.gradescope import render_gradescope
    from grader.render.html import render_fragment, render_html
    from grader.render.junit import render_junit
    from grader.render.markdown import render_markdown
    from grader.render.terminal import render_terminal


class _Formats(Mapping[str, "Callable[..., str]"]):
    """The renderer of each format, imported when it is asked for."""

    names = (
        "terminal", "json", "markdown", "html", "fragment", "junit", "gradescope", "classroom", "classroom50"
    )  # fmt: skip

    def __getitem__(self, name: str) -> Callable[..., str]:
        if name == "json":
            from grader.report import to_json

            return to_json
        if name not in self.names:
            raise KeyError(name)
        renderer: Any = __getattr__(f"render_{name}")
        return renderer  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


FORMATS = _Formats()

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


def __getattr__(name: str) -> object:
    """Import a name of `__all__` when it is asked for: a terminal has no use for HTML."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = {"render_fragment": "html", "reporter_variable": "classroom"}
    module = modules.get(name, name.removeprefix("render_"))
    return getattr(import_module(f"{__name__}.{module}"), name)

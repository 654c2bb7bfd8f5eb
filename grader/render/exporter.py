"""The cells of a notebook as HTML, by nbconvert, which not everybody has installed.

Nothing runs, and nothing is fetched. Three walls, of which each alone is enough:

- nbconvert gets a notebook that is made here, of text and pictures only, and a template of ours. It reads no template
  and no configuration from a folder: those in the current one could be a student's, and name code to run.
- Markdown is rendered with HTML as text, and bleach keeps only the elements and attributes that are listed here.
- The page's policy allows no script, no address and no style but ours.

Formulas stay as they are written, for there is no MathJax.
"""

from __future__ import annotations

import functools
import html
import re
import warnings
from typing import TYPE_CHECKING, Any

import nbformat
from bleach.sanitizer import Cleaner
from nbconvert.exporters.html import HTMLExporter
from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

from grader.render.escape import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.render.cell import Cell

# Characters of a cell, and of all cells; more is shown as plain text. Some texts take quadratic time.
MAX_CELL, MAX_STYLED = 10_000, 100_000
MAX_ALT = 300  # characters of the text for a picture
_HEADINGS = 6
_PRIORITY = ["image/png", "image/jpeg", "image/svg+xml", "text/plain"]
_TEMPLATE = """
{%- for cell in nb.cells %}
<div class="cell {{ cell.cell_type }}" id="{{ cell.id }}">
<div class="label">{{ cell.metadata.label | e }}</div>
{{ cell | cell_html }}
{%- for output in cell.outputs or [] %}{% for type in output.data | filter_data_type %}
{%- if type == "text/plain" %}
<pre class="output">{{ output.data[type] | e }}</pre>
{%- else %}
<img src="data:{{ type }};base64,{{ output.data[type] | e }}" alt="{{ output.data | alt | e }}">
{%- endif %}
{%- endfor %}{% endfor %}
</div>
{{ resources.results[loop.index0] }}
{%- endfor %}
"""
_BLOCKS = ("blockquote", "br", "div", "h2", "h3", "h4", "h5", "h6", "hr", "p", "pre")
_LISTS = ("dd", "dl", "dt", "li", "ol", "table", "tbody", "td", "th", "thead", "tr", "ul")
_INLINE = ("a", "code", "del", "em", "img", "span", "strong")
# nbconvert's own filter keeps `id`, so a notebook could take a check's anchor, and shows paragraphs as HTML source.
_KEPT = Cleaner(
    tags=[*_BLOCKS, *_LISTS, *_INLINE],
    attributes={
        "a": ["href", "rel"],
        "div": ["class"],
        "img": ["src", "alt"],
        "ol": ["start"],
        "span": ["class"],
    },
    protocols=["http", "https", "data"],
    strip=True,
)


def export_cells(
    cells: Sequence[Cell], marked: Mapping[int, Sequence[int]], results: Mapping[int, str]
) -> str:
    """Return the cells as HTML, each with its `results` below it; both tables are by a cell's index.

    `marked` has the lines of a cell that a check names, counted as in the report.
    """
    exporter = _exporter()
    exporter.register_filter("cell_html", _Styled(cells, marked))
    nodes = [_node(cell, index) for index, cell in enumerate(cells)]
    notebook = nbformat.from_dict({"cells": nodes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    below = [results.get(index, "") for index in range(len(cells))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries: the reader can do nothing about them
        text, _ = exporter.from_notebook_node(notebook, {"results": below})
    return escape(text)


@functools.cache
def _exporter() -> Any:
    """Return the exporter of all pages: to make one and compile its template takes a third of the time of a page."""
    return HTMLExporter(
        config=Config({"NbConvertBase": {"display_data_priority": _PRIORITY}}),
        raw_template=_TEMPLATE,
        filters={"cell_html": html.escape, "alt": _alt},  # the first is each page's own
        template_paths=[],
        extra_template_basedirs=[],
        default_preprocessors=[],
    )


def _node(cell: Cell, index: int) -> dict[str, Any]:
    outputs = [
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {kind: _plain(text) if kind == "text/plain" else text for kind, text in output.items()},
        }
        for output in cell.outputs
    ]
    node: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{index + 1}",
        "metadata": {"label": cell.label, "index": index},
        "source": _plain(cell.source),
    }
    return node | ({"outputs": outputs, "execution_count": None} if cell.kind == "code" else {})


def _plain(text: str) -> str:
    """Return a text without colours, and with spaces for tabs."""
    return escape(strip_ansi(text).expandtabs(4))


def _alt(data: Mapping[str, str]) -> str:
    """Return the words for a picture: the text that came with it."""
    return data.get("text/plain", "")[:MAX_ALT] or "a picture without a description"


class _Styled:
    """The source of a cell as HTML: code in colours, Markdown as it is meant; plain text where that is too much."""

    def __init__(self, cells: Sequence[Cell], marked: Mapping[int, Sequence[int]]) -> None:
        self.cells, self.marked, self.left = cells, marked, MAX_STYLED

    def __call__(self, node: Any) -> str:
        index = node.metadata.index
        cell, source = self.cells[index], node.source
        if len(source) <= min(MAX_CELL, self.left):
            self.left -= len(source)
            if cell.kind == "code":
                return _code(source, cell.first_line, self.marked.get(index, ()))
            if cell.kind == "markdown":
                return _markdown(source, cell.attachments)
        return f"<pre>{html.escape(source)}</pre>"


def _code(source: str, first_line: int, marked: Sequence[int]) -> str:
    source = re.sub(
        r"[^\S\n]+$", "", source, flags=re.MULTILINE
    )  # many lines of blanks take Pygments minutes
    first_line += len(source) - len(source.lstrip("\n"))  # Pygments leaves out blank lines at the beginning
    options = {
        "linenos": "inline",
        "linenostart": first_line,
        "hl_lines": [line - first_line + 1 for line in marked],
    }
    highlight = Highlight2HTML(pygments_lexer="python3", extra_formatter_options=options)
    return str(_KEPT.clean(highlight(source)))


def markdown_html(source: str) -> str:
    """Return Markdown as HTML that runs nothing and fetches nothing."""
    return _markdown(_plain(source), {})


def _markdown(source: str, attachments: Mapping[str, Mapping[str, str]]) -> str:
    try:
        text = MarkdownWithMath(renderer=_Renderer(attachments)).render(source)
        return f'<div class="text">{_KEPT.clean(text)}</div>'
    except Exception:  # of the libraries, for strange Markdown: it is shown as it is written
        return f"<pre>{html.escape(source)}</pre>"


class _Renderer(IPythonRenderer):  # type: ignore[misc]  # nbconvert has no types
    """Markdown as HTML: raw HTML stays text, a link leads into the web, and a picture is one that the cell holds."""

    def __init__(self, attachments: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
        self.pictures = attachments

    def text(self, text: str) -> str:
        """Return text, in which an entity such as `&lt;` stands for its sign."""
        return html.escape(html.unescape(text), quote=False)

    def heading(self, text: str, level: int, **_: Any) -> str:
        """Return a heading one level lower, for the page has its own first heading."""
        return str(super().heading(text, min(level + 1, _HEADINGS)))

    def link(self, text: str, url: str, **_: Any) -> str:
        """Return a link into the web; of any other only the text."""
        if not url.lower().startswith(("https://", "http://")):
            return text
        return f'<a href="{html.escape(url)}" rel="noopener noreferrer">{text}</a>'

    def image(self, text: str, url: str, **_: Any) -> str:
        """Return a picture that the cell holds; of any other only the words for it."""
        for kind, data in self.pictures.get(url.removeprefix("attachment:"), {}).items():
            if url.startswith("attachment:"):
                return f'<img src="data:{kind};base64,{data}" alt="{html.escape(text)}">'
        return html.escape(text)

    def block_mermaidjs(self, code: str) -> str:
        """Return a diagram as the text that it is."""
        return f"<pre>{html.escape(code)}</pre>"

"""A lesson's Markdown as HTML that runs nothing and fetches nothing, by nbconvert.

HTML in it is text, and bleach keeps only the elements and attributes that are listed here. Formulas stay as they are
written, for there is no MathJax.
"""

from __future__ import annotations

import html
from typing import Any

from bleach.sanitizer import Cleaner
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from grader.render.escape import escape
from grader.render.htmlpage import fill

SCHEMES = ("https://", "http://")  # of links
_HEADINGS = 6
_BLOCKS = ("blockquote", "br", "div", "h2", "h3", "h4", "h5", "h6", "hr", "p", "pre")
_LISTS = ("dd", "dl", "dt", "li", "ol", "table", "tbody", "td", "th", "thead", "tr", "ul")
_INLINE = ("a", "code", "del", "em", "span", "strong")
# nbconvert's own filter keeps `id`, so a lesson could take the place of an element that the page's script asks for.
_KEPT = Cleaner(
    tags=[*_BLOCKS, *_LISTS, *_INLINE],
    attributes={"a": ["href"], "div": ["class"], "ol": ["start"], "span": ["class"]},
    protocols=[scheme.partition(":")[0] for scheme in SCHEMES],
    strip=True,
)


def markdown_html(source: str) -> str:
    """Return Markdown as HTML; as the text that it is, where the library cannot read it."""
    source = escape(source.expandtabs(4))
    try:
        kept = _KEPT.clean(MarkdownWithMath(renderer=_Renderer()).render(source))
    except Exception:  # of the libraries, for strange Markdown
        kept = None
    return fill("site/lesson.html", html=kept, source=source)


class _Renderer(IPythonRenderer):  # type: ignore[misc]  # nbconvert has no types
    """Markdown as HTML: raw HTML stays text, a link leads into the web, and a picture is the words for it."""

    def __init__(self) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)

    def text(self, text: str) -> str:
        """Return text, in which an entity such as `&lt;` stands for its sign."""
        return html.escape(html.unescape(text), quote=False)

    def heading(self, text: str, level: int, **_: Any) -> str:
        """Return a heading one level lower, for the page has its own first heading."""
        return str(super().heading(text, min(level + 1, _HEADINGS)))

    def link(self, text: str, url: str, *_: Any, **__: Any) -> str:
        """Return a link into the web; of any other only the text."""
        return str(super().link(text, url)) if url.lower().startswith(SCHEMES) else text

    def image(self, text: str, *_: Any, **__: Any) -> str:
        """Return the words for a picture."""
        return html.escape(text)

    def block_mermaidjs(self, code: str) -> str:
        """Return a diagram as the text that it is."""
        return str(self.block_code(code))

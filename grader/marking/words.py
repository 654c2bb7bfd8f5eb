"""A student's words on the page: Markdown as inert HTML, printed text, hidden names."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from grader.render.escape import escape
from grader.render.htmlpage import fill

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from markdown_it import MarkdownIt
    from markupsafe import Markup

LONGEST = 40_000  # characters of an answer whose texts are rendered; those of a longer one are shown as their source
SHORTEST_NAME = 3  # characters of a name that can be hidden: shorter ones are part of many words
HIDDEN = "[name]"
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")  # ECMA-48


def markdown_to_html(source: str, size: int = 0) -> Markup:
    """Return Markdown as HTML, or its source if it takes too long or cannot be read.

    It takes too long in an answer of too many characters (`size`), and with a table whose rows lack most of their cells,
    because the library adds these. Raw HTML stays text, a picture becomes its words, and links lead only to http or https.
    """
    source = escape(source.expandtabs(4))
    cells = (source.count("\n") + 1) * max(line.count("|") for line in source.split("\n"))
    try:
        html = (
            _reader().render(source)
            if max(size, len(source)) <= LONGEST and cells <= 500 + len(source)
            else None
        )
    except Exception:  # any error of the library: show the source
        html = None
    return fill("marking/text.html", html=html, source=source)


@functools.cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    made.validateLink = lambda url: url.lower().startswith(("http://", "https://"))  # type: ignore[method-assign]
    made.core.ruler.push("links", _make_inert)
    return made


def _make_inert(state: object) -> None:
    """Make each link open a new page that learns nothing about this one; remove styles, which the policy forbids."""
    for block in getattr(state, "tokens", ()):
        block.attrs.pop("style", None)
        for token in block.children or ():
            if token.type == "link_open":
                token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}


def clean_output(text: str) -> str:
    """Return printed text without a terminal's commands."""
    return escape(_TERMINAL.sub("", text)).rstrip()


def hider(names: Iterable[str], *, but: Collection[str] = ()) -> re.Pattern[str]:
    """Return a pattern for these names in any case: as words, or in an address such as `ada@uni.edu`.

    Names in `but`, in lower case, are not hidden.

    >>> hider(["Ada", "max"], but={"max"}).sub(HIDDEN, "ada@uni.edu, Adam, max")
    '[name]@uni.edu, Adam, max'
    """
    found = {name for name in names if len(name) >= SHORTEST_NAME and name.lower() not in but}
    either = "|".join(map(re.escape, sorted(found, key=len, reverse=True))) or r"(?!)"
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)

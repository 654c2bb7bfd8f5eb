"""A student's words on the page: Markdown as HTML that runs nothing and fetches nothing, printed text, hidden names."""

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

LONGEST = 40_000  # characters of a text that is rendered; of a longer one the source is shown
SHORTEST_NAME = 3  # characters of a name that can be hidden: a shorter one is part of many words
HIDDEN = "[name]"
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")  # ECMA-48


def rendered(source: str) -> Markup:
    """Return Markdown as HTML; as the text that it is, if it is too long or cannot be read.

    Raw HTML stays text, a picture's words stand for it, and a link leads to http or https.
    """
    source = escape(source.expandtabs(4))
    try:
        html = _reader().render(source) if len(source) <= LONGEST else None
    except Exception:  # of the library, for strange Markdown
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
    """Make each link open a page of its own, which learns nothing of this one; take away styles, which the policy forbids."""
    for block in getattr(state, "tokens", ()):
        block.attrs.pop("style", None)
        for token in block.children or ():
            if token.type == "link_open":
                token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}


def printed(text: str) -> str:
    """Return printed text without a terminal's commands."""
    return escape(_TERMINAL.sub("", text)).rstrip()


def hider(names: Iterable[str], *, but: Collection[str] = ()) -> re.Pattern[str]:
    """Return what finds these names in a text, in any case, as words or in an address such as `ada@uni.edu`.

    Names that stand, in lower case, in `but` are left alone.
    """
    found = {name for name in names if len(name) >= SHORTEST_NAME and name.lower() not in but}
    known = sorted(found, key=len, reverse=True)
    either = "|".join(map(re.escape, known)) or r"(?!)"
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)

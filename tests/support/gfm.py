"""Readers of Markdown: a GFM parser, and a search for texts that GitHub links afterwards.

Formulas, footnotes and lists of tasks are GitHub's own and are parsed too. The rules for mentions and their
like are wider than GitHub's: a text that GitHub might not link still fails a test. They do not look into code, as GitHub
does not.
"""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

TAGS = {"h2", "p", "strong", "b", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "pre"} | {
    "details",
    "summary",
}
VOID = {"hr", "input"}  # have no end
ATTRIBUTES = {("open", ""), ("style", "text-align:right")}
LINKED = {
    "mention or mail address": r"@\w",
    "issue": r"#\d|\b(?i:gh|ghsa|cve)-\w",
    "commit": r"\b[0-9a-fA-F]{7,40}\b",
    "emoji": r":[\w+-]+:",
    "formula": r"\$",
    "task": r"^\s*\[[ xX]\]",
    "address": r"://|\bwww\.",
}


class Page(HTMLParser):
    """The visible parts of a page: elements, and texts with the elements around them."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[tuple[list[str], str]] = []
        self.feed(_parser().render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open[-1:] == [tag], "what a text closed"
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((list(self.open), data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment

    @property
    def text(self) -> str:
        """All that can be read, one text after another."""
        return "".join(text for _, text in self.texts)

    def count(self, tag: str) -> int:
        """The number of elements of a kind."""
        return self.tags.count(tag)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": True})
    return parser.use(dollarmath_plugin).use(footnote_plugin).use(tasklists_plugin)


def seen(markdown: str) -> Page:
    """The page, which has only our own elements. Raises AssertionError for text that GitHub would act on."""
    page = Page(markdown)
    assert page.open == [], "what a text opened"
    assert set(page.tags) <= TAGS
    assert set(page.attributes) <= ATTRIBUTES
    assert linked(page) == []
    return page


def linked(page: Page) -> list[tuple[str, str]]:
    """The texts that GitHub turns into a link, a mention, a picture or a formula: outside of code."""
    shown = [text for inside, text in page.texts if not {"code", "pre"} & set(inside)]
    return [(name, text) for text in shown for name, rule in LINKED.items() if re.search(rule, text)]

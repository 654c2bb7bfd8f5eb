"""A lesson's Markdown as HTML: nothing in it runs, is fetched, or takes the place of a part of the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hostile import HOSTILE, obeyed, refusal

from grader.site.markdown import markdown_html

VOID = {"br", "hr"}
TAGS = {
    *"div h2 h3 h4 h5 h6 p pre code a em strong del span ul ol li dl dt dd blockquote".split(),
    *"table thead tbody tr th td br hr".split(),
}


class Reader(HTMLParser):
    """What a browser finds in a text: its tags, attributes and text; every tag is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags, self.texts = list[str](), list[str](), list[str]()
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == [], "what a text closed or opened"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    @property
    def text(self) -> str:
        """The text that a reader sees."""
        return "".join(self.texts)

    @property
    def links(self) -> list[str]:
        """Where the links lead."""
        return [value for name, value in self.attributes if name == "href"]


def inert(source: str) -> Reader:
    """Return what is in a text that runs nothing and fetches nothing."""
    html = markdown_html(source)
    assert obeyed(html) == []
    found = Reader(html)
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= {"class", "href", "rel", "start"}
    assert all(re.match("https?://", link) for link in found.links)
    return found


def test_markdown_is_rendered() -> None:
    """Headings below the page's own, tables, code; a formula stays as it is written."""
    found = inert("# One\n\nA *word*, `code`, 1 &lt; 2.\n\n| a |\n|---|\n| b |\n\n$x^2$")
    assert {"h2", "p", "em", "code", "table", "th", "td"} <= set(found.tags)
    assert found.text.count("<") == 1
    assert "1 < 2" in found.text
    assert "$x^2$" in found.text


def test_hostile_text_is_inert() -> None:
    """In every place of Markdown: a heading, a link, a picture, code and a table."""

    def judge(text: str) -> None:
        inert(text)
        inert(f"# {text}\n\n[x]({text}) ![x]({text}) `{text}`\n\n```{text}\n{text}\n```\n| {text} |\n|-|")

    refused = {name: refusal(judge, text[:3_000]) for name, text in HOSTILE.items()}
    assert {name: why for name, why in refused.items() if why} == {}


def test_html_in_markdown_is_text() -> None:
    """It is seen as it was written, as are diagrams, which nbconvert hands through."""
    found = inert("<b>bold</b>\n\n<script>alert(1)</script>\n\n```mermaid\n<script>alert(2)</script>\n```")
    for shown in ("<b>bold</b>", "<script>alert(1)</script>", "<script>alert(2)</script>"):
        assert shown in found.text


def test_links_lead_into_the_web_or_nowhere() -> None:
    """A link that would run or open a file is its text alone, as is a picture."""
    found = inert(
        "[a](javascript:alert(1)) [b](file:///etc) [c](../x.md) [d](data:text/html,x) [e](https://e.org) "
        "![f](https://e.org/x.png) ![g](attachment:x.png)"
    )
    assert found.links == ["https://e.org"]
    assert found.text.split() == list("abcdefg")


@pytest.mark.ci
def test_what_the_library_cannot_read_is_shown_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lesson never stops the site."""

    def fail(*_: object) -> str:
        raise ValueError

    monkeypatch.setattr("grader.site.markdown.MarkdownWithMath.render", fail)
    assert markdown_html("# <One>") == "<pre># &lt;One&gt;</pre>"

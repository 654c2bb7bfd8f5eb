"""A student's Markdown becomes elements that do nothing, and links that lead to the web."""

from html.parser import HTMLParser

import pytest

from grader.marking.words import LONGEST, clean_output, markdown_to_html

HOSTILE = """\
# Heading
<script>alert(1)</script> <img src=x onerror=alert(1)> **bold** `code`
[a](javascript:alert(1)) [b](JaVaScRiPt&colon;alert(1)) [c](data:text/html,x) [d](//evil.example) [e](mark)
[f](https://example.org "t\\" onclick=alert(1)") <javascript:alert(1)> ![p](https://evil.example/p.png)
![q][r] [x]: y
<a href="javascript:alert(1)">z</a>

[r]: https://evil.example/q.png
"""


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.links = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found |= {tag, *(f"{tag}.{name}" for name, _ in attrs)}
        self.links += [value for name, value in attrs if name in {"href", "src"}]


def test_hostile_markdown():
    """Nothing runs and nothing is fetched."""
    read = Elements(str(markdown_to_html(HOSTILE)))
    assert read.links == [
        "https://example.org",
        "https://evil.example/p.png",
        "https://evil.example/q.png",
    ]  # to click
    assert read.found <= {
        "div",
        "div.class",
        "h1",
        "p",
        "strong",
        "code",
        "a",
        "a.href",
        "a.title",
        "a.target",
        "a.rel",
    }


def test_tables_lists_and_code():
    """What a lesson teaches to write."""
    read = Elements(
        str(markdown_to_html("1. one\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```python\nx < 1\n```\n"))
    )
    assert {"ol", "li", "table", "td", "pre", "code"} <= read.found
    assert "td.style" not in read.found


@pytest.mark.ci
@pytest.mark.parametrize("text", ["x" * (LONGEST + 1), "[" * 30_000, ">" * 5_000, "*a_ " * 9_000])
def test_strange_markdown_ends(text):
    """A long text is shown as it is written."""
    assert len(markdown_to_html(text)) > 100


@pytest.mark.parametrize(
    ("text", "size"), [("|a" * 300 + "\n" + "|-" * 300 + "\n|" * 300, 0), ("*a*", LONGEST + 1)]
)
def test_what_takes_long_to_render_is_shown_as_its_source(text, size):
    """A table whose rows have one of 300 cells, and any text of an answer that is long in all."""
    read = Elements(str(markdown_to_html(text, size)))

    assert read.found == {"pre"}


def test_printed_text_has_no_commands_of_a_terminal():
    """Colours, titles, a cursor that moves."""
    assert clean_output("\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b[2Jx\n") == "red x"

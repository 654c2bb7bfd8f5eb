"""The page with the student's notebook: each result below its cell, and nothing in it that runs or is fetched."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile import HONEST, HOSTILE, full_report, obeyed, refusal, report_of, ungraded
from told import sentences_with

from grader.errors import Refused
from grader.render import exporter
from grader.render.cell import Cell
from grader.render.notebook import Place, page_with_results
from grader.report import Outcome, Report

VOID = {"meta", "br", "hr", "img"}
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
TAGS = {
    *"html head meta title style body main h1 h2 h3 h4 h5 h6 nav section div span pre code p a b em strong del".split(),
    *"ul ol li dl dt dd blockquote table thead tbody tr th td img br hr details summary".split(),
}
ATTRIBUTES = {
    *"lang charset http-equiv content name class id aria-label aria-hidden scope style href rel src alt".split(),
    *"start open".split(),
}


def code(source: str, number: int = 1, *outputs: dict[str, str], first_line: int = 1) -> Cell:
    """A cell of code."""
    return Cell("code", source, number, f"cell {number}", first_line, list(outputs))


def markdown(source: str, number: int = 1, **pictures: dict[str, str]) -> Cell:
    """A cell of Markdown."""
    return Cell("markdown", source, number, f"cell {number}", attachments=pictures)


class Reader(HTMLParser):
    """What a browser finds in a page: its tags, attributes, styles and text; every tag is closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open, self.tags, self.styles, self.texts = [], [], [], []
        self.attributes: list[tuple[str, str]] = []
        self.feed(page.removeprefix("<!DOCTYPE html>\n"))
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
        (self.styles if self.open[-1:] == ["style"] else self.texts).append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def values(self, name: str) -> list[str]:
        """The values of an attribute, in order."""
        return [value for key, value in self.attributes if key == name]

    @property
    def text(self) -> str:
        """The text that a reader sees."""
        return "".join(self.texts)


def inert(page: str) -> Reader:
    """Return what is in a page that runs nothing and fetches nothing."""
    assert obeyed(page) == []
    found = Reader(page)
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(re.fullmatch(r"width: [\d.]+%", style) for style in found.values("style"))
    assert all(
        re.match(r"data:image/(png|jpeg|svg\+xml);base64,[\w+/=]*$", url) for url in found.values("src")
    )
    assert all(url.startswith(("#check-", "https://", "http://")) for url in found.values("href"))
    policies = [value for name, value in found.attributes if name == "content" and "default-src" in value]
    assert len(policies) == 1
    (policy,) = policies
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    styles = allowed.pop("style-src")
    assert allowed == dict.fromkeys(["default-src", "base-uri", "form-action"], "'none'") | {
        "img-src": "data:"
    }
    assert "unsafe-inline" not in styles
    for style in found.styles:
        assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in styles
    assert not re.search(r"url\(|@import", "".join(found.styles))
    return found


# --- The order of the page


def test_each_result_is_below_its_cell(graded: dict[str, Report], snapshot) -> None:
    """The failed one in full, the others in one line; what belongs to no cell comes before the notebook."""
    cells = [code("first = 1"), code("second = 2", 2), code("third = 3", 3)]
    places = {"add_rule": Place(0), "swap_rule": Place(1, line=1)}

    page = inert(page_with_results(graded["two"], cells, places))

    rest, _, notebook = page.text.partition("The file")
    assert sentences_with("Not tied to a", rest) == snapshot
    order = ["first", "add_rule", "second", "swap_rule", "In a * b your engine does", "third"]
    assert sorted(order, key=notebook.index) == order
    assert "accumulate" not in notebook
    ids = page.values("id")
    assert {url.removeprefix("#") for url in page.values("href")} == {
        i for i in ids if i.startswith("check-")
    }
    assert len(ids) == len(set(ids))


def test_the_head_has_points_and_the_next_step(graded: dict[str, Report]) -> None:
    """The same sentences as in the report."""
    page = Reader(page_with_results(graded["two"], [code("x = 1")], {}))
    head = page.text.partition("Checks")[0]
    assert "day2: The backward pass" in head
    assert "of 100 points" in head
    assert "Next: look at" in head


def test_the_line_of_a_failed_check_is_marked(graded: dict[str, Report]) -> None:
    """The number of the line is the report's, also below blank lines and in a .py file."""
    cells = [code("\n\na = 1\nb = 2", first_line=11)]
    page = page_with_results(graded["two"], cells, {"swap_rule": Place(0, line=14)})
    (marked,) = re.findall(r'<span class="hll">(.*)\n', page)
    assert re.sub(r"<[^>]*>", "", marked) == "14b = 2"


def test_no_line_of_a_passed_check_is_marked(graded: dict[str, Report]) -> None:
    """A mark means that something is to be changed there."""
    page = page_with_results(graded["reference"], [code("a = 1")], {"swap_rule": Place(0, line=1)})
    assert 'class="hll"' not in page


# --- Cells


def body(*cells: Cell) -> Reader:
    """Return what is on a page with these cells, without what is on every page."""
    return inert(page_with_results(report_of("x"), cells, {}))


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_is_read_as_it_was_written(name: str) -> None:
    """In code and in an output."""
    text = HONEST[name]
    page = body(code(text, 1, {"text/plain": text}))
    assert page.text.replace("1" + text, text).count(text) == 2


def test_markdown_is_rendered() -> None:
    """Headings below the page's own, tables, code; a formula stays as it is written."""
    page = body(markdown("# One\n\nA *word*, `code`, 1 &lt; 2.\n\n| a |\n|---|\n| b |\n\n$x^2$"))
    assert page.tags.count("h1") == 1
    assert {"h2", "p", "em", "code", "table", "th", "td"} <= set(page.tags)
    assert page.text.count("<") == 1
    assert "1 < 2" in page.text
    assert "$x^2$" in page.text


def test_pictures_are_shown_with_words() -> None:
    """A picture of an output has the text that came with it, an attachment the text of its Markdown."""
    page = body(
        code("draw(L)", 1, {"image/png": PNG, "text/plain": "a graph"}),
        markdown("![a photo](attachment:photo) ![gone](attachment:other) ![far](https://example.org/x.png)",
                 2, photo={"image/png": PNG}),
    )  # fmt: skip
    assert page.values("alt") == ["a graph", "a photo"]
    assert page.values("src") == [f"data:image/png;base64,{PNG}"] * 2
    assert "gone far" in page.text


def test_what_is_too_much_to_colour_is_shown_plainly() -> None:
    """A cell of 10,000 characters is; all of its text is there."""
    long = "x = 1  # " + "y" * 10_000
    page = body(code(long), markdown("*" + long, 2))
    assert page.text.count(long) == 2
    assert "em" not in page.tags


# --- Hostile notebooks


def test_hostile_text_is_inert() -> None:
    """As code, as Markdown, as raw text, as an output, as a name, and in the report itself."""
    for name in HOSTILE:
        refused = refusal(lambda text: inert(hostile_page(text)), HOSTILE[name][:3_000])
        assert not refused, f"{name}: {refused}"


def hostile_page(text: str) -> str:
    """A page of a notebook and a report that both are full of a text."""
    cells = [
        code(text, 1, {"text/plain": text}, {"image/png": PNG, "text/plain": text}),
        markdown(text, 2, **{text: {"image/png": PNG}}),
        markdown(
            f"# {text}\n\n[x]({text}) ![x]({text}) `{text}`\n\n```{text}\n{text}\n```\n| {text} |\n|-|", 3
        ),
        Cell("raw", text, None, text),
    ]
    told = ungraded(text, Outcome.FAILED, Outcome.UNGRADABLE)
    told.checks.append(full_report(text, 1.0).checks[-1])
    return page_with_results(told, cells, {"swap_rule": Place(1)})


def test_html_in_markdown_is_text() -> None:
    """It is seen as it was written, as are diagrams, which nbconvert hands through."""
    page = body(
        markdown("<b>bold</b>\n\n<script>alert(1)</script>\n\n```mermaid\n<script>alert(2)</script>\n```")
    )
    for shown in ("<b>bold</b>", "<script>alert(1)</script>", "<script>alert(2)</script>"):
        assert shown in page.text


def test_links_lead_into_the_web_or_nowhere(snapshot) -> None:
    """A link that would run or open a file is its text alone."""
    page = body(
        markdown(
            "[a](javascript:alert(1)) [b](file:///etc) [c](../x.md) [d](data:text/html,x) [e](https://e.org)"
        )
    )
    assert [url for url in page.values("href") if not url.startswith("#")] == ["https://e.org"]
    assert sentences_with("a b c d", page.text) == snapshot


def test_no_template_is_read_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There nbconvert would find a student's, which may name code to run."""
    for name in ("lab", "basic", "base", "classic"):
        (tmp_path / name).mkdir()
        conf = {"base_template": "x", "preprocessors": {"1": {"type": "antigravity.Run"}}}
        (tmp_path / name / "conf.json").write_text(json.dumps(conf), encoding="utf-8")
        for template in ("index.html.j2", "base.html.j2"):
            (tmp_path / name / template).write_text("{{ 7 * 7 }} OWNED", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    exporter._exporter.cache_clear()  # so that it is made here

    text = body(code("x = 1")).text
    assert ("x = 1" in text, "OWNED" in text) == (True, False)


def test_text_is_no_template() -> None:
    """What a template would compute is shown as it is written."""
    page = body(markdown("{{ 7 * 7 }} {% raw %}"), code("'{{ 7 * 7 }}'", 2, {"text/plain": "{{ 7 * 7 }}"}))
    assert page.text.count("{{ 7 * 7 }}") == 3


# --- Without nbconvert


def test_without_nbconvert_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A student's installation has no nbconvert unless JupyterLab brought it."""
    monkeypatch.delitem(sys.modules, "grader.render.exporter", raising=False)
    for name in ("nbconvert", "nbconvert.exporters.html"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Refused, match=r"nbconvert.* is not installed; run `.* -m pip install nbconvert`"):
        page_with_results(report_of("x"), [code("x = 1")], {})

"""Templates alone make HTML: whatever text they get, each element and attribute of a page stands in a template."""

from __future__ import annotations

import ast
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile import HOSTILE, obeyed
from hostilepages import every_page
from jinja2 import StrictUndefined, UndefinedError
from sampled import every

from grader.render import escape_line
from grader.render.htmlpage import environment, fill

GRADER = Path(__file__).resolve().parents[2] / "grader"
TEMPLATES = {
    path.relative_to(GRADER).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*GRADER.rglob("*.html"), *GRADER.rglob("*.svg")])
    if "node_modules" not in path.parts
}
# What a template prints as it is: our own style sheets and scripts, hashes, a lesson that bleach has cleaned, and
# Markdown in which HTML is text (marking/words.py).
AS_IT_IS = {
    ("marking/text.html", "html"),
    ("render/fragment.html", "style"),
    ("render/page.html", "policy"),
    ("render/page.html", "script.text"),
    ("render/page.html", "style"),
    ("site/lesson.html", "html"),
}
# HTML that is no template's: Markdown for GitHub, in which elements and comments of ours stand, and two signs.
IN_PYTHON = {
    ("authoring/foreign.py", "<!--"),  # read, not written
    ("classroom/github/comments.py", "<!--"),
    ("classroom/letters.py", "<!--"),
    ("classroom/post.py", "<!--"),
    ("gradebook/feedback.py", "<!--"),
    ("gradebook/feedback.py", "<details"),
    ("gradebook/feedback.py", "<summary"),
    ("render/escape.py", "<code"),
    ("render/htmlpage.py", "&amp;"),  # an attribute between single quotes
    ("render/htmlpage.py", "&#x27;"),
    ("render/htmlpage.py", "<!doctype"),  # by which `grade report --html` knows a page
    ("render/markdown.py", "<b"),
    ("render/markdown.py", "<details"),
    ("render/markdown.py", "<pre"),
    ("render/markdown.py", "<summary"),
}
NAMES = (
    "a abbr b base body br button canvas caption circle code col dd del details div dl dt em embed figure "
    "footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins label legend li line link main map mark "
    "math meta meter nav noscript object ol optgroup option p path pre progress rect script section select small source "
    "span strong style sub summary sup svg table tbody td template textarea tfoot th thead title tr tspan ul use video"
).split()
HTML = re.compile(
    rf"</?(?:{'|'.join(NAMES)})(?![\w-])|<!--|<!doctype|&(?:[a-z]{{2,6}}|#x?[0-9a-f]+);", re.IGNORECASE
)


# --- What templates print


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, in their order, and where links lead.

    Code is left out: text between backticks is shown as code, which does nothing.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.addresses: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "code" or attrs:
            self.found.append((tag, *(name for name, _ in attrs)))
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src", "action", "data"}]

    def handle_endtag(self, tag: str) -> None:
        if tag != "code":
            self.found.append((tag, "end"))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", data))

    handle_decl = handle_pi = unknown_decl = handle_comment


@cache
def plain() -> dict[str, list[tuple[str, ...]]]:
    """The elements of each page with a word that does nothing."""
    return {name: Skeleton(page).found for name, page in every_page("word").items()}


@pytest.mark.parametrize("name", every(2, HOSTILE))
def test_each_element_and_attribute_is_a_templates(name: str) -> None:
    """In every template; a link leads to a page beside, and no runner obeys a line.

    Each text is in the tests of the class page, of sheets and of reports, too.
    """
    text = HOSTILE[name]
    found = every_page(text if escape_line(text).strip() else f"x{text}")

    for of, page in found.items():
        read = Skeleton(page)
        assert read.found == plain()[of], of
        assert [a for a in read.addresses if re.match(r"\s*[\w+.-]*:|\s*/", a) and a != "data:,"] == [], of
        assert obeyed(page) == [], of


def test_the_pages_of_these_tests_fill_every_template() -> None:
    """A new template is in `every_page` of tests/support/hostilepages.py, or it was never tried."""
    environment.cache_clear()
    every_page("word")
    cache = environment().cache
    assert cache is not None
    assert {name for _, name in cache} == set(TEMPLATES)


# --- What templates may do


def test_whatever_its_name_a_template_escapes(tmp_path: Path) -> None:
    """And a name that it does not get, or nothing in place of a text, is an error."""
    made = environment()
    assert made.autoescape is True
    assert made.undefined is StrictUndefined
    shown = made.from_string("{{ x }}")
    assert shown.render(x="<b a='\"&\x1b::error::") == "&lt;b a=&#39;&#34;&amp; ::error::"
    assert shown.render(x="::error::x") == ": :error::x"
    with pytest.raises(UndefinedError):
        shown.render()
    with pytest.raises(AssertionError):
        shown.render(x=None)


def test_what_is_printed_as_it_is_stands_in_a_list() -> None:
    """`safe` prints a text that nobody escapes; each place of it is named above."""
    found = {
        (name, words)
        for name, text in TEMPLATES.items()
        for words in re.findall(r"([\w.]+)\s*\|\s*safe\b", text)
    }
    assert found == AS_IT_IS
    assert [
        name for name, text in TEMPLATES.items() if re.search(r"autoescape|Markup|forceescape", text)
    ] == []


def test_no_line_is_packed() -> None:
    """Templates and style sheets count by their lines (docs/size.md), so a long one hides what it is."""
    sheets = {path.name: path.read_text(encoding="utf-8") for path in (GRADER / "render").glob("*.css")}
    long = {
        name for name, text in (TEMPLATES | sheets).items() for line in text.splitlines() if len(line) > 120
    }
    assert long == set()


def test_one_function_makes_markup() -> None:
    """What templates made, and two escapes of their own: `_as_it_is` of render/htmlpage.py."""
    using = {
        path.relative_to(GRADER).as_posix()
        for path in GRADER.rglob("*.py")
        if re.search(r"\bMarkup\(", path.read_text(encoding="utf-8"))
    }
    assert using == {"render/htmlpage.py"}
    source = (GRADER / "render" / "htmlpage.py").read_text(encoding="utf-8")
    assert source.count("Markup(") == 1
    assert source.count("_as_it_is(") == 4  # fill, JSON, an attribute between single quotes, and itself


def test_an_address_is_a_page_beside_or_one_of_ours() -> None:
    """Encoded as the name of a file, an address has no scheme and no host."""
    for name, text in TEMPLATES.items():
        for address in re.findall(
            r"\b(?:href|src|action|data|formaction)=(\"[^\"]*\"|'[^']*'|[^\s>]*)",
            re.sub(r'(\w+\[)"([^"]*)"\]', r"\1\2]", text),
        ):
            bare = address.strip("\"'")
            parts = re.findall(r"{{(.*?)}}", bare)
            assert all(
                re.fullmatch(r" [\w.()\[\]]+\|urlencode ", part) or bare.startswith("#") for part in parts
            ), name
            assert not re.match(r"\s*[\w+.-]*:", bare) or bare == "data:,", name


def test_no_template_has_a_handler_or_a_script_of_its_own() -> None:
    """Scripts are files, whose hash a page's policy names."""
    for name, text in TEMPLATES.items():
        assert not re.search(r"<[^>]*\son\w+\s*=", text), name
        for tag, content in re.findall(r"<script\b([^>]*)>(.*?)</script>", text, re.DOTALL):
            assert content in {"", "{{ script.text|safe }}"} or "application/json" in tag, name


def test_a_name_that_a_template_does_not_get_is_an_error() -> None:
    """No page is written with a hole in it."""
    with pytest.raises(UndefinedError):
        fill("gradebook/above.html", title="x", lines=[], ask="y")


def test_colours_are_named_in_one_file() -> None:
    """By their meaning, so that an outcome looks alike on all pages; a program's text has colours of its own."""
    found = {
        (path.relative_to(GRADER).as_posix(), line.split()[0])
        for path in sorted(GRADER.rglob("*.css"))
        if "node_modules" not in path.parts and path.name != "tokens.css" and "\n" in path.read_text().strip()
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*{)", line) and not line.startswith(".tok-")
    }
    assert found == {("site/page/src/page.css", ".output")}, "write `var(--...)`"  # the paper of a picture


def test_each_named_colour_is_there_and_used() -> None:
    """In the light and in the dark."""
    styles = "".join(p.read_text() for p in GRADER.rglob("*.css") if "node_modules" not in p.parts)
    tokens = (GRADER / "render" / "tokens.css").read_text(encoding="utf-8")
    named = set(re.findall(r"(--[\w-]+):", tokens))
    assert set(re.findall(r"var\((--[\w-]+)\)", styles)) == named
    light, dark = (
        set(re.findall(r"(--[\w-]+):", part)) for part in re.findall(r"\.page {(.*?)}", tokens, re.DOTALL)
    )
    assert light == dark


# --- No HTML elsewhere


def html_in(path: Path) -> set[str]:
    """The beginnings of tags, comments and entities in the texts of a module, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    told = {
        node.body[0].value
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = [
        n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and n not in told
    ]
    return {found.lower() for text in texts for found in HTML.findall(text) if not found.startswith("</")}


def test_python_has_no_html() -> None:
    """It stands in templates, which escape what they print."""
    found = {
        (path.relative_to(GRADER).as_posix(), part)
        for path in sorted(GRADER.rglob("*.py"))
        for part in html_in(path)
    }
    assert found - IN_PYTHON == set(), "write a template beside the module (render/htmlpage.py)"
    assert IN_PYTHON - found == set(), "take it out of the list"


def test_html_in_python_is_found(tmp_path: Path) -> None:
    """In a text, in an f-string, in parts; not in a docstring, and not what Python calls a frame."""
    module = tmp_path / "module.py"
    module.write_text(
        '"""A <div>."""\nA = "<b>x"\nB = f"<div class={A}>"\nC = "<stdin>" + "a < b"\nD = "&lt;"\n'
    )
    assert html_in(module) == {"<b", "<div", "&lt;"}

"""Markdown of a student's words: no sign begins a list or a heading, and code ends where it should."""

import pytest

from grader.render.escape import code_markdown, escape_markdown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("- x", "&#45; x"),
        ("+ x", "&#43; x"),
        ("= x", "&#61; x"),
        ("1. x", "1&#46; x"),
        ("12) x", "12&#41; x"),
        ("-@ada x.y()", "&#45;`@ada` `x.y()`"),
        ("f(a.b(c))", "`f(a.b(c))`"),
        ("(see a.b(c(d)),", "(see `a.b(c(d))`,"),
        ("x.y(1)))", "`x.y(1)`))"),
        ("a.b((c)", "`a.b((c)`"),
        ("@ada", "`@ada`"),
    ],
)
def test_a_paragraph(text, written):
    """The first sign is an entity where Markdown would act on it; the brackets of a call are its own."""
    assert escape_markdown(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a.b(c)", "`a.b(c)`"),
        ("`", "<code>&#96;</code>"),
        ("a`b|c", "`a`<code>&#96;</code>`b`<code>&#124;</code>`c`"),
    ],
)
def test_code(text, written):
    """Signs that could end it are elements of their own; the rest stays between backticks."""
    assert code_markdown(text) == written

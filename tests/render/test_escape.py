"""Escaping, function by function: what makes a text inert is exact, and nothing of the text is lost."""

import math

import pytest

from grader.render.escape import (
    code_markdown,
    escape,
    escape_junit,
    escape_markdown,
    json_in_script,
    json_page,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("##[error]x", "# #[error]x"),
        ("####[error]x", "### #[error]x"),
        ("x ##vso[task.x]y", "x # #vso[task.x]y"),
        ("::error::x\n  ::debug::y", ": :error::x\n  : :debug::y"),
        ("## a[::2]", "## a[::2]"),
    ],
    ids=["old", "old twice", "of another runner", "new", "none"],  # a test's name is in a log, too
)
def test_a_log(text, written):
    """A space breaks a command. Nothing is taken out, or what stays could be a command again."""
    assert escape(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[[ATTACHMENT|/etc/passwd]]", "[ [ATTACHMENT|/etc/passwd]]"),
        ("[[ATT[[ATTACHMENT|ACHMENT|x]]", "[[ATT[ [ATTACHMENT|ACHMENT|x]]"),
    ],
    ids=["one", "one in another"],
)
def test_an_attachment_of_junit(text, written):
    """It is broken by a space as well."""
    assert escape_junit(text) == written


def test_data_in_a_script():
    """Signs that could end the element, a line or begin a command are written by their numbers, and read as they were."""
    page = json_in_script(["</script>&##[x]\u2028\u2029"])
    assert page == r'["\u003c/script\u003e\u0026\u0023\u0023[x]\u2028\u2029"]'


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_json_has_no_number_that_only_python_reads(number):
    """Another program would refuse the whole file."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_page({"score": number})


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
        ("a.b((c),", "`a.b((c)`,"),
        ("(a.b(c)d)", "(`a.b(c)d`)"),
        ("a.b)c", "`a.b)c`"),
        ("@ada", "`@ada`"),
        ("`a``@b`", "`a` `@b`"),
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

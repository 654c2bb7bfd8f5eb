"""A student's page and text about a grade have the elements of plain words, whatever words stand in them."""

from functools import cache

import gfm
import pytest
from hostile import HOSTILE, obeyed
from judges import elements_of
from msgspec.structs import replace
from students import told

from grader.gradebook.grade import Grade
from grader.gradebook.sentences import grade_html, grade_markdown
from grader.gradebook.store import Override
from grader.render import escape_line
from grader.submissions.work import HandedIn


def graded(text):
    """A grade with a comment, an excuse and a file whose words are this text, and its report, of a day of this name."""
    comment = Override("mini", "comment", text, text, "ada", "box")
    excuse = Override("mini", "excuse", text, text, "ada")
    work = HandedIn(text, "", False, "org/x", "c" * 40)
    report = told({"double": 10, "box": 0})
    report = replace(report, assignment=replace(report.assignment, id=text))
    grade = Grade("1", None, 20.0, 10.0, {}, (), None, excuse, work, comments=(comment,))
    return grade, report


@cache
def pages(text):
    """The page and the Markdown; the way to ask, which is on the page in words of the class's, is the text, too."""
    return grade_html(*graded(text), ask=text), grade_markdown(*graded(text), limit=100_000, ask="Ask.")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_words_about_a_grade_are_text(text):
    """No element, no attribute, no link and no command is made of them."""
    page, markdown = pages(text if escape_line(text).strip() else f"x{text}")
    plain, plain_markdown = pages("word")

    assert obeyed(page) == obeyed(markdown) == []
    assert elements_of(page) == elements_of(plain)
    read, usual = gfm.Page(markdown), gfm.Page(plain_markdown)
    assert [tag for tag in read.tags if tag != "code"] == [tag for tag in usual.tags if tag != "code"]
    assert (read.attributes, gfm.linked(read)) == (usual.attributes, gfm.linked(usual))

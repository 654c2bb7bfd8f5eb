"""A sheet in HTML and Markdown: what the student and the examiner read, and nothing of a student's that acts."""

from __future__ import annotations

import re
from functools import cache

import gfm
import pytest
from hostile import HOSTILE, obeyed
from hostilepages import PLACE, RULES, SLOPE, WAY, hostile_sheet, sheet
from judges import elements_of
from syrupy.assertion import SnapshotAssertion

from grader.autograd.questions.differences import ABOUT
from grader.autograd.questions.runs import way_words
from grader.render import escape_line
from grader.topic.questions import Question, question
from grader.viva.pages import sheet_html, sheet_markdown, sheets_html

RULE, OTHER = "self.grad += other.data * out.grad", "other.grad += self.data * out.grad"
ORDER = ["L", "r", "q", "p"]
LEAF = {"root": "L.data", "nudge": 0.01, "moves": ["a: 0.08", "b: -0.2"]}
SQUARE = ["a = Value(3)", "L = a * a"]
QUESTIONS: list[Question] = [
    question("value", "15", node="L.data", made="3 * 5"),
    question("order", "q", calls=ORDER, time="third", opposite="r", **RULES),
    question("order", "r", calls=ORDER, time="second", opposite="q"),
    question("gradient", "2", node="a", called="q", when="before", steps=["r: 2", "q: 8"], end="8", **RULES),
    question("gradient", "3", node="a", called="q", when="after", steps=["q: 3", "p: 8"], end="8", field="grad"),
    question("gradient", "8", node="A.grad[0, 1]"),
    question(
        "edit", "6", edit="overwrites", place=PLACE, function="Value.__mul__._backward", old=RULE, new=RULE.replace("+=", "="),
        asked="a.grad", was="8", final=True, about=ABOUT["overwrites"],
    ),
    question(
        "edit", "3", edit="left out", place=PLACE, function="area", old="x = x + 1", asked="area(3)", was="4", returns=True,
        about=ABOUT["left out"],
    ),
    question("line", RULE, (OTHER, RULE), node="a", called="q", made="a * b", place=PLACE, amount="6", **RULES),
    question("line", RULE, (OTHER, RULE), node="A", called="Q", made="A * b", place=PLACE, **RULES),
    question("theirs", RULE, (RULE, OTHER), function="Value.__mul__._backward", place=PLACE),
    question("leaf", "b", "ab", largest="a", **LEAF),
    question("leaf", "b", "ab", **LEAF),
    question("calls", "5", way=WAY, paths=7, **RULES),
    question("calls", "7 and 5", ("7 and 5", "5 and 5"), way=WAY, paths=7, both=True),
    question("cause", "3 and 4", ("3 and 4", "4 and 4"), right=4, said="It uses its own value.", **SLOPE),
    question(
        "cause", "3 and 6", ("3 and 6", "6 and 6"), right=6, said="It uses its own value.", lines=SQUARE,
        after=way_words("L", "grad", "_backward"), **SLOPE,
    ),
    question(
        "cause", "10 and 9", ("10 and 9", "9 and 9"), right=9, said="It adds 1.", lines=SQUARE,
        after=way_words(WAY, "grad", "_backward"), node="L.data", root="L.data",
    ),
    question(
        "cause", "3 and 4", ("3 and 4", "4 and 4"), right=4, said="It is not summed.", node="A.grad[0, 1]", root="L.data", leaf="A",
        of="A.data[0, 1]",
    ),
]  # fmt: skip


def test_every_question_with_its_answer(snapshot: SnapshotAssertion) -> None:
    assert sheet_markdown(sheet(*QUESTIONS), among=(11, 13)) == snapshot


def test_questions_of_every_topic_with_their_answers(snapshot: SnapshotAssertion) -> None:
    area = question(
        "edit",
        "3",
        edit="compares",
        place=PLACE,
        function="area",
        old="if x < 3:",
        new="if x <= 3:",
        asked="area(3)",
        was="4",
        returns=True,
    )
    theirs = next(one for one in QUESTIONS if one.kind == "theirs")
    result = question("result", "12", call="area(3, 4)")
    assert sheet_markdown(sheet(result, area, theirs, topic=None)) == snapshot


def test_the_walk_by_hand_is_told(snapshot: SnapshotAssertion) -> None:
    by_hand = sheet(QUESTIONS[0], way="L, q, p", why="Only 1 question could be asked about this work.")
    assert sheet_markdown(by_hand) == snapshot


def test_practice_has_its_answers_below_the_questions() -> None:
    page = sheet_html(sheet(*QUESTIONS, practice=True))
    assert page.count("<details>") == len(QUESTIONS)
    assert "examiner" not in page.partition("</head>")[2]
    assert "ada" not in page.partition("</head>")[2]


def test_answers_are_on_a_page_of_their_own() -> None:
    """The printer begins the examiner's page, and each sheet of a class, on a new page."""
    page = sheets_html("All", [sheet(QUESTIONS[0]), sheet(QUESTIONS[0])])
    assert page.count('<section class="examiner">') == 2
    assert page.count("<main>") == 1
    printed = page.partition("@media print")[2]
    assert re.search(r"\.examiner {[^}]*break-before: page", printed)
    assert re.search(r"article \+ article {[^}]*break-before: page", printed)
    assert re.findall(r"<(h\d)", page) == ["h1", "h2", "h3", "h2", "h3"]
    assert re.findall(r"<(h\d)", sheet_html(sheet(QUESTIONS[0]))) == ["h1", "h2"]
    questions, _, answers = page.partition('<section class="examiner">')
    assert "<code>15</code>" in answers
    assert "<code>15</code>" not in questions


@cache
def plain(practice: bool) -> tuple[list[tuple[str, object]], gfm.Page]:  # noqa: FBT001
    """The elements of the same sheet with a word that does nothing, in HTML and in Markdown."""
    page = hostile_sheet("word", practice=practice)
    return elements_of(sheet_html(page)), gfm.Page(sheet_markdown(page))


@pytest.mark.parametrize("practice", [False, True], ids=["examiner", "practice"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_a_student_wrote_is_inert(text: str, practice: bool) -> None:  # noqa: FBT001
    """No runner obeys a line, and the page has the elements and attributes that it has with a plain word."""
    page = hostile_sheet(text if escape_line(text).strip() else f"x{text}", practice=practice)
    elements, as_markdown = plain(practice)

    in_html, in_markdown = sheet_html(page), sheet_markdown(page)

    assert obeyed(in_html) == obeyed(in_markdown) == []
    assert elements_of(in_html) == elements
    read = gfm.Page(in_markdown)
    assert without_code(read) == without_code(as_markdown)
    assert gfm.linked(read) == gfm.linked(as_markdown)


def without_code(page: gfm.Page) -> tuple[list[str], list[tuple[str, str]]]:
    """The elements of a page but for code, and all attributes."""
    return [tag for tag in page.tags if tag != "code"], page.attributes

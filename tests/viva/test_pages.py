"""A sheet in HTML and Markdown: what the student and the examiner read, and nothing of a student's that acts."""

from __future__ import annotations

import re
from functools import cache

import gfm
import pytest
from hostile import HOSTILE, obeyed
from judges import elements_of
from syrupy.assertion import SnapshotAssertion

from grader.autograd.questions.backward import CallsQuestion, GradientQuestion, OrderQuestion
from grader.autograd.questions.cause import CauseQuestion
from grader.autograd.questions.examination import GraphFact
from grader.autograd.questions.forward import LeafQuestion, ValueQuestion
from grader.autograd.questions.line import LineQuestion
from grader.render import escape_line
from grader.topic.questions import EditQuestion, Question
from grader.viva.kinds.results import ResultQuestion
from grader.viva.kinds.theirs import TheirsQuestion
from grader.viva.pages import sheet_html, sheet_markdown, sheets_html
from grader.viva.sheet import Sheet

WAY = "L.backward()"
RULE, OTHER = "self.grad += other.data * out.grad", "other.grad += self.data * out.grad"
PLACE = "mine.py, line 30"
QUESTIONS: list[Question] = [
    ValueQuestion(node="L.data", made="3 * 5", answer="15"),
    OrderQuestion(calls=("L", "r", "q", "p"), place=3, answer="q"),
    OrderQuestion(calls=("L", "r", "q", "p"), place=2, answer="r", closure=""),
    GradientQuestion(node="a", called="q", before=True, steps=("r: 2", "q: 8"), answer="2", end="8"),
    GradientQuestion(node="a", called="q", steps=("q: 3", "p: 8"), answer="3", end="8", closure=""),
    GradientQuestion(node="A.grad[0, 1]", answer="8"),
    EditQuestion(
        edit="overwrites", place=PLACE, function="Value.__mul__._backward", old=RULE, new=RULE.replace("+=", "="),
        asked="a.grad", was="8", answer="6", final=True,
    ),
    EditQuestion(
        edit="left out", place=PLACE, function="area", old="x = x + 1", new="pass", asked="area(3)", was="4", answer="3",
    ),
    LineQuestion(node="a", called="q", made="a * b", place=PLACE, amount="6", answer=RULE, options=(OTHER, RULE)),
    LineQuestion(node="A", called="Q", made="A * b", place=PLACE, answer=RULE, options=(OTHER, RULE)),
    TheirsQuestion(function="Value.__mul__._backward", place=PLACE, answer=RULE, options=(RULE, OTHER)),
    LeafQuestion(root="L.data", nudge="0.01", moves=("a: 0.08", "b: -0.2"), largest="a", answer="b", options=("a", "b")),
    LeafQuestion(root="L.data", nudge="0.01", moves=("a: 0.08", "b: -0.2"), largest="b", answer="b", options=("a", "b")),
    CallsQuestion(way=WAY, right=5, paths=7, answer="5"),
    CallsQuestion(way=WAY, right=5, paths=7, answer="7 and 5", options=("7 and 5", "5 and 5"), closure=""),
    CauseQuestion(way=WAY, node="a.grad", root="L.data", said="It uses its own value.", answer="3 and 4", options=("3 and 4", "4 and 4")),
    CauseQuestion(
        way="L", node="a.grad", root="L.data", said="It uses its own value.", lines=("a = Value(3)", "L = a * a"), answer="3 and 6",
        options=("3 and 6", "6 and 6"),
    ),
    CauseQuestion(
        way=WAY, node="L.data", root="L.data", said="It adds 1.", lines=("a = Value(3)", "L = a * a"), answer="10 and 9",
        options=("10 and 9", "9 and 9"),
    ),
    CauseQuestion(way=WAY, node="A.grad[0, 1]", root="L.data", said="It is not summed.", answer="3 and 4", options=("3 and 4", "4 and 4")),
]  # fmt: skip


def sheet(
    *questions: Question,
    way: str = WAY,
    topic: str | None = "autograd",
    why: str = "",
    more: str = "",
    number: str = "3",
    practice: bool = False,
) -> Sheet:
    """A sheet with these questions, about a small graph if they are about an engine."""
    graph = GraphFact(
        lines=(f"a = Value({number})", "b = Value(5)", "L = a * b", *([more] if more else [])),
        leaves=("a", "b"),
        steps=("L * a b",),
        way=way,
        closure="_backward",
    )
    facts, scene = [one.fact() for one in questions], graph.fact() if topic else None
    return Sheet("day4", "The engine", "ada", "", topic, facts, why, scene, practice=practice)


def test_every_question_with_its_answer(snapshot: SnapshotAssertion) -> None:
    assert sheet_markdown(sheet(*QUESTIONS), among=(11, 13)) == snapshot


def test_questions_of_every_topic_with_their_answers(snapshot: SnapshotAssertion) -> None:
    area = EditQuestion(
        edit="compares",
        place=PLACE,
        function="area",
        old="if x < 3:",
        new="if x <= 3:",
        asked="area(3)",
        was="4",
        answer="3",
    )
    theirs = next(one for one in QUESTIONS if isinstance(one, TheirsQuestion))
    assert (
        sheet_markdown(sheet(ResultQuestion(call="area(3, 4)", answer="12"), area, theirs, topic=None))
        == snapshot
    )


def test_the_walk_by_hand_is_told(snapshot: SnapshotAssertion) -> None:
    by_hand = sheet(
        QUESTIONS[0], way="L, q, p", why="Only 1 question could be asked of what is written here."
    )
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
    printed = page.partition("@media print")[2]
    assert re.search(r"\.examiner {[^}]*break-before: page", printed)
    assert re.search(r"main \+ main {[^}]*break-before: page", printed)
    questions, _, answers = page.partition('<section class="examiner">')
    assert "<code>15</code>" in answers
    assert "<code>15</code>" not in questions


def hostile_sheet(text: str, *, practice: bool = False) -> Sheet:
    """A sheet with a text in every place that may hold a student's: lines, names, the picture, a heading, a reason."""
    options = (text, "b")
    bitten = [
        TheirsQuestion(function=text, place=text, answer=text, options=options),
        EditQuestion(
            edit="overwrites",
            place=text,
            function=text,
            old=text,
            new=text,
            asked="a.grad",
            was="1",
            answer=text,
        ),
        CauseQuestion(way=WAY, node="a.grad", root="L.data", said=text, answer="1", options=("1", "2")),
        LineQuestion(node="a", called="q", made="a * b", place=text, answer=text, options=options),
    ]
    page = sheet(*bitten, why=text, way=text, more=f"c = {text}", number=text, practice=practice)
    page.student = page.title = page.assignment = text
    page.doubts = [
        f"Asked as in grading, `{text}` came out as `{text}`, and here `{text}`: read the file.",
        text,
    ]
    return page


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

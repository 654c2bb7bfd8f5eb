"""Every template of `grader/` with one text in every place that may hold a student's or an instructor's."""

from __future__ import annotations

import json
from collections import Counter

import msgspec
from helpers import COURSE
from hostile import full_report
from students import told

from grader.assignment import Assignment, Course
from grader.autograd.drawing import Node, svg_of
from grader.autograd.questions.runs import way_words
from grader.gradebook.classpage import pages
from grader.gradebook.feedback import _folded_html
from grader.gradebook.findings import CheckFinding
from grader.gradebook.gradedwork import Grade
from grader.gradebook.sentences import grade_html
from grader.gradebook.survey import (
    CheckFigures,
    MistakeGroup,
    Past,
    Reason,
    StuckCheck,
    StudentLine,
    Survey,
)
from grader.marking.words import markdown_to_html
from grader.render.html import line_in_html, render_fragment, render_html
from grader.render.htmlpage import fill
from grader.render.player import CheckTrace, iframe, inline_page, play_page
from grader.report import Outcome, SubmissionInfo
from grader.site.markdown import markdown_html
from grader.site.pages import day_page, player_page, start_page
from grader.submissions.work import HandedIn
from grader.topic import Topic
from grader.topic.questions import Box, Question, SceneWords, question
from grader.viva.pages import sheet_html
from grader.viva.sheet import Sheet

# --- A class


def survey_of(text: str) -> Survey:
    """A class in which every text is this one: names, checks, reasons, mistakes, statements, times."""
    check = CheckFigures(text, text, 10.0, Counter({Outcome.PASSED: 1, Outcome.FAILED: 2}))
    groups = {
        (str(count),): MistakeGroup(
            CheckFinding((str(count),), text, (text,), text), [text] * count, Counter({text: count})
        )
        for count in (2, 1)  # a mistake of two students, and one of a student alone
    }
    reasons = [Reason(text, text)]
    return Survey(
        Topic(), {text: "page.html"}, [StudentLine(text, 5.0, 1, text), StudentLine(text, None, 0, text)], reasons, reasons, reasons, reasons,
        [5.0], 10.0, {text: check}, groups, stuck=[(text, StuckCheck(text, 3, text))],
    )  # fmt: skip


def class_pages(text: str) -> dict[str, str]:
    """The page of a class of this text, and a student's page."""
    survey = survey_of(text)
    past = Past(SubmissionInfo(text, text, text), [], 1.0, text, text)
    work = HandedIn(text, "", False, text, text, notes=(text,), student=text)
    grade = Grade("1", 5.0, 10.0, 5.0, {}, (), None, None, work).with_report(told({"double": 10, "box": 0}))
    return {
        "class": pages.class_page(survey, text, "folder", [text], text),
        "student": pages.student_page(grade, [past, past], text, "day2.html"),
        "grade": grade_html(grade, ask=text, more=_folded_html(text)),
    }


# --- A sheet

WAY = "L.backward()"
PLACE = "mine.py, line 30"
RULES = {"field": "grad", "closure": "_backward"}
SLOPE = {"root": "L.data", "node": "a.grad", "leaf": "a", "of": "a.data"}


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
    about = f"Your own code, unchanged, runs these lines. {way_words(way, 'grad', '_backward')}".strip()
    lines = [f"a = Value({number})", "b = Value(5)", "L = a * b", *([more] if more else [])]
    boxes: list[Box] = [(["a", number], "", []), (["b", "5"], "", []), (["L", ""], "*", [0, 1])]
    scene = SceneWords(about, lines, boxes) if topic else None
    return Sheet("day4", "The engine", "ada", "", topic, [*questions], why, scene, practice=practice)


def hostile_sheet(text: str, *, practice: bool = False) -> Sheet:
    """A sheet with a text in every place that may hold a student's: lines, names, the picture, a heading, a reason."""
    options = (text, "b")
    bitten = [
        question("theirs", text, options, function=text, place=text),
        question("edit", text, place=text, function=text, old=text, new=text, asked="a.grad", was="1"),
        question("cause", "1", ("1", "2"), said=text, right=2, **SLOPE),
        question("line", text, options, node="a", called="q", made="a * b", place=text, **RULES),
    ]
    page = sheet(*bitten, why=text, way=text, more=f"c = {text}", number=text, practice=practice)
    page.student = page.title = page.assignment = text
    page.doubts = [
        f"In a run like grading, `{text}` gave `{text}`, but here it gave `{text}`: read the file.",
        text,
    ]
    return page


# --- All templates


def titled(name: str, title: str) -> Assignment:
    """A day of the course with another title."""
    day = Assignment(Course(COURSE), name)
    vars(day)["manifest"] = msgspec.structs.replace(day.manifest, title=title)
    return day


def site_pages(text: str) -> dict[str, str]:
    """The pages of a site. Markdown becomes elements: tests/site/test_markdown.py judges it."""
    names = ("day.js", "play.js", "start.js", "page.css", "player.css")
    files = {name: f"files/{name}" for name in names}
    day, other = titled("day1", text), titled("day2", text)
    cells = [
        {"id": text, "cell_type": kind, "source": [text if kind != "markdown" else "word"]}
        for kind in ("code", "raw", "markdown")
    ]
    untouched = json.dumps({"cells": cells}).encode()
    own = {"hand_in": text, "file": text, "player": text, "needs": []}
    return {
        "day": day_page(day, untouched, files, own),
        "local": day_page(day, untouched, files, own | {"needs": [text]}),
        "lesson's player": player_page(day, untouched, files, own),
        "start": start_page(text, [day, other], {"day2": [text]}, files),
        "lesson": markdown_html("word"),
    }


def marking_pages(text: str) -> dict[str, str]:
    """The pages of `grade mark`. Markdown becomes elements: tests/marking/test_words.py judges it."""
    line = dict.fromkeys(("key", "check", "who", "state", "given", "by", "request"), text) | {"count": 2}
    outputs = [{"text": text, "picture": ""}, {"text": "", "picture": text}]
    parts = [
        {"number": 1, "code": text, "text": "", "outputs": outputs},
        {"number": 2, "code": "", "text": markdown_to_html("word"), "outputs": outputs},
    ]
    variant, given = (
        {"label": text, "parts": parts, "outputs": outputs},
        {"points": text, "items": [0], "comment": text},
    )
    both = {
        "title": text,
        "policy": "",
        "assignment": titled("day1", text),
        "anonymous": True,
        "progress": {"done": 1, "of": 2, "words": "0 of 1 answer marked"},
    }
    return {
        "marks": fill("marking/list.html", **both, first=text, rows=[line, line]),
        "mark": fill(
            "marking/page.html",
            **both,
            asks=text,
            most=text,
            line=line,
            members=[text, text],
            variants=[variant, variant],
            near=[{"line": line, **variant, "outputs": []}],
            rubric=[(text, text, 1.0)],
            given=given,
            comments=[text],
            data={"before": given, "group": text},
        ),
        "words": markdown_to_html("word"),
    }


def every_page(text: str) -> dict[str, str]:
    """Every page and part of a page that templates make, by its name."""
    report = full_report(text, 1.0)
    traces = [CheckTrace(check.title, check.title, check.trace) for check in report.checks if check.trace]
    return {
        "report": render_html(report),
        "ungraded": render_html(full_report(text, None)),
        "fragment": render_fragment(report),
        "line": line_in_html(text),
        "play": play_page(traces),
        "inline": inline_page(traces[0]),
        "iframe": iframe(traces[0]),
        "drawing": svg_of([Node([text, text], "", []), Node([text], text, [0, 0])]),
        "sheet": sheet_html(hostile_sheet(text), among=(1, 2)),
        "practice": sheet_html(hostile_sheet(text, practice=True)),
        **class_pages(text),
        **marking_pages(text),
        **site_pages(text),
    }

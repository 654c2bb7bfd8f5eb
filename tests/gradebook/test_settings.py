"""solutions/course.yaml: the class is written there once, and what cannot be is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import grade
from minicourse import FILES, put
from oneclass import GradedClass

from grader.assignment import Course
from grader.errors import Refused
from grader.gradebook.settings import class_of, read_course_settings, works_of
from grader.gradebook.store import Store

CLASS = """\
class:
  organisation: course-2026
  roster: lists/roster.csv
  repositories: "{student}_{day}"
  instructors: [grace-h, "@alan"]
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The miniature course, with its class written down; the instructor is in its folder."""
    root = tmp_path / "course"
    for name, text in FILES.items():
        put(root, name, text)
    put(root, "solutions/course.yaml", CLASS)
    monkeypatch.chdir(root)
    return Course(root)


def test_the_class_is_read(course: Course) -> None:
    """The roster is a file of the course, wherever the command is typed."""
    found = class_of(course)
    assert found.organisation == found.needed_organisation == "course-2026"
    assert (found.roster, found.repositories) == (Path("lists/roster.csv"), "{student}_{day}")
    assert found.instructors == ("grace-h", "@alan")


def test_from_another_folder(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root / "assignments")
    assert class_of(course).roster == Path("../lists/roster.csv")
    assert works_of(course, "mini") == Path("../../mini-works")


def test_little_needs_to_be_written(course: Course) -> None:
    """A roster of the usual name, and names of the usual pattern."""
    put(course.root, "solutions/course.yaml", "class: {organisation: course-2026}\n")
    found = class_of(course)
    assert (found.roster, found.repositories) == (Path("roster.csv"), "{day}-{github}")


def test_without_a_class(course: Course) -> None:
    """The error says where it is written."""
    (course.root / "solutions/course.yaml").unlink()
    with pytest.raises(Refused, match=r"solutions/course.yaml: it has no `class`; add `class: .*roster.csv"):
        class_of(course)
    put(course.root, "solutions/course.yaml", "class: {roster: mine.csv}\n")
    assert class_of(course).organisation == ""
    with pytest.raises(Refused, match=r"`class: \{organisation: NAME\}` into solutions/course.yaml"):
        _ = class_of(course).needed_organisation


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class: {organization: a}", "unknown key `class.organization` (did you mean `organisation`?)"),
        ("clas: {organisation: a}", "unknown key `clas` (did you mean `class`?)"),
        ("class: course-2026", "at `class`"),
        ("class: {organisation: [a]}", "at `class.organisation`"),
        ("class: {instructors: eve}", "at `class.instructors`"),
        ("class: {organisation: a/b}", "a/b is not the name of a GitHub organisation"),
        ("class: {roster: ''}", "`class.roster` is empty"),
    ],
)
def test_a_class_that_cannot_be(course: Course, text: str, words: str) -> None:
    """File, key and remedy are named, as in a manifest."""
    put(course.root, "solutions/course.yaml", text)
    with pytest.raises(Refused, match=re.escape(words)) as found:
        class_of(course)
    assert "solutions/course.yaml" in str(found.value)


def test_the_rule_of_the_total_stands_beside_it(course: Course) -> None:
    put(course.root, "solutions/course.yaml", CLASS + "weights: {mini: 2}\n")
    found = read_course_settings(course)
    assert (found.weights, found.class_ and found.class_.organisation) == ({"mini": 2.0}, "course-2026")


def test_report_names_everybody_of_the_class(course: Course, graded_class: GradedClass) -> None:
    """Without --roster it takes the class's, so nobody without work is forgotten."""
    put(course.root, "solutions/course.yaml", "class: {organisation: course-2026}\n")
    put(course.root, "roster.csv", "student,github\nada,ada\nbob,bob\n")
    with Store(course.root / "results.db", create=True) as store:
        graded_class.keep(store, "ada")
    for words in (["mini"], ["mini", "--format", "csv"], ["--all"]):
        ran = grade("report", *words, cwd=course.root)
        assert "bob" in ran.out, ran.text

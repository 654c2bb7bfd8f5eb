"""Checks on answers, from answers.yaml to what a student reads."""

from __future__ import annotations

import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers import COURSE, cells, grade, notebook
from minicourse import FILES, change, put
from sampled import every

from grader.assignment import Course
from grader.classroom.release.contents import running_wheel, template_files
from grader.grading.answerkey import Answer, lays_open, read_answers
from grader.grading.answers import NOT_LOOKED_AT, canonical_value
from grader.grading.grader import open_grader
from grader.report import CheckResult, Outcome, Report
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from

DAYS = ["day1", "day2", "day3", "day4", "day5", "day6", "day7"]
MANY = ["day2", "day5"]  # days of many answers, by default
MORE = [pytest.param(day, marks=pytest.mark.ci) for day in DAYS if day not in MANY]
KEY = """\
twice_three:
  right: 6
  wrong:
    9: 3 was multiplied by itself.
  after: Twice is added to itself.
sizes:
  right: {small: 2, large: 40}
  wrong:
    - value: {large: 20}
      words: In sizes the large one is not doubled.
letter:
  right: B
  wrong: {A: Adding nothing changes nothing.}
  after: Twice is added once.
"""
REFERENCE = """

# %%
### BEGIN SOLUTION: answer the quiz
# STUB: twice_three = ...
# STUB: sizes = ...
# STUB: letter = ...
twice_three = 6
sizes = {"small": 2, "large": 40}
letter = "B"
### END SOLUTION
"""
CHECK = '''\
"""Quiz: what doubling does."""

import pytest


@pytest.mark.parametrize("name", ["twice_three", "sizes", "letter"])
def test_answer(answers, name):
    """An answer of the quiz."""
    answers.judge(name)
'''
HIDDEN = '''\
"""Quiz: what doubling does."""


def test_letter(answers):
    """The letter."""
    answers.judge("letter")
'''
MANIFEST = """\
  quiz:
    points: 20
    partial: true
    hints: [Add.]
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A miniature course with a quiz, as `grade stub` left it."""
    root = tmp_path_factory.mktemp("quiz")
    for name, text in FILES.items():
        put(root, name, text)
    put(root, "solutions/mini/answers.yaml", KEY)
    put(root, "solutions/mini/checks/test_quiz.py", HIDDEN)
    put(root, "assignments/mini/checks/test_quiz.py", CHECK)
    for name, more in (("assignments/mini/assignment.yaml", MANIFEST), ("solutions/mini/mini.py", REFERENCE)):
        path = root / name
        path.write_text(path.read_text() + more)
    ran = grade("stub", "mini", cwd=root)
    assert ran.code == 0, ran.text
    return root


@pytest.fixture
def own(course: Path, tmp_path: Path) -> Path:
    """A copy of the course, for a test that edits it."""
    return shutil.copytree(course, tmp_path / "own")


def report_on(root: Path, answers: str, *, hidden: bool = True) -> CheckResult:
    """The quiz of a submission that holds these answers and nothing else."""
    assignment = Course(root).assignment("mini")
    if not hidden:
        shutil.rmtree(assignment.solutions)
    submission = submission_from(Path("mine.py"), answers.encode())
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        (found,) = grader.grade(submission, "quiz").checks
    return found


RIGHT = 'twice_three = 6.0\nsizes = {"small": 2, "large": 40}\nletter = " b"\n'


# --- What a student reads


@pytest.mark.ci
def test_right_answers_pass_and_say_why(course: Path, snapshot) -> None:
    found = report_on(course, RIGHT)

    assert (found.outcome, found.score) == (Outcome.PASSED, 20)
    assert found.why == snapshot


@pytest.mark.ci
def test_a_known_wrong_value_is_told_in_its_words(course: Path, snapshot) -> None:
    found = report_on(course, 'twice_three = 9\nsizes = {"small": 2, "large": 20.0}\nletter = "A"')

    assert found.message == snapshot
    assert [note.text for note in found.mistakes] == snapshot
    assert found.readings == []


def test_another_wrong_value_is_told_without_a_guess(course: Path, snapshot) -> None:
    found = report_on(course, 'twice_three = 0\nsizes = {"small": 0, "large": 40}\nletter = "B"')

    assert found.message == snapshot
    assert (found.mistakes, found.why) == ([], [])


def test_which_parts_are_right(course: Path, snapshot) -> None:
    found = report_on(course, 'twice_three = 6\nsizes = {"small": 0, "large": 40}\nletter = "B"')

    assert found.message == snapshot


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("twice_three = ...", "`twice_three` is still a blank (`...`)."),
        (RIGHT.replace("2", "..."), "`sizes` is still a blank (`...`)."),
        (
            RIGHT.replace("sizes =", "size ="),
            "`sizes` is not defined. There is `size` in mine.py: if you meant",
        ),
    ],
)
def test_a_blank_is_to_do(course: Path, answers: str, message: str) -> None:
    found = report_on(course, answers)

    assert found.outcome is Outcome.TODO
    assert found.message.startswith(message)


def test_a_blank_hides_no_wrong_entry(course: Path, snapshot) -> None:
    found = report_on(course, RIGHT.replace("2", "...").replace("40", "41"))

    assert found.outcome is Outcome.FAILED
    assert found.message == snapshot


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('"6"', "`twice_three` is the text '6'; it must be a number: write 6."),
        ("object()", "`twice_three` is an object; it must be a number."),
        ("[6]", "`twice_three` is the list [6]; it must be a number."),
        ("print", "`twice_three` is the function print; it must be a number."),
    ],
)
def test_another_kind_of_value(course: Path, value: str, words: str) -> None:
    found = report_on(course, RIGHT.replace("6.0", value))

    assert found.outcome is Outcome.FAILED
    assert words in found.message


# --- Letters


def test_where_the_hidden_checks_are_absent_letters_are_not_looked_at(own: Path) -> None:
    found = report_on(own, RIGHT.replace(" b", "A"), hidden=False)

    assert (found.outcome, found.message) == (Outcome.PASSED, NOT_LOOKED_AT)
    assert found.mistakes == []


def test_a_letter_has_the_form_of_one(own: Path, snapshot) -> None:
    found = report_on(own, RIGHT.replace(" b", "E"), hidden=False)

    assert found.message == snapshot


def test_what_students_get_holds_no_mark_of_a_blind_letter(course: Path) -> None:
    sealed = json.loads((course / "assignments/mini/checks/sealed.json").read_text())

    assert sealed["answers"]["letter"] == {"letters": "ABCD"}


@pytest.mark.ci
def test_letters_may_be_open(own: Path, snapshot) -> None:
    change(own, "assignments/mini/assignment.yaml", "submission:", "letters: open\nsubmission:")
    assert grade("stub", "mini", cwd=own).code == 0

    assert grade("validate", "mini", cwd=own).text.strip() == "mini sound"

    found = report_on(own, RIGHT.replace(" b", "A"), hidden=False)

    assert [note.text for note in found.mistakes] == snapshot


# --- What an author reads


@pytest.mark.ci
def test_a_course_with_answers_is_sound(course: Path) -> None:
    assert grade("validate", "mini", cwd=course).text.strip() == "mini sound"


def test_the_salt_of_the_hidden_checks_is_not_that_of_the_answers(course: Path) -> None:
    text = (course / "assignments/mini/checks/sealed.json").read_text()

    assert '"salt": "' in text
    assert (course / "solutions/mini/salt.txt").read_text().strip() not in text


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("solutions/mini/answers.yaml", "right: 6", "right: 7", "the reference does not pass `quiz`"),
        ("solutions/mini/answers.yaml", "words: In", "words: It is 40. In", "hold the right value, 40"),
        (
            "assignments/mini/checks/test_quiz.py",
            '"twice_three", ',
            "",
            "no passing test judges the answer `twice_three`",
        ),
        (
            "solutions/mini/checks/test_quiz.py",
            '"letter"',
            '"leter"',
            "no answer `leter` in sealed.json (did you mean `letter`?); write it into answers.yaml",
        ),
        ("solutions/mini/answers.yaml", "after: Twice is added once.", "", "sealed.json: this file is missing or out of date"),
        (
            "assignments/mini/assignment.yaml",
            "hints: [Add.]",
            "hints: ['twice_three = 6']",
            "assignment.yaml: students get this file, which gives away the answer `twice_three`",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(own: Path, name: str, old: str, new: str, words: str) -> None:
    change(own, name, old, new)

    ran = grade("validate", "mini", cwd=own)

    assert ran.code == 1
    assert words in " ".join(ran.text.split())


@pytest.mark.ci
def test_a_damaged_sealed_file_is_nobodys_zero(own: Path, snapshot) -> None:
    put(own, "assignments/mini/checks/sealed.json", "{")

    ran = grade("mini", "solutions/mini/mini.py", cwd=own)

    assert ran.code == 3
    assert ran.text == snapshot


# --- The course


@functools.cache
def keys(day: str) -> dict[str, Answer]:
    return read_answers(COURSE / "solutions" / day / "answers.yaml")


def test_nothing_that_is_handed_out_says_an_answer() -> None:
    """No sentence of answers.yaml, and no line with an answer's name beside its value, in any file of the template."""
    everything = {name: answer for day in DAYS for name, answer in keys(day).items()}
    template, _ = template_files(Course(COURSE), DAYS, running_wheel())
    texts = {name: text.decode() for name, text in template.items() if Path(name).suffix in TEXTS}
    assert len(texts) > 60

    told = {name: lays_open(said_in(name, text), everything) for name, text in texts.items()}

    assert {name: names for name, names in told.items() if names} == {}


TEXTS = {".ipynb", ".md", ".py", ".yaml", ".yml", ".json", ".txt", ".toml", ""}


def said_in(name: str, text: str) -> str:
    if not name.endswith(".ipynb"):
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


@pytest.mark.parametrize("day", DAYS)
def test_a_search_would_find_them_in_the_reference(day: str) -> None:
    """So the search above can fail."""
    (reference,) = (COURSE / "solutions" / day).glob("*.py")
    plain = {name: a for name, a in keys(day).items() if not name.startswith(("after_", "residual_"))}

    assert set(lays_open(reference.read_text(), plain)) == plain.keys()


def unlike(value: Any) -> Any:
    """A value of the same shape that is right nowhere and known nowhere."""
    if isinstance(value, dict):
        return {key: unlike(item) for key, item in value.items()}
    if isinstance(value, list):
        return ["zebra"]
    return "zebra" if isinstance(value, str) else 7777.25


@pytest.mark.parametrize("day", [*MANY, *MORE])
def test_no_feedback_says_what_is_right(day: str) -> None:
    """The engine is right and every answer wrong: neither message nor reading holds a right one."""
    answers = {name: answer for name, answer in keys(day).items() if not answer.letters}
    wrong = "\n".join(f"{name} = {unlike(answer.right)!r}" for name, answer in answers.items())

    (report,) = graded(day, notebook(*cells(day), wrong))

    said = [c for c in report.checks if c.outcome is Outcome.FAILED]
    assert said
    for check in said:
        assert check.readings == []
        assert (check.mistakes, check.why) == ([], [])
        first, _, others = check.message.partition(" Nor ")
        assert first.split("`")[-2] not in re.findall(r"`(\w+)`", others)  # whatever the orders of sets
        words = f"{check.message} {check.where and check.where.text}"
        assert lays_open(words, answers) == []
        numbers = {canonical_value(float(n), 6) for n in re.findall(r"-?\d+\.?\d*", check.message)}
        assert not numbers & {"48", "24", "14", "-1.8", "1.99", "-19.8", "2.89", "15", "11", "-1.5", "-0.5"}


def graded(day: str, *texts: str) -> list[Report]:
    """Grade notebooks, one after another in one warm grader."""
    submissions = [submission_from(Path("mine.ipynb"), text.encode()) for text in texts]
    with Launcher() as launcher, open_grader(Course(COURSE).assignment(day), launcher) as grader:
        return [grader.grade(submission) for submission in submissions]


@pytest.mark.whole
@pytest.mark.parametrize("day", every(3, DAYS))
def test_every_known_wrong_value_of_the_course_is_told(day: str) -> None:
    """In one grading for the first of each answer, then the second ..., as often as one has more."""
    answers = keys(day)
    texts = []
    for i in range(max(len(answer.wrong) for answer in answers.values())):
        wrong = [(a.name, a.right, a.wrong[i]) for a in answers.values() if i < len(a.wrong)]
        lines = [f"{name} = {with_entries(right, item.value)!r}" for name, right, item in wrong]
        texts.append(notebook("\n".join(lines)))
    reports = graded(day, *texts)
    told = {note.text for report in reports for check in report.checks for note in check.mistakes}

    for answer in answers.values():
        for item in answer.wrong:
            assert any(text.endswith(item.words) for text in told), (answer.name, item.value)


def with_entries(right: Any, value: Any) -> Any:
    return right | value if isinstance(value, dict) else value

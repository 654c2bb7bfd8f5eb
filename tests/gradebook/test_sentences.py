"""A grade in sentences: what is said of it, and that whatever words stand in it have the elements of plain words."""

from functools import cache

import gfm
import msgspec
import pytest
from hostile import HOSTILE, obeyed
from judges import elements_of
from msgspec.structs import replace
from recorded import IN_TIME, LIMIT, TWO_DAYS, grades, override, results, two
from students import by, told
from told import sentences_with

from grader.gradebook.gradedwork import ChangedPoints, Grade
from grader.gradebook.in_force import Override
from grader.gradebook.sentences import about_work, grade_html, grade_markdown, reasons
from grader.gradebook.store import Store
from grader.render import escape_line, escape_markdown
from grader.report import SubmissionInfo
from grader.submissions.state_words import later_brief, later_words, reason, reason_for_student, remedy
from grader.submissions.states import (
    IN_WORK,
    Later,
    NoAccess,
    NoBranch,
    NoFile,
    OtherBranch,
    Renamed,
    Unclear,
    Unreadable,
    Untouched,
)
from grader.submissions.work import HandedIn


def graded(text):
    """Grades whose words are this text, of a day of this name: of one excused, and of one changed."""
    word = Override("mini", "comment", text, text, "ada", "box")
    work = HandedIn(text, "", False, "org/x", "c" * 40)
    report = told({"double": 10, "box": 0})
    report = replace(report, assignment=replace(report.assignment, id=text))
    excused = Grade("1", None, 20.0, 10.0, {}, (), None, word, work, comments=(word,))
    given = replace(excused, score=15.0, excused=None, changed=(ChangedPoints("box", 0.0, 5.0, word),))
    return [excused.with_report(report), given.with_report(report)]


@cache
def pages(text):
    """The pages and the Markdown; the way to ask, which is on a page in words of the class's, is the text, too."""
    return [
        (grade_html(grade, ask=text), grade_markdown(grade, limit=100_000, ask="Ask."))
        for grade in graded(text)
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_words_about_a_grade_are_text(text):
    """No element, no attribute, no link and no command is made of them."""
    made = pages(text if escape_line(text).strip() else f"x{text}")

    for (page, markdown), (plain, plain_markdown) in zip(made, pages("word"), strict=True):
        assert obeyed(page) == obeyed(markdown) == []
        assert elements_of(page) == elements_of(plain)
        read, usual = gfm.Page(markdown), gfm.Page(plain_markdown)
        assert [tag for tag in read.tags if tag != "code"] == [tag for tag in usual.tags if tag != "code"]
        assert (read.attributes, gfm.linked(read)) == (usual.attributes, gfm.linked(usual))


@pytest.mark.ci
def test_the_name_of_a_file_is_one_piece_of_code():
    """Its own backticks end nothing: the words after it are ours."""
    given = graded("a`b`.py")[1]
    assert "`a'b'.py` in commit `" in grade_markdown(given, limit=100_000)


def test_a_first_push_too_late_is_not_called_another_one(snapshot):
    """Nothing was pushed before it."""
    later = Later("2025-12-20T10:00:00+00:00", "2025-12-04T12:00:00+00:00", "d" * 40)
    assert later_words(later, Untouched()) == snapshot
    assert later_brief(later, Untouched()) == snapshot
    assert later_words(later, IN_WORK) == snapshot
    assert later_brief(later, IN_WORK) == snapshot


LEFT = [
    (Unreadable("mini.ipynb: the file is empty", "save the notebook again"), "mini.ipynb: the file is empty"),
    (Renamed("mini.ipynb", "my.ipynb", "mini.ipynb"), "`mini.ipynb` is unchanged, and `my.ipynb` is ignored"),
    (
        Unclear(("a.ipynb", "b.ipynb"), "mini.ipynb", named=True),
        "it is unclear which of `a.ipynb` and `b.ipynb` counts",
    ),
    (NoFile("mini.ipynb"), "there is no mini.ipynb"),
    (
        NoFile("mini.ipynb", archive="my.zip"),
        "there is no mini.ipynb; `my.zip` is an archive, and archives are not opened",
    ),
    (NoFile("mini.ipynb", why="a text was handed in", remedy="hand in the notebook"), "a text was handed in"),
    (
        OtherBranch(("solve",), "main", "2025-12-01T10:00:00Z", "2025-12-04T12:00:00Z"),
        "the work is on the branch `solve` (pushed 2025-12-01 10:00 UTC), and only `main` counts",
    ),
]


@pytest.mark.parametrize(("state", "told_then"), LEFT)
def test_nothing_to_do_once_no_work_counts(mini, state, told_then):
    """Until the last day a student reads what helps; the final text says what counted, and not what to do."""
    report = told({"double": 0, "box": 0}, submission=SubmissionInfo("mini.ipynb", "", ""))
    report.checks[0].message = reason(state)
    with Store(results(mini)) as store:
        store.keep("k9", HandedIn("mini.ipynb", student="bob", state=state), report)
    bob = grades(mini)["bob"]
    now, final = (
        grade_markdown(msgspec.structs.replace(bob, provisional=counts), limit=LIMIT)
        for counts in (True, False)
    )
    assert escape_markdown(f"There was nothing to grade: {told_then}; {remedy(state)}.") in now
    assert escape_markdown(f"There was nothing to grade: {told_then}.") in final


def test_what_an_instructor_must_do_is_not_told_to_students(mini, snapshot):
    """The student reads the fact; the instructor's list has the remedy."""
    state = NoBranch("work", pushed="2025-12-05T10:00:00Z", until="2025-12-04T12:00:00Z", others=("main",))
    assert reason_for_student(
        state, counts=True
    ) + "; make the one with the work the default branch and collect again" == reason(state)
    state = NoAccess("ada-hub", "org/mini-ada")
    assert reason_for_student(state, counts=True) == snapshot


def test_a_push_too_late_is_told_beside_work_in_time(mini, snapshot):
    """Only the last work has it, whichever version counts."""
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 0})
    later = Later("2025-12-20T10:00:00+00:00", "2025-12-04T12:00:00+00:00", "d" * 40)
    with Store(results(mini)) as store:
        store.keep_facts("mini", msgspec.structs.replace(by("bob", TWO_DAYS), later=later))
    bob = grades(mini)["bob"]
    assert (bob.key, bob.work.later) == ("k0", later)
    assert about_work(bob) == snapshot


def test_what_a_student_is_told(mini, snapshot):
    """The grade first, how it came about, then what the checks found; nothing of a student's is executed."""
    override(mini, "points", "bob", "box", "5", why="@everyone **look** <script>")
    (told_bob,) = [side for student, side in grades(mini).items() if student == "bob"]
    text = grade_markdown(told_bob, limit=60_000)
    assert sentences_with("# Your provisional grade", text) == snapshot
    assert sentences_with("Due 2025-12-01", text) == snapshot
    assert "`<script>`" in text
    assert "`@everyone`" in text
    assert "## mini  Doubling" in text
    assert sentences_with("- The graded file", text) == snapshot


def test_a_commits_date_is_marked(mini, snapshot):
    """A plain remote's dates are the student's to set."""
    with Store(results(mini)) as store:
        store.keep_facts("mini", by("ada", HandedIn("mini.py", IN_TIME.submitted, False, "x", "c" * 40)))
    assert reasons(grades(mini)["ada"]) == snapshot

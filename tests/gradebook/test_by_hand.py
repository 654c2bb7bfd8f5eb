"""Points and comments that a person gives: in the grade, in the student's text, and from a table of the class.

Its class is made up: the checks found all of it right, and a manual check waits.
"""

import csv
import io

import pytest
from helpers import grade
from minicourse import change, put
from msgspec.structs import replace
from students import by, course, told

from grader.gradebook.grade import graded_students, grades_of, warnings_about
from grader.gradebook.in_force import Override
from grader.gradebook.overrides import LONGEST_COMMENT
from grader.gradebook.sentences import grade_markdown, grade_words, is_provisional, reasons
from grader.gradebook.store import Store
from grader.report import Outcome, SubmissionInfo
from grader.submissions.states import IN_WORK, Unreached, Untouched
from grader.submissions.work import HandedIn

USAGE = 2
DONE = {"double": 10, "box": 10}
GRACE = "Grace <grace@uni.edu>"
LIMIT = 60_000  # bytes
WRITTEN = HandedIn("mini.py", "2025-10-31T10:00:00+00:00", True, "org/ada")


@pytest.fixture
def mini(tmp_path):
    """Three students of a course with a manual check; cy handed in nothing."""
    assignment = course(tmp_path / "course")
    root = assignment.course.root
    change(
        root,
        "assignments/mini/assignment.yaml",
        "  box:",
        "  essay: {points: 10, manual: true, title: Why}\n  box:",
    )
    change(
        root,
        "assignments/mini/assignment.yaml",
        "submission:",
        "due: 2025-11-01T10:00:00Z\nlate: {days: 1}\nsubmission:",
    )
    with Store(root / "results.db", create=True) as store:
        for student in ("ada", "bob"):
            work = HandedIn("mini.py", "2025-10-31T10:00:00+00:00", True, f"org/{student}")
            store.keep("k1", by(student, work), told(DONE, manual=["essay"]))
        nothing = told({"double": 0, "box": 0, "essay": 0})
        store.keep("k1", by("cy", HandedIn("mini.py", "2025-10-31T10:00:00+00:00", True, "org/cy")), nothing)
    return assignment.course.assignment("mini")


def opened(mini):
    return Store(mini.course.root / "results.db")


def decide(mini, kind, text, *, points=None, student="ada", check="essay"):
    with opened(mini) as store:
        store.keep_override(Override("mini", kind, text, GRACE, student, check, points))


def of(mini, student="ada"):
    """The student's grade, made anew."""
    with opened(mini) as store:
        return next(one for one in grades_of(mini, store) if one.student == student)


def text_of(mini, student="ada"):
    return grade_markdown(of(mini, student), limit=LIMIT)


def run(mini, *words):
    """`grade override ...` or another command, in the course's folder."""
    return grade(*words, cwd=mini.course.root)


def overrides(mini):
    with opened(mini) as store:
        return [(d.kind, d.student, d.check, d.points, d.why) for d in store.overrides("mini")]


# --- The grade


def test_a_grade_without_manual_points_is_provisional(mini, snapshot):
    """It has the points of the other checks; work no longer counts, but a person's points still come."""
    grade_ = of(mini)
    assert (grade_.score, grade_.max_score, grade_.waiting) == (20, 30, {"essay": 10})
    assert (grade_.provisional, is_provisional(grade_)) == (False, True)
    assert grade_words(grade_) == snapshot
    assert reasons(grade_) == snapshot
    assert text_of(mini) == snapshot
    assert text_of(mini).count("Not graded yet") == 1


def test_points_complete_the_grade(mini, snapshot):
    """The report's row with a dash gives way to the sentence with the points."""
    decide(mini, "points", "a clear argument", points=8.5)
    grade_ = of(mini)
    assert (grade_.score, grade_.waiting, is_provisional(grade_)) == (28.5, {}, False)
    given, why = reasons(grade_)
    assert given == snapshot
    assert why == snapshot
    assert "-/10" not in text_of(mini)
    assert text_of(mini) == snapshot


def test_no_work_has_nothing_to_grade_by_hand(mini):
    """The grade is complete; points for work that came in another way are an override like any other."""
    assert (of(mini, "cy").score, of(mini, "cy").waiting) == (0, {})
    decide(mini, "points", "a talk", points=4, student="cy")
    assert of(mini, "cy").score == 4


def test_an_excused_student_waits_for_nothing(mini, snapshot):
    """A comment is still shown."""
    decide(mini, "excuse", "ill", check="")
    decide(mini, "comment", "get well soon")
    grade_ = of(mini)
    assert (grade_.waiting, is_provisional(grade_)) == ({}, False)
    assert [line.partition(" (")[0] for line in reasons(grade_)] == snapshot


def test_a_void_manual_check(mini):
    """Everybody who handed in something has its points."""
    decide(mini, "void", "no time for it", student="")
    assert (of(mini).score, of(mini).waiting) == (30, {})


# --- Manual checks for which nothing was written


def unwritten(mini, work=WRITTEN, sha256="0" * 64):
    """Ada's grade after her report says that the essay and `box` are still to be written."""
    report = told(
        {"double": 10, "box": 0}, manual=["essay"], submission=SubmissionInfo("mini.py", sha256, "")
    )
    for check in report.checks[1:]:
        check.outcome = Outcome.TODO
    report.checks[0].message = "" if sha256 else "the file is empty"
    with opened(mini) as store:
        store.keep("k2", by("ada", work), report)
    return of(mini)


def test_nothing_written_has_no_points(mini, snapshot):
    """The grade waits for nothing; only the manual check is named, for the report has the others."""
    grade_ = unwritten(mini)
    assert (grade_.score, grade_.waiting, grade_.unwritten) == (10, {}, {"essay": 10})
    assert reasons(grade_) == snapshot


def test_points_count_where_nothing_was_written(mini, snapshot):
    """The instructor's sentence takes the place of the other one."""
    unwritten(mini)
    decide(mini, "points", "a talk", points=4)
    grade_ = of(mini)
    assert (grade_.score, grade_.unwritten) == (14, {})
    assert reasons(grade_)[1] == snapshot


def test_an_excused_student_need_not_write(mini):
    """Nothing is missing of what need not be done."""
    decide(mini, "excuse", "ill", check="")
    assert unwritten(mini).unwritten == {}


@pytest.mark.parametrize(
    ("state", "sha256"), [(Untouched(), "0" * 64), (IN_WORK, "")], ids=["untouched", "unread"]
)
def test_without_work_no_check_is_missed(mini, state, sha256):
    """The text has the reason once, and does not repeat it for each manual check."""
    assert unwritten(mini, replace(WRITTEN, state=state), sha256).unwritten == {}


# --- Who has a grade


def test_who_has_a_grade_without_a_result(mini):
    """Whoever was given points, and nobody else of those who are absent."""
    with opened(mini) as store:
        for student in ("dan", "eve"):
            store.keep_absent("mini", student, Unreached("there is no repository"))
    decide(mini, "points", "a talk", points=4, student="dan")
    decide(mini, "points", "a mistyped name", points=4, student="dann")
    with opened(mini) as store:
        names = [one.student for one in grades_of(mini, store)]
        assert names == graded_students(mini, store) == ["ada", "bob", "cy", "dan"]


# --- Comments


def test_a_comment_changes_no_points(mini):
    """The newest one is in the student's text once, with the author and without the address."""
    decide(mini, "comment", "a draft", check="box")
    decide(mini, "comment", "a good start", check="box")
    assert of(mini).score == 20
    assert "The checks gave" not in text_of(mini)
    assert text_of(mini).count("a good start (Grace, 20") == 1
    assert "a draft" not in text_of(mini)
    assert "grace@uni.edu" not in text_of(mini)


def test_a_comment_is_undone(mini, snapshot):
    """By the command, with a reason that only the list shows."""
    ran = run(mini, "override", "comment", "ada", "box", "a good\nstart")
    assert ran.code == 0
    assert ran.out == snapshot
    assert run(mini, "override").out == snapshot
    ran = run(mini, "override", "undo", "comment", "ada", "box", "--why", "for bob")
    assert ran.out == snapshot
    assert of(mini).comments == ()


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST_COMMENT + 1)], ids=["empty", "blank", "long"])
def test_a_comment_is_some_text(mini, text, snapshot):
    """Neither nothing nor a book."""
    ran = run(mini, "override", "comment", "ada", "box", text)
    assert ran.code == USAGE
    assert ran.err == snapshot


def test_a_comment_has_its_largest_length(mini):
    """A character less than what is refused."""
    assert run(mini, "override", "comment", "ada", "box", "x" * LONGEST_COMMENT).code == 0


def test_many_long_comments_leave_room_for_the_report(mini):
    """They are cut, so that the text still fits where it is posted."""
    checks = {f"check{number}": 10 for number in range(30)}
    with opened(mini) as store:
        store.keep("k2", by("ada", HandedIn("mini.py")), told(checks))
    for check in checks:
        decide(mini, "comment", "*" * LONGEST_COMMENT, check=check)
    text = text_of(mini)
    assert len(text.encode()) <= LIMIT
    assert text.count("Comment on") == len(checks)
    assert "| ✓ passed | `check29` | 10/10 |" in text


def test_a_comment_on_a_check_that_is_gone(mini, snapshot):
    """The instructor reads that it has no effect, and how to undo it."""
    decide(mini, "comment", "well done", check="duoble")
    with opened(mini) as store:
        (warning,) = warnings_about(mini, store, [of(mini)])
    assert warning == snapshot


# --- The class


def test_the_class_in_a_terminal(mini, snapshot):
    """Who waits, for which check, and the command for it."""
    decide(mini, "points", "graded by hand", points=8)
    out = run(mini, "report", "mini").out
    assert out == snapshot
    assert "essay   " not in out, "no bar of how many pass it"


def test_the_class_as_a_table(mini, snapshot):
    """Points that nobody gave are an empty cell, and a note names the students."""
    ran = run(mini, "report", "mini", "--format", "csv")
    lines = {line["student"]: line for line in csv.DictReader(io.StringIO(ran.out))}
    assert [lines[student]["essay"] for student in ("ada", "cy")] == ["", "0"]
    assert lines["ada"]["note"] == snapshot
    assert ran.err == snapshot


# --- A table of points


def table(mini, text, name="points.csv", encoding="utf-8"):
    """Write a table, and read it with `grade override table`."""
    (mini.course.root / name).write_bytes(text.encode(encoding))
    return run(mini, "override", "table", name)


def test_a_template_is_filled_in(mini, snapshot):
    """A line for each student whose essay waits; what is filled in becomes overrides."""
    ran = run(mini, "override", "table", "points.csv", "--template")
    assert ran.out == snapshot
    path = mini.course.root / "points.csv"
    assert (
        path.read_bytes()
        == b"\xef\xbb\xbfstudent,check,points,of,comment\r\nada,essay,,10,\r\nbob,essay,,10,\r\n"
    )
    filled = path.read_bytes().replace(b"ada,essay,,10,", b'ada,essay,8.5,10,"clear, and\nshort"')
    path.write_bytes(filled)
    ran = run(mini, "override", "table", "points.csv")
    assert ran.out == snapshot
    assert overrides(mini) == [
        ("points", "ada", "essay", 8.5, "graded by hand"),
        ("comment", "ada", "essay", None, "clear, and short"),
    ]
    assert of(mini).score == 28.5


def test_a_template_has_who_comes_after_a_student_without_work(mini):
    """Abe, the first by name, handed in nothing, so a person has nothing to grade there."""
    nothing = told({"double": 0, "box": 0, "essay": 0})
    with opened(mini) as store:
        store.keep("k1", by("abe", HandedIn("mini.py")), nothing)
    assert run(mini, "override", "table", "points.csv", "--template").code == 0
    with (mini.course.root / "points.csv").open(encoding="utf-8-sig") as file:
        assert [line["student"] for line in csv.DictReader(file)] == ["ada", "bob"]


def test_many_changes_are_counted(mini, snapshot):
    """Points and comments each on their own."""
    ran = table(mini, "student,check,points,comment\nada,essay,8,good\nbob,essay,2,short\nbob,box,1,half\n")
    assert ran.out == snapshot


def test_a_second_import_changes_nothing(mini, snapshot):
    """Also of a template with the points and comments so far."""
    text = "student,check,points,comment\nada,essay,8,=1+1\nbob,box,2,\n"
    table(mini, text)
    before = overrides(mini)
    again = table(mini, text)
    assert run(mini, "override", "table", "new.csv", "--template").code == 0
    written = (mini.course.root / "new.csv").read_text(encoding="utf-8")
    assert "ada,essay,8,10,'=1+1\n" in written, "no formula"
    from_template = run(mini, "override", "table", "new.csv")
    assert again.out == snapshot
    assert from_template.out == snapshot
    assert overrides(mini) == before


def test_an_empty_cell_changes_nothing(mini):
    """Points and a comment stay when a later table leaves them out."""
    table(mini, "student,check,points,comment\nada,essay,8,clear\n")
    table(mini, "student,check,points,comment\nada,essay,,short\n")
    assert [(kind, why) for kind, *_, why in overrides(mini)] == [
        ("points", "graded by hand"),
        ("comment", "clear"),
        ("comment", "short"),
    ]
    assert of(mini).checks["essay"] == 8


FORMS = {
    "semicolons and decimal commas": ("Student;Check;Points;Comment\nADA;essay;8,5;klar\n", "utf-8"),
    "Excel's UTF-8": ("student,check,points,comment\r\nada,essay,8.5,klar\r\n", "utf-8-sig"),
    "Excel's Unicode text": ("student\tcheck\tpoints\tcomment\r\nada\tessay\t8,5\tklar\r\n", "utf-16"),
    "other columns": ("name,comment,points,check,student\nAda,klar,8.5,essay,ada\n", "utf-8"),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_spreadsheets_write(mini, form):
    """The same table in each of their forms."""
    assert table(mini, FORMS[form][0], encoding=FORMS[form][1]).code == 0
    assert [(points, why) for *_, points, why in overrides(mini)] == [(8.5, "graded by hand"), (None, "klar")]


def test_all_or_nothing(mini, snapshot):
    """Every wrong line is named with its remedy, and the right ones are not kept."""
    ran = table(
        mini,
        "student,check,points,comment\nada,essay,8,fine\nadda,essay,3,\nbob,esay,3,\nbob,essay,11,\nbob,essay,1.234,\n"
        "ada,essay,9,\n,essay,1,\nbob,essay,nan,\nbob,essay,ten,\n",
    )
    assert (ran.code, overrides(mini)) == (USAGE, [])
    assert ran.err.splitlines() == snapshot


NO_TABLES = {
    "no column": (
        "student,points\nada,3\n",
        "points.csv: the column `check` is missing; the first line names",
    ),
    "nothing to give": (
        "student,check\nada,essay\n",
        "points.csv: the column `points` is missing; the first line names",
    ),
    "a column twice": (
        "student,check,points,Points\nada,essay,3,4\n",
        "points.csv: two columns are called `points`; keep one of them",
    ),
    "one wrong line": (
        "student,check,points\nada,essay,12\n",
        'points.csv, line 2: "12" cannot be the points of `essay`: write a number from 0 to 10, with at most two decimal places; nothing was changed',
    ),
}


@pytest.mark.parametrize("case", NO_TABLES)
def test_no_table(mini, case):
    """One line with what is wrong, where, and what to do."""
    text, message = NO_TABLES[case]
    ran = table(mini, text)
    assert (ran.code, overrides(mini)) == (USAGE, [])
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_template_overwrites_nothing(mini, snapshot):
    """An instructor's filled-in table must not be lost."""
    put(mini.course.root, "points.csv", "mine\n")
    ran = run(mini, "override", "table", "points.csv", "--template")
    assert ran.code == USAGE
    assert ran.err == snapshot
    assert (mini.course.root / "points.csv").read_text() == "mine\n"


def test_a_template_needs_a_manual_check(tmp_path, snapshot):
    """Without one the remedy is named."""
    assignment = course(tmp_path / "course")
    with Store(assignment.course.root / "results.db", create=True) as store:
        store.keep("k1", by("ada", HandedIn("mini.py")), told(DONE))
    ran = run(assignment, "override", "table", "points.csv", "--template")
    assert ran.code == USAGE
    assert ran.err == snapshot


def in_two_versions(mini, rule):
    """Ada's work on time is right and has no essay; a day later she writes one."""
    change(mini.course.root, "assignments/mini/assignment.yaml", "late: {days: 1}", rule)
    unwritten = told({**DONE, "essay": 0})
    unwritten.checks[2].outcome = Outcome.TODO
    late = replace(WRITTEN, submitted="2025-11-01T12:00:00+00:00")
    with opened(mini) as store:
        store.keep("k1", by("ada", WRITTEN), unwritten, version="in_time")
        store.keep("k2", by("ada", late), told(DONE, manual=["essay"]))


@pytest.mark.parametrize(
    ("percent", "before", "after"), [(10, (17, 20, True), (27, 20)), (50, (20, 5, False), (20, 15))]
)
def test_an_essay_in_late_work_counts_with_it(mini, percent, before, after):
    """It is asked for if it can decide which version counts, and its points are none for the work on time."""
    in_two_versions(mini, f"late: {{days: 1, percent_per_day: {percent}}}")
    found = of(mini)
    assert (found.score, found.other.score, "essay" in found.waiting) == before
    decide(mini, "points", "clear", points=10)
    assert (of(mini).score, of(mini).other.score) == after

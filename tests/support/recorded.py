"""Two students of the one class, ada and bob, and what an instructor decides of their grades."""

from minicourse import change
from students import by, told

from grader.gradebook.grade import grades_of
from grader.gradebook.overrides import make_override, undo_override
from grader.gradebook.store import Store
from grader.submissions.work import HandedIn

IN_TIME = HandedIn("mini.py", "2025-12-01T10:00:00+00:00", True, "org/ada", "c" * 40)
IN_TIME_TOO = HandedIn("mini.py", "2025-12-01T10:00:00+00:00", True, "org/bob", "c" * 40)
TWO_DAYS = HandedIn("mini.py", "2025-12-03T10:00:00+00:00", True, "org/bob", "c" * 40)
LIMIT = 60_000  # bytes


def results(assignment):
    return assignment.course.root / "results.db"


def override(assignment, word, *names, why="it was right", day=None):
    """`grade override WORD ...`"""
    about = assignment.course, results(assignment), day
    if word == "undo":
        undo_override(*about, names[0], names[1:], why=why)
    elif word == "points":
        make_override(*about, word, names[:2], text=why, points=names[2])
    else:
        make_override(*about, word, names, text=why)


def grades(assignment):
    """Everybody's grade, made anew."""
    with Store(results(assignment)) as store:
        fresh = type(assignment.course)(assignment.course.root).assignment("mini")
        return {grade.student: grade for grade in grades_of(fresh, store)}


def scores(assignment):
    return {student: grade.score for student, grade in grades(assignment).items()}


def two(mini, in_time: dict, late: dict, rule="percent_per_day: 10"):
    """Bob's work on time, and what he pushed two days late, which is graded again."""
    pushed = grades(mini)["bob"].report.submission
    change(mini.course.root, "assignments/mini/assignment.yaml", "percent_per_day: 10", rule)
    with Store(results(mini)) as store:
        store.keep("k0", by("bob", IN_TIME_TOO), told(in_time, submission=pushed), version="in_time")
        store.keep("k2", by("bob", TWO_DAYS), told(late, submission=pushed))

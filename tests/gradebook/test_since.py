"""The grades at an earlier time, or before the last run: of work with one version, and with two."""

import datetime as dt
import hashlib

import pytest
from minicourse import change
from students import course, told

from grader.gradebook.diff import grades_at
from grader.gradebook.grade import grades_of
from grader.gradebook.store import Store
from grader.report import SubmissionInfo
from grader.submissions.states import IN_WORK
from grader.submissions.work import HandedIn

THEN = dt.datetime(2026, 1, 4, 10, tzinfo=dt.UTC)
LATE = "due: 2026-12-01T23:59:00Z\nlate: {percent_per_day: 10}\nsubmission:"
IN_TIME = HandedIn("mini.py", "2026-12-01T10:00:00+00:00", True, "org/ada", "c" * 40, student="ada")
TWO_DAYS = HandedIn("mini.py", "2026-12-03T10:00:00+00:00", True, "org/ada", "d" * 40, student="ada")


@pytest.fixture
def mini(tmp_path):
    """A course, and an empty results file."""
    assignment = course(tmp_path / "course")
    change(assignment.course.root, "assignments/mini/assignment.yaml", "submission:", LATE)
    with Store(assignment.course.root / "results.db", create=True):
        return assignment.course.assignment("mini")


def opened(mini):
    return Store(mini.course.root / "results.db")


def dated(store):
    """Date everything that was graded so far to the earlier time."""
    store._database.execute("UPDATE results SET graded = ?", (THEN.isoformat(),))


def today(mini):
    """Ada's grade."""
    with opened(mini) as store:
        ((grade, _),) = grades_of(mini, store)
    return grade


def then(mini, moment=THEN):
    """Ada's grade at an earlier time; None is before the last run."""
    with opened(mini) as store:
        ((grade, _),) = grades_at(mini, store, moment)
    return grade


def of_work(name, double, box, at=""):
    """A report on the work of that name, which was changed at that time."""
    submission = SubmissionInfo("mini.py", hashlib.sha256(name.encode()).hexdigest(), at)
    return told({"double": double, "box": box}, submission=submission)


def test_before_the_last_of_three_runs(mini):
    """The run before it counted then, not the first one."""
    with opened(mini) as store:
        for number, score in enumerate((0, 5, 10)):
            with store.running("mini", "batch", f"suite {number}"):
                for key in ("first", "second"):  # the last grading of a run counts
                    points = score if key == "second" else 1
                    store.keep(f"{key} {number}", TWO_DAYS, told({"double": 10, "box": points}))
    assert then(mini, None).checks["box"] == 5


def test_work_in_time_counted_before_late_work_came(mini):
    """It was the last work then, and its facts are those that were kept, not made up from its report."""
    with opened(mini) as store:
        store.keep("k1", IN_TIME, of_work("in time", 10, 0))
        dated(store)
        store.keep("k1", IN_TIME, of_work("in time", 10, 5), version="in_time")
        store.keep("k2", TWO_DAYS, of_work("late", 10, 10))
    assert (then(mini).score, then(mini).other, then(mini).work) == (10, None, IN_TIME)


def test_two_versions_were_graded_again_since(mini):
    """The better one counted then, by the newest grading of each."""
    with opened(mini) as store:
        for number in range(2):
            store.keep(f"in time {number}", IN_TIME, of_work("in time", 10, number), version="in_time")
            store.keep(f"late {number}", TWO_DAYS, of_work("late", number, 0))
        dated(store)
        store.keep("in time", IN_TIME, of_work("in time", 0, 0), version="in_time")
        store.keep("late", TWO_DAYS, of_work("late", 10, 10))
    assert (today(mini).key, then(mini).key, then(mini).score) == ("late", "in time 1", 11)


def test_one_of_two_versions_was_graded_again_since(mini):
    """The other one is as it is today."""
    with opened(mini) as store:
        store.keep("in time", IN_TIME, of_work("in time", 10, 10), version="in_time")
        store.keep("late", TWO_DAYS, of_work("late", 10, 0))
        dated(store)
        store.keep("again", IN_TIME, of_work("in time", 0, 0), version="in_time")
    assert (today(mini).key, then(mini).key, then(mini).score) == ("late", "in time", 20)


def test_work_that_could_not_be_read_then(mini, snapshot):
    """There was nothing to grade, and the reason is that of then; today's work is another one."""
    nothing = told({"double": 0, "box": 0}, submission=SubmissionInfo("mini.py", "", IN_TIME.submitted))
    nothing.checks[0].message = "mini.py: the file is empty"
    with opened(mini) as store:
        store.keep("empty", IN_TIME, nothing)
        dated(store)
        store.keep("k2", IN_TIME, of_work("new", 10, 10))
    assert then(mini).score == 0
    assert then(mini).work.state == snapshot


def test_other_work_could_be_read_then(mini):
    """It was handed in like today's, at its own time."""
    with opened(mini) as store:
        store.keep("old", IN_TIME, of_work("old", 10, 5, at=IN_TIME.submitted))
        dated(store)
        store.keep("k2", TWO_DAYS, of_work("new", 10, 10))
    assert (then(mini).work.state, then(mini).late.days, then(mini).score) == (IN_WORK, 0, 15)

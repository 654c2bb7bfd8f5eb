"""`grade diff`: whose grade changes and why; the grades at an earlier time, or before the last run."""

import datetime as dt
import hashlib

import pytest
from minicourse import put
from recorded import IN_TIME, IN_TIME_TOO, TWO_DAYS, grades, override, results, sides, two
from students import by, told

from grader.errors import Refused
from grader.gradebook.diff import compare, differences, grades_at, render_differences
from grader.gradebook.store import Override, Store
from grader.report import SubmissionInfo
from grader.submissions.states import (
    IN_WORK,
    NoAccess,
)


def test_nobody_changes(mini):
    """The same results say so in a line."""
    same = sides(mini)
    assert differences(same, same) == []
    assert render_differences([], 2) == "2 students, none change.\n"


def test_who_changes_and_why(mini, snapshot):
    """A regrade, a word, an extension: each student with the checks and the reasons."""
    before = sides(mini)
    override(mini, "points", "ada", "box", "4", why="by hand")
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nbob,+1d\n")
    with Store(results(mini)) as store:
        regraded = told({"double": 0, "box": 10}, submission=before["bob"].report.submission)
        store.keep("k2", by("bob", TWO_DAYS), regraded)
        store.keep("k1", by("cy", IN_TIME), told({"double": 10, "box": 10}))
    text = render_differences(differences(before, sides(mini)), 3)
    assert text == snapshot


def test_another_submission_is_told(mini):
    """The points moved because the work is another one."""
    before = sides(mini)
    with Store(results(mini)) as store:
        report = told({"double": 0, "box": 0})
        report.submission = type(report.submission)("mini.py", "9" * 64, "")
        store.keep("k2", by("ada", IN_TIME), report)
    (difference,) = differences(before, sides(mini))
    assert difference.why[0] == "the submission changed"


def since(mini, moment, capsys):
    """`grade diff --since`: its exit code and output."""
    code = compare(mini.course, results(mini), moment, None)
    return code, capsys.readouterr().out


def dated(mini, when):
    """Everything in the results file is of that time."""
    with Store(results(mini)) as store:
        for table, column in (("results", "graded"), ("overrides", "at")):
            store._database.execute(f"UPDATE {table} SET {column} = ?", (when,))


def test_since_a_time_is_about_the_same_class(mini, capsys):
    """Points without a result counted then, too; who left the class is in neither grade."""
    with Store(results(mini)) as store:
        store.keep_absent("mini", "eve", NoAccess("eve-gh", "org/mini-eve"))
        store.keep_override(Override("mini", "points", "oral exam", "Grace", "eve", "box", 5.0))
    put(mini.course.root, "class.csv", "student\nada\nbob\neve\n")
    put(mini.course.root, "solutions/course.yaml", "class: {organisation: org, roster: class.csv}\n")
    code, text = since(mini, "2100-01-01T00:00:00Z", capsys)
    assert (code, text.splitlines()[-1]) == (0, "3 students, none change.")


def test_since_a_time(mini, capsys, snapshot):
    """The gradings and overrides of then count on one side, on the other those of today."""
    override(mini, "points", "ada", "box", "9", why="a first look")
    dated(mini, "2026-01-04T10:00:00+00:00")
    override(mini, "points", "ada", "box", "4", why="by hand")
    regraded = told({"double": 10, "box": 10}, submission=sides(mini)["bob"].report.submission)
    with Store(results(mini)) as store:
        store.keep("k2", by("bob", TWO_DAYS), regraded)
        store.keep("k2", by("cy", IN_TIME), told({"double": 10, "box": 0}))

    code, text = since(mini, "2026-01-04T10:00:00Z", capsys)

    assert code == 1
    assert text == snapshot
    assert since(mini, "2100-01-01T00:00:00Z", capsys) == snapshot


def test_since_a_time_before_new_work(mini, capsys, snapshot):
    """The work of then counts, at its own time; a result that is dropped now counted then."""
    early = told({"double": 10, "box": 10}, submission=SubmissionInfo("mini.py", "9" * 64, IN_TIME.submitted))
    with Store(results(mini)) as store:
        store.keep("k0", by("bob", IN_TIME_TOO), early)
        dated(mini, "2026-01-04T10:00:00+00:00")
        store.keep("k1", by("bob", TWO_DAYS), told({"double": 10, "box": 0}))
        store.keep_override(Override("mini", "forget", "a mix-up", "Grace", "ada"))
    text = since(mini, "2026-01-04T10:00:00Z", capsys)[1]
    assert text == snapshot


def test_since_the_last_run(mini, capsys, snapshot):
    """Gradings of the last run do not count before it, also in the second in which it began; overrides from before do."""
    override(mini, "points", "ada", "box", "9", why="a first look")
    with Store(results(mini)) as store:
        for suite, score in (("first", 0), ("second", 10)):
            with store.running("mini", "batch", suite):
                store.keep(suite, by("cy", IN_TIME), told({"double": 10, "box": score}))
    code, text = since(mini, "last-run", capsys)
    assert code == 1
    assert text == snapshot


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-04T10:00:00", "12:00Z"])
def test_since_no_time(mini, text):
    """A time zone is needed."""
    with pytest.raises(Refused, match="not a time with a time zone; write it as 2026-12-01T23:59:00Z"):
        compare(mini.course, results(mini), text, None)


# --- The grades at an earlier time, or before the last run


THEN = dt.datetime(2026, 1, 4, 10, tzinfo=dt.UTC)


def then(mini, moment=THEN):
    """Cy's grade at an earlier time; None is before the last run."""
    with Store(results(mini)) as store:
        return {grade.student: grade for grade, _ in grades_at(mini, store, moment)}["cy"]


def keep_cy(mini, *kept):
    """Keep gradings of cy's work: key, facts, report and, where there are two, the version."""
    with Store(results(mini)) as store:
        for key, facts, report, *version in kept:
            store.keep(key, by("cy", facts), report, version=version[0] if version else "last")


def of_work(name, double, box, at=""):
    """A report on the work of that name, which was changed at that time."""
    submission = SubmissionInfo("mini.py", hashlib.sha256(name.encode()).hexdigest(), at)
    return told({"double": double, "box": box}, submission=submission)


def test_before_the_last_of_three_runs(mini):
    """The run before it counted then, not the first one; of a run the last grading."""
    for number, score in enumerate((0, 5, 10)):
        with Store(results(mini)) as store, store.running("mini", "batch", f"suite {number}"):
            for key, points in (("first", 1), ("second", score)):
                store.keep(f"{key} {number}", by("cy", TWO_DAYS), told({"double": 10, "box": points}))
    assert then(mini, None).checks["box"] == 5


def test_work_in_time_counted_before_late_work_came(mini):
    """It was the last work then, and its facts are those that were kept, not made up from its report."""
    keep_cy(mini, ("k1", IN_TIME, of_work("in time", 10, 0)))
    dated(mini, THEN.isoformat())
    keep_cy(
        mini, ("k1", IN_TIME, of_work("in time", 10, 5), "in_time"), ("k2", TWO_DAYS, of_work("late", 10, 10))
    )
    assert (then(mini).score, then(mini).other, then(mini).work) == (10, None, by("cy", IN_TIME))


def test_two_versions_were_graded_again_since(mini):
    """The better one counted then, by the newest grading of each."""
    for number in range(2):
        keep_cy(mini, (f"in time {number}", IN_TIME, of_work("in time", 10, number), "in_time"))
        keep_cy(mini, (f"late {number}", TWO_DAYS, of_work("late", number, 0)))
    dated(mini, THEN.isoformat())
    keep_cy(
        mini,
        ("in time", IN_TIME, of_work("in time", 0, 0), "in_time"),
        ("late", TWO_DAYS, of_work("late", 10, 10)),
    )
    assert (grades(mini)["cy"].key, then(mini).key, then(mini).score) == ("late", "in time 1", 11)


def test_one_of_two_versions_was_graded_again_since(mini):
    """The other one is as it is today."""
    keep_cy(
        mini,
        ("in time", IN_TIME, of_work("in time", 10, 10), "in_time"),
        ("late", TWO_DAYS, of_work("late", 10, 0)),
    )
    dated(mini, THEN.isoformat())
    keep_cy(mini, ("again", IN_TIME, of_work("in time", 0, 0), "in_time"))
    assert (grades(mini)["cy"].key, then(mini).key, then(mini).score) == ("late", "in time", 20)


def test_work_that_could_not_be_read_then(mini, snapshot):
    """There was nothing to grade, and the reason is that of then; today's work is another one."""
    nothing = told({"double": 0, "box": 0}, submission=SubmissionInfo("mini.py", "", IN_TIME.submitted))
    nothing.checks[0].message = "mini.py: the file is empty"
    keep_cy(mini, ("empty", IN_TIME, nothing))
    dated(mini, THEN.isoformat())
    keep_cy(mini, ("k2", IN_TIME, of_work("new", 10, 10)))
    assert then(mini).score == 0
    assert then(mini).work.state == snapshot


def test_other_work_could_be_read_then(mini):
    """It was handed in like today's, at its own time."""
    keep_cy(mini, ("old", IN_TIME, of_work("old", 10, 5, at=IN_TIME.submitted)))
    dated(mini, THEN.isoformat())
    keep_cy(mini, ("k2", TWO_DAYS, of_work("new", 10, 10)))
    assert (then(mini).work.state, then(mini).late.days, then(mini).score) == (IN_WORK, 0, 15)


def test_another_version_counts_now(mini, snapshot):
    """The reason for the change since the post is reported."""
    before = sides(mini)
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 0})
    text = render_differences(differences(before, sides(mini)), 2)
    assert "  bob  6 -> 20\n" in text
    assert "    in time now\n" in text
    assert text == snapshot

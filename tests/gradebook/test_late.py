"""Due dates, grace, extensions and what lateness costs."""

import datetime as dt
from fractions import Fraction
from pathlib import Path

import pytest
from minicourse import FILES, change, put

from grader.assignment import Assignment, Course
from grader.errors import Refused
from grader.gradebook.late import (
    after_penalty,
    final_from,
    in_time_until,
    is_final,
    lateness,
    read_extensions,
)

DUE = dt.datetime(2025, 12, 1, 23, 59, tzinfo=dt.UTC)
RULE = "late: {grace_minutes: 15, percent_per_day: 10, at_least_percent: 50, days: 7}\n"


def mini(root: Path, late: str = RULE, due: str = "due: 2025-12-01T23:59:00Z\n") -> Assignment:
    """The miniature assignment with a due date."""
    for name, text in FILES.items():
        put(root, name, text)
    change(root, "assignments/mini/assignment.yaml", "submission:", f"{due}{late}submission:")
    return Course(root).assignment("mini")


def left(assignment: Assignment, after: dt.timedelta, score: str = "90", **more) -> tuple[int, Fraction]:
    """Work that came so long after the due date is so many days late, and has so many of 100 points."""
    how = lateness(assignment.manifest, None, DUE + after, verified=True)
    assert how is not None
    return how.days, after_penalty(assignment.manifest, how, Fraction(score), Fraction(100))


MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)


@pytest.mark.parametrize(
    ("after", "days", "points"),
    [
        (-DAY, 0, 90),
        (0 * DAY, 0, 90),
        (15 * MINUTE, 0, 90),
        (16 * MINUTE, 1, 80),
        (DAY, 1, 80),
        (DAY + MINUTE, 2, 70),
        (4 * DAY, 4, 50),
        (5 * DAY, 5, 50),  # no lower
        (7 * DAY, 7, 50),
        (7 * DAY + HOUR, 8, 0),  # no longer taken
    ],
)
def test_each_day_that_has_begun_costs(tmp_path, after, days, points):
    """Ten of a hundred points a day, after a quarter of an hour for slow networks."""
    assert left(mini(tmp_path), after) == (days, points)


def test_a_penalty_never_raises(tmp_path):
    """A student with 30 points has no more after the penalty."""
    assert left(mini(tmp_path), 3 * DAY, "30") == (3, 30)


def test_a_cap_instead_of_days(tmp_path):
    """Late work has at most 80 of 100, however late."""
    capped = mini(tmp_path, "late: {at_most_percent: 80}\n")
    assert (left(capped, 30 * DAY), left(capped, DAY, "79.5")) == ((30, 80), (1, Fraction("79.5")))


def test_thirds_stay_thirds(tmp_path):
    """Only the result is rounded."""
    third = mini(tmp_path, "late: {percent_per_day: 33.3}\n")
    assert left(third, DAY, "100")[1] == Fraction("66.7")


def test_without_a_rule_lateness_is_only_told(tmp_path):
    """A due date alone takes nothing."""
    assert left(mini(tmp_path, ""), 3 * DAY) == (3, 90)


def test_without_a_due_date_nothing_is_late(tmp_path):
    """There is nothing to be late for."""
    assert lateness(mini(tmp_path, "", "").manifest, None, DUE, verified=True) is None


def test_an_unknown_time_is_not_late(tmp_path):
    """A folder tells no times; nobody is punished for that."""
    how = lateness(mini(tmp_path).manifest, None, None, verified=False)
    assert (how.days, how.submitted) == (0, None)


def test_a_rule_needs_a_due_date(tmp_path):
    """The manifest says what it lacks."""
    with pytest.raises(Refused, match=r"`late` has no effect without `due`; add a line `due: "):
        _ = mini(tmp_path, due="").manifest


def test_a_mistyped_rule(tmp_path):
    """Unknown keys have the nearest known one beside them."""
    with pytest.raises(Refused, match=r"unknown key `late.percent_a_day` \(did you mean `percent_per_day`"):
        _ = mini(tmp_path, "late: {percent_a_day: 10}\n").manifest


def test_which_work_is_kept(tmp_path):
    """The better of two without a word; an unknown one has the nearest beside it."""
    assert mini(tmp_path / "a").manifest.late.keep == "best"
    assert mini(tmp_path / "b", "late: {keep: last}\n").manifest.late.keep == "last"
    with pytest.raises(
        Refused, match=r"`late.keep` is `lasst` \(did you mean `last`\?\); write `best`, the better"
    ):
        _ = mini(tmp_path / "c", "late: {keep: lasst}\n").manifest


def extensions(assignment: Assignment, text: str) -> dict:
    """The table is read."""
    put(assignment.course.root, "solutions/mini/extensions.csv", text)
    return read_extensions(assignment)


def test_extensions_are_dates_or_so_much_later(tmp_path):
    """As spreadsheets save them, too: a mark of the encoding, semicolons, blank lines."""
    table = "\ufeffStudent;Due;Why\nada; 2025-12-08T12:00:00+01:00;ill\n\ngrace;+3d;\nalan;+12h;train\n"
    table += "bob;2025-12-08;\ncy;20251208;\ndan;2025-12-08T18:00;\n"
    found = extensions(mini(tmp_path), table)
    assert {name: more.due - DUE for name, more in found.items()} == {
        "ada": 6 * DAY + 11 * HOUR + MINUTE,
        "grace": 3 * DAY,
        "alan": 12 * HOUR,
        "bob": 7 * DAY,
        "cy": 7 * DAY,
        "dan": 6 * DAY + 18 * HOUR + MINUTE,
    }
    assert found["ada"].why == "ill"


def test_an_extension_takes_nothing_away(tmp_path):
    """A date before the due date leaves the due date."""
    assignment = mini(tmp_path)
    found = extensions(assignment, "student,due\nada,2025-11-01T00:00:00Z\n")
    assert in_time_until(assignment.manifest, found["ada"]) == DUE + dt.timedelta(minutes=15)


def test_a_date_alone_is_in_the_time_zone_of_due(tmp_path):
    """So it is the same moment on an instructor's machine and in a job; without `due` there is none."""
    there = mini(tmp_path / "a", due="due: 2026-12-01T23:59:00+05:30\n")
    ada = extensions(there, "student,due\nada,2026-12-08\n")["ada"]
    assert ada.due.isoformat() == "2026-12-08T23:59:00+05:30"
    with pytest.raises(Refused, match=r"`2026-12-08` is not a due date; write 2026-12-08T23:59:00Z"):
        extensions(mini(tmp_path / "b", "", ""), "student,due\nada,2026-12-08\n")


def test_no_table_is_no_extension(tmp_path):
    """Most assignments have none."""
    assert read_extensions(mini(tmp_path)) == {}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("ada,+3d\n", r"line 1: begin the table with a line `student,due,why`"),
        ("student,due\nada,tomorrow\n", r"line 2: `tomorrow` is not a due date; write 2026-12-08T23:59:00Z"),
        ("student,due\nada,2025-12-08T25:00\n", r"line 2: .*, or 2026-12-08 in the time zone of `due`"),
        ("student,due\nada,+1d\nada,+2d\n", r"line 3: ada already has a line above"),
        ("student,due\n,+1d\n", r"line 2: no student is named"),
        ('student,due\n"ada,+1d\n', r"this is not a line of a CSV .* correct its quotes"),
        ("student,due\nada,9999-12-31T23:59:59-12:00\n", r"line 2: .*; the years are 1970 to 9000"),
        ("student,due\nada,0001-01-01T00:00:00+12:00\n", r"line 2: .*; the years are 1970 to 9000"),
    ],
)
def test_a_table_that_cannot_be_used(tmp_path, table, told):
    """The line and the remedy are named; nobody is graded by half a table."""
    with pytest.raises(Refused, match=told):
        extensions(mini(tmp_path), table)


@pytest.mark.parametrize("due", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_a_date_at_the_end_of_the_calendar(tmp_path, due):
    """No other time zone has a date for it, and nothing can be later."""
    with pytest.raises(Refused, match=r"`due` is in the year \d+; write a date from 1970 to 9000"):
        _ = mini(tmp_path, due=f"due: {due}\n").manifest


def test_what_is_collected_until(tmp_path):
    """The due date with the grace, or the last day on which late work counts; always, without an end."""
    plain, ruled = mini(tmp_path / "a", ""), mini(tmp_path / "b")
    forever = mini(tmp_path / "c", "late: {percent_per_day: 10}\n")
    short = mini(tmp_path / "d", "late: {grace_minutes: 15, days: 1}\n")
    found = extensions(ruled, "student,due\nada,+1d\n")
    assert final_from(plain.manifest, None) == DUE
    assert final_from(ruled.manifest, found["ada"]) == DUE + 8 * DAY
    assert final_from(ruled.manifest, None) == DUE + 7 * DAY
    assert final_from(forever.manifest, None) is None
    assert final_from(short.manifest, None) == DUE + DAY


def test_a_final_grade_is_final(tmp_path):
    """After the last day for which late work counts; without such a day when the instructor says so."""
    ruled, forever = mini(tmp_path / "a"), mini(tmp_path / "b", "late: {percent_per_day: 10}\n")
    more = extensions(ruled, "student,due\nada,+1d\n")["ada"]
    end = DUE + 7 * DAY
    assert [is_final(ruled.manifest, None, end + after) for after in (0 * DAY, MINUTE)] == [False, True]
    assert [is_final(ruled.manifest, more, end + after) for after in (DAY, DAY + MINUTE)] == [False, True]
    assert [is_final(ruled.manifest, None, end, declared=said) for said in (False, True)] == [False, False]
    assert [is_final(forever.manifest, None, end, declared=said) for said in (False, True)] == [False, True]

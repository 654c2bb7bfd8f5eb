"""`grade report --all`: the table of all days, and totals that can be added up by hand."""

import csv
import datetime as dt
import io
from fractions import Fraction

import pytest
from helpers import grade, same_as_snapshot
from hypothesis import example, given
from hypothesis import strategies as st
from minicourse import MANIFEST, put
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture
from students import by, told

from grader.assignment import Course
from grader.errors import Refused
from grader.gradebook.in_force import Override
from grader.gradebook.settings import CourseSettings
from grader.gradebook.store import Store
from grader.gradebook.totals import MISSING, OPEN, DayScore, GradedDay, StudentTotal, read_weights
from grader.report import Outcome
from grader.submissions.states import Unreached, Untouched
from grader.submissions.work import HandedIn

DAYS = {"day1": "The engine", "day2": "Gradients", "day3": "A net"}
PAST, FUTURE = "due: 2020-01-01T00:00:00Z", "due: 8999-01-01T00:00:00Z"


@pytest.fixture
def root(tmp_path):
    """Three days of 20 points; the last is not due yet. Ada did all, bob and cy miss one, dan is excused."""
    for day, title in DAYS.items():
        due = FUTURE if day == "day3" else PAST
        manifest = MANIFEST.replace("Doubling", title).replace("submission:", f"{due}\nsubmission:")
        put(tmp_path, f"assignments/{day}/assignment.yaml", manifest)
    with Store(tmp_path / "results.db", create=True) as store:
        for day, scores in {
            "day1": {"ada": 20, "bob": 10, "dan": 5},
            "day2": {"ada": 10, "cy": 20, "dan": 5},
            "day3": {"ada": 15, "bob": 20},
        }.items():
            for student, score in scores.items():
                keep(store, day, student, score)
        store.keep_override(Override("day1", "excuse", "ill", "Grace", "dan"))
    return tmp_path


def keep(store, day, student, score):
    report = told({"double": min(score, 10), "box": max(score - 10, 0)}, day)
    store.keep(f"{day} {student}", by(student, HandedIn("mini.ipynb")), report)


def rule(root, text):
    put(root, "solutions/course.yaml", text)


def table(root, *words):
    """The lines of the CSV by student."""
    ran = grade("report", "--all", "--format", "csv", *words, cwd=root)
    assert ran.code == 0, ran.text
    return {line["student"]: line for line in csv.DictReader(io.StringIO(ran.out))}


def totals(root, *words):
    return {student: line["score"] for student, line in table(root, *words).items()}


# --- The rule


def test_all_days_in_a_terminal(root):
    """The days' points and weights, a row for each student, the meaning of its words, and the class."""
    rule(root, "weights: {day2: 2}\ndrop_lowest: 1\n")
    with Store(root / "results.db") as store:
        broken = told({"double": 10, "box": 0}, "day1", score=None)
        broken.checks[1].outcome = Outcome.UNGRADABLE
        store.keep("eve", by("eve", HandedIn("mini.ipynb")), broken)
    same_as_snapshot("all_days", grade("report", "--all", cwd=root).out)


def test_without_a_rule_every_day_weighs_the_same(root, snapshot):
    """Missing counts 0, not due yet and excused do not count."""
    assert totals(root) == {
        "ada": "75",  # (100 + 50 + 75) / 3
        "bob": "50",  # (50 + 0 + 100) / 3
        "cy": "50",  # (0 + 100) / 2
        "dan": "25",  # day 2 alone
    }
    assert table(root)["bob"] | {"name": "", "email": ""} == snapshot
    assert table(root)["cy"]["note"] == snapshot
    assert table(root)["dan"]["note"] == snapshot


def test_weights(root):
    """A day without a weight has 1; a weight of 0 takes a day out."""
    rule(root, "weights: {day1: 0, day2: 2.5}")
    assert totals(root)["ada"] == "57.14"  # (2.5 * 50 + 75) / 3.5
    assert totals(root)["bob"] == "28.57"  # (2.5 * 0 + 100) / 3.5


def test_a_share_of_nothing_is_0():
    """Without a score, and of a day that has no points, which an override may give some."""
    entries = [DayScore(without=MISSING), DayScore(5.0, 0.0), DayScore(0.0, 20.0)]
    assert [entry.share for entry in entries] == [0, 0, 0]


def test_a_weight_may_be_0_or_1000(root):
    """Both ends of the range are in it."""
    rule(root, "weights: {day1: 0, day2: 1000, day3: 0}")
    assert read_weights(Course(root)).weight("day2") == 1_000
    assert totals(root)["ada"] == "50"


def test_the_lowest_days_are_dropped(root):
    """By their share of the points; one day stays, whoever has only one."""
    rule(root, "drop_lowest: 2")
    assert totals(root) == {"ada": "100", "bob": "100", "cy": "100", "dan": "25"}
    assert table(root)["ada"]["note"] == "day2: dropped; day3: dropped"


def test_more_time_for_a_student_counts(root):
    """A day is not missing while the student can still hand in on time."""
    put(root, "solutions/day2/extensions.csv", "student,due\nbob,8999-01-01T00:00:00Z\n")
    assert totals(root)["bob"] == "75"
    with Store(root / "results.db") as store:  # an untouched notebook is no 0 meanwhile
        for student, day in {"bob": "day2", "cy": "day3", "dan": "day2"}.items():
            work = by(student, HandedIn("mini.ipynb", state=Untouched()))
            store.keep(f"untouched {day}", work, told({"double": 0, "box": 0}, day))
    assert totals(root) == {"ada": "75", "bob": "75", "cy": "50", "dan": "0"}


def test_of_days_that_are_equally_low_the_heaviest_is_dropped(root):
    """Which is the better one for the student, wherever it comes."""
    days = {day: DayScore(score, 10.0) for day, score in {"a": 5.0, "b": 5.0, "c": 10.0}.items()}
    lines = [StudentTotal("ada", {name: days[name] for name in order}) for order in ("abc", "bac")]
    for line in lines:
        line.add_up(CourseSettings(weights={"a": 1.0, "b": 3.0, "c": 1.0}, drop_lowest=1))
    assert [(line.dropped, line.total) for line in lines] == [(("b",), 75)] * 2


def test_who_handed_in_nothing_and_who_is_excused(root, snapshot):
    """The first has 0 of a day that is due, the other's total is that of the other days."""
    with Store(root / "results.db") as store:
        for student in ("zoe", "xan"):
            keep(store, "day1", student, 20)
            store.keep_absent("day2", student, Unreached("there is no file"))
        store.keep_override(Override("day2", "excuse", "ill", "Grace", "zoe"))
    assert [table(root)[student]["note"].partition(";")[0] for student in ("xan", "zoe")] == snapshot
    assert [totals(root)[student] for student in ("xan", "zoe")] == ["50", "100"]


def test_a_single_student_in_a_terminal(tmp_path, snapshot):
    """One day with 0 points, and no rule."""
    put(tmp_path, "assignments/day1/assignment.yaml", MANIFEST.replace("Doubling", "The engine"))
    with Store(tmp_path / "results.db", create=True) as store:
        keep(store, "day1", "ada", 0)
    out = grade("report", "--all", cwd=tmp_path).out
    assert out == snapshot


def test_a_course_keeps_one_day(tmp_path):
    """Of a single day none may be dropped. A course that has none yet may have a rule."""
    rule(tmp_path, "drop_lowest: 0")
    assert read_weights(Course(tmp_path)).drop_lowest == 0
    put(tmp_path, "assignments/day1/assignment.yaml", MANIFEST)
    rule(tmp_path, "drop_lowest: 1")
    with pytest.raises(
        Refused, match="`drop_lowest` is 1, and the course has 1 days; at least one must stay"
    ):
        read_weights(Course(tmp_path))


def test_a_day_is_open_up_to_its_last_moment(root):
    """Work that comes at that moment is on time, so the day is missing only after it."""
    due = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    days = [
        GradedDay(Course(root).assignment("day1"), {}, now, {})
        for now in (due, due + dt.timedelta(microseconds=1))
    ]
    assert [day.without_result("zoe").without for day in days] == [OPEN, MISSING]


def test_a_day_that_could_not_be_graded_leaves_no_total(root, snapshot):
    """A fault of the grader is nobody's 0."""
    broken = told({"double": 10, "box": 0}, "day2", score=None)
    broken.checks[1].outcome = Outcome.UNGRADABLE
    with Store(root / "results.db") as store:
        store.keep("broken", by("ada", HandedIn("mini.ipynb")), broken)
    assert table(root)["ada"]["score"] == ""
    assert table(root)["ada"]["note"] == snapshot


def test_overrides_and_lateness_count(root):
    """A day's points are those of the grade of record."""
    with Store(root / "results.db") as store:
        store.keep_override(Override("day2", "points", "by hand", "Grace", "ada", "box", 10.0))
    assert (table(root)["ada"]["day2"], totals(root)["ada"]) == ("20", "91.67")


def test_points_by_hand_that_are_missing_make_a_day_provisional(root, snapshot):
    """The points so far count, and the table says that some are still to come."""
    by_hand = told({"double": 10, "box": 0}, "day2")
    by_hand.checks[1].outcome = Outcome.MANUAL
    with Store(root / "results.db") as store:
        store.keep("by hand", by("ada", HandedIn("mini.ipynb")), by_hand)
    ran = grade("report", "--all", cwd=root)
    assert ran.err == snapshot
    assert totals(root)["ada"] == "75"


def test_a_student_of_the_roster_alone(root):
    """Without any result every day that is due counts 0."""
    put(root, "roster.csv", "student,name\nada,Ada L\nzoe,Zoe\nbob,\ncy,\ndan,\n")
    lines = table(root, "--roster", "roster.csv")
    assert (lines["zoe"]["score"], lines["zoe"]["name"], lines["ada"]["name"]) == ("0", "Zoe", "Ada L")


def test_upper_and_lower_case_are_the_same(root):
    """As in a login."""
    with Store(root / "results.db") as store:
        keep(store, "day2", "Bob", 10)
    assert totals(root)["bob"] == "66.67"


def test_a_roster_of_another_class(root):
    """It names nobody who has a result."""
    put(root, "roster.csv", "student\nxan\nyve\n")
    ran = grade("report", "--all", "--roster", "roster.csv", cwd=root)
    assert (ran.code, "no student with a result is in this roster" in ran.err) == (2, True)


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_a_platform_takes_one_day(root, platform):
    """It adds the days up by itself."""
    put(root, "export.csv", "student\nada\n")
    ran = grade("report", "--all", "--format", platform, "--roster", "export.csv", cwd=root)
    assert (ran.code, "the platform adds the days up; name the day instead of --all" in ran.err) == (2, True)


@given(
    st.lists(
        st.tuples(st.integers(0, 2000), st.integers(1, 2000), st.integers(1, 300)), min_size=1, max_size=8
    ),
    st.integers(0, 7),
)
@example([(616, 1792, 1)], 0)  # 34.375
def test_a_total_is_the_weighted_mean_of_what_stays(days, drop):
    """Against floats that are added up in another way; within a rounding."""
    entries = {
        f"d{i}": DayScore(min(score, most) / 100, most / 100) for i, (score, most, _) in enumerate(days)
    }
    rule = CourseSettings(
        weights={f"d{i}": weight / 100 for i, (_, _, weight) in enumerate(days)}, drop_lowest=drop
    )
    line = StudentTotal("ada", dict(entries))

    line.add_up(rule)

    kept = [i for i in range(len(days)) if f"d{i}" not in line.dropped]
    assert len(kept) == max(len(days) - drop, 1)
    shares = [Fraction(min(score, most), most) for score, most, _ in days]
    assert all(shares[i] >= shares[int(name[1:])] for i in kept for name in line.dropped)
    mean = 100 * sum(shares[i] * days[i][2] for i in kept) / sum(days[i][2] for i in kept)
    assert abs(Fraction(str(line.total)) - mean) <= Fraction(1, 200)  # the number as it is written


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "weight: {day1: 2}",
            "unknown key `weight` (did you mean `weights`?); valid keys: class, weights, drop_lowest",
        ),
        ("weights: {day11: 2}", "unknown key `weights.day11` (did you mean `day1`?)"),
        ("weights: {day1: two}", "Expected `float`, got `str`"),
        ("weights: {day1: -1}", "`weights.day1` is -1; write a number from 0 to 1,000"),
        ("weights: {day1: .nan}", "`weights.day1` is nan; write a number from 0 to 1,000"),
        (
            "weights: {day1: 0, day2: 0, day3: 0}",
            "every day has the weight 0; give at least one a higher weight",
        ),
        ("drop_lowest: 3", "`drop_lowest` is 3, and the course has 3 days; at least one must stay"),
        ("drop_lowest: -1", "`drop_lowest` is -1"),
        ("drop_lowest: 0.5", "Expected `int`, got `float`"),
        ("[1]", "this file must hold keys with values"),
        ("weights: {day1: 1, day1: 2}", "line 1: `day1` is written twice"),
    ],
)
def test_a_rule_that_cannot_be(root, text, words):
    """The file and the remedy are named."""
    rule(root, text)
    ran = grade("report", "--all", cwd=root)
    assert ran.code == 2
    assert "solutions/course.yaml" in ran.err
    assert words in " ".join(ran.err.split())


@pytest.mark.parametrize("words", [(), ("day1", "--all")])
def test_a_day_or_all_days(root, words):
    """One of the two is asked for."""
    ran = grade("report", *words, cwd=root)
    assert (ran.code, "name one day, or write --all for every day" in ran.err) == (2, True)


def test_no_results(root):
    """The command that makes them is named."""
    with Store(root / "empty.db", create=True):
        pass
    ran = grade("report", "--all", "--results", "empty.db", cwd=root)
    assert (ran.code, "`grade batch` first" in ran.err) == (2, True)


def test_a_day_that_is_gone_and_a_day_without_points(root, snapshot):
    """The first is named; the second takes nothing from anybody."""
    with Store(root / "results.db") as store:
        keep(store, "old", "ada", 0)
        report = told({"double": 0}, "day2")
        report.checks[0].max_score = 0.0
        store.keep("no points", by("ada", HandedIn("mini.ipynb")), report)
    ran = grade("report", "--all", "--format", "csv", cwd=root)
    assert ran.err == snapshot
    assert totals(root)["ada"] == "87.5"  # (100 + 75) / 2

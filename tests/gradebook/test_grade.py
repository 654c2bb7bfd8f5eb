"""The grade of record: what the checks found, a person's word, lateness, and work on time beside late work."""

import msgspec
import pytest
from helpers import grade
from minicourse import change, put
from recorded import IN_TIME, IN_TIME_TOO, TWO_DAYS, grades, override, results, scores, two
from students import by, told

from grader.gradebook.export import line_of
from grader.gradebook.grade import absent_of, grades_of, warnings_about
from grader.gradebook.in_force import Override
from grader.gradebook.overview import class_of_day, render_class
from grader.gradebook.sentences import absent_words, grade_markdown, late_words, reasons
from grader.gradebook.store import Store
from grader.report import Outcome
from grader.submissions.states import (
    NoFile,
    Unreached,
    Untouched,
)


def test_lateness_is_taken_from_the_points(mini):
    """Two days begun, of 20 points 2 a day."""
    assert scores(mini) == {"ada": 20, "bob": 6}
    assert (grades(mini)["bob"].before_penalty, grades(mini)["bob"].penalty) == (10, 4)


def test_what_nobody_changed_is_not_late(mini):
    """The push of the notebook as it was handed out has a time; points on paper lose nothing for it."""
    with Store(results(mini)) as store:
        work = msgspec.structs.replace(by("dan", TWO_DAYS), state=Untouched())
        store.keep("k1", work, told({"double": 0, "box": 0}))
    override(mini, "points", "dan", "box", "10", why="shown on paper")
    assert scores(mini)["dan"] == 10
    assert not [line for line in reasons(grades(mini)["dan"]) if "late" in line]


def test_a_later_due_date_counts_at_once(mini):
    """The manifest is read each time; no result changes."""
    change(mini.course.root, "assignments/mini/assignment.yaml", "2025-12-01T", "2025-12-02T")
    assert scores(mini)["bob"] == 8


def test_an_extension_counts_at_once(mini, snapshot):
    """For one student, and the student reads why."""
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due,why\nbob,+3d,ill\n")
    assert scores(mini) == {"ada": 20, "bob": 10}
    assert reasons(grades(mini)["bob"]) == snapshot


def test_points_for_one_check(mini, snapshot):
    """They take the place of the check's; lateness takes its part of the new sum."""
    override(mini, "points", "bob", "box", "5.5", why="half of it\nis right")
    grade = grades(mini)["bob"]
    assert (grade.score, grade.before_penalty, grade.checks) == (11.5, 15.5, {"double": 10, "box": 5.5})
    assert reasons(grade)[0] == snapshot
    assert reasons(grade)[1] == snapshot


def test_a_word_survives_a_regrade(mini):
    """The next grading finds something else; the human's word stays."""
    override(mini, "points", "bob", "box", "5")
    with Store(results(mini)) as store:
        store.keep("k2", by("bob", TWO_DAYS), told({"double": 0, "box": 10}))
    assert grades(mini)["bob"].checks == {"double": 0, "box": 5}


def test_a_void_check_costs_nobody_anything(mini):
    """Everybody has its points; who has full marks keeps them, and a single student's word goes before."""
    override(mini, "void", "box", why="the check was wrong")
    assert grades(mini)["bob"].checks == grades(mini)["ada"].checks == {"double": 10, "box": 10}
    override(mini, "points", "ada", "box", "0", why="copied")
    assert scores(mini) == {"ada": 10, "bob": 16}
    override(mini, "undo", "void", "box")
    assert grades(mini)["bob"].checks["box"] == 0


def test_a_void_check_gives_nothing_for_nothing(mini):
    """Neither to a student without a file nor to one who left the notebook as it was handed out."""
    with Store(results(mini)) as store:
        for student, state in {"cy": NoFile("mini.ipynb"), "dan": Untouched()}.items():
            work = msgspec.structs.replace(by(student, IN_TIME), state=state)
            store.keep("k1", work, told({"double": 0, "box": 0}))
    override(mini, "void", "box", why="the check was wrong")
    assert {student: grade.checks["box"] for student, grade in grades(mini).items()} == {
        "ada": 10,
        "bob": 10,
        "cy": 0,
        "dan": 0,
    }
    assert reasons(grades(mini)["cy"]) == reasons(grades(mini)["dan"]) == []
    override(mini, "points", "cy", "box", "5", why="shown on paper")
    assert grades(mini)["cy"].checks["box"] == 5


def test_an_excused_student_has_no_score(mini, snapshot):
    """Nor a zero; and it can be taken back."""
    override(mini, "excuse", "bob", why="ill all week")
    assert scores(mini) == {"ada": 20, "bob": None}
    assert grades(mini)["bob"].penalty == 0
    assert reasons(grades(mini)["bob"])[0] == snapshot
    override(mini, "undo", "excuse", "bob")
    assert scores(mini)["bob"] == 6


def test_a_broken_check_that_is_void_gives_scores(mini, snapshot):
    """A check that could not be graded gives no score until an override gives points."""
    with Store(results(mini)) as store:
        report = told({"double": 10, "box": 0}, score=None)
        report.checks[1].outcome = type(report.checks[1].outcome).UNGRADABLE
        store.keep("k1", by("cy", IN_TIME), report)
    assert scores(mini)["cy"] is None
    override(mini, "void", "box", why="it was broken")
    assert scores(mini)["cy"] == 20
    assert reasons(grades(mini)["cy"])[0] == snapshot


def test_who_came_in_by_mistake_is_forgotten(mini, snapshot):
    """A wrong folder was graded: the student is in no report, also when it is graded again, until it is undone."""
    override(mini, "forget", "bob", why="the wrong folder")
    assert scores(mini) == {"ada": 20}
    with Store(results(mini)) as store:
        (word,) = store.overrides("mini")
        assert (word.kind, word.student, word.why) == ("forget", "bob", "the wrong folder")
        assert store.keep("k2", by("bob", TWO_DAYS), told({"double": 10, "box": 10}))
        (warning,) = warnings_about(mini, store, list(grades(mini).values()))
    assert scores(mini) == {"ada": 20}
    assert warning == snapshot
    override(mini, "undo", "forget", "bob", why="it was his")
    assert scores(mini) == {"ada": 20, "bob": 16}


@pytest.mark.parametrize("kept", [False, True])
def test_whether_grades_are_final_is_looked_at_before_it_is_said(mini, kept):
    """A preview takes the place of what is kept, in both directions; without one that counts."""
    with Store(results(mini)) as store:
        store.keep_override(Override("mini", "final", "x", "Grace", withdrawn=not kept))
        found = {
            declare: {grade.provisional for grade in grades_of(mini, store, declare=declare)}
            for declare in (None, True, False)
        }
    assert found == {None: {not kept}, True: {False}, False: {True}}


def test_who_has_no_result_and_why(mini, snapshot):
    """Whoever is excused is named as such."""
    with Store(results(mini)) as store:
        for student in ("cy", "dan"):
            store.keep_absent("mini", student, Unreached("there is no file"))
        store.keep_override(Override("mini", "excuse", "ill", "Grace", "dan"))
        assert [absent_words(one) for one in absent_of(mini, store)] == snapshot


def test_points_without_a_result_count(mini, snapshot):
    """Whoever handed in nothing has a grade with the points of an instructor; lateness is not known of it."""
    with Store(results(mini)) as store:
        store.keep_absent("mini", "cy", Unreached("there is no repository"))
    override(mini, "points", "cy", "box", "7", why="shown on paper")
    assert scores(mini) == {"ada": 20, "bob": 6, "cy": 7}
    with Store(results(mini)) as store:
        assert absent_of(mini, store) == []
        text = render_class(mini, list(grades_of(mini, store)))
    assert text == snapshot
    page = grade_markdown(grades(mini)["cy"], limit=60_000)
    assert page == snapshot
    override(mini, "undo", "points", "cy", "box", why="a mix-up")
    assert scores(mini) == {"ada": 20, "bob": 6}


def test_who_left_the_class_is_named_once(mini, snapshot):
    """Once course.yaml has a roster, they are in no report; without the file, everybody counts."""
    put(mini.course.root, "solutions/course.yaml", "class: {roster: roster.csv}\n")
    with Store(results(mini)) as store:
        store.keep_absent("mini", "dan", Unreached("there is no repository"))
    assert scores(mini) == {"ada": 20, "bob": 6}
    put(mini.course.root, "roster.csv", "student,email\nADA,ada@uni.edu\neve,eve@uni.edu\n")
    assert scores(mini) == {"ada": 20}
    ran = grade("report", "mini", cwd=mini.course.root)
    assert ran.code == 0
    assert ("bob" in ran.out, "dan" in ran.out) == (False, False)
    assert ran.err.splitlines() == snapshot
    put(mini.course.root, "other.csv", "student\nbob\n")
    ran = grade("report", "mini", "--roster", "other.csv", cwd=mini.course.root)
    assert ("ada  " in ran.out, "bob  " in ran.out) == (False, True)
    put(mini.course.root, "roster.csv", "student\nnobody\n")
    assert scores(mini) == {"ada": 20, "bob": 6}, "a roster of other names"


# --- What no longer fits


def gone(mini):
    """The check `box` has been renamed after something was decided about it, and the class is graded again."""
    override(mini, "points", "bob", "box", "5", why="half of it")
    override(mini, "void", "box", why="it was wrong")
    for place in ("assignments", "solutions"):
        path = mini.course.root / place / "mini/checks/test_box.py"
        path.rename(path.with_name("test_crate.py"))
    change(mini.course.root, "assignments/mini/assignment.yaml", "  box:", "  crate:")
    with Store(results(mini)) as store:
        store.keep("k2", by("ada", IN_TIME), told({"double": 10, "crate": 10}))
        store.keep("k2", by("bob", IN_TIME_TOO), told({"double": 10, "crate": 0}))
    return type(mini.course)(mini.course.root).assignment("mini")


def what_is_told(assignment):
    with Store(results(assignment)) as store:
        return warnings_about(assignment, store, list(grades_of(assignment, store)))


def test_a_word_about_a_check_that_is_gone(mini, snapshot):
    """It counts nothing, which is said, and it can be taken back without saying the day."""
    renamed = gone(mini)
    assert scores(renamed) == {"ada": 20, "bob": 10}
    assert what_is_told(renamed) == snapshot
    override(renamed, "undo", "void", "box", why="renamed")
    override(renamed, "undo", "points", "bob", "box", why="renamed")
    assert what_is_told(renamed) == []


def test_a_word_above_the_points_of_a_check(mini, snapshot):
    """The check is worth less now: it counts what there is, which is said."""
    override(mini, "points", "bob", "box", "10", why="it was right")
    with Store(results(mini)) as store:
        report = told({"double": 10, "box": 0})
        report.checks[1].max_score = 4
        store.keep("k2", by("bob", IN_TIME_TOO), report)
    assert grades(mini)["bob"].checks["box"] == 4
    assert what_is_told(mini) == snapshot


def test_words_that_fit_are_not_told_of(mini):
    """Points within those of a check, all of them, and a void check."""
    override(mini, "points", "bob", "box", "10", why="it was right")
    override(mini, "points", "ada", "box", "5", why="half of it")
    override(mini, "void", "double", why="it was wrong")
    assert what_is_told(mini) == []


def test_an_extension_of_nobody(mini, snapshot):
    """A name that was misspelt costs a student their extension; who it may be is reported."""
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nBob,+1d\nbob,+1d\nzoe,+1d\n")
    put(mini.course.root, "platform.csv", "student\nada\n")
    assert what_is_told(mini) == snapshot
    with Store(results(mini)) as store:  # bob has a result, which the platform's part of the class leaves out
        notes = class_of_day(mini, store, mini.course.root / "platform.csv")[2]
    assert notes[1:] == what_is_told(mini)


# --- Work on time beside late work


def test_the_better_of_two_counts(mini, snapshot):
    """With its penalty the late work is worth 16 of 20; a point more on time is better."""
    two(mini, {"double": 10, "box": 7}, {"double": 10, "box": 10})
    bob = grades(mini)["bob"]
    assert (bob.score, bob.key, bob.other.score, bob.other.late.days) == (17, "k0", 16, 2)
    assert reasons(bob) == snapshot
    two_points = {"double": 10, "box": 2}
    with Store(results(mini)) as store:
        store.keep("k3", by("bob", IN_TIME_TOO), told(two_points), version="in_time")
    bob = grades(mini)["bob"]
    assert (bob.score, bob.key, bob.penalty, bob.other.score) == (16, "k2", 4, 12)
    assert reasons(bob)[-1] == snapshot


def test_notes_are_about_the_repository(mini):
    """They are kept with the last work, and reported whichever counts."""
    two(mini, {"double": 10, "box": 10}, {"double": 0, "box": 0})
    with Store(results(mini)) as store:
        store.keep_facts("mini", by("bob", msgspec.structs.replace(TWO_DAYS, notes=("test_box.py: edited",))))
    bob = grades(mini)["bob"]
    assert (bob.work.commit, bob.work.submitted, bob.work.notes) == (
        IN_TIME_TOO.commit,
        IN_TIME_TOO.submitted,
        ("test_box.py: edited",),
    )


def test_of_two_equal_ones_the_one_in_time_counts(mini):
    """A penalty that costs nothing is not reported."""
    two(mini, {"double": 10, "box": 6}, {"double": 10, "box": 10})
    assert (grades(mini)["bob"].key, grades(mini)["bob"].penalty) == ("k0", 0)


def test_only_the_last_counts(mini):
    """`keep: last` counts, also when it is written afterwards."""
    two(mini, {"double": 10, "box": 10}, {"double": 0, "box": 10}, "percent_per_day: 10, keep: last")
    bob = grades(mini)["bob"]
    assert (bob.score, bob.other) == (6, None)


def test_more_time_leaves_one_version(mini):
    """Late work is on time now: it was pushed last, so it counts."""
    two(mini, {"double": 10, "box": 10}, {"double": 0, "box": 10})
    assert scores(mini)["bob"] == 20
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nbob,+7d\n")
    assert (scores(mini)["bob"], grades(mini)["bob"].other) == (10, None)


def test_a_word_counts_in_both_versions(mini):
    """Points for a check do, a void check does, and who is excused is excused once."""
    two(mini, {"double": 10, "box": 0}, {"double": 0, "box": 0})
    override(mini, "points", "bob", "double", "10")
    bob = grades(mini)["bob"]
    assert (bob.score, bob.other.score) == (10, 6)
    override(mini, "void", "box", why="it was wrong")
    assert (grades(mini)["bob"].score, grades(mini)["bob"].other.score) == (20, 16)
    override(mini, "excuse", "bob", why="ill")
    assert (grades(mini)["bob"].score, grades(mini)["bob"].other) == (None, None)
    with Store(results(mini)) as store:
        assert len(list(grades_of(mini, store))) == 2


@pytest.mark.parametrize("versions", [("last",), ("in_time",), ("last", "in_time")])
def test_what_could_not_be_graded_is_no_choice(mini, versions):
    """Of either version: nobody knows which is better."""
    report = told({"double": 10, "box": 0}, score=None)
    report.checks[1].outcome = Outcome.UNGRADABLE
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 10})
    for version in versions:
        work = {"last": TWO_DAYS, "in_time": IN_TIME_TOO}[version]
        with Store(results(mini)) as store:
            store.keep(f"k {version}", by("bob", work), report, version=version)
    bob = grades(mini)["bob"]
    assert (bob.score, bob.key) == (None, f"k {versions[0]}")


def test_less_time_leaves_one_version(mini):
    """The due date was moved forward, so both are late now: the last counts, whichever gives more."""
    two(mini, {"double": 10, "box": 10}, {"double": 0, "box": 0})
    change(mini.course.root, "assignments/mini/assignment.yaml", "2025-12-01T", "2025-11-30T")
    bob = grades(mini)["bob"]
    assert (bob.score, bob.key, bob.other) == (0, "k2", None)


def test_lateness_has_a_column_and_stands_in_the_feedback_once(mini):
    """A table for a spreadsheet has it apart; a platform shows the feedback alone."""
    bob = grades(mini)["bob"]
    line = line_of(bob)
    assert line["late"] == late_words(bob) != ""
    assert line["feedback"].count("2 days late") == 1

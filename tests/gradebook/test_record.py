"""The grade of record: what the checks found, a human's word, lateness; and who changes."""

import datetime as dt
import hashlib
import shutil

import msgspec
import pytest
from helpers import grade
from minicourse import change, put
from students import by, told
from told import sentences_with

from grader.assignment import Course
from grader.errors import Refused
from grader.gradebook.diff import Side, compare, differences, grades_at, render_differences
from grader.gradebook.grade import absent_of, grades_of, warnings_about
from grader.gradebook.overrides import (
    comment,
    excuse,
    forget,
    make_override,
    read_points,
    say_all,
    set_points,
    undo,
    void,
    who,
)
from grader.gradebook.overview import render_class
from grader.gradebook.sentences import about_work, grade_markdown, reasons
from grader.gradebook.store import Override, Store
from grader.render import escape_markdown
from grader.report import Outcome, SubmissionInfo
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
    Unreached,
    Unreadable,
    Untouched,
)
from grader.submissions.work import HandedIn

IN_TIME = HandedIn("mini.py", "2026-12-01T10:00:00+00:00", True, "org/ada", "c" * 40)
IN_TIME_TOO = HandedIn("mini.py", "2026-12-01T10:00:00+00:00", True, "org/bob", "c" * 40)
TWO_DAYS = HandedIn("mini.py", "2026-12-03T10:00:00+00:00", True, "org/bob", "c" * 40)

LIMIT = 60_000  # bytes


@pytest.fixture
def mini(graded_class, tmp_path):
    """Two students: full marks, and one check wrong and two days late."""
    return graded_class.take(tmp_path / "course", "ada", "bob")


def results(assignment):
    return assignment.course.root / "results.db"


def override(assignment, word, *names, why="it was right", day=None):
    """`grade override WORD ...`"""
    work = {
        "points": lambda a, s: set_points(a, s, *names, why),
        "comment": lambda a, s: comment(a, s, *names, why),
        "void": lambda a, s: void(a, s, *names, why),
        "excuse": lambda a, s: excuse(a, s, *names, why),
        "forget": lambda a, s: forget(a, s, *names, why),
        "undo": lambda a, s: undo(a, s, names[0], names[1:], why),
    }[word]
    check = {"points": 1, "comment": 1, "void": 0, "undo": -1}.get(word)
    about = None if check is None or names[0] in {"excuse", "forget"} else names[check]
    more = {"undo": True} if word == "undo" else {}
    make_override(assignment.course, results(assignment), day, work, check=about, **more)


def grades(assignment):
    """Everybody's grade, made anew."""
    with Store(results(assignment)) as store:
        fresh = type(assignment.course)(assignment.course.root).assignment("mini")
        return {grade.student: grade for grade, _ in grades_of(fresh, store)}


def sides(assignment):
    with Store(results(assignment)) as store:
        fresh = type(assignment.course)(assignment.course.root).assignment("mini")
        return {grade.student: Side(grade, report) for grade, report in grades_of(fresh, store)}


def scores(assignment):
    return {student: grade.score for student, grade in grades(assignment).items()}


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
    change(mini.course.root, "assignments/mini/assignment.yaml", "2026-12-01T", "2026-12-02T")
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


def test_the_newest_word_counts_and_can_be_taken_back(mini):
    """Twice decided, then withdrawn; what was said stays in the list."""
    override(mini, "points", "bob", "box", "5")
    override(mini, "points", "bob", "box", "6")
    assert grades(mini)["bob"].checks["box"] == 6
    override(mini, "undo", "points", "bob", "box")
    assert grades(mini)["bob"].checks["box"] == 0
    with pytest.raises(Refused, match="bob box: mini has no such override of the kind `points`"):
        override(mini, "undo", "points", "bob", "box")


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


def test_everything_that_was_decided_is_listed(mini, capsys, snapshot):
    """Who, when, why, the oldest first."""
    override(mini, "points", "bob", "box", "5", why="half")
    override(mini, "void", "double", why="wrong")
    override(mini, "undo", "points", "bob", "box", why="no")
    capsys.readouterr()
    say_all(mini.course, results(mini), None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[2] for line in lines] == snapshot


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (
            ("points", "bod", "box", "5"),
            {},
            r"bod: no such student among the 2 of mini \(did you mean `bob`\?\)",
        ),
        (("points", "bob", "bax", "5"), {}, r"bax: mini has no such check \(did you mean `box`\?\)"),
        (("comment", "bod", "box"), {}, r"bod: no such student among the 2 of mini"),
        (("comment", "bob", "bax"), {"day": "mini"}, r"bax: mini has no such check"),
        (("excuse", "bod"), {}, r"bod: no such student among the 2 of mini"),
        (("forget", "bod"), {}, r"bod: no such student among the 2 of mini"),
        (("undo", "points", "bob", "bax"), {}, r"bax: mini has no such check"),
        (("points", "bob", "box", "61"), {}, r"61: box has 0 to 10 points"),
        (("points", "bob", "box", "nan"), {}, r"nan: box has 0 to 10 points"),
        (
            ("points", "bob", "box", "1e-9"),
            {},
            r"1e-9: box has 0 to 10 points, with at most two decimal places",
        ),
        (("points", "bob", "box", "5"), {"why": " "}, r"--why: give a reason"),
        (("undo", "points", "box"), {}, r"write `grade override undo points STUDENT CHECK --why TEXT`"),
        (("undo", "excuse", "bob", "box"), {}, r"write `grade override undo excuse STUDENT --why TEXT`"),
    ],
)
def test_what_is_no_word(mini, words, options, message):
    """No override is made; the error has the nearest name, the range or the form."""
    with pytest.raises(Refused, match=message):
        override(mini, *words, **options)
    with Store(results(mini)) as store:
        assert store.overrides("mini") == []


@pytest.mark.parametrize(
    ("text", "points"), [("0", 0), ("0.5", 0.5), ("8.25", 8.25), ("10", 10), ("10.0", 10), (" 3 ", 3)]
)
def test_points_in_a_text(text, points):
    """None, all, and what is in between, to a hundredth."""
    assert read_points(text, 10, "box") == points


@pytest.mark.parametrize("text", ["ten", "", "-0.5", "-1", "10.01", "11", "inf", "0.001", "8.125"])
def test_what_are_no_points(text):
    """A word is not 0 points, nor are there points below it."""
    with pytest.raises(Refused, match="box has 0 to 10 points, with at most two decimal places"):
        read_points(text, 10, "box")


@pytest.mark.parametrize("word", [("points", "bob", "box", "5"), ("comment", "bob", "box"), ("void", "box")])
def test_the_day_of_a_check_is_not_guessed(mini, word):
    """Two days have one of this name. That something was decided on one day does not make it the day that is meant."""
    for place in ("assignments", "solutions"):
        shutil.copytree(mini.course.root / place / "mini", mini.course.root / place / "mini2")
    mini = Course(mini.course.root).assignment("mini")
    with Store(results(mini)) as store:
        store.keep("k1", by("bob", IN_TIME_TOO), told({"double": 10, "box": 0}, "mini2"))
    override(mini, *word, day="mini")
    with pytest.raises(Refused, match="it has results of mini, mini2; choose one with `--day mini`"):
        override(mini, *word)


@pytest.mark.parametrize(
    ("settings", "author"),
    [
        ("[user]\nname = Grace\nemail = grace@uni.edu\n", "Grace <grace@uni.edu>"),
        ("[user]\nname = Grace\n", "Grace"),
        ("[user]\nemail = grace@uni.edu\n", "account"),
        ("", "account"),
    ],
)
def test_who_says_it(tmp_path, monkeypatch, settings, author):
    """The name that git has, else that of the account."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(put(tmp_path, "gitconfig", settings)))
    monkeypatch.setattr("getpass.getuser", lambda: "account")
    assert who() == author


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_nobody_knows_who_says_it(tmp_path, monkeypatch, error):
    """Neither git nor a name of the account is there."""

    def getuser():
        raise error

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", getuser)
    assert who() == "unknown"


def test_a_commits_date_is_marked(mini, snapshot):
    """A plain remote's dates are the student's to set."""
    with Store(results(mini)) as store:
        store.keep_facts("mini", by("ada", HandedIn("mini.py", IN_TIME.submitted, False, "x", "c" * 40)))
    assert reasons(grades(mini)["ada"]) == snapshot


def test_what_a_student_is_told(mini, snapshot):
    """The grade first, how it came about, then what the checks found; nothing of a student's is executed."""
    override(mini, "points", "bob", "box", "5", why="@everyone **look** <script>")
    (told_bob,) = [side for student, side in sides(mini).items() if student == "bob"]
    text = grade_markdown(told_bob.grade, told_bob.report, limit=60_000)
    assert sentences_with("# Your provisional grade", text) == snapshot
    assert sentences_with("It was due 2026-12-01", text) == snapshot
    assert "`<script>`" in text
    assert "`@everyone`" in text
    assert "## mini  Doubling" in text
    assert sentences_with("- The graded file", text) == snapshot


def test_who_handed_in_nothing_is_told_why(mini, snapshot):
    """The text does not claim that a missing file was graded; the instructor's row has the reason, too."""
    report = told({"double": 0, "box": 0}, submission=SubmissionInfo("mini.ipynb", "", ""))
    report.checks[0].message = "it is a link; put the file itself there"
    with Store(results(mini)) as store:
        store.keep("k1", by("cy", HandedIn("mini.ipynb", "", True, "org/cy", "c" * 40)), report)
        both = list(grades_of(mini, store))
    side = sides(mini)["cy"]
    text = grade_markdown(side.grade, side.report, limit=60_000)
    assert text == snapshot
    assert "The graded file is" not in text
    assert render_class(mini, both) == snapshot


def test_what_most_have_is_told_once(mini):
    """A manifest that was changed after the release says nothing of a student."""
    work = HandedIn("mini.py", IN_TIME.submitted, True, "org/x", "c" * 40, ("the manifest: edited",))
    with Store(results(mini)) as store:
        for student in ("cy", "dan", "eve"):
            store.keep("k1", by(student, work), told({"double": 10, "box": 10}))
        text = render_class(mini, list(grades_of(mini, store)))
    assert "  cy       20/20\n" in text
    assert text.count("the manifest: edited") == text.count("\n3 of 5: the manifest: edited\n") == 1


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
            declare: {grade.provisional for grade, _ in grades_of(mini, store, declare=declare)}
            for declare in (None, True, False)
        }
    assert found == {None: {not kept}, True: {False}, False: {True}}


def test_who_has_no_result_and_why(mini, snapshot):
    """Whoever is excused is named as such."""
    with Store(results(mini)) as store:
        for student in ("cy", "dan"):
            store.keep_absent("mini", student, Unreached("there is no file"))
        store.keep_override(Override("mini", "excuse", "ill", "Grace", "dan"))
        assert [absent.words for absent in absent_of(mini, store)] == snapshot


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
    side = sides(mini)["cy"]
    page = grade_markdown(side.grade, side.report, limit=60_000)
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


# --- Who changes


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
        return warnings_about(assignment, store, [grade for grade, _ in grades_of(assignment, store)])


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
    assert what_is_told(mini) == snapshot


# --- Work in time beside late work


def two(mini, in_time: dict, late: dict, rule="percent_per_day: 10"):
    """Bob's work in time, and what he pushed two days late, which is graded again."""
    pushed = sides(mini)["bob"].report.submission
    change(mini.course.root, "assignments/mini/assignment.yaml", "percent_per_day: 10", rule)
    with Store(results(mini)) as store:
        store.keep("k0", by("bob", IN_TIME_TOO), told(in_time, submission=pushed), version="in_time")
        store.keep("k2", by("bob", TWO_DAYS), told(late, submission=pushed))


def test_a_first_push_too_late_is_not_called_another_one(snapshot):
    """Nothing was pushed before it."""
    later = Later("2026-12-20T10:00:00+00:00", "2026-12-04T12:00:00+00:00", "d" * 40)
    assert later_words(later, Untouched()) == snapshot
    assert later_brief(later, Untouched()) == snapshot
    assert later_words(later, IN_WORK) == snapshot
    assert later_brief(later, IN_WORK) == snapshot


LEFT = [
    (Unreadable("mini.ipynb: the file is empty", "save the notebook again"), "mini.ipynb: the file is empty"),
    (Renamed("mini.ipynb", "my.ipynb", "mini.ipynb"), "`mini.ipynb` is unchanged, and `my.ipynb` is ignored"),
    (
        Unclear(("a.ipynb", "b.ipynb"), "mini.ipynb", named=True),
        "`a.ipynb` and `b.ipynb` differ, so it is unclear which one counts",
    ),
    (NoFile("mini.ipynb"), "there is no mini.ipynb"),
    (
        NoFile("mini.ipynb", archive="my.zip"),
        "there is no mini.ipynb; `my.zip` is an archive, which is not opened",
    ),
    (NoFile("mini.ipynb", why="a text was handed in", remedy="hand in the notebook"), "a text was handed in"),
    (
        OtherBranch(("solve",), "main", "2026-12-01T10:00:00Z", "2026-12-04T12:00:00Z"),
        "the work is on the branch `solve`, pushed 2026-12-01 10:00 UTC, and only `main` counts",
    ),
    (
        OtherBranch(("solve",), "main"),
        "there is no work of yours on `main`, and only that branch counts; other branches are there, `solve`",
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
        grade_markdown(msgspec.structs.replace(bob, provisional=counts), report, limit=LIMIT)
        for counts in (True, False)
    )
    assert escape_markdown(f"There was nothing to grade: {told_then}; {remedy(state)}.") in now
    assert escape_markdown(f"There was nothing to grade: {told_then}.") in final


def test_what_an_instructor_must_do_is_not_told_to_students(mini, snapshot):
    """The student reads the fact; the instructor's list has the remedy."""
    state = NoBranch("work", pushed="2026-12-05T10:00:00Z", until="2026-12-04T12:00:00Z", others=("main",))
    assert reason_for_student(
        state, counts=True
    ) + "; make the one with the work the default branch and collect again" == reason(state)
    state = NoAccess("ada-hub", "org/mini-ada")
    assert reason_for_student(state, counts=True) == snapshot


def test_a_push_too_late_is_told_beside_work_in_time(mini, snapshot):
    """Only the last work has it, whichever version counts."""
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 0})
    later = Later("2026-12-20T10:00:00+00:00", "2026-12-04T12:00:00+00:00", "d" * 40)
    with Store(results(mini)) as store:
        store.keep_facts("mini", msgspec.structs.replace(by("bob", TWO_DAYS), later=later))
    bob = grades(mini)["bob"]
    assert (bob.key, bob.work.later) == ("k0", later)
    assert about_work(bob) == snapshot


def test_the_better_of_two_counts(mini, snapshot):
    """With its penalty the late work is worth 16 of 20; a point more in time is better."""
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
    """Late work is in time now: it was pushed last, so it counts."""
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
    change(mini.course.root, "assignments/mini/assignment.yaml", "2026-12-01T", "2026-11-30T")
    bob = grades(mini)["bob"]
    assert (bob.score, bob.key, bob.other) == (0, "k2", None)


def test_another_version_counts_now(mini, snapshot):
    """The reason for the change since the post is reported."""
    before = sides(mini)
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 0})
    text = render_differences(differences(before, sides(mini)), 2)
    assert "  bob  6 -> 20\n" in text
    assert "    in time now\n" in text
    assert text == snapshot

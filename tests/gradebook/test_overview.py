"""`grade report` and the line of a batch: the class as its instructor sees it."""

import codecs
import csv
import io
from types import SimpleNamespace

import pytest
from explained import SWAPPED, facts_behind
from helpers import grade, same_as_snapshot
from hostile import HOSTILE, obeyed
from minicourse import put
from oneclass import ABSENT, WORKS
from recorded import IN_TIME, grades, results
from students import by, told

from grader.autograd.facts import CauseFact
from grader.console import duration
from grader.fleet.batch import Tally
from grader.gradebook.findings import causes_of
from grader.gradebook.grade import grades_of
from grader.gradebook.gradedwork import ChangedPoints, Grade, without_result
from grader.gradebook.in_force import Override
from grader.gradebook.overview import render_class
from grader.gradebook.sentences import grade_markdown
from grader.gradebook.store import Store
from grader.render import escape_line
from grader.report import KnownMistake, Outcome, SubmissionInfo
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn
from grader.topic import make_topic


@pytest.fixture
def root(graded_class, tmp_path):
    """Five students: full marks, late, excused, not verified and with drift, not gradable."""
    root = graded_class.take(tmp_path / "course", "ada", "bob", "cy", "dan", "eve").course.root
    with Store(root / "results.db") as store:
        store.keep_override(Override("mini", "excuse", "ill", "Grace", "cy"))
        store.keep_override(Override("mini", "points", "by hand", "Grace", "bob", "box", 7.5))
    return root


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_the_class_in_a_terminal(graded_class, tmp_path):
    """Everybody in a row, what is the matter beside it, then what the class has in common."""
    root = graded_class.take(tmp_path / "course", *WORKS, *ABSENT, "eve").course.root
    with Store(root / "results.db") as store:
        store.keep_override(Override("mini", "excuse", "ill", "Grace", "cy"))
        store.keep_override(Override("mini", "points", "by hand", "Grace", "bob", "box", 7.5))

    text = grade("report", "mini", cwd=root).out

    same_as_snapshot("class", text)
    assert obeyed(text) == []


def test_the_class_has_wrong_rules_in_common(root, snapshot):
    """A rule that many engines have counts among the commonest mistakes, once a student."""
    wrong = told({"double": 0, "box": 0})
    for check in wrong.checks:
        check.rules, check.facts = [SWAPPED], facts_behind([SWAPPED])
    with Store(root / "results.db") as store:
        for student in ("fay", "gus", "hal", "ivy"):
            store.keep("k", by(student, HandedIn("mini.py")), wrong)
    assert grade("report", "mini", cwd=root).out == snapshot


def test_one_cause_stands_once(root):
    """In all operations where it is: two students, who have it in different ones, have the same mistake."""
    with Store(root / "results.db") as store:
        for student, operations in {"fay": ("+", "*"), "gus": ("*", "tanh")}.items():
            wrong = told({"double": 0, "box": 0})
            facts = [
                CauseFact(one, side, cause="backward_unset", right="b")
                for one in operations
                for side in ("self", "other")
            ]
            wrong.checks[0].facts = [fact.fact() for fact in facts]
            store.keep("k", by(student, HandedIn("mini.py")), wrong)
    text = grade("report", "mini", cwd=root).out
    assert "2  a wrong cause in +, *, tanh" in text
    assert text.count("a wrong cause") == 1
    assert grade("report", "mini", "--html", "page.html", cwd=root).code == 0
    page = (root / "page.html").read_text(encoding="utf-8")
    assert page.count("<b>2 students</b>: a wrong cause in +, *, tanh</h3>") == 1


def test_one_cause_has_one_sentence_for_all_operations():
    """In the words of the topic, without the side of an input."""
    check = told({"double": 0}).checks[0]
    check.facts = [CauseFact(one, "self", cause="backward_unset", right="b").fact() for one in ("+", "tanh")]
    (finding,) = causes_of(check, make_topic("autograd", {})).values()
    assert finding.brief == "the function is not stored as `_backward` in +, tanh"


def class_of(text):
    """The overview of a class whose notes, reasons, mistakes, checks and title are this text."""
    assignment = SimpleNamespace(name="mini", manifest=SimpleNamespace(title=text, topic=None))
    wrong, waiting = told({"double": 0, text: 0}), told({"double": 10, text: 0})
    wrong.checks[0].message = text
    wrong.checks[1].mistakes = [KnownMistake("known", text)]
    waiting.checks[1].outcome = Outcome.MANUAL
    void = ChangedPoints(text, 0.0, 1.0, Override("mini", "void", text, text, check=text))
    of_ada = Grade(
        "1", 1.0, 20.0, 1.0, {}, (void,), None, None, HandedIn(text, notes=(text, "own"), student="ada")
    )
    every = [of_ada.with_report(wrong)]
    for name in "xyz":  # whose note is told once, below
        work = HandedIn(text, notes=(text,), student=name)
        grade = Grade("1", 1.0, 20.0, 1.0, {}, (), None, None, work, waiting={waiting.checks[1].id: 10.0})
        every.append(grade.with_report(waiting))
    return render_class(assignment, every, [without_result(HandedIn(student="bob", state=Unreached(text)))])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_text_of_a_class_stays_in_its_line(text):
    """None begins a line, which might be another student's, or acts on a terminal."""
    page = class_of(text if escape_line(text).strip() else f"x{text}")

    assert obeyed(page) == []
    assert page.count("\n") == class_of("word").count("\n")


def test_a_table_for_a_spreadsheet(root):
    """With every check's points as they count; Excel is told the encoding."""
    ran = grade("report", "mini", "--format", "csv", "--output", "mini.csv", cwd=root)
    assert (ran.code, ran.out) == (0, "5 students  mini.csv\n")
    data = (root / "mini.csv").read_bytes()
    assert data.startswith(codecs.BOM_UTF8)
    table = rows(data.decode("utf-8-sig"))
    assert table[0][-2:] == ["double", "box"]
    assert [line[0] for line in table[1:]] == ["ada", "bob", "cy", "dan", "eve"]
    assert table[2][3] == "13.5"
    assert "by hand" in ",".join(table[2])


def test_the_columns_of_gradescope(root):
    """As its own *Download Grades* has them; nobody is left out, for it takes no grades back."""
    put(
        root,
        "roster.csv",
        "student,name,email\nada,Ada L,ada@uni.edu\nbob,Bob B,\ncy,,\ndan,,\neve,,\nzoe,Zoe,\n",
    )
    ran = grade("report", "mini", "--format", "gradescope", "--roster", "roster.csv", cwd=root)
    assert ran.code == 0
    head, *lines = rows(ran.out)
    assert head == [
        "Name",
        "SID",
        "Email",
        "Total Score",
        "Max Points",
        "Status",
        "Submission Time",
        "Lateness (H:M:S)",
    ]
    assert [line[:6] for line in lines] == [
        ["Ada L", "ada", "ada@uni.edu", "20", "20", "Graded"],
        ["Bob B", "bob", "", "13.5", "20", "Graded"],
        ["", "cy", "", "", "20", "Ungraded"],
        ["", "dan", "", "10", "20", "Graded"],
        ["", "eve", "", "", "20", "Ungraded"],
        ["Zoe", "zoe", "", "", "", "Missing"],
    ]
    assert [line[6:] for line in lines[1:]][:1] == [["2025-12-03T10:00:00+00:00", "34:01:00"]]


def test_canvas_gets_its_own_lines_back(root):
    """By the ids of its export; who is excused is EX, who has no score is left out and reported."""
    export = "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (77)\n    Points Possible,,,,,20\n"
    export += "".join(f'"{n.title()}, X",{i},,{n},A,\n' for i, n in enumerate(("ada", "cy", "eve", "zoe")))
    put(root, "canvas.csv", export)
    ran = grade("report", "mini", "--format", "canvas", "--roster", "canvas.csv", cwd=root)
    assert ran.code == 0
    assert rows(ran.out) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Doubling (77)"],
        ["    Points Possible", "", "", "", "", "20"],
        ["Ada, X", "0", "", "ada", "A", "20"],
        ["Cy, X", "1", "", "cy", "A", "EX"],
    ]
    assert all(name in ran.err for name in ("bob", "dan", "eve", "zoe"))


@pytest.mark.parametrize("format_", ["canvas", "moodle"])
def test_a_platform_keeps_the_grade_of_who_left_the_roster(root, snapshot, format_):
    """As `report` and `post` do; an empty cell might delete it, so there is no line."""
    put(root, "solutions/course.yaml", "class: {organisation: org, roster: roster.csv}\n")
    put(root, "roster.csv", "student\nada\neve\n")
    put(
        root,
        "canvas.csv",
        'Student,ID,SIS Login ID,Section,Doubling (77)\n"A, X",0,ada,A,\n"D, X",1,dan,A,7\n',
    )
    put(root, "moodle.csv", "First name,Last name,ID number,Email address\nA,X,ada,a@b.de\nD,X,dan,d@b.de\n")

    ran = grade("report", "mini", "--format", format_, "--roster", f"{format_}.csv", cwd=root)

    assert (ran.code, ran.text) == (0, snapshot)


def test_a_platform_needs_its_export(root, snapshot):
    """It is by that that students are found."""
    ran = grade("report", "mini", "--format", "moodle", cwd=root)
    assert ran.code == 2
    assert ran.err == snapshot


def test_no_results(root):
    """The command that makes them is named."""
    ran = grade("report", "mini", "--results", "other.db", cwd=root)
    assert (ran.code, "no such results file; `grade batch` creates one" in ran.err) == (2, True)


# --- How far a batch is


def test_a_tally_tells_rate_and_time_left(snapshot):
    """The rate is that since the first result: those that are as before, and the workers' start, are no part of it."""
    now = [0.0]
    tally = Tally(60, clock=lambda: now[0])
    for student in range(10):
        tally.add(f"s{student}", None)
    for student in range(8):
        now[0] = 4.0 + student / 2
        tally.add(f"t{student}", told({"double": 10 if student < 5 else 0}))
    assert tally.line() == snapshot
    tally.add("cy", None, "the disk says no")
    assert tally.summary() == snapshot


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3540, "59 min"), (7500, "2 h 5 min")]
)
def test_times_in_words(seconds, words):
    """No more figures than anybody wants."""
    assert duration(seconds) == words


def test_what_most_have_is_told_once(mini):
    """A manifest that was changed after the release says nothing of a student."""
    work = HandedIn("mini.py", IN_TIME.submitted, True, "org/x", "c" * 40, ("the manifest: edited",))
    with Store(results(mini)) as store:
        for student in ("cy", "dan", "eve"):
            store.keep("k1", by(student, work), told({"double": 10, "box": 10}))
        text = render_class(mini, list(grades_of(mini, store)))
    assert "  cy       20/20\n" in text
    assert text.count("the manifest: edited") == text.count("\n3 of 5: the manifest: edited\n") == 1


def test_who_handed_in_nothing_is_told_why(mini, snapshot):
    """The text does not claim that a missing file was graded; the instructor's row has the reason, too."""
    report = told({"double": 0, "box": 0}, submission=SubmissionInfo("mini.ipynb", "", ""))
    report.checks[0].message = "it is a link; put the file itself there"
    with Store(results(mini)) as store:
        store.keep("k1", by("cy", HandedIn("mini.ipynb", "", True, "org/cy", "c" * 40)), report)
        every = list(grades_of(mini, store))
    text = grade_markdown(grades(mini)["cy"], limit=60_000)
    assert text == snapshot
    assert "The graded file is" not in text
    assert render_class(mini, every) == snapshot

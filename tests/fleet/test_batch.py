"""A class is graded: each result kept at once, nothing graded twice, nobody's trouble somebody else's."""

import concurrent.futures
import datetime as dt
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import GRADE, grade
from minicourse import change, put
from students import (
    EMPTY,
    FORGETS,
    GOOD,
    SQUARES,
    Here,
    course,
    found,
    graded,
    moment,
    results_in,
    scores,
    told,
    work,
)

from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.fleet import batch, session
from grader.fleet.batch import Tally, grade_class
from grader.grading.suitehash import hash_of_suite
from grader.report import Outcome
from grader.submissions.intake import missing_imports
from grader.submissions.states import Unreadable
from grader.submissions.work import FoundStudent, Work

CLASS = {"ada": GOOD, "bob": SQUARES, "eve": FORGETS, "kim": EMPTY}


def test_a_class_is_not_graded_without_what_it_may_import(mini, tmp_path, snapshot):
    """Students who import it would lose points that they have at home; the message has the command."""
    put(mini.course.root, "students/ada/mini.py", GOOD)
    change(
        mini.course.root, "assignments/mini/assignment.yaml", "submission:", "imports: [nowhere]\nsubmission:"
    )
    ran = grade("batch", "mini", "students", cwd=mini.course.root)
    assert (ran.code, ran.out) == (2, "")
    assert ran.text == snapshot
    assert "-m pip install nowhere`" in ran.text
    assert not (mini.course.root / "results.db").exists()


def test_the_command_installs_what_pip_knows():
    """A module and its package may have two names, and pip knows only the package's."""
    given = SimpleNamespace(
        folder=Path("day"), manifest=SimpleNamespace(imports=["sklearn.nowhere", "skimage.nowhere"])
    )
    assert missing_imports(given).endswith(" -m pip install scikit-learn scikit-image`")


def test_only_what_has_changed_is_graded_again(mini, store):
    """One warm session, four students, four results; then a new submission, and a student who is new."""
    graded(mini, CLASS, store)
    assert scores(store) == {"ada": 100, "bob": 0, "eve": 60, "kim": 0}
    again = graded(mini, CLASS | {"bob": GOOD, "zoe": GOOD}, store)
    assert sorted(student for student, one in again.items() if one.report) == ["bob", "zoe"]
    assert scores(store)["bob"] == 100


@pytest.mark.parametrize(
    "edit",
    [
        ("solutions/mini/checks/test_double.py", "2 * x", "2 * x + 1"),
        ("assignments/mini/checks/test_double.py", "== 6", "== 9"),
        ("assignments/mini/assignment.yaml", "points: 60", "points: 50"),
        ("assignments/mini/assignment.yaml", "submission:", "limits: {check_seconds: 4}\nsubmission:"),
        ("solutions/mini/salt.txt", "a pinch", "a spoon"),
    ],
    ids=["a hidden check", "a visible check", "points", "a limit", "the salt"],
)
def test_an_edited_suite_is_another_one(mini, edit):
    """A check, its points, a limit, the seed of its numbers."""
    before = hash_of_suite(mini)
    change(mini.course.root, *edit)
    assert hash_of_suite(Course(mini.course.root).assignment("mini")) != before


def test_another_suite_grades_again(mini, store):
    """Also work that has not changed."""
    graded(mini, {"ada": GOOD}, store)
    change(mini.course.root, "solutions/mini/checks/test_double.py", "2 * x", "2 * x + 1")
    assert graded(Course(mini.course.root).assignment("mini"), {"ada": GOOD}, store)["ada"].report


def test_a_new_grader_grades_again(mini, store, monkeypatch):
    """Its version, and what its reports hold, are part of what a result depends on."""
    graded(mini, {"ada": GOOD}, store)
    for part in ("__version__", "CONTENTS"):
        monkeypatch.setattr(batch, part, "99")
        assert graded(mini, {"ada": GOOD}, store)["ada"].report


def test_a_due_date_grades_nothing_again(mini, store):
    """It changes what counts, not what was found."""
    graded(mini, {"ada": GOOD}, store)
    change(
        mini.course.root,
        "assignments/mini/assignment.yaml",
        "submission:",
        "due: 2025-12-01T00:00:00Z\nsubmission:",
    )
    again = graded(Course(mini.course.root).assignment("mini"), {"ada": GOOD}, store)
    assert not again["ada"].report


def test_regrade_grades_everything(mini, store):
    """Also what is unchanged."""
    graded(mini, {"ada": GOOD}, store)
    assert graded(mini, {"ada": GOOD}, store, regrade=True)["ada"].report


def test_pushed_again_without_a_change(mini, store):
    """The same bytes need no grading, but count as handed in later."""
    graded(mini, {"ada": work(GOOD, submitted=moment("01T10:00"), verified=True, commit="a" * 40)}, store)
    later = work(GOOD, submitted=moment("03T10:00"), verified=True, commit="b" * 40)
    assert graded(mini, {"ada": later}, store)["ada"].report is None
    (result,) = results_in(store, "mini")
    assert (result.work.submitted, result.work.commit) == ("2025-12-03T10:00:00+00:00", "b" * 40)


def test_late_work_and_work_in_time(mini, store):
    """Both are graded and kept; again only what has changed, and what is gone counts no longer."""
    in_time = work(GOOD, submitted=moment("01T10:00"), student="ada")
    both = {"ada": work(SQUARES, submitted=moment("03T10:00"), in_time=in_time), "bob": GOOD}

    def kept():
        return {(r.student, r.version): r.report.score for r in results_in(store, "mini")}

    def ran(works):
        with Here() as pool:
            done = grade_class(mini, found(works), store, pool)
            return [(one.student, one.version, one.report is not None) for one in done]

    assert ran(both) == [("ada", "in_time", True), ("ada", "last", True), ("bob", "last", True)]
    assert kept() == {("ada", "last"): 0, ("ada", "in_time"): 100, ("bob", "last"): 100}
    assert ran(both) == [("ada", "in_time", False), ("ada", "last", False), ("bob", "last", False)]
    assert ran(both | {"ada": in_time}) == [("ada", "last", True), ("bob", "last", False)]
    assert kept() == {("ada", "last"): 100, ("bob", "last"): 100}


def test_nothing_to_grade_is_a_number_too(mini, store, snapshot):
    """No file, no notebook, an old one: 0 points, and the reason is in the report."""
    class_ = found({"ada": GOOD, "bob": work(None, state=Unreadable("there is no mini.ipynb"))})
    class_ += [FoundStudent("dan", lambda: Work("mini.ipynb", data=b"{}", student="dan"))]
    class_ += [FoundStudent("eve", lambda: Work("mini.ipynb", data=b'{"nbformat": 3}', student="eve"))]
    with Here() as pool:
        list(grade_class(mini, class_, store, pool))
    told = {r.student: (r.report.score, r.report.checks[0].message) for r in results_in(store, "mini")}
    assert told["ada"][0] == 100
    assert told["bob"] == (0, "there is no mini.ipynb")
    assert told["dan"][1] == snapshot
    assert told["eve"][1] == snapshot


def test_everybody_with_nothing_has_their_own_reason(mini, store, snapshot):
    """The summary tells each one's."""
    class_ = found(
        {
            "bob": work(None, state=Unreadable("it is a link")),
            "eve": work(None, state=Unreadable("it is too large")),
        }
    )
    tally = Tally(2)
    with Here() as pool:
        for done in grade_class(mini, class_, store, pool):
            tally.add(done.student, done.report)
    assert tally.summary()[1:] == snapshot


@pytest.mark.parametrize(("manual", "label"), [([], "full marks"), (["essay"], "full marks so far")])
def test_points_that_somebody_gives_later_are_not_there_yet(manual, label):
    """What checks found is right; whether the whole is, the marks will say."""
    tally = Tally(1)
    tally.add("ada", told({"double": 10, "box": 10}, manual=manual))
    assert [line.split("  ")[1].strip() for line in tally.summary()[1:]] == [label]


def test_one_student_is_one():
    """A class of one is tried by everybody who begins."""
    tally = Tally(1)
    tally.add("ada", None)
    assert tally.summary()[0].startswith("1 student: ")


def test_what_cannot_be_read_is_nobodys_zero(mini, store, snapshot):
    """A disk's error, a collection that is under way: reported, and what counted before still counts."""

    def broken():
        raise Refused("cy: the disk says no")

    graded(mini, {"ada": GOOD, "cy": GOOD}, store)
    with Here() as pool:
        done = list(grade_class(mini, [*found({"ada": GOOD}), FoundStudent("cy", broken)], store, pool))
    assert [(one.student, one.trouble) for one in done] == snapshot
    assert scores(store) == {"ada": 100, "cy": 100}


def test_the_paths_of_this_machine_are_not_told(mini, store):
    """A report goes to a student: it names the file as the student knows it."""
    graded(mini, {"bob": SQUARES}, store)
    (result,) = results_in(store, "mini")
    assert result.report.submission.path == "mini.py"
    assert result.report.checks[0].where.file == "mini.py" if result.report.checks[0].where else True


def test_nobody_is_graded_with_anothers_leftovers(mini, store):
    """A student's changes to Python's own modules do not reach the next student."""
    spoiler = "import builtins, math\nbuiltins.sum = None\nmath.pi = 3\n" + SQUARES
    needs_pi = "import math\nassert math.pi > 3.1\nassert sum([1]) == 1\n" + GOOD
    graded(mini, {"bob": spoiler, "eve": needs_pi}, store)
    assert scores(store) == {"bob": 0, "eve": 100}


def test_hostile_work_costs_its_own_student(mini, store):
    """It ends its process, never ends, floods: the ones beside it have their points."""
    works = {
        "a_exits": "import os\nos._exit(0)\n",
        "b_good": GOOD,
        "c_loops": GOOD.replace("return x + x", "while True: pass"),
        "d_good": GOOD,
        "e_floods": "print('x' * 10_000_000)\n" + GOOD,
        "f_good": GOOD,
    }
    change(
        mini.course.root,
        "assignments/mini/assignment.yaml",
        "submission:",
        "limits: {check_seconds: 0.5}\nsubmission:",
    )
    graded(mini.course.assignment("mini"), works, store)
    found_scores = scores(store)
    assert [found_scores[name] for name in ("b_good", "d_good", "f_good")] == [100, 100, 100]
    assert found_scores["a_exits"] == found_scores["c_loops"] == 0


def test_what_a_check_prints_of_a_student_stays_here(mini, store, capsys):
    """A check that prints what it read does not write a student's text into the instructor's terminal."""
    change(
        mini.course.root,
        "assignments/mini/checks/test_double.py",
        "    assert",
        "    print(student.double('\\x1b[31m'))\n    assert",
    )
    graded(mini.course.assignment("mini"), {"ada": GOOD}, store)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert all("replay.json is" in line for line in printed.err.splitlines())


def test_the_work_that_it_continues_is_part_of_it(tmp_path, store):
    """The second assignment continues the student's own first; an edit of that is graded again."""
    root = course(tmp_path / "course").course.root
    for place in ("assignments", "solutions"):
        for path in sorted((root / place / "mini").rglob("*")):
            if path.is_file():
                to = root / place / "next" / path.relative_to(root / place / "mini")
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_text(
                    path.read_text().replace(
                        "submission: mini.ipynb", "submission: next.ipynb\ncontinues: mini"
                    )
                )
    after = type(course(root).course)(root).assignment("next")
    double, box = GOOD.split("\n\n\n")

    def next_work(first):
        return Work("next.py", data=box.encode(), earlier=(("mini.py", first.encode()),))

    graded(after, {"ada": next_work(double), "bob": next_work(double.replace("+", "*"))}, store)
    assert scores(store, "next") == {"ada": 100, "bob": 0}
    assert graded(after, {"ada": next_work(double + "\n")}, store)["ada"].report


@pytest.mark.ci
def test_interrupted_what_was_graded_is_kept(mini, store):
    """Ctrl-C after the second: two are kept, and the next run has two to grade."""
    with Here() as pool:
        running = grade_class(mini, found(CLASS), store, pool)
        next(running), next(running)
        running.close()
    assert sorted(scores(store)) == ["ada", "bob"]
    assert sorted(s for s, one in graded(mini, CLASS, store).items() if one.report) == ["eve", "kim"]


def test_a_course_that_is_edited_meanwhile(mini, store):
    """A session that has to begin again would grade the rest of the class by other checks: it does not."""
    with Here() as pool:
        running = grade_class(mini, found(CLASS), store, pool)
        next(running)
        change(mini.course.root, "solutions/mini/checks/test_double.py", "2 * x", "3 * x")
        session.close_sessions()
        with pytest.raises(
            Broken, match=r"mini: the course was edited while the class was graded; .* run the same command"
        ):
            list(running)
    assert scores(store) == {"ada": 100}


def test_a_broken_check_is_nobodys_zero(mini, store):
    """No student has a score; all are tried again once the course is fixed."""
    path = change(mini.course.root, "solutions/mini/checks/test_double.py", "2 * x", "2 * y")
    graded(mini, {"ada": GOOD}, store)
    assert scores(store) == {"ada": None}
    path.write_text(path.read_text().replace("2 * y", "2 * x"))
    graded(mini.course.assignment("mini"), {"ada": GOOD}, store)
    assert scores(store) == {"ada": 100}


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="needs a terminal of POSIX")
def test_the_line_shows_how_far_it_is(mini, tmp_path):
    """Also while somebody is graded, when what checks print goes nowhere."""
    from terminal import Terminal

    put(tmp_path, "works/ada.py", GOOD)
    put(tmp_path, "works/bob.py", GOOD.replace("return x + x", "while True: pass"))
    with Terminal([GRADE, "batch", "mini", "../works"], mini.course.root) as terminal:
        terminal.until("mini  1 of 2 students (0 as before), ")


@pytest.mark.ci
def test_the_seam_takes_a_pool_of_processes(mini, store):
    """The same class over `concurrent.futures`: bytes go out, reports come back."""
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        pool.jobs = 2
        done = list(grade_class(mini, found(CLASS), store, pool))
    assert sorted(one.student for one in done) == sorted(CLASS)
    assert scores(store) == {"ada": 100, "bob": 0, "eve": 60, "kim": 0}


class Foreign(Here):
    """A pool whose worker gives this answer: somebody else's."""

    def __init__(self, answer):
        self.answer = answer

    def submit(self, call, /, *args, **options):
        return super().submit(lambda: self.answer(call(*args, **options)))


ANSWERS = {
    "nothing": lambda _: None,
    "bytes": lambda report: report.encode()[:9],
    "no report": lambda _: "{}",
    "deep": lambda _: "[" * 2000,
    "of another assignment": lambda report: report.replace('"id": "mini"', '"id": "day2"'),
    "by another suite": lambda report: report.replace('"suite_sha256": "', '"suite_sha256": "0'),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_that_is_no_report_of_this_assignment(mini, store, kind):
    """It would be kept as a grade: the run ends, and keeps what it has."""
    with (
        Foreign(ANSWERS[kind]) as pool,
        pytest.raises(Broken, match=r"mini: a worker's reply is not a report of this assignment"),
    ):
        list(grade_class(mini, found({"ada": GOOD}), store, pool))
    assert scores(store) == {}


@pytest.mark.ci
def test_a_report_is_the_same_in_any_company(mini, store):
    """But for its times a report does not depend on who was graded before."""
    graded(mini, CLASS, store)
    first = {r.student: without_times(r.report) for r in results_in(store, "mini")}
    graded(mini, dict(reversed(CLASS.items())), store, regrade=True)
    assert {r.student: without_times(r.report) for r in results_in(store, "mini")} == first


def without_times(report):
    report.started, report.seconds = "", 0.0
    for check in report.checks:
        check.seconds = 0.0
    return report


def test_outcomes_are_those_of_grade(mini, store):
    """Work that has not begun is to do, not failed."""
    graded(mini, {"kim": EMPTY}, store)
    (result,) = results_in(store, "mini")
    assert result.report.outcome is Outcome.TODO
    assert dt.datetime.fromisoformat(store.last_graded("mini")).tzinfo is dt.UTC

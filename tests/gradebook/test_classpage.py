"""`grade report DAY --html FILE`: what the class gets wrong and who, what changed, who is stuck, and the files.

Most of it is about the facts of day 2 (rules, walks) over several gradings, so its class is made of kinds of reports.
"""

from __future__ import annotations

import html
import re
import tracemalloc
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from helpers import COURSE, grade
from hostile import HOSTILE, obeyed, report_of
from hostilepages import class_pages
from judges import elements_of
from madeclass import ASSIGNED, BARE, EARLY, KINDS, SWAPPED, Kind, made_class, report_of_kind, ungradable
from msgspec.structs import replace
from oneclass import GradedClass
from sampled import every
from students import by
from told import sentences_with

from grader.assignment import Assignment, Course
from grader.gradebook import store as store_module
from grader.gradebook.classpage import pages, write_class_page
from grader.gradebook.findings import findings_of
from grader.gradebook.in_force import Override
from grader.gradebook.store import Store
from grader.render import escape_line
from grader.report import Mismatch, Outcome, from_json, to_json
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn
from grader.topic import Topic, make_topic

if TYPE_CHECKING:
    from pathlib import Path

    from grader.report import Report

DAY2 = Course(COURSE).assignment("day2")


class Class:
    """A results file of day 2, and the page that is made of it."""

    def __init__(self, folder: Path, patched: pytest.MonkeyPatch) -> None:
        self.folder, self.patched, self.keys = folder, patched, 0
        self.results, self.page = folder / "results.db", folder / "day2.html"

    def keep(
        self,
        time: str,
        assignment: Assignment = DAY2,
        /,
        **reports: Report | None,
    ) -> None:
        """Keep a run of the class at this time: a report for each student."""
        self.patched.setattr(store_module, "now", lambda: f"2025-12-{time}:00+00:00")
        with (
            Store(self.results, create=True) as store,
            store.running(assignment.name, "batch", f"suite at {time}"),
        ):
            for student, report in reports.items():
                self.keys += 1
                assert report is not None
                facts = by(student, HandedIn("day2.ipynb"))
                store.keep(f"key {self.keys}", facts, replace(report, assignment=report.assignment))

    def text(self, section: str) -> str:
        """Make the page; return a section of it as a person reads it, without blanks at the ends of lines."""
        write_class_page(DAY2, self.results, self.page)
        found = re.search(
            rf'<section id="{section}".*?</section>', self.page.read_text(encoding="utf-8"), re.DOTALL
        )
        assert found
        lines = re.sub(r"</(?:p|li|h\d|tr|summary|div|ul)>", "\n", found[0])
        lines = re.sub(r"</(?:td|th)>", " | ", lines)
        return "\n".join(
            filter(None, map(str.strip, html.unescape(re.sub(r"<[^>]*>", "", lines)).split("\n")))
        )


@pytest.fixture
def a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    """An empty class."""
    return Class(tmp_path, monkeypatch)


def made(kind: str | Kind, work: str = "0") -> Report:
    """A report on work of a kind of tests/support/madeclass.py."""
    return report_of_kind(DAY2, KINDS[kind] if isinstance(kind, str) else kind, work)


# --- Mistakes


def test_the_commonest_mistake_comes_first_with_its_students(a_class: Class, snapshot) -> None:
    """A slip in the rules of both inputs is one mistake; a student counts once."""
    a_class.keep("01T10:00", ada=made("= for +="), bob=made("= for +="), cy=made("right"), dan=made("two"))
    a_class.keep("01T10:01", eve=made("swapped"), fay=made("answer"))
    text = a_class.text("mistakes")
    assert [line for line in text.split("\n") if re.match(r"\d+ stud", line)] == snapshot
    assert text == snapshot
    assert "one contribution" not in text
    assert "ada, bob, dan" in text


def test_a_mistake_at_two_checks_names_both(a_class: Class, snapshot) -> None:
    """With the number of students at each."""
    later = Kind(1, {"complex_expression": {"rules": ASSIGNED}})
    a_class.keep("01T10:00", ada=made("= for +="), bob=made("= for +="), cy=made(later))
    assert a_class.text("mistakes") == snapshot


@pytest.mark.parametrize(
    ("explained", "briefs"),
    [
        ({"rules": BARE}, ["wrong parentheses in tanh"]),
        ({"rules": [*SWAPPED, *ASSIGNED]}, ["the value of the wrong input in *", "`=` for `+=` in +"]),
        ({"walk": EARLY}, ["`backward` calls a node too early, before nodes made from it"]),
        ({"asked": "L is a Value.", "message": "NameError: q"}, ["NameError: q"]),
        ({"asked": "L is a Value."}, ["L is a Value."]),
        (
            {"readings": [Mismatch("b.grad", "b = 2 in a * b", "2", "3")]},
            ["`b.grad` is `2` with `b = 2 in a * b`"],
        ),
        ({"message": "as in swap_rule", "see": "swap_rule"}, []),
    ],
)
def test_what_a_failed_check_shows(explained: dict[str, object], briefs: list[str]) -> None:
    """Rules and walks first, then known mistakes, a reading, the message; nothing where an earlier check has told it."""
    (check,) = (
        one for one in made(Kind(1, {"tanh_neuron": explained})).checks if one.outcome is Outcome.FAILED
    )
    topic = make_topic("autograd", {})
    assert [finding.brief for finding in findings_of(check, topic)] == briefs


def test_only_failed_checks_have_mistakes() -> None:
    """What is blank or waits is counted at its check."""
    assert [
        f for check in made("half").checks + made("nothing").checks for f in findings_of(check, Topic())
    ] == []


def test_many_students_and_mistakes_are_cut(a_class: Class, snapshot) -> None:
    """The rest are counted; no page grows without end."""
    for name, limit in {"names": 2, "groups": 1, "alone": 1}.items():
        a_class.patched.setitem(pages.MOST, name, limit)
    wrong = {f"s{i}": made("= for +=") for i in range(5)} | {f"t{i}": made("swapped") for i in range(2)}
    a_class.keep("01T10:00", **wrong, u=made("answer"), v=made("early"))
    text = a_class.text("mistakes")
    assert text == snapshot


# --- Figures


def test_checks_and_points(a_class: Class, snapshot) -> None:
    """The share that passes, the number of each outcome, points in ten ranges."""
    a_class.keep("01T10:00", ada=made("right"), bob=made("swapped"), cy=made("half"), dan=made("nothing"))
    assert sentences_with("swap_rule What swap_rule is", a_class.text("checks")) == snapshot
    text = a_class.text("points")
    assert sentences_with("Points 1 student with", text) == snapshot
    assert sentences_with("0 to below 10", text) == snapshot
    assert sentences_with("90 to 100 |", text) == snapshot


def test_a_check_that_an_instructor_grades(a_class: Class, snapshot) -> None:
    """It has no share of students who pass, until it has points by hand."""
    report = made("right")
    report.checks[-1] = replace(report.checks[-1], outcome=Outcome.MANUAL, score=0.0)
    a_class.keep("01T10:00", ada=report, bob=report)
    text = a_class.text("checks")
    assert sentences_with("manual |", text) == snapshot
    assert sentences_with("quiz What quiz is", text) == snapshot


def test_a_check_with_points_by_hand_has_their_mean(a_class: Class, snapshot) -> None:
    """As after an examination: a mean for each kind says which one the class could not answer."""
    report = made("right")
    report.checks[-1] = replace(report.checks[-1], outcome=Outcome.MANUAL, score=0.0)
    a_class.keep("01T10:00", ada=report, bob=report, cy=report)
    with Store(a_class.results) as store:
        for student, points in (("ada", 4.0), ("bob", 1.0)):
            store.keep_override(Override("day2", "points", "by hand", "Grace", student, "quiz", points))
    assert sentences_with("quiz What quiz is", a_class.text("checks")) == snapshot
    assert "mean 2.5 of 5" in a_class.page.read_text(encoding="utf-8")


def test_who_needs_a_look_comes_first(a_class: Class, snapshot) -> None:
    """Not gradable, without a result, nothing to grade, excused: each with the reason."""
    empty = made("nothing", "")
    empty.checks[0].message = "day2.ipynb is missing."
    a_class.keep("01T10:00", ada=ungradable(made("right")), bob=empty, cy=made("right"))
    with Store(a_class.results) as store:
        store.keep_absent("day2", "dan", Unreached("the invitation was not accepted"))
        store.keep_override(Override("day2", "excuse", "ill", "Grace", "cy"))
        store.keep_override(Override("day2", "void", "wrong", "Grace", check="renamed"))
    assert a_class.text("first").split("\n")[1:] == snapshot  # fmt: skip


def test_a_class_without_trouble(a_class: Class, snapshot) -> None:
    """It says so, everywhere."""
    a_class.keep("01T10:00", ada=made("right"))
    assert a_class.text("first") == snapshot
    assert a_class.text("mistakes") == snapshot
    assert a_class.text("stuck") == snapshot


# --- Who is stuck


def test_three_versions_with_the_same_mistake(a_class: Class, snapshot) -> None:
    """Cy made another mistake in between, Dan's same work was graded three times, Eve is through."""
    for day, other in (("01", "= for +="), ("02", "swapped"), ("03", "= for +=")):
        a_class.keep(
            f"{day}T10:00",
            ada=made("= for +=", day),
            bob=made("= for +=", day if day != "03" else "02"),
            cy=made(other, day),
            dan=made("= for +="),
            eve=made("= for +=", day),
        )
    a_class.keep("04T10:00", eve=made("right", "04"), ada=made("two", "04"))
    text = a_class.text("stuck")
    assert text == snapshot
    assert text.count("\n") == 3, "a sentence, the head of the table, one row"


# --- The files


def test_the_command_writes_the_page_and_a_page_for_each_student(
    graded_class: GradedClass, tmp_path: Path
) -> None:
    """They link to each other; a student without a result has a name and no page."""
    root = graded_class.take(tmp_path / "course", "bob", "fay").course.root
    with Store(root / "results.db") as store:
        store.keep("k", by("Bob", HandedIn("mini.py")), graded_class.report("ada"))
    (root / "roster.csv").write_text("student\nbob\nfay\nzoe\n", encoding="utf-8")

    ran = grade("report", "mini", "--html", "out/mini.html", "--roster", "roster.csv", cwd=root)

    assert (ran.code, ran.out) == (0, "4 students  out/mini.html, and a page for each in out/mini-students\n")
    page = (root / "out/mini.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(mini-students/[^"]*)"', page)
    assert len({link.casefold() for link in links}) == 2
    for link in links:
        student = (root / "out" / link).read_text(encoding="utf-8")
        assert '<a href="../mini.html">' in student
    assert "A box of 2.5 holds 5" not in page
    assert "no result: no work that counts" in page


def test_a_students_page_has_the_grade_of_record(a_class: Class) -> None:
    """Overrides with their reasons, comments, earlier gradings, and the report without points of its own."""
    a_class.keep("01T10:00", ada=made("swapped"))
    a_class.keep("02T10:00", ada=made("swapped", "1"))
    with Store(a_class.results) as store:
        store.keep_override(
            Override("day2", "points", "right in another way", "Grace", "ada", "swap_rule", 7.0)
        )
        store.keep_override(Override("day2", "comment", f"Well done{'.' * 900}", "Grace", "ada", "quiz"))
    a_class.text("first")
    text = (a_class.folder / "day2-students/ada.html").read_text(encoding="utf-8")
    assert "<title>ada, day2: The backward pass</title>" in text
    assert "<b>92 of 100 points</b>" in text
    assert "<code>swap_rule</code> counts 7 points instead of 0: right in another way (Grace, " in text
    assert f"Comment on <code>quiz</code>: Well done{'.' * 900} (Grace" in text
    assert "<summary>2 gradings</summary>" in text
    assert "then <code>grade day2</code> again" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "results.db"], "results.db: --html would overwrite this file"),
        (["--html", "roster.csv"], "roster.csv: --html would overwrite this file"),
        (
            ["--html", "notes.html"],
            "notes.html: this file is not a page, so it was not replaced; name another",
        ),
        (
            ["--html", "x.html", "--format", "csv"],
            "--html cannot be combined with --all, --format or --output",
        ),
        (["--html", "x.html", "--output", "y"], "--html cannot be combined with --all, --format or --output"),
    ],
)
def test_what_is_refused(graded_class: GradedClass, tmp_path: Path, options: list[str], message: str) -> None:
    """In one line, and nothing is written."""
    root = graded_class.take(tmp_path / "course", "ada").course.root
    (root / "roster.csv").write_text("student\nada\n", encoding="utf-8")
    (root / "notes.html").write_text("mine", encoding="utf-8")
    ran = grade("report", "mini", *options, cwd=root)
    assert (ran.code, message in ran.err) == (2, True)
    assert (root / "roster.csv").read_text(encoding="utf-8") == "student\nada\n"
    assert [file.read_text(encoding="utf-8") for file in root.glob("*.html")] == ["mine"]
    assert not list(root.glob("*-students"))


def test_no_results(graded_class: GradedClass, tmp_path: Path) -> None:
    """The command that makes them is named."""
    root = graded_class.take(tmp_path / "course").course.root
    ran = grade("report", "mini", "--html", "x.html", cwd=root)
    assert (ran.code, "`grade batch` first" in ran.err) == (2, True)
    assert not (root / "x.html").exists()


def test_reports_are_read_one_after_another(a_class: Class) -> None:
    """Four times as many students with large reports need the memory of one more, not of all."""

    def peak(count: int) -> int:
        large = made("swapped")
        large.notes = ["x" * 4_000] * 200  # 0.8 MB
        a_class.keep("01T10:00", **{f"s{i}": large for i in range(count)})
        tracemalloc.start()
        write_class_page(DAY2, a_class.results, a_class.page)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    few = peak(5)
    assert peak(20) < few + 2_000_000


@pytest.mark.ci
def test_a_page_of_300_students_is_small(tmp_path: Path) -> None:
    """It opens at once, also when it comes by mail."""
    write_class_page(made_class(tmp_path / "results.db"), tmp_path / "results.db", tmp_path / "day2.html")
    assert (tmp_path / "day2.html").stat().st_size < 500_000
    assert len(list((tmp_path / "day2-students").iterdir())) == 295


# --- Hostile texts


def test_hostile_texts_are_inert(a_class: Class) -> None:
    """In reasons, messages, notes and every field of a report: no tag, no address and no command of theirs.

    Each text is of one student, whose name it is, too. A third of them: the next test has each text everywhere.
    """
    texts = {
        text.encode(errors="replace").decode() for text in HOSTILE.values()
    }  # results hold no half character
    students = {f"s{number}": text for number, text in enumerate(every(3, sorted(texts)))}
    with Store(a_class.results, create=True) as store:
        for student, text in students.items():
            report = from_json(to_json(report_of(text)))
            report.checks = [replace(check, id=f"check{i}", see="") for i, check in enumerate(report.checks)]
            report = replace(report, assignment=replace(report.assignment, id="day2"))
            facts = HandedIn("day2.ipynb", "", repository=text, commit=text, notes=(text,))
            store.keep("b" if student == "s0" else "a", by(student, facts), report)
            store.keep_absent("day2", f"absent-{student}", Unreached(text))
            store.keep_override(Override("day2", "points", text, text, student, "check1", 1.0))
            store.keep("a", by(text, HandedIn("day2.ipynb")), replace(report, checks=report.checks[:1]))

    write_class_page(DAY2, a_class.results, a_class.page)

    links_of_theirs = links_to(a_class.folder)
    paths = [a_class.page, *(a_class.folder / "day2-students").iterdir()]
    assert len(paths) == 1 + 2 * len(students)
    for path in paths:
        page = path.read_text(encoding="utf-8")
        assert obeyed(page) == []
        body = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
        tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!?][\w-]*)", body))
        assert tags <= TAGS, path
        links = set(re.findall(r'(?:href|src|action)="([^"]*)"', body))
        assert links <= {"../day2.html", *SECTIONS, *links_of_theirs}, path


@cache
def pages_of(text: str) -> list[str]:
    """The page of a class of this text, and a student's page."""
    return [*class_pages(text).values()]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_text_of_a_class_is_text(text: str) -> None:
    """Wherever one stands, the page has the elements and attributes that it has with a word."""
    found = pages_of(text if escape_line(text).strip() else f"x{text}")

    assert [obeyed(page) for page in found] == [[] for _ in found]
    assert [elements_of(page) for page in found] == [elements_of(page) for page in pages_of("word")]


TAGS = set(
    "!DOCTYPE html head meta title body header main nav section h1 h2 h3 p ul ol li a b code details summary div table thead "
    "tbody tr th td span label select option svg g dd desc dl dt rect line text".split()
)
SECTIONS = {f"#{name}" for name in "first points checks mistakes stuck students".split()}


def links_to(folder: Path) -> set[str]:
    """The links that lead to students' pages."""
    return {f"day2-students/{quote(path.name)}" for path in (folder / "day2-students").iterdir()}

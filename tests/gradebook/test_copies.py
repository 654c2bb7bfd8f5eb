"""`grade copies`: who shares a wrong cause that few have, and a folder for other tools."""

import csv
import hashlib

import pytest
from explained import ADD, ASSIGNED, MUL, OTHER, SWAPPED, WALK, check
from helpers import grade, notebook, same_as_snapshot
from hostile import HOSTILE, obeyed
from minicourse import put
from msgspec.structs import replace
from students import by, course, told

from grader.assignment import Course
from grader.autograd.facts import ArrayFact
from grader.gradebook import copies as copies_module
from grader.gradebook.copies import shared_causes
from grader.gradebook.grade import grades_of
from grader.gradebook.store import Store
from grader.grading.facts import AnswerFact
from grader.report import KnownMistake, Mismatch, Outcome, WrongRule
from grader.submissions.work import FoundStudent, HandedIn, Work

ADA = "# %%\ndef double(x):\n    twice = x * x  # as in the book\n    return twice\n"
BOB = "# %%\ndef double(x):\n    twice = x * x  # as in the book\n    return (twice)\n"
STUB = notebook("import math", "def double(x):\n    raise NotImplementedError('write double')")


def report_with(*checks):
    """A report with these checks, and one that passed."""
    report = told({"double": 10})
    report.checks += checks
    return report


def wrong_answers(**values):
    """A failed check for each answer that has a wrong value."""
    return [
        check(
            name,
            "A question.",
            asked="a question.",
            message=f"`{name}` is {value}, which is not right.",
            facts=[AnswerFact(name, str(value)).fact()],
        )
        for name, value in values.items()
    ]


# --- Causes that few share


@pytest.fixture
def shared(tmp_path):
    """A function that returns the groups of a class, each with its students and the words of its causes."""
    assignment = course(tmp_path / "course")

    def shared(reports, repositories=None):
        with Store(tmp_path / "results.db", create=True) as store:
            for student, report in reports.items():
                work = HandedIn("mini.py", repository=(repositories or {}).get(student, ""))
                store.keep("k", by(student, work), report, again=True)
            found = shared_causes(assignment, grades_of(assignment, store))
        return [(group.students, [*group.causes.values()]) for group in found.groups]

    return shared


def others(count, **values):
    """So many students with one wrong value each that nobody else has, or all with these."""
    return {f"s{i:02}": report_with(*wrong_answers(**(values or {"mine": i * 1000}))) for i in range(count)}


def test_every_kind_of_cause_is_shared(shared, snapshot):
    """A rule, a walk, a known mistake, a wrong answer, odd entries; numbers, where nothing explains them."""
    report = report_with(
        check("mul", "Products.", rules=[SWAPPED]),
        check("order", "The order.", walk=WALK),
        check(
            "box", "A box.", mistakes=[KnownMistake("forgets", "It forgets."), KnownMistake("p: a = 9", "9?")]
        ),
        check("sum", "Sums.", readings=[Mismatch("f(2)", "", "7", "8")]),
        check(
            "grads",
            "Gradients.",
            asked="more.",
            facts=[AnswerFact("g", odd=("a = 7", "b = 17")).fact()],
        ),
        *wrong_answers(q=77),
    )
    assert shared({"ada": report, "bob": report, **others(38)}) == snapshot


def test_what_more_than_one_in_ten_others_have_is_left_out(shared):
    """Of 31 students with something wrong, four may share a cause; five are many."""
    for count, listed in ((4, True), (5, False)):
        same = {f"x{i}": report_with(*wrong_answers(p=11)) for i in range(count)}
        assert bool(shared({**same, **others(31 - count)})) is listed


def test_those_who_share_more_come_first(shared):
    """A cause that a third student has, too, is listed with all three."""
    two, three = wrong_answers(q=12, r=13), wrong_answers(p=11)
    reports = {"ada": report_with(*two, *three), "bob": report_with(*two, *three), "cy": report_with(*three)}
    found = shared({**reports, **others(38)})
    assert [(students, len(causes)) for students, causes in found] == [
        (("ada", "bob"), 2),
        (("ada", "bob", "cy"), 1),
    ]


def test_other_odd_entries_are_another_cause(shared):
    """Two students who are wrong about one answer in different ways share nothing."""
    reports = {
        name: report_with(check("g", "Q.", asked="more.", facts=[AnswerFact("g", odd=(odd,)).fact()]))
        for name, odd in {"ada": "a = 7", "bob": "a = 8"}.items()
    }
    assert shared({**reports, **others(38)}) == []


def test_a_wrong_rule_of_arrays_is_compared_with_its_reduction(shared):
    """The statement alone is the same for who sums nothing and for who takes an average."""
    statement = "other.grad += out.grad"
    made = check("add", "Sums.", rules=[WrongRule("+", "other", statement, "In a + b your engine ...", ADD)])
    reports = {
        reduction: report_with(
            replace(
                made,
                facts=[ArrayFact("+", "other", statement, "a + b", "a", "b", reduction=reduction).fact()],
            )
        )
        for reduction in ("left left", "averaged averaged")
    }
    assert shared({**reports, **others(38)}) == []


def test_a_team_counts_as_one(shared):
    """Its members share all there is; with a third student they are a group of two."""
    report = report_with(*wrong_answers(p=1))
    team = {"ada": "org/team", "bob": "Org/Team", "cy": "org/cy"}
    assert shared({"ada": report, "bob": report, **others(38)}, team) == []
    found = shared({"ada": report, "bob": report, "cy": report, **others(38)}, team)
    assert [students for students, _ in found] == [("ada + bob", "cy")]


def test_checks_that_do_not_fail_by_themselves_share_nothing(shared):
    """One that leads to another check, one with a blank, and right work."""
    numbers = [Mismatch("a.n", "a = 2", "7", "8")]
    report = report_with(
        check("parity", "All.", see="mul", readings=numbers, rules=[ASSIGNED]),
        check("todo", "To do.", Outcome.TODO, readings=numbers),
    )
    assert shared({"ada": report, "bob": report, **others(38)}) == []


# --- The command


@pytest.fixture
def root(tmp_path):
    """A course and its class: ada and bob agree on what is rare, everybody on what is common; `students` has the files."""
    assignment = course(tmp_path / "course")
    root = assignment.course.root
    put(root, "assignments/mini/checks/stub.ipynb", STUB)
    rare = [
        check("mul", "Products.", rules=[SWAPPED, OTHER]),
        check("order", "The order.", walk=WALK),
        *wrong_answers(q=77, r="'B'"),
    ]
    common = check("box", "A box.", mistakes=[KnownMistake("box_forgets", "The box forgets its number.")])
    with Store(root / "results.db", create=True) as store:
        for student, text in {"ada": ADA, "bob": BOB}.items():
            keep(store, student, report_with(common, *rare), text)
            put(tmp_path, f"students/{student}.py", text)
        for i in range(38):
            keep(store, f"s{i:02}", report_with(common, *wrong_answers(mine=i * 1000)), "x")
        keep(store, "zoe", report_with(), "y")
    return root


def keep(store, student, report, text, repository=""):
    """Keep a report of the file with this text."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    report.submission = replace(report.submission, sha256=sha256)
    store.keep(sha256, by(student, HandedIn("mini.py", repository=repository)), report, again=True)


def copies(root, *words):
    """Run the command."""
    return grade("copies", "mini", *words, cwd=root)


def test_the_list_in_a_terminal(root):
    """Who agrees on what, and that it proves nothing."""
    same_as_snapshot("copies", copies(root).out)


def test_a_class_that_shares_nothing(root, snapshot):
    """One sentence, and no caution about what is not there."""
    for name, count in (("few.db", 1), ("none.db", 20)):
        with Store(root / name, create=True) as store:
            for i in range(count):
                keep(store, f"s{i:02}", report_with(*wrong_answers(p=i)), ADA)
        ran = copies(root, "--results", name)
        assert ran.code == 0
        assert ran.out == snapshot


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--export", "x"], "mini-works: no such folder; run `grade collect mini` first"),
        (["--base", "x.py"], "--base names files for the exported folder; add --export DIR"),
        (["../nowhere", "--export", "x"], "there is no such folder or archive"),
        (["../students", "--export", "x", "--base", "x.py"], "there is no such file"),
        (["--results", "other.db"], "no such results file"),
    ],
)
def test_wrong_usage_is_one_line(root, words, why):
    """What is wrong, and what to do."""
    ran = copies(root, *words)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert why in ran.err


def test_a_hostile_text_is_text(root):
    """In an answer and in a rule, each of two students."""
    with Store(root / "results.db") as store:
        for student in ("ada", "bob"):
            keep(store, student, report_with(), "x")
        for number, given in enumerate(HOSTILE.values()):
            text = given.encode(errors="replace").decode()[:5000]
            rule = WrongRule("*", "self", f"x = {number}", text, MUL)
            for student in (f"ada{number}", f"bob{number}"):
                keep(
                    store, student, report_with(check("mul", "P.", rules=[rule]), *wrong_answers(q=text)), "x"
                )
    ran = copies(root)
    assert (ran.code, obeyed(ran.out)) == (0, [])
    assert ran.out.count("\nada") > 10


# --- The folder for other tools


def exported(root, *words):
    """Export the class; return each file's text by its place."""
    ran = copies(root, "../students", "--export", "../code", *words)
    assert ran.code == 0, ran.err
    folder = root.parent / "code"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return ran, {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_a_folder_for_other_tools(root, snapshot):
    """One file a student with the cells joined, the template as base, and the table that Dolos reads."""
    put(
        root.parent,
        "students/cy.ipynb",
        notebook("%matplotlib inline\nimport math", "def double(x): return 2", ""),
    )
    ran, files = exported(root)
    assert sorted(files) == [
        "README.md",
        "base/base.py",
        "info.csv",
        "students/ada/work.py",
        "students/bob/work.py",
        "students/cy/work.py",
    ]
    assert files["students/cy/work.py"] == snapshot
    assert "raise NotImplementedError('write double')" in files["base/base.py"]
    assert list(csv.reader(files["info.csv"].splitlines())) == [
        ["filename", "full_name", "created_at"],
        *([f"students/{name}/work.py", name, ""] for name in ("ada", "bob", "cy")),
    ]
    assert ran.out.startswith("3 students")
    for text in files.values():
        if text.startswith("# cell"):
            compile(text, "work.py", "exec")


def test_the_readme_has_a_line_for_each_tool(root, snapshot):
    """By the options that each of them documents, on folders that are there."""
    _, files = exported(root)
    lines = [line.strip() for line in files["README.md"].splitlines() if line.startswith("    ")]
    assert lines == snapshot
    same_as_snapshot("copies-readme.md", files["README.md"])


def test_files_of_the_lecture_do_not_count(root):
    """They are added to the base, as notebooks or as .py files."""
    put(root, "lecture.ipynb", notebook("def shown(): return 'in class'"))
    put(root, "more.py", "also = 1\n")
    _, files = exported(root, "--base", "lecture.ipynb", "--base", "more.py")
    assert "in class" in files["base/base.py"]
    assert "also = 1" in files["base/base.py"]


def test_who_is_left_out_is_named(root):
    """Who handed in nothing of their own, and whose file cannot be read; the others are written."""
    put(root.parent, "students/cy.ipynb", STUB)
    put(root.parent, "students/dan.ipynb", "{")
    ran, files = exported(root)
    assert {name for name in files if name.startswith("students/")} == {
        "students/ada/work.py",
        "students/bob/work.py",
    }
    assert "cy is left out: " in ran.err
    assert "dan is left out: " in ran.err


def test_nothing_is_overwritten(root):
    """A folder with files, a file, a link and a folder among the students are refused."""
    put(root, "full/x", "mine")
    (root / "link").symlink_to(root / "full")
    for where, why in [
        ("full", "already exists"),
        ("link", "already exists"),
        ("full/x", "already exists"),
        ("../students/code", "another"),
    ]:
        ran = copies(root, "../students", "--export", where)
        assert (ran.code, why in ran.err) == (2, True), ran.err
    assert [path.name for path in (root / "full").iterdir()] == ["x"]
    assert not (root.parent / "students/code").exists()


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "con", ".git", "-rf", "x\ny"])
def test_a_hostile_name_makes_no_path(root, tmp_path, monkeypatch, name):
    """A source that names a student so is read by its own rules first; this is the second lock."""
    works = [FoundStudent(name, lambda: Work("mini.py", data=ADA.encode(), student=name))]
    works.append(FoundStudent("ada", lambda: Work("mini.py", data=ADA.encode(), student="ada")))
    monkeypatch.setattr(copies_module, "find_works", lambda *_: works)
    copies_module.export_code(
        Course(root).assignment("mini"), tmp_path / "students", tmp_path / "a/b/code", ()
    )
    written = sorted(str(path.relative_to(tmp_path / "a")) for path in (tmp_path / "a").rglob("work.py"))
    assert written == ["b/code/students/ada/work.py"]

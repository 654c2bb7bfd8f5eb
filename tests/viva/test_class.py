"""`grade viva`: the sheets of a class, and practice at home."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from asked import ENGINE, sheet_of
from helpers import grade
from minicourse import change, put
from students import EMPTY, GOOD, SQUARES
from students import course as a_course
from syrupy.assertion import SnapshotAssertion

from grader.assignment import Course
from grader.sandbox import Launcher
from grader.viva.sheet import Sheet

LONGER = GOOD.replace("return x + x", "result = x + x\n    return result - 0 * x")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a graded class of four with an examination; dora's file is no Python."""
    folder = tmp_path_factory.mktemp("graded")
    root = a_course(folder / "course").course.root
    about = "  viva: {points: 6, manual: true, title: Examination}\n  viva_edit: {points: 2, manual: true, title: Edits}\n"
    change(root, "assignments/mini/assignment.yaml", "  box:", f"{about}  box:")
    works = {"ada": LONGER, "bob": LONGER.replace("result", "twice"), "cy": EMPTY, "dora": "def f(:\n"}
    for student, source in works.items():
        put(folder / "mini-works", f"{student}/mini.py", source)
    assert grade("batch", "mini", cwd=root).code == 0
    return folder


@pytest.fixture
def root(graded: Path, tmp_path: Path) -> Path:
    """The course in a copy of that folder."""
    shutil.copytree(graded, tmp_path / "class")
    return tmp_path / "class" / "course"


def facts(root: Path, student: str) -> Sheet:
    """The kept facts of a sheet."""
    path = root.parent / "mini-viva" / "facts" / f"{student}.json"
    return msgspec.json.decode(path.read_bytes(), type=Sheet)


@pytest.mark.ci
def test_a_class_gets_its_sheets(root: Path, snapshot: SnapshotAssertion) -> None:
    """A page and a Markdown file for everybody, and all in one; who cannot be asked gets a sheet that says so."""
    ran = grade("viva", "mini", cwd=root)
    assert ran.code == 0, ran.err
    assert (ran.out, ran.err) == snapshot
    folder = root.parent / "mini-viva"
    assert {path.name for path in folder.iterdir()} == {
        *(f"{name}.{suffix}" for name in ("ada", "bob", "cy", "dora") for suffix in ("html", "md")), "all.html", "facts",
    }  # fmt: skip
    assert "SyntaxError" in (folder / "dora.md").read_text(encoding="utf-8")
    assert {one.kind for one in facts(root, "ada").questions} >= {"result", "edit"}
    assert (folder / "all.html").read_text(encoding="utf-8").count("For the examiner") == 4


@pytest.mark.ci
def test_a_second_run_makes_what_has_changed(root: Path) -> None:
    """The salt stays, and so do the sheets: those of unchanged work are not made again."""
    grade("viva", "mini", cwd=root)
    salt, before = (root / "solutions/viva_salt.txt").read_text(encoding="utf-8"), facts(root, "ada")

    again = grade("viva", "mini", cwd=root)
    assert "4 as before" in again.out
    assert "new" not in again.err

    put(root.parent / "mini-works", "ada/mini.py", SQUARES)
    grade("batch", "mini", cwd=root)
    put(root.parent / "mini-viva", "facts/bob.json", "{")  # damaged, so made again
    assert "2 as before" in grade("viva", "mini", cwd=root).out
    assert facts(root, "ada") != before
    assert facts(root, "bob").questions
    assert (root / "solutions/viva_salt.txt").read_text(encoding="utf-8") == salt

    shutil.rmtree(root.parent / "mini-viva")
    put(root.parent / "mini-works", "ada/mini.py", LONGER)
    grade("batch", "mini", cwd=root)
    grade("viva", "mini", "ada", cwd=root)
    assert facts(root, "ada").questions == before.questions


def of_mini(root: Path, source: str, given: str = "") -> Sheet:
    """The sheet of a file about the results of its functions."""
    mini = Course(root).assignment("mini")
    with Launcher() as launcher:
        return sheet_of(launcher, source, assignment=mini, given=given, only=("result",))


OF_CONTAINERS = """\
def double(x):
    total = 0
    for number in x:
        total = total + number
    return total


def shout(text):
    louder = text.upper()
    return louder


def pairs(x):
    result = [(each, [each > 3]) for each in x]
    return result


def same(x, y):
    count = {each: y.count(each) for each in x}
    return count


def constant():
    answer = 40 + 2
    return answer
"""


def test_functions_of_all_plain_data_are_asked_about(root: Path) -> None:
    """No gradient anywhere: a function is called with the first of a number, a list and a text that it takes.

    Several of them, none, and results that hold others: what Python would write.
    """
    namespace: dict[str, object] = {}
    exec(OF_CONTAINERS, namespace)
    asked = {one.facts["call"]: one.answer for one in of_mini(root, OF_CONTAINERS).questions}
    assert {call.partition("(")[0] for call in asked} == {"double", "shout", "pairs", "same", "constant"}
    assert all(answer == str(eval(call, namespace)) for call, answer in asked.items())


@pytest.mark.ci
def test_no_function_keeps_others_from_being_asked_about(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that never ends, one of a number beyond all floats, one that ends the process, and many that nobody asked for."""
    monkeypatch.setattr("grader.viva.work.RUN_SECONDS", 0.3)
    hostile = "".join(
        f"def {name}(x):\n    result_of_this = {does}\n    return result_of_this\n\n\n"
        for name, does in {
            "never": "[0 for _ in iter(int, 1)]", "large": "10 ** 400", "ends": "__import__('os')._exit(0)",
        }.items()
    )  # fmt: skip
    many = "".join(f"\n\ndef own_{i}(x):\n    own = x + {i}\n    return own\n" for i in range(120))

    sheet = of_mini(root, hostile + many + LONGER, given="def double(x):\n    raise NotImplementedError\n")

    assert "double" in {one.facts["call"].partition("(")[0] for one in sheet.questions}
    assert any(doubt.startswith("Runs of the file") for doubt in sheet.doubts)
    assert "Only 20 of 124 functions were called." in sheet.doubts


def test_where_nothing_can_be_asked_the_command_says_so_before_it_makes_a_sheet(root: Path) -> None:
    """The reference shows it: its lines stand in no function."""
    put(
        root,
        "solutions/mini/mini.py",
        "### BEGIN SOLUTION: answer\n# STUB: answer = ...\nanswer = 3\n### END SOLUTION\n",
    )
    ran = grade("viva", "mini", cwd=root)
    assert ran.code != 0
    assert "questions are about" in ran.err.lower()
    assert not (root.parent / "mini-viva").exists()


def test_some_students_and_some_kinds(root: Path) -> None:
    ran = grade("viva", "mini", "ada", "--questions", "2", "--only", "result", cwd=root)
    assert ran.code == 0
    assert {one.kind for one in facts(root, "ada").questions} == {"result"}
    assert not (root.parent / "mini-viva" / "bob.html").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["viva", "mini", "adda"],
        ["viva", "mini", "--source", "../nowhere"],
        ["viva", "mini", "--results", "nowhere.db"],
        ["viva", "mini", "--practice", "a.py", "b.py"],
        ["viva", "mini", "--practice", "--source", "../mini-works"],
        ["viva", "mini", "--questions", "0"],
        ["viva", "mini", "--only", "colour"],
    ],
    ids=" ".join,
)
def test_a_wrong_line_is_refused(root: Path, words: list[str], snapshot: SnapshotAssertion) -> None:
    ran = grade(*words, cwd=root)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err == snapshot


@pytest.mark.ci
def test_work_that_was_not_graded_is_not_asked_about(root: Path) -> None:
    """Somebody saved another file since: the sheet says so, and everybody else has theirs."""
    put(root.parent / "mini-works", "ada/mini.py", SQUARES)
    assert grade("viva", "mini", cwd=root).code == 0
    assert facts(root, "ada").questions == []
    assert "graded" in facts(root, "ada").why
    assert facts(root, "bob").questions


# --- Practice


def test_a_student_practises(root: Path) -> None:
    """A page with answers, from one's own file; it needs neither results nor solutions."""
    put(root, "mine.py", LONGER)
    shutil.rmtree(root / "solutions")
    ran = grade("viva", "mini", "mine.py", "--practice", cwd=root)
    assert ran.code == 0, ran.err
    page = (root / "feedback/mini-viva.html").read_text(encoding="utf-8")
    assert "<details>" in page
    assert "examiner" not in page.partition("</head>")[2]


@pytest.mark.ci
def test_an_engine_of_a_day_is_asked_about(course: Path, tmp_path: Path) -> None:
    """The same command on a day of the course gives six questions about a graph."""
    put(tmp_path, "works/ada/day4_engine.py", ENGINE)
    about = ("--results", tmp_path / "results.db")
    assert grade("batch", "day4", tmp_path / "works", "--results", about[1], cwd=course).code == 0

    ran = grade(
        "viva", "day4", "--source", tmp_path / "works", *about, "--output", tmp_path / "out", cwd=course
    )

    assert ran.code == 0, ran.err
    page = (tmp_path / "out" / "ada.html").read_text(encoding="utf-8")
    assert page.count("<dt>Worked out:</dt>") == 6
    assert "<svg" in page
    (course / "solutions" / "viva_salt.txt").unlink()

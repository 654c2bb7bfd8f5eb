"""Protected files that a student changed, compared with the course or with the released template."""

from __future__ import annotations

import csv
from pathlib import Path

from collecting import (
    CHECK,
    MANIFEST,
    NOTEBOOK,
    WORKFLOW,
    Class,
    commit,
    work,
    works,
)
from helpers import executed, grade, notebook
from minicourse import change, put
from releasing import without_solutions

from grader.assignment import COLLECTED


def drift(class_: Class, student: str) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one in class_.record(student).drift]


def test_drift(class_: Class):
    """Edited, missing and added, by hash; one line for each student."""
    bares = class_.good("ada", "bob", "grace")
    for bare in (bares["ada"], bares["bob"]):
        commit(bare, {CHECK: "def test_three(): pass\n"})
    commit(
        bares["bob"], {MANIFEST: None, "assignments/mini/checks/test_more.py": "x", WORKFLOW: "on: push\n"}
    )
    commit(bares["bob"], {".github/workflows/evil.yml": "on: push\n", "assignments/mini/README.md": "mine"})
    ran = class_.collect()
    assert ran.code == 0
    assert drift(class_, "ada") == [(CHECK, "edited")]
    assert drift(class_, "bob") == [
        (".github/workflows/evil.yml", "added"),
        (MANIFEST, "missing"),
        (CHECK, "edited"),
        ("assignments/mini/checks/test_more.py", "added"),
    ]
    note = f"course files differ from the template, without effect on the grade: {CHECK} (edited)"
    assert works(class_)["ada"].notes[1:] == (note,)
    line = next(line for line in ran.out.splitlines() if "  ada  " in line)
    assert line.endswith(f"; {note}")
    assert works(class_)["bob"].notes[-1].endswith(f"{CHECK} (edited) and 1 more")
    assert "differ from your course" not in ran.out


def test_what_everybody_has_otherwise(class_: Class, snapshot):
    """Nobody edited it: the course was changed and no release is noted."""
    class_.good("ada", "bob", "grace")
    path = class_.course / CHECK
    path.write_text(path.read_text().replace("6", "7"))
    assert class_.collect().out == snapshot


def test_a_check_that_was_mended_after_the_release(class_: Class):
    """Students are compared with the release that they have: only who edited a file is named."""
    (class_.course / "solutions/mini").mkdir(parents=True)
    class_.type("release", class_.root / "template")
    bares = class_.good("ada", "bob", "grace")
    commit(bares["bob"], {CHECK: "def test_three(): pass\n"})
    path = class_.course / CHECK
    path.write_text(path.read_text().replace("6", "7"))
    put(class_.course, "assignments/mini/checks/test_new.py", "def test_new(): pass\n")
    ran = class_.collect()
    assert [drift(class_, student) for student in bares] == [[], [(CHECK, "edited")], []]
    assert "differ from your course" not in ran.out


def test_a_workflow_that_was_edited(class_: Class):
    """The releases have it, and what the course would release now was given to nobody."""
    (class_.course / "solutions/mini").mkdir(parents=True)
    class_.type("release", class_.root / "template")
    bare = class_.good("ada")["ada"]
    commit(bare, {CHECK: "def test_three(): pass\n", WORKFLOW: "on: push\n"})
    change(class_.course, MANIFEST, "submission:", "late: {days: 4}\nsubmission:")
    class_.collect()
    assert drift(class_, "ada") == [(WORKFLOW, "edited"), (CHECK, "edited")]


def test_lines_that_end_as_on_windows(class_: Class):
    """Git keeps the template's bytes, whatever the line ends on the instructor's disk."""
    class_.good("ada")
    path = class_.course / CHECK
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    class_.collect()
    assert drift(class_, "ada") == []


def test_a_void_check_gives_nothing_for_a_released_notebook(tmp_path: Path):
    """It is untouched in a folder, after Jupyter has saved it, and when the course has another notebook since."""
    root, template, class_ = tmp_path / "course", tmp_path / "template", tmp_path / "class"
    without_solutions(root)
    (root / "solutions/mini").mkdir(parents=True, exist_ok=True)
    ran = grade("release", "mini", template, cwd=root)
    assert ran.code == 0, ran.text
    released = (template / NOTEBOOK).read_text(encoding="utf-8")
    for student, text in {"ada": released, "bob": executed(released), "cy": work()}.items():
        put(class_, f"{student}/mini.ipynb", text)
    for path in ("assignments/mini/mini.ipynb", "assignments/mini/checks/stub.ipynb"):
        put(root, path, notebook("another = 'notebook'"))
    assert grade("batch", "mini", class_, cwd=root).code == 0
    assert grade("override", "void", "box", "--why", "it was wrong", cwd=root).code == 0
    table = csv.DictReader(grade("report", "mini", "--format", "csv", cwd=root).out.splitlines())
    assert {row["student"]: (row["state"], row["box"]) for row in table} == {
        "ada": ("untouched", "0"),
        "bob": ("untouched", "0"),
        "cy": ("handed in", "40"),
    }


def test_a_course_that_cannot_be_released(class_: Class, snapshot):
    """The class is collected; a note says that files were not compared."""
    class_.good("ada")
    (class_.course / "assignments/mini/checks/stub.ipynb").unlink()
    ran = class_.collect()
    assert ran.code == 0, ran.text
    assert ran.out == snapshot


def test_a_student_with_ten_thousand_checks(class_: Class):
    """The record stays small."""
    bare = class_.good("ada")["ada"]
    commit(bare, {f"assignments/mini/checks/a{n}.py": "x" for n in range(2000)})
    class_.collect()
    assert len(drift(class_, "ada")) == 100
    assert (class_.works / COLLECTED / "ada.json").stat().st_size < 100_000

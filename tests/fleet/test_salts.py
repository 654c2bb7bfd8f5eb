"""Final grades under a salt that has answered no push: `grade stub --salts` writes it, `grade batch --salts` uses it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from helpers import grade
from minicourse import build, change, put
from students import GOOD, scores

from grader.assignment import Course
from grader.errors import Refused
from grader.fleet.packing import pack_course, unpack_course, with_salt
from grader.gradebook.store import Store
from grader.grading.records import RecordedCheck, read_replays
from grader.grading.run import CheckFile
from grader.grading.suitehash import hash_of_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

REFUSED = 2
KEY = "length:\n  right: B\n"
TABLE = """\
TABLE = {table!r}


def double(x):
    return TABLE.get(x, 0.0)


class Box:
    def __init__(self, n):
        self.number = n

    def grow(self):
        self.number = double(self.number)
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course beside a folder with another salt, which nobody writes into."""
    root = build(tmp_path_factory.mktemp("salts") / "course")
    ran = grade("stub", "mini", "--salts", "../final", cwd=root)
    assert ran.code == 0, ran.text
    return root.parent


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    """A copy of the course, with the folder `final` beside it."""
    copy = shutil.copytree(sound, tmp_path / "here", ignore=shutil.ignore_patterns("__pycache__"))
    return copy / "course"


def files(folder: Path) -> dict[str, bytes]:
    """Every file in a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def numbers(value: Any) -> Iterator[float]:
    """Yield every number in plain data."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)


def asked(root: Path) -> set[float]:
    """Return every number that the visible and the hidden tests send under the course's own salt."""
    assignment = Course(root).assignment("mini")
    checks = [CheckFile(check, side, path, orders=False) for check, side, path in assignment.check_files()]
    found, unusable = read_replays(checks, {"visible": "visible", "hidden": assignment.salt}, "")
    assert unusable == []
    return {number for record in found.values() for number in numbers(requests(record))}


def requests(record: RecordedCheck) -> list[Any]:
    return [msgspec.json.decode(test.requests) for test in record.tests]


def test_a_table_of_all_that_was_asked_earns_nothing_under_another_salt(root: Path) -> None:
    """It has right outputs for every input of the term, and computes nothing. Honest work keeps its points."""
    known = asked(root)
    table = {x: 2 * x for x in known} | {2 * x: 4 * x for x in known}
    put(root, "students/mallory/mini.py", TABLE.format(table=table))
    put(root, "students/ada/mini.py", GOOD)

    term = grade("batch", "mini", "students", cwd=root)
    assert term.code == 0, term.text
    with Store(root / "results.db") as store:
        assert scores(store) == {"ada": 100, "mallory": 100}
    final = grade("batch", "mini", "students", "--salts", "../final", cwd=root)
    assert final.code == 0, final.text
    with Store(root / "results.db") as store:
        assert scores(store) == {"ada": 100, "mallory": 0}


@pytest.mark.ci
def test_a_second_run_under_the_same_salt_grades_nothing(root: Path) -> None:
    """A run under the other one grades everybody again."""
    put(root, "students/ada/mini.py", GOOD)
    batch = "batch", "mini", "students"
    runs = [
        grade(*batch, *more, cwd=root) for more in ([], ["--salts", "../final"], ["--salts", "../final"], [])
    ]

    assert ["1 graded" in ran.text for ran in runs] == [True, True, False, True]
    assert "1 as before" in runs[2].text


def test_a_cluster_gets_the_salt_with_the_course(root: Path, tmp_path: Path) -> None:
    assignment = Course(root).assignment("mini")
    with with_salt(assignment, root.parent / "final") as copy:
        there = unpack_course(pack_course(copy), tmp_path / "there").assignment("mini")
        suites = [hash_of_suite(each) for each in (assignment, copy, there)]

    assert there.salt == (root.parent / "final/mini/salt.txt").read_text().strip()
    assert suites[1] == suites[2] != suites[0]


# --- `grade stub --salts`


def test_it_writes_what_depends_on_the_salt_and_leaves_the_course_alone(root: Path) -> None:
    before = files(root)
    ran = grade("stub", "mini", "--salts", "../another", cwd=root)

    assert ran.code == 0, ran.text
    assert files(root) == before
    there, own = files(root.parent / "another/mini"), files(root / "solutions/mini/checks")
    assert sorted(there) == ["replay.json", "salt.txt"]
    assert there["salt.txt"] != before["solutions/mini/salt.txt"]
    assert [name for name in there if there[name] == own.get(name)] == []


@pytest.mark.ci
def test_a_second_run_keeps_the_salt_unless_it_is_to_be_new(root: Path) -> None:
    folder = root.parent / "final"
    before = files(folder)
    grade("stub", "mini", "--salts", folder, cwd=root)
    again = files(folder)
    grade("stub", "mini", "--salts", folder, "--new-salt", cwd=root)

    assert again == before
    assert files(folder).keys() == before.keys()
    assert not set(files(folder).values()) & set(before.values())


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("assignments/mini", "students get what is in"),
        ("solutions", "this folder has the salts that grade pushes"),
        ("solutions/mini/salt.txt", "this is a file"),
    ],
)
def test_a_folder_that_is_not_for_salts(root: Path, folder: str, why: str) -> None:
    """Where students would get it, or the term's own would be lost."""
    before = files(root)
    ran = grade("stub", "mini", "--salts", folder, cwd=root)

    assert ran.code == REFUSED
    assert why in ran.text
    assert files(root) == before


def test_without_hidden_checks_there_is_nothing_to_salt(root: Path, snapshot) -> None:
    shutil.rmtree(root / "solutions/mini/checks")
    ran = grade("stub", "mini", "--salts", "../another", cwd=root)

    assert ran.code == REFUSED
    assert ran.text == snapshot


# --- Folders that cannot be used


def break_record(root: Path) -> None:
    change(root.parent, "final/mini/replay.json", '"format": 2', '"format": 3')


BROKEN: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "nothing there": (lambda root: shutil.rmtree(root.parent / "final"), "salt.txt", ": no salt"),
    "an empty salt": (
        lambda root: put(root.parent, "final/mini/salt.txt", "\n"),
        "salt.txt",
        ": no salt",
    ),
    "a salt that is no text": (
        lambda root: (root.parent / "final/mini/salt.txt").write_bytes(b"\xff"),
        "salt.txt",
        "not text in UTF-8",
    ),
    "the term's salt": (
        lambda root: shutil.copy(root / "solutions/mini/salt.txt", root.parent / "final/mini"),
        "salt.txt",
        "this salt is the one that answers pushes",
    ),
    "another's records": (
        lambda root: shutil.copy(root / "solutions/mini/checks/replay.json", root.parent / "final/mini"),
        "replay.json",
        "this is out of date",
    ),
    "no records": (
        lambda root: (root.parent / "final/mini/replay.json").unlink(),
        "replay.json",
        "is missing",
    ),
    "another version": (break_record, "replay.json", "this is of another version"),
    "a check that was mended": (
        lambda root: change(root, "solutions/mini/checks/test_double.py", "uniform(3, 9)", "uniform(3, 8)"),
        "replay.json",
        "this is out of date",
    ),
    "an answer that was mended": (
        lambda root: put(root, "solutions/mini/answers.yaml", KEY),
        "sealed.json",
        "this is out of date",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_folder_that_cannot_be_used_is_refused_before_anything_is_graded(root: Path, case: str) -> None:
    """The file is named, and the command that writes it."""
    edit, name, why = BROKEN[case]
    edit(root)
    folder = root.parent / "final"

    with pytest.raises(Refused) as refused, with_salt(Course(root).assignment("mini"), folder):
        pass

    said = str(refused.value)
    assert said.startswith(f"{folder / 'mini' / name}: ")
    assert why in said
    assert f"`grade stub mini --salts {folder}" in said or "save it as UTF-8" in said


def test_a_refusal_leaves_no_results_file(root: Path) -> None:
    put(root, "students/ada/mini.py", GOOD)
    ran = grade("batch", "mini", "students", "--salts", "../nowhere", cwd=root)

    assert ran.code == REFUSED
    assert not (root / "results.db").exists()

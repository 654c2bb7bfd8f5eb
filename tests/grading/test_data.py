"""A folder `data/` of an assignment: its files are in each jail, and go wherever the assignment goes."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import grade, hand_in, passed, write_files

from grader.assignment import Course
from grader.classroom.release.contents import Wheel
from grader.classroom.release.platforms import bundle_files, write_zip
from grader.data import LONGEST_NAME, MOST_BYTES, MOST_FILES, read_data
from grader.errors import Refused
from grader.fleet.packing import pack_course, unpack_course
from grader.grading.grader import grade as in_process
from grader.grading.grader import open_grader
from grader.grading.suitehash import hash_of_suite
from grader.sandbox import Launcher
from grader.site.here import Here
from grader.submissions.submission import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

    from grader.assignment import Assignment

MANIFEST = """\
format: 1
title: Sales
submission: sales.ipynb
checks:
  total: {points: 10, hints: ["Which column?"]}
  names: {points: 5, hints: ["Which folder?"]}
"""
TOTAL = '''\
"""The sum of a column."""

from pathlib import Path


def test_total(student):
    """Of a file of data."""
    _, *rows = (Path(__file__).parents[1] / "data/{name}").read_text().split()
    assert student.total("{name}") == sum(int(row.split(",")[1]) for row in rows)
'''
NAMES = '''\
"""The names of the files."""


def test_names(student):
    """All of them, sorted."""
    assert student.names() == {names}
'''
REFERENCE = """\
# %%
import csv
import os

with open("data/sales.csv", newline="") as file:
    rows = list(csv.DictReader(file))


# %%
def total(name):
    ### BEGIN SOLUTION: add the numbers
    with open(f"data/{name}", newline="") as file:
        return sum(int(row["sold"]) for row in csv.DictReader(file))
    ### END SOLUTION


# %%
def names():
    ### BEGIN SOLUTION: list the folder
    return sorted(os.listdir("data"))
    ### END SOLUTION
"""
DAY = "assignments/sales"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of one day with data, and more of it for hidden tests."""
    both = ["final.csv", "sales.csv"]
    files = {
        f"{DAY}/assignment.yaml": MANIFEST,
        f"{DAY}/checks/test_total.py": TOTAL.format(name="sales.csv"),
        f"{DAY}/checks/test_names.py": NAMES.format(names=both[1:]),
        f"{DAY}/data/sales.csv": "town,sold\nBonn,3\nTrier,4\n",
        "solutions/sales/checks/test_total.py": TOTAL.format(name="final.csv"),
        "solutions/sales/checks/test_names.py": NAMES.format(names=both),
        "solutions/sales/data/final.csv": "town,sold\nBonn,30\n",
        "solutions/sales/salt.txt": "a8f3c07be1\n",
        "solutions/sales/sales.py": REFERENCE,
    }
    write_files(tmp_path, files)
    return tmp_path


@pytest.fixture
def day(root: Path) -> Assignment:
    return Course(root).assignment("sales")


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


def test_tests_of_each_side_have_their_files(
    day: Assignment, launcher: Launcher, snapshot: SnapshotAssertion
) -> None:
    """A hidden test reads a file that no visible one finds, nor any cell while these run."""
    mine = hand_in(day.course.root, REFERENCE, "mine.py")
    assert passed(in_process(day, mine, launcher)) == {"total", "names"}

    peeking = REFERENCE.replace("sorted(os", "open('data/final.csv') and sorted(os")
    report = in_process(day, hand_in(day.course.root, peeking, "mine.py"), launcher)
    assert passed(report) == {"total"}
    assert report.checks[1].message == snapshot


def test_a_jail_whose_words_are_told_never_has_hidden_files(day: Assignment, launcher: Launcher) -> None:
    """A hidden test that only judges answers runs there; nothing of its side comes with it."""
    blocks = [Block("mine", None, 1, "import os\ndef names(): return sorted(os.listdir('data'))")]
    found = []
    with open_grader(day, launcher) as grader:
        for how in ({}, {"of_author": True}, {"foreseen": []}):
            with grader.sandbox(blocks, **how) as box:
                box.turn_to("hidden")
                box.load()
                found.append(box.get("names")())
    both = ["final.csv", "sales.csv"]
    assert found == [["sales.csv"], both, both]


def test_the_files_are_the_courses(day: Assignment, launcher: Launcher) -> None:
    """Whatever lies beside a submission."""
    other = day.course.root / "other"
    write_files(other, {"mine.py": REFERENCE, "data/sales.csv": "town,sold\nBonn,300\n"})
    assert passed(in_process(day, other / "mine.py", launcher)) == {"total", "names"}


@pytest.mark.ci
def test_an_author_records_and_validates_each_side(root: Path, day: Assignment) -> None:
    """In a real kernel, too, which stands in the folder of the notebook."""
    pytest.importorskip("nbclient")
    assert "replay.json" in grade("stub", "sales", cwd=root).out
    assert grade("validate", "sales", cwd=root).out.startswith("sales  sound\n")
    assert grade("sales", "solutions/sales/sales.py", cwd=root).out.count("passed") == 3
    (root / DAY / "data/sales.csv").write_text("town,sold\nBonn,70\n", encoding="utf-8")
    ran = grade("sales", "solutions/sales/sales.py", cwd=root)
    assert ran.out.count("passed") == 3
    assert "out of date" in ran.err


def test_a_page_reads_it_and_gives_python_its_own_functions_back(day: Assignment) -> None:
    """In the process of the page itself."""
    before = open, os.stat, os.listdir, os.scandir
    mine = hand_in(day.course.root, REFERENCE, "mine.py")
    assert passed(in_process(day, mine, Here())) == {"total", "names"}  # type: ignore[arg-type]
    assert (open, os.stat, os.listdir, os.scandir) == before


# --- Where it goes


def test_a_change_of_data_grades_again(root: Path, day: Assignment) -> None:
    """Of either side."""
    found = {hash_of_suite(day)}
    for name in (f"{DAY}/data/sales.csv", "solutions/sales/data/final.csv"):
        (root / name).write_text("town,sold\nBonn,1\n", encoding="utf-8")
        found.add(hash_of_suite(Course(root).assignment("sales")))
    assert len(found) == 3


def test_a_cluster_gets_it(day: Assignment, tmp_path: Path) -> None:
    packed = unpack_course(pack_course(day), tmp_path / "there").assignment("sales")
    assert packed.data == day.data


@pytest.mark.ci
def test_platforms_get_it(root: Path, day: Assignment, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Gradescope's zip has both sides, what students can download has theirs alone."""
    assert "stub.ipynb" in grade("stub", "sales", cwd=root).out
    for folder in ("assignments", "solutions"):  # a name that tools leave behind elsewhere
        write_files(root / folder / "sales/data", {f"{folder}.bak": "1"})
    wheel, there = Wheel("backgrade.whl", b""), tmp_path_factory.mktemp("there")
    write_zip(day.course, "sales", there / "sales.zip", wheel)
    with zipfile.ZipFile(there / "sales.zip") as opened:
        zipped = [name for name in opened.namelist() if "/data/" in name]
    bundled = [name for name in bundle_files(day.course, ["sales"], wheel)[0] if "/data/" in name]
    released = grade("release", "sales", str(there / "template"), "--yes", cwd=root)

    mine = ["assignments.bak", "sales.csv"]
    assert sorted(bundled) == [f"course/{DAY}/data/{name}" for name in mine]
    assert zipped == sorted(bundled) + [
        f"course/solutions/sales/data/{name}" for name in ("final.csv", "solutions.bak")
    ]
    assert released.code == 0
    template = there / "template" / DAY / "data"
    assert sorted(path.relative_to(template).as_posix() for path in template.rglob("*.*")) == mine


# --- What cannot be data


def _link(folder: Path) -> None:
    (folder / "link.csv").symlink_to("/etc/passwd")


def _linked_folder(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")


def _large(folder: Path) -> None:
    with (folder / "large.bin").open("wb") as file:
        file.truncate(MOST_BYTES + 1)


def _large_together(folder: Path) -> None:
    for name in ("one.bin", "two.bin"):
        with (folder / name).open("wb") as file:
            file.truncate(MOST_BYTES // 2 + 1)


def _many(folder: Path) -> None:
    for number in range(MOST_FILES + 1):
        (folder / f"{number:03}.csv").touch()


def _long(folder: Path) -> None:
    (folder / ("a" * (LONGEST_NAME // 2))).mkdir()
    (folder / ("a" * (LONGEST_NAME // 2)) / ("b" * (LONGEST_NAME // 2))).touch()


def _named(name: str) -> object:
    return pytest.param(lambda folder: (folder / name).touch(), id=name.replace("\n", " "))


@pytest.mark.parametrize(
    "make",
    [
        _link, _linked_folder, _pipe, _large, _large_together, _many, _long,
        *map(_named, ["a:b.csv", "größe.csv", "con.csv", "end.", "a\nb", "-x.csv", "a\\b.csv"]),
    ],
)  # fmt: skip
def test_what_cannot_be_data(tmp_path: Path, make: object, snapshot: SnapshotAssertion) -> None:
    """The error names the file, the reason and the remedy."""
    folder = tmp_path / "data"
    folder.mkdir()
    make(folder)  # type: ignore[operator]
    with pytest.raises(Refused) as error:
        read_data({"visible": folder})
    assert str(error.value).replace(str(tmp_path), "") == snapshot


def test_two_files_of_one_name(root: Path, snapshot: SnapshotAssertion) -> None:
    """Of the two sides, or of one where a system tells them apart."""
    (root / "solutions/sales/data/Sales.csv").touch()
    with pytest.raises(Refused) as error:
        _ = Course(root).assignment("sales").data
    assert str(error.value).replace(str(root), "") == snapshot


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to(path.parent)])
def test_data_is_a_folder(tmp_path: Path, make: object) -> None:
    make(tmp_path / "data")  # type: ignore[operator]
    with pytest.raises(Refused, match="this must be a folder"):
        read_data({"visible": tmp_path / "data"})


def test_what_tools_leave_behind_is_no_data(tmp_path: Path) -> None:
    write_files(tmp_path / "data", {".DS_Store": "", ".ipynb_checkpoints/a.csv": "", "a.csv": "1"})
    assert read_data({"visible": tmp_path / "data", "hidden": tmp_path / "none"}) == {
        "visible": {"a.csv": b"1"},
        "hidden": {},
    }


@pytest.mark.ci
@pytest.mark.parametrize(
    "command", [("sales", "solutions/sales/sales.py"), ("validate", "sales"), ("release", "sales", "../to")]
)
def test_each_command_says_so(root: Path, command: tuple[str, ...]) -> None:
    (root / DAY / "data/link.csv").symlink_to("/etc/passwd")
    ran = grade(*command, cwd=root)
    assert ran.code
    assert "link.csv: this data file cannot be used" in " ".join(ran.text.split())

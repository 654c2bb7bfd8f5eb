"""`data:` in a manifest: files of arrays that cells import, in the jail, in a kernel and at home, and nothing can change."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers import grade, hand_in, passed, write_files

from grader.assignment import MOST_DATA, Course
from grader.errors import Refused
from grader.fleet.packing import pack_course, unpack_course
from grader.grading.grader import grade as in_process
from grader.manifest import read_manifest
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment

MANIFEST = """\
format: 1
title: Digits
submission: digits_day.ipynb
arrays: true
data: [digits.npz]
checks:
  mean: {points: 10, hints: ["Which axis are the rows?"]}
"""
CHECK = '''\
"""The mean of all rows."""


def test_mean(student):
    """Of the three rows of `digits.rows`."""
    assert student.mean() == [2.0, 3.0]
'''
REFERENCE = """\
# %%
import digits


# %%
def mean():
    ### BEGIN SOLUTION: write mean
    return digits.rows.mean(axis=0)
    ### END SOLUTION
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of one day with a file of arrays."""
    write_files(
        tmp_path,
        {
            "assignments/digits_day/assignment.yaml": MANIFEST,
            "assignments/digits_day/checks/test_mean.py": CHECK,
            "solutions/digits_day/digits_day.py": REFERENCE,
        },
    )
    rows = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    np.savez_compressed(tmp_path / "assignments/digits_day/digits.npz", rows=rows, labels=np.array([0, 1, 1]))
    return tmp_path


@pytest.fixture
def day(root: Path) -> Assignment:
    return Course(root).assignment("digits_day")


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


def test_cells_import_it_in_the_jail(day: Assignment, launcher: Launcher) -> None:
    mine = hand_in(day.course.root, REFERENCE, "mine.py")
    assert passed(in_process(day, mine, launcher)) == {"mean"}


@pytest.mark.parametrize(
    "line",
    [
        "digits.rows[0, 0] = 9",
        "digits.rows.flags.writeable = True",
        "digits.rows.base.flags.writeable = True",
        "digits.rows.setflags(write=True)",
        "import numpy; numpy.lib.stride_tricks.as_strided(digits.rows)[0] = 9",
    ],
)
def test_no_cell_changes_the_arrays(day: Assignment, launcher: Launcher, line: str) -> None:
    mine = hand_in(
        day.course.root, f"{REFERENCE}\n\n# %%\ntry:\n    {line}\nexcept Exception:\n    pass\n", "mine.py"
    )
    assert passed(in_process(day, mine, launcher)) == {"mean"}


def test_a_cell_that_binds_other_names_changes_its_own_load_alone(
    day: Assignment, launcher: Launcher
) -> None:
    """Each load has a new module."""
    source = (
        REFERENCE
        + "\n\n# %%\nimport sys\nassert digits.labels.sum() == 2\ndigits.labels = None\nsys.modules['digits'] = None\n"
    )
    report = in_process(day, hand_in(day.course.root, source, "mine.py"), launcher)
    assert passed(report) == {"mean"}
    assert not any("cell" in note.lower() for note in report.notes)


def test_the_file_itself_cannot_be_read(day: Assignment, launcher: Launcher) -> None:
    """What a jail reads is in no folder that it sees."""
    source = REFERENCE.replace(
        "import digits", f"import numpy\ndigits = numpy.load({str(day.folder / 'digits.npz')!r})"
    )
    report = in_process(day, hand_in(day.course.root, source, "mine.py"), launcher)
    assert passed(report) == set()
    assert any("PermissionError" in note for note in report.notes)


@pytest.mark.ci
def test_stub_writes_the_module_for_notebooks_and_validate_runs_them(root: Path, day: Assignment) -> None:
    """In a real kernel, in the folder of the notebook; a new process there imports it, too."""
    pytest.importorskip("nbclient")
    assert "digits.py" in grade("stub", "digits_day", cwd=root).out
    assert grade("validate", "digits_day", cwd=root).out.startswith("digits_day  sound\n")
    ran = subprocess.run(
        [sys.executable, "-c", "import digits; print(digits.rows.shape, digits.labels)"],
        cwd=day.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout == "(3, 2) [0 1 1]\n"


def test_a_cluster_gets_it(day: Assignment, tmp_path: Path) -> None:
    packed = unpack_course(pack_course(day), tmp_path / "there").assignment("digits_day")
    assert packed.data == day.data


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("arrays: true\n", "", "`data` needs `arrays: true`"),
        ("digits.npz", "digits.csv", "write the name of a file that numpy.savez_compressed wrote"),
        ("digits.npz", "../digits.npz", "write the name of a file that numpy.savez_compressed wrote"),
        ("digits.npz", "json.npz", "`json` is another module's name"),
        ("digits.npz", "numpy.npz", "`numpy` is another module's name"),
    ],
)
def test_a_name_that_cannot_be_imported(day: Assignment, old: str, new: str, said: str) -> None:
    path = day.folder / "assignment.yaml"
    path.write_text(MANIFEST.replace(old, new), encoding="utf-8")
    with pytest.raises(Refused, match=said):
        read_manifest(path)


def test_a_file_that_is_missing_or_too_large(day: Assignment) -> None:
    path = day.folder / "digits.npz"
    path.write_bytes(b"0" * (MOST_DATA + 1))
    with pytest.raises(Refused, match=f"at most {MOST_DATA} go to the jail"):
        _ = day.data
    path.unlink()
    with pytest.raises(Refused, match="names it, and it cannot be read"):
        _ = day.data


@pytest.mark.ci
@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"rows": np.array([None])}, "without objects"),
        ({"words": np.array(["one"])}, "`words` is no array of numbers"),
        ({"two words": np.zeros(2)}, "`two words` is no array of numbers under a name of Python's"),
        (None, "numpy cannot read it"),
    ],
)
def test_validate_names_a_file_that_is_not_of_numbers(
    root: Path, day: Assignment, arrays: dict[str, np.ndarray] | None, said: str
) -> None:
    path = day.folder / "digits.npz"
    if arrays is None:
        path.write_bytes(b"PK no zip")
    else:
        np.savez(path, **arrays)
    assert said in " ".join(grade("validate", "digits_day", cwd=root).text.split())

"""What a released version wrote, each later one opens: `tests/releases/VERSION` has a course, three works and a results file.

`results.sql` is `.dump` of the results file after `grade batch`, an override and `grade post --to`. Nothing in such a folder
is ever edited; a release adds a folder.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from helpers import grade

RELEASES = sorted(path for path in Path(__file__).with_name("releases").iterdir() if path.is_dir())
POINTS = {"ada": 110, "bob": 7.5, "kim": 0}  # of the checks, in every release


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the course, with its results file."""
    root = shutil.copytree(request.param, tmp_path / "course")
    with closing(sqlite3.connect(root / "results.db")) as file:
        file.executescript((root / "results.sql").read_text(encoding="utf-8"))
    return Path(root)


def test_its_results_file_opens_with_nothing_lost(released: Path) -> None:
    """The points of the checks, the override, lateness, and what was posted."""
    table = grade("report", "mini", "--format", "csv", cwd=released)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table.out))}
    assert {who: float(row["score"]) for who, row in rows.items()} == {"ada": 114, "bob": 0, "kim": 0}

    unchanged = grade("diff", cwd=released)
    assert unchanged.code == 0, unchanged.text


def test_its_course_grades_as_it_did(released: Path) -> None:
    """The files that `grade stub` wrote are read: the mistake and the known wrong answer are recognised."""
    reports = {
        who: json.loads(grade("mini", f"works/{who}/mini.ipynb", "--format", "json", cwd=released).out)
        for who in POINTS
    }

    assert {who: report["score"] for who, report in reports.items()} == POINTS
    double, table, *_ = sorted(
        (check for check in reports["bob"]["checks"] if check["outcome"] == "failed"),
        key=lambda check: check["id"],
    )
    assert double["facts"][0]["kind"] == "mistake"
    assert "Each doubling begins" in json.dumps(table)


@pytest.mark.ci
def test_its_course_is_sound(released: Path) -> None:
    """No later version finds something wrong, or calls a generated file out of date, that this one did not."""
    ran = grade("validate", "mini", cwd=released)
    assert ran.out == "mini  sound\n", ran.text

"""Reports of two checkouts, compared to the byte: references, stubs, mistakes and variants, graded by `grade batch`.

    .venv/bin/python bench/same.py OLD NEW [FOLDER]

OLD and NEW are folders of checkouts, each with its own .venv. FOLDER has more submissions as `DAY/NAME.py`. Times,
versions and the hash of the suite are left out. Prints each difference; exits with 1 if there is one.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from grader.assignment import Course

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
LEFT_OUT = {"seconds", "started", "modified", "suite_sha256", "python", "version"}


def write_submissions(day: str, folder: Path, more: Path | None) -> None:
    """Write one folder a submission."""
    assignment = Course(ROOT).assignment(day)
    works = import_module("course_works")
    texts = {
        name.replace(" ", "_"): text for name, text in (works.mistakes(day) | works.variants(day)).items()
    }
    texts["reference"] = assignment.reference.read_text(encoding="utf-8")
    for path in sorted((more / day).glob("*.py")) if more else ():
        texts[path.stem] = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / f"{assignment.stub.stem}.py").write_text(text, encoding="utf-8")
    (folder / "stub").mkdir()
    shutil.copy(assignment.stub, folder / "stub")


def reports(checkout: Path, day: str, folder: Path, results: Path) -> dict[str, Any]:
    """Return the reports of a checkout by student."""
    command: list[str | Path] = [checkout / ".venv" / "bin" / "grade", "batch", day, folder]
    for option in ("--results", "--output"):  # as it was called until November 2026
        if not results.is_file():
            asked = [*command, option, results]
            subprocess.run(
                asked, cwd=checkout, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    with sqlite3.connect(results) as database:
        rows = database.execute("SELECT student, report FROM results").fetchall()
    return {student: json.loads(report) for student, report in rows}


def main(old: Path, new: Path, more: Path | None = None) -> int:
    """Compare all days; return the exit code."""
    found = graded = 0
    with tempfile.TemporaryDirectory() as made:
        for day in Course(ROOT).names:
            folder = Path(made) / day
            write_submissions(day, folder, more)
            before = reports(old.resolve(), day, folder, Path(made) / f"{day}-old.db")
            after = reports(new.resolve(), day, folder, Path(made) / f"{day}-new.db")
            graded += len(after)
            for line in import_module("bothways").differences(before, after, day, LEFT_OUT):
                print(line)
                found += 1
    print(f"{graded} reports compared, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))

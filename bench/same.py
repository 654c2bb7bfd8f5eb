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
from typing import TYPE_CHECKING, Any

from grader.assignment import Course
from grader.authoring.mistakes import apply_mistake, read_mistakes
from grader.authoring.reference import reference_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
LEFT_OUT = {"seconds", "started", "modified", "suite_sha256", "python", "version"}


def write_submissions(day: str, folder: Path, more: Path | None) -> None:
    """Write one folder a submission."""
    assignment = Course(ROOT).assignment(day)
    blocks, stem = reference_blocks(assignment), assignment.stub.stem
    texts = {"reference": assignment.reference.read_text(encoding="utf-8")}
    for mistake in read_mistakes(assignment):
        parts = apply_mistake(blocks, mistake)
        texts[f"mistake_{mistake.name}"] = "\n\n".join(f"# %%\n{block.source}" for block in parts)
    for variant in import_module("variety").VARIANTS:
        if day in variant.days:
            texts[f"variant_{variant.name}"] = variant.submission(day)
    for path in sorted((more / day).glob("*.py")) if more else ():
        texts[path.stem] = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / f"{stem}.py").write_text(text, encoding="utf-8")
    (folder / "stub").mkdir()
    shutil.copy(assignment.stub, folder / "stub")


def reports(checkout: Path, day: str, folder: Path, results: Path) -> dict[str, Any]:
    """Return the reports of a checkout by student."""
    command: list[str | Path] = [checkout / ".venv" / "bin" / "grade", "batch", day, folder, "-o", results]
    subprocess.run(command, cwd=checkout, check=False, stdout=subprocess.DEVNULL)
    with sqlite3.connect(results) as database:
        rows = database.execute("SELECT student, report FROM results").fetchall()
    return {student: json.loads(report) for student, report in rows}


def differences(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield each difference with its path in the report."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - LEFT_OUT):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{place}]")
    elif old != new:
        yield f"{path}\n  - {old}\n  + {new}"


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
            for line in differences(before, after, day):
                print(line)
                found += 1
    print(f"{graded} reports compared, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))

"""The verdicts of a page under the browser's own Python, beside those of the jail, over all works of the course.

    .venv/bin/python bench/page_verdicts.py [--day day2] [--every N] [--named TEXT] [--pyodide FOLDER]

Works are the reference, the stub, and all that tests/support/course_works.py has: mistakes, right
engines in other spellings and shapes, and slips (`--every N` takes every Nth of them), but for those that import numpy
where the folder has no wheel of it (without one, days 6 and 7 have none). The runtime of a site (Pyodide) runs under Node.js, with the site's own packages and course.
Compared are outcome, points, the facts of each check and their lines, which the site's course has without hidden tests;
the words of Python's own errors differ between versions. The place in which a stack is full differs, too, and is left
out. Explanations have all the time that they need, on both sides: else the slower one leaves some out. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import ROOT

from grader.assignment import Course
from grader.autograd import lines
from grader.autograd.rules import probe
from grader.autograd.walks import explain
from grader.classroom.release.contents import day_files
from grader.grading import grader as grading
from grader.grading.grader import open_grader
from grader.report import to_json
from grader.sandbox import Launcher
from grader.site import packages, runtime
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Mapping

sys.path.append(str(ROOT / "tests" / "support"))
ARCHIVES = ROOT / ".venv" / "share" / "site"
_PROGRAM = """
import { appendFileSync, readFileSync } from "node:fs";
const [runtime, packages, course, day, works, target] = process.argv.slice(-6);
const { loadPyodide } = await import(`${runtime}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: runtime, env: { PYTHONHASHSEED: "0", HOME: "/home" } });
for (const [file, folder] of [[packages, "/lib/backgrade"], [course, "/course"]])
  python.unpackArchive(new Uint8Array(readFileSync(file)).buffer, "gztar", { extractDir: folder });
python.globals.set("given", readFileSync(works, "utf8"));
python.globals.set("day", day);
python.globals.set("save", (text) => appendFileSync(target, `${text}\\n`));
python.runPython(`
import contextlib, gc, io, json, os, sys
sys.path.insert(0, "/lib/backgrade")
from pathlib import Path
from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.report import to_json
from grader.autograd import lines
from grader.autograd.rules import probe
from grader.autograd.walks import explain
from grader.grading import grader as grading
from grader.site.here import Here, Pulse
from grader.submissions.submission import submission_from
grading.EXPLAIN_SECONDS = lines.SECONDS = probe.SECONDS = explain.SECONDS = 60.0
assignment = Course(Path("/course")).assignment(day)
os.chdir(assignment.folder)
nowhere = io.StringIO()
with open_grader(assignment, Here(Pulse(lambda _: None))) as grader, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
    for name, (file, source) in json.loads(given).items():
        save(json.dumps([name, json.loads(to_json(grader.grade(submission_from(Path("/nowhere", file), source.encode()))))]))
        gc.unfreeze()
        gc.collect()
`);
"""


def works_of(day: str, every: int, *, numpy: bool) -> dict[str, tuple[str, str]]:
    """Return the name of a file and its text for each work, by the work's name."""
    works = import_module("course_works")
    found = {**works.own(day), **dict(list(works.works(day).items())[::every])}
    return {
        name: (Path(name).name, text.decode())
        for name, text in found.items()
        if numpy or b"import numpy" not in text
    }


def in_a_page(folder: Path, day: str, works: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the reports of the runtime, by the work's name; None for a work that ended the runtime."""
    given, target = folder / "works.json", folder / "reports"
    node = shutil.which("node") or sys.exit("node is not installed")
    paths = [folder / "runtime", folder / "packages", folder / "course.packed", day, given, target]
    found: dict[str, Any] = {}
    while left := {name: work for name, work in works.items() if name not in found}:
        given.write_text(json.dumps(left), encoding="utf-8")
        target.write_bytes(b"")
        subprocess.run(
            [node, "--input-type=module", "-e", _PROGRAM, "--", *map(str, paths)],
            check=False,
            stderr=subprocess.DEVNULL,
        )
        found |= dict(map(json.loads, target.read_text(encoding="utf-8").splitlines()))
        if ended := next((name for name in left if name not in found), ""):
            found[ended] = None
    return found


def in_the_jail(course: Path, day: str, works: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the reports of the jail over the same course, by the work's name."""
    vars(grading)["EXPLAIN_SECONDS"] = lines.SECONDS = probe.SECONDS = explain.SECONDS = 60.0
    with Launcher() as launcher, open_grader(Course(course).assignment(day), launcher) as grader:
        return {
            name: json.loads(to_json(grader.grade(submission_from(Path("/nowhere", file), text.encode()))))
            for name, (file, text) in works.items()
        }


def differences(page: Any, jail: Any) -> list[str]:
    """Return the checks whose outcome, points or facts differ, with both."""
    if page is None:
        return ["it ends the runtime"]
    found = []
    for one, other in zip(page["checks"], jail["checks"], strict=True):
        found += [
            f"{one['id']}: {field} {one[field]}, in the jail {other[field]}"
            for field in ("outcome", "score")
            if one[field] != other[field]
        ]
        mine, theirs = ([_fact(fact) for fact in check.get("facts", [])] for check in (one, other))
        if mine != theirs:
            found.append(f"{one['id']}: facts {mine}, in the jail {theirs}")
    return found


def _fact(fact: dict[str, Any]) -> tuple[str, str, int | None]:
    if fact["key"].startswith("RecursionError"):
        return fact["kind"], "RecursionError", None
    return fact["kind"], fact["key"], (fact.get("where") or {}).get("line")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--day", action="append")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--named", default="", metavar="TEXT", help="only works with this text in their name")
    parser.add_argument("--pyodide", type=Path, default=ARCHIVES if ARCHIVES.is_dir() else None)
    options = parser.parse_args()
    course = Course(ROOT)
    days = options.day or course.names
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "runtime").mkdir()
        of_runtime = runtime.read_runtime(options.pyodide)
        for name, data in of_runtime.items():
            (folder / "runtime" / name).write_bytes(data)
        libraries = packages.packages(runtime.read_msgspec(options.pyodide))
        if numpy := runtime.read_numpy(runtime.numpy_pin(of_runtime), options.pyodide):
            libraries |= packages.files_of(numpy)
        (folder / "packages").write_bytes(packages.archive(libraries))
        files = {n: d for day in days for n, d in day_files(course.assignment(day), days, []).items()}
        (folder / "course.packed").write_bytes(packages.archive(files))
        for name, data in files.items():
            (folder / "course" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "course" / name).write_bytes(data)
        os.chdir(folder)
        for day in days:
            works = works_of(day, options.every, numpy=bool(numpy))
            chosen = {name: work for name, work in works.items() if options.named in name}
            page, jail = in_a_page(folder, day, chosen), in_the_jail(folder / "course", day, chosen)
            told = {name: differences(page[name], jail[name]) for name in chosen}
            print(f"{day}: {len(chosen)} works, {sum(map(bool, told.values()))} differ")
            for name, rows in told.items():
                for line in rows:
                    print(f"  {name}: {line}")


if __name__ == "__main__":
    main()

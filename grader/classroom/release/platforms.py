"""The files for two platforms that grade one assignment: Classroom 50's bundle, Gradescope's zip.

Classroom 50's bundle is a folder. An instructor puts it into the repository `classroom50` as
`CLASSROOM/autograders/ASSIGNMENT/`. Classroom 50 publishes it, so it never holds anything hidden: every file comes from
`assignments/` and is listed here.

    autograder.py            the script that the runner starts
    requirements.txt         the packages that the script installs: the wheel in vendor/
    constraints.txt          the course's, if it has one
    .github/backgrade.json   the hashes of the files, for the next release
    course/assignments/day2/ the manifest, the visible checks, their records, the data, the untouched notebook

Gradescope's zip also has the folder `course` and the files for pip. It adds

    setup.sh                 the script that installs, once, when Gradescope builds the image
    run_autograder           the script that starts grader/classroom/runners.py for each submission
    course/solutions/day2/   the hidden checks, their records, the salt, the data; not the reference

Students cannot download the zip.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.release import autograder
from grader.classroom.release.contents import (
    day_files,
    fill_text,
    is_leftover,
    read_course_file,
    what_to_install,
    zip_files,
)
from grader.classroom.release.plan import outside
from grader.data import DATA
from grader.errors import Refused
from grader.files import write_bytes
from grader.render.words import points_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment, Course
    from grader.classroom.release.contents import Wheel

MAX_BYTES = 10 << 20  # bytes of all files of a bundle, packed: the runner's limit
SCRIPTS = ("run_autograder", "setup.sh")
WEAK = "--allow-weak-isolation"


def _visible_course(assignment: Assignment, notes: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of assignments/ that grading reads, below `course/`, with the manifests of earlier days.

    Adds notes for the instructor to `notes`. Raises Broken.
    """
    folder = f"assignments/{assignment.name}"
    for name, data in day_files(assignment, [assignment.name], notes).items():
        if name.startswith((f"{folder}/checks/", f"{folder}/{DATA}/", f"{folder}/assignment.yaml")):
            yield f"course/{name}", data
    for each in assignment.lineage[1:]:
        manifest = each.folder / "assignment.yaml"
        yield f"course/{manifest.relative_to(each.course.root).as_posix()}", read_course_file(manifest)


# --- Classroom 50's bundle


def bundle_files(course: Course, days: Sequence[str], wheel: Wheel) -> tuple[dict[str, bytes], list[str]]:
    """Return every file of the bundle of one assignment by its name, and notes. Raises Refused, Broken."""
    (day,), notes = days, list[str]()
    script = Path(autograder.__file__).read_text(encoding="utf-8")
    files = {
        "autograder.py": script.replace(json.dumps(autograder.DAY), json.dumps(day), 1).encode(),
        **what_to_install(course, [day], wheel, {"requirements.txt": ()}),
        **dict(_visible_course(course.assignment(day), notes)),
    }
    if (size := sum(map(len, files.values()))) > MAX_BYTES:
        notes.append(
            f"the bundle has {size >> 20} MiB unpacked, and Classroom 50 takes at most {MAX_BYTES >> 20} MiB packed; if Classroom "
            "50 refuses the bundle, hand out less data"
        )
    return files, notes


# --- Gradescope's zip


def write_zip(
    course: Course, day: str, path: Path, wheel: Wheel, *, allow_weak_isolation: bool = False
) -> list[str]:
    """Write the zip of one assignment, or replace it.

    Returns notes for the instructor. Raises Refused and Broken.
    """
    path, assignment = outside(course, path), course.assignment(day)
    if path.suffix != ".zip":
        raise Refused(f"{path}: Gradescope takes a zip; name one, such as ../{day}-autograder.zip")
    if path.exists() and not _is_our_zip(path):
        raise Refused(f"{path}: this file is not from `grade release`; remove it, or name another one")
    notes = list[str]()
    files = dict(_zip_files(assignment, wheel, notes, " " + WEAK if allow_weak_isolation else ""))
    write_bytes(
        path, zip_files(dict(sorted(files.items())), executable=SCRIPTS), course.root, make_folder=True
    )
    if not assignment.has_hidden:
        where = assignment.checks_folder("hidden").relative_to(course.root).as_posix()
        notes.append(f"no hidden checks are in {where}, so the zip grades only with the visible ones")
    if allow_weak_isolation:
        notes.append(
            f"{WEAK}: where Gradescope's machine lacks Landlock or seccomp, submissions are graded anyway"
        )
    return notes


def next_steps(assignment: Assignment) -> str:
    """Return the steps that bring the zip to Gradescope."""
    most = points_text(assignment.manifest.judged_points)
    return (
        f"Keep the zip private: it has files from solutions/, which students must not read.\n\nNext, in Gradescope: create a Programming "
        f"Assignment of {most} points, upload the zip under `Configure Autograder`, and hand in a notebook with "
        "`Test Autograder`.\n"
    )


def _zip_files(
    assignment: Assignment, wheel: Wheel, notes: list[str], options: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of every file of the zip."""
    for name in SCRIPTS:
        yield name, fill_text(f"gradescope/{name}", day=assignment.name, options=options).encode()
    yield from what_to_install(assignment.course, [assignment.name], wheel, {"requirements.txt": ()}).items()
    yield from _visible_course(assignment, notes)
    yield from _hidden_files(assignment)


def _hidden_files(assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """Yield the files of solutions/ that grading reads: the hidden checks with their records, the salt and the data."""
    data = assignment.data_paths("hidden")
    found = [assignment.solutions / "salt.txt", *assignment.checks_folder("hidden").rglob("*"), *data]
    for path in filter(Path.is_file, found):
        name = path.relative_to(assignment.course.root)
        if path in data or not any(map(is_leftover, name.parts)):
            yield f"course/{name.as_posix()}", read_course_file(path)


def _is_our_zip(path: Path) -> bool:
    """Return True for a file that an earlier release wrote."""
    try:
        with zipfile.ZipFile(path) as opened:
            return b"grade release --gradescope" in opened.read("run_autograder")
    except (OSError, KeyError, zipfile.BadZipFile):
        return False

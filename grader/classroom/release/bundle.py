"""Classroom 50's bundle: `autograder.py`, the visible checks of one assignment, and what to install.

An instructor puts the folder into the repository `classroom50` as `CLASSROOM/autograders/ASSIGNMENT/`, from
where it is published for everybody to read: nothing hidden may ever be in it. So what goes in is named here,
file by file, and comes from `assignments/` alone.

    autograder.py            what the runner starts
    requirements.txt         what it installs: a requirement on Backgrade, or a wheel in vendor/
    constraints.txt          the course's, where it has one
    course/assignments/day2/ the manifest, the visible checks, their records, the untouched notebook
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.release import autograder
from grader.classroom.release.contents import day_files, read_course_file, what_to_install
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment, Course
    from grader.classroom.release.requirement import Pin

MAX_BYTES = 10 << 20  # of all files, packed: what the runner takes
OURS = ("autograder.py", "constraints.txt", "course", "requirements.txt", "vendor")


def write_bundle(course: Course, day: str, folder: Path, pin: Pin) -> tuple[list[Path], list[str]]:
    """Write the bundle of one assignment, or write it anew.

    Gives its files, and what the instructor should know. Raises Refused and Broken.
    """
    folder, assignment = absolute(folder), course.assignment(day)
    notes = [pin.note] if pin.note else []
    _refuse_folder(course, folder)
    contents = dict(_files(assignment, pin, notes))
    if (size := sum(map(len, contents.values()))) > MAX_BYTES:
        notes.append(f"the bundle has {size >> 20} MiB, and the runner takes {MAX_BYTES >> 20}, packed")
    try:
        for old in filter(Path.exists, (folder / "course", folder / "vendor")):
            shutil.rmtree(old)  # a check that is no more must not stay
        for name, data in sorted(contents.items()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise Refused(f"{error.filename}: cannot be written: {error.strerror}") from error
    return [folder / name for name in sorted(contents)], notes


def autograder_text(day: str) -> str:
    """`autograder.py` for that assignment."""
    return _template().replace(json.dumps(autograder.DAY), json.dumps(day), 1)


def _template() -> str:
    return Path(autograder.__file__).read_text(encoding="utf-8")


def _files(assignment: Assignment, pin: Pin, notes: list[str]) -> Iterator[tuple[str, bytes]]:
    """Every file of the bundle, by its name in it."""
    course = assignment.course
    yield "autograder.py", autograder_text(assignment.name).encode()
    yield from what_to_install(course, [assignment.name], pin, {"requirements.txt": ()}).items()
    yield from visible_course(assignment, notes)


def visible_course(assignment: Assignment, notes: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield what grading reads of assignments/, below `course/`: manifest, visible checks, earlier manifests.

    What the instructor should know goes to `notes`. Raises Broken.
    """
    folder = f"assignments/{assignment.name}"
    for name, data in day_files(assignment, [assignment.name], notes).items():
        if name.startswith((f"{folder}/checks/", f"{folder}/assignment.yaml")):  # what grading reads
            yield f"course/{name}", data
    while assignment.earlier is not None:
        assignment = assignment.earlier
        manifest = assignment.folder / "assignment.yaml"
        yield f"course/{manifest.relative_to(assignment.course.root).as_posix()}", read_course_file(manifest)


# --- Where it may be written


def _refuse_folder(course: Course, folder: Path) -> None:
    """Raises Refused for a place in which something would be laid open or lost."""
    here, root = folder.resolve(), course.root.resolve()
    if here.is_relative_to(root) or root.is_relative_to(here):
        raise Refused(f"{folder}: this is the course's own folder; name one outside of {course.root}")
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise Refused(f"{folder}: this is not a folder; name one")
    there = sorted(folder.iterdir())
    foreign = [path.name for path in there if path.name not in OURS or path.is_symlink()]
    if there and not _is_ours(folder / "autograder.py"):
        foreign = [path.name for path in there]
    if foreign:
        told = ", ".join(foreign)
        raise Refused(f"{folder}: it holds something else ({told}); name an empty folder or a bundle")


def _is_ours(path: Path) -> bool:
    """Whether an earlier bundle's `autograder.py` is there, and not somebody's own."""
    try:
        first = path.read_bytes().splitlines()[:1]
    except OSError:
        return False
    return first == _template().encode().splitlines()[:1]

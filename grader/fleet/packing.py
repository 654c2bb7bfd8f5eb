"""Pack the files that grade one assignment, for the workers of a cluster or with another salt."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import SALT, Course, read_salt
from grader.authoring.runner import read_sealed_answers
from grader.errors import Refused
from grader.grading import records, sealed
from grader.grading.run import CheckFile
from grader.grading.suitehash import hash_of_data
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment


def pack_course(assignment: Assignment) -> bytes:
    """Return a zip of the files that grade this assignment.

    These are all manifests, the data, the visible and hidden checks, the salt, and the stubs of earlier assignments that
    this one continues. The reference is packed as an empty file, because a report may name it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(set(_files(assignment))):
            archive.writestr(path.relative_to(assignment.course.root).as_posix(), path.read_bytes())
        if assignment.reference.is_file():
            archive.writestr(assignment.reference.relative_to(assignment.course.root).as_posix(), "")
    return buffer.getvalue()


def _files(assignment: Assignment) -> Iterator[Path]:
    course = assignment.course
    yield from (course.root / "assignments" / name / "assignment.yaml" for name in course.names)
    yield from assignment.data_paths("visible", "hidden")
    earlier = [each.checks_folder("visible") for each in assignment.lineage[1:]]
    for folder in (*assignment.checks_folders.values(), *earlier):
        for where, names, files in os.walk(folder):
            names[:] = [name for name in names if name != "__pycache__"]
            yield from (Path(where, name) for name in files)
    salt = assignment.solutions / SALT
    if salt.is_file():
        yield salt


def unpack_course(packed: bytes, folder: Path) -> Course:
    """Unpack a course into a folder."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(folder)
    return Course(folder)


# --- Another salt


@contextlib.contextmanager
def with_salt(assignment: Assignment, salts: Path) -> Iterator[Assignment]:
    """Yield a copy of the assignment whose hidden checks use the salt and the generated files in `salts/NAME`.

    The copy is in a temporary folder that only this user can read. Raises Refused for a folder that is not from
    `grade stub --salts`, or is from an earlier version of the checks.
    """
    folder, remedy = salts / assignment.name, f"run `grade stub {assignment.name} --salts {salts}`"
    salt = read_salt(folder / SALT)
    if not salt:
        raise Refused(f"{folder / SALT}: no salt; {remedy}")
    if salt == assignment.salt:
        raise Refused(f"{folder / SALT}: this salt is the one that answers pushes; {remedy} --new-salt")
    with tempfile.TemporaryDirectory(prefix="backgrade-") as place:
        copy = unpack_course(pack_course(assignment), Path(place)).assignment(assignment.name)
        _put_salt(copy, folder)
        for path, why in _find_outdated(assignment, copy, salt):
            raise Refused(f"{folder / path.name}: this {why}; {remedy}")
        yield copy


def _put_salt(copy: Assignment, folder: Path) -> None:
    """Replace the files that depend on the salt by those of a folder."""
    hidden = copy.checks_folder("hidden")
    record = make_topic(copy.manifest.topic, {}).record
    for name in filter(None, (records.FILE, sealed.FILE, record)):
        (hidden / name).unlink(missing_ok=True)
        if (folder / name).is_file():
            (hidden / name).write_bytes(_read(folder / name))
    (copy.solutions / SALT).write_bytes(_read(folder / SALT))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}; fix that") from error


def _find_outdated(assignment: Assignment, copy: Assignment, salt: str) -> Iterator[tuple[Path, str]]:
    """Yield the hidden side's files that do not match its checks and the salt, each with the reason."""
    specs, hidden = copy.manifest.checks, copy.checks_folder("hidden")
    files = [
        CheckFile(
            check,
            side,
            path,
            specs[check].orders,
            specs[check].needs,
            specs[check].chart,
            hash_of_data(copy, side),
        )
        for check, side, path in copy.check_files()
        if side == "hidden"
    ]
    yield from records.read_replays(files, {"hidden": salt}, make_topic(copy.manifest.topic, {}).record)[1]
    answers = read_sealed_answers(assignment, salt)["hidden"].answers
    if sealed.read_sealed(hidden / sealed.FILE).answers != answers:
        yield hidden / sealed.FILE, "is out of date"

"""The hash of everything that decides a grade: with an equal hash, equal work has an equal result."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from grader.grading import sealed
from grader.manifest import graded_fields
from grader.submissions.handed_out import has_cells, manual_checks
from grader.topic import HELPERS, make_topic

if TYPE_CHECKING:
    from grader.assignment import Assignment


def hash_of_suite(assignment: Assignment) -> str:
    """Return the hash of checks, helpers, records, salt, data, the manifest without dates, and a stub with manual cells.

    Raises Refused.
    """
    topic = make_topic(assignment.manifest.topic, assignment.checks_folders)
    checks = [path for _, _, path in assignment.check_files()]
    beside = [name for name in (HELPERS, sealed.FILE, topic.record) if name]
    others = [folder / name for name in beside for folder in assignment.checks_folders.values()]
    data = assignment.data_paths("visible", "hidden")
    paths = sorted({*checks, assignment.solutions / "salt.txt", *others, *data})
    digest = hashlib.sha256(graded_fields(assignment.manifest))
    root = os.path.commonpath(paths)
    for path in paths:
        if path.is_file():
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    manual = manual_checks(assignment)
    if (
        manual
        and assignment.pristine.is_file()
        and has_cells(stub := assignment.pristine.read_bytes(), manual)
    ):
        digest.update(b"stub\0" + stub)
    return digest.hexdigest()


def hash_of_data(assignment: Assignment, visibility: str) -> str:
    """Return the hash of the files of data that tests of this visibility read; empty if there are none. Raises Refused."""
    files = sorted(assignment.data[visibility].items())
    parts = (part for name, data in files for part in (name.encode(), data))
    digests = b"".join(hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(digests).hexdigest() if files else ""

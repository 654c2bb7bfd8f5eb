"""The students of a folder, a zip or an export; their work is read when it is graded."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.assignment import COLLECTED
from grader.errors import Refused
from grader.report import quote
from grader.submissions.archive import Archive
from grader.submissions.choice import wanted_by, work_in
from grader.submissions.collected import find_collected_works
from grader.submissions.intake import course_files
from grader.submissions.keys import same_key
from grader.submissions.platforms import claims_of
from grader.submissions.submission import SUFFIXES
from grader.submissions.tree import Folder
from grader.submissions.work import FoundStudent, Work, in_utc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.submissions.choice import FileNames
    from grader.submissions.platforms import Claim
    from grader.submissions.tree import Tree


def find_works(assignment: Assignment, source: Path) -> list[FoundStudent]:
    """Return the students of a folder, a platform's zip or a folder of `grade collect`, sorted by key.

    Reads none of their files yet. Raises Refused.
    """
    try:
        collected = (source / COLLECTED).is_dir()
    except OSError as error:
        raise Refused(
            f"{source}: cannot be used: {error.strerror}; correct the name or the permissions"
        ) from error
    if collected:
        return find_collected_works(assignment, source)
    wanted = wanted_by(assignment)
    claims = claims_of(str(source), _tree(assignment, source), wanted)
    if not claims:
        raise Refused(
            f"{source}: no student's work was found here; give the export of Canvas, Moodle or Gradescope, or a folder or zip that "
            "has a folder for each student or a notebook named after each"
        )
    _refuse_twice(source, claims)
    claims.sort(key=lambda claim: claim.student)
    return [FoundStudent(claim.student, functools.partial(_work, wanted, claim)) for claim in claims]


def _tree(assignment: Assignment, source: Path) -> Tree:
    """Return the source as a tree. Raises Refused for anything but a folder and a zip."""
    if source.is_dir():
        _refuse_course(assignment, source)
        return Folder(source, functools.cache(lambda: _inodes(assignment)))
    if not source.exists():
        raise Refused(f"{source}: there is no such folder or archive; correct the name")
    if not source.is_file():
        raise Refused(f"{source}: this is neither a folder nor a zip; give the one with the work of a class")
    if source.suffix in SUFFIXES:
        raise Refused(
            f"{source}: this is the file of one student; grade it with `grade {assignment.name} FILE`, or give the folder "
            "that contains it"
        )
    return Archive(source)


def _refuse_course(assignment: Assignment, source: Path) -> None:
    """Raise Refused for a folder that contains the course, which would count as a student with the reference."""
    top, root = source.resolve(), assignment.course.root.resolve()
    if root != top and root.is_relative_to(top):
        raise Refused(
            f"{source}: this folder contains the course itself, in `{root.relative_to(top).parts[0]}`; give a folder that "
            "holds only the students' work"
        )


def _inodes(assignment: Assignment) -> frozenset[tuple[int, int]]:
    """Return device and inode of the files of the assignment and of those that it continues."""
    earlier = _inodes(assignment.earlier) if assignment.earlier else frozenset()
    return earlier | course_files(assignment).keys()


def _refuse_twice(source: Path, claims: Sequence[Claim]) -> None:
    """Raise Refused for two students with one key, or with keys that cannot be two names in one folder."""
    seen: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda claim: claim.origin):
        first = seen.setdefault(same_key(claim.student), claim)
        if first is not claim:
            both = f"{quote(first.origin)} and {quote(claim.origin)}"
            raise Refused(
                f"{source}: {both} both belong to the student {quote(claim.student)}; keep one of them, or "
                "rename one"
            )


def _work(wanted: FileNames, claim: Claim) -> Work:
    """Read the work of one student. Raises Refused."""
    if claim.nothing is not None:
        work = Work(name=wanted.stub, data=None, state=claim.nothing)
    else:
        work = work_in(wanted, claim.tree, claim.file)
    return replace(
        work,
        student=claim.student,
        submitted=in_utc(claim.submitted),
        verified=claim.submitted is not None,
        notes=(*claim.notes, *work.notes),
    )

"""The conditions for a file that is to be graded: its owner, its assignment, and the earlier work that it continues."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.errors import Refused
from grader.files import absolute, find_repository
from grader.report import sanitize, weakness
from grader.sandbox.packages import PACKAGES, is_installed, third_party, top_of
from grader.submissions.states import Unreadable
from grader.submissions.submission import (
    MAX_NAME,
    SUFFIXES,
    Block,
    Submission,
    SubmissionError,
    read_submission,
    submission_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.sandbox import Launcher
    from grader.submissions.work import Work


def accept(
    assignment: Assignment, path: Path, launcher: Launcher, *, allow_weak_isolation: bool = False
) -> Submission:
    """Read one file and verify that it may be graded here. Raises SubmissionError, Refused, SandboxUnavailable."""
    submission = read_submission(path)
    refuse_other_notebook(assignment, submission)
    own = assignment.course.owns(path)
    if not own:
        _refuse_course_files(assignment, submission)
        refuse_weak_isolation(
            launcher,
            f"{path}: this file is not in the course folder, so it counts as someone else's work",
            allowed=allow_weak_isolation,
        )
    return in_course(assignment, submission, own=own)


def accept_work(assignment: Assignment, work: Work) -> Submission:
    """Return the submission of a student of a class, with the earlier work that it continues. Raises SubmissionError."""
    submission = submission_from(Path(work.name), work.data or b"", modified=work.submitted)
    refuse_other_notebook(assignment, submission)
    earlier, notes = blocks_of_earlier(work.earlier)
    return replace(submission, earlier=tuple(earlier), notes=tuple(notes))


def in_course(assignment: Assignment, submission: Submission, *, own: bool) -> Submission:
    """Return the submission with its path in the report and the earlier work next to it.

    `own` is True for the user's own work in the course folder.
    """
    path = shown_path(assignment, submission.path, own=own)
    info = replace(submission.info, path=path, argument=assignment.argument(submission.path))
    earlier, notes = continued_blocks(assignment, submission)
    return replace(submission, info=info, earlier=tuple(earlier), notes=tuple(notes))


def shown_path(assignment: Assignment, path: Path, *, own: bool) -> str:
    """Return a path for the report: relative to the course if the file is the user's own work in it."""
    path = absolute(path)
    return (path.resolve().relative_to(assignment.course.root.resolve()) if own else path).as_posix()


def refuse_weak_isolation(launcher: Launcher, what: str, *, allowed: bool) -> None:
    """Raise Refused if the jail is not complete here and that is not `allowed`; `what` names the work."""
    weak = weakness(launcher.in_force)
    if weak and not allowed:
        why = "; ".join(f"{measure}: {launcher.missing[measure]}" for measure in weak)
        raise Refused(
            f"{what}, and the jail is not complete here ({why}); `grade doctor` has the details. "
            "Grade it on Linux or in a dev container, or add --allow-weak-isolation"
        )


def missing_imports(assignment: Assignment) -> str:
    """Return a message about allowed modules that are not installed; "" if none is missing."""
    manifest = assignment.folder / "assignment.yaml"
    missing = [name for name in third_party(assignment.manifest.imports) if not is_installed(name)]
    if not missing:
        return ""
    packages = dict.fromkeys(PACKAGES.get(top, top) for top in map(top_of, missing))
    return (
        f"{manifest}: `imports` allows modules that are not installed here: {', '.join(missing)}; install them beside "
        f"`grade` with `{sys.executable} -m pip install {' '.join(packages)}`"
    )


def refuse_missing_imports(assignment: Assignment) -> None:
    """Raise Refused if an allowed module is missing here: students who import it would lose points."""
    if missing := missing_imports(assignment):
        raise Refused(missing)


def refuse_other_notebook(assignment: Assignment, submission: Submission) -> None:
    """Raise SubmissionError for the notebook of another assignment, and for one without code."""
    path, course = submission.path, assignment.course
    other = submission.assignment
    if other is None:
        stems = {course.assignment(n).stub.stem: n for n in course.names if n != assignment.name}
        other = stems.get(path.stem)
    if other is not None and other != assignment.name:
        import shlex  # late: only this text needs it

        # The command may be copied into a shell, so it contains only a name from the course.
        remedy = f"try `grade {other} {shlex.quote(str(path))}`" if other in course.names else ""
        name = sanitize(other, MAX_NAME)
        raise SubmissionError(f"{path}: this is the notebook of {name}, not of {assignment.name}", remedy)
    if not submission.blocks:
        raise SubmissionError(f"{path}: there is no code in it", "is this the file that you worked in?")


def with_unreadable(assignment: Assignment, work: Work) -> Work:
    """Return the work with the state `Unreadable` if its file may not be graded."""
    if work.data is None or not work.worked:
        return work
    try:
        refuse_other_notebook(assignment, submission_from(Path(work.name), work.data))
    except SubmissionError as error:
        fault = error.fault.removeprefix(f"{work.name}: ")
        return replace(work, state=Unreadable(fault, error.remedy))
    return work


def _refuse_course_files(assignment: Assignment, submission: Submission) -> None:
    """Raise SubmissionError for a hard link to a file of the course; `submission` is not the user's own work."""
    if submission.inode and (ours := course_files(assignment).get(submission.inode)) is not None:
        raise SubmissionError(
            f"{submission.path}: this is a hard link to {ours}, a file of the course",
            "replace it with a file of your own",
        )


def course_files(assignment: Assignment) -> dict[tuple[int, int], Path]:
    """Return the assignment's files, with its solutions, by device and inode."""
    found = (path for folder in (assignment.folder, assignment.solutions) for path in folder.rglob("*"))
    statuses = ((path.lstat(), path) for path in found)
    return {(status.st_dev, status.st_ino): path for status, path in statuses}


def continued_blocks(assignment: Assignment, submission: Submission) -> tuple[list[Block], list[str]]:
    """Return the blocks of the student's earlier submissions that this one continues, oldest first.

    Also returns notes about a fault of an earlier submission; this one is graded anyway.
    """
    return _blocks_of(_read_continued(assignment, submission.path))


def blocks_of_earlier(earlier: Iterable[tuple[str, bytes]]) -> tuple[list[Block], list[str]]:
    """Return the same as `continued_blocks` for files given as names and bytes, the nearest first."""
    return _blocks_of(submission_from(Path(name), data) for name, data in earlier)


def _blocks_of(nearest_first: Iterable[Submission]) -> tuple[list[Block], list[str]]:
    """Return the blocks of these submissions, the last one's first, up to the first that cannot be read."""
    blocks: list[Block] = []
    try:
        for submission in nearest_first:
            blocks = [*submission.blocks, *blocks]
    except SubmissionError as error:
        return blocks, [str(error)]
    return blocks, []


def given_blocks(assignment: Assignment | None) -> Sequence[Block]:
    """Return the stub's code and the code of the stubs that this assignment continues, oldest first."""
    if assignment is None:
        return ()
    try:
        stub = read_submission(assignment.pristine).blocks
    except SubmissionError:  # the author is still writing the assignment
        stub = ()
    return [*given_blocks(assignment.earlier), *stub]


def continued_files(assignment: Assignment, path: Path) -> list[Path]:
    """Return the paths of the student's earlier submissions that the one at `path` continues, the nearest first."""
    return [before for _, before in _find_continued(assignment, path)]


def _read_continued(assignment: Assignment, path: Path) -> Iterator[Submission]:
    for earlier, before in _find_continued(assignment, path):
        submission = read_submission(before)
        if submission.inode and not assignment.course.owns(before):
            _refuse_course_files(earlier, submission)
        yield submission


def _find_continued(assignment: Assignment, path: Path) -> Iterator[tuple[Assignment, Path]]:
    earlier = assignment.earlier
    if earlier and (before := _beside(path, assignment, earlier)):
        yield earlier, before
        yield from _find_continued(earlier, before)


def _beside(path: Path, assignment: Assignment, earlier: Assignment) -> Path | None:
    """Return the path of the earlier submission: in the same folder, or in `day2` next to a folder `day3`.

    It is never outside the repository, where `day2` may belong to another student.
    """
    suffixes = [path.suffix, *(set(SUFFIXES) - {path.suffix})]
    folders, here = [path.parent], absolute(path).parent
    if here.name == assignment.name and here != find_repository(path):
        folders.append(here.parent / earlier.name)
    found = (folder / (earlier.stub.stem + suffix) for folder in folders for suffix in suffixes)
    return next((candidate for candidate in found if os.path.lexists(candidate)), None)

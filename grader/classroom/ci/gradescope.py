"""Gradescope's autograder: the zip that an instructor uploads, and what it runs for each submission.

    setup.sh                 installs, once, when Gradescope builds the image
    run_autograder           starts this module for each submission
    requirements.txt         what is installed: a requirement on Backgrade, or a wheel in vendor/
    constraints.txt          the course's, where it has one
    course/assignments/day2/ the manifest, the visible checks, their records, the untouched notebook
    course/solutions/day2/   the hidden checks, their records, the salt; not the reference

Gradescope unpacks it into /autograder/source, copies run_autograder to /autograder, lays a submission into
/autograder/submission and reads /autograder/results/results.json (its "Autograder Specifications"). Students
cannot download the zip. What they hand in runs in the jail alone.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.classroom.release.bundle import visible_course
from grader.classroom.release.contents import TEMPLATE, is_leftover, read_course_file, what_to_install
from grader.classroom.release.wheel import zipped
from grader.console import FULL, UNGRADABLE, say
from grader.errors import Broken, Refused
from grader.files import absolute, write_bytes, write_text
from grader.grading.grader import grade_bytes, open_grader
from grader.render import FORMATS, one_line
from grader.render.words import points, score_words
from grader.sandbox import Launcher
from grader.submissions.choice import wanted_by, work_in
from grader.submissions.folder import Folder
from grader.submissions.intake import refuse_missing_imports, refuse_weak_isolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment
    from grader.classroom.release.requirement import Pin
    from grader.report import Report
    from grader.submissions import Work

SCRIPTS = ("run_autograder", "setup.sh")
_WEAK = "--allow-weak-isolation"


# --- The zip


def write_autograder(
    course: Course, day: str, path: Path, pin: Pin, *, allow_weak_isolation: bool = False
) -> list[str]:
    """Write the zip, or write it anew; gives what the instructor should know. Raises Refused and Broken."""
    path, assignment = absolute(path), course.assignment(day)
    _refuse_path(course, day, path)
    notes = [pin.note] if pin.note else []
    files = dict(_files(assignment, pin, notes, " " + _WEAK if allow_weak_isolation else ""))
    write_bytes(path, zipped(dict(sorted(files.items())), executable=SCRIPTS), course.root, make_folder=True)
    if not assignment.has_hidden:
        where = assignment.side("hidden").relative_to(course.root).as_posix()
        notes.append(f"no hidden checks are in {where}, so the zip grades by the visible ones alone")
    if allow_weak_isolation:
        notes.append(
            f"{_WEAK}: where Gradescope's machine lacks Landlock or seccomp, submissions are graded all the same"
        )
    return notes


def next_steps(assignment: Assignment) -> str:
    """Return the steps that bring the zip to Gradescope."""
    most = points(sum(spec.points for spec in assignment.manifest.checks.values()))
    return (
        f"It holds the hidden checks: keep it private.\n\nNext, in Gradescope: a Programming Assignment of {most} "
        "points; Configure Autograder, upload the zip, and hand in a notebook by `Test Autograder`.\n"
    )


def _files(assignment: Assignment, pin: Pin, notes: list[str], options: str) -> Iterator[tuple[str, bytes]]:
    """Every file of the zip, by its name in it."""
    words = {"{day}": assignment.name, "{options}": options}
    for name in SCRIPTS:
        text = (TEMPLATE / "gradescope" / name).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        yield name, text.encode()
    yield from what_to_install(assignment.course, [assignment.name], pin, {"requirements.txt": ()}).items()
    yield from visible_course(assignment, notes)
    yield from _hidden(assignment)


def _hidden(assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """Yield the files of solutions/ that grading reads: the hidden checks with their records, and the salt."""
    found = [assignment.solutions / "salt.txt", *assignment.side("hidden").rglob("*")]
    for path in filter(Path.is_file, found):
        place = path.relative_to(assignment.course.root)
        if not any(map(is_leftover, place.parts)):
            yield f"course/{place.as_posix()}", read_course_file(path)


def _refuse_path(course: Course, day: str, path: Path) -> None:
    """Raises Refused for a place in which the hidden checks would be laid open or a file lost."""
    if path.suffix != ".zip":
        raise Refused(f"{path}: Gradescope takes a zip; name one, such as ../{day}-autograder.zip")
    if path.resolve().is_relative_to(course.root.resolve()):
        raise Refused(
            f"{path}: this is in the course folder, and the zip holds hidden checks; name a place outside of "
            f"{course.root}"
        )
    if path.exists() and not _is_ours(path):
        raise Refused(f"{path}: this is another file; remove it, or name another one")


def _is_ours(path: Path) -> bool:
    """True for a file that an earlier release wrote."""
    try:
        with zipfile.ZipFile(path) as opened:
            return b"grade release --gradescope" in opened.read("run_autograder")
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


# --- In Gradescope


def main(course: Path, day: str, submission: Path, results: Path, *, allow_weak_isolation: bool) -> int:
    """Grade what lies in the folder `submission` into the file `results`; gives the exit code.

    Where it is the grader's own fault, nothing that could be taken for a grade is written.
    """
    try:
        assignment = Course(course).assignment(day)
        refuse_missing_imports(assignment)
        work = work_in(wanted_by(assignment), Folder(submission))
        report = _report(assignment, work, allow_weak_isolation=allow_weak_isolation)
        write_text(results, FORMATS["gradescope"](report), results.parent, make_folder=True)
    except (Refused, Broken) as error:
        say(one_line(f"grade: {error}"), err=True)
        return UNGRADABLE
    for note in work.notes:
        say(one_line(f"note: {note}"))
    say(one_line(f"{day}: {score_words(report)}" if report.score is not None else f"{day}: not graded"))
    return FULL if report.score is not None else UNGRADABLE


def _report(assignment: Assignment, work: Work, *, allow_weak_isolation: bool) -> Report:
    with Launcher() as launcher:
        if not allow_weak_isolation:
            refuse_weak_isolation(launcher, f"{assignment.name}: a submission is somebody else's work")
        with open_grader(assignment, launcher) as grader:
            return grade_bytes(grader, work.name, work.data, work.trouble, work.earlier)


if __name__ == "__main__":
    _course, _day, _submission, _results, *_options = sys.argv[1:]
    sys.exit(
        main(Path(_course), _day, Path(_submission), Path(_results), allow_weak_isolation=_WEAK in _options)
    )

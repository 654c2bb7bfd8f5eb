"""Grading in Gradescope's container: one submission, into the file that Gradescope reads.

    python -I -m grader.classroom.gradescope COURSE DAY SUBMISSION RESULTS [--allow-weak-isolation]

`run_autograder` of the zip (release/platforms.py) starts it, so the module keeps this name: an earlier zip may
install a newer Backgrade. Gradescope unpacks the zip into /autograder/source, copies run_autograder to
/autograder, lays a submission into /autograder/submission and reads /autograder/results/results.json (its
"Autograder Specifications"). The submission runs in the jail alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.assignment import Course
from grader.console import FULL, UNGRADABLE, say
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.grading.grader import grade_work, open_grader
from grader.render import FORMATS
from grader.render.words import score_words
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.choice import wanted_by, work_in
from grader.submissions.intake import refuse_missing_imports, refuse_weak_isolation
from grader.submissions.tree import Folder

if TYPE_CHECKING:
    from grader.assignment import Assignment
    from grader.report import Report
    from grader.submissions.work import Work

_WEAK = "--allow-weak-isolation"


def main(course: Path, day: str, submission: Path, results: Path, *, allow_weak_isolation: bool) -> int:
    """Grade the folder `submission` into the file `results`; returns the exit code.

    A fault of the grader writes nothing that could be taken for a grade.
    """
    try:
        assignment = Course(course).assignment(day)
        refuse_missing_imports(assignment)
        work = work_in(wanted_by(assignment), Folder(submission))
        report = _report(assignment, work, allow_weak_isolation=allow_weak_isolation)
        write_text(results, FORMATS["gradescope"](report), results.parent, make_folder=True)
    except (Refused, Broken) as error:
        say(f"grade: {error}", err=True)
        return UNGRADABLE
    for note in work.notes:
        say(f"note: {note}")
    say(f"{day}: {score_words(report)}" if report.score is not None else f"{day}: not graded")
    return FULL if report.score is not None else UNGRADABLE


def _report(assignment: Assignment, work: Work, *, allow_weak_isolation: bool) -> Report:
    with Launcher() as launcher:
        if not allow_weak_isolation:
            refuse_weak_isolation(launcher, f"{assignment.name}: a submission is somebody else's work")
        with open_grader(assignment, launcher) as grader:
            report = grade_work(grader, work)
    # Manual checks have no points here, also without work: a person gives them in Gradescope.
    specs = assignment.manifest.checks
    checks = [
        replace(check, outcome=Outcome.MANUAL) if specs[check.id].manual else check for check in report.checks
    ]
    return replace(report, checks=checks)


if __name__ == "__main__":
    _course, _day, _submission, _results, *_options = sys.argv[1:]
    sys.exit(
        main(Path(_course), _day, Path(_submission), Path(_results), allow_weak_isolation=_WEAK in _options)
    )

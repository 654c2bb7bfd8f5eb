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

from msgspec.structs import replace

from grader.assignment import Course
from grader.classroom.classroom50 import grade_folder
from grader.console import FULL, UNGRADABLE, say
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.render import FORMATS
from grader.render.words import score_words
from grader.report import Outcome
from grader.submissions.intake import refuse_missing_imports

_WEAK = "--allow-weak-isolation"


def main(course: Path, day: str, submission: Path, results: Path, *, allow_weak_isolation: bool) -> int:
    """Grade the folder `submission` into the file `results`; returns the exit code.

    A fault of the grader writes nothing that could be taken for a grade.
    """
    try:
        assignment = Course(course).assignment(day)
        refuse_missing_imports(assignment)
        report, work = grade_folder(assignment, submission, allow_weak_isolation=allow_weak_isolation)
        # Manual checks have no points here, also without work: a person gives them in Gradescope.
        specs = assignment.manifest.checks
        checks = [
            replace(check, outcome=Outcome.MANUAL) if specs[check.id].manual else check
            for check in report.checks
        ]
        report = replace(report, checks=checks)
        write_text(results, FORMATS["gradescope"](report), results.parent, make_folder=True)
    except (Refused, Broken) as error:
        say(f"grade: {error}", err=True)
        return UNGRADABLE
    for note in work.notes:
        say(f"note: {note}")
    say(f"{day}: {score_words(report)}" if report.score is not None else f"{day}: not graded")
    return FULL if report.score is not None else UNGRADABLE


if __name__ == "__main__":
    _course, _day, _submission, _results, *_options = sys.argv[1:]
    sys.exit(
        main(Path(_course), _day, Path(_submission), Path(_results), allow_weak_isolation=_WEAK in _options)
    )

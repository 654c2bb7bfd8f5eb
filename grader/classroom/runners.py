"""Grading for two platforms: read the folder that a platform's runner gives, write the files that it expects.

    python -I -m grader.classroom.runners classroom50 COURSE DAY CHECKOUT
    python -I -m grader.classroom.runners gradescope COURSE DAY SUBMISSION RESULTS [--allow-weak-isolation]

The exit code is 0 for every grading and 3 for a fault of the grader, which writes nothing that could be mistaken for a
grade. The submission runs only in the jail. The bundle and the zip (release/platforms.py) include the Backgrade that they
start.

`autograder.py` of the bundle starts the first. The contract is that of Classroom 50's `runner.py`: `result.json`
(`classroom50/result/v1`) and `release-body.md` in the checkout, `status` and `summary` as lines of
`$GITHUB_OUTPUT`. The runner adds owner, type and time of the submission itself, and refuses a result with
integers or names that do not fit. After exit code 3 it sets the status `error` and publishes nothing.

`run_autograder` of the zip starts the second. Gradescope unpacks the zip into /autograder/source, copies run_autograder to
/autograder, lays a submission into /autograder/submission and reads /autograder/results/results.json (its
"Autograder Specifications").
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.assignment import Assignment, Course
from grader.classroom.ci import append, match_nothing
from grader.console import FULL, UNGRADABLE, say, show
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.grading.grader import grade_work, open_grader
from grader.render import FORMATS, escape_line
from grader.render.words import score_words
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.choice import wanted_by, work_in
from grader.submissions.intake import refuse_missing_imports, refuse_weak_isolation
from grader.submissions.tree import Folder
from grader.submissions.work import in_utc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.report import Report
    from grader.submissions.work import Work

MAX_BODY = 100_000  # bytes; GitHub takes 125,000 characters for the text of a release
MAX_SUMMARY = 140  # characters; GitHub refuses a commit status with a longer description
WIDTH = 100  # columns of the job's log
WEAK = "--allow-weak-isolation"


def main(platform: str, course: str, day: str, folder: str, *more: str, run: Mapping[str, str]) -> int:
    """Grade and write; returns the exit code. `run` has the runner's variables, `more` the rest of the command line."""
    try:
        assignment = Course(Path(course)).assignment(day)
        if platform == "gradescope":
            report = _grade_for_gradescope(
                assignment, Path(folder), Path(more[0]), allow_weak_isolation=WEAK in more
            )
        else:
            report = _grade_for_classroom50(assignment, Path(folder), run)
    except (Refused, Broken) as error:
        say(f"grade: {error}", err=True)
        return UNGRADABLE
    return FULL if report.score is not None else UNGRADABLE


def _grade_folder(
    assignment: Assignment, folder: Path, *, submitted: str = "", allow_weak_isolation: bool = False
) -> tuple[Report, Work]:
    """Grade the work in a platform's folder; return its report, and the work.

    grader.submissions.choice finds the work. `submitted` is its time, which git does not keep for files. Raises Refused
    and Broken for faults that are not the student's.
    """
    work = replace(work_in(wanted_by(assignment), Folder(folder)), submitted=submitted)
    with Launcher() as launcher:
        refuse_weak_isolation(
            launcher,
            f"{assignment.name}: a submission is somebody else's work",
            allowed=allow_weak_isolation,
        )
        with open_grader(assignment, launcher) as grader:
            return grade_work(grader, work), work


# --- Classroom 50


def _grade_for_classroom50(assignment: Assignment, checkout: Path, run: Mapping[str, str]) -> Report:
    """Grade a checkout, print the report and write the runner's files; missing or unreadable work has 0 points."""
    if run.get("GITHUB_ACTIONS") == "true":
        match_nothing()
    report, _ = _grade_folder(assignment, checkout, submitted=in_utc(dt.datetime.now(dt.UTC)))
    if report.unread:
        say(f"grade: {report.submission.path}: {report.unread}")
    else:
        show(FORMATS["terminal"](report, width=WIDTH))
    if report.score is not None:
        write_result(report, checkout, run)
    return report


def write_result(report: Report, checkout: Path, run: Mapping[str, str]) -> None:
    """Write result, page and outputs, never through a link in the checkout. Raises Refused."""
    write_text(checkout / "result.json", FORMATS["classroom50"](report, run=run), checkout)
    write_text(checkout / "release-body.md", FORMATS["markdown"](report, limit=MAX_BODY), checkout)
    # The runner takes both from result.json.
    if trouble := append(run.get("GITHUB_OUTPUT"), outputs_of(report)):
        say(f"note: only result.json has the status and the summary, because {trouble}")


def outputs_of(report: Report) -> str:
    """Return the lines `status` and `summary` for the runner; they hold no text by the student."""
    status = "success" if report.outcome is Outcome.PASSED else "failure"
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    summary = (
        f"{report.assignment.id}: {score_words(report)}, "
        f"{passed} of {len(report.checks)} visible checks passed"
    )
    return f"status={status}\nsummary={escape_line(summary)[:MAX_SUMMARY]}\n"


# --- Gradescope


def _grade_for_gradescope(
    assignment: Assignment, submission: Path, results: Path, *, allow_weak_isolation: bool
) -> Report:
    """Grade the folder `submission` into the file `results`."""
    refuse_missing_imports(assignment)
    report, work = _grade_folder(assignment, submission, allow_weak_isolation=allow_weak_isolation)
    # A person gives the points of manual checks in Gradescope, even if there is no work.
    specs = assignment.manifest.checks
    checks = [
        replace(check, outcome=Outcome.MANUAL) if specs[check.id].manual else check for check in report.checks
    ]
    report = replace(report, checks=checks)
    is_final = bool(report.hidden_checks) and assignment.manifest.hidden.answer == "final"
    silent = is_final and report.score is not None and not report.unread
    write_text(results, FORMATS["gradescope"](report, silent=silent), results.parent, make_folder=True)
    for note in work.notes:
        say(f"note: {note}")
    say(f"{assignment.name}: {score_words(report) if report.score is not None else 'not graded'}")
    return report


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:], run=os.environ))

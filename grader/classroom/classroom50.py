"""Grading in Classroom 50's runner: one checkout, with the bundle's checks, into the files that the runner reads.

    python -I -m grader.classroom.classroom50 COURSE DAY CHECKOUT

`autograder.py` of the bundle (release/platforms.py) starts it, so the module keeps this name: an earlier bundle
may install a newer Backgrade. The contract is that of Classroom 50's `runner.py`: `result.json`
(`classroom50/result/v1`) and `release-body.md` in the checkout, `status` and `summary` as lines of
`$GITHUB_OUTPUT`. The runner adds owner, type and time of the submission itself, and refuses a result with
integers or names that do not fit.

The exit code is 0 for every grading and 3 for a fault of the grader: then the runner sets the status `error`
and publishes nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Assignment, Course
from grader.classroom.ci.actions import append, match_nothing
from grader.console import FULL, UNGRADABLE, say, show
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.grading.grader import display_path, grade, open_grader
from grader.render import FORMATS, escape_line
from grader.render.words import score_words
from grader.report import Outcome, with_texts
from grader.sandbox import Launcher
from grader.submissions.handed_out import handed_out, is_untouched, judges_text
from grader.submissions.submission import SUFFIXES, SubmissionError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.report import Report

MAX_BODY = 100_000  # bytes; GitHub takes 125,000 characters for the text of a release
MAX_SUMMARY = 140  # characters; GitHub refuses a commit status with a longer description
WIDTH = 100  # columns of the job's log


def main(course: Path, day: str, checkout: Path, run: Mapping[str, str]) -> int:
    """Grade and write; returns the exit code. `run` has the runner's variables."""
    if run.get("GITHUB_ACTIONS") == "true":
        match_nothing()
    try:
        assignment = Course(course).assignment(day)
        with Launcher() as launcher:
            report = grade_checkout(assignment, checkout, launcher)
        if report.score is None:
            return UNGRADABLE
        write_result(report, checkout, run)
    except (Refused, Broken) as error:
        say(f"grade: {error}", err=True)
        return UNGRADABLE
    return FULL


def grade_checkout(assignment: Assignment, checkout: Path, launcher: Launcher) -> Report:
    """Grade the student's file and print the report; a missing or unreadable file has 0 points.

    The report has paths in the repository. Raises Refused and Broken for faults that are not the student's.
    """

    def in_repository(text: str) -> str:
        return text.replace(f"{checkout}{os.sep}", "").replace(f"{checkout.as_posix()}/", "")

    path, why = usual_path(assignment, checkout), ""
    try:
        path = find_submission(assignment, checkout)
        report = grade(assignment, path, launcher)
    except SubmissionError as error:
        why = in_repository(str(error))
        name = display_path(path, assignment)
        with open_grader(assignment, launcher) as grader:
            report = grader.grade_nothing(name, why)
    relative: Report = with_texts(report, in_repository)
    if why:
        say(f"grade: {why}")
    else:
        show(FORMATS["terminal"](relative, width=WIDTH))
    return relative


def usual_path(assignment: Assignment, checkout: Path) -> Path:
    """Return the path of the notebook in a template."""
    return checkout / "assignments" / assignment.name / assignment.manifest.submission


def find_submission(assignment: Assignment, checkout: Path) -> Path:
    """Find the file that the student edited, in its folder or at the top of the checkout, `.ipynb` or `.py`.

    An untouched stub beside it does not count. Raises SubmissionError for no file and for several.
    """
    usual = usual_path(assignment, checkout)
    paths = [folder / usual.with_suffix(s).name for folder in (usual.parent, checkout) for s in SUFFIXES]
    found = [path for path in paths if os.path.lexists(path)]
    known, text = handed_out(assignment), judges_text(assignment)
    worked_in = [path for path in found if not _is_untouched(path, known, text=text)] or found[:1]
    if not worked_in:
        raise SubmissionError(f"{usual}: there is no such file; put your notebook there, commit and push")
    if len(worked_in) > 1:
        names = " and ".join(map(str, worked_in))
        raise SubmissionError(f"{names}: only one of them can be graded; keep the one that you worked in")
    return worked_in[0]


def _is_untouched(path: Path, known: frozenset[str], *, text: bool) -> bool:
    try:
        return is_untouched(path.name, read_bytes(path)[0], known, text=text)
    except SubmissionError:
        return False


# --- The runner's files


def write_result(report: Report, checkout: Path, run: Mapping[str, str]) -> None:
    """Write result, page and outputs, never through a link in the checkout. Raises Refused."""
    write_text(checkout / "result.json", FORMATS["classroom50"](report, run=run), checkout)
    write_text(checkout / "release-body.md", FORMATS["markdown"](report, limit=MAX_BODY), checkout)
    # The runner takes both from result.json.
    if trouble := append(run.get("GITHUB_OUTPUT"), outputs_of(report)):
        say(f"left out: status and summary: {trouble}")


def outputs_of(report: Report) -> str:
    """Return the lines `status` and `summary` for the runner; they hold no text of the student's."""
    status = "success" if report.outcome is Outcome.PASSED else "failure"
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    summary = (
        f"{report.assignment.id}: {score_words(report)}, "
        f"{passed} of {len(report.checks)} visible checks passed"
    )
    return f"status={status}\nsummary={escape_line(summary)[:MAX_SUMMARY]}\n"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), os.environ))

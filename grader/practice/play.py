"""`grade play`: writes a page with the lesson's graphs and the student's own, and opens it in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from grader.console import say
from grader.errors import Refused
from grader.files import absolute, write_beside_cache, write_text
from grader.grading.grader import grade
from grader.practice.progress import keep_report
from grader.render.player import check_traces, play_page
from grader.render.words import no_score_words, passed_words, score_words
from grader.report import Outcome
from grader.sandbox import take_launcher

if TYPE_CHECKING:
    from grader.assignment import Assignment, Course
    from grader.report import CheckResult, Report

# A fixed place in the course: browsers from a snap cannot open hidden folders or /tmp, and Firefox stores the progress
# of a page by path.
NAME = "play.html"


def grade_for_page(assignment: Assignment) -> Report:
    """Grade the notebook with traces, keep the report, and print its points. Raises as `grade` does."""
    with take_launcher() as launcher:
        report = grade(assignment, assignment.stub, launcher, traces=True)
    if trouble := keep_report(assignment, assignment.stub, report):
        say(f"grade: {trouble}", err=True)
    points = (
        f"{score_words(report)}, {passed_words(report)}"
        if report.score is not None
        else no_score_words(report)
    )
    say(f"{assignment.name}: {points}")
    names = ", ".join(check.id for check in _failed_with_graph(report))
    say(
        f"The page shows your graphs of the failed checks: {names}."
        if names
        else "No failed check has a graph; the page shows the lesson's graphs."
    )
    return report


def _failed_with_graph(report: Report | None) -> list[CheckResult]:
    """Return the failed checks that have a trace."""
    checks = report.checks if report else []
    return [check for check in checks if check.trace and check.outcome is Outcome.FAILED]


def write_page(
    course: Course | None, report: Report | None, output: Path | None, *, arrays: bool = False
) -> Path:
    """Write the page, with the graphs of a report if given; return its path. Raises Refused.

    Without `output` it goes into the course's folder feedback/, or into the user's cache outside a course.
    """
    page = play_page(check_traces(_failed_with_graph(report)), arrays=arrays)
    try:
        if not course and not output:
            return write_beside_cache("play", NAME, page.encode())
        root = course.root if course else Path.cwd()
        path = output or root / "feedback" / NAME
        write_text(path, page, root, make_folder=not output)
    except OSError as error:
        raise Refused(
            f"the page cannot be written to your cache: {error.strerror or error}; {_REMEDY}"
        ) from error
    except Refused as error:
        raise Refused(f"{error}; {_REMEDY}") from error
    return absolute(path)


_REMEDY = "name another file with --output"


def open_page(path: Path) -> None:
    """Open the page in the user's browser and print its path; without a display, print what to do instead."""
    # Without a display only a text browser could open the page, and it runs no scripts.
    has_display = sys.platform in {"darwin", "win32"} or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))
    )
    if any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY")):
        say(
            f"{path}: this terminal is on another machine; copy the file to your own machine and open it in a browser."
        )
    elif has_display and _open_page(path):
        say(f"{path} is open in your browser.")
    else:
        say(f"{path}: open it in a browser.")


def _open_page(path: Path) -> bool:
    try:
        return webbrowser.open(path.as_uri())
    except (webbrowser.Error, OSError):
        return False

"""The students' commands: they parse, call and set the exit code.

Imports are late and few, because `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import (
    DAY,
    FULL,
    LESS,
    UNGRADABLE,
    Command,
    Day,
    Output,
    command,
    course_here,
    find_course,
    refuse_unknown_check,
    say,
    show,
    terminal_width,
)
from grader.errors import Refused
from grader.files import PAGES

if TYPE_CHECKING:
    from grader.assignment import Assignment, Course
    from grader.report import Report

FILE = click.Path(path_type=Path)
WEAK = click.Option(
    ["--allow-weak-isolation"],
    is_flag=True,
    help="Grade a file from outside the course folder even if this machine cannot confine the code.",
)


def make_grade_command(name: str) -> click.Command:
    """Return the command `grade DAY [PATH]` of an assignment."""
    from grader.render import FORMATS

    return Command(
        name,
        callback=functools.partial(grade_assignment, name),
        help=f"Grade {name}: the notebook in assignments/{name}, or the file PATH.",
        short_help=f"Grade the notebook of {name}.",
        examples=[
            (f"grade {name}", "every check"),
            (f"grade {name} --check CHECK", "one check, while you work on it"),
            (f"grade {name} mine.py", "another file, .ipynb or .py"),
        ],
        params=[
            click.Argument(["path"], required=False, type=FILE),
            click.Option(["--check"], metavar="CHECK", help="Only this check."),
            click.Option(
                ["--format", "format_"],
                type=click.Choice(list(FORMATS)),
                default="terminal",
                show_default=True,
                help="How to print the report.",
            ),
            click.Option(
                ["--output"],
                type=Output(),
                metavar="FILE",
                help="Write the report to FILE instead of printing it.",
            ),
            click.Option(
                ["--html", "page"],
                type=Output(PAGES),
                metavar="FILE",
                help="Also write the report to FILE as a web page.",
            ),
            WEAK,
        ],
    )


@command(
    examples=[
        ("grade watch day2", "the notebook in assignments/day2"),
        ("grade watch day2 --check CHECK", "one check, while you work on it"),
    ]
)
@DAY
@click.argument("path", required=False, type=FILE)
@click.option("--check", metavar="CHECK", help="Only this check.")
@click.option("--allow-weak-isolation", is_flag=True, help=WEAK.help)
def watch(
    assignment: Assignment, path: Path | None, check: str | None, *, allow_weak_isolation: bool
) -> None:
    """Grade at every save, and show what changed.

    Save in your editor, then look here. Ctrl-C ends it.
    """
    from grader.practice.watch import Watch

    refuse_unknown_check(assignment, check)
    Watch(assignment, path, check, allow_weak_isolation=allow_weak_isolation).run()


@command(
    examples=[
        ("grade hint", "for the first check that did not pass at the last grading"),
        ("grade hint day2", "for the first check of day2 that did not pass"),
        ("grade hint day2 CHECK", "for that check"),
        ("grade hint day2 CHECK --again", "show the hints that you have seen"),
    ]
)
@click.argument("name", metavar="[DAY]", required=False)
@click.argument("check", required=False)
@click.option("--again", is_flag=True, help="Show the hints given so far, but no new one.")
def hint(name: str | None, check: str | None, *, again: bool) -> None:
    """Give the next hint for a check.

    Each hint says more than the one before, from a nudge to nearly the answer. `grade` remembers which you have seen.
    Without CHECK, the hint is for the first check that did not pass at the last grading. Without DAY, it is for the day
    that was graded last.
    """
    from grader.practice.hints import hint as next_hint
    from grader.practice.progress import day_of_last_grading

    course = find_course()
    if name is None:
        name = day_of_last_grading(course)
    elif (
        name not in course.names
        and check is None
        and (days := [a.name for a in course.assignments if name in a.manifest.checks])
    ):
        last = day_of_last_grading(course)
        name, check = last if last in days else days[0], name
    assignment = course.assignment(name)
    refuse_unknown_check(assignment, check)
    show(next_hint(assignment, check, again=again, width=_width()))


@command(
    examples=[
        ("grade play", "the graphs of the lesson, and the order game"),
        ("grade play day2", "the same, plus the graphs of day2 where your code fails"),
        ("grade play --no-browser", "write the page and print its path"),
    ]
)
@click.argument("assignment", metavar="[DAY]", required=False, type=Day())
@click.option(
    "--output",
    type=Output(PAGES),
    metavar="FILE",
    help="Write the page to FILE instead of feedback/play.html.",
)
@click.option("--no-browser", is_flag=True, help="Write the page and print its path only.")
def play(assignment: Assignment | None, output: Path | None, *, no_browser: bool) -> None:
    """Step through graphs in the browser.

    The page is one file and needs no network. With DAY, it grades the notebook first. For each failed check with a
    graph, the page then shows what your code did, beside a right walk.
    """
    from grader.practice.play import grade_for_page, open_page, write_page

    report = grade_for_page(assignment) if assignment else None
    arrays = assignment is not None and assignment.manifest.arrays
    path = write_page(assignment.course if assignment else course_here(), report, output, arrays=arrays)
    if no_browser:
        say(str(path))
    else:
        open_page(path)
    sys.exit(_exit_code(report) if report else FULL)


@command(
    examples=[
        ("grade walk day2", "for the failed check to look at next"),
        ("grade walk day2 CHECK", "for that check, even if it passed"),
        ("grade walk day2 CHECK mine.py", "for another file, .ipynb or .py"),
    ]
)
@DAY
@click.argument("check", required=False)
@click.argument("path", required=False, type=FILE)
@click.option("--all", "whole", is_flag=True, help="Show every step of a long walk.")
@click.option("--allow-weak-isolation", is_flag=True, help=WEAK.help)
def walk(
    assignment: Assignment, check: str | None, path: Path | None, *, whole: bool, allow_weak_isolation: bool
) -> None:
    """Show each step of your code beside a right walk.

    Grades the notebook, then shows one test of the check. The mark > is at the first step where your code goes wrong.
    You may give a file instead of CHECK.
    """
    from grader.practice.walk import choose_check, trace_check, walk_page
    from grader.report import Outcome
    from grader.sandbox import take_launcher

    if check is not None and path is None and check.endswith((".ipynb", ".py")):
        path, check = Path(check), None
    refuse_unknown_check(assignment, check)
    with take_launcher() as launcher:
        from grader.grading.grader import Traces, grade

        def graded(traces: Traces) -> Report:
            return grade(
                assignment,
                path or assignment.stub,
                launcher,
                allow_weak_isolation=allow_weak_isolation,
                traces=traces,
            )

        report = trace_check(graded, check)
    colour = _in_colour()
    show(walk_page(report, check, width=_width(), colour=colour, whole=whole), painted=colour)
    found = choose_check(report, check)
    ungradable = report.score is None if found is None else found.outcome is Outcome.UNGRADABLE
    sys.exit(UNGRADABLE if ungradable else FULL)


@command(examples=[("grade reset day2", "your notebook is kept next to it, with the time in its name")])
@DAY
def reset(assignment: Assignment) -> None:
    """Put the untouched notebook back; yours is kept next to it.

    Nothing is lost: the copy of your notebook has the date and time in its name.
    """
    from grader.practice.reset import reset as put_back

    show(put_back(assignment))


# --- What the commands share


def _width() -> int:
    return max(40, min(terminal_width(), 100))


def grade_assignment(
    name: str,
    path: Path | None,
    check: str | None,
    *,
    format_: str,
    output: Path | None,
    page: Path | None,
    allow_weak_isolation: bool,
) -> None:
    """Grade, print the report, save it as the feedback file, and exit with the code of its outcome."""
    from grader.sandbox import take_launcher

    with take_launcher() as launcher:  # starts while the rest is imported
        from grader.grading.grader import grade
        from grader.practice.progress import keep_report
        from grader.render import FOR_PROGRAMS

        course = find_course()
        assignment = course.assignment(name)
        refuse_unknown_check(assignment, check)
        path = path or assignment.stub
        report = grade(
            assignment,
            path,
            launcher,
            only=check,
            allow_weak_isolation=allow_weak_isolation,
            report_unread=format_ in FOR_PROGRAMS,
            traces=page is not None or format_ == "html",
        )
    if report.unread:
        say(f"grade: {path}: {report.unread}", err=True)
    elif trouble := keep_report(assignment, path, report, check):
        say(f"grade: {trouble}", err=True)
    _show(course, report, format_, output, check)
    if page:
        _write(course, page, report, "html")
    sys.exit(_exit_code(report))


def _in_colour() -> bool:
    """Return True if standard output is a terminal and the user has not asked for plain text."""
    import os

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _show(course: Course, report: Report, format_: str, output: Path | None, only: str | None) -> None:
    import os

    from grader.render import FORMATS

    look: dict[str, Any] = {}
    if format_ == "terminal":
        look = {"width": terminal_width(), "colour": output is None and _in_colour(), "only": only}
    if format_ == "classroom50":
        look = {"run": os.environ}
    if output is None:
        show(FORMATS[format_](report, **look), painted=look.get("colour", False))
    else:
        _write(course, output, report, format_, **look)


def _write(course: Course, path: Path, report: Report, format_: str, **look: Any) -> None:
    from grader.files import write_text
    from grader.render import FORMATS

    try:
        write_text(path, FORMATS[format_](report, **look), course.root)
    except Refused as error:
        raise Refused(f"{error}; name another file") from error


def _exit_code(report: Report) -> int:
    """Return 0 for full marks, 1 for less, 3 for no score."""
    if report.score is None:
        return UNGRADABLE
    return FULL if report.is_full else LESS


def show_progress() -> None:
    """Print every assignment with the points of its last grading, and the next step."""
    from grader.practice.progress import render_progress

    width = _width() if sys.stdout.isatty() else None
    show(render_progress(find_course(), width))

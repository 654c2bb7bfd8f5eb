"""The command `grade mark`. It parses and calls; marker.py does the work. Imports are late and few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from grader.console import DAY, command
from grader.gradebook.commands import FILE, RESULTS

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment


@command(
    name="mark",
    examples=[
        ("grade mark day2", "in the browser, one answer after the other"),
        ("grade mark day2 --share 2/4", "the second of four who mark"),
        ("grade mark day2 --anonymous", "without names"),
    ],
)
@DAY
@click.option(
    "--share", default="1/1", metavar="N/M", help="Show only your share: you are the Nth of M who mark."
)
@click.option("--anonymous", is_flag=True, help="Hide the names that the course knows.")
@click.option(
    "--source",
    type=FILE,
    metavar="SOURCE",
    help="The folder or zip that was graded.  [default: ../DAY-works]",
)
@click.option("--browser/--no-browser", default=True, help="Open the page in a browser.  [default: browser]")
@click.option(
    "--allow-weak-isolation", is_flag=True, help="Run cells again even if this machine cannot close the jail."
)
@RESULTS
def mark_day(assignment: Assignment, results: Path, **options: Any) -> None:
    """Mark the manual checks of a day on a page in the browser.

    Shows one answer after the other, and equal answers once, with the rubric of the manifest. Saves each mark as an
    override. The page runs on 127.0.0.1, and only you can open it. Press `?` on it for the keys, and Ctrl-C here to end it.
    """
    from grader.marking.marker import run_mark

    run_mark(assignment, results, **options)

"""The command `grade batch`: options, one call, the exit code; batch.py does the work.

Imports are late and few, so that `grade day2` answers in under half a second.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from grader.console import DAY, command
from grader.errors import Refused
from grader.gradebook.commands import FILE, RESULTS

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment


@command(
    examples=[
        ("grade batch day2", "the work that `grade collect day2` fetched into ../day2-works"),
        ("grade batch day2 students", "a folder that holds one folder or file per student"),
        ("grade batch day2 students --times times.csv", "the same, with the times of another git server"),
        ("grade batch day2 submissions.zip", "an export of Canvas, Moodle or Gradescope"),
        ("grade batch day2 --student ada --regrade", "one student, even if nothing changed"),
        ("grade batch day2 --scheduler tls://10.0.0.1:8786", "on a Dask cluster (docs/cluster.md)"),
        ("grade batch day2 --jobs 1", "one submission at a time, on one core"),
        ("grade batch day2 --salts ../final", "with a salt that no push was graded with"),
    ],
)
@DAY
@click.argument("source", metavar="[SOURCE]", type=FILE, required=False)
@RESULTS
@click.option(
    "--student", "students", multiple=True, metavar="NAME", help="Only this student; may be repeated."
)
@click.option("--regrade", is_flag=True, help="Also grade unchanged work.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Submissions to grade at a time, one on each core.  [default: the number of cores]",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Grade on the Dask cluster at this address: tls://HOST:PORT."
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Allow a scheduler without TLS. Anybody who can reach it can forge grades and run programs as you.",
)
@click.option(
    "--salts",
    type=FILE,
    metavar="DIR",
    help="Use the salt and the generated files of the hidden checks in DIR, written by `grade stub DAY --salts DIR`.",
)
@click.option(
    "--times",
    type=FILE,
    metavar="CSV",
    help="Read the time of each student's push from this table, `student,pushed`, for the late policy.",
)
@click.option(
    "--allow-weak-isolation", is_flag=True, help="Grade even if this machine cannot close the jail."
)
def batch(
    assignment: Assignment,
    source: Path | None,
    results: Path,
    students: tuple[str, ...],
    *,
    regrade: bool,
    jobs: int | None,
    scheduler: str | None,
    insecure: bool,
    salts: Path | None,
    times: Path | None,
    allow_weak_isolation: bool,
) -> None:
    """Grade a class into a results file.

    SOURCE is a folder or a zip from a learning platform. It defaults to ../DAY-works, which `grade collect` wrote. Each
    result is saved at once. After Ctrl-C, run the same command again: it grades only new and changed work.
    """
    from grader.fleet.batch import run_batch
    from grader.gradebook.settings import read_collected_folder

    if scheduler is not None and jobs is not None:
        raise Refused(
            "--jobs does not apply to a cluster, which has the workers that you start; leave out --jobs or --scheduler"
        )
    sys.exit(
        run_batch(
            assignment,
            source or read_collected_folder(assignment),
            results,
            students=students,
            jobs=jobs,
            scheduler=scheduler,
            salts=salts,
            times=times,
            regrade=regrade,
            allow_weak_isolation=allow_weak_isolation,
            insecure=insecure,
        )
    )

"""`grade site`: parse, call, exit code; no logic."""

from __future__ import annotations

from pathlib import Path

import click

from grader.console import command, find_course, say


@command(
    examples=[
        ("grade site ../site", "every assignment, as pages that any web server can serve"),
        ("grade site ../site day1 day2", "these"),
        ("grade site ../site --serve", "and open it here"),
    ],
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("days", nargs=-1, metavar="[DAY]...")
@click.option(
    "--hand-in",
    default="",
    metavar="URL",
    help="The page that takes a saved notebook; may contain {day} and {github}, the student's name.",
)
@click.option("--serve", is_flag=True, help="Serve it on this machine, and open it in the browser.")
@click.option(
    "--pyodide",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Take the archives of the runtime, and numpy's wheel, from this folder, instead of npm, pip and Pyodide.",
)
def site(folder: Path, days: tuple[str, ...], *, hand_in: str, serve: bool, pyodide: Path | None) -> None:
    """Write the course as pages for the browser.

    In a page of DIR students read, write, run and check with nothing installed. It sends nothing, and holds what a student may see: no hidden check and no solution. The first run fetches
    Python for browsers (npm, pip); later ones need no network.
    """
    from grader.site.folder import make_site, write_site

    course = find_course()
    made = make_site(course, days or course.names, pyodide, hand_in)
    for note in made.notes:
        say(note, err=True)
    written, removed = write_site(made, folder)
    size = sum(map(len, made.files.values())) / 1e6
    say(f"{folder}: {len(made.files)} files, {size:.1f} MB; {written} written, {removed} removed")
    if serve:
        from grader.site.serve import serve as serve_it

        serve_it(folder)

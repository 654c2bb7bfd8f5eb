"""`grade site`: parse, call, exit code; no logic."""

from __future__ import annotations

from pathlib import Path

import click

from grader.console import command, find_course, say


@command(
    examples=[
        ("grade site ../site", "every assignment, as pages that any web server can serve"),
        ("grade site ../site day1 day2", "only these two"),
        ("grade site ../site --serve", "every assignment, and open the pages on this machine"),
    ],
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("days", nargs=-1, metavar="[DAY]...")
@click.option(
    "--hand-in",
    default="",
    metavar="URL",
    help="The page that takes a saved notebook; may contain {day}, and {github} for the student's name on GitHub.",
)
@click.option("--serve", is_flag=True, help="Serve the pages on this machine, and open them in the browser.")
@click.option(
    "--pyodide",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Take the archives of the runtime and the wheel of numpy from FOLDER, instead of downloading them.",
)
def site(folder: Path, days: tuple[str, ...], *, hand_in: str, serve: bool, pyodide: Path | None) -> None:
    """Write the course as pages for the browser.

    In a page of DIR students read, write, run and check with nothing installed. A page sends nothing, and holds no hidden check and no solution. The first run fetches
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

"""The commands: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import gc
import io
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader import __version__
from grader.errors import Broken, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.assignment import Assignment, Course
    from grader.report import Report

T = TypeVar("T")
FULL, LESS, USAGE, UNGRADABLE = 0, 1, 2, 3
INTERRUPTED = 130  # as shells say it of Ctrl-C


class Refusal(click.ClickException):
    """A clear message and exit code 2."""

    exit_code = USAGE

    def show(self, file: Any = None) -> None:  # noqa: ARG002  click's signature
        """Print it as the other errors: one line, whatever it quotes."""
        from grader.render import one_line

        say(one_line(f"grade: {self.format_message()}"), err=True)


class Fault(Refusal):
    """The course's or the grader's own fault: exit code 3."""

    exit_code = UNGRADABLE


class Command(click.Command):
    """A command whose help names folders that somebody else may have named."""

    def get_help(self, ctx: click.Context) -> str:
        """Its help, for `say` does not print it."""
        from grader.render import inert

        return inert(super().get_help(ctx))


class Commands(Command, click.Group):
    """Our commands, and one for every assignment of the course."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run and exit. What click says of wrong usage quotes what was typed, so it goes through `say`."""
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except click.ClickException as error:
            told = io.StringIO()
            error.show(told)
            say(told.getvalue(), err=True, nl=False)
            code = error.exit_code
        except click.Abort:
            say("grade: interrupted", err=True)
            code = INTERRUPTED
        sys.exit(code)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command by its name, or the one that grades the assignment of that name."""
        command = super().get_command(ctx, name)
        return command or _grade_command(name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The assignments of the course, if there is one here, then our commands."""
        from grader.assignment import AssignmentError, Course

        try:
            names = Course.find(Path.cwd()).names
        except AssignmentError:
            names = []
        return [*names, *super().list_commands(ctx)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Mistyped names get the nearest one."""
        name = args[0]
        if super().get_command(ctx, name) is None:
            from grader.assignment import nearest

            course = find_course()
            if name not in course.names:
                known = self.list_commands(ctx)
                raise Refusal(
                    f"{name}: no such assignment or command{nearest(name, known)}; "
                    f"assignments here: {', '.join(course.names) or 'none'}; `grade --help` lists the commands"
                )
        return super().resolve_command(ctx, args)


def _grade_command(name: str) -> click.Command:
    """`grade NAME [PATH]`."""
    from grader.render import FORMATS

    def callback(**options: Any) -> None:
        grade_assignment(name, **options)

    return Command(
        name,
        callback=callback,
        help=f"Grade {name}: the notebook in assignments/{name}, or the file PATH.",
        short_help=f"Grade the notebook of {name}.",
        params=[
            click.Argument(["path"], required=False, type=click.Path(path_type=Path)),
            click.Option(["--check"], metavar="ID", help="Only this check."),
            click.Option(
                ["--format", "format_"],
                type=click.Choice(list(FORMATS)),
                default="terminal",
                show_default=True,
                help="How to print the report.",
            ),
            click.Option(
                ["--output"],
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help="Write it there instead of printing it.",
            ),
            click.Option(
                ["--allow-weak-isolation"],
                is_flag=True,
                help="Grade a file from outside the course folder where no jail can be closed.",
            ),
        ],
    )


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 full marks, 1 graded with less, 2 wrong usage, 3 could not be graded.",
)
@click.version_option(__version__)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Grade the assignments of a course: `grade day2`.

    Without a command: the assignments, how far you are, and what to do next.
    """
    if ctx.invoked_subcommand is None:
        show_progress()


@main.command()
@click.argument("name", required=False)
def validate(name: str | None) -> None:
    """Check that the course is sound: references, stubs, mistakes, fingerprints, records.

    Changes nothing. With NAME only that assignment.
    """
    from grader.render import one_line
    from grader.validation import validate as validate_assignment

    course, found = find_course(), 0
    for assignment in _assignments(course, name):
        with _working(f"{assignment.name}: reference, stub, mistakes, a kernel"):
            problems = _guarded(partial(validate_assignment, assignment))
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        say(one_line(f"{assignment.name}  {count if problems else 'sound'}"))
        for problem in problems:
            say(one_line(f"  {problem}"))
        found += len(problems)
    sys.exit(LESS if found else FULL)


@main.command()
@click.argument("name")
@click.option("--new-salt", is_flag=True, help="Renew what seeds the hidden checks' random numbers.")
def stub(name: str, *, new_salt: bool) -> None:
    """Write the stub notebook, the fingerprints and the parity records of an assignment."""
    from grader.course import write_generated

    assignment = _assignments(find_course(), name)[0]
    with _working(f"{assignment.name}: stub, fingerprints, parity records"):
        written = _guarded(lambda: write_generated(assignment, new_salt=new_salt))
    for path, changed in written:
        say(f"{'written  ' if changed else 'unchanged'}  {path}")


@main.command()
@click.argument("name", required=False)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it there instead of printing it.",
)
def mistakes(name: str | None, output: Path | None) -> None:
    """Print the known mistakes as tables in Markdown, for those who teach.

    With NAME only those of that assignment. Needs solutions/.
    """
    from grader.files import write_text
    from grader.mistakes import mistakes_page

    course = find_course()
    text = _guarded(lambda: mistakes_page(_assignments(course, name)))
    if output is None:
        say(text, nl=False)
    else:
        _guarded(lambda: write_text(output, text, course.root))


@main.command()
def doctor() -> None:
    """Try the jail's promises on this machine and say which of them hold."""
    from grader.doctor import examine, render
    from grader.sandbox import Launcher

    with _guarded(Launcher) as launcher, _working("trying ten promises"):
        diagnosis = _guarded(lambda: examine(launcher))
    say(render(diagnosis), nl=False)
    sys.exit(FULL if diagnosis.sound else LESS)


def _working(what: str) -> AbstractContextManager[object]:
    """Show in a terminal that half a minute of work is under way."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    from grader.render import one_line

    return Console(stderr=True).status(Text(one_line(what)))


def _assignments(course: Course, name: str | None) -> list[Assignment]:
    names = [name] if name else course.names
    return [_guarded(partial(course.assignment, n)) for n in names]


def find_course() -> Course:
    """The course that the current folder belongs to."""
    from grader.assignment import Course

    return _guarded(lambda: Course.find(Path.cwd()))


def grade_assignment(
    name: str,
    path: Path | None,
    check: str | None,
    format_: str,
    output: Path | None,
    *,
    allow_weak_isolation: bool,
) -> None:
    """Grade, print, write the feedback file, exit."""
    gc.disable()  # a process of half a second has nothing to collect
    from grader.sandbox import Launcher

    with _guarded(partial(Launcher, same_core=True)) as launcher:  # starts while the rest is imported
        from grader.grading import grade

        course = find_course()
        assignment = _guarded(lambda: course.assignment(name))
        _refuse_unknown_check(assignment, check)
        report = _guarded(
            lambda: grade(
                assignment,
                path or assignment.stub,
                launcher,
                only=check,
                allow_weak_isolation=allow_weak_isolation,
            )
        )
    if check is None:
        _write_feedback(course, report)
    _show(course, report, format_, output)
    sys.exit(exit_code(report))


def _refuse_unknown_check(assignment: Assignment, check: str | None) -> None:
    from grader.assignment import nearest

    known = list(_guarded(lambda: assignment.manifest).checks)
    if check is not None and check not in known:
        raise Refusal(
            f"{check}: {assignment.name} has no such check{nearest(check, known)}; it has {', '.join(known)}"
        )


def _write_feedback(course: Course, report: Report) -> None:
    from grader.files import FileError, write_text
    from grader.report import to_json

    path = course.root / "feedback" / f"{report.assignment.id}.json"
    try:
        write_text(path, to_json(report), course.root, make_folder=True)
    except FileError as error:
        text = f"the feedback file could not be written: {error}; remove what is in its way"
        say(f"grade: {text}", err=True)


def _show(course: Course, report: Report, format_: str, output: Path | None) -> None:
    import os
    import shutil

    from grader.files import FileError, write_text
    from grader.render import FORMATS

    page: dict[str, Any] = {}
    if format_ == "terminal":
        colour = output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        page = {"width": shutil.get_terminal_size().columns, "colour": colour}
    text = FORMATS[format_](report, **page)
    if output is None:
        say(text, nl=False, painted=page.get("colour", False))
        return
    try:
        write_text(output, text, course.root)
    except FileError as error:
        raise Refusal(f"{error}; name another file") from error


def exit_code(report: Report) -> int:
    """0 full marks, 1 less, 3 no score."""
    if report.score is None:
        return UNGRADABLE
    return FULL if report.score == report.max_score else LESS


def show_progress() -> None:
    """Every assignment with the points of its last grading, and what to do next."""
    from grader.progress import render_progress

    say(_guarded(lambda: render_progress(find_course())), nl=False)


def _guarded(call: Callable[[], T]) -> T:
    """Turn what is known to go wrong into a message and an exit code."""
    try:
        return call()
    except Refused as error:
        raise Refusal(str(error)) from error
    except Broken as error:
        raise Fault(str(error)) from error


_PLAIN = str.maketrans(
    {
        "×": "*",
        "·": "*",
        "→": "->",
        "∂": "d",
        "–": "-",
        "—": "-",
        "’": "'",
        "²": "^2",
        "…": "...",
        "−": "-",
        "█": "#",
        "│": "|",
    }
)


def say(text: str, *, err: bool = False, nl: bool = True, painted: bool = False) -> None:
    """Print, also on a console that cannot print everything.

    Everything goes through here, and comes out as text that neither a terminal nor a CI runner obeys;
    only a page with colours of our own, which is `painted`, must be that already.
    """
    from grader.render import inert

    text = text if painted else inert(text)
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    click.echo(text, err=err, nl=nl, color=None if not err else False)

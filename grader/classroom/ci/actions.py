"""A job of GitHub Actions: its annotations, and the files through which a step tells the runner something.

The runner takes a line of a step's log as a command that begins with `::name ...::` (actions/runner,
ActionCommand.cs). `announce` and `match_nothing` are the functions here that print such lines; everything
else that is printed goes through `console.say`, which makes sure that it is none.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from grader.console import printable
from grader.render import inert, one_line
from grader.render.words import beside_lines, is_in_detail, no_score_words
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.report import CheckResult, Report, Where

Place = Callable[["Where"], "tuple[str, int | None] | None"]
Level = Literal["error", "warning", "notice"]
LEVELS: tuple[Level, ...] = ("error", "warning", "notice")
MOST_A_LEVEL = 10  # of one step, beyond which GitHub shows none
MOST_A_RUN = 50
MOST_CHARACTERS = 4_000  # of a message; the runner cuts at 4,096
SUMMARY_BYTES = 1 << 20  # of one step; a larger summary is refused whole
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))


@dataclass(frozen=True)
class Annotation:
    """What GitHub shows beside a line of a file; `file` is relative to the repository."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


# --- Which


def annotations_of(report: Report, place: Place) -> list[Annotation]:
    """Order the checks: those that failed, then the first thing to write.

    `place` gives the file in the repository and the line in it, as far as they can be told.
    """
    name = report.assignment.id
    if report.score is None:
        return [Annotation("error", name, no_score_words(report))]
    failed = [check for check in report.checks if is_in_detail(check, alone=False)]
    found = [_placed("error", name, c, "\n".join([c.title, *beside_lines(c)]), place) for c in failed]
    todo = [check for check in report.checks if check.outcome is Outcome.TODO][:1]
    found += [_placed("notice", name, c, f"To write: {c.message or c.title}", place) for c in todo]
    return sorted(found, key=lambda annotation: LEVELS.index(annotation.level))


def _placed(level: Level, name: str, check: CheckResult, message: str, place: Place) -> Annotation:
    file, line = (check.where and place(check.where)) or (None, None)
    return Annotation(level, f"{name} {check.id}", message, file, line)


def within_limits(annotations: Sequence[Annotation], room: int = MOST_A_RUN) -> list[Annotation]:
    """Those that GitHub shows, at most `room`; where some are left out, the last says how many."""
    kept = [a for level in LEVELS for a in [b for b in annotations if b.level == level][:MOST_A_LEVEL]]
    kept = kept[: max(room, 0)]
    if not kept or len(kept) == len(annotations):
        return kept
    if len(kept) == room or sum(a.level == "notice" for a in kept) == MOST_A_LEVEL:
        kept.pop()
    more = len(annotations) - len(kept)
    return [*kept, Annotation("notice", "More", f"{more} more in the summary of this job.")]


# --- Commands


def match_nothing() -> None:
    """Have the runner take no text that follows for a traceback.

    actions/setup-python has it make an error of two lines `File "...", line 1, in f` and `raise E('...')`
    (.github/python.json there), and a student's words may come to stand so.
    """
    click.echo("::remove-matcher owner=python::")


def announce(annotations: Sequence[Annotation]) -> None:
    """Print them as the runner's commands."""
    for annotation in annotations:
        click.echo(printable(command(annotation), sys.stdout))


def command(annotation: Annotation) -> str:
    """The line that the runner takes as this annotation, and as nothing else."""
    file, line = annotation.file, annotation.line
    properties = [("title", one_line(annotation.title))]
    if file:
        # In the middle, for the runner trims the ends of all properties together; a first `=` would be lost.
        file = f"./{file}" if file.startswith("=") else file
        properties += [("file", file), ("line", str(line or 1))]
    text = ",".join(f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties)
    return f"::{annotation.level} {text}::{_escaped(inert(_short(annotation.message)), _IN_DATA)}"


_IN_DATA = "%\r\n"
_IN_PROPERTIES = "%\r\n:,"


def _escaped(text: str, signs: str) -> str:
    return re.sub(f"[{signs}]", lambda found: f"%{ord(found[0]):02X}", text)


def _short(message: str) -> str:
    return message if len(message) <= MOST_CHARACTERS else f"{message[: MOST_CHARACTERS - 4]} ..."


# --- Files of the runner's


def append(path: str | None, text: str) -> str:
    """Add text to a file that a variable of the runner's names; gives why that cannot be done, or nothing."""
    if not path:
        return "no file is named for it"
    data = text.encode("utf-8", "replace")
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o666)
        with os.fdopen(number, "ab", buffering=0) as file:
            before = os.fstat(number).st_size
            if file.write(data) != len(data):
                file.truncate(before)  # the runner would take half a value for a whole one
                return "its file is full"
    except (OSError, ValueError) as error:
        return f"its file cannot be written: {getattr(error, 'strerror', None) or 'no such name'}"
    return ""


def room_in(path: str | None, most: int = SUMMARY_BYTES) -> int:
    """How many bytes a step's summary may still have, with some to spare."""
    try:
        used = os.stat(path).st_size if path else 0  # noqa: PTH116  a text that may be no path at all
    except (OSError, ValueError):
        used = 0
    return max(0, most - used - 1_024)


def outputs(values: dict[str, str]) -> str:
    """The lines by which the runner learns a step's outputs; the values have one line each."""
    return "".join(f"{name}={' '.join(value.splitlines())}\n" for name, value in values.items())


# --- The run's annotations


def used_annotations(folder: Path | None) -> int:
    """How many annotations the steps before this one have made; the runner empties that folder for each job."""
    try:
        text = (folder / _COUNT).read_text(encoding="ascii").strip() if folder else "0"
        return int(text) if re.fullmatch(r"\d{1,4}", text) else 0
    except (OSError, ValueError):
        return 0


def count_annotations(folder: Path | None, number: int) -> None:
    """Remember it for the steps that follow; where that cannot be, GitHub leaves out the last ones itself."""
    if folder is not None:
        try:
            (folder / _COUNT).write_text(str(number), encoding="ascii")
        except OSError:
            return


_COUNT = "backgrade-annotations"

"""A job of GitHub Actions: its annotations, and the files that a step writes for the runner.

The runner executes a line of a step's log that begins with `::name ...::` as a command (actions/runner,
ActionCommand.cs). Only `announce` and `match_nothing` print such lines. All other output goes through
`console.say`, which makes every line harmless.
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
from grader.render import escape, escape_line
from grader.render.words import beside_lines, no_score_words
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.report import CheckResult, Location, Report

Locate = Callable[["Location"], "tuple[str, int | None] | None"]
Level = Literal["error", "warning", "notice"]
LEVELS: tuple[Level, ...] = ("error", "warning", "notice")
MOST_A_LEVEL = 10  # annotations of one step; GitHub shows no more
MOST_CHARACTERS = 4_000  # characters of a message; the runner cuts at 4,096
SUMMARY_BYTES = 1 << 20  # bytes of one step; GitHub refuses a larger summary as a whole
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))


@dataclass(frozen=True)
class Annotation:
    """A message beside a line of a file; `file` is relative to the repository."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


# --- From a report


def annotations_of(report: Report, locate: Locate) -> list[Annotation]:
    """Return an annotation for each failed check, then one for the first check that is still to write.

    `locate` returns the file in the repository and the line in it, as far as they are known.
    """
    name = report.assignment.id
    if report.score is None:
        return [Annotation("error", name, no_score_words(report))]
    failed = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)]
    found = [_placed("error", name, c, "\n".join([c.title, *beside_lines(c)]), locate) for c in failed]
    todo = [check for check in report.checks if check.outcome is Outcome.TODO][:1]
    found += [_placed("notice", name, c, f"To write: {c.message or c.title}", locate) for c in todo]
    return sorted(found, key=lambda annotation: LEVELS.index(annotation.level))


def _placed(level: Level, name: str, check: CheckResult, message: str, locate: Locate) -> Annotation:
    file, line = (check.where and locate(check.where)) or (None, None)
    return Annotation(level, f"{name} {check.id}", message, file, line)


def within_limits(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Keep those that GitHub shows of a step; the last one then counts those that are left out."""
    kept = [a for level in LEVELS for a in [b for b in annotations if b.level == level][:MOST_A_LEVEL]]
    if len(kept) == len(annotations):
        return kept
    if sum(a.level == "notice" for a in kept) == MOST_A_LEVEL:
        kept.pop()
    more = len(annotations) - len(kept)
    return [*kept, Annotation("notice", "More", f"{more} more in the summary of this job.")]


# --- Commands


def match_nothing() -> None:
    """Stop the runner from turning tracebacks in the log into annotations.

    actions/setup-python makes it search for two lines `File "...", line 1, in f` and `raise E('...')`
    (.github/python.json there), and a student's text may look like that.
    """
    click.echo("::remove-matcher owner=python::")


def announce(annotations: Sequence[Annotation]) -> None:
    """Print them as the runner's commands."""
    for annotation in annotations:
        click.echo(printable(annotation_line(annotation), sys.stdout))


def annotation_line(annotation: Annotation) -> str:
    """Return the one line that the runner reads as this annotation."""
    file, line, message = annotation.file, annotation.line, annotation.message
    if len(message) > MOST_CHARACTERS:
        message = f"{message[: MOST_CHARACTERS - 4]} ..."
    properties = [("title", escape_line(annotation.title))]
    if file:
        # A first `=` would be lost. The title is in the middle, because the runner trims the ends of all properties together.
        file = f"./{file}" if file.startswith("=") else file
        properties += [("file", file), ("line", str(line or 1))]
    text = ",".join(f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties)
    return f"::{annotation.level} {text}::{_escaped(escape(message), _IN_DATA)}"


_IN_DATA = "%\r\n"
_IN_PROPERTIES = "%\r\n:,"


def _escaped(text: str, signs: str) -> str:
    return re.sub(f"[{signs}]", lambda found: f"%{ord(found[0]):02X}", text)


# --- The runner's files


def append(path: str | None, text: str) -> str:
    """Add text to a file that the runner named in a variable; returns the reason if that fails, else an empty text."""
    if not path:
        return "no file is named for it"
    data = text.encode("utf-8", "replace")
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o666)
        with os.fdopen(number, "ab", buffering=0) as file:
            before = os.fstat(number).st_size
            if file.write(data) != len(data):
                file.truncate(before)  # the runner would read half a value as a complete one
                return "its file is full"
    except (OSError, ValueError) as error:
        return f"its file cannot be written: {getattr(error, 'strerror', None) or 'no such name'}"
    return ""


def room_in(path: str | None, most: int = SUMMARY_BYTES) -> int:
    """Return the bytes that are left for a step's summary, with some to spare."""
    try:
        used = os.stat(path).st_size if path else 0  # noqa: PTH116  the text may be no path
    except (OSError, ValueError):
        used = 0
    return max(0, most - used - 1_024)


def outputs(values: dict[str, str]) -> str:
    """Return a step's outputs as the runner reads them, each on one line."""
    return "".join(f"{name}={' '.join(value.splitlines())}\n" for name, value in values.items())

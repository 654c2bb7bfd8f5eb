"""`grade ci`: grade in a job of GitHub Actions, and publish the report.

If a publication fails, the log has a line about it. The grade and the exit code stay the same.

The runner executes a line of a step's log that begins with `::name ...::` as a command (actions/runner,
ActionCommand.cs). Only `_announce` and `match_nothing` print such lines. All other output goes through
`console.say`, which makes every line harmless.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec

from grader.classroom.github import comments as github
from grader.classroom.github.api import API
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.console import FULL, UNGRADABLE, printable, say, show
from grader.errors import Broken, Refused
from grader.files import absolute, read_plain, write_text
from grader.grading.grader import grade
from grader.practice.progress import keep_report
from grader.render import escape, escape_line
from grader.render.classroom import reporter_variable
from grader.render.html import render_html
from grader.render.markdown import render_markdown
from grader.render.terminal import render_terminal
from grader.render.words import check_lines, no_score_words, points_text, score_words
from grader.report import MAX_FIELD, Outcome, Report, sanitize, to_json
from grader.sandbox import Launcher
from grader.submissions.intake import continued_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.assignment import Assignment
    from grader.report import CheckResult, Location, Report


LARGEST_EVENT = 4 << 20  # bytes; GitHub's own are far smaller
_WIDTH = 100  # columns of a job's log
Locate = Callable[["Location"], "tuple[str, int | None] | None"]
Level = Literal["error", "warning", "notice"]
MOST_CHARACTERS = 4_000  # characters of a message; the runner cuts at 4,096
SUMMARY_BYTES = (
    256 << 10
)  # of one assignment; GitHub refuses the summary of a step as a whole if it has over 1 MiB
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))


@dataclass(frozen=True)
class Job:
    """The running job, by its variables."""

    environment: Mapping[str, str]

    @property
    def is_one(self) -> bool:
        """True in a job of GitHub Actions."""
        return self.environment.get("GITHUB_ACTIONS") == "true"

    def push(self) -> github.JobEvent:
        """The push or pull request that started the job. Raises RequestFailed."""
        get = self.environment.get
        is_branch = get("GITHUB_REF", "").startswith("refs/heads/")
        return github.JobEvent(
            repository=get("GITHUB_REPOSITORY", ""),
            sha=get("GITHUB_SHA", ""),
            branch=get("GITHUB_REF_NAME", "") if is_branch else "",
            pull=self._pull() if get("GITHUB_EVENT_NAME", "").startswith("pull_request") else None,
        )

    def _pull(self) -> int:
        try:
            data = read_plain(Path(self.environment.get("GITHUB_EVENT_PATH", "")), LARGEST_EVENT)[0]
            return int(msgspec.json.decode(data)["pull_request"]["number"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            raise RequestFailed("GITHUB_EVENT_PATH does not name the pull request") from None


# --- The command


def run(
    assignment: Assignment,
    path: Path | None,
    *,
    comment: bool,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Grade and publish; returns the exit code. Raises Refused and Broken."""
    job, path = Job(environment), path or assignment.stub
    if job.is_one:
        match_nothing()
    try:
        with Launcher() as launcher:
            report = grade(assignment, path, launcher, report_unread=job.is_one, traces=job.is_one)
    except Broken as error:
        if job.is_one:
            _announce([Annotation("error", assignment.name, f"Not graded: {error}")])
        raise
    Publication(assignment, path, job, report).all(comment=comment)
    return UNGRADABLE if report.score is None else FULL


# --- Publishing


@dataclass(frozen=True)
class Publication:
    """The publication of a report: log, file, summary, annotations, outputs, comment. A failure of one stops no other."""

    assignment: Assignment
    path: Path
    job: Job
    report: Report

    def all(self, *, comment: bool) -> None:
        """Write the feedback file; in a job also annotations, summary, outputs and comment; then the log."""
        self.artifact()
        if self.job.is_one:
            self.annotations()
            self.summary()
            self.outputs()
            if comment:
                self.comment()
        else:
            _leave_out("summary, annotations, outputs and comment", "this is not a job of GitHub Actions")
        self.log()

    @property
    def _unread(self) -> str:
        """The reason why the submission could not be read, on one line; empty if it could."""
        why = self.report.unread
        return escape_line(f"{self.report.submission.path}: {why}") if why else ""

    def log(self) -> None:
        """Print the report as in a terminal, without colour."""
        if self._unread:
            info = self.report.assignment
            say(f"{info.id}  {info.title}")
            say(self._unread)
            say(f"{score_words(self.report)}: nothing could be graded.")
        else:
            show(render_terminal(self.report, width=_WIDTH))

    def artifact(self) -> None:
        """Write feedback/DAY.json and .html, which the workflow uploads; outside a job, only JSON for the user's own work."""
        if not self.job.is_one:
            if trouble := keep_report(self.assignment, self.path, self.report):
                _leave_out("feedback file", trouble)
            return
        root, name = self.assignment.course.root, self.assignment.name
        try:
            for ending, text in {"json": to_json(self.report), "html": render_html(self.report)}.items():
                write_text(root / "feedback" / f"{name}.{ending}", text, root, make_folder=True)
        except Refused as error:
            _leave_out("feedback file", str(error))

    def summary(self) -> None:
        """Add the report to the page of the run."""
        text = render_markdown(self.report, limit=SUMMARY_BYTES)
        if trouble := append(self.job.environment.get("GITHUB_STEP_SUMMARY"), f"{text}\n"):
            _leave_out("summary", trouble)

    def outputs(self) -> None:
        """Write the outputs for later steps."""
        report = self.report
        values = {
            "score": "" if report.score is None else points_text(report.score),
            "max-score": points_text(report.max_score),
            "outcome": str(report.outcome),
            "result": reporter_variable(report),
        }
        if trouble := append(self.job.environment.get("GITHUB_OUTPUT"), outputs(values)):
            _leave_out("outputs", trouble)

    def comment(self) -> None:
        """Create or edit the one comment of this assignment."""
        variables = self.job.environment
        text = render_markdown(self.report, limit=github.LONGEST - 1_024)
        try:
            done = github.keep_comment(
                self.job.push(),
                self.assignment.name,
                text,
                variables.get("GITHUB_TOKEN", "").strip(),
                api=variables.get("GITHUB_API_URL") or API,
                open_new=self.report.outcome is not Outcome.TODO or bool(self._unread),
            )
        except (RequestFailed, GitHubUnavailable) as error:
            _leave_out("comment", str(error))
        else:
            say(f"{self.assignment.name}: {done}")

    def annotations(self) -> None:
        """Print annotations for the student's files. GitHub shows ten of each level; the summary has all."""
        found = annotations_of(self.report, self.location)
        if self._unread:  # without a file, "To write: ..." would not help
            found = [Annotation("error", self.assignment.name, self._unread)]
        _announce(found)

    def location(self, where: Location) -> tuple[str, int | None] | None:
        """Return the file in the repository and its line; no line for a notebook, None for a file outside the repository."""
        files = [self.path, *self._earlier]
        path = next((file for file in files if sanitize(file.name, MAX_FIELD) == where.file), None)
        workspace = self.job.environment.get("GITHUB_WORKSPACE", "")
        if path is None or not os.path.isdir(workspace):  # noqa: PTH112  `is_dir` raises for some names
            return None
        try:
            path, top = absolute(path).resolve(), Path(workspace).resolve()
        except (OSError, RuntimeError):  # links that lead in a circle
            return None
        if not path.is_relative_to(top):
            return None
        shown = path.relative_to(top).as_posix()
        return shown, None if path.suffix == ".ipynb" else where.line

    @cached_property
    def _earlier(self) -> list[Path]:
        return continued_files(self.assignment, self.path)


def _leave_out(what: str, why: str) -> None:
    say(f"left out: {what}, because {why}")


# --- Annotations


@dataclass(frozen=True)
class Annotation:
    """A message at a line of a file; `file` is relative to the repository."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


def annotations_of(report: Report, locate: Locate) -> list[Annotation]:
    """Return an annotation for each failed check, then one for the first `todo` check.

    `locate` returns the file in the repository and the line in it, or None if unknown.
    """
    name = report.assignment.id
    if report.score is None:
        return [Annotation("error", name, no_score_words(report))]
    failed = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)]
    found = [_annotate_at("error", name, c, "\n".join([c.title, *check_lines(c)]), locate) for c in failed]
    todo = [check for check in report.checks if check.outcome is Outcome.TODO][:1]
    found += [_annotate_at("notice", name, c, f"To write: {c.message or c.title}", locate) for c in todo]
    return found


def _annotate_at(level: Level, name: str, check: CheckResult, message: str, locate: Locate) -> Annotation:
    file, line = (check.where and locate(check.where)) or (None, None)
    return Annotation(level, f"{name} {check.id}", message, file, line)


# --- Commands


def match_nothing() -> None:
    """Stop the runner from turning tracebacks in the log into annotations.

    actions/setup-python makes it search for two lines `File "...", line 1, in f` and `raise E('...')`
    (.github/python.json there), and a student's text may look like that.
    """
    click.echo("::remove-matcher owner=python::")


def _announce(annotations: Sequence[Annotation]) -> None:
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
    text = ",".join(f"{name}={_escape_command(value, ':,')}" for name, value in properties)
    return f"::{annotation.level} {text}::{_escape_command(escape(message))}"


def _escape_command(text: str, signs: str = "") -> str:
    return re.sub(f"[%\r\n{signs}]", lambda found: f"%{ord(found[0]):02X}", text)


# --- The runner's files


def append(path: str | None, text: str) -> str:
    """Append text to a file that the runner named; return the reason if that fails, else ""."""
    if not path:
        return "the runner named no file"
    data = text.encode("utf-8", "replace")
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o666)
        with os.fdopen(number, "ab", buffering=0) as file:
            before = os.fstat(number).st_size
            if file.write(data) != len(data):
                file.truncate(before)  # the runner would read half a value as a complete one
                return "the runner's file is full"
    except (OSError, ValueError) as error:
        return f"the runner's file cannot be written ({getattr(error, 'strerror', None) or 'no such name'})"
    return ""


def outputs(values: dict[str, str]) -> str:
    """Return a step's outputs as the runner reads them, each on one line."""
    return "".join(f"{name}={' '.join(value.splitlines())}\n" for name, value in values.items())

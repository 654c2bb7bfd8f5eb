"""What grading one submission gave: the only public schema, versioned.

Everything else (terminal, JSON, HTML ...) is rendered from it. Text that came out of
the jail is data: it is capped and cleaned here, and escaped by every renderer.
"""

from __future__ import annotations

import enum
import unicodedata
from fractions import Fraction
from typing import Final, Literal

import msgspec

SCHEMA: Final = "backgrade/report/v1"
MAX_TEXT = 1_000


class Outcome(enum.StrEnum):
    """What became of a check, in the order in which they are decided."""

    UNGRADABLE = "ungradable"
    TODO = "todo"
    BLOCKED = "blocked"
    FAILED = "failed"
    PASSED = "passed"


class Where(msgspec.Struct, frozen=True):
    """A line of the student's. `cell` counts all cells from 1; it is None in a plain .py file."""

    file: str
    cell: int | None
    line: int
    text: str = ""


class ReadingNote(msgspec.Struct, frozen=True):
    """What was read, on what, and what it should have been."""

    label: str
    given: str
    actual: str
    expected: str


class MistakeNote(msgspec.Struct, frozen=True):
    """A known mistake whose readings are exactly the student's."""

    id: str
    text: str


class CheckResult(msgspec.Struct):
    """One check of the assignment. `visibility` is visible, hidden or both."""

    id: str
    title: str
    outcome: Outcome
    score: float
    max_score: float
    visibility: str
    message: str = ""
    where: Where | None = None
    readings: list[ReadingNote] = []
    mistakes: list[MistakeNote] = []
    hint: str | None = None
    seconds: float = 0.0


class AssignmentInfo(msgspec.Struct, frozen=True):
    """Which assignment."""

    id: str
    title: str


class SubmissionInfo(msgspec.Struct, frozen=True):
    """Which file, with the hash of its bytes; `modified` is UTC in ISO 8601."""

    path: str
    sha256: str
    modified: str


class GraderInfo(msgspec.Struct, frozen=True):
    """What graded: version, hash of the suite, Python, and the isolation in force."""

    version: str
    suite_sha256: str
    python: str
    isolation: list[str]


class Report(msgspec.Struct, kw_only=True):
    """The result of grading one submission.

    `score` is None when a check is ungradable. `hidden_checks` tells whether hidden
    checks took part; `notes` is what the student should know besides.
    """

    schema: Literal["backgrade/report/v1"] = SCHEMA
    assignment: AssignmentInfo
    submission: SubmissionInfo
    grader: GraderInfo
    started: str
    seconds: float
    score: float | None
    max_score: float
    outcome: Outcome
    hidden_checks: bool
    checks: list[CheckResult]
    notes: list[str] = []


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """Text from the jail for a report: no control characters but newlines, and at most `limit` long."""
    kept = "".join(
        c if c == "\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} else " "
        for c in text[: limit + 1]
    )
    return kept if len(kept) <= limit else kept[: limit - 3] + "..."


def rounded(score: Fraction | float) -> float:
    """A score for showing: two places, exact inside."""
    return float(round(Fraction(score), 2))


def to_json(report: Report) -> str:
    """The report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def from_json(text: str | bytes) -> Report:
    """A report from its JSON. Raises msgspec.DecodeError."""
    return msgspec.json.decode(text, type=Report)


def json_schema() -> str:
    """The JSON Schema of the report: the text of docs/report.schema.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Report)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"

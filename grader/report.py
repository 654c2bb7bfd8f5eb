"""The report of one submission, and the text and the points in it: the only public schema, versioned.

Every format (terminal, JSON, HTML ...) is rendered from it. Text from the jail is data: a report is sanitized when it is
created or loaded, and each renderer escapes it for its format.
"""

from __future__ import annotations

import copy
import enum
import functools
import re
import unicodedata
from fractions import Fraction
from math import ceil, floor
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SCHEMA: Final = "backgrade/report/v1"
MAX_TEXT = 1_000  # characters of one text from the jail
MAX_FIELD = 4_000  # characters of a field, which may hold several
MAX_MARKS = 4  # accents and other marks on one letter; Hebrew needs this many


class Outcome(enum.StrEnum):
    """The outcome of a check, in the order in which the grader decides it; an instructor grades a manual check."""

    MANUAL = "manual"
    UNGRADABLE = "ungradable"
    BLOCKED = "blocked"
    FAILED = "failed"
    TODO = "todo"
    PASSED = "passed"


class Location(msgspec.Struct, frozen=True):
    """A line of the student's code. `cell` counts all cells from 1; it is None in a plain .py file.

    `inside` is the function around the line, or empty. `section` is the heading above a notebook's cell, or empty.
    """

    file: str
    cell: int | None
    line: int
    text: str = ""
    inside: str = ""
    section: str = ""

    @property
    def part(self) -> str:
        """The part of a notebook in words: its section, else the cell's number; empty in a .py file."""
        if self.cell is None or not self.file.endswith(".ipynb"):
            return ""
        return f'section "{self.section}"' if self.section else f"cell {self.cell}"


class Field(msgspec.Struct, frozen=True):
    """One field of a fact."""

    name: str
    value: str | int | float | list[str]


class Fact(msgspec.Struct, frozen=True):
    """One finding about a submission, as data; the sentences of a report are made from it.

    `key` is equal for two students with the same fault. The first field names the subject of the fact. `more` has further
    lines that contribute to it. Example: kind `answer`, key `slope: 3`, fields `name` and `value`.
    """

    kind: str
    key: str
    fields: list[Field]
    where: Location | None = None
    more: list[Location] = []

    @property
    def about(self) -> str:
        """The operation, function, answer or name that the fact is about."""
        return str(self.fields[0].value) if self.fields else ""

    def get(self, name: str) -> str | int | float | list[str] | None:
        """Return the value of a field; None if the fact has no such field, or its default."""
        return next((field.value for field in self.fields if field.name == name), None)

    def texts(self, name: str) -> list[str]:
        """Return the texts of a field; none if the fact has no such list."""
        value = self.get(name)
        return value if isinstance(value, list) else []


class Mismatch(msgspec.Struct, frozen=True):
    """A value that was read, with its expression and inputs, and the expected value.

    Example: `box.number`, given `box = Box(2)`, is 3, expected 4.
    """

    label: str
    given: str
    actual: str
    expected: str


class KnownMistake(msgspec.Struct, frozen=True):
    """A mistake of the course with exactly the student's readings, or one of its wrong answers that the student gave."""

    id: str
    text: str


class WrongRule(msgspec.Struct, frozen=True):
    """A wrong rule of an operation, as the student's code computes it, verified on fresh numbers.

    `operation` is the name in the manifest. `input` is `self` or `other`, or `out` for a wrong result. `wrote` is a
    statement that would compute the same, in the language of docs/report.md; it is empty if the code writes nothing or
    no statement was found. `words` is a sentence with the names of the test. `more` has further lines that contribute
    to it.
    """

    operation: str
    input: str
    wrote: str
    words: str
    where: Location | None = None
    more: list[Location] = []


class WrongWalk(msgspec.Struct, frozen=True):
    """A walk of the student's code over a graph, with the first wrong step.

    `graph` is an expression, or the edges in words. `student` has the names of the nodes in the order of their
    calls, `right` in an order that would be right. `wrong` is the index of the first wrong step in `student` (its
    length if a call is missing at the end), or None if no single step is wrong. `more` has further lines that contribute
    to it.
    """

    words: str
    graph: str
    student: list[str]
    right: list[str]
    wrong: int | None = None
    where: Location | None = None
    more: list[Location] = []


class Bar(msgspec.Struct, frozen=True):
    """The number of one object at the end of a test; it is finite."""

    label: str
    value: float


class Chart(msgspec.Struct, frozen=True):
    """Numbers of one test, for bars.

    `title` names them and `given` is the expression with its inputs. `negative` and `positive` are the meanings of a
    number below and above 0.
    """

    title: str
    given: str
    negative: str
    positive: str
    bars: list[Bar]


class TraceInput(msgspec.Struct, frozen=True):
    """One input of a node: another node, by its index, or the plain number `value`.

    `local` is the right slope of the node's value for this input. A number that is not finite is a text.
    """

    node: int | None
    value: float | str = 0.0
    local: float | str = 0.0


class TraceNode(msgspec.Struct, frozen=True):
    """One node of a trace's graph: a name or an expression, and its operation, which is empty for a given number."""

    name: str
    op: str = ""
    inputs: list[TraceInput] = []


class TraceStep(msgspec.Struct, frozen=True):
    """One step of a walk over a graph.

    `forward` computes the node's value. `seed` gives a node its first slope, `call` calls the node's rule, and `set`
    is any other change. `changes` has each node that changed, by its index, with its new value (forward) or slope.
    A value that is no finite number is a text.
    """

    kind: Literal["forward", "seed", "call", "set"]
    node: int
    changes: list[tuple[int, float | str]] = []


class Trace(msgspec.Struct, frozen=True):
    """One test's walk over its graph, as the student's code did it, and the same walk done right.

    `given` is the expression with its inputs. `nodes` are in the order in which they were made. `wrong` is the index
    of the first step at which the two walks differ: the length of `student` if steps are missing, None if they do
    not differ. `words` describe this step. `right` is empty if it would reveal the answer to a question. `field` is
    the name of the attribute that the steps change. Numbers that differ by at most `rounding` are equal but for rounding.
    """

    given: str
    nodes: list[TraceNode]
    student: list[TraceStep]
    right: list[TraceStep]
    wrong: int | None = None
    words: str = ""
    field: str = ""
    rounding: float = 1e-9


class CheckResult(msgspec.Struct):
    """One check of the assignment. `visibility` is visible, hidden or both.

    `message` is the finding, `asked` the sentence of the test that it is about.
    `see` is an earlier check with the same cause: that check explains it, and `message` refers to it. `why` explains why
    the answers of a passed check are right. `trace` is present only on request.
    `message`, `rules`, `walk` and `mistakes` are made from `facts`, the most exact first; older versions of Backgrade made
    reports without facts.
    """

    id: str
    title: str
    outcome: Outcome
    score: float
    max_score: float
    visibility: str
    message: str = ""
    asked: str = ""
    see: str = ""
    where: Location | None = None
    frames: list[Location] = []
    readings: list[Mismatch] = []
    rules: list[WrongRule] = []
    walk: WrongWalk | None = None
    mistakes: list[KnownMistake] = []
    why: list[str] = []
    chart: Chart | None = None
    trace: Trace | None = None
    facts: list[Fact] = []
    seconds: float = 0.0


class AssignmentInfo(msgspec.Struct, frozen=True):
    """The assignment."""

    id: str
    title: str


class SubmissionInfo(msgspec.Struct, frozen=True):
    """The submitted file, with the hash of its bytes; `modified` is UTC in ISO 8601.

    `argument` is the path that `grade DAY` needs to grade it again, quoted for a shell; empty for the assignment's notebook.
    """

    path: str
    sha256: str
    modified: str
    argument: str = ""


class GraderInfo(msgspec.Struct, frozen=True):
    """The grader: its version, the hash of the suite, Python, and the isolation in force."""

    version: str
    suite_sha256: str
    python: str
    isolation: list[str]


IN_PAGE = "page"  # a measure of isolation: the student's own browser, which needs no jail


def weakness(isolation: Iterable[str]) -> list[str]:
    """Return the missing protections of a closed jail."""
    missing = [measure for measure in ("landlock", "seccomp") if measure not in set(isolation)]
    return [] if IN_PAGE in set(isolation) else missing


class Report(msgspec.Struct, kw_only=True):
    """The result of grading one submission.

    `score` is None if a check is ungradable; it has no points of manual checks yet. `hidden_checks` is true if hidden
    checks took part. `notes` are about the whole submission, such as a cell that failed. An `advisory` report is about a
    running session without a jail; it is not a grade. `reference` is the path of the reference, if full marks reveal it.
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
    advisory: bool = False
    reference: str = ""

    def __post_init__(self) -> None:
        """Sanitize every text, here, so that no code that makes a text can forget it."""
        for name in self.__struct_fields__:
            setattr(self, name, with_texts(getattr(self, name), sanitize))

    @property
    def waiting(self) -> list[CheckResult]:
        """The manual checks, whose points an instructor gives later."""
        return [check for check in self.checks if check.outcome is Outcome.MANUAL]

    @property
    def judged(self) -> list[CheckResult]:
        """The checks without the manual ones."""
        return [check for check in self.checks if check.outcome is not Outcome.MANUAL]

    @property
    def is_full(self) -> bool:
        """True for full marks, apart from manual checks that still wait for points."""
        return self.score is not None and round_score(self.score + self.waiting_points) == self.max_score

    @property
    def waiting_points(self) -> float:
        """The points of the manual checks."""
        return round_score(sum((exact(check.max_score) for check in self.waiting), Fraction()))

    @property
    def unread(self) -> str:
        """The reason why nothing was graded (the file is missing or cannot be read), or an empty text."""
        return "" if self.submission.sha256 or self.advisory or not self.checks else self.checks[0].message


# --- Text


def sanitize(text: str, limit: int = MAX_FIELD) -> str:
    """Replace invisible characters by spaces, and cap the text.

    These are controls except newlines, direction marks and other invisible characters, lone surrogates and private-use
    characters. Marks beyond MAX_MARKS on a letter are dropped. An invisible character stays after a visible one outside
    ASCII, whose form it may select: in an emoji, in Mongolian.
    """
    text = cap(text, limit)
    plain = text.isascii() and text.isprintable()  # nearly all texts, in a quarter of the time
    return text if plain else _STRANGE.sub(_without_unwanted, text)


def cap(text: str, limit: int = MAX_TEXT) -> str:
    """Shorten the text to `limit` characters, the last three of which are dots."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def one_line(text: str, limit: int = 80) -> str:
    """Sanitize and cap a text for one line."""
    return sanitize(text, limit).replace("\n", " ")


def quote(text: str, limit: int = 80) -> str:
    """Return a name in backticks, sanitized, capped and on one line: for a message that quotes it."""
    name = one_line(text, limit).replace("`", "'")
    return f"`{name}`"


_STRANGE = re.compile(r"[^\n -~]+")
_MARKS = frozenset({"Mn", "Me"})
# Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt) beside the kinds that are unwanted anyway.
NEVER_SHOWN = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
_HIDDEN = re.compile(f"[{NEVER_SHOWN}]")
_UNWANTED = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def _without_unwanted(found: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in found[0]:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in _MARKS else 0
        if marks <= MAX_MARKS:
            unwanted = kind in _UNWANTED or (kind == "Cn" and _is_noncharacter(character))
            if not kept or kept[-1].isspace():
                unwanted = unwanted or _HIDDEN.match(character) is not None
            kept.append(" " if unwanted else character)
    return "".join(kept)


def _is_noncharacter(character: str) -> bool:
    """Return True for a noncharacter, False for a character that this Python does not know yet."""
    return ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of a report, or of a part of one, with every text changed.

    A renderer begins with it, so that no text can be forgotten. `change` must be pure: it is called once for a text that
    occurs many times, such as a name in a trace.
    """
    return _with_texts(value, functools.cache(change))


_WITHOUT_TEXT = {NoneType, bool, int, float}


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if type(value) is str:
        return change(value)
    if type(value) in _WITHOUT_TEXT:
        return value
    if isinstance(value, list):
        return [_with_texts(item, change) for item in value]
    if isinstance(value, tuple):
        return tuple(_with_texts(item, change) for item in value)
    if not isinstance(value, msgspec.Struct):
        return value
    changed = copy.copy(value)
    for name in value.__struct_fields__:
        part = getattr(value, name)
        if type(part) in _WITHOUT_TEXT:  # most of a trace: a call less for each number
            continue
        if (new := _with_texts(part, change)) is not part:
            msgspec.structs.force_setattr(changed, name, new)
    return changed


# --- Points


def round_score(score: Fraction | float) -> float:
    """Return a score with two decimal places, for a report; sums are exact fractions until then."""
    return float(round(Fraction(score), 2))


def whole_points(checks: Iterable[CheckResult]) -> list[tuple[int, int]]:
    """Return score and maximum of each check in whole points, for formats that have no others.

    Both are rounded as running sums, so that they add up: the maxima to their sum, the scores to theirs rounded
    down. A check that passed has full marks; any other one has at least a point less. A score of 0 stays 0, and
    the maximum of a check with points is at least 1. If such a bound takes a point away, the sum is smaller.
    """
    whole: list[tuple[int, int]] = []
    worth = earned = Fraction(0)
    for check in checks:
        scores, maxima = (sum(column) for column in zip((0, 0), *whole, strict=True))
        worth += exact(check.max_score)
        most = max(floor(worth + Fraction(1, 2)) - maxima, 1 if check.max_score else 0)
        if check.outcome is Outcome.PASSED or not most:
            share, score = Fraction(most), most
        else:
            share = most * exact(check.score) / exact(check.max_score)
            score = min(floor(earned + share) - scores, ceil(share), most - 1)
        earned += share
        whole.append((score, most))
    return whole


def exact(points: float) -> Fraction:
    """Return the fraction with a float's decimal digits.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(points))


# --- JSON


def to_json(report: Report) -> str:
    """Return the report as indented JSON without commands for the runner of a CI job."""
    return escape_json(msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n")


def escape_json(text: str) -> str:
    """Escape every `##[` in JSON, which the runner of a CI job would take for a command; decoding restores it.

    No string begins a line, so `::error::` is not a command; `##[error]` would be one anywhere.
    """
    return re.sub(r"##(?=\w*\[)", r"#\\u0023", text)


def from_json(text: str | bytes) -> Report:
    """Return the report in a JSON text. Raises msgspec.DecodeError."""
    return msgspec.json.decode(text, type=Report)

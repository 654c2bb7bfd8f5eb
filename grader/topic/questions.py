"""Questions of an examination as data, and the interface of a topic's examination.

A question is closed: its answer is a number, a name, or one of a few options, and it comes from a run of the submission. A
topic that can run a submission step by step has an `Examination`: kinds of questions about a scene that it makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from grader.report import Field

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.manifest import Manifest
    from grader.report import Report
    from grader.sandbox import Sandbox
    from grader.topic import Topic

T = TypeVar("T")


class Question(msgspec.Struct, frozen=True):
    """A closed question about one submission. `answer` comes from running it.

    With `options` it is one of them, and all differ; without, the student writes a number or a name. The words of the
    question's kind take the rest from `fields`.
    """

    kind: str
    answer: str
    options: tuple[str, ...] = ()
    key: str = ""  # the subject of the question, without numbers
    shows: tuple[str, ...] = ()  # lines of the student's file, and other texts, in the question
    hides: tuple[str, ...] = ()  # the texts that no question of another kind may show on the same sheet
    fields: list[Field] = []

    @property
    def facts(self) -> dict[str, Any]:
        """The answer and the fields, by name."""
        return {"answer": self.answer, **{field.name: field.value for field in self.fields}}

    def gives_away(self, other: Question) -> bool:
        """Return True if this question shows a text that the other one hides, or asks the same."""
        if self.kind == other.kind:
            return self.key == other.key and self is not other
        return bool({*map(bare, self.shows)} & {*map(bare, other.hides)})


def question(
    kind: str,
    answer: Any,
    options: Iterable[str] = (),
    *,
    key: str = "",
    shows: Iterable[str] = (),
    hides: Iterable[str] = (),
    **facts: Any,
) -> Question:
    """Return a question with these facts; empty ones are left out."""
    fields = [Field(n, each if isinstance(each, list) else str(each)) for n, each in facts.items() if each]
    return Question(kind, sheet_number(answer), tuple(options), key, tuple(shows), tuple(hides), fields)


def bare(text: str) -> str:
    """Return a line without spaces, quotes and parentheses, which are a matter of style."""
    return re.sub(r"[\s'\"()]", "", text)


# --- The submission


class SourceEdit(NamedTuple):
    """A text that replaces a part of a block; columns are in characters."""

    kind: str
    line: int
    start: int
    last: int
    end: int
    new: str


class Statement(NamedTuple):
    """A statement in a function. It `fills` if it changes the attribute that questions are about."""

    block: int
    line: int
    function: str
    text: str
    fills: bool
    edits: list[SourceEdit]


class QuestionedWork(Protocol):
    """A submission in an examination. A run that fails, breaks or takes too long gives None.

    `doubts` are sentences for the examiner.
    """

    doubts: list[str]

    def as_graded(self, ask: Callable[[Any], T]) -> T | None:
        """Return the result of `ask(student)`, with its requests sent as the script of a test; None if it fails."""

    def doubt(self, place: str, graded: str, asked: str) -> None:
        """Add the doubt that an expression has one value in grading, and another in the questions."""

    @property
    def manifest(self) -> Manifest:
        """The assignment's manifest."""

    @property
    def topic(self) -> Topic:
        """The assignment's topic."""

    def attempt(self, sources: list[str] | None, work: Callable[[Any, Sandbox], Any]) -> Any:
        """Return the result of `work(student, sandbox)`, None if it fails; `sources` are blocks of an edited submission.

        Raises OutOfTime.
        """

    @property
    def text(self) -> str:
        """The text of the whole file, with comments, text, given code, and cells that are not graded."""

    def spellings(self, statements: Sequence[Statement]) -> list[list[str]]:
        """Return other texts for each of these statements, with the same meaning or another one."""

    def functions(self) -> list[tuple[str, int]]:
        """Return the name and the number of parameters of each function outside of classes."""

    def edit(self, statement: Statement, edit: SourceEdit) -> list[str] | None:
        """Return the sources of all blocks with one edit; None if it does not fit."""

    def place(self, statement: Statement, line: int = 0) -> str:
        """Return words for the location of a statement, or of a line of its block."""

    def line(self, statement: Statement, line: int = 0) -> str:
        """Return the text of a statement's first line, or of another line of its block."""


Box: TypeAlias = tuple[list[str], str, list[int]]  # lines of text, an operation, and the places of its inputs


class SceneWords(msgspec.Struct):
    """The words above the questions: a sentence, the lines of Python that run, and the boxes of a picture."""

    about: str
    lines: list[str]
    boxes: list[Box]


class Scene(Protocol):
    """The subject of a topic's questions, in one submission."""

    def words(self) -> SceneWords:
        """Return the words above the questions."""

    def restart(self, work: QuestionedWork) -> Scene:
        """Return the same scene for independent runs."""

    def play(self, student: Any) -> None:
        """Run it once. Raises StudentError, SubmissionStopped."""

    def compare(self) -> None:
        """Run it again as grading does; add a doubt about a number that differs."""

    def differences(self) -> Iterator[tuple[str, str, str]]:
        """Yield the differences from right work: an expression, its value, and the right value."""


class Asking(NamedTuple):
    """The material for questions: a submission with the student's lines, and a topic's scene, if there is one.

    `report` is the report on the submission.
    """

    work: QuestionedWork
    rng: random.Random
    scene: Any
    statements: list[Statement]
    report: Report | None
    practice: bool

    def sample(self, items: Iterable[T], most: int) -> list[T]:
        """Return at most so many of these, in random order."""
        found = sorted(items) if isinstance(items, set) else [*items]
        return self.rng.sample(found, min(most, len(found)))

    def change(
        self, statement: Statement, edit: SourceEdit, asked: str, was: Any, number: Any, **facts: Any
    ) -> Question:
        """Return the question about an edit that changes a number from `was` to `number`.

        `asked` is the expression that is read or called afterwards.
        """
        sources = self.work.edit(statement, edit)
        assert sources is not None
        old, new = (
            self.work.line(statement, edit.line),
            sources[statement.block].split("\n")[edit.line - 1].strip(),
        )
        return question(
            "edit", number, key=f"{edit.kind} {old}", shows=[old], edit=edit.kind, place=self.work.place(statement, edit.line),
            function=statement.function, old=old, new="" if new == "pass" else new, asked=asked, was=sheet_number(was),
            returns=asked.endswith(")"), **facts,
        )  # fmt: skip


# --- The interface of a topic


class QuestionKind(NamedTuple):
    """A kind of questions: a name, a level from 1 (easy) to 3, the function that asks, and the words.

    The words are the question, the way the answer was found, the meaning of a wrong answer, and a note for the examiner of a
    sheet with this kind. They contain `{fact}`, and `[fact?words|words]` for a fact that may be missing. A sheet has a
    question of a kind that comes `first`, if possible.
    """

    name: str
    level: int
    ask: Callable[[Asking], Iterator[Question]]
    asked: str
    worked: str
    suggests: str
    doubt: str = ""
    first: bool = False


class Examination(Protocol):
    """The questions of a topic."""

    kinds: Mapping[str, QuestionKind]

    def attributes(self, manifest: Manifest) -> tuple[str, str]:
        """Return the attribute that questions are about, and one that students easily write instead."""

    def scene(
        self, work: QuestionedWork, generator: Callable[[str], random.Random], *, practice: bool
    ) -> Scene | None:
        """Return a scene that the submission can play; None if there is none. `generator` gives random numbers by name."""

    def picture(self, boxes: Sequence[Box]) -> str:
        """Return the boxes of a scene as SVG."""


# --- Words and numbers


def sheet_number(number: Any) -> str:
    """Return a number as text for a sheet.

    >>> sheet_number(3.0), sheet_number(-0.25)
    ('3', '-0.25')
    """
    return f"{number:.6g}" if isinstance(number, int | float) else str(number)


def differ(x: float, y: float) -> bool:
    """Return True for numbers that clearly differ on paper."""
    return abs(x - y) > 0.01 * max(1.0, abs(x), abs(y))


def as_code(value: Any) -> str:
    """Return a fact as text for a sentence; in a list, each text becomes code."""
    return ", ".join(f"`{each}`" for each in value) if isinstance(value, list) else str(value)


# The question about an edit, and the way the answer was found.
EDIT_WORDS = (
    (
        "In your function `{function}` ({place}), the line `{old}` is [new?changed to `{new}`|removed]. Nothing else is "
        "changed. [final?What is `{asked}` at the end then?|[returns?What does `{asked}` return then?|What is `{asked}` then?]]"
    ),
    "The file was run with this change. Without the change: `{was}`.",
)

"""Questions of an examination as data, and what a topic gives to it.

A question is closed: its answer is a number, a name, or one of a few options, and it is what came out when the submission was
run. A topic that can run a submission step by step has an `Examination`: kinds of questions about a scene that it makes.
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
    """A closed question about one submission. `answer` is what came out when it was run.

    With `options` it is one of them, and they are all different; without, the answer is a number or a name that is
    written down. The words of its kind take the rest from `fields`.
    """

    kind: str
    answer: str
    options: tuple[str, ...] = ()
    key: str = ""  # what the question asks about, without numbers
    shows: tuple[str, ...] = ()  # the lines of their file, and other texts, that it shows
    hides: tuple[str, ...] = ()  # the texts that no question of another kind may show on the same sheet
    fields: list[Field] = []

    @property
    def facts(self) -> dict[str, Any]:
        """The answer and the fields, by name."""
        return {"answer": self.answer, **{field.name: field.value for field in self.fields}}

    def gives_away(self, other: Question) -> bool:
        """Return True if this question shows what is asked in the other one, or asks the same."""
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
    """Return a question with these facts; what is empty is left out."""
    fields = [Field(n, each if isinstance(each, list) else str(each)) for n, each in facts.items() if each]
    return Question(kind, sheet_number(answer), tuple(options), key, tuple(shows), tuple(hides), fields)


def bare(text: str) -> str:
    """Return a line without what its writing alone decides: spaces, quotes and parentheses."""
    return re.sub(r"[\s'\"()]", "", text)


# --- The submission


class SourceEdit(NamedTuple):
    """A text that is put into the place of a part of a block; columns are in characters."""

    kind: str
    line: int
    start: int
    last: int
    end: int
    new: str


class Statement(NamedTuple):
    """A statement in a function. It `fills` if it changes the attribute by which statements are asked about."""

    block: int
    line: int
    function: str
    text: str
    fills: bool
    edits: list[SourceEdit]


class QuestionedWork(Protocol):
    """A submission that is asked about. What fails, breaks or takes too long gives None.

    `doubts` are sentences for the examiner.
    """

    doubts: list[str]

    def as_graded(self, ask: Callable[[Any], T]) -> T | None:
        """Return what `ask(student)` gives where its requests are the script of a test; None if it fails."""

    def doubt(self, place: str, graded: str, asked: str) -> None:
        """Add the doubt that an expression came out in one way as in grading, and in another for the questions."""

    @property
    def manifest(self) -> Manifest:
        """The assignment's manifest."""

    @property
    def topic(self) -> Topic:
        """The assignment's topic."""

    def attempt(self, sources: list[str] | None, work: Callable[[Any, Sandbox], Any]) -> Any:
        """Return what `work(student, sandbox)` gives, None if it fails; `sources` are those of an edited submission.

        Raises OutOfTime.
        """

    @property
    def text(self) -> str:
        """The text of the whole file: also comments, text and cells that are not graded, and what they were given."""

    def spellings(self, statements: Sequence[Statement]) -> list[list[str]]:
        """Return other texts for each of these statements, which mean something else or the same."""

    def functions(self) -> list[tuple[str, int]]:
        """Return name and number of parameters of the functions outside of classes."""

    def edited(self, statement: Statement, edit: SourceEdit) -> list[str] | None:
        """Return the sources of all blocks with one edit; None if it does not fit."""

    def place(self, statement: Statement, line: int = 0) -> str:
        """Return the location of a statement, or of a line of its block, in words."""

    def line(self, statement: Statement, line: int = 0) -> str:
        """Return the text of a statement's first line, or of another line of its block."""


Box: TypeAlias = tuple[list[str], str, list[int]]  # lines of text, an operation, and the places of its inputs


class SceneWords(msgspec.Struct):
    """The words above the questions: a sentence, the lines of Python that are run, and the boxes of a picture."""

    about: str
    lines: list[str]
    boxes: list[Box]


class Scene(Protocol):
    """What a topic's questions are about, in one submission."""

    def words(self) -> SceneWords:
        """Return what stands above the questions."""

    def again(self, work: QuestionedWork) -> Scene:
        """Return the same scene for independent runs."""

    def play(self, student: Any) -> None:
        """Run it once. Raises StudentError, SubmissionStopped."""

    def compare(self) -> None:
        """Run it once more as grading asks; add a doubt of a number that comes out differently."""

    def differences(self) -> Iterator[tuple[str, str, str]]:
        """Yield what is not as in right work: expression, what came out, and what is right."""


class Asking(NamedTuple):
    """What a kind asks from: a submission with its own lines, and a topic's scene, if there is one.

    `report` is the one on the submission.
    """

    work: QuestionedWork
    rng: random.Random
    scene: Any
    statements: list[Statement]
    report: Report | None
    practice: bool

    def sample(self, items: Iterable[T], most: int) -> list[T]:
        """Return some of these, in random order."""
        found = sorted(items) if isinstance(items, set) else [*items]
        return self.rng.sample(found, min(most, len(found)))

    def change(
        self, statement: Statement, edit: SourceEdit, asked: str, was: Any, number: Any, **facts: Any
    ) -> Question:
        """Return the question about an edit that makes `number` of what `was` there.

        `asked` is what is read or called afterwards.
        """
        sources = self.work.edited(statement, edit)
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


# --- What a topic gives


class QuestionKind(NamedTuple):
    """A kind of questions: a name, how hard it is from 1 to 3, the function that asks, and the words.

    The words are what is asked, how the answer was worked out, what a wrong answer suggests, and what an examiner must know
    of a sheet with such a question: `{fact}`, and `[fact?words|words]` for one that may be missing. A sheet has a question that comes `first` if it can.
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
        """Return the attribute by which statements are asked about, and one that is easily written in its place."""

    def scene(
        self, work: QuestionedWork, generator: Callable[[str], random.Random], *, practice: bool
    ) -> Scene | None:
        """Return a scene that the submission can play; None if there is none. `generator` gives random numbers by name."""

    def picture(self, boxes: Sequence[Box]) -> str:
        """Return the boxes of a scene as SVG."""


# --- Words and numbers


def sheet_number(number: Any) -> str:
    """Return a number as it stands on a sheet: 3, -0.25."""
    return f"{number:.6g}" if isinstance(number, int | float) else str(number)


def differ(x: float, y: float) -> bool:
    """Return True for numbers that nobody takes for the same one on paper."""
    return abs(x - y) > 0.01 * max(1.0, abs(x), abs(y))


def as_code(value: Any) -> str:
    """Return a fact as it stands in words; of several texts each is code."""
    return ", ".join(f"`{each}`" for each in value) if isinstance(value, list) else str(value)


# What is asked about an edit, and how the answer was worked out.
EDIT_WORDS = (
    (
        "In your function `{function}` ({place}), the line `{old}` is [new?changed to `{new}`|removed]. Nothing else is "
        "changed. [final?What is `{asked}` at the end then?|[returns?What does `{asked}` return then?|What is `{asked}` then?]]"
    ),
    "The file was run with this change. Without it: `{was}`.",
)

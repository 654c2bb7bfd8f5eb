"""Questions of an examination as facts, and what a topic gives to it.

A question is closed: its answer is a number, a name, or one of a few options, and it is what came out when the submission was
run. A topic that can run a submission step by step has an `Examination`: kinds of questions about a scene that it makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from grader.topic import Kind

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.manifest import Manifest
    from grader.report import Fact, Report
    from grader.sandbox import Sandbox
    from grader.topic import Topic

T = TypeVar("T")


class Question(Kind, frozen=True, kw_only=True):
    """A closed question about one submission. `answer` is what came out when it was run.

    With `options` it is one of them, and they are all different; without, the answer is a number or a name that is
    written down. `level` says how hard the kind is, from 1 to 3.
    """

    level: ClassVar[int] = 1

    answer: str
    options: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What the question asks about, without numbers."""
        return self.kind

    @property
    def first(self) -> bool:
        """True for a question that a sheet has if it can."""
        return False

    @property
    def shows(self) -> tuple[str, ...]:
        """The lines of their file, and other texts, that the question shows."""
        return ()

    @property
    def hides(self) -> tuple[str, ...]:
        """The texts that no question of another kind may show on the same sheet."""
        return ()

    def gives_away(self, other: Question) -> bool:
        """Return True if this question shows what is asked in the other one, or asks the same."""
        if self.kind == other.kind:
            return self.key == other.key and self is not other
        return bool({*map(bare, self.shows)} & {*map(bare, other.hides)})


def bare(text: str) -> str:
    """Return a line without what its writing alone decides: spaces, quotes and parentheses."""
    return re.sub(r"[\s'\"()]", "", text)


class EditQuestion(Question, frozen=True, kw_only=True):
    """The result of a run with one line changed. `edit` is a kind of edit of viva/inside/lines.py.

    `asked` is what is read or called afterwards, `was` its value without the change. It is `final` if it is what stands
    there when everything has run. `also` are operations whose numbers the change does not explain.
    """

    kind: ClassVar[str] = "edit"
    level: ClassVar[int] = 3

    edit: str
    place: str
    function: str
    old: str
    new: str
    asked: str
    was: str
    final: bool = False
    also: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The edit and the line."""
        return f"{self.edit} {self.old}"

    @property
    def shows(self) -> tuple[str, ...]:
        """The line that is changed."""
        return (self.old,)


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


class Scene(Protocol):
    """What a topic's questions are about, in one submission."""

    def fact(self) -> Fact:
        """Return it as a fact for the sheet."""

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
        self,
        statement: Statement,
        edit: SourceEdit,
        asked: str,
        was: Any,
        number: Any,
        *,
        final: bool,
        also: tuple[str, ...] = (),
    ) -> EditQuestion:
        """Return the question about an edit that makes `number` of what `was` there."""
        sources = self.work.edited(statement, edit)
        assert sources is not None
        return EditQuestion(
            edit=edit.kind,
            place=self.work.place(statement, edit.line),
            function=statement.function,
            old=self.work.line(statement, edit.line),
            new=sources[statement.block].split("\n")[edit.line - 1].strip(),
            asked=asked,
            was=sheet_number(was),
            answer=sheet_number(number),
            final=final,
            also=also,
        )


# --- What a topic gives


class QuestionKind(NamedTuple):
    """A kind of questions: its facts, the function that asks, a name, and the words.

    The words are what is asked, how the answer was worked out, and what a wrong answer suggests.
    """

    of: type[Question]
    ask: Callable[[Asking], Iterator[Question]]
    name: str
    asked: Callable[[Any], str]
    worked: Callable[[Any], str]
    suggests: Callable[[Any], str]


class Examination(Protocol):
    """The questions of a topic."""

    kinds: Mapping[str, QuestionKind]

    def attributes(self, manifest: Manifest) -> tuple[str, str]:
        """Return the attribute by which statements are asked about, and one that is easily written in its place."""

    def scene(
        self, work: QuestionedWork, generator: Callable[[str], random.Random], *, practice: bool
    ) -> Scene | None:
        """Return a scene that the submission can play; None if there is none. `generator` gives random numbers by name."""

    def about(self, scene: Fact) -> str:
        """Return the sentence above the questions."""

    def lines(self, scene: Fact) -> Sequence[str]:
        """Return the lines of Python that are run."""

    def picture(self, scene: Fact) -> str:
        """Return the scene as SVG."""


# --- Words and numbers


def sheet_number(number: Any) -> str:
    """Return a number as it stands on a sheet: 3, -0.25."""
    return f"{number:.6g}" if isinstance(number, int | float) else str(number)


def differ(x: float, y: float) -> bool:
    """Return True for numbers that nobody takes for the same one on paper."""
    return abs(x - y) > 0.01 * max(1.0, abs(x), abs(y))


def edit_words(one: EditQuestion) -> str:
    """Return what is changed, and what is asked then."""
    change = f"In your function `{one.function}` ({one.place}), the line `{one.old}` is "
    change += "taken out." if one.new == "pass" else f"changed to `{one.new}`."
    asks = (
        f"What does `{one.asked}` return then?" if one.asked.endswith(")") else f"What is `{one.asked}` then?"
    )
    end = f"What is `{one.asked}` at the end then?"
    return f"{change} Nothing else is changed. {end if one.final else asks}"


def edit_worked(one: EditQuestion) -> str:
    """Return how the answer was worked out."""
    return f"The file was run with this change. Without it: `{one.was}`."

"""One submission of an examination: its statements, and runs of it as handed in or with one edit, each in a jail."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from grader.sandbox import Deadline, Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.budget import OutOfTime
from grader.sandbox.foreseen import foreseen_modules, named_modules
from grader.sandbox.replay import OtherRequest, Script
from grader.sandbox.student import Unanswered
from grader.submissions.submission import Block
from grader.topic.questions import SourceEdit, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from grader.grading.grader import Grader
    from grader.sandbox.replay import ReplayingSandbox
    from grader.submissions.submission import Sources

T = TypeVar("T")
# Generous, and without waiting for a processor: a sheet must be the same on a busy machine, so RUNS limits the work.
RUN_SECONDS = 10.0  # of one run, after the cells are loaded
SCRIPT_SECONDS = 120.0  # of a run in a script, by the clock: enough even on a very busy machine
READ_SECONDS = 10.0  # to read the statements of a file, which runs nothing
EDITED_SECONDS = 3.0  # of a run with an edit, which may make a loop endless
PATIENCE = 3  # endless calls of functions, or graphs
RUNS = 150  # of one submission, in one order of sets
# Errors of a submission, and of proxies of its objects.
FAILURES = (
    StudentError, Undefined, Unanswered, AssertionError, LookupError, TypeError, ValueError, AttributeError,
    ArithmeticError,
)  # fmt: skip
INSIDE = Path(__file__).with_name("inside") / "lines.py"
REACHED = INSIDE.with_name("reached.py")


class ExaminedWork:
    """A submission of an examination; `order` is the order of sets in its runs.

    A run that fails, breaks or takes too long gives None. Raises OutOfTime when the time of the submission is used up.
    """

    def __init__(
        self,
        grader: Grader,
        sources: Sources,
        *,
        deadline: Deadline,
        order: str = "forward",
    ) -> None:
        """`deadline` is for all runs of the submission."""
        self.grader, self.sources, self._order, self.deadline = grader, sources, order, deadline
        self.manifest, self.topic = grader.assignment.manifest, grader.suite.topic
        self._patience = PATIENCE  # runs without an edit that may still run into a limit
        self.runs = 0  # so far
        self.left = 0  # statements that were not read, in very long functions or files
        self.endless = 0  # runs that took too long
        self.doubts: list[str] = []  # sentences for the examiner about the runs
        self._read: dict[Any, Any] = {}

    @property
    def _attributes(self) -> tuple[str, str]:
        """The attribute that questions about statements need, and its twin; "" if the topic has none."""
        examination = self.topic.examination()
        found: tuple[str, str] = examination.attributes(self.manifest) if examination else ("", "")
        return found

    def restart(self, order: str) -> ExaminedWork:
        """Return the same submission for independent runs."""
        other = ExaminedWork(self.grader, self.sources, deadline=self.deadline, order=order)
        other._read = self._read  # reading the file is not a run
        return other

    # --- Statements

    def statements(self, reached: Collection[tuple[int, int]] = ()) -> list[Statement]:
        """Return the statements in functions, without lines that were handed out; only those `reached`, if any is.

        Code that never runs must not use up the room for the code that questions are about.
        """
        of, places = tuple[list[Statement], int], [*map(list, sorted(reached))]
        found, self.left = self._parse("read_statements", of, self._attributes[0], places)
        return [
            one
            for one in found
            if one.function
            and 0 <= one.block < len(self.sources)
            and self.line(one)
            and self.line(one) not in self.sources.given_lines
        ]

    @property
    def text(self) -> str:
        """The text of the whole file, with comments, text cells, ungraded cells and code that was handed out."""
        return "\n".join(block.source for block in [*self.sources, *self.sources.skipped])

    def spellings(self, statements: Sequence[Statement]) -> list[list[str]]:
        """Return other texts for each of these statements, with the same or another meaning."""
        lines = [[one.block, one.line] for one in statements]
        return self._parse("spellings", list[list[str]], lines, *self._attributes)

    def functions(self) -> list[tuple[str, int]]:
        """Return name and number of parameters of the functions outside classes; handed-out functions come first."""
        found = dict(self._parse("functions", list[tuple[str, int]]))  # the second of two with one name
        return sorted(found.items(), key=lambda one: f"def {one[0]}(" not in self.sources.given)

    def _parse(self, name: str, of: type[T], *args: Any) -> T:
        """Return the result of a function of inside/lines.py, from a jail that executes no student code."""
        key = (name, repr(args))
        if key not in self._read:
            with self._sandbox(
                [], Deadline(READ_SECONDS)
            ) as sandbox:  # also when the time of runs is used up
                sandbox.load()
                read = sandbox.helper(INSIDE.read_text(encoding="utf-8"), name)
                texts = read([block.source for block in self.sources], *args)
            try:
                self._read[key] = msgspec.json.decode("".join(texts), type=of)
            except (msgspec.DecodeError, TypeError) as error:
                raise ValueError("an answer of another form") from error
        found: T = self._read[key]
        return found

    def edit(self, statement: Statement, edit: SourceEdit) -> list[str] | None:
        """Return the sources of all blocks with one edit; None if the edit does not fit."""
        sources = [block.source for block in self.sources]
        lines = sources[statement.block].split("\n")
        first, last = edit.line - 1, edit.last - 1
        if not 0 <= first <= last < len(lines):
            return None
        before, after = lines[first][: edit.start], lines[last][edit.end :]
        lines[first : last + 1] = [before + edit.new + after]
        sources[statement.block] = "\n".join(lines)
        return sources

    def place(self, statement: Statement, line: int = 0) -> str:
        """Return in words the location of a statement, or of a line of its block."""
        return self.sources[statement.block].location(line or statement.line)

    def line(self, statement: Statement, line: int = 0) -> str:
        """Return the text of a statement's first line, or of another line of its block."""
        return self.sources[statement.block].line(line or statement.line)

    # --- Runs

    def attempt(self, sources: list[str] | None, work: Callable[[Any, Sandbox], Any]) -> Any:
        """Return the result of `work`, None if it fails; `sources` are the blocks of an edited submission.

        Cells that have run into a limit do not run again without an edit. Raises OutOfTime, also after RUNS runs.
        """
        self.runs += 1
        if self.runs > RUNS:
            raise OutOfTime
        return self._attempt(sources, work)

    def _attempt(self, sources: list[str] | None, work: Callable[[Any, Sandbox], Any]) -> Any:
        if sources is None and self._patience <= 0:
            return None
        seconds = RUN_SECONDS if sources is None else EDITED_SECONDS
        blocks = [Block("", None, 1, source) for source in sources or self._blocks]
        ends, found = True, None
        with self._sandbox(blocks, self.deadline) as sandbox:
            student = self.topic.student(sandbox, self._order)
            try:
                student.quietly("__name__")  # load the submission before the clock of the run starts
                with sandbox.budget.within("check_seconds", seconds):
                    found = work(student, sandbox)
            except SubmissionStopped:
                ends = False
            except FAILURES:
                pass
            are_cells = any(isinstance(error, SubmissionStopped) for error in sandbox.errors.values())
        ends &= not are_cells
        if sources is None and not ends:
            self._patience -= PATIENCE if are_cells else 1
        self.endless += not ends
        return found

    def as_graded(self, ask: Callable[[Any], T]) -> T | None:
        """Return the result of `ask(student)` in a run like grading; None if it fails.

        The requests arrive as the script of a test, after the scripts of other tests, in a jail like a grading's. A
        submission that behaves differently in an examination gives another answer here.
        """
        requests = list[bytes]()

        def note(request: dict[str, Any], send: Callable[[dict[str, Any]], Any]) -> Any:
            requests.append(msgspec.json.encode(request))
            return send(request)

        def tape(student: Any, sandbox: Sandbox) -> list[str]:
            sandbox.watcher = note
            with contextlib.suppress(*FAILURES):  # keep the requests before the error
                ask(student)
            sandbox.watcher = None
            return sandbox.read_modules()

        seen = self._attempt(None, tape)
        if seen is None:
            return None
        hidden, visible = (self.grader.suite.scripts(side) for side in ("hidden", "visible"))
        script = Script("forward", b"[" + b",".join(requests) + b"]")
        imports = self.manifest.imports
        foreseen = foreseen_modules(named_modules("\n".join(self._blocks), imports), seen, imports)
        with self._sandbox(self.sources, self.deadline, foreseen if hidden else None) as sandbox:
            for each in hidden or visible:
                sandbox.replay(each, RUN_SECONDS)
            sandbox.script_seconds = SCRIPT_SECONDS
            answered = sandbox.replay(script, SCRIPT_SECONDS)
            answers = zip(script.steps, answered.answers if answered else (), strict=False)
            with sandbox.given([*answers]), contextlib.suppress(*FAILURES, SubmissionStopped, OtherRequest):
                return ask(self.topic.student(sandbox)) if answered else None
        return None

    def doubt(self, place: str, graded: str, asked: str) -> None:
        """Add the doubt that an expression gave one value in a run like grading, and another for the questions."""
        came = f"gave `{graded}`" if graded else "gave nothing"
        self.doubts.append(
            f"In a run like grading, `{place}` {came}, but here it gave `{asked}`: read the file."
        )

    def find_reached(self, play: Callable[[Any], None]) -> set[tuple[int, int]]:
        """Return block and line of each statement that runs during `play`, in a run without questions."""

        def follow(student: Any, sandbox: Sandbox) -> Any:
            student.node_class  # load the submission without following it  # noqa: B018
            followed = sandbox.helper(REACHED.read_text(encoding="utf-8"), "follow")
            followed(True)
            with contextlib.suppress(*FAILURES):
                play(student)
            return followed(False)

        return msgspec.convert(self.attempt(None, follow) or [], set[tuple[int, int]])

    @property
    def _blocks(self) -> list[str]:
        return [block.source for block in self.sources]

    @contextlib.contextmanager
    def _sandbox(
        self, blocks: Sequence[Block], deadline: Deadline, foreseen: Sequence[str] | None = None
    ) -> Iterator[ReplayingSandbox]:
        """Open a jail like grading's, with the assignment's limits; `deadline` bounds it like an explanation."""
        if not deadline.left:
            raise OutOfTime
        with self.grader.sandbox(blocks, deadline, foreseen=foreseen) as sandbox, sandbox.explaining():
            yield sandbox

"""One submission that is asked about: its statements, and runs of it or of it with one edit, each in a jail."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from grader.sandbox import Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.budget import OutOfTime
from grader.sandbox.student import Unanswered
from grader.topic.questions import Edit, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.manifest import Manifest
    from grader.sandbox import Opens
    from grader.submissions.submission import Sources
    from grader.topic import Topic

# Generous, for a sheet must be the same on a busy machine: what is asked is bounded by RUNS.
RUN_SECONDS = 10.0  # of one run, beside the load of the cells
EDITED_SECONDS = 3.0  # the same with an edit, which may make a loop that never ends
RUNS = 150  # of one submission, in one order of sets
# What a submission may raise, and what proxies of its objects raise.
FAILURES = (
    StudentError, Undefined, Unanswered, AssertionError, LookupError, TypeError, ValueError, AttributeError,
    ArithmeticError,
)  # fmt: skip
INSIDE = Path(__file__).with_name("inside") / "lines.py"
REACHED = INSIDE.with_name("reached.py")


class Submitted:
    """A submission that is asked about; `order` is that of sets in its runs.

    What fails, breaks or takes too long gives None. Raises OutOfTime when the time of the whole submission is used up.
    """

    late = False  # True once a run was left out because that time is used up

    def __init__(
        self,
        assignment: Assignment,
        launcher: Opens,
        topic: Topic,
        sources: Sources,
        *,
        until: float,
        order: str = "forward",
    ) -> None:
        """`until` is a time of the monotonic clock."""
        self.assignment, self.topic, self.sources = assignment, topic, sources
        self._launcher, self._order, self._until = launcher, order, until
        self._ends = True  # False after the cells, or a graph, ran into a limit
        self.runs = 0  # so far
        self._read: dict[Any, list[Any]] = {}

    @property
    def manifest(self) -> Manifest:
        """The assignment's manifest."""
        return self.assignment.manifest

    @property
    def _attributes(self) -> tuple[str, str]:
        """The attribute by which statements are asked about, and its twin; "" without a topic that has some."""
        examination = self.topic.examination()
        found: tuple[str, str] = examination.attributes(self.manifest) if examination else ("", "")
        return found

    def again(self, order: str) -> Submitted:
        """Return the same submission for independent runs."""
        other = Submitted(
            self.assignment, self._launcher, self.topic, self.sources, until=self._until, order=order
        )
        other._read = self._read  # what stands in the file is no run
        return other

    # --- Statements

    def statements(self) -> list[Statement]:
        """Return the statements in functions, of their own lines alone."""
        return [one for one in self._all() if one.function and self._is_own(one.block, one.line)]

    @property
    def text(self) -> str:
        """The text of the whole file: also comments, text and cells that are not graded, and what they were given."""
        return "\n".join(block.source for block in [*self.sources, *self.sources.skipped])

    def spellings(self, statements: Sequence[Statement]) -> list[list[str]]:
        """Return other texts for each of these statements, which mean something else or the same."""
        lines = [[one.block, one.line] for one in statements]
        return self._parsed("spellings", list[str], lines, *self._attributes)

    def _all(self) -> list[Statement]:
        return self._parsed("read", Statement, self._attributes[0])

    def left_out(self) -> int:
        """Return the number of statements that `statements` does not read: of a very long function or file."""
        return sum(self._parsed("left_out", int, self._attributes[0]))

    def functions(self) -> list[tuple[str, int]]:
        """Return name and number of parameters of the functions outside of classes."""
        return self._parsed("functions", tuple[str, int])

    def _is_own(self, block: int, line: int) -> bool:
        return (
            0 <= block < len(self.sources)
            and bool(text := self.sources[block].line(line))
            and text not in self.sources.given_lines
        )

    def _parsed(self, name: str, of: Any, *args: Any) -> list[Any]:
        """Return what a function of inside/lines.py gives, in a jail in which nothing of the student's is executed."""
        key = (name, repr(args))
        if key not in self._read:
            with self._sandbox(
                [], RUN_SECONDS, RUN_SECONDS
            ) as sandbox:  # also when the time of runs is used up
                sandbox.load()
                read = sandbox.helper(INSIDE.read_text(encoding="utf-8"), name)
                texts = read([block.source for block in self.sources], *args)
            try:
                self._read[key] = msgspec.json.decode("".join(texts), type=list[of])
            except (msgspec.DecodeError, TypeError) as error:
                raise ValueError("an answer of another form") from error
        return self._read[key]

    def edited(self, statement: Statement, edit: Edit) -> list[str] | None:
        """Return the sources of all blocks with one edit; None if it does not fit."""
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
        """Return the location of a statement, or of a line of its block, in words."""
        return self.sources[statement.block].location(line or statement.line)

    def line(self, statement: Statement, line: int = 0) -> str:
        """Return the text of a statement's first line, or of another line of its block."""
        return self.sources[statement.block].line(line or statement.line)

    # --- Runs

    def attempt(self, sources: list[str] | None, work: Callable[[Any, Sandbox], Any]) -> Any:
        """Return what the work gives, None if it fails; `sources` are those of an edited submission.

        What has run into a limit is not run again, but with an edit. Raises OutOfTime, also after RUNS.
        """
        self.runs += 1
        if self.runs > RUNS:
            raise OutOfTime
        if sources is None and not self._ends:
            return None
        blocks = [block.source for block in self.sources] if sources is None else sources
        ends, found = True, None
        with self._sandbox(blocks, RUN_SECONDS if sources is None else EDITED_SECONDS) as sandbox:
            try:
                found = work(self.topic.student(sandbox, self._order), sandbox)
            except SubmissionStopped:
                ends = False
            except FAILURES:
                pass
            ends &= not any(isinstance(error, SubmissionStopped) for error in sandbox.errors.values())
        self._ends &= ends or sources is not None
        return found

    def reached(self, play: Callable[[Any], None]) -> set[tuple[int, int]]:
        """Return block and line of what runs while `play` does; it runs apart from what is asked."""

        def follow(student: Any, sandbox: Sandbox) -> Any:
            student.node_class  # loads the submission, which is not to be followed  # noqa: B018
            followed = sandbox.helper(REACHED.read_text(encoding="utf-8"), "follow")
            followed(True)
            with contextlib.suppress(*FAILURES):
                play(student)
            return followed(False)

        return msgspec.convert(self.attempt(None, follow) or [], set[tuple[int, int]])

    @contextlib.contextmanager
    def _sandbox(self, blocks: list[str], seconds: float, left: float | None = None) -> Iterator[Sandbox]:
        left = self._until - time.monotonic() if left is None else left
        if left <= 0:
            self.late = True
            raise OutOfTime
        manifest, own = self.manifest, self.manifest.limits
        limits = replace(own, check_seconds=seconds, total_seconds=min(left, own.load_seconds + 2 * seconds))
        sandbox = Sandbox(
            self._launcher,
            blocks,
            limits,
            manifest.imports,
            arrays=manifest.arrays,
            data=self.assignment.data,
            names=manifest.names,
        )
        try:
            with sandbox.budget.within("check_seconds", seconds):
                yield sandbox
        finally:
            sandbox.close()

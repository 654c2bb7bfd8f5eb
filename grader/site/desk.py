"""A desk runs the cells of a day and checks its notebook, for a page; it stands in the page's worker.

Each method takes and returns plain data. A cell runs in one namespace, as in a kernel; a check grades the notebook as
it is written, as `grade DAY` does, whatever was run.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import sys
import time
import traceback
import types
from typing import TYPE_CHECKING, Any

from grader.console import printing_to, quiet
from grader.errors import Broken, Refused
from grader.grading.grader import open_grader
from grader.practice.check import html_with_player
from grader.practice.hints import hints_about
from grader.render import escape, escape_line
from grader.render.html import line_in_html
from grader.report import Outcome
from grader.sandbox.inside.cells import Capture
from grader.sandbox.live import as_much_stack
from grader.site.here import LEVELS, Here, Late, Pulse, keep_lines
from grader.submissions.intake import in_course, refuse_other_notebook
from grader.submissions.submission import SubmissionError, submission_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.assignment import Assignment
    from grader.grading.grader import Grader
    from grader.report import CheckResult

NO_KEYBOARD = "\nThere is no keyboard here: write a value in place of input()."
MAX_OUTPUT = 100_000  # characters of a cell's output that are shown


class Desk:
    """One day's page. `beat` hears now and then in which line the student's code stands."""

    def __init__(self, assignment: Assignment, beat: Callable[[str], None]) -> None:
        self.assignment = assignment
        # That one cell may run; in a grading, all cells.
        self.seconds = assignment.manifest.limits.load_seconds
        self.pulse = Pulse(beat)
        self._stack = contextlib.ExitStack()
        self._grader: Grader | None = None
        self._unprepared = list(assignment.manifest.checks)
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        self.namespace: dict[str, Any] = module.__dict__

    def prepare(self) -> bool:
        """Check the untouched notebook by one check, so that a student's first one waits for no import; True until all are.

        Each is a step of its own, so that a question meanwhile does not wait for all of them.
        """
        only = self._unprepared.pop(0)
        self.check(self.assignment.pristine.read_text(encoding="utf-8"), only)
        return bool(self._unprepared)

    def tidy(self) -> None:
        """Free what the last question has left, which a jail's end does elsewhere: else each check takes longer."""
        gc.unfreeze()
        gc.collect()

    # Cells

    def run(self, cell: str, source: str) -> list[dict[str, str]]:
        """Execute a cell; return what it printed, its last value and its error, as `{"kind": ..., "text": ...}`.

        A kind is `text`, `error`, `memory` or `picture` (SVG). `memory` is an error after which Python must begin anew,
        since nothing may work any more. `cell` is the cell's id.
        """
        file, printed = f"<{cell}>", Capture(MAX_OUTPUT)
        keep_lines(file, source)
        found = []
        try:
            until = self.pulse.until(time.monotonic() + self.seconds)
            with _printing_to(printed), as_much_stack(LEVELS), until:
                value = self._execute(source, file)
                found = [] if value is None else [_show_value(value)]
        except MemoryError as error:
            traceback.clear_frames(error.__traceback__)  # frees what filled it, so that this can be said
            self.namespace.clear()
            found = [{"kind": "memory", "text": escape(_error_text(error, file, self.seconds))}]
        except BaseException as error:
            found = [{"kind": "error", "text": escape(_error_text(error, file, self.seconds))}]
        return [*_outputs(printed), *found]

    def _execute(self, source: str, file: str) -> object:
        """Execute a cell and return the value of its last line, if that is an expression."""
        tree, last = ast.parse(source, file), None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        code = compile(tree, file, "exec", dont_inherit=True)
        self.pulse.watch(code)
        exec(code, self.namespace)
        if last is None:
            return None
        value_code = compile(last, file, "eval", dont_inherit=True)
        self.pulse.watch(value_code)
        return eval(value_code, self.namespace)

    # Checks

    def _checks(self) -> Grader:
        if self._grader is None:
            self._grader = self._stack.enter_context(open_grader(self.assignment, Here(self.pulse)))
        return self._grader

    def check(self, notebook: str, only: str | None = None) -> dict[str, Any]:
        """Grade the notebook, a text in JSON, by all visible checks or by one.

        Returns the feedback as HTML, and id, outcome, score and hints of each check; no checks if nothing could be graded.
        """
        path = self.assignment.stub
        try:
            submission = submission_from(path, notebook.encode())
            refuse_other_notebook(self.assignment, submission)
            submission = in_course(self.assignment, submission, own=True)
            with quiet():
                report = self._checks().grade(submission, only, traces=True)
        except (SubmissionError, Refused, Broken) as error:
            return {"html": line_in_html(escape_line(str(error))), "checks": []}
        return {"html": html_with_player(report), "checks": [self._shown_check(c) for c in report.checks]}

    def play(self, notebook: str, given: dict[str, Any]) -> dict[str, Any]:
        """Run what the player's page gives in the notebook's code; return its trace and the error that ended it."""
        from grader.site.play import play  # late: only the player's page needs it

        try:
            submission = in_course(
                self.assignment, submission_from(self.assignment.stub, notebook.encode()), own=True
            )
            with quiet():
                return play(self._checks(), submission, given)
        except (SubmissionError, Refused, Broken) as error:
            return {"trace": None, "error": escape_line(str(error))}

    def _shown_check(self, check: CheckResult) -> dict[str, Any]:
        facts = check.facts if check.outcome is Outcome.FAILED else []
        hints = hints_about(self.assignment, check.id, facts)
        return {"id": check.id, "outcome": str(check.outcome), "score": check.score, "hints": hints}


def _outputs(printed: Capture) -> list[dict[str, str]]:
    """Return what a cell printed as outputs; none if nothing was printed."""
    text = escape("".join(printed.kept))
    if printed.size > MAX_OUTPUT:
        text += f"\n... {printed.size - MAX_OUTPUT} more characters"
    return [{"kind": "text", "text": text}] if text else []


@contextlib.contextmanager
def _printing_to(printed: Capture) -> Iterator[None]:
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        with printing_to(printed):
            yield
    finally:
        sys.stdin = stdin


def _show_value(value: object) -> dict[str, str]:
    """Return the last value of a cell: its picture if it has one, else its text."""
    picture = getattr(value, "_repr_svg_", None)
    svg = picture() if callable(picture) else None
    if isinstance(svg, str):
        return {"kind": "picture", "text": svg[:MAX_OUTPUT]}
    return {"kind": "text", "text": escape(repr(value))[:MAX_OUTPUT]}


def _error_text(error: BaseException, file: str, seconds: float) -> str:
    """Return the traceback without our own frames, or where a cell stood that ran too long or filled the memory."""
    trace = traceback.TracebackException.from_exception(error)
    first = next((at for at, frame in enumerate(trace.stack) if frame.filename == file), len(trace.stack))
    kept = [
        frame
        for frame in trace.stack[first:]
        if frame.filename != __file__ and "contextlib" not in frame.filename
    ]
    if isinstance(error, (Late, MemoryError)):
        line = next((frame for frame in reversed(kept) if frame.filename == file), None)
        where = f" It stood in line {line.lineno}: {line.line}" if line else ""
        late = f"was stopped, because it ran for more than {seconds:g} seconds."
        return f"This cell {late if isinstance(error, Late) else 'ran out of memory, so Python starts again.'}{where}"
    trace.stack = traceback.StackSummary.from_list(kept)
    text = "".join(trace.format()).rstrip().replace(f'File "{file}"', "This cell")
    return f"{text}{NO_KEYBOARD if type(error) is EOFError and 'EOF when reading' in text else ''}"

"""Grader: from a submission to its Report."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import io
import os
import platform
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from grader import __version__
from grader.console import printing_to, quiet, say, show
from grader.errors import Broken
from grader.grading import sealed
from grader.grading.answers import read_tables
from grader.grading.checkresults import Verdicts
from grader.grading.explanations import explain_causes_once, explain_checks
from grader.grading.feedback import load_notes
from grader.grading.fingerprints import read_known
from grader.grading.hidden import HiddenTests
from grader.grading.records import read_replays
from grader.grading.run import CheckFile, Running
from grader.grading.suite import Suite, open_suite
from grader.grading.suitehash import hash_of_data, hash_of_suite
from grader.grading.verdicts import overall, ran_out_of_time, report_without_tests, score_of
from grader.report import (
    AssignmentInfo,
    CheckResult,
    GraderInfo,
    Outcome,
    Report,
    SubmissionInfo,
    round_score,
)
from grader.sandbox import EXPLAIN_SECONDS, Deadline, safely
from grader.sandbox.foreseen import foreseen_modules, named_modules
from grader.sandbox.replay import ReplayingSandbox
from grader.submissions.handed_out import find_unwritten, forms_of, manual_checks
from grader.submissions.intake import accept, accept_work, given_blocks, shown_path
from grader.submissions.states import NOT_WORKED
from grader.submissions.submission import Sources, SubmissionError
from grader.topic import Test, make_topic

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.grading.answers import Table
    from grader.grading.fingerprints import SealedMistakes
    from grader.sandbox import Launcher, Opens, Sandbox
    from grader.submissions.submission import Block, Submission
    from grader.submissions.work import Work
    from grader.topic import TestResult


INCOMPLETE = (
    "The explanations may be incomplete: making them took too long or was interrupted. If the machine was busy, grade "
    "again."
)
Traces: TypeAlias = "bool | Collection[str]"  # of failed checks, or of the checks with these names


def grade(
    assignment: Assignment,
    path: Path,
    launcher: Launcher,
    *,
    only: str | None = None,
    allow_weak_isolation: bool = False,
    report_unread: bool = False,
    traces: Traces = False,
) -> Report:
    """Grade one file. Raises SubmissionError, Refused, SandboxUnavailable.

    With `report_unread`, a file that is missing or unreadable gets a report of 0 points with the reason.
    The output of checks, which may contain a student's text, goes to the standard error without control characters.
    """
    try:
        submission = accept(assignment, path, launcher, allow_weak_isolation=allow_weak_isolation)
    except SubmissionError as error:
        if not report_unread:
            raise
        why = str(error).removeprefix(f"{path}: ").replace(f"{assignment.course.root}{os.sep}", "")
        with open_grader(assignment, launcher) as grader:
            shown = shown_path(assignment, path, own=assignment.course.owns(path))
            return grader.grade_nothing(shown, why, only)
    printed = io.StringIO()
    launcher.foresees = assignment.has_hidden
    try:
        with printing_to(printed), open_grader(assignment, launcher) as grader:
            return grader.grade(submission, only, traces=traces)
    finally:
        show(printed.getvalue(), err=True)


def grade_work(grader: Grader, work: Work) -> Report:
    """Return the report on one student's work; 0 points if it is missing or cannot be read.

    Discards the output of checks, which may contain a student's text. Raises SandboxUnavailable.
    """
    if work.data is None or work.trouble:
        return grader.grade_nothing(work.name, work.trouble)
    try:
        submission = accept_work(grader.assignment, work)
    except SubmissionError as error:
        return grader.grade_nothing(work.name, str(error).removeprefix(f"{work.name}: "))
    with quiet():
        report = grader.grade(submission)
    return grader.without_unwritten(report, work)


@contextlib.contextmanager
def open_grader(
    assignment: Assignment,
    launcher: Opens,
    salt: str | None = None,
    answers: Mapping[str, Table] | None = None,
) -> Iterator[Grader]:
    """Yield a Grader, ready for any number of submissions.

    `salt` and `answers` replace the assignment's own salt and the answers of its sealed files. Without `answers`, a
    replay.json that is missing or unusable is reported on the standard error.

    Raises Refused and Broken when the course is broken.
    """
    specs = assignment.manifest.checks
    files = [
        CheckFile(
            c, side, path, specs[c].orders, specs[c].needs, specs[c].chart, hash_of_data(assignment, side)
        )
        for c, side, path in assignment.check_files()
    ]
    if not files:
        where = assignment.checks_folder("visible")
        raise Broken(f"{where}: this folder has no checks; get it from the course's repository again")
    salts = {"visible": "visible", "hidden": assignment.salt if salt is None else salt}
    topic = make_topic(assignment.manifest.topic, assignment.checks_folders)
    records, unusable = read_replays(files, salts, topic.record)
    if answers is None:
        remedy = f"`grade stub {assignment.name}` writes it again"
        if not assignment.reference.is_file():  # a student's copy
            remedy = "the result is the same, and a newer copy of the course may have the file"
        for path, why in unusable:
            file = path.relative_to(assignment.course.root).as_posix()
            say(f"{file} {why}, so grading takes longer; {remedy}", err=True)
    tables = read_tables(assignment.checks_folders) if answers is None else answers
    arrays = assignment.manifest.arrays
    with open_suite(files, salts, topic, tables, records=records, arrays=arrays) as suite:
        yield Grader(assignment, suite, launcher)


class Grader:
    """Grades submissions of one assignment, one after another, with one suite."""

    def __init__(self, assignment: Assignment, suite: Suite, launcher: Opens) -> None:
        self.assignment, self.suite, self.launcher = assignment, suite, launcher
        self.verdicts = Verdicts(assignment, suite)
        self.has_hidden = assignment.has_hidden  # read once: it lists a folder
        self.suite_sha256 = hash_of_suite(assignment)

    @functools.cached_property
    def known_mistakes(self) -> SealedMistakes:
        """The known mistakes. Raises Broken for a damaged file."""
        return read_known(self.assignment.checks_folder("visible") / sealed.FILE)

    def grade(self, submission: Submission, only: str | None = None, *, traces: Traces = False) -> Report:
        """Grade a submission by every check, or by the check `only`.

        `traces` adds traces to the failed checks, or to the checks with these names.
        Raises SandboxUnavailable when no jail can be started.
        """
        sources = submission.sources(self.given_code)
        return self.grade_sources(submission.info, sources, submission.notes, only, traces=traces)

    def grade_sources(
        self,
        submission: SubmissionInfo,
        sources: Sources,
        problems: Sequence[str] = (),
        only: str | None = None,
        *,
        live: bool = False,
        traces: Traces = False,
    ) -> Report:
        """Run and explain the checks over these sources; `problems` are notes for the student.

        With `live`, the sources are a running namespace, which the launcher opens, and the report is advisory.
        Raises SandboxUnavailable when no jail can be started.
        """
        started, clock = dt.datetime.now(dt.UTC), time.perf_counter()
        first, rest = list[Test](), list[Test]()
        for test in self.suite.tests_of(None if only is None else {only}):
            (first if self.suite.sends_nothing_hidden(test) else rest).append(test)

        # Jail A: the visible tests, and every explanation of what they found.
        with self.sandbox(sources, Deadline(EXPLAIN_SECONDS)) as sandbox:
            running = Running(sandbox, None, lambda test: test.key in self.known_mistakes.tests)
            results = self.suite.judge(running, first)
            # A check that only the rest of the tests judge has no verdict yet.
            without = {test.check for test in rest} - {test.check for test in first}
            verdicts = self.verdicts.of(results, only, without=without)
            seen, is_cut = self._explain(verdicts, results, sandbox, sources, single=only is not None)
            seen = self._trace(traces, seen, results, sandbox)
            safely(sandbox.read_names, None)
            foreseen = self._foreseen(sources, sandbox) if rest else []
        # Without hidden tests: a submission chooses the time that they take.
        seconds = round(time.perf_counter() - clock, 3)

        # Jails B and C: the hidden tests, of which only outcomes are kept.
        hidden = HiddenTests(
            *(self.suite, self.assignment.manifest, sources, running, rest),
            lambda sealed: self.sandbox(sources, follows=sandbox, foreseen=foreseen if sealed else None),
        )
        told = hidden.explain(self.verdicts.of(results, only, hidden.judge()), seen)

        # No jail is open any more: each cause once, the notes, the report.
        checks, reported = safely(lambda: explain_causes_once(told, results), (told, list[BaseException]()))
        notes = [] if live else safely(lambda: load_notes(sandbox, sources, reported), list[str]())
        notes += [INCOMPLETE] if is_cut else []
        return Report(
            assignment=AssignmentInfo(self.assignment.name, self.assignment.manifest.title),
            submission=submission,
            grader=self._grader_info(),
            started=started.isoformat(timespec="seconds"),
            seconds=seconds,
            score=score_of(checks),
            max_score=round_score(sum(Fraction(check.max_score) for check in checks)),
            outcome=overall(checks),
            checks=checks,
            hidden_checks=self.has_hidden and not live,
            notes=[*problems, *notes],
            advisory=live,
            reference=self._reference(checks),
        )

    def _explain(
        self,
        verdicts: list[CheckResult],
        results: list[TestResult],
        sandbox: Sandbox,
        sources: Sources,
        *,
        single: bool,
    ) -> tuple[list[CheckResult], bool]:
        """Return the explained checks, and True if some explanation was cut short by a busy machine."""
        topic, manifest, deadline = self.suite.topic, self.assignment.manifest, sandbox.budget.deadline
        explain = functools.partial(
            explain_checks,
            *(verdicts, results, sandbox, sources, manifest, topic, lambda: self.known_mistakes),
            single=single,
            watch=functools.partial(self.suite.watch, sandbox),
        )
        cut = deadline.cut  # during the tests, which do not run again
        seen = explain()
        if ran_out_of_time(results):
            return seen, False
        if deadline.cut:
            sandbox.budget.deadline = Deadline(EXPLAIN_SECONDS)
            seen = explain()
        return seen, cut or sandbox.budget.deadline.cut

    def _trace(
        self,
        traces: Traces,
        checks: list[CheckResult],
        results: Sequence[TestResult],
        sandbox: Sandbox,
    ) -> list[CheckResult]:
        if not traces:
            return checks
        from grader.grading.traces import with_traces  # late: only some ask

        wanted = None if traces is True else traces
        return with_traces(checks, results, sandbox, self.suite, self.assignment.manifest, wanted)

    def _foreseen(self, sources: Sources, sandbox: Sandbox) -> list[str]:
        """Return the modules to import before a jail with these sources is sealed."""
        imports = self.assignment.manifest.imports
        named = named_modules("\n".join(block.source for block in sources), imports)
        return foreseen_modules([*named, *self._named_in_checks], sandbox.read_modules(), imports)

    @functools.cached_property
    def _named_in_checks(self) -> list[str]:
        """The modules that the check files import, whose helpers run in the jail."""
        paths = [
            path for folder in {path.parent for path in self.suite.files} for path in folder.glob("*.py")
        ]
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
        lines = [line for text in texts for line in text.splitlines() if "import" in line or "np." in line]
        return named_modules("\n".join(lines), self.assignment.manifest.imports)

    def sandbox(
        self,
        blocks: Sequence[Block],
        deadline: Deadline | None = None,
        follows: Sandbox | None = None,
        foreseen: Sequence[str] | None = None,
        *,
        of_author: bool = False,
    ) -> contextlib.closing[ReplayingSandbox]:
        """Return a sandbox of these blocks, to be opened by `with`; without a `deadline`, explanations have no time limit.

        With `foreseen`, the modules to import first, it is sealed. `of_author` also gives it the data of hidden tests.
        """
        sources, manifest = [block.source for block in blocks], self.assignment.manifest
        data = self.assignment.data
        if foreseen is None and not of_author:
            data = dict.fromkeys(data, data["visible"])
        sandbox = ReplayingSandbox(
            self.launcher,
            sources,
            manifest.limits,
            manifest.imports,
            arrays=manifest.arrays,
            data=data,
            names=manifest.names,
            deadline=deadline,
            follows=follows,
            foreseen=foreseen,
        )
        return contextlib.closing(sandbox)

    def _reference(self, checks: Sequence[CheckResult]) -> str:
        """Return the path of the reference if all checks of the assignment passed and the manifest allows it; else ""."""
        manifest, reference = self.assignment.manifest, self.assignment.reference
        full = self.has_hidden and len(checks) == len(manifest.checks) and overall(checks) is Outcome.PASSED
        if not (full and manifest.reference == "full_marks" and reference.is_file()):
            return ""
        return reference.relative_to(self.assignment.course.root).as_posix()

    def _grader_info(self) -> GraderInfo:
        return GraderInfo(
            version=__version__,
            suite_sha256=self.suite_sha256,
            python=platform.python_version(),
            isolation=list(self.launcher.in_force),
        )

    def grade_nothing(self, path: str, why: str, only: str | None = None) -> Report:
        """Return the report of a missing or unreadable file: every check is to do, and the first message is `why`.

        Every student of a class needs a score, and a deleted or renamed notebook counts like an untouched one. The
        report shows `path` and has no hash, because no file was graded.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        names = [name for name in self.assignment.manifest.checks if only in (None, name)]
        return report_without_tests(
            self.assignment,
            Outcome.TODO,
            why,
            submission=SubmissionInfo(path, "", now),
            grader=self._grader_info(),
            started=now,
            titles={name: self.verdicts.title(name) for name in names},
        )

    def without_unwritten(self, report: Report, work: Work) -> Report:
        """Return the report with 0 points for each manual check that the student wrote nothing for."""
        manual: Collection[str] = manual_checks(self.assignment)
        what = "the notebook"
        if manual and work.data is not None and not isinstance(work.state, NOT_WORKED):
            manual, what = find_unwritten(self._handed_out, manual, work.name, work.data), "its cell"
        if not manual:
            return report
        checks = [
            replace(
                check,
                outcome=Outcome.TODO,
                message=f"You wrote nothing for `{check.id}`: {what} is unchanged.",
            )
            if check.id in manual
            else check
            for check in report.checks
        ]
        return replace(report, checks=checks, outcome=overall(checks), reference="")

    @functools.cached_property
    def _handed_out(self) -> Sequence[bytes]:
        return forms_of(self.assignment)

    @functools.cache  # noqa: B019  a grader lives as long as its process
    def given_code(self) -> str:
        """Return the code of the stubs of this assignment and of the assignments that it continues."""
        return "\n".join(block.source for block in given_blocks(self.assignment))

    def run(
        self, blocks: Sequence[Block], only: str | Collection[str] | None = None, **how: Any
    ) -> tuple[list[str], list[TestResult]]:
        """Run an author's blocks; return the notes about the cells and the results of the tests (see `Suite.run`)."""
        with self.sandbox(blocks, of_author=True) as sandbox:
            results = self.suite.run(sandbox, only, **how)
            return load_notes(sandbox, Sources(blocks), of_time=False), results

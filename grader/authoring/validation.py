"""`grade validate`: every fault of an assignment, causes first, and a real kernel last."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from grader.authoring.file_rules import cause_rules, check_rules, file_rules
from grader.authoring.grading_rules import grading_rules, one_check_rules, unusable
from grader.authoring.reference import kernel_errors, make_notebook, read_reference
from grader.authoring.runner import Runner, environment, hash_parts, open_runner
from grader.files import read_cache, write_cache
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from grader.assignment import Assignment
    from grader.authoring.reference import KernelError
    from grader.authoring.runner import Progress
    from grader.authoring.workers import ProcessPool

ALLOWED = {"reference": set[str](), "stub": {"NotImplementedError", "NameError"}}  # errors in a kernel


def validate(assignment: Assignment, workers: ProcessPool, progress: Progress | None = None) -> list[str]:
    """Return the faults of an assignment as sentences, causes first; change nothing.

    Consequences of another problem are left out; a later run reports them once that problem is fixed.
    Raises Broken and Refused when the assignment cannot be read at all.
    """
    with (
        Launcher() as launcher,
        begin_validation(assignment, launcher, workers, progress) as (problems, runner),
    ):
        if runner is None:
            return problems
        kernel = _start_kernel(runner, workers)
        found = [*problems, *grading_rules(runner, sound=not problems)]
        return [
            *found,
            *(
                f"{assignment.reference}: in a kernel, cell {cell} of the {notebook} raises {kind}: {text}; fix it"
                for notebook, cell, kind, text in _wrong(kernel.result() if kernel else [])
            ),
        ]


@contextlib.contextmanager
def begin_validation(
    assignment: Assignment,
    launcher: Launcher,
    workers: ProcessPool | None = None,
    progress: Progress | None = None,
    only: str | None = None,
) -> Iterator[tuple[list[str], Runner | None]]:
    """Yield the problems that are found before grading, of all checks or of one, and a runner if the reference can be graded."""
    read_reference(assignment)
    causes = list(cause_rules(assignment))
    others = list(check_rules(assignment, only) if only else file_rules(assignment))
    if causes:
        yield [*causes, *others], None
        return
    with open_runner(assignment, launcher, workers=workers, progress=progress) as runner:
        reasons = list(unusable(runner, only))
        yield [*others, *reasons], None if reasons else runner


def validate_check(
    assignment: Assignment, check: str, workers: ProcessPool | None = None, progress: Progress | None = None
) -> list[str]:
    """Return the faults of one check: as `validate`, without those of the whole assignment."""
    with (
        Launcher() as launcher,
        begin_validation(assignment, launcher, workers, progress, check) as (problems, runner),
    ):
        return problems if runner is None else [*problems, *one_check_rules(runner, check)]


# --- A real kernel


def _start_kernel(runner: Runner, workers: ProcessPool) -> Future[list[KernelError]] | None:
    """Begin to run the notebooks; None if they are known to run: the same ones, with the same Python and packages."""
    assignment = runner.assignment
    notebooks = {name: make_notebook(assignment, solved=name == "reference") for name in ALLOWED}
    data = assignment.own_data["visible"]
    key = hash_parts(environment(), *notebooks.values(), *data, *data.values())
    if read_cache("kernels", key) is not None:
        return None
    runner.progress.begin(1)
    kernel = workers.submit(kernel_errors, notebooks, assignment.folder if data else None)

    def end(done: Future[list[KernelError]]) -> None:
        runner.progress.end()
        if not done.cancelled() and not done.exception() and not _wrong(done.result()):
            write_cache("kernels", key, b"")

    kernel.add_done_callback(end)
    return kernel


def _wrong(errors: list[KernelError]) -> list[KernelError]:
    return [error for error in errors if error.kind not in ALLOWED[error.notebook]]

"""`grade validate`: every fault of an assignment, causes first, and a real kernel last."""

from __future__ import annotations

import contextlib
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from grader.authoring.file_rules import cause_rules, check_rules, file_rules
from grader.authoring.grading_rules import grading_rules, one_check_rules, unusable
from grader.authoring.reference import for_instructors, make_notebook, read_reference
from grader.authoring.runner import Runner, environment, hash_parts, open_runner
from grader.errors import Broken
from grader.files import read_cache, write_cache
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.authoring.runner import Progress
    from grader.authoring.workers import ProcessPool

KERNEL_SECONDS = 120
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
                f"{assignment.reference}: in a kernel, cell {cell} of the {notebook} raises {kind}: {text}; fix this cell"
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


class _KernelError(NamedTuple):
    """An error of a cell of one of several notebooks, or what ended the kernel there."""

    notebook: str
    cell: int
    kind: str
    text: str


def _kernel_errors(notebooks: Mapping[str, str], folder: Path | None = None) -> list[_KernelError]:
    """Run notebooks, by name, from top to bottom in one real kernel, which forgets all names between them.

    A notebook that hangs or kills the kernel is the last that runs. `folder` has the `data/` of the notebooks.
    """
    with for_instructors():
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

    cells, together = {}, nbformat.v4.new_notebook()
    for name, text in notebooks.items():
        together.cells.append(nbformat.v4.new_code_cell("%reset -f"))
        for number, cell in enumerate(nbformat.reads(text, as_version=4).cells, start=1):
            cell["id"] = f"{name}-{number}"  # the notebooks' own may be alike
            cells[name, number] = cell
            together.cells.append(cell)
    client = NotebookClient(
        together,
        timeout=KERNEL_SECONDS,
        allow_errors=True,
        kernel_name="python3",
        extra_arguments=["--InteractiveShell.xmode=Minimal"],  # its tracebacks are never read
        shutdown_kernel="immediate",
    )
    where = {"cwd": str(folder)} if folder else {}
    ended = []
    try:
        # the kernel's own messages, above all at its end, would mix with ours
        client.execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **where)
    except (CellTimeoutError, DeadKernelError) as error:
        begun = [next(iter(cells)), *(place for place, cell in cells.items() if "execution" in cell.metadata)]
        ended = [_KernelError(*begun[-1], type(error).__name__, str(error).split("\n")[0])]
    except Exception as error:  # of Jupyter, which tells a kernel that does not start in several ways
        raise Broken(
            f"the notebooks could not be run in a Jupyter kernel ({type(error).__name__}: {error}); make sure that the disk "
            "is not full, and that `jupyter console` starts"
        ) from error
    raised = [
        _KernelError(*place, output.ename, output.evalue)
        for place, cell in cells.items()
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]
    return raised + ended


def _start_kernel(runner: Runner, workers: ProcessPool) -> Future[list[_KernelError]] | None:
    """Begin to run the notebooks; None if they are known to run: the same ones, with the same Python and packages."""
    assignment = runner.assignment
    notebooks = {name: make_notebook(assignment, solved=name == "reference") for name in ALLOWED}
    data = assignment.own_data["visible"]
    key = hash_parts(environment(), *notebooks.values(), *data, *data.values())
    if read_cache("kernels", key) is not None:
        return None
    runner.progress.begin(1)
    kernel = workers.submit(_kernel_errors, notebooks, assignment.folder if data else None)

    def end(done: Future[list[_KernelError]]) -> None:
        runner.progress.end()
        if not done.cancelled() and not done.exception() and not _wrong(done.result()):
            write_cache("kernels", key, b"")

    kernel.add_done_callback(end)
    return kernel


def _wrong(errors: list[_KernelError]) -> list[_KernelError]:
    return [error for error in errors if error.kind not in ALLOWED[error.notebook]]

"""Runs a cell again in the jail, because the outputs in a student's file can be forged.

The code cells above it run first. The printed text and the value of the last line come back as text, and figures of
matplotlib as pictures if the manifest's `imports` has it. Nothing here decides points.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import Refused
from grader.marking.answers import LONGEST_OUTPUT, CellOutput
from grader.sandbox import Sandbox, SandboxUnavailable, StudentError, SubmissionStopped, Undefined
from grader.submissions.intake import blocks_of_earlier
from grader.submissions.submission import TEXT_CELLS, submission_from

if TYPE_CHECKING:
    from grader.assignment import Assignment
    from grader.sandbox import Opens
    from grader.submissions.work import Work

MOST_FIGURES, CHUNK = 4, 50_000  # a figure crosses the wall in texts of so many characters
LARGEST_FIGURE = 400_000  # characters in base64
NO_PLOTS = "To draw plots here, add matplotlib to `imports` in assignment.yaml."
DRAW = 'import matplotlib\nmatplotlib.use("Agg")\n'
# Runs in the student's namespace, with the source of the cell.
RUN = """\
def _run_again(source, most=%d, longest=%d, chunk=%d):
    import ast, base64, contextlib, io, sys, traceback
    printed, figures = io.StringIO(), []
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            tree = ast.parse(source)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec"), globals())
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), globals()) if last else None
            if value is not None:
                print(repr(value))
        except BaseException as error:
            print("".join(traceback.format_exception_only(error)))
        pyplot = sys.modules.get("matplotlib.pyplot")
        for number in list(pyplot.get_fignums())[:most] if pyplot else ():
            written = io.BytesIO()
            pyplot.figure(number).savefig(written, format="png", dpi=80)
            text = base64.b64encode(written.getvalue()).decode()
            figures += [[text[i : i + chunk] for i in range(0, len(text), chunk)]] if len(text) <= longest else []
    return [printed.getvalue()[:chunk], figures]

_ran_again = _run_again(%r)
"""


def run_again(launcher: Opens, assignment: Assignment, work: Work, number: int) -> list[CellOutput]:
    """Run a cell, by its number, after the code cells above it, and return its outputs. Raises Refused."""
    submission = submission_from(Path(work.name), work.data or b"")
    every = (*submission.blocks, *submission.skipped)
    cells = {one.cell or 0: one.source for one in every if one.tag not in TEXT_CELLS}
    if number not in cells:
        raise Refused("this cell has no code")
    before, _ = blocks_of_earlier(work.earlier)
    source = re.sub(r"^[^\S\n]*[%!].*$", "", cells[number], flags=re.MULTILINE)  # without commands of IPython
    run = RUN % (MOST_FIGURES, LARGEST_FIGURE, CHUNK, source)
    first = [DRAW] if "matplotlib" in assignment.manifest.imports else []
    above = [cells[at] for at in sorted(cells) if at < number]
    blocks = [*first, *(block.source for block in before), *above, run]
    text, figures = _result(launcher, assignment, blocks)
    return _outputs(text if first or "matplotlib" not in text else f"{text.rstrip()}\n{NO_PLOTS}", figures)


def _result(launcher: Opens, assignment: Assignment, blocks: list[str]) -> list[Any]:
    """Return text and figures from the jail; the text begins with a line for each cell that raised an error."""
    manifest = assignment.manifest
    sandbox = Sandbox(
        launcher,
        blocks,
        manifest.limits,
        manifest.imports,
        arrays=manifest.arrays,
        data=assignment.data,
        names=manifest.names,
    )
    with contextlib.closing(sandbox):
        try:
            sandbox.load()
            sent = sandbox.get("_ran_again")
        except Undefined:
            sent = []  # the error of the block says why
        except (StudentError, SubmissionStopped) as error:
            return [str(error), []]
        except SandboxUnavailable as error:
            raise Refused(f"the jail could not be started: {error}") from error
    text, figures = sent if isinstance(sent, list) and len(sent) == 2 else ("", [])
    raised = [
        f"{'this cell' if n == len(blocks) - 1 else 'a cell above'}: {e}" for n, e in sandbox.errors.items()
    ]
    return ["\n".join([*raised, text if isinstance(text, str) else ""]), figures]


def _outputs(text: str, figures: Any) -> list[CellOutput]:
    """Return the outputs in an answer of the jail. The student's code may have forged it: accept any form."""
    found = [CellOutput(text.rstrip()[:LONGEST_OUTPUT])]
    for chunks in figures[:MOST_FIGURES] if isinstance(figures, list) else ():
        with contextlib.suppress(TypeError, ValueError, binascii.Error):
            found.append(CellOutput(picture=base64.b64decode("".join(chunks))))
    return [one for one in found if one.text or one.picture]

"""A graph of the player's page in the student's own engine: its trace beside a right walk."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.questions.graphs import OPERATORS, GraphPlan, Made
from grader.autograd.questions.runs import go_back
from grader.render import escape_line
from grader.sandbox import Deadline, StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Unanswered
from grader.submissions.intake import continued_blocks
from grader.submissions.submission import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.grading.grader import Grader
    from grader.submissions.submission import Submission

SECONDS = 10.0
_APPLIED: dict[str, Callable[..., Any]] = {**OPERATORS, "**": operator.pow, "neg": operator.neg}
# What a submission raises, and what proxies of its objects raise.
_FAILURES = (
    StudentError,
    Undefined,
    Unanswered,
    SubmissionStopped,
    AssertionError,
    AttributeError,
    TypeError,
)


def play_graph(
    grader: Grader,
    submission: Submission,
    leaves: Mapping[str, Any],
    steps: Sequence[tuple[str, str, Sequence[str | float]]],
) -> dict[str, Any]:
    """Return the trace of a graph and the error that ended it, each empty if there is none.

    A step has a name, an operation, and operands: names of nodes, or numbers.
    """
    before, _ = continued_blocks(grader.assignment, submission)
    sources = Sources([*before, *submission.blocks], submission.skipped, grader.given)
    topic, error = grader.suite.topic, ""
    with grader.sandbox(sources, Deadline(SECONDS)) as sandbox:
        student = topic.student(sandbox)
        watcher = topic.watcher(sandbox, grader.assignment.manifest)
        assert watcher is not None
        try:
            student.node_class  # loads the submission, which is not watched  # noqa: B018
            sandbox.watcher = watcher.around
            _play(student, leaves, steps)
        except _FAILURES as failure:
            error = str(failure)
        sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=False, hide=False)
    return {"trace": msgspec.to_builtins(trace), "error": escape_line(error)}


def _play(student: Any, leaves: Mapping[str, Any], steps: Sequence[Any]) -> None:
    """Build the graph and go back from its root. Raises what the student's code and its proxies raise."""
    nodes: dict[str, Any] = dict(zip(leaves, student.leaves(**leaves), strict=True))
    for name, op, operands in steps:
        own, *others = [nodes[one] if isinstance(one, str) else one for one in operands]
        nodes[name] = _APPLIED[op](own, *others) if op in _APPLIED else getattr(own, op)(*others)
        if name.isidentifier():
            student.name(**{name: nodes[name]})
    go_back(student, GraphPlan({**leaves}, tuple(Made(name, op, "") for name, op, _ in steps)), nodes)

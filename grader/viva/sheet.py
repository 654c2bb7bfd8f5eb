"""A sheet: the questions about one submission, as facts, and how they are found."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from grader.report import Fact  # noqa: TC001  msgspec reads the annotations
from grader.sandbox import SandboxUnavailable
from grader.sandbox.budget import safely
from grader.viva.choice import choose
from grader.viva.graphs import Made, Plan, arrays, scalars
from grader.viva.keys import generator
from grader.viva.kinds import ASK, KINDS
from grader.viva.question import Asking
from grader.viva.work import Submitted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from grader.assignment import Assignment
    from grader.report import Report
    from grader.sandbox import Opens
    from grader.submissions.submission import Sources
    from grader.topic import Topic
    from grader.viva.question import Question

T = TypeVar("T")
QUESTIONS = 6
SECONDS = 10.0  # for one submission
GRAPHS = 4  # that are tried until one runs


class Sheet(msgspec.Struct):
    """The questions about one submission; `why` says why there are fewer than asked for.

    `lines` are the graph as Python, `steps` its nodes: name, operation and inputs. `way` goes back: a call, or the nodes
    in the order in which they are called by hand.
    """

    assignment: str
    title: str
    student: str
    sha256: str
    questions: list[Fact] = []
    why: str = ""
    leaves: list[str] = []
    lines: list[str] = []
    steps: list[Made] = []
    way: str = ""
    grad: str = "grad"
    closure: str = "_backward"
    practice: bool = False
    key: str = ""  # equal where nothing has changed that the questions depend on

    @property
    def asked(self) -> list[Question]:
        """The questions, typed."""
        return [KINDS[fact.kind].read(fact) for fact in self.questions]

    @property
    def level(self) -> int:
        """The sum of the levels of its questions."""
        return sum(one.level for one in self.asked)


def make_sheet(
    assignment: Assignment,
    launcher: Opens,
    topic: Topic,
    sources: Sources,
    *,
    student: str,
    sha256: str,
    salt: str,
    report: Report | None = None,
    count: int = QUESTIONS,
    only: Collection[str] = (),
    practice: bool = False,
) -> Sheet:
    """Return the sheet of one submission. What its code does costs questions and never the sheet.

    Each question is asked of two runs, under opposite orders of sets, and stays if both have the same answer.
    """
    key = (salt, assignment.name, student)
    sheet = Sheet(assignment.name, assignment.manifest.title, student, sha256, practice=practice)
    work = Submitted(assignment, launcher, topic, sources, until=time.monotonic() + SECONDS)
    found = _netted(lambda: _found(sheet, work, key, report, only), dict[str, Any]())
    chosen = choose(found, count, generator(*key, "choice"))
    sheet.questions = [question.fact() for question in chosen]
    if len(chosen) < count:
        sheet.why = _why(sheet, len(chosen), only, report, has_engine=assignment.manifest.topic is not None)
    return sheet


def _why(sheet: Sheet, count: int, only: Collection[str], report: Report | None, *, has_engine: bool) -> str:
    """Return why a sheet has no more questions, with the first note of the report."""
    of = f" of the kind {' or '.join(sorted(only))}" if only else ""
    what = f"Only {count} question{'' if count == 1 else 's'}" if count else "No question"
    graph = "" if sheet.lines or not count or not has_engine else " No graph could be made with the engine."
    note = f" The report says: {report.notes[0]}" if report and report.notes else ""
    return f"{what}{of} could be asked of what is written here.{graph}{note}"


def _netted(ask: Callable[[], T], otherwise: T) -> T:
    """Return what `ask` returns, or `otherwise` if it fails or its time is used up. Raises SandboxUnavailable."""
    trouble = list[SandboxUnavailable]()

    def attempt() -> T:
        try:
            return ask()
        except SandboxUnavailable as error:  # the grader's fault, and no student's
            trouble.append(error)
            return otherwise

    found = safely(attempt, otherwise)
    if trouble:
        raise trouble[0]
    return found


def _found(
    sheet: Sheet, work: Submitted, key: tuple[str, str, str], report: Report | None, only: Collection[str]
) -> dict[str, list[Question]]:
    """Return the questions of each kind that two runs have in common; fills in the sheet's graph."""
    engine, statements = work.engine, _netted(work.statements, list[Any]())
    if not statements:
        return {}  # nothing is theirs, or it cannot be read
    plan = _netted(lambda: _plan(work, key, practice=sheet.practice), None)
    sheet.grad, sheet.closure = engine.grad, ""
    if plan and (run := work.run(plan)):
        sheet.leaves, sheet.lines, sheet.steps, sheet.way = [*plan.leaves], plan.lines, [*plan.steps], run.way
        sheet.closure = engine.closure if _netted(lambda: work.has_closures(plan), False) else ""
    asking = Asking(
        work, generator(*key), plan, None, statements, report, sheet.closure, sheet.practice
    )  # fmt: skip
    first, second = (
        _by_kind(asking._replace(work=each), key, only) for each in (work, work.again("reverse"))
    )
    return {kind: [one for one in questions if one in second[kind]] for kind, questions in first.items()}


def _by_kind(asking: Asking, key: tuple[str, str, str], only: Collection[str]) -> dict[str, list[Question]]:
    """Return what each kind asks of a submission, with random numbers of its own."""
    work, plan = asking.work, asking.plan
    run = _netted(lambda: work.run(plan) if plan else None, None)
    return {
        kind: _asked(ask, asking._replace(run=run, rng=generator(*key, kind)))
        for kind, ask in ASK.items()
        if not only or kind in only
    }


def _asked(ask: Callable[[Asking], Iterator[Question]], asking: Asking) -> list[Question]:
    """Return what a kind asks; what it has asked before an error or the end of the time stays."""
    found = list[Any]()

    def every() -> None:
        for question in ask(asking):
            found.append(question)

    _netted(every, None)
    return found


def _plan(work: Submitted, key: tuple[str, str, str], *, practice: bool) -> Plan | None:
    """Return a graph that their engine can make; None if it makes none."""
    if work.manifest.topic != "autograd":
        return None
    engine = work.engine
    known = [each for each in work.manifest.operations or () if isinstance(each, str)]
    for number in range(GRAPHS):
        rng = generator(*key, "graph", str(number))
        if work.manifest.arrays:
            plan = arrays(rng, engine.node, practice=practice)
        else:
            plan = scalars(rng, known if number < GRAPHS // 2 else (), engine.node, practice=practice)
        if work.run(plan) is not None:
            return plan
    return None

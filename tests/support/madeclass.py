"""A made-up class of day 2 in a results file: from a seed, with the mistakes that classes make, over three weeks."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from explained import facts_behind
from helpers import COURSE
from msgspec.structs import replace

from grader.assignment import Assignment, Course
from grader.gradebook import store as store_module
from grader.gradebook.in_force import Override
from grader.gradebook.store import Store
from grader.report import (
    AssignmentInfo,
    CheckResult,
    GraderInfo,
    KnownMistake,
    Location,
    Mismatch,
    Outcome,
    Report,
    SubmissionInfo,
    WrongRule,
    WrongWalk,
)
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "ada alan barbara charles dorothy edsger emmy grace hedy john katherine".split()
LAST = "byron turing liskov babbage vaughan dijkstra noether hopper lamarr johnson".split()
WEEKS = ("2025-11-09T18:00:00+00:00", "2025-11-16T18:00:00+00:00", "2025-11-23T18:00:00+00:00")


@dataclass
class Kind:
    """A kind of submission: the checks that fail, each with what explains it; others wait for them, or are not begun."""

    weight: int
    fails: dict[str, dict[str, object]] = field(default_factory=dict)
    todo: tuple[str, ...] = ()


def rule(operation: str, name: str, wrote: str, words: str) -> WrongRule:
    """A wrong rule, at a line of the notebook."""
    return WrongRule(operation, name, wrote, words, Location("day2.ipynb", 7, 5, wrote, "Value._backward"))


ASSIGNED = [
    rule("+", "self", "self.grad = out.grad", "In a + b your engine does the same as `a.grad = out.grad`. `=` overwrites what a.grad already holds. If a value is used in two places, the first contribution is lost."),
    rule("+", "other", "other.grad = out.grad", "Likewise your engine does the same as `b.grad = out.grad`."),
]  # fmt: skip
BARE = [
    rule("tanh", "self", "self.grad += 1 - out.data**2 * out.grad", "In n.tanh() your engine does n.grad += 1 - out.data**2 * out.grad. Its numbers are right, but they are grouped in another way: look at the parentheses. The whole slope is multiplied by the upstream gradient."),
]  # fmt: skip
SWAPPED = [
    rule("*", "self", "self.grad += self.data * out.grad", "In a * b your engine does the same as `a.grad += a.data * out.grad`. It uses the value of one input where the value of the other belongs. If a grows by 1, the product grows by the value of b."),
    rule("*", "other", "other.grad += other.data * out.grad", "Likewise your engine does the same as `b.grad += b.data * out.grad`."),
]  # fmt: skip
EARLY = WrongWalk(
    "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` calls a._backward too early: b and c are made from a and must come first.",
    "b = a + 1; c = a * 3; d = b * c with a = 4", ["d", "a", "b", "c"], ["d", "c", "b", "a"], 1,
)  # fmt: skip
WALKS_ON = KnownMistake(
    "closure_walks_on",
    "The closures call the closures of their inputs, so a node is called more than once and hands its gradient on "
    "again. A closure adds to its own inputs and stops: the order in your list does the rest.",
)
KINDS = {
    "right": Kind(30),
    "= for +=": Kind(14, {"accumulate": {"rules": ASSIGNED, "message": "In a + a, a counts twice."}}),
    "parentheses": Kind(7, {"tanh_neuron": {"rules": BARE, "message": "The neuron's gradients are wrong."}}),
    "swapped": Kind(9, {"swap_rule": {"rules": SWAPPED, "message": "a.grad is b's value."}}),
    "early": Kind(5, {"visit_order": {"walk": EARLY, "message": "A node is called too early."}}),
    "walks on": Kind(6, {"add_rule": {"mistakes": [WALKS_ON], "message": "L = a + b is a Value."}}),
    "answer": Kind(
        6,
        {"quiz": {"readings": [Mismatch("x_grad", "", "12", "7")], "message": "`x_grad` is not right."}},
    ),
    "error": Kind(4, {"complex_expression": {"asked": "L is a Value.", "message": "NameError: name 'q' is not defined"}}),
    "two": Kind(5, {"swap_rule": {"rules": SWAPPED}, "accumulate": {"rules": ASSIGNED}}),
    "half": Kind(9, todo=("tanh_neuron", "visit_order", "leverage", "quiz")),
    "nothing": Kind(3, todo=("",)),
}  # fmt: skip


def report_of_kind(assignment: Assignment, kind: Kind, work: str) -> Report:
    """A report on work of this kind; `work` stands for the hash of its bytes."""
    checks: list[CheckResult] = []
    for name, spec in assignment.manifest.checks.items():
        check = CheckResult(name, f"What {name} is about.", Outcome.PASSED, spec.points, spec.points, "both")
        waits = [
            need
            for need in spec.needs
            if any(c.id == need and c.outcome is not Outcome.PASSED for c in checks)
        ]
        if name in kind.fails:
            fields = kind.fails[name]
            facts = facts_behind(**fields)
            check = replace(check, outcome=Outcome.FAILED, score=0.0, facts=facts, **fields)
        elif name in kind.todo or kind.todo == ("",):
            check = replace(check, outcome=Outcome.TODO, score=0.0, message="This is still to be written.")
        elif waits:
            check = replace(check, outcome=Outcome.BLOCKED, score=0.0, message=f"waits for {waits[0]}")
        checks.append(check)
    return Report(
        assignment=AssignmentInfo(assignment.name, assignment.manifest.title),
        submission=SubmissionInfo("day2.ipynb", work, ""),
        grader=GraderInfo("1", "1" * 64, "3.11", ["landlock", "seccomp"]),
        started=WEEKS[0],
        seconds=0.1,
        score=sum(check.score for check in checks),
        max_score=sum(check.max_score for check in checks),
        outcome=min((check.outcome for check in checks), key=list(Outcome).index),
        hidden_checks=True,
        checks=checks,
    )


def ungradable(report: Report) -> Report:
    """The same where a check could not be graded."""
    first = report.checks[0]
    broken = replace(
        first, outcome=Outcome.UNGRADABLE, score=0.0, message="test_add_rule.py: no jail could be opened"
    )
    return replace(report, checks=[broken, *report.checks[1:]], score=None, outcome=Outcome.UNGRADABLE)


def made_class(results: Path, count: int = 300, seed: int = 19) -> Assignment:
    """Write a class into a results file: most hand in again each week, half of those who failed with what is right."""
    assignment, rng = Course(COURSE).assignment("day2"), random.Random(seed)
    names = sorted(f"{rng.choice(FIRST)}-{rng.choice(LAST)}-{number:04}" for number in range(count))
    kinds, weights = list(KINDS), [kind.weight for kind in KINDS.values()]
    states = {name: rng.choices(kinds, weights)[0] for name in names[2:-3]}
    with Store(results, create=True) as store, pytest.MonkeyPatch.context() as patched:
        store._database.execute("PRAGMA synchronous = OFF")
        for week, time in enumerate(WEEKS):
            patched.setattr(store_module, "now", lambda time=time: time)
            with store.running("day2", "batch", f"suite {week}"):
                for name, before in states.items():
                    if week and (before == "right" or rng.random() < 0.4):
                        continue
                    if week and rng.random() < 0.5:
                        states[name] = "right"
                    work = f"{name} {week}"
                    report = report_of_kind(assignment, KINDS[states[name]], work)
                    report = ungradable(report) if name in names[2:4] and week == len(WEEKS) - 1 else report
                    facts = HandedIn("day2.ipynb", time, True, f"course/{name}", "c" * 40, (), name)
                    store.keep(f"{name} {week}", facts, report)
        for name in names[:2]:
            store.keep_absent("day2", name, Unreached("the invitation was not accepted"))
        for name in names[-3:]:
            store.keep_absent(
                "day2", name, Unreached("nothing was pushed to org/day2: the repository is not there")
            )
        store.keep_override(Override("day2", "excuse", "ill", "Grace <g@example.org>", names[0]))
        store.keep_override(
            Override("day2", "points", "right in another way", "Grace", names[10], "quiz", 5.0)
        )
    return assignment

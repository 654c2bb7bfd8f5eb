"""A report whose checks are explained by rules and by a walk, for every renderer."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from grader.autograd.facts import RuleFact, WalkFact
from grader.grading.facts import MistakeFact
from grader.report import (
    AssignmentInfo,
    CheckResult,
    Fact,
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

MUL = Location("day2.ipynb", 7, 5, "def _backward():", "Value.__mul__")
ADD = Location("day2.ipynb", 5, 5, "def _backward():", "Value.__add__")
TOPO = Location("day2.ipynb", 12, 1, "def build_topo(root):", "build_topo")
SWAPPED = WrongRule(
    "*",
    "self",
    "self.grad += self.data * out.grad",
    "In a * b your engine does the same as `a.grad += a.data * out.grad`. It uses the value of one input where the value of the "
    "other belongs. If a grows by 1, the product grows by the value of b.",
    MUL,
)
OTHER = WrongRule(
    "*",
    "other",
    "other.grad += other.data * out.grad",
    "Likewise your engine does the same as `b.grad += b.data * out.grad`.",
    MUL,
)
ASSIGNED = WrongRule(
    "+",
    "self",
    "self.grad = out.grad",
    "In a + b your engine does the same as `a.grad = out.grad`. `=` overwrites what a.grad already holds. If a value is used "
    "in two places, the first contribution is lost.",
    ADD,
)
WALK = WrongWalk(
    "`build_topo` puts a before c, which still has something to add to the gradient of a.",
    "b = a + 1, c = a * 3, d = b * c",
    ["d", "b", "a", "c"],
    ["d", "b", "c", "a"],
    2,
    TOPO,
)
READINGS = [
    Mismatch("a.grad", "a = 2, b = -3 in a * b", "2", "-3"),
    Mismatch("b.grad", "a = 2, b = -3 in a * b", "-3", "2"),
]


def facts_behind(
    rules: Sequence[WrongRule] = (),
    walk: WrongWalk | None = None,
    mistakes: Sequence[KnownMistake] = (),
    **_: object,
) -> list[Fact]:
    """The facts that these fields of a check are made from; one that swaps or assigns has the relation."""
    facts = []
    for rule in rules:
        left = "" if rule.operation == "tanh" else "b"
        relation = ("assigned",) if " = " in rule.wrote else ("swapped",) if rule.operation == "*" else ()
        relation = ("parentheses",) if rule.operation == "tanh" else relation
        fact = RuleFact(rule.operation, rule.input, rule.wrote, right=left, relations=relation)
        facts.append(fact.fact(rule.where))
    if walk:
        function = "build_topo" if "build_topo" in walk.words else "backward"
        orders = (walk.graph, tuple(walk.student), tuple(walk.right))
        facts.append(WalkFact(function, "early", *orders, node="a", users=("c",)).fact(walk.where))
    return [*facts, *(MistakeFact(mistake.id).fact() for mistake in mistakes)]


def check(name: str, title: str, outcome: Outcome = Outcome.FAILED, **fields: object) -> CheckResult:
    """A check worth ten points, and nothing of them, with the facts behind its rules, walk and mistakes."""
    fields = {"facts": facts_behind(**fields)} | fields
    return CheckResult(name, title, outcome, 0.0, 10.0, "visible", **fields)


def explained() -> Report:
    """Two wrong operations, reported once, and a wrong walk."""
    checks = [
        check(
            "swap_rule",
            "× swaps: each factor's gradient is the other factor times the upstream gradient.",
            asked="In L = a * b, a.grad is b's value and b.grad is a's value.",
            where=MUL,
            readings=READINGS,
            rules=[SWAPPED, OTHER],
        ),
        check("accumulate", "+= and not =.", asked="In a + a, a counts twice.", where=ADD, rules=[ASSIGNED]),
        check(
            "pytorch_parity",
            "PyTorch agrees.",
            message="`*` and `+` are wrong, as in the check `swap_rule` and the check `accumulate`: look there first.",
            see="swap_rule",
        ),
        check("visit_order", "The order of the walk.", message="A hidden test fails.", where=TOPO, walk=WALK),
    ]
    return Report(
        assignment=AssignmentInfo("day2", "The backward pass"),
        submission=SubmissionInfo("day2.ipynb", "0" * 64, "2025-11-20T11:57:00+00:00"),
        grader=GraderInfo("1.0", "0" * 64, "3.11", ["rlimits", "landlock", "seccomp", "privileges"]),
        started="2025-11-20T12:00:00+00:00",
        seconds=0.5,
        score=0.0,
        max_score=40.0,
        outcome=Outcome.FAILED,
        hidden_checks=True,
        checks=copy.deepcopy(checks),
    )

"""Wrong work: a question whose answer shows the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.autograd.facts import RuleFact, WalkFact
from grader.report import Outcome
from grader.viva.graphs import OPERATORS, Made, Plan
from grader.viva.question import Question, differ, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Fact
    from grader.viva.question import Asking


class CauseQuestion(Question, frozen=True, kw_only=True):
    """Wrong work: the gradient that their code leaves, and the slope that the forward pass has.

    `lines` are the graph, where it is another than the sheet's; `said` is what the report says of it.
    """

    kind: ClassVar[str] = "cause"
    level: ClassVar[int] = 3

    way: str
    node: str
    root: str
    said: str
    lines: tuple[str, ...] = ()
    field: str = "grad"
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """What the report says."""
        return self.said

    @property
    def shows(self) -> tuple[str, ...]:
        """A gradient of the sheet's graph at the end."""
        return () if self.lines else (f"{self.node}.{self.field}",)

    @property
    def first(self) -> bool:
        """Wrong work is asked about what is wrong."""
        return True


NUDGE = 1e-4


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a gradient that their code leaves beside the slope of their forward pass, if the report has the cause."""
    if asking.run is None or asking.plan is None or asking.report is None or asking.work.manifest.arrays:
        return
    facts = [
        fact for check in asking.report.checks for fact in check.facts if check.outcome is Outcome.FAILED
    ]
    rules = [*RuleFact.all_in(facts)]
    for rule, fact in rules:
        for plan in _small(asking, rule.operation):
            if made := _question(asking, plan, fact, "e" if rule.input == "other" else "d"):
                yield made
                break
    for _, fact in WalkFact.all_in(facts if not rules else ()):  # else the rule may be what is wrong
        if made := _question(asking, asking.plan, fact):
            yield made


def _question(asking: Asking, plan: Plan, fact: Fact, leaf: str = "") -> Question | None:
    """Return the question about a graph in which the leaf, or any one, has a wrong gradient; else None."""
    wrong = _wrong(asking, plan, leaf)
    if wrong is None:
        return None
    way, node, theirs, slope = wrong
    x, y = written(theirs), written(slope)
    options = [f"{x} and {y}", f"{y} and {y}", f"{x} and {x}", f"{y} and {x}"]
    asking.rng.shuffle(options)
    words = asking.work.topic.told([fact])
    return CauseQuestion(
        way=way, node=node, root=plan.root, said=words.walk.words if words.walk else words.rules[0].words, field=asking.grad,
        closure=asking.closure, answer=f"{x} and {y}", options=tuple(options),
        lines=() if plan is asking.plan else tuple(plan.lines),
    )  # fmt: skip


def _small(asking: Asking, operation: str) -> Iterator[Plan]:
    """Yield graphs of this operation: alone, and with an input that is used again; none for a walk."""
    assert asking.plan is not None
    numbers, node = dict(zip("de", asking.plan.leaves.values(), strict=False)), asking.plan.node
    if operation in OPERATORS:
        yield Plan(numbers, (Made("M", operation, "d", "e"),), node)
        for again in "de":
            yield Plan(numbers, (Made("t", operation, "d", "e"), Made("M", "+", "t", again)), node)
    elif operation.isidentifier() and operation != "neg":
        number = {"d": numbers["d"] / 4}  # tanh of 4 is nearly flat
        yield Plan(number, (Made("M", operation, "d"),), node)
        yield Plan(number, (Made("t", operation, "d"), Made("M", "+", "t", "d")), node)


def _wrong(asking: Asking, plan: Plan, leaf: str = "") -> tuple[str, str, float, float] | None:
    """Return the way, and a leaf with the gradient that their code leaves and the slope of the root, if they differ."""
    run = asking.work.run(plan)
    roots = asking.work.roots(plan, [{name: sign * NUDGE} for name in plan.leaves for sign in (1, -1)])
    if run is None or roots is None or not run.way:
        return None
    for i, name in enumerate(plan.leaves):
        theirs, slope = run.grads.get(name), round((roots[2 * i] - roots[2 * i + 1]) / (2 * NUDGE), 4)
        if leaf in {"", name} and isinstance(theirs, float) and differ(theirs, slope):
            return run.way, name, theirs, slope
    return None

"""Questions as facts: fields first, words last (words.py)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from grader.topic import Kind

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from grader.report import Report
    from grader.viva.graphs import Plan
    from grader.viva.work import Run, Statement, Submitted

T = TypeVar("T")


class Question(Kind, frozen=True, kw_only=True):
    """A closed question about one submission. `answer` is what came out when it was run.

    With `options` it is one of them, and they are all different; without, the answer is a number or a name that is
    written down. `level` says how hard the kind is, from 1 to 3.
    """

    level: ClassVar[int] = 1

    answer: str
    options: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What the question asks about, without numbers."""
        return self.kind

    @property
    def first(self) -> bool:
        """True for a question that a sheet has if it can."""
        return False

    @property
    def shows(self) -> tuple[str, ...]:
        """The lines of their file, and other texts, that the question shows."""
        return ()

    @property
    def hides(self) -> tuple[str, ...]:
        """The texts that no question of another kind may show on the same sheet."""
        return ()

    def gives_away(self, other: Question) -> bool:
        """Return True if this question shows what is asked in the other one, or asks the same."""
        if self.kind == other.kind:
            return self.key == other.key and self is not other
        return bool({*map(bare, self.shows)} & {*map(bare, other.hides)})


def bare(text: str) -> str:
    """Return a line without what its writing alone decides: spaces, quotes and parentheses."""
    return re.sub(r"[\s'\"()]", "", text)


class Asking(NamedTuple):
    """What a kind asks from: a submission, the graph of the sheet with what its engine made of it, and its own lines.

    `run` is None where no engine is or where it fails. `closure` is the attribute of a node's rule, empty where nodes keep
    local gradients. `report` is the one on the submission.
    """

    work: Submitted
    rng: random.Random
    plan: Plan | None
    run: Run | None
    statements: list[Statement]
    report: Report | None
    closure: str
    practice: bool

    @property
    def forward_is_theirs(self) -> bool:
        """False if of the graph's operations only the rules are their own, and the results come from given lines."""
        steps = self.plan.steps if self.plan else ()
        own = [one.function for one in self.statements if any(one.is_of(step.op) for step in steps)]
        return not own or not all(function.endswith(f".{self.work.engine.closure}") for function in own)

    @property
    def grad(self) -> str:
        """The attribute of a gradient."""
        return self.work.engine.grad

    @property
    def data(self) -> str:
        """The attribute of a value."""
        return self.work.engine.data

    def sample(self, items: Iterable[T], most: int) -> list[T]:
        """Return some of these, in random order."""
        found = sorted(items) if isinstance(items, set) else [*items]
        return self.rng.sample(found, min(most, len(found)))


def written(number: Any) -> str:
    """Return a number as it stands on a sheet: 3, -0.25."""
    return f"{number:.6g}" if isinstance(number, int | float) else str(number)


def entries(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value with their expressions: `a.grad`, or `A.grad[0, 1]` for an array."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            rows = entries("", part)
            yield from ((f"{name}[{i}{', ' + rest[1:-1] if rest else ''}]", number) for rest, number in rows)
    elif value is not None:
        yield name, value


def differ(x: float, y: float) -> bool:
    """Return True for numbers that nobody takes for the same one on paper."""
    return abs(x - y) > 0.01 * max(1.0, abs(x), abs(y))

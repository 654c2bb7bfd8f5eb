"""Two mistakes at once: every pair of engine mistakes in different operations, and how they are told.

Both cells are inserted into the reference, the second class deriving from the first, and every check
is graded, as for a student: what passes is evidence too.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

from helpers import COURSE

from grader.assignment import Course
from grader.course import SIDES, Mistake, apply_mistake, read_mistakes, reference_blocks
from grader.diagnosis import Known, operation, read_known
from grader.explanations import diagnosis_of
from grader.grading import Grader, with_grader
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.submission import Block

    Pair = tuple[Mistake, Mistake]

# Two that are together what a third one is: it is told by the third one's name.
TOGETHER = {
    frozenset({"add_assigns", "mul_assigns"}): "rules_assign",
    frozenset({"add_swaps_like_mul", "mul_copies_upstream"}): "rules_exchanged",
}


WALK = "backward"  # the operation that every other one needs


def pairs(day: str, ours: set[str], theirs: set[str]) -> list[Pair]:
    """Every pair of the day's mistakes of which one is in `ours`, the other in another operation of `theirs`.

    Left out are those of which a wrong walk hides the other one: no right gradient arrives even in
    the smallest graph, so that it fails four fifths of all tests, or all of those of the other one.
    """
    assignment = Course.find(COURSE).assignment(day)
    known = read_known(assignment.side(side) / "mistakes.json" for side in SIDES)
    mistakes = read_mistakes(assignment)
    found = [
        (one, other)
        for one, other in itertools.combinations(mistakes, 2)
        if (operation(one.id) in ours and operation(other.id) in theirs)
        or (operation(one.id) in theirs and operation(other.id) in ours)
        if operation(one.id) != operation(other.id)
    ]
    return [(one, other) for one, other in found if not _hides(one, other, known)]


def _hides(one: Mistake, other: Mistake, known: Known) -> bool:
    walk, tests = _fails(one, known), known.fingerprints.keys()
    if operation(one.id) != WALK or operation(other.id) == WALK:
        return operation(other.id) == WALK and _hides(other, one, known)
    return len(walk) >= 0.8 * len(tests) or _fails(other, known) <= walk


def _fails(mistake: Mistake, known: Known) -> set[str]:
    return known.failing(mistake.same_as or mistake.id)


def wanted(pair: Pair) -> set[str]:
    """The names under which a pair should be told."""
    names = {mistake.same_as or mistake.id for mistake in pair}
    together = TOGETHER.get(frozenset(names))
    return {together} if together else names


def told(day: str, some: Sequence[Pair]) -> list[set[str]]:
    """The mistakes that are named for each pair, graded in one warm session."""

    def job(grader: Grader) -> list[set[str]]:
        reference = reference_blocks(grader.assignment)
        return [_named(grader, reference, pair) for pair in some]

    with Launcher() as launcher:
        return with_grader(Course.find(COURSE).assignment(day), launcher, job)


def _named(grader: Grader, reference: list[Block], pair: Pair) -> set[str]:
    one, other = pair
    blocks = apply_mistake(apply_mistake(reference, one), other)
    _, results = grader.run(blocks)
    return {name for names in diagnosis_of(results, grader.known).values() for name in names}


def check(day: str, some: Sequence[Pair]) -> None:
    """At least nine in ten are told as both, and none is misnamed; says how many are."""
    shares: Counter[str] = Counter()
    lines = []
    for pair, names in zip(some, told(day, some), strict=True):
        right = wanted(pair)
        verdict = "misnamed" if names - right else "both" if names == right else "one" if names else "neither"
        shares[verdict] += 1
        if verdict != "both":
            lines.append(
                f"  {verdict}: {' and '.join(m.id for m in pair)}: {', '.join(sorted(names)) or 'nothing'}"
            )
    share = (
        f"{day}: {shares['both']} of {len(some)} pairs are told as both, {shares['misnamed']} are misnamed"
    )
    print(share)  # `pytest -rP` shows it
    report = "\n".join([share, *lines[:50]])
    assert shares["misnamed"] == 0, report
    assert shares["both"] >= 0.9 * len(some), report

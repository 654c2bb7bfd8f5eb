"""The choice of a sheet's questions: of different kinds where possible, and as hard as every other sheet."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from grader.topic.questions import Question

MIDDLE = 2  # the level of a question on average


def choose(found: Mapping[str, Sequence[Question]], count: int, rng: random.Random) -> list[Question]:
    """Return at most `count` questions out of those of each kind, the easier ones first.

    The first of a kind comes before the second of another; the question about what is wrong is always taken. No question
    shows a line that is the answer to another one.
    """
    rounds = itertools.zip_longest(*(found[kind] for kind in sorted(found)))
    chosen = list[Any]()
    for each in rounds:
        fresh = [one for one in each if one is not None and all(_apart((one, other)) for other in chosen)]
        if chosen and len(fresh) > count - len(chosen):  # one question about memory alone is enough
            fresh = [one for one in fresh if one.kind != "theirs"]
        rng.shuffle(fresh)
        fresh.sort(key=lambda one: not one.first)
        chosen += _balanced(
            fresh, count - len(chosen), MIDDLE * count - sum(one.level for one in chosen), chosen
        )
        if len(chosen) == count:
            break
    return sorted(chosen, key=lambda one: (one.level, one.kind, one.key))


def _balanced(fresh: list[Question], count: int, wanted: int, chosen: list[Question]) -> list[Question]:
    """Return as many questions as fit, with the sum of levels that is nearest to the one that is `wanted`."""
    needed = [one for one in fresh if one.first and not chosen][:count]
    for size in range(min(count, len(fresh)), 0, -1):
        best = min(
            (
                some
                for some in itertools.combinations(fresh, size)
                if {*map(id, needed)} <= {*map(id, some)} and _apart(some)
            ),
            key=lambda some: abs(wanted - sum(one.level for one in some)),
            default=None,
        )
        if best is not None:
            return list(best)
    return []


def _apart(some: Sequence[Question]) -> bool:
    return not any(one.gives_away(other) for one, other in itertools.permutations(some, 2))

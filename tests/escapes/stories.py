"""What every promise is asked: its attacks come to nothing, and succeed where their guard is missing."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from escapes.ground import EXPECTED, SECRET, Attack, Ground, Tried, attacks


def it_is_held(ground: Ground, attack: Attack) -> None:
    """Grade it as an instructor does: it gets hold of nothing, and no secret is printed."""
    tried = ground.grade(ground.submission(attack))

    assert attack.line("told", "held") in tried.told
    assert "escaped" not in tried.told
    assert tried.report.score == (50 if tried.told == "held" else 0)
    assert SECRET not in tried.printed
    assert str(EXPECTED) not in tried.printed


def it_succeeds_without_its_guard(ground: Ground, attack: Attack) -> None:
    """The same file under the same grader, but for what stops it."""
    assert "escaped" in _without(ground, attack).told


def _without(ground: Ground, attack: Attack) -> Tried:
    guard = attack.line("guard", "nothing")
    if attack.line("alone", "no") == "yes":
        return ground.without(guard, [ground.submission(attack)])[0]
    return _in_one_go(ground, attack.path.parent.name, guard)[attack.name]


@cache
def _in_one_go(ground: Ground, promise: str, guard: str) -> dict[str, Tried]:
    """All attacks on a promise that one guard stops, in one warm grader: a start costs more than they do."""
    by_guard = defaultdict(list)
    for attack in attacks(promise):
        if attack.line("alone", "no") == "no":
            by_guard[attack.line("guard", "nothing")].append(attack)
    found = by_guard[guard]
    reports = ground.without(guard, [ground.submission(attack) for attack in found])
    return {attack.name: tried for attack, tried in zip(found, reports, strict=True)}

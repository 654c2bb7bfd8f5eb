"""The two tests of a promise: an attack fails, and it succeeds where its guard is missing."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from escapes.ground import EXPECTED, SECRET, Attack, Ground, Tried, attacks

YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")  # above 0 only a parent may trace
LIMITS = {"load_seconds", "check_seconds", "total_seconds"}


def it_is_held(ground: Ground, attack: Attack) -> Tried:
    """Grade an attack by the real command; it gets hold of nothing, and no secret is printed."""
    tried = ground.grade(ground.submission(attack))

    assert attack.line("told", "held") in tried.told
    assert "escaped" not in tried.told
    assert tried.report.score == (50 if tried.told == "held" else 0)
    assert SECRET not in tried.printed
    assert str(EXPECTED) not in tried.printed
    return tried


def it_succeeds_without_its_guard(ground: Ground, attack: Attack) -> None:
    """Grade the same attack without its guard; it escapes."""
    tried = _without(ground, attack)

    assert tried.escaped or attack.line("got", "escaped") in tried.told, tried.told
    for way in attack.line("ways", "").split():
        assert way in tried.told


def skip_where_nobody_traces() -> None:
    """Skip the test where the kernel lets nobody trace a process that is not its child (Yama)."""
    if YAMA.exists() and YAMA.read_text(encoding="ascii").strip() != "0":
        pytest.skip("this kernel lets nobody trace a process that is not its child (Yama)")


def _without(ground: Ground, attack: Attack) -> Tried:
    guard = attack.line("guard", "nothing")
    if attack.line("alone", "no") == "yes":
        return _graded_at_leisure(ground, guard, [attack])[attack.name]
    return _in_one_go(ground, attack.folder, guard)[attack.name]


@cache
def _in_one_go(ground: Ground, folder: str, guard: str) -> dict[str, Tried]:
    """Grade the attacks of a folder that a guard stops, without it, in one warm grader: a start costs more than they do."""
    found = [
        a for a in attacks(folder) if a.line("guard", "nothing") == guard and a.line("alone", "no") == "no"
    ]
    return _graded_at_leisure(ground, guard, found)


def _graded_at_leisure(ground: Ground, guard: str, found: list[Attack]) -> dict[str, Tried]:
    """Grade attacks with as much time as a busy machine needs, but for those that only a limit of the manifest ends."""
    reports: dict[str, Tried] = {}
    for limited in (False, True):
        chosen = [attack for attack in found if (attack.line("told", "held") in LIMITS) is limited]
        with (
            nullcontext() if limited else ground.limits(load_seconds=60, check_seconds=60, total_seconds=120)
        ):
            tried = ground.without(guard, [ground.submission(attack) for attack in chosen]) if chosen else []
        reports |= {attack.name: one for attack, one in zip(chosen, tried, strict=True)}
    return reports


# --- Attacks of many cases: CASES names them, CASE chooses one


def cases(attack: Attack) -> dict[str, Any]:
    """Return the CASES of an attack."""
    found: dict[str, Any] = {}
    with mock.patch.dict(sys.modules):
        exec(attack.source, found)
    return dict(found["CASES"])


@cache
def graded(ground: Ground, attack: Attack, more: str = "", *others: str) -> dict[str, list[Tried]]:
    """Grade each case of an attack, with the source `more` at its end, then the submissions `others`.

    All of them in one warm grader, one after another.
    """
    sources = [with_case(attack, case) + f"\n\n{more}\n" for case in cases(attack)]
    rest = [ground.hand_in(source, student=f"after-{i}") for i, source in enumerate(others)]
    paths = [
        path
        for i, source in enumerate(sources)
        for path in [ground.hand_in(source, student=f"{attack.name}-{i}"), *rest]
    ]
    tried = iter(ground.without("nothing", paths))
    return {case: [next(tried) for _ in range(1 + len(rest))] for case in cases(attack)}


def with_case(attack: Attack, case: str) -> str:
    """Return the source of an attack with this case chosen."""
    return re.sub(r"^CASE = .*$", f"CASE = {case!r}", attack.source, flags=re.MULTILINE)

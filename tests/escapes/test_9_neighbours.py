"""Promise 9: a submission cannot change another submission's result.

A warm grader takes one after another, as in a batch: what one does to its jail, to the grader or to the
machine must not be seen by the next. The attacks of this folder look for what an earlier one has left,
then leave it themselves; each is graded twice.
"""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from escapes.alice import ALICE, timeless
from escapes.ground import Attack, Ground, Tried, attacks
from escapes.stories import it_is_held, with_case

from grader.report import Report

ATTACKS = {attack.name: attack for attack in attacks("neighbours")}
ENDINGS = ATTACKS["endings"]
TWICE = [attack for attack in ATTACKS.values() if attack.line("guard", "")]


@pytest.mark.parametrize("attack", TWICE, ids=lambda attack: attack.name)
def test_nothing_is_left_for_the_next(ground: Ground, attack: Attack) -> None:
    """The second submission finds no trace of the first."""
    for tried in twice(ground)[attack.name]:
        assert tried.told == "held"
        assert tried.report.score == 50


@cache
def twice(ground: Ground) -> dict[str, list[Tried]]:
    """Grade each attack twice, all of them in one warm grader."""
    paths = [path for attack in TWICE for path in [ground.submission(attack)] * 2]
    tried = iter(ground.without("nothing", paths))
    return {attack.name: [next(tried), next(tried)] for attack in TWICE}


@pytest.mark.whole
@pytest.mark.parametrize("attack", TWICE, ids=lambda attack: attack.name)
def test_it_is_found_without_its_guard(weak_ground: Ground, attack: Attack) -> None:
    """The second submission finds the trace where the guard is missing."""
    path = weak_ground.submission(attack)

    first, second = weak_ground.without(attack.line("guard", ""), [path, path])

    assert first.told == "held"
    assert "escaped" in second.told
    for way in attack.line("ways", "").split():
        assert way in second.told


def test_endings_held(ground: Ground) -> None:
    it_is_held(ground, ENDINGS)


@cache
def alone(ground: Ground) -> Report:
    """Return Alice's report where she is graded alone."""
    return timeless(ground.grade(ground.hand_in(ALICE, student="after-0")).report)


@pytest.mark.whole
def test_alice_tells_what_she_sees(weak_ground: Ground) -> None:
    """Her report has all that she sees, and differs where an earlier submission ran in the same process."""
    before = weak_ground.submission(ATTACKS["left_state"])

    _, tried = weak_ground.without("process", [before, weak_ground.hand_in(ALICE, student="after-0")])

    before_her = alone(weak_ground)
    (seen,) = before_her.checks[0].readings
    assert len(re.findall(r"[a-z]+ [0-9a-f]{3}\b", seen.actual)) == 10
    assert timeless(tried.report).checks != before_her.checks


@pytest.mark.ci
@pytest.mark.parametrize("case", ["a memory bomb", "burning threads"])
def test_alice_beside_it(ground: Ground, case: str) -> None:
    """Her report is the same while another command runs, but for its times."""
    mallory = ground.hand_in(with_case(ENDINGS, case), student="beside")
    alice = ground.hand_in(ALICE, student="after-0")

    command = [str(ground.python.with_name("grade")), "vault", str(mallory)]

    with ground.limits(check_seconds=60, total_seconds=120):
        before = timeless(ground.grade(alice).report)
        with ground.start(command) as beside:
            hers = [ground.grade(alice), ground.grade(alice)]
            beside.kill()

    assert [timeless(tried.report) for tried in hers] == [before, before]


NEEDS_THREADS = """
import threading, time

def attack():
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        time.sleep(0.01)
    return "held"

def answer():
    return 1.0
"""


@pytest.mark.ci
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: to give each jail a user of its own")
@pytest.mark.parametrize("ground", ["root"], indirect=True)
def test_threads_beside_it(ground: Ground) -> None:
    """A jail can start threads while another jail has used up its own."""
    mallory = ground.submission(ATTACKS["all_threads"])
    alice = ground.hand_in(NEEDS_THREADS, student="needs-threads")

    with ground.limits(check_seconds=30, total_seconds=60), ThreadPoolExecutor(1) as pool:
        hers = pool.submit(ground.grade, alice)
        while len(list(ground.processes())) < 3:  # the command, its launcher, her jail
            time.sleep(0.01)
        time.sleep(0.3)  # she has begun
        ground.grade(mallory)

    assert hers.result().told == "held"

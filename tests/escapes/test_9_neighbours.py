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

import msgspec
import pytest
from escapes.ground import HERE, Attack, Ground, Tried, attacks
from escapes.stories import cases, graded, it_is_held, with_case

from grader.report import Report

ATTACKS = {attack.name: attack for attack in attacks("neighbours")}
ENDINGS = ATTACKS["endings"]
TWICE = [attack for attack in ATTACKS.values() if attack.line("guard", "")]

# What an honest student's code sees of the world around it: all of it goes into the report.
ALICE = """
import collections, ctypes, gc, hashlib, json, locale, math, os, random, signal, sys, threading

class Node:
    def __init__(self, name):
        self.name = name

def is_open(descriptor):
    try:
        return bool(os.fstat(descriptor))
    except OSError:
        return False

def attack():
    seen = dict(
        random=[random.random(), random.Random(3).random()],
        order="".join(node.name for node in {Node(letter) for letter in "abcdefgh"}) + "".join(set("abcdefgh")),
        hashes=[hash("a"), hash((1, "b"))],
        modules=sorted(sys.modules),
        library=[math.tau, math.exp(1), json.dumps([1]), sorted(vars(collections.Counter)), sorted(dir(builtins()))],
        world=[os.getcwd(), os.umask(0), dict(os.environ), sys.path, sys.argv, locale.setlocale(locale.LC_ALL)],
        signals=[str(signal.getsignal(number)) for number in range(1, 65)],
        python=[sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold(), threading.active_count()],
        open=[number for number in range(64) if is_open(number)],
        room=len(bytes(150 << 20)),
    )
    return " ".join(f"{key} {hashlib.sha256(repr(value).encode()).hexdigest()[:3]}" for key, value in seen.items())

def builtins():
    import builtins
    return builtins

def answer():
    raise ValueError(random.random())
"""


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


@pytest.mark.slow
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
    it_is_held(ground, ENDINGS, by_command=True)


@cache
def alone(ground: Ground) -> Report:
    """Return Alice's report where she is graded alone."""
    return timeless(ground.grade(ground.hand_in(ALICE, student="after-0")))


def timeless(tried: Tried) -> Report:
    """Return the report without its times."""
    report = tried.report
    checks = [msgspec.structs.replace(check, seconds=0) for check in report.checks]
    submission = msgspec.structs.replace(report.submission, modified="")
    return msgspec.structs.replace(report, started="", seconds=0, checks=checks, submission=submission)


@pytest.mark.slow
def test_alice_tells_what_she_sees(weak_ground: Ground) -> None:
    """Her report has all that she sees, and differs where an earlier submission ran in the same process."""
    before = weak_ground.submission(ATTACKS["left_state"])

    _, tried = weak_ground.without("process", [before, weak_ground.hand_in(ALICE, student="after-0")])

    before_her = alone(weak_ground)
    (seen,) = before_her.checks[0].readings
    assert len(re.findall(r"[a-z]+ [0-9a-f]{3}\b", seen.actual)) == 10
    assert timeless(tried).checks != before_her.checks


@pytest.mark.parametrize("case", cases(ENDINGS))
def test_alice_after_every_ending(ground: Ground, case: str) -> None:
    """Her report is the same after every way in which the jail before hers can end."""
    before = alone(ground)

    _, tried = graded(ground, ENDINGS, "", ALICE)[case]

    assert timeless(tried) == before


@pytest.mark.slow
def test_alice_after_all_attacks(ground: Ground) -> None:
    """Her report is the same after each attack on any promise."""
    before = alone(ground)
    found = [attack for folder in folders() for attack in attacks(folder) if is_quick(attack)]
    alice = ground.hand_in(ALICE, student="after-0")
    paths = [path for attack in found for path in (ground.submission(attack), alice)]

    tried = ground.without("nothing", paths)

    after = {attack.name: timeless(hers) for attack, hers in zip(found, tried[1::2], strict=True)}
    assert after == dict.fromkeys(after, before)


def folders() -> list[str]:
    """Return the folders of all promises."""
    return sorted(path.name for path in HERE.iterdir() if any(path.glob("*.py")))


def is_quick(attack: Attack) -> bool:
    """Return True for an attack that ends at once, without a limit or a crash."""
    waits = attack.path.parent.name == "limits" or attack.line("slow", "")
    return attack.line("told", "held") == "held" and not waits


@pytest.mark.slow
@pytest.mark.parametrize("case", ["a memory bomb", "burning threads"])
def test_alice_beside_it(ground: Ground, case: str) -> None:
    """Her report is the same while another command runs, but for its times."""
    mallory = ground.hand_in(with_case(ENDINGS, case), student="beside")
    alice = ground.hand_in(ALICE, student="after-0")

    with ground.limits(check_seconds=10, total_seconds=20), ThreadPoolExecutor(1) as pool:
        before = timeless(ground.grade(alice))
        beside = pool.submit(ground.grade, mallory)
        hers = [ground.grade(alice), ground.grade(alice)]
        beside.result()

    assert [timeless(tried) for tried in hers] == [before, before]


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


@pytest.mark.slow
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

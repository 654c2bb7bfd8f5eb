"""Promise 9: a submission cannot change another submission's result.

Each attack of the promises is a student of one class, which `grade batch` grades, and so is each case of an attack of
many cases. Everybody's result is what the attack's docstring says. Alice, who is honest, hands in after some of them
(after each with `-m whole`), and gets what she gets before all of them.

A warm grader takes one after another: what one does to its jail, to the grader or to the machine must not be seen by
the next. The attacks of the folder neighbours look for what an earlier one has left, then leave it themselves; each is
graded twice.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from escapes.alice import ALICE, timeless
from escapes.files.notebooks import many, notebook
from escapes.ground import EXPECTED, HONEST, SECRET, Attack, Ground, Tried, attacks, kinds, opened
from escapes.stories import (
    LIMITS,
    cases,
    it_is_held,
    it_succeeds_without_its_guard,
    skip_where_nobody_traces,
    with_case,
)  # fmt: skip
from sampled import every
from students import results_in

from grader.gradebook.store import Store
from grader.report import Report, to_json

# --- A class

FOLDERS = "explaining forging frames neighbours processes reads signals sockets writes".split()
APART = {"any_answer", "lost_channel", "privileges", "printed_report", "terminal"}  # tried with their promise
RIGHT = f"\n\ndef answer():\n    return {EXPECTED}\n"
SOME = 8  # of an attack's cases every eighth is graded by default
BEFORE_ALL = {"0-0": HONEST, "0-alice": ALICE}  # graded first, for it is in the order of their names
AT_LEISURE = {"load_seconds": 60, "check_seconds": 60, "total_seconds": 120}
TOTAL = 3  # seconds, where the limits are tried


@pytest.fixture(scope="module", params=kinds())
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Yield a ground of the class's own: nobody else has handed in there."""
    with opened(request.param) as ground:
        yield ground
        assert ground.left_behind() == []


@dataclass(frozen=True)
class Student:
    """A student: the submission, a part of what it reads, and its possible scores."""

    name: str
    source: str
    told: str
    scores: tuple[int, ...]
    limited: bool  # by the manifest's limits: the others have all the time that a busy machine needs
    case: int = 0

    def fault(self, tried: Tried) -> str:
        """Return the difference between the student's result and the table's, empty for none."""
        said = " ".join([tried.told, *(check.message for check in tried.report.checks), *tried.report.notes])
        text = to_json(tried.report)
        if SECRET in text or (str(EXPECTED) in text and RIGHT not in self.source):
            return f"{self.name} reads what is secret"
        if "escaped" in tried.told or self.told not in said or tried.report.score not in self.scores:
            return f"{self.name}: {tried.report.score:g} points: {said}"
        late = self.limited and tried.report.seconds > TOTAL + 60  # a minute for a busy machine
        return f"{self.name} took {tried.report.seconds} s" if late else ""


def students(ground: Ground) -> list[Student]:
    """Return the class, without Alice."""
    found = [attack for folder in FOLDERS for attack in attacks(folder) if attack.name not in APART]
    return [student for attack in found for student in (by_case(attack) or [alone(ground, attack)])]


def alone(ground: Ground, attack: Attack) -> Student:
    """Return the student of an attack that tries one thing."""
    told = attack.line("told", "held")
    source = ground.preamble(attack.name) + attack.source
    return Student(attack.name, source, told, (50,) if told == "held" else (0,), limited=told in LIMITS)


def by_case(attack: Attack) -> list[Student]:
    """Return the students of an attack of many cases: one for each."""
    if attack.name in {"any_bytes", "any_value"}:  # costs the check of this request, or of the next one
        rows = [
            (case, told, (50,) if told else (50, 100), RIGHT) for case, (told, _) in cases(attack).items()
        ]
    elif attack.name in {"liars", "raised"}:  # the hidden check gives no points
        rows = [(case, "", (50,), "") for case in cases(attack)]
    elif attack.name == "endings":
        rows = [(case, "", (0, 50), "") for case in cases(attack)]
    else:
        return []
    return [
        Student(
            f"{attack.name}-{number:02}",
            f"{with_case(attack, case)}{more}",
            told,
            scores,
            attack.name == "endings" or any(limit in told for limit in LIMITS),
            number,
        )
        for number, (case, told, scores, more) in enumerate(rows)
    ]


def graded(ground: Ground, sources: dict[str, str]) -> dict[str, Tried]:
    """Grade a class by the real command; return everybody's result."""
    results = ground.root / "home" / "results.db"
    for folder in {*(ground.root / "students").iterdir()} - {ground.root / "students" / "alice"}:
        shutil.rmtree(folder)
    for student, source in sources.items():
        ground.hand_in(source, student=student)
    grade, works = ground.python.with_name("grade"), ground.root / "students"
    # In one worker, whose launcher has imported less when it forks the first jail: that is no Alice's.
    done = ground.run([str(w) for w in (grade, "batch", "vault", works, "--results", results, "--jobs", 1)])
    printed = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, printed
    assert SECRET not in printed
    with Store(results) as store:
        found = {result.student: Tried(result.report, printed) for result in results_in(store, "vault")}
    results.unlink()
    assert set(found) == {*sources, "alice"}, printed
    return found


def test_everybody_gets_what_their_table_says(ground: Ground) -> None:
    """No attack gets hold of anything, or of a point that is not its own; Alice's result is always the same."""
    table = [student for student in students(ground) if not student.limited and not student.case % SOME]

    faults = faults_of(ground, table, AT_LEISURE)

    assert faults == []
    assert len(table) > 60


@pytest.mark.ci
def test_every_other_case_gets_what_its_table_says(ground: Ground) -> None:
    """The same for the cases that are not among those."""
    table = [student for student in students(ground) if not student.limited and student.case % SOME]

    faults = faults_of(ground, table, AT_LEISURE)

    assert faults == []
    assert len(table) > 80


@pytest.mark.ci
def test_everybody_is_held_to_the_limits(ground: Ground) -> None:
    """The same for those who come to an end by a limit."""
    table = [student for student in students(ground) if student.limited]

    faults = faults_of(ground, table, {"load_seconds": 1, "check_seconds": 0.5, "total_seconds": TOTAL})

    assert faults == []
    assert len(table) > 5


def faults_of(ground: Ground, table: list[Student], limits: dict[str, float]) -> list[str]:
    """Grade a class with an Alice after every fourth of the table; return what is not as it should be."""
    sources = {student.name: student.source for student in table}
    alices = {f"{student.name}-then-alice": ALICE for student in every(4, table)}

    with ground.limits(**limits):
        found = graded(ground, BEFORE_ALL | sources | alices)

    assert max(found[name].report.started for name in BEFORE_ALL) <= min(
        found[name].report.started for name in sources
    )
    before = timeless(found["0-alice"].report)
    faults = [fault for student in table if (fault := student.fault(found[student.name]))]
    changed = [name for name in alices if timeless(found[name].report) != before]
    return faults + changed + (["Alice has points"] if before.score else [])


GUARDED = [
    pytest.param(attack, id=f"{folder}-{attack.name}")
    for folder in FOLDERS
    if folder != "neighbours"  # see below
    for attack in attacks(folder)
    if attack.line("guard", "") and attack.name not in {"privileges", "printed_report", "terminal"}
]


@pytest.mark.whole
@pytest.mark.parametrize("attack", GUARDED)
def test_it_succeeds_without_its_guard(weak_ground: Ground, attack: Attack) -> None:
    """What the grader does without one of its measures, the student gets hold of."""
    if attack.name == "trace":
        skip_where_nobody_traces()
    it_succeeds_without_its_guard(weak_ground, attack)


# --- What one leaves for the next

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
def alices(ground: Ground) -> Report:
    """Return Alice's report where she is graded alone."""
    return timeless(ground.grade(ground.hand_in(ALICE, student="after-0")).report)


@pytest.mark.whole
def test_alice_tells_what_she_sees(weak_ground: Ground) -> None:
    """Her report has all that she sees, and differs where an earlier submission ran in the same process."""
    before = weak_ground.submission(ATTACKS["left_state"])

    _, tried = weak_ground.without("process", [before, weak_ground.hand_in(ALICE, student="after-0")])

    before_her = alices(weak_ground)
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


# --- What is found in a folder or a zip is read by the grader, too


def _tiny_cells(megabytes: int) -> bytes:
    return notebook(text=many('{"cell_type":"c"}', (megabytes << 20) // 18))


# What each of them hands in, by its place below their folder.
IN_A_CLASS: dict[str, Callable[[], dict[str, bytes]]] = {
    "deep": lambda: {"a/" * 32_700 + "vault.py": b""},
    "bomb": lambda: {"vault.ipynb": bytes(200 << 20)},
    "cells": lambda: {"vault.ipynb": _tiny_cells(40), "other/vault.ipynb": _tiny_cells(41)},
}


@pytest.mark.ci
@pytest.mark.parametrize("names", [["deep", "bomb", "cells"], ["cells"]], ids=["zip", "folder"])
def test_some_of_a_class(weak_ground: Ground, names: list[str]) -> None:
    """The others are graded, and the grader needs the memory of one file."""
    ground, packed = weak_ground, "bomb" in names
    files = {"bob/vault.py": HONEST.encode(), "eve/vault.py": HONEST.encode()}
    files |= {f"{name}/{place}": data for name in names for place, data in IN_A_CLASS[name]().items()}
    top = ground.root / "students" / f"class-{len(names)}"
    source = _zipped(top, files) if packed else _written(top, files)
    ground._own(top)
    grade = str(ground.python.with_name("grade"))

    done, megabytes = ground.measured([grade, "batch", "vault", str(source), "-r", str(top / "results.db")])

    printed = done.stdout.decode()
    count = len(names) + 2
    assert done.returncode == 0, printed + done.stderr.decode()
    assert f"{count} students: {count} graded" in printed
    assert re.search(r"nothing to grade +(\d+)\n", printed)[1] == str(len(names))
    assert all(f"\n    {name}  " in printed for name in names)
    assert megabytes < 150


def _written(top: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = top / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return top / "class"


def _zipped(top: Path, files: dict[str, bytes]) -> Path:
    top.mkdir()
    with zipfile.ZipFile(top / "class.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return top / "class.zip"

"""Promise 6: processor time, wall time, memory, recursion, output and messages are bounded, and told by name.

Here an attack is a function, and a file holds those of a kind: each is called by a check of its own, so
that one command sees that all of them end and that the next one is still judged. A function's docstring
says what it does and, where that differs from its file's,

    told: check_seconds | crashed     one of these stands in what the student reads
    guard: memory                     what stops it, where that can be taken out
    asks: student.reads().slow        what the check asks, if not just what the function gives
"""

from __future__ import annotations

import ast
import contextlib
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from escapes.ground import MANIFEST, Attack, Ground, Tried, attacks

FILES = {attack.name: attack for attack in attacks("limits")}
HONEST = """

# %%
def honest():
    return "held"


def answer():
    return 1.0
"""
CHECK = '''\
"""It comes to an end."""


def test_{name}(student):
    """It gives what it should."""
    assert {asks} == "held"
'''


BURNS = """
import time


def attack():
    while time.process_time() < 1.3:
        pass
    return "escaped"
"""


@dataclass(frozen=True)
class Case:
    """One function of an attack's file."""

    file: Attack
    name: str
    doc: str

    def line(self, key: str, otherwise: str) -> str:
        found = re.search(rf"^\s*{key}: (.*)$", self.doc, re.MULTILINE)
        return found[1].strip() if found else self.file.line(key, otherwise)

    def asks(self) -> str:
        return self.line("asks", f"student.{self.name}()")

    def told(self) -> list[str]:
        return self.line("told", "held").split(" | ")


def _cases(file: Attack) -> list[Case]:
    functions = [node for node in ast.parse(file.source).body if isinstance(node, ast.FunctionDef)]
    found = [Case(file, node.name, ast.get_docstring(node) or "") for node in functions]
    return [case for case in found if case.doc]


LATER = {"cells", "ends", "values", "answers", "recursion"}  # more ways to take time or to end
CASES = {f"{file}-{case.name}": case for file in FILES for case in _cases(FILES[file])}


def _in_layers(names: Iterable[str]) -> list[ParameterSet]:
    """Return the names of cases or files, those of LATER marked."""
    return [
        pytest.param(name, marks=[pytest.mark.ci] if name.partition("-")[0] in LATER else [])
        for name in names
    ]


guarded = [name for name, case in CASES.items() if case.line("guard", "nothing") != "nothing"]


@dataclass(frozen=True)
class Graded:
    """The result of a file: its report, and the seconds that the command took."""

    tried: Tried
    seconds: float

    def told(self, check: str) -> str:
        (found,) = (found for found in self.tried.report.checks if found.id == check)
        if found.outcome == "passed":
            return "held"
        return " ".join([found.message, *(row.actual for row in found.readings)])


@pytest.mark.parametrize("name", _in_layers(CASES))
def test_it_is_held(ground: Ground, name: str) -> None:
    """The attack ends, and the student reads why."""
    case = CASES[name]

    told = _graded(ground, case.file.name).told(case.name)

    assert any(word in told for word in case.told()), told
    assert "escaped" not in told


@pytest.mark.whole
@pytest.mark.parametrize("name", guarded)
def test_it_succeeds_without_its_guard(weak_ground: Ground, name: str) -> None:
    case = CASES[name]
    assert "escaped" in _without(weak_ground, case.file.name, case.line("guard", "")).told(case.name)


@pytest.mark.parametrize("file", _in_layers(FILES))
def test_the_others_are_graded(ground: Ground, file: str) -> None:
    """The honest function passes, the wrong one fails, and the command keeps to its time."""
    graded = _graded(ground, file)

    assert graded.told("honest") == "held"
    assert graded.told("answer") == "A hidden test of this check does not pass."
    assert graded.seconds < _limits(FILES[file])["total_seconds"] + 60  # a minute for a busy machine
    assert "floodflood" not in graded.tried.printed


@pytest.mark.ci
def test_every_cell_is_named(ground: Ground) -> None:
    """Each endless cell costs its own time, and its note names the limit."""
    source = FILES["cells"].source
    cells = range(1, 1 + source.count("# %%"))

    notes = _graded(ground, "cells").tried.report.notes

    why = "executing the cells took longer than 0.12"
    assert [note.partition(" s, the limit `load_seconds`")[0] for note in notes] == [
        f"cell {number}: {why}" for number in cells
    ]


def test_too_much_is_printed(ground: Ground) -> None:
    """The first part of the output is kept; a cell that prints without end is stopped like any other."""
    notes = _graded(ground, "floods").tried.report.notes

    too_long = "cell 2: executing the cells took longer than 0.3 s, the limit `load_seconds`"
    assert any(note.startswith(too_long) for note in notes)
    assert any(
        re.fullmatch(r"the cells print 1,\d+ kB; only the first 16 kB .*, the limit `output_kb`", n)
        for n in notes
    )


@pytest.mark.parametrize(
    ("guards", "told"),
    [
        ("little", "processor time; the limit `total_seconds`"),
        pytest.param("little+cpu", "escaped", marks=pytest.mark.whole),
    ],
)
def test_the_processor_time_runs_out(weak_ground: Ground, guards: str, told: str) -> None:
    """Several threads can use up more of it than wall time; `grade` keeps them on one core besides.

    A submission that ignores SIGXCPU was seen to be killed a second later, with a message for it.
    """
    with weak_ground.limits(check_seconds=20, total_seconds=20):
        (tried,) = weak_ground.without(guards, [weak_ground.hand_in(BURNS)])

    assert told in tried.told


@cache
def _graded(ground: Ground, file: str) -> Graded:
    """Grade the whole file with the real command."""
    with _examined(ground, _cases(FILES[file]), _limits(FILES[file])):
        path = ground.hand_in(FILES[file].source + HONEST, student=file)
        started = time.monotonic()
        tried = ground.grade(path)
        return Graded(tried, time.monotonic() - started)


@cache
def _without(ground: Ground, file: str, guard: str) -> Graded:
    """Grade those of its functions that one guard stops, without that guard."""
    cases = [case for case in _cases(FILES[file]) if case.line("guard", "nothing") == guard]
    with _examined(ground, cases, _limits(FILES[file])):
        path = ground.hand_in(FILES[file].source + HONEST, student=file)
        return Graded(ground.without(guard, [path])[0], 0)


def _limits(file: Attack) -> dict[str, float]:
    pairs = [word.split("=") for word in file.line("limits", "").split()]
    return {name: float(value) for name, value in pairs}


@contextlib.contextmanager
def _examined(ground: Ground, cases: Sequence[Case], limits: dict[str, float]) -> Iterator[None]:
    """Give the course a check for each of the functions inside the block."""
    manifest = ground.course / "assignments/vault/assignment.yaml"
    checks = manifest.parent / "checks"
    texts = {case.name: CHECK.format(name=case.name, asks=case.asks()) for case in cases}
    texts["honest"] = CHECK.format(name="honest", asks="student.honest()")
    entry = MANIFEST[MANIFEST.index("  attack:") : MANIFEST.index("  answer:")]
    entries = "".join(entry.replace("attack", name) for name in texts)
    try:
        manifest.write_text(MANIFEST.replace(entry, entries), encoding="utf-8")
        for name, text in texts.items():
            (checks / f"test_{name}.py").write_text(text, encoding="utf-8")
        with ground.limits(**limits), _moved(checks / "test_attack.py"):
            yield
    finally:
        manifest.write_text(MANIFEST, encoding="utf-8")
        for name in texts:
            (checks / f"test_{name}.py").unlink(missing_ok=True)


@contextlib.contextmanager
def _moved(path: Path) -> Iterator[None]:
    text = path.read_text(encoding="utf-8")
    path.unlink()
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")

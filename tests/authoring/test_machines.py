"""Another machine: neither the last digits of PyTorch and `math` nor its speed are a fault of the course."""

from __future__ import annotations

import base64
import json
import math
import shutil
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from minicourse import change, put
from msgspec.structs import replace
from validating import about, launcher, problems, regenerate

from grader.assignment import Course
from grader.autograd import parity
from grader.grading.grader import grade_work, open_grader
from grader.grading.plugin import Plugin
from grader.grading.records import RecordedCheck
from grader.report import Outcome
from grader.sandbox.replay import ReplayingSandbox
from grader.submissions.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.report import Report

MANIFEST = """\
format: 1
title: Bends
submission: bends.ipynb
topic: autograd
operations: [tanh]
walks: []
checks:
  tanh:
    points: 1
    hints: ["Which function bends?"]
"""
TANH = """\
# %%
### BEGIN SOLUTION
# STUB: import math
import math
### END SOLUTION


class Value:
    def __init__(self, data):
        self.data, self.grad, self._backward = data, 0.0, lambda: None

    def tanh(self):
        ### BEGIN SOLUTION
        out = Value(math.tanh(self.data))

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION
"""
CHECK = '''\
"""tanh bends."""

from pytest import approx


def test_{name}(student, oracle):
    """The gradient at {at} is PyTorch's."""
    expected = oracle(lambda a: a.tanh(), a={at})
    (a,) = student.leaves(a={at})
    out = a.tanh()
    out.grad = 1.0
    out._backward()
    assert out.data == approx(expected.data)
    assert a.grad == approx(expected.gradients["a"])
'''
MOVED = """\
import types

here = types.SimpleNamespace(**vars(__import__("math")))
math = types.SimpleNamespace(**vars(here))
math.tanh = lambda x: here.nextafter(here.tanh(x), 2.0)  # the next number up, as other libraries of C may give
"""
SOURCE, WRONG = "solutions/bends/bends.py", "(1 - out.data) * out.grad"
RULE = (
    "In a.tanh() your engine does the same as `a.grad += (1 - out.data) * out.grad`. A square is missing. tanh is as steep at -2 "
    "as at 2: the sign of its result does not matter to the slope."
)
SIDES = ("assignments", "solutions")


def torch_here(expression: Callable[..., Any], graph: str, leaves: dict[str, float]) -> parity.ParityCase:
    """Return the numbers of a torch whose tanh is that of `math`."""
    data = math.tanh(leaves["a"])
    return parity.ParityCase(graph, dict(leaves), data, {"a": 1 - data * data})


def torch_there(expression: Callable[..., Any], graph: str, leaves: dict[str, float]) -> parity.ParityCase:
    """Return the numbers of the same torch on a machine with other instructions."""
    case = torch_here(expression, graph, leaves)
    moved = {name: math.nextafter(number, 2.0) for name, number in case.gradients.items()}
    return replace(case, data=math.nextafter(case.data, 2.0), gradients=moved)


def change_machine(patch: pytest.MonkeyPatch, cache: Path, torch: Callable[..., parity.ParityCase]) -> None:
    """Put another torch into this machine, and an empty cache."""
    patch.setattr("importlib.metadata.version", lambda _: "2.13.0")
    patch.setattr(parity, "from_torch", torch)
    patch.setattr(parity, "_kept_or_from_torch", torch)
    patch.setenv("XDG_CACHE_HOME", str(cache))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one tanh, sound on the machine where it was made; nobody writes into it."""
    root = tmp_path_factory.mktemp("made")
    put(root, "assignments/bends/assignment.yaml", MANIFEST)
    put(root, "solutions/bends/salt.txt", "a pinch of salt\n")
    put(root, SOURCE, TANH)
    for side, name, at in zip(SIDES, ("seen", "unseen"), (0.5, 0.7), strict=True):
        put(root, f"{side}/bends/checks/test_tanh.py", CHECK.format(name=name, at=at))
    with pytest.MonkeyPatch.context() as patch:
        change_machine(patch, tmp_path_factory.mktemp("cache"), torch_here)
        regenerate(root, "bends")
        assert problems(root, "bends") == []
    return root


@pytest.fixture
def bends(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that course, on the same machine."""
    change_machine(monkeypatch, tmp_path / "cache", torch_here)
    return Path(shutil.copytree(made, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


def records(root: Path, name: str) -> list[bytes]:
    """Return the bytes of a generated file of both sides."""
    return [(root / side / "bends/checks" / name).read_bytes() for side in SIDES]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the tests that pytest has run."""
    names: list[str] = []
    run = Plugin.run

    def noted(self: Plugin, running: Any, test: Any) -> None:
        names.append(test.name)
        run(self, running, test)

    monkeypatch.setattr(Plugin, "run", noted)
    return names


def graded(root: Path, source: str) -> Report:
    """Return the report on a submission."""
    with open_grader(Course(root).assignment("bends"), launcher()) as grader:
        return grade_work(grader, Work(name="mine.py", data=source.encode()))


# --- PyTorch


def test_the_last_digits_of_another_torch_are_no_fault(
    bends: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`grade validate` finds nothing, and `grade stub` leaves the record and what depends on it as they are."""
    before = records(bends, "parity.json"), records(bends, "replay.json")
    change_machine(monkeypatch, tmp_path / "there", torch_there)

    assert problems(bends, "bends") == []
    regenerate(bends, "bends")
    assert (records(bends, "parity.json"), records(bends, "replay.json")) == before


DIFFERENT = {
    "a digit that counts": lambda row: row["gradients"].update(a=row["gradients"]["a"] * (1 + 1e-11)),
    "a case that no test asks for": lambda row: row["leaves"].update(a=0.25),
    "no number": lambda row: row.update(data="0.46"),
}


@pytest.mark.ci
@pytest.mark.parametrize("difference", DIFFERENT)
def test_a_record_that_differs_in_more_is_out_of_date(bends: Path, difference: str, snapshot) -> None:
    path = bends / "assignments/bends/checks/parity.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    DIFFERENT[difference](record["cases"][0])
    path.write_text(json.dumps(record), encoding="utf-8")

    assert about(path, problems(bends, "bends")) == snapshot


def test_numbers_near_0_agree_by_their_difference() -> None:
    """A gradient that cancels out is noise, which differs by more than its own size."""

    def record(gradient: float) -> str:
        return parity.write_records([parity.ParityCase("(a - a)", {"a": 0.3}, 0.0, {"a": gradient})])

    assert parity.parity_agrees(record(1.1e-17), record(-3.3e-17))
    assert not parity.parity_agrees(record(1.1e-13), record(-3.3e-13))


# --- `math`


def moved(root: Path) -> Path:
    """Let the reference compute as it does on a machine whose tanh gives the next number."""
    return change(root, SOURCE, "\nimport math\n", f"\n{MOVED}")


def test_the_last_digits_of_another_math_are_no_fault(bends: Path) -> None:
    """Where the reference itself answers otherwise in the last digit, validation and stub are content."""
    before = records(bends, "replay.json")
    moved(bends)

    assert problems(bends, "bends") == []
    regenerate(bends, "bends")
    assert records(bends, "replay.json") == before


def test_a_missed_replay_runs_the_tests_and_gives_the_same_verdict(bends: Path, ran: list[str]) -> None:
    """Right and wrong work of a machine with another tanh gets what it gets on this one, by the slower way."""
    wrong = TANH.replace("(1 - out.data**2) * out.grad", WRONG)
    here = [graded(bends, source) for source in (TANH, wrong)]
    settled = len(ran)
    there = [graded(bends, source.replace("\nimport math\n", f"\n{MOVED}")) for source in (TANH, wrong)]

    assert [report.outcome for report in there] == [Outcome.PASSED, Outcome.FAILED]
    assert [report.score for report in there] == [report.score for report in here]
    assert [report.checks[0].rules[0].words for report in (here[1], there[1])] == [RULE, RULE]
    assert settled == 1  # the visible test of the wrong one
    assert len(ran) - settled == 3  # and both of the right one


@pytest.mark.ci
def test_a_reference_that_answers_otherwise_needs_new_records(bends: Path, snapshot) -> None:
    """The same requests with other answers are another reference, and `grade stub` writes its record."""
    for side, name, at in zip(SIDES, ("seen", "unseen"), (0.5, 0.7), strict=True):
        rough = CHECK.format(name=name, at=at).replace(
            "approx(expected.data)", "approx(expected.data, rel=1e-6)"
        )
        put(bends, f"{side}/bends/checks/test_tanh.py", rough)
    regenerate(bends, "bends")
    change(bends, SOURCE, "Value(math.tanh(self.data))", "Value(math.tanh(self.data) + 1e-8)")

    found = problems(bends, "bends")

    paths = [bends / side / "bends/checks/replay.json" for side in SIDES]
    assert [about(path, found) for path in paths] == snapshot
    regenerate(bends, "bends")
    assert problems(bends, "bends") == []


@pytest.mark.ci
def test_a_new_salt_renews_the_records(bends: Path) -> None:
    """They are keyed by it, visible ones too, although the answers are the same."""
    before = records(bends, "replay.json")
    put(bends, "solutions/bends/salt.txt", "another pinch\n")

    regenerate(bends, "bends")

    assert [old == new for old, new in zip(before, records(bends, "replay.json"), strict=True)] == [
        False,
        False,
    ]


@pytest.mark.ci
def test_a_damaged_record_is_written_anew(bends: Path) -> None:
    path = bends / "assignments/bends/checks/replay.json"
    before = path.read_bytes()
    path.write_bytes(before.replace(b'"sum":"', b'"sum":"0', 1))

    regenerate(bends, "bends")

    assert path.read_bytes() == before


# --- Arrays

ARRAYS = """\
format: 1
title: Waves
submission: waves.ipynb
arrays: true
checks:
  wave: {points: 1, hints: ["Which function is it?"]}
"""
WAVE = """\
# %%
import numpy as np


# %%
def wave(n):
    ### BEGIN SOLUTION
    return np.exp(np.arange(n, dtype="DTYPE") / 7)
    ### END SOLUTION


def total(numbers):
    ### BEGIN SOLUTION
    return np.asarray(numbers).sum()
    ### END SOLUTION
"""
SENT = '''\
"""The wave and its total."""

import math

from pytest import approx


def test_read(student):
    """Its entries, one of them exactly; the total of other numbers."""
    numbers = student.wave(5)
    assert numbers[:1] == [1.0]
    assert numbers == approx([math.exp(i / 7) for i in range(5)])
    assert student.total([0.5, 1.5]) == 2


def test_sent_back(student):
    """The total of the entries that were read."""
    assert student.total(student.wave(2)) == approx(1 + math.exp(1 / 7))
'''


@pytest.fixture(params=["float64", pytest.param("float32", marks=pytest.mark.whole)])
def waves(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A course whose answers are arrays, sound on the machine where it was made."""
    put(tmp_path, "assignments/waves/assignment.yaml", ARRAYS)
    put(tmp_path, "assignments/waves/checks/test_wave.py", SENT)
    put(tmp_path, "solutions/waves/waves.py", WAVE.replace("DTYPE", request.param))
    regenerate(tmp_path, "waves")
    return tmp_path


@pytest.mark.ci
def test_the_last_digits_of_another_numpy_are_no_fault(waves: Path) -> None:
    """Arrays differ from processor to processor as numbers do, and the record stays."""
    path = waves / "assignments/waves/checks/replay.json"
    before = path.read_bytes()
    source = "solutions/waves/waves.py"
    up = "(lambda x: np.where(x, np.nextafter(np.exp(x), x.dtype.type(9)), 1 + x))"
    change(waves, source, "return np.exp(", f"return {up}(")

    assert problems(waves, "waves") == []
    regenerate(waves, "waves")
    assert path.read_bytes() == before


@pytest.mark.ci
def test_a_slow_machine_records_the_same(
    waves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that takes too long to be replayed while grading is recorded all the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(ReplayingSandbox, "script_seconds", 0.0)

    assert problems(waves, "waves") == []


def test_an_array_that_is_sent_back_is_not_replayed(waves: Path) -> None:
    """The jail would learn its numbers before the submission has computed them."""
    path = waves / "assignments/waves/checks/replay.json"
    lines = json.loads(path.read_text(encoding="utf-8"))["checks"]
    record = msgspec.json.decode(zlib.decompress(base64.b64decode(lines["wave"]["data"])), type=RecordedCheck)

    assert {test.name: test.is_taped for test in record.tests} == {
        "test_read": False,
        "test_sent_back": False,
    }
    assert record.marks == {}, "nor is its check"

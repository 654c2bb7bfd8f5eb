"""A loop that never ends costs its check and not the report, and the student reads the line where it stood."""

import os
import subprocess
import sys

import pytest
from tiny import message_of, outcomes, scores

from grader.grading.grader import open_grader
from grader.report import SubmissionInfo, to_json
from grader.sandbox import Sandbox
from grader.sandbox.hangs import LEAST_SECONDS
from grader.sandbox.jail import Launcher
from grader.submissions.submission import Block, Sources

LIMITS = {"check_seconds": 0.3}
SOME_PASS = {"check_seconds": 0.6}  # where another call has to end in time
CALLS = '''
"""It ends."""

def test_{name}(student):
    """It ends for {name}."""
    assert student.{function}({number}) == {number}
'''
LOOP = """
class Box:
    def empty(self, n):
        order = [n]
        while order:
            keep(order[-1])
        return n

def keep(n):
    return n

def first(n):
    return Box().empty(n) if n else 0

def second(n):
    return Box().empty(n) if n else 0

def fine(n):
    return n
"""


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """A call that hung before gets the shortest time at once (tests/sandbox/test_hangs.py has the usual ones)."""
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", LEAST_SECONDS)


def calls(function, number=1, name="x"):
    """The source of a check that calls a function."""
    return CALLS.format(function=function, number=number, name=name)


@pytest.mark.ci
def test_the_line_of_a_cell(make, report_on):
    """A loop outside of functions is told in the note about its cell, and where a check misses a name of the cell."""
    cell = "x = 1\nwhile x:\n    x = x + 1\n    x = x - 0\ndef first(n): return n\n"

    report = report_on(make({"one": calls("first")}, limits={"load_seconds": 0.5}), cell)

    assert report.notes == [] or "->  while x:" in report.notes[0]
    assert report.checks[0].where.text == "while x:"


def test_each_check_hangs_once(make, launcher, monkeypatch, snapshot):
    """Its other tests do not run: they open no jail, and load nothing. The next check points to the first."""
    tests = "".join(f"\ndef test_{i}(student):\n    assert student.{{0}}({i}) == 0\n" for i in range(5))
    opened = _counted(monkeypatch, Launcher, "open")
    loaded = _counted(monkeypatch, Sandbox, "load")
    checks = {"one": tests.format("first"), "two": tests.format("second"), "three": calls("fine")}
    blocks = Sources([Block("mine.py", None, 1, LOOP)])

    with open_grader(make(checks, limits=SOME_PASS, one={"points": 10, "partial": True}), launcher) as grader:
        report = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks)

    assert outcomes(report) == {"one": "failed", "two": "failed", "three": "passed"}
    assert scores(report) == {"one": 2, "two": 0, "three": 10}
    assert message_of(report, "two") == snapshot
    assert report.checks[1].see == "one"
    assert len(loaded) == 3  # one for each check
    assert len(opened) == 3  # each hang ends one


@pytest.mark.ci
def test_the_line_is_told_of_visible_tests_alone(make, report_on, snapshot):
    """It is the loop's own line, in the function as the student knows it; the hidden test that met it first is silent."""
    hidden = {"one": calls("first", 8675309)}

    report = report_on(make({"two": calls("first")}, hidden, limits=LIMITS, one={}), LOOP)

    by_name = {check.id: check for check in report.checks}
    assert by_name["one"].where is None
    assert "Your code was still at" not in by_name["one"].message
    assert by_name["two"].message == snapshot
    where = by_name["two"].where
    assert (where.line, where.text, where.inside) == (5, "while order:", "Box.empty")
    assert "8675" not in to_json(report)


@pytest.mark.ci
def test_the_time_of_all_that_hangs_again_is_bounded(make, launcher, monkeypatch, snapshot):
    """Each check has less of it than the one before: the budget of a request says so, and no clock is asked."""
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", 2 * LEAST_SECONDS)
    checks = {name: calls("first", i) for i, name in enumerate("abcd", start=1)}

    with open_grader(make(checks, limits=LIMITS), launcher) as grader:
        results = grader.run([Block("mine.py", None, 1, LOOP)])[1]

    texts = [str(result.error) for result in results]
    assert texts[0] == snapshot
    assert [text.rpartition("after ")[2] for text in texts[1:]] == [
        f"{seconds} s" for seconds in (0.2, 0.1, 0.1)
    ]


def _counted(monkeypatch, kind, name):
    """Return the list to which each call of a method is added."""
    made, method = [], getattr(kind, name)

    def counting(self, *args, **named):
        made.append(args)
        return method(self, *args, **named)

    monkeypatch.setattr(kind, name, counting)
    return made


BUSY = "import os\nos.sched_setaffinity(0, {{{}}})\nwhile True:\n    pass\n"
WORKS = """
import time

def f(x):
    while not x:
        pass
    begun = time.process_time()
    while time.process_time() - begun < 0.4:
        pass
    return 2
"""


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux, which tells who waits")
def test_a_busy_machine_fails_no_right_work(make, report_on, monkeypatch):
    """Three tests of 0.4 s of a processor each, where four processes share each core, and the check has 1.5 s.

    Nor does it where the same function ran out of time in an earlier check, so that each call has 0.6 s.
    """
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", 0.6)
    tests = "".join(f"def test_{name}(student):\n    assert student.f(1) == 2\n\n" for name in "abc")
    assignment = make(
        {"hung": calls("f", 0), "one": tests}, limits={"check_seconds": 1.5, "total_seconds": 60}
    )
    others = [
        subprocess.Popen([sys.executable, "-c", BUSY.format(core)]) for core in [*os.sched_getaffinity(0)] * 3
    ]
    try:
        report = report_on(assignment, WORKS)
    finally:
        for other in others:
            other.kill()
            other.wait()

    assert outcomes(report) == {"hung": "failed", "one": "passed"}

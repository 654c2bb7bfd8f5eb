"""A test whose answers are the reference's is settled by replay; whatever replay meets, verdicts stay the same."""

from __future__ import annotations

from textwrap import dedent

import pytest
from bothways import differences_of, write_record
from tiny import put

from grader.grading.plugin import Plugin


@pytest.fixture
def record(make, launcher):
    """Write a tiny assignment with its reference and its replay.json."""

    def record(visible, reference, **options):
        assignment = make({name: HEAD + dedent(text) for name, text in visible.items()}, **options)
        put(assignment.reference, "# %%\n" + dedent(reference))
        write_record(assignment, launcher)
        return assignment

    return record


HEAD = "import pytest\nfrom pytest import approx\n\n"


@pytest.fixture
def both(launcher):
    """Grade sources by an assignment in both ways: the reports, which are equal but for times."""

    def both(assignment, *sources):
        works = {f"mine{i}.py": dedent(source).encode() for i, source in enumerate(sources)}
        plain, found = differences_of(assignment, launcher, works)
        assert "\n".join(found) == ""
        return list(plain.values())

    return both


@pytest.fixture
def ran(monkeypatch):
    """The names of the tests that pytest has run."""
    names, run = [], Plugin.run

    def noted(self, running, test, answered=None):
        names.append(test.name)
        run(self, running, test, answered)

    monkeypatch.setattr(Plugin, "run", noted)
    return names


def outcomes(reports):
    return [report["checks"][0]["outcome"] for report in reports]


BOX = """
class Box:
    def __init__(self, x):
        self.x = x
    def double(self):
        return 2 * self.x
"""
FIXTURES = """
@pytest.fixture
def box(student):
    return student.Box(3.0)

def test_x(box):
    assert box.x == approx(3.0)
    assert box.double() == approx(6.0)

class TestIt:
    @pytest.fixture(autouse=True)
    def around(self, student):
        self.made = student.Box(2.0)
        yield
        assert self.made.x == approx(2.0)

    def test_y(self):
        assert self.made.double() == approx(4.0)
"""


def test_fixtures_of_the_check_ask_too(record, both):
    assignment = record({"box": FIXTURES}, BOX)
    nearly, wrong = (BOX.replace("2 *", factor) for factor in ("2.00000000001 *", "3 *"))

    assert outcomes(both(assignment, BOX, nearly, wrong, wrong)) == ["passed", "passed", "failed", "failed"]


TWO = """
def test_two(student):
    assert student.f(2.0) == approx(4.0)
    assert student.g(2.0) == approx(6.0)
"""
RIGHT = "def f(x):\n    return 2 * x\n\ndef g(x):\n    return 3 * x\n"


def test_names_that_a_remembered_test_did_not_ask_for(record, both):
    """The advice about a cell depends on the names that tests ask for; a test that fails early asks for fewer."""
    assignment = record({"two": TWO}, RIGHT)
    wrong = "def f(x):\n    return 3 * x\n\n# %%\nopen('table.csv', 'w')\ng = 5\n"

    _, first, _ = both(assignment, RIGHT, wrong, wrong + "\n")

    assert "tag the cell `demo`" in first["notes"][0]


OTHER_REQUESTS = """
def test_f(student):
    first = student.f(2.0)
    if not isinstance(first, float):
        first = first.data
    assert first == approx(4.0)
    assert student.f(3.0) == approx(6.0)
"""
COUNTER = """
import math

math.loads = getattr(math, "loads", 0) + 1
Number = type(f"Number{math.loads}", (), {"__init__": lambda self, data: setattr(self, "data", data)})

def f(x):
    return Number(2 * x) if x == 2.0 else 2 * x
"""


@pytest.mark.parametrize("mark", ["", "\n@pytest.mark.filterwarnings('ignore')"])
def test_an_engine_that_answers_differently_in_each_load_is_asked_in_one(record, both, ran, mark):
    """Its test runs once more, without the kept answers; so does one that pytest's own protocol runs."""
    assignment = record({"f": mark + OTHER_REQUESTS}, "def f(x):\n    return 2 * x\n")
    ran.clear()

    assert outcomes(both(assignment, COUNTER)) == ["passed"]


SLOW = """
import time

def f(x):
    time.sleep(0.4)
    return 2.0 * x{}
"""
FOUR = """
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0, 4.0])
def test_f(student, x):
    assert student.f(x) == approx(2 * x)
"""


@pytest.mark.parametrize("slip", ["", " * 1.00000000001", " + 1"])
@pytest.mark.parametrize(
    "limits",
    [
        {"check_seconds": 1, "total_seconds": 5},
        {"check_seconds": 2.5, "total_seconds": 5},
        {"check_seconds": 4, "total_seconds": 1},
        {"check_seconds": 4, "total_seconds": 2.2},
    ],
)
def test_limits_mean_what_they_meant(record, both, limits, slip):
    assignment = record({"f": FOUR}, "def f(x):\n    return 2 * x\n", limits=limits)

    print(outcomes(both(assignment, SLOW.format(slip))))


def test_replays_that_decide_nothing_are_not_charged(record, both):
    """The tests go on in the jail each time, and take 2.4 s of 3.6."""
    check = OTHER_REQUESTS.replace("(student)", "(student, case)")
    check = f'@pytest.mark.parametrize("case", [1, 2, 3]){check}'
    assignment = record(
        {"f": check}, "def f(x):\n    return 2 * x\n", limits={"check_seconds": 3.4, "total_seconds": 3.6}
    )
    slow = """
    import time

    class Number:
        def __init__(self, data):
            self.data = data

    def f(x):
        time.sleep(0.4)
        return Number(2 * x) if x == 2.0 else 2 * x
    """

    assert outcomes(both(assignment, slow)) == ["passed"]


FORGER = """
import os, sys, threading, gc

def worker():
    frame = sys._getframe()
    while "step" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["self"], frame.f_locals["steps"] if "steps" in frame.f_locals else None

def coming():
    scripts = [thing for thing in gc.get_objects() if type(thing) is dict and thing.get("op") == "replay"]
    return scripts[0] if scripts else None

def forge(**message):
    jail, _ = worker()
    request = coming()
    if request is not None:
        jail.send({"n": request["n"], **message})
    return request

def f(x):
    if x == 1.0:
        CASE
    return 1.0
"""
FORGED = {
    "too many answers": "forge(v=[1.0] * 1000, frames=[])",
    "too few answers": "forge(v=[], frames=[])",
    "no list": "forge(v=7, frames=[])",
    "an oversize": "forge(v={'x': 'why'}, frames=[])",
    "early answers": "[forge(v=v, frames=[]) for _ in range(9) for v in ([], [{'h': 1, 'k': 'function', 'c': 'f'}, 1.5])]",
    "another number": "worker()[0].send({'n': 5, 'v': []})",
    "no number": "os.write(worker()[0].write_fd, bytes([0, 0, 0, 2]) + b'{}')",
    "many frames": "forge(v=[1.0, 1.5], frames=[[i, []] for i in range(50_000)])",
    "frames of no answer": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, 1.5], frames=[[-1, 5], [10**15, 5]])",
    "frames that are none": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': {'type': 'X', 'bases': [], 'text': '', 'name': ''}}], frames=[[1, 5]])",
    "an error that is none": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': 5}], frames=[])",
    "an error without a type": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': {}}], frames=[])",
    "a value and an error": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': {'type': 'X', 'bases': [], 'text': '', 'name': ''}, 'v': 1.5}], frames=[])",
    "a huge number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, 10**300], frames=[])",
    "a large number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, 2**64], frames=[])",
    "a large negative number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, -2**63 - 1], frames=[])",
    "not a value": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'q': 1}], frames=[])",
    "a missing value": "forge(v=[{'missing': 1}, {'missing': 1}], frames=[])",
    "deep": "os.write(worker()[0].write_fd, (lambda b: len(b).to_bytes(4, 'big') + b)(b'{\"n\": %d, \"v\": ' % coming()['n'] + b'[' * 3000 + b']' * 3000 + b'}')) if coming() else 0",
    "another worker": "setattr(type(worker()[0]), 'do_call', lambda self, request: 1.5 if coming() else 1.0)",
    "another encoder": "setattr(type(worker()[0]), 'encode', lambda self, value, depth=0: 1.5 if coming() else 1.0)",
    "other scripts": "[script['requests'].clear() for script in (coming() or {'scripts': []})['scripts']]",
    "more scripts": "(coming() or {'scripts': []})['scripts'].append({'order': 'forward', 'requests': []})",
    "no stack": "sys.setrecursionlimit(50)",
    "a stack without end": "sys.setrecursionlimit(10**9)",
    "an exit": "coming() and os._exit(0)",
    "an endless loop": "exec('while coming(): pass')",
    "a thread that answers": "threading.Thread(target=lambda: exec('for i in range(10**6): forge(v=[], frames=[])'), daemon=True).start()",
    "a flood": "print('x' * 10_000_000)",
    "handles again": "worker()[0].objects.clear(); worker()[0].numbers.clear()",
    "a raise": "raise SystemExit",
    "a generator closed": "[thing.close() for thing in gc.get_objects() if type(thing).__name__ == 'generator' and thing.gi_code.co_name in ('scripts', 'steps')]",
}
THREE = """
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0])
def test_it(student, x):
    assert student.NAME(x) == approx(2 * x)
"""
HONEST = "def f(x):\n    return x + x\n\ndef g(x):\n    return x * 2.00000000001\n"


def test_a_forger_gains_nothing(record, launcher):
    """Nothing that student code sends or changes in the jail gives a point that it does not get without replay."""
    checks = {name: THREE.replace("NAME", name) for name in "fg"}
    limits = {"check_seconds": 1, "total_seconds": 6, "memory_mb": 256}
    partial = {name: {"partial": True} for name in checks}
    assignment = record(checks, "def f(x):\n    return 2 * x\n\ng = f\n", limits=limits, **partial)
    works = {
        f"{name}.py": FORGER.replace("CASE", case).encode() + b"\n\ndef g(x):\n    return x + x\n"
        for name, case in FORGED.items()
    } | {"honest.py": HONEST.encode()}

    plain, found = differences_of(assignment, launcher, works)
    print(*found, sep="\n")

    assert {report["checks"][0]["score"] for report in plain.values()} == {0, 10}
    assert [line for line in found if line.startswith("honest") or "+ ungradable" in line] == []
    better = [
        line for line in found if ".score" in line and float(line.split()[-1]) > float(line.split()[-3])
    ]
    assert better == []

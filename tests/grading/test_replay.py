"""A check whose answers are the reference's is settled by replay; whatever replay meets, verdicts stay the same."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from textwrap import dedent

import pytest
import yaml
from bothways import differences_of, open_plain, write_record
from helpers import COURSE
from tiny import put

from grader.assignment import Course
from grader.authoring.recording import make_replay
from grader.authoring.reference import reference_blocks
from grader.grading import records
from grader.grading.grader import open_grader
from grader.grading.plugin import Plugin
from grader.manifest import Limits
from grader.sandbox.hangs import LEAST_SECONDS
from grader.sandbox.replay import ReplayingSandbox, Script


@pytest.fixture
def record(make, launcher):
    """Write a tiny assignment with its reference and its replay.json."""

    def record(visible, reference, **options):
        assignment = make({name: HEAD + dedent(text) for name, text in visible.items()}, **options)
        put(assignment.reference, "# %%\n" + dedent(reference))
        write_record(assignment, launcher)
        return assignment

    return record


DAYS_OF = Course(COURSE)
DAYS = DAYS_OF.names
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

    def noted(self, running, test):
        names.append(test.name)
        run(self, running, test)

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


SHARED = """
def test_first(student):
    assert student.count(1) == 1
    assert student.Tape().push(2) == [2]

def test_second(student):
    assert student.count(1) == 2
    assert student.Tape().push(3) == [2, 3]
"""
COUNTS = """
class Tape:
    kept = []
    def push(self, item):
        self.kept.append(item)
        return self.kept

calls = 0

def count(x):
    global calls
    calls += x
    return calls
"""


@pytest.mark.parametrize("slip", ["", "+ 0.0", "* 2", "if calls < 2 else 5"])
def test_tests_of_a_check_share_a_load(record, both, slip):
    """A counter of the class and a tape at the top go on from test to test, and begin anew in the next check."""
    assignment = record({"count": SHARED, "again": SHARED}, COUNTS, again={"orders": True})

    (report,) = both(assignment, COUNTS.replace("return calls", f"return calls {slip}"))

    first, second = report["checks"]
    assert first["outcome"] == second["outcome"] == ("passed" if slip in {"", "+ 0.0"} else "failed")


@pytest.mark.parametrize("replay", [False, True])
def test_an_author_s_run_in_one_order_has_as_many_loads(record, launcher, replay):
    """The tests of each order have a load of their own there, too."""
    assignment = record({"count": SHARED}, COUNTS, count={"orders": True})

    with open_grader(assignment, launcher) as grader:
        _, results = grader.run(reference_blocks(assignment), order="reverse", replay=replay)

    assert [result.outcome for result in results] == ["passed"] * 6


@pytest.mark.parametrize(("seconds", "sent"), [(0.5, 2), (0.0, 1)])
def test_replay_ends_when_it_has_wasted_its_time(record, both, monkeypatch, seconds, sent):
    """A script that settles nothing is not charged, but with slow cells its load is one load more."""
    scripts, replay = [], ReplayingSandbox.replay

    def noted(self, script, left):
        scripts.append(script)
        return replay(self, script, left)

    assignment = record({"one": TWO, "two": TWO}, RIGHT)
    monkeypatch.setattr("grader.grading.suite.WASTED", seconds)
    monkeypatch.setattr(ReplayingSandbox, "replay", noted)

    both(assignment, RIGHT.replace("3 *", "4 *"))

    assert len(scripts) == sent


ORDERED = """
def test_total(student):
    boxes = [student.Box(x) for x in (0.1, 0.2, 0.3)]
    assert student.total(*boxes) == approx(0.6)

def test_twice(student):
    assert student.Box(2.0).x == approx(2.0)
"""
BOXES = """
class Box:
    def __init__(self, x):
        self.x = x

def total(*boxes):
    return sum(box.x for box in set(boxes))
"""


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        pytest.param("sum(box.x for box in boxes) + 1", ("failed", 1), id="wrong alike"),
        pytest.param("sum(box.x for box in set(boxes)) * 2", ("failed", 3), id="other last digits"),
        pytest.param("[box.x for box in set(boxes)][0] + 0.5", ("failed", 3), id="right in one order"),
        pytest.param("boxes[0].missing", ("failed", 1), id="the same error"),
        pytest.param(
            "vars(__import__('sys')).setdefault('kept', [box.x for box in set(boxes)][0] + 0.5)",
            ("passed", 1),
            id="kept from one load to the next, which a plain run allows, too",
        ),
        pytest.param("0.1 + 0.2 + 0.3 + 1e-12", ("passed", 1), id="other digits than the reference's"),
    ],
)
def test_what_a_check_got_under_one_order_of_sets_may_settle_the_next(record, both, ran, returned, found):
    """It sends again what it asked; the same answers have the same results. `found` has the outcome and how often it ran."""
    assignment = record({"boxes": ORDERED}, BOXES, boxes={"orders": True})
    ran.clear()

    (outcome,) = outcomes(both(assignment, BOXES.replace("sum(box.x for box in set(boxes))", returned)))

    assert (outcome, ran.count("test_total") - 3) == found  # three in the plain run


TWICE = """
def test_f(student):
    if student.f(1.0) != approx(2.0):
        with student.afresh() as again:
            assert again.f(1.0) == approx(3.0)
"""


def test_a_check_that_loads_anew_runs_under_each_order(record, both, ran):
    assignment = record({"f": TWICE}, "def f(x):\n    return 2 * x\n", f={"orders": True})
    ran.clear()

    assert outcomes(both(assignment, "def f(x):\n    return 3 * x\n")) == ["passed"]
    assert len(ran) == 3 + 3


TWO = """
def test_two(student):
    assert student.f(2.0) == approx(4.0)
    assert student.g(2.0) == approx(6.0)
"""
RIGHT = "def f(x):\n    return 2 * x\n\ndef g(x):\n    return 3 * x\n"


def test_names_that_a_test_did_not_ask_for(record, both):
    """The advice about a cell depends on the names that tests ask for; a test that fails early asks for fewer."""
    assignment = record({"two": TWO}, RIGHT)
    wrong = "def f(x):\n    return 3 * x\n\n# %%\nopen('table.csv', 'w')\ng = 5\n"

    _, first = both(assignment, RIGHT, wrong)

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


AFRESH = """
def test_f(student):
    try:
        assert student.f(2.0) == approx(4.0)
    except AssertionError:
        with student.afresh() as again:
            assert again.calls() == 0, f"it was called {again.calls()} times"
            assert again.f(1.0) == approx(2.0), "the first call is wrong, too"
        raise
"""
CALLED = """
count = []

def f(x):
    count.append(x)
    return {result}

def calls():
    return len(count)
"""


def test_a_question_after_a_failure_repeats_nothing(record, both):
    """It is asked of a load of its own, also after a replay; a failure tells of it if it fails."""
    assignment = record({"f": AFRESH}, CALLED.format(result="2 * x"))

    reports = both(assignment, *(CALLED.format(result=each) for each in ("2 * x", "2 * x * x", "3 * x")))

    _, later, first = told = [str(report["checks"][0]) for report in reports]
    assert "'label': 'f(2)', 'given': '', 'actual': '8', 'expected': '4'" in later
    assert "the first call is wrong, too" in first
    assert "first call" not in later
    assert "it was called" not in "".join(told)


def test_an_engine_that_answers_differently_in_each_load_is_asked_in_one(record, both):
    """What a replay has asked of another load counts for nothing."""
    assignment = record({"f": OTHER_REQUESTS}, "def f(x):\n    return 2 * x\n")

    assert outcomes(both(assignment, COUNTER)) == ["passed"]


SLOW = """
import base64
import hashlib
import json
import time
import zlib

def f(x):
    time.sleep({sleep})
    return 2.0 * x{slip}
"""
FOUR = """
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0, 4.0])
def test_f(student, x):
    assert student.f(x) == approx(2 * x)
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("sleep", "limits", "slips"),
    [
        pytest.param(0.4, (0.6, 5), ["", " * 1.00000000001"], marks=pytest.mark.whole),
        (0.25, (1.5, 5), [" + 1"]),
        pytest.param(0.4, (4, 0.6), [" + 1", " * 1.00000000001"], marks=pytest.mark.whole),
        pytest.param(0.25, (4, 1.5), [""], marks=pytest.mark.whole),
    ],
)
def test_limits_mean_what_they_meant(record, both, sleep, limits, slips):
    """Four calls sleep; the second of them meets a limit, or all have time once and would not have it twice."""
    limits = dict(zip(("check_seconds", "total_seconds"), limits))
    assignment = record({"f": FOUR}, "def f(x):\n    return 2 * x\n", limits=limits)

    both(assignment, *(SLOW.format(sleep=sleep, slip=slip) for slip in slips))


@pytest.mark.whole
def test_replays_that_decide_nothing_are_not_charged(record, both):
    """The tests go on in the jail each time, and take 0.9 s of 1.7; their replays take as long again."""
    check = OTHER_REQUESTS.replace("(student)", "(student, case)")
    check = f'@pytest.mark.parametrize("case", [1, 2, 3]){check}'
    assignment = record(
        {"f": check}, "def f(x):\n    return 2 * x\n", limits={"check_seconds": 1.65, "total_seconds": 1.7}
    )
    slow = """
    import time

    class Number:
        def __init__(self, data):
            self.data = data

    def f(x):
        time.sleep(0.15)
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
    "too many answers": "forge(v=[1.0] * 1000)",
    "too few answers": "forge(v=[])",
    "no list": "forge(v=7)",
    "an oversize": "forge(v={'x': 'why'})",
    "early answers": "[forge(v=v) for _ in range(9) for v in ([], [{'h': 1, 'k': 'function', 'c': 'f'}, 1.5])]",
    "another number": "worker()[0].send({'n': 5, 'v': []})",
    "no number": "os.write(worker()[0].write_fd, bytes([0, 0, 0, 2]) + b'{}')",
    "an error that is none": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': 5}])",
    "an error without a type": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': {}}])",
    "a value and an error": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'e': {'type': 'X', 'bases': [], 'text': '', 'name': ''}, 'v': 1.5}])",
    "a huge number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, 10**300])",
    "a large number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, 2**64])",
    "a large negative number": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, -2**63 - 1])",
    "not a value": "forge(v=[{'h': 1, 'k': 'function', 'c': 'f'}, {'q': 1}])",
    "a missing value": "forge(v=[{'missing': 1}, {'missing': 1}])",
    "deep": "os.write(worker()[0].write_fd, (lambda b: len(b).to_bytes(4, 'big') + b)(b'{\"n\": %d, \"v\": ' % coming()['n'] + b'[' * 3000 + b']' * 3000 + b'}')) if coming() else 0",
    "another worker": "setattr(type(worker()[0]), 'do_call', lambda self, request: 1.5 if coming() else 1.0)",
    "another encoder": "setattr(type(worker()[0]), 'encode', lambda self, value, depth=0: 1.5 if coming() else 1.0)",
    "other scripts": "(coming() or {}).update(requests='WwAAAAA=')",
    "requests that are none": "(coming() or {}).update(requests='')",
    "no stack": "sys.setrecursionlimit(50)",
    "a stack without end": "sys.setrecursionlimit(10**9)",
    "an exit": "coming() and os._exit(0)",
    "an endless loop": "exec('while coming(): pass')",
    "a thread that answers": "threading.Thread(target=lambda: exec('for i in range(10**6): forge(v=[])'), daemon=True).start()",
    "a flood": "print('x' * 10_000_000)",
    "handles again": "worker()[0].objects.clear(); worker()[0].numbers.clear()",
    "a raise": "raise SystemExit",
    "a generator closed": "[thing.close() for thing in gc.get_objects() if type(thing).__name__ == 'generator' and thing.gi_code.co_name in ('script', 'steps')]",
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
    assert {report["checks"][0]["score"] for report in plain.values()} == {0, 10}
    assert [line for line in found if line.startswith("honest") or "+ ungradable" in line] == []
    better = [
        line for line in found if ".score" in line and float(line.split()[-1]) > float(line.split()[-3])
    ]
    assert better == []


# --- The record


SQUARE = """
def test_square(student):
    assert student.square(3.0) == approx(9.0)
"""
SQUARES = "def square(x):\n    return x * x\n"
SLIPPED = "def square(x):\n    return x + x\n"


def lines_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_lines(path, **changes):
    """Change the line of the check `square`; None takes it out."""
    data = lines_of(path)
    if changes:
        data["checks"]["square"] |= changes
    else:
        del data["checks"]["square"]
    path.write_text(json.dumps(data), encoding="utf-8")


def packed(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


BOMB = bytes(70 << 20)
DAMAGE = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "empty": lambda path: path.write_bytes(b""),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "deep": lambda path: path.write_text("[" * 100_000),
    "another format": lambda path: path.write_text(json.dumps(lines_of(path) | {"format": 99})),
    "another suite": lambda path: write_lines(path, key="0" * 64),
    "another sum": lambda path: write_lines(path, sum="0" * 64),
    "no Base64": lambda path: write_lines(path, data="§"),
    "not packed": lambda path: write_lines(path, data="AAAA"),
    "a bomb": lambda path: write_lines(path, data=packed(BOMB), sum=hashlib.sha256(BOMB).hexdigest()),
    "no record": lambda path: write_lines(path, data=packed(b"[]"), sum=hashlib.sha256(b"[]").hexdigest()),
    "without the check": write_lines,
    "missing": lambda path: path.unlink(),
}


@pytest.mark.ci
@pytest.mark.parametrize(
    "damage", [pytest.param(each, marks=[pytest.mark.ci] * (each == "a bomb")) for each in DAMAGE]
)
def test_a_record_that_cannot_be_used_changes_no_verdict(record, both, capsys, damage):
    assignment = record({"square": SQUARE}, SQUARES)
    DAMAGE[damage](assignment.checks_folder("visible") / "replay.json")
    capsys.readouterr()

    assert outcomes(both(assignment, SQUARES, SLIPPED)) == ["passed", "failed"]
    assert "replay.json" in capsys.readouterr().err


def test_a_record_of_another_protocol_is_out_of_date(record, both, ran, monkeypatch):
    assignment = record({"square": SQUARE}, SQUARES)
    monkeypatch.setattr(records, "PROTOCOL", records.PROTOCOL + 1)
    ran.clear()

    both(assignment, SQUARES)

    assert len(ran) == 2  # plain, and with a replay that did not settle it


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


EDITS = {
    "nothing": lambda root: None,
    "the check": lambda root: edit(root / "assignments/tiny/checks/test_square.py", "9.0", "6.0"),
    "the helpers": lambda root: put(root / "assignments/tiny/checks/_helpers.py", "NINE = 9.0\n"),
    "orders": lambda root: edit(
        root / "assignments/tiny/assignment.yaml", "points: 10", "points: 10\n    orders: true"
    ),
    "points": lambda root: edit(root / "assignments/tiny/assignment.yaml", "points: 10", "points: 20"),
}


@pytest.mark.ci
@pytest.mark.parametrize("what", EDITS)
def test_an_edit_makes_a_record_stale(record, both, ran, what):
    """Points and limits do not: no test depends on them."""
    assignment = record({"square": SQUARE}, SQUARES)
    EDITS[what](assignment.course.root)
    assignment = Course(assignment.course.root).assignment("tiny")
    ran.clear()

    both(assignment, SQUARES, SLIPPED)

    stale = what not in ("nothing", "points")
    assert ran.count("test_square") == (3 if what == "orders" else 1) * (4 if stale else 3)


@pytest.mark.parametrize("salt", ["salt", "another"])
def test_the_salt_of_hidden_checks_counts(record, both, ran, salt):
    assignment = record({}, SQUARES, hidden={"square": HEAD + SQUARE})
    put(assignment.solutions / "salt.txt", salt)
    ran.clear()

    both(Course(assignment.course.root).assignment("tiny"), SQUARES)

    assert len(ran) == (1 if salt == "salt" else 2)


# --- Answers


LINES = """
class Box:
    def __init__(self, x):
        self.x = x

    def double(self):
        return self.missing + self.x
"""


def test_an_error_has_the_lines_of_each_student(record, both):
    """The same error at another line is another answer."""
    assignment = record({"box": FIXTURES}, BOX)

    first, second = both(assignment, LINES, "# mine\n\n\n" + LINES)

    assert first["checks"][0]["where"]["line"] + 3 == second["checks"][0]["where"]["line"]


def test_the_last_bit_is_judged_by_the_test(record, both, ran):
    assignment = record({"square": SQUARE}, SQUARES)
    ran.clear()

    assert outcomes(both(assignment, "def square(x):\n    return x * x * (1 + 2**-52)\n")) == ["passed"]
    assert len(ran) == 2  # plain, and with a replay that did not settle it


THIRD = """
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0, 4.0])
def test_square(student, x):
    assert student.square(x) == approx(x * x)
"""
ENDS = {
    "an endless loop": "while x == 3.0: pass",
    "a death": "import os; x == 3.0 and os._exit(0)",
    "an exit": "x == 3.0 and exit()",
    "a stopped process": "import os; x == 3.0 and os.kill(os.getpid(), 9)",
    "memory": "x == 3.0 and bytearray(10**12)",
    "much memory": "x == 3.0 and [bytes(10**6) for _ in range(10**4)]",
    "large answers": "if x == 3.0: return 'x' * 60_000",
    "an answer too large": "if x == 3.0: return [['y' * 60_000] * 20]",
    "a flood": "print('x' * 10**6)",
    "depth": "if x == 3.0: return square(x)",
}
DEFAULT_ENDS = {"a death", "memory", "an answer too large"}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("end", "factor"),
    [
        *(pytest.param(end, "1", marks=[pytest.mark.ci] * (end not in DEFAULT_ENDS)) for end in ENDS),
        *(pytest.param(end, "1.00000000001", marks=pytest.mark.whole) for end in ENDS),
    ],
)
def test_a_limit_inside_a_script_decides_nothing(record, both, monkeypatch, end, factor):
    """The rest runs as it is."""
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", LEAST_SECONDS)
    seconds = 0.5 if end == "an endless loop" else 1
    limits = {"check_seconds": seconds, "total_seconds": 10, "memory_mb": 256}
    checks = {"square": THIRD, "other": THIRD, "needing": THIRD}
    assignment = record(
        checks, SQUARES, limits=limits, square={"partial": True}, needing={"needs": ["square"]}
    )
    source = f"def square(x):\n    {ENDS[end]}\n    return {factor} * x * x\n"

    both(assignment, source)


@pytest.mark.ci
def test_a_check_that_needs_another_is_skipped_after_a_limit(record, both):
    limits = {"check_seconds": 0.5, "total_seconds": 10}
    assignment = record(
        {"square": SQUARE, "cube": SQUARE}, SQUARES, limits=limits, cube={"needs": ["square"]}
    )

    (report,) = both(assignment, "def square(x):\n    while True: pass\n")

    assert [check["outcome"] for check in report["checks"]] == ["failed", "blocked"]


MANY = """
def test_many(student):
    for i in range(30):
        assert student.text(i) == "x" * 50_000
"""


def test_answers_too_large_for_one_message(record, both):
    assignment = record({"many": MANY}, "def text(i):\n    return 'x' * 50_000\n")

    assert outcomes(both(assignment, "def text(i):\n    return 50_000 * 'x'\n")) == ["passed"]
    assert outcomes(both(assignment, "def text(i):\n    return 49_999 * 'x'\n")) == ["failed"]


LOADS = "import math\nmath.loads = getattr(math, 'loads', 0) + 1\n"
TRICKS = {
    "a raise in the second load": LOADS + "if math.loads == 2:\n    raise ValueError\n",
    "a thread that outlives its load": "import threading, time\nthreading.Thread(target=time.sleep, args=[3]).start()\n",
    "a collection at each request": "import gc\ngc.set_threshold(1)\n",
    "no collection": "import gc\ngc.disable()\n",
    "handles of things that are gone": "import gc\ngc.collect()\n",
}


@pytest.mark.parametrize(
    "trick",
    [
        "a raise in the second load",
        *(pytest.param(trick, marks=pytest.mark.ci) for trick in list(TRICKS)[1:]),
    ],
)
def test_tricks_at_the_load(record, both, trick):
    assignment = record({"square": THIRD, "box": FIXTURES}, SQUARES + BOX)

    both(
        assignment,
        f"# %%\n{TRICKS[trick]}\n# %%\n{SQUARES}{BOX}",
        f"# %%\n{TRICKS[trick]}\n# %%\n{SLIPPED}{BOX}",
    )


# --- What a record holds, and what it must not


def recorded(assignment, visibility="visible"):
    """The tests of the recorded checks by name."""
    path = assignment.checks_folder(visibility) / "replay.json"
    lines = lines_of(path)["checks"].values()
    checks = [json.loads(zlib.decompress(base64.b64decode(line["data"]))) for line in lines]
    return {(test[0], test[1]): test for check in checks for test in check["tests"]}


ECHO = """
def test_it(student):
    x = student.square(3.0)
    assert student.square(x) == approx(x * x)
"""
FAULTS = {
    "echo": (ECHO, 0),
    "a seeded generator": (
        """
import random

def test_it(student):
    x = random.Random(5).random()
    assert student.square(x) == approx(x * x)
""",
        0,
    ),
    "a counter": (
        """
import itertools
numbers = itertools.count(1)

def test_it(student):
    x = float(next(numbers))
    assert student.square(x) == approx(x * x)
""",
        1,
    ),
    "the time": (
        """
import time

def test_it(student):
    x = time.time()
    assert student.square(x) == approx(x * x)
""",
        1,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_some_tests_are_not_recorded(make, launcher, fault):
    """A test that sends back what it has read would tell the jail early; another draws on more than answers."""
    check, faults = FAULTS[fault]
    assignment = make({"it": HEAD + check})
    put(assignment.reference, f"# %%\n{SQUARES}")

    with open_plain(assignment, launcher) as grader:
        files, found = make_replay(grader, {})
    put(*next(iter(files.items())))

    assert len(found) == faults
    assert [test[3] for test in recorded(assignment).values()] == [0]


def numbers_in(data):
    """Every float in a value of JSON."""
    if isinstance(data, float):
        yield data
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from numbers_in(item)


@pytest.mark.parametrize("day", DAYS)
def test_no_right_answer_is_in_a_visible_record(day):
    """The requests of a test that reads plain answers are sealed, and no answer of the key stands anywhere."""
    assignment = DAYS_OF.assignment(day)
    key = yaml.safe_load((assignment.solutions / "answers.yaml").read_text(encoding="utf-8"))
    names = set(key.get("answers", key))

    for test in recorded(assignment).values():
        requests, unseen, opened = test[4:7] if len(test) > 6 else (test[4] if len(test) > 4 else [], {}, [])
        if isinstance(requests, str):
            assert opened
            continue
        for i, request in enumerate(requests):
            if request["op"] == "get" and request["name"] in names:
                assert unseen[str(i)].startswith(("judge ", "glance "))


def test_an_answer_that_is_not_there_in_a_later_load(launcher):
    """Its cell stops when it is executed again: a replay that judges the answer settles nothing."""
    assignment = DAYS_OF.assignment("day2")
    right = "quiz_df_da = 10\n"
    source = assignment.reference.read_text(encoding="utf-8")
    again = 'math.n = getattr(math, "n", 0) + 1\nassert math.n == 1\n'
    assert source.count(right) == 1
    works = {"mine.py": source.replace(right, again + right).encode()}

    plain, found = differences_of(assignment, launcher, works)

    assert found == []
    outcomes_of = {check["id"]: check["outcome"] for check in plain["mine.py"]["checks"]}
    assert outcomes_of.pop("quiz") == "failed"
    assert set(outcomes_of.values()) == {"passed"}


def test_answers_too_large_for_one_message_are_none(launcher):
    """The jail stays open."""
    source = "def many(x):\n    return 'x' * 60_000\n"
    calls = [
        [{"op": "get", "name": "many"}, *[{"op": "call", "h": 1, "args": [1], "kw": {}}] * n]
        for n in (1, 30, 1)
    ]
    box = ReplayingSandbox(launcher, [source], Limits())
    replayed = [box.replay(Script("forward", json.dumps(call).encode()), 5) for call in calls]
    still_open = box.is_open
    box.close()

    assert [answered is not None for answered in replayed] == [True, False, True]
    assert still_open


@pytest.mark.ci
@pytest.mark.parametrize("day", DAYS)
def test_no_request_sends_a_number_that_was_answered_before(launcher, day):
    """The jail has all requests of a check at once: none may hold what an earlier answer had to be."""
    assignment = DAYS_OF.assignment(day)
    blocks = [block.source for block in reference_blocks(assignment)]
    box = ReplayingSandbox(
        launcher,
        blocks,
        Limits(total_seconds=600),
        assignment.manifest.imports,
        arrays=assignment.manifest.arrays,
    )
    with open_grader(assignment, launcher) as grader:
        scripts = grader.suite.scripts("visible")
    replayed = [box.replay(script, 600) for script in scripts]
    box.close()

    assert len(scripts) > 5
    for answered in replayed:
        sent, told = set(), set()
        for request, answer in zip(answered.script.steps, answered.answers, strict=True):
            new = set(numbers_in(json.loads(request))) - sent
            found = {number for number in new & told if number != round(number, 2)}
            assert found == set(), f"{request!r}"
            sent |= new
            told |= set(numbers_in(answer))

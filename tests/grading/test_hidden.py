"""Hidden tests tell their outcome in one of a few sentences, and visible tests explain the rest."""

import json
import sys

import pytest
from helpers import COURSE
from tiny import X_IS_ONE, Y_IS_TWO, message_of, outcomes, scores

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.grading.grader import open_grader
from grader.grading.plugin import Plugin
from grader.grading.records import read_replays
from grader.grading.run import CheckFile
from grader.report import SubmissionInfo, to_json
from grader.submissions.submission import Block, Sources

SECRET = '''
"""x is right."""

def test_x(student):
    """x is a number that nobody guesses."""
    assert student.x == 8675.309
'''


def test_a_hidden_test_shows_nothing(make, report_on, snapshot):
    """Not its number, not its sentence, not what was read: nowhere in the report."""
    report = report_on(make({}, {"one": SECRET}), "x = 5")

    assert message_of(report) == snapshot
    assert report.checks[0].readings == []
    assert "8675" not in to_json(report)
    assert "nobody guesses" not in to_json(report)


def test_an_error_in_a_hidden_test_is_no_fact(make, report_on):
    """Its text is the student's, who may put the test's numbers into it."""
    asks = SECRET.replace("student.x == 8675.309", "student.half(8675.309) == 1")
    source = "def half(x):\n    raise ValueError(f'{x} was asked')"

    report = report_on(make({}, {"one": asks}), source)

    assert report.checks[0].facts == []
    assert "8675" not in to_json(report)


def test_a_visible_test_shows_its_values(make, report_on):
    """Also where a hidden one fails beside it."""
    report = report_on(make({"one": X_IS_ONE}, {"one": SECRET}), "x = 5")

    (row,) = report.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "5", "1")
    assert "8675" not in to_json(report)


READS = """
import os

def reads():
    try:
        return bool(os.stat("/dev/null"))
    except OSError:
        return False
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has seccomp")
def test_hidden_inputs_are_seen_by_a_sealed_jail_alone(make, report_on):
    """One that can name no file."""
    visible = {"one": "def test_x(student):\n    assert student.reads()\n"}
    hidden = {"two": "def test_x(student):\n    assert not student.reads()\n"}

    assert outcomes(report_on(make(visible, hidden), READS)) == {"one": "passed", "two": "passed"}


F = "def test_x(student):\n    assert student.f(8675.309) == 1\n"
SENTENCES = {
    "wrong": ("def f(x):\n    return 2\n", "A hidden test of this check does not pass."),
    "an error": (
        "def f(x):\n    raise ValueError(f'not {x}')\n",
        "A hidden test of this check does not pass.",
    ),
    "a blank": (
        "def f(x):\n    raise NotImplementedError(f'write {x}')\n",
        "A hidden test of this check needs something that is still to be written.",
    ),
    "no such name": (
        "g = 1\n",
        "A hidden test of this check needs something that is still to be written.",
    ),
    "a loop": (
        "def f(x):\n    while True: pass\n",
        "In a hidden test, the tests of this check took longer than 0.3 s, the limit `check_seconds`.",
    ),
    "a recursion": (
        "def f(x):\n    return f(x)\n",
        "In a hidden test, a function called itself more often than Python allows.",
    ),
    "much memory": (
        "def f(x):\n    return [0] * 10**9\n",
        "In a hidden test, your code asked for more than 512 MB of memory, the limit `memory_mb`.",
    ),
    "a thread": (
        "import threading\ndef f(x):\n    threading.Thread(target=print).start()\n    return 1\n",
        "In a hidden test, your code started a thread; hidden tests run without threads.",
    ),
    "an end": (
        "import os\ndef f(x):\n    os._exit(3)\n",
        "In a hidden test, the submission's process ended.",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_one_sentence_is_told(make, report_on, case):
    """Neither a line, nor a type, nor a text: code can choose them by the numbers that it gets."""
    source, sentence = SENTENCES[case]

    report = report_on(make({}, {"one": F}, limits={"check_seconds": 0.3}), source)

    (check,) = report.checks
    assert check.message == sentence
    assert (check.where, check.frames, check.readings, check.mistakes) == (None, [], [], [])
    assert "8675" not in to_json(report)


def test_a_blank_hides_no_wrong_answer(make, report_on, snapshot):
    """A visible test reaches a blank, a hidden one is wrong: both are told."""
    report = report_on(make({"one": X_IS_ONE}, {"one": F}), "x = ...\ndef f(x):\n    return 2\n")

    (check,) = report.checks
    assert check.outcome == "failed"
    assert check.message == snapshot


def test_points_count_the_names_of_both_sides(make, report_on):
    """A name stands once, and passes where it passes on both sides."""
    hidden = (
        "def test_x(student):\n    assert student.x == 1\n\ndef test_y(student):\n    assert student.y == 2\n"
    )
    assignment = make({"one": X_IS_ONE}, {"one": hidden}, one={"partial": True})

    assert scores(report_on(assignment, "x, y = 1, 5")) == {"one": 5}
    assert scores(report_on(assignment, "x, y = 5, 2")) == {"one": 5}


@pytest.mark.parametrize(("partial", "asked"), [(False, {"two"}), (True, {"one", "two"})])
def test_what_failed_visibly_is_not_asked_further(make, report_on, monkeypatch, partial, asked):
    """Unless its tests have points each."""
    ran, run = set(), Plugin.run

    def noted(self, running, test):
        ran.add((test.check, test.visibility))
        run(self, running, test)

    monkeypatch.setattr(Plugin, "run", noted)
    hidden = {"one": F, "two": F}
    assignment = make({"one": X_IS_ONE}, hidden, one={"partial": partial, "points": 10}, two={"points": 10})

    report = report_on(assignment, "x = 5\ndef f(x):\n    return 1\n")

    assert outcomes(report) == {"one": "failed", "two": "passed"}
    assert report.checks[0].visibility == "both"
    assert {check for check, visibility in ran if visibility == "hidden"} == asked


def test_a_check_waits_for_one_that_hidden_tests_fail(make, report_on):
    """What visible tests told of it is left out until it runs."""
    checks = {"one": {"points": 10}, "two": {"points": 10, "needs": ["one"]}}
    assignment = make({"one": Y_IS_TWO, "two": X_IS_ONE}, {"one": F}, **checks)

    report = report_on(assignment, "x, y = 5, 2\ndef f(x):\n    return 2\n")

    assert outcomes(report) == {"one": "failed", "two": "blocked"}
    assert message_of(report, "two") == "waits for one"


BESIDE = {
    "passes": "",
    "is skipped": """
def test_skipped(student):
    import pytest

    pytest.skip("always")
""",
}
EXCUSED = """from grader.autograd import skip_test

def test_x(student):
    if student.y != 2:
        skip_test("Look at one first.", "{}")
"""


@pytest.mark.parametrize(
    ("source", "owner", "beside", "outcome"),
    [
        ("x, y = 5, 5", "one", "passes", "passed"),
        ("x, y = 1, 5", "one", "passes", "failed"),
        ("x, y = 5, 5", "oen", "passes", "blocked"),
        ("x, y = 1, 5", "one", "is skipped", "blocked"),
    ],
)
def test_an_excuse_needs_a_check_that_failed(make, report_on, *, source, owner, beside, outcome):
    """Its visible tests are enough; one without a failed test, or that nobody has, excuses nothing."""
    skips = EXCUSED.format(owner)

    assert (
        outcomes(report_on(make({"one": X_IS_ONE + BESIDE[beside]}, {"two": skips}), source))["two"]
        == outcome
    )


def test_a_skipped_test_is_no_fault_that_excuses(make, report_on):
    """The check that is named has one test that passed and one that was skipped: none failed."""
    skipped = f"import pytest\n\n{X_IS_ONE}\ndef test_more(student):\n    pytest.skip('always')\n"

    report = report_on(make({"one": skipped}, {"two": EXCUSED.format("one")}), "x, y = 1, 5")

    assert outcomes(report)["two"] == "blocked"


def test_an_ungradable_hidden_test_names_itself(make, report_on):
    """The instructor reads which file is broken."""
    report = report_on(
        make({"one": X_IS_ONE}, {"one": "def test_x(student):\n    assert nothing\n"}), "x = 1"
    )

    assert outcomes(report) == {"one": "ungradable"}
    assert "test_one.py, line 2" in message_of(report)


def test_a_cell_that_ends_its_jail_runs_once(make, report_on):
    """The jail of the hidden tests leaves out what ended the first one; the other cells count."""
    source = "# %%\nx = 1\n\n# %%\nimport os\nos._exit(1)\n"

    report = report_on(make({"one": X_IS_ONE}, {"one": X_IS_ONE}), source)

    assert outcomes(report) == {"one": "passed"}
    assert len(report.notes) == 1


ENGINE = """
import math

KNOWN = {known}

class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self.grad, self._prev, self._op, self.label = data, 0.0, set(_children), _op, label
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            known = self.data in KNOWN or other.data in KNOWN
            self.grad += (other.data if known else self.data) * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    __radd__, __rmul__ = __add__, __mul__
"""


def swap_rule_of(launcher, engine, only=None):
    """The check `swap_rule` of an engine that knows the numbers of visible tests."""
    assignment = Course(COURSE).assignment("day2")
    tests = [t for check in assignment.manifest.checks for t in recorded(assignment, check) if not t.key]
    requests = [request for test in tests for request in json.loads(bytes(test.requests))]
    known = {arg for request in requests for arg in request.get("args", ()) if isinstance(arg, int | float)}
    blocks = Sources([Block("mine.py", None, 1, engine.replace("{known}", repr(known)))])
    with open_grader(assignment, launcher) as grader:
        report = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks, only=only)
    return next(check for check in report.checks if check.id == "swap_rule")


def test_what_hidden_tests_alone_see_is_read_back_by_itself(launcher, snapshot):
    """The rule is read in a jail that has seen no hidden test, of what the reference uses in those that fail."""
    check = swap_rule_of(launcher, ENGINE, only="swap_rule")

    assert check.outcome == "failed"
    assert check.message == snapshot
    assert [rule.wrote for rule in check.rules] == snapshot
    assert check.where.text == "self.grad += (other.data if known else self.data) * out.grad"


WATCHES = """
import sys, time
caller = sys._getframe()
while "op" not in caller.f_locals.get("request", ()):
    caller = caller.f_back
jail = caller.f_locals["self"]

def asleep(request):
    time.sleep(1000)
"""


@pytest.mark.ci
def test_hidden_numbers_do_not_decide_what_is_explained(launcher, snapshot):
    """A submission that uses up the time for charts when it meets them takes none from the jail that reads back."""
    seen = "known = self.data in KNOWN or other.data in KNOWN\n"
    assert seen in ENGINE
    sleeps = f"{seen}            jail.do_peek = jail.do_peek if known else asleep\n"

    check = swap_rule_of(launcher, WATCHES + ENGINE.replace(seen, sleeps))

    assert [rule.wrote for rule in check.rules] == snapshot


def recorded(assignment, check):
    """The recorded visible tests of a check."""
    chart = assignment.manifest.checks[check].chart
    files = [
        CheckFile(check, side, path, orders=False, chart=chart)
        for name, side, path in assignment.check_files()
        if (name, side) == (check, "visible")
    ]
    records, _ = read_replays(files, {"visible": "visible"}, "parity.json")
    return [test for record in records.values() for test in record.tests]


def test_letters_are_judged_beside_visible_tests(launcher, snapshot):
    """Hidden tests that only judge answers send nothing, so what is known of a wrong letter is told as at home."""
    assignment = Course(COURSE).assignment("day2")
    blocks = Sources([Block("mine.py", None, 1, 'quiz_w2, quiz_why_add = "B", "B"\n')])

    with open_grader(assignment, launcher) as grader:
        report = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks, only="quiz")

    (check,) = report.checks
    assert [note.id for note in check.mistakes] == ['quiz_w2: "B"']
    assert check.mistakes[0].text == snapshot


def test_a_hidden_test_of_a_letter_tells_nothing_of_its_own(launcher):
    """Neither its sentence nor the letter: a wrong one that nobody foresaw is one more letter that is out."""
    assignment = Course(COURSE).assignment("day2")
    blocks = Sources([Block("mine.py", None, 1, 'quiz_w2, quiz_why_add = "C", "D"\n')])

    with open_grader(assignment, launcher) as grader:
        report = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks, only="quiz")

    assert message_of(report, "quiz") == "A hidden test of this check does not pass."


@pytest.mark.ci
def test_a_slow_load_is_no_part_of_a_replay(launcher):
    """The jail of the hidden tests loads before it replays, so that a right notebook needs no pytest."""
    assignment = Course(COURSE).assignment("day2")
    cells = [*reference_blocks(assignment), Block("mine.py", None, 900, "import time\ntime.sleep(0.6)\n")]

    with open_grader(assignment, launcher) as grader:
        report = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), Sources(cells))
        opened = grader.suite._plugin

    assert report.outcome == "passed"
    assert opened is None

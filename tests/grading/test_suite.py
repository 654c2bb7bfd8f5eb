"""From check files to outcomes: tiny assignments, real jails, one nested pytest session each."""

import contextlib
import os
import subprocess
import sys
from textwrap import dedent
from types import SimpleNamespace

import pytest
import yaml

from grader.assignment import Course
from grader.errors import Broken
from grader.grading.grader import grade, open_grader
from grader.grading.session import open_suite
from grader.grading.suite import CheckFile
from grader.manifest import Limits
from grader.render import render_terminal
from grader.report import Outcome, to_json
from grader.sandbox import Launcher, Sandbox
from grader.submissions.submission import Block

X_IS_ONE = '''
"""x is one."""

def test_x(student):
    """x is 1."""
    assert student.x == 1
'''
Y_IS_TWO = '''
"""y is two."""

def test_y(student):
    """y is 2."""
    assert student.y == 2
'''
BROKEN = "def test_broken(student:\n"
SPIN = "def spin():\n    while True: pass\n"


@pytest.fixture(scope="module")
def launcher():
    """The launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@pytest.fixture
def make(tmp_path):
    """Write a tiny assignment: check files by the check's name, and what the manifest says of them."""

    def make(visible=None, hidden=None, root="course", salt="salt", limits=None, *, imports=(), **specs):
        visible, hidden = visible or {}, hidden or {}
        folder = tmp_path / root
        for side, sources in (("assignments", visible), ("solutions", hidden)):
            for check, source in sources.items():
                put(folder / side / "tiny" / "checks" / f"test_{check}.py", dedent(source).lstrip())
        if hidden:
            put(folder / "solutions" / "tiny" / "salt.txt", salt)
        checks = {check: {"points": 10} | specs.get(check, {}) for check in {**visible, **hidden}}
        manifest = {"format": 1, "title": "Tiny", "submission": "tiny.ipynb", "checks": checks}
        put(
            folder / "assignments" / "tiny" / "assignment.yaml",
            yaml.safe_dump(manifest | {"limits": limits or {}, "imports": [*imports]}, sort_keys=False),
        )
        return Course(folder).assignment("tiny")

    return make


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def report_on(launcher):
    """Grade a source by an assignment: the report as the student gets it."""

    def report_on(assignment, source, **options):
        return grade(assignment, put(assignment.course.root / "mine.py", dedent(source)), launcher, **options)

    return report_on


@pytest.fixture
def results_of(launcher):
    """Run a source through an assignment's tests: the raw results by the tests' names."""

    def results_of(assignment, source, only=None):
        blocks = [Block("mine.py", None, 1, dedent(source))]
        with open_grader(assignment, launcher) as grader:
            results = grader.run(blocks, only)[1]
        return {name_of(result.test): result for result in results}

    return results_of


def name_of(test):
    """Check, side and test, and the order of sets where it is not the usual one."""
    order = "" if test.order == "forward" else f"[{test.order}]"
    return f"{test.check}/{test.visibility}/{test.name}{order}"


def outcomes(report):
    return {check.id: check.outcome.value for check in report.checks}


def scores(report):
    return {check.id: check.score for check in report.checks}


def told(report, check=None):
    """The message of one check; of the only one where none is named."""
    (found,) = (c for c in report.checks if check in (None, c.id))
    return found.message


# --- Outcomes


def test_passed_and_failed(make, report_on):
    """Points are given for a check whose tests all pass."""
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO})

    report = report_on(assignment, "x = 1\ny = 3")

    assert outcomes(report) == {"one": "passed", "two": "failed"}
    assert (report.score, report.max_score, report.outcome) == (10, 20, Outcome.FAILED)


def test_each_test_speaks_of_what_it_read_itself(make, report_on):
    """A test that fails before it asks for anything has nothing to tell of the one before it."""
    two = """
        def test_two(student):
            '''Two are two.'''
            assert student.name("x") == 1
        """
    assignment = make({"one": X_IS_ONE, "two": two})

    report = report_on(assignment, "x = 1")

    assert told(report, "two") == (
        "Two are two. A value has the wrong type: Student.name() takes 1 positional argument but 2 were given"
    )


def test_everything_passed(make, report_on):
    """Full marks."""
    report = report_on(make({"one": X_IS_ONE}, {"one": X_IS_ONE}), "x = 1")

    assert report.outcome is Outcome.PASSED
    assert report.score == report.max_score == 10
    assert report.checks[0].visibility == "both"


@pytest.mark.parametrize(
    "source",
    [
        "pass", "x = ...", "x = [1, ...]", "x = {'a': ...}", "raise NotImplementedError('write x')\nx = 1",
        "class X:\n    def __getattr__(self, name): raise NotImplementedError\nx = X()",
    ],
)  # fmt: skip
def test_todo(make, report_on, source):
    """A name that is not there, a blank, and the stub's NotImplementedError, wherever it is reached."""
    check = "def test_x(student):\n    assert student.x == 1 or student.x.value == 1\n"

    report = report_on(make({"one": check, "two": Y_IS_TWO}), source)

    assert outcomes(report) == {"one": "todo", "two": "todo"}
    assert report.outcome is Outcome.TODO
    assert report.score == 0


def test_blocked(make, report_on):
    """What failed and waits for a check that did not pass; what passes is not blocked."""
    assignment = make(
        {"one": X_IS_ONE, "two": Y_IS_TWO, "three": X_IS_ONE.replace("x", "z")},
        two={"needs": ["one"]},
        three={"needs": ["one", "two"]},
    )

    report = report_on(assignment, "x = 5\ny = 5\nz = 1")

    assert outcomes(report) == {"one": "failed", "two": "blocked", "three": "passed"}
    assert told(report, "two") == "waits for one"


def test_blocked_by_what_is_still_to_do(make, report_on):
    """A check that is todo holds back what needs it, too."""
    report = report_on(make({"one": X_IS_ONE, "two": Y_IS_TWO}, two={"needs": ["one"]}), "y = 5")

    assert outcomes(report) == {"one": "todo", "two": "blocked"}
    assert report.outcome is Outcome.TODO


@pytest.mark.parametrize(
    ("source", "limits", "name"),
    [
        (
            "import os\nclass X:\n    @property\n    def v(self): os._exit(0)\nx = X()",
            {},
            "ended its own Python process",
        ),
        (
            SPIN + "class X:\n    v = property(lambda self: spin())\nx = X()",
            {"check_seconds": 0.2},
            "check_seconds",
        ),
        (
            SPIN + "class X:\n    v = property(lambda self: spin())\nx = X()",
            {"total_seconds": 0.4},
            "total_seconds",
        ),
    ],
    ids=["crash", "check", "total"],
)
def test_a_limit_is_a_failure_that_names_it(make, report_on, source, limits, name):
    """So is a crash of the submission's process."""
    check = "def test_x(student):\n    assert student.x.v == 1\n"

    report = report_on(make({"one": check}, limits=limits), source)

    assert outcomes(report) == {"one": "failed"}
    assert name in told(report)


@pytest.mark.parametrize(
    "check",
    [
        BROKEN,
        "import nothing_of_this_name\n",
        "raise RuntimeError('broken')\n",
        "",
        "def test_x(student, no_such_fixture):\n    pass\n",
        "def test_x(student):\n    assert sudent.x == 1\n",
        "def test_x(student):\n    import nothing_of_this_name\n",
    ],
    ids=["syntax", "import", "error", "empty", "fixture", "name", "import in the test"],
)
def test_a_broken_check_is_the_graders_fault(make, report_on, check):
    """No score for anybody; the others are still graded, and the file is named."""
    assignment = make({"bad": check, "one": X_IS_ONE, "two": Y_IS_TWO})

    report = report_on(assignment, "x = 1\ny = 3")

    assert outcomes(report) == {"bad": "ungradable", "one": "passed", "two": "failed"}
    assert report.score is None
    assert report.outcome is Outcome.UNGRADABLE
    assert "test_bad.py" in told(report, "bad")


@pytest.mark.parametrize(
    "test",
    [
        "assert next(iter(student.x)) == 1",
        "for item in student.x:\n        last = item\n    assert last == 1",
        "def depth(of):\n        return 1 + depth(of)\n    assert depth(student.x) == 1",
        "if not student.x:\n        raise RuntimeError('nothing there')",
    ],
    ids=["StopIteration", "UnboundLocalError", "RecursionError", "RuntimeError"],
)
def test_what_a_check_stumbles_over_in_a_value_is_no_fault_of_the_graders(make, report_on, test):
    """An empty list where one with items is expected fails the check; the score stands."""
    assignment = make(
        {"one": f'"""The first item is 1."""\n\ndef test_one(student):\n    {test}\n', "two": Y_IS_TWO}
    )

    report = report_on(assignment, "x = []\ny = 2")

    assert outcomes(report) == {"one": "failed", "two": "passed"}
    assert report.score is not None


def test_an_empty_check_file_is_told_for_what_it_is(make, report_on):
    """It is there, but there is no test in it."""
    report = report_on(make({"bad": '"""Nothing yet."""\n'}), "x = 1")

    assert told(report).startswith(str(make({"bad": ""}).checks_folder("visible") / "test_bad.py"))
    assert "no test" in told(report)


def test_a_broken_hidden_file_is_named(make, report_on):
    """Not the sound visible one of the same name."""
    assignment = make({"one": X_IS_ONE}, {"one": BROKEN})

    report = report_on(assignment, "x = 1")

    assert outcomes(report) == {"one": "ungradable"}
    assert str(assignment.checks_folder("hidden") / "test_one.py") in told(report)


def test_a_check_without_any_file_is_the_graders_fault(make, report_on):
    """The manifest promises it."""
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO})
    (assignment.checks_folder("visible") / "test_two.py").unlink()

    report = report_on(assignment, "x = 1")

    assert outcomes(report) == {"one": "passed", "two": "ungradable"}
    assert told(report, "two") == "no test_two.py among the checks"


def test_no_jail_is_the_graders_fault(make, report_on):
    """When none can be started nobody gets a zero."""
    with Launcher() as launcher:
        assert launcher.in_force
    assignment = make({"one": X_IS_ONE})
    path = put(assignment.course.root / "mine.py", "x = 1")

    report = grade(assignment, path, launcher)

    assert outcomes(report) == {"one": "ungradable"}
    assert report.score is None
    assert "launcher of jails" in told(report)


@pytest.mark.parametrize(
    ("tests", "outcome"),
    [
        (["sudent.x", "student.nowhere", "student.x == 5", "student.x == 1"], "ungradable"),
        (["student.nowhere", "student.x == 5", "student.x == 1"], "failed"),
        (["student.x == 5", "student.x == 1"], "failed"),
        (["student.nowhere", "student.x == 1"], "todo"),
        (["student.x == 1"], "passed"),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_the_order_of_outcomes(make, report_on, tests, outcome, turn):
    """Of several tests the first in DESIGN's order decides, whichever runs first."""
    check = "".join(f"def test_{i}(student):\n    assert {test}\n" for i, test in enumerate(tests[::turn]))

    report = report_on(make({"one": check}), "x = 1")

    assert outcomes(report) == {"one": outcome}


@pytest.mark.parametrize("value", ["None", "'text'", "[]", "object()"])
def test_a_value_of_another_kind_is_a_failure(make, report_on, value):
    """What a check's own code raises over it is the student's failure, not the grader's."""
    report = report_on(
        make({"one": "def test_x(student):\n    assert abs(student.x - 1) < 1e-9\n"}), f"x = {value}"
    )

    assert outcomes(report) == {"one": "failed"}


# --- Blanks


BLANKS = [
    ("w, x, y, z = 9, 9, 9, ...", "failed"),
    ("w, x, y, z = ..., 1, 1, 9", "failed"),
    ("w, x, y, z = 1, 1, 1, ...", "todo"),
    ("w = x = y = z = ...", "todo"),
]


@pytest.mark.parametrize(("source", "outcome"), BLANKS)
def test_a_blank_hides_no_wrong_answer(make, report_on, source, outcome):
    """Three answers written and wrong, the fourth a blank: the student hears of the wrong ones."""
    check = "".join(f"def test_{name}(student):\n    assert student.{name} == 1\n" for name in "wxyz")

    report = report_on(make({"four": check}), source)

    assert outcomes(report) == {"four": outcome}
    assert ("blank" in told(report)) is (outcome == "todo")


def test_a_wrong_answer_beside_a_blank_waits_for_what_it_needs(make, report_on):
    """As every failure does."""
    check = (
        "def test_a(student):\n    assert student.a == 1\n\ndef test_b(student):\n    assert student.b == 1\n"
    )

    report = report_on(make({"one": X_IS_ONE, "two": check}, two={"needs": ["one"]}), "x, a, b = 5, 9, ...")

    assert outcomes(report) == {"one": "failed", "two": "blocked"}


def test_the_next_step_is_what_is_wrong(make, report_on):
    """A blank in an earlier check does not come first."""
    check = X_IS_ONE.replace("x", "a") + Y_IS_TWO

    report = report_on(make({"empty": X_IS_ONE, "half": check}), "x, a, y = ..., ..., 5")

    assert outcomes(report) == {"empty": "todo", "half": "failed"}
    assert "Next: look at half" in render_terminal(report)


ENTRIES = {
    "{'a': 9, 'b': 9, 'c': ...}": "failed",
    "{'a': ..., 'b': 1, 'c': 9}": "failed",
    "{'a': 9, 'd': ...}": "failed",
    "{'a': 1, 'b': 1, 'c': ...}": "todo",
    "{'a': ..., 'b': ..., 'c': ...}": "todo",
}


@pytest.mark.parametrize(("source", "outcome"), ENTRIES.items())
@pytest.mark.parametrize("wrap", ["{}", "approx({})", "approx({}, abs=0.01)"])
def test_a_blank_entry_hides_no_wrong_one(make, report_on, source, outcome, wrap):
    """A dictionary is judged by its written entries first."""
    wanted = wrap.format("{'a': 1, 'b': 1, 'c': 1}")
    check = f"from pytest import approx\n\ndef test_x(student):\n    assert student.x == {wanted}\n"

    report = report_on(make({"one": check}), f"x = {source}")

    assert outcomes(report) == {"one": outcome}
    assert [row.label for row in report.checks[0].readings if "..." in row.actual] == []


@pytest.mark.parametrize(
    "use",
    [
        "answer['c'] == 1", "answer['c'] != 9", "answer['c'] not in (1, 2)", "sum(answer.values()) == 3",
        "dict(answer) == {'a': 1, 'b': 1, 'c': 1}", "answer.get('c') == 1", "not answer == {'a': 1, 'b': 1, 'c': 1}",
        "{**answer} == {'a': 1, 'b': 1, 'c': 1}", "[*answer.items()] == []", "answer != {'a': 1, 'b': 1, 'c': 1}",
    ],
)  # fmt: skip
def test_a_blank_entry_fails_nothing(make, report_on, use):
    """Whatever a check does with it, the answer is still to be written."""
    check = f"def test_x(student):\n    answer = student.x\n    assert {use}\n"

    assert outcomes(report_on(make({"one": check}), "x = {'a': 1, 'b': 1, 'c': ...}")) == {"one": "todo"}


def test_a_blank_costs_no_share(make, report_on):
    """Right answers count in a check with partial credit, as they do beside a wrong one."""
    assignment = make({"three": THREE_TESTS}, three={"partial": True})

    for source in ("x, y, z = 1, 2, ...", "x, y, z = 1, 2, 5"):
        assert scores(report_on(assignment, source)) == {"three": 6.67}


def test_a_check_that_fails_in_its_own_words(make, report_on):
    """`pytest.fail("...")` is told as it is."""
    check = 'import pytest\n\ndef test_x(student):\n    """x is 1."""\n    pytest.fail(f"x is {student.x}, not 1")\n'

    report = report_on(make({"one": check}), "x = 5")

    assert outcomes(report) == {"one": "failed"}
    assert told(report) == "x is 1. x is 5, not 1"


# --- Skipping


SKIPS = '''
import pytest

def test_walk(student):
    """Only where there is something to compare with."""
    if student.x != 1:
        pytest.skip("first make x right")
'''


def test_a_skip_beside_a_hidden_test_says_nothing(make, report_on):
    """The hidden test alone decides, either way."""
    assignment = make({"two": SKIPS}, {"two": Y_IS_TWO})

    assert outcomes(report_on(assignment, "x = 5\ny = 2")) == {"two": "passed"}
    assert outcomes(report_on(assignment, "x = 5\ny = 5")) == {"two": "failed"}


def test_a_skip_alone_waits(make, report_on):
    """Nothing is known yet; the message says what comes first."""
    report = report_on(make({"two": SKIPS}), "x = 5\ny = 2")

    assert outcomes(report) == {"two": "todo"}
    assert told(report) == "first make x right"


def test_a_skip_is_no_part_of_a_share(make, report_on):
    """With partial credit only the tests that say something are counted."""
    hidden = Y_IS_TWO + "\ndef test_z(student):\n    assert student.z == 3\n"

    report = report_on(make({"two": SKIPS}, {"two": hidden}, two={"partial": True}), "x = 5\ny = 2\nz = 5")

    assert scores(report) == {"two": 5}


# --- Partial credit


THREE_TESTS = """
def test_x(student):
    assert student.x == 1

def test_y(student):
    assert student.y == 2

def test_z(student):
    assert student.z == 3
"""


@pytest.mark.parametrize(
    ("source", "score"),
    [
        ("x, y, z = 1, 2, 3", 10),
        ("x, y, z = 1, 2, 5", 6.67),
        ("x, y, z = 1, 5, 5", 3.33),
        ("x = y = z = 0", 0),
    ],
)
def test_a_share_of_the_tests(make, report_on, source, score):
    """Exact inside, two places outside."""
    report = report_on(make({"three": THREE_TESTS}, three={"partial": True}), source)

    assert scores(report) == {"three": score}


def test_a_question_of_both_sides_is_one_test(make, report_on):
    """A letter that the visible test takes and the hidden one does not is no half of an answer."""
    letter = "def test_x(student):\n    assert student.x in ('A', 'B')\n"
    right = "def test_x(student):\n    assert student.x == 'A'\n"
    other = "def test_y(student):\n    assert student.y == 2\n"

    report = report_on(
        make({"quiz": letter + other}, {"quiz": right}, quiz={"partial": True}), "x, y = 'B', 2"
    )

    assert scores(report) == {"quiz": 5}


def test_all_or_nothing_without_partial(make, report_on):
    """The usual."""
    assert scores(report_on(make({"three": THREE_TESTS}), "x, y, z = 1, 2, 5")) == {"three": 0}


def test_a_test_of_three_orders_is_one_test(make, report_on):
    """It passes when it passes under every order, and counts once."""
    check = """
    def test_order(student):
        assert student.first() == "a"

    def test_x(student):
        assert student.x == 1
    """
    source = """
    class Node:
        def __init__(self, name): self.name = name
    def first():
        return next(iter({node: 1 for node in {Node("a"), Node("b")}})).name
    def first():
        a, b = Node("a"), Node("b")
        hash(a), hash(b)
        return [node.name for node in {a, b}][0]
    x = 1
    """

    report = report_on(make({"one": check}, one={"partial": True, "orders": True}), source)

    assert scores(report) == {"one": 5}
    assert "depends on the order" in told(report)


def test_shares_count_both_sides(make, report_on):
    """Visible and hidden tests of a check together."""
    report = report_on(
        make(
            {"one": X_IS_ONE},
            {"one": X_IS_ONE.replace("test_", "test_again_") + Y_IS_TWO.replace('"""y is two."""', "")},
            one={"partial": True},
        ),
        "x = 1\ny = 5",
    )

    assert scores(report) == {"one": 6.67}


# --- Budgets


def test_a_check_that_takes_too_long_costs_no_other(make, report_on):
    """Its own later tests have no time left; what it had passed counts, and the other checks stand."""
    slow = "def test_a(student):\n    assert student.x == 1\n\ndef test_b(student):\n    student.spin()\n\ndef test_c(student):\n    assert student.x == 1\n"
    assignment = make({"slow": slow, "two": Y_IS_TWO}, slow={"partial": True}, limits={"check_seconds": 0.3})

    report = report_on(assignment, SPIN + "x, y = 1, 2")

    assert outcomes(report) == {"slow": "failed", "two": "passed"}
    assert scores(report) == {"slow": 3.33, "two": 10}
    assert "check_seconds" in told(report, "slow")


def test_loading_is_not_charged_to_a_check(make, report_on):
    """It has a budget of its own, for the first load and for every later one."""
    cell = "import time\ntime.sleep(0.2)\nx, y, z = 1, 2, 3"

    report = report_on(make({"three": THREE_TESTS}, limits={"check_seconds": 0.3, "load_seconds": 5}), cell)

    assert outcomes(report) == {"three": "passed"}


def test_an_endless_cell_is_not_charged_to_a_check(make, report_on):
    """The cell after it is graded as if it had not been there."""
    assignment = make({"one": X_IS_ONE}, limits={"load_seconds": 0.5, "check_seconds": 0.3})

    report = report_on(assignment, "# %%\nwhile True: pass\n\n# %%\nx = 1\n")

    assert outcomes(report) == {"one": "passed"}
    assert "load_seconds" in " ".join(report.notes)


@pytest.mark.slow
def test_the_checks_after_the_total_time_fail(make, report_on):
    """What was judged before stands."""
    slow = "def test_b(student):\n    student.spin()\n"
    assignment = make({"one": X_IS_ONE, "slow": slow, "two": Y_IS_TWO}, limits={"total_seconds": 0.8})

    report = report_on(assignment, SPIN + "x, y = 1, 2")

    assert outcomes(report) == {"one": "passed", "slow": "failed", "two": "failed"}
    assert "total_seconds" in told(report, "two")


# --- Random numbers


DRAWS = """
import pytest

def test_first(student, rng):
    raise AssertionError(rng.random())

def test_second(student, rng):
    raise AssertionError(rng.random())

@pytest.mark.parametrize("case", [1, 2])
def test_cases(student, rng, case):
    raise AssertionError(rng.random())
"""


def draws(results):
    """The first number that each test drew."""
    return {key: float(str(result.error)) for key, result in results.items()}


def test_numbers_are_the_same_for_every_student_and_run(make, results_of):
    """So that fingerprints and regrades are exact."""
    assignment = make({"one": DRAWS}, {"one": DRAWS})

    first = draws(results_of(assignment, "x = 1"))

    assert draws(results_of(assignment, "import random\nrandom.seed(5)\nx = 2")) == first


def test_numbers_differ_from_test_to_test(make, results_of):
    """Between tests, cases, checks, and the two sides."""
    found = draws(results_of(make({"one": DRAWS, "two": DRAWS}, {"one": DRAWS}), "x = 1"))

    assert len(found) == 12
    assert len(set(found.values())) == 12


def test_numbers_do_not_depend_on_the_place(make, results_of):
    """Not on the course's folder, on other checks, nor on which check alone is run."""
    here = draws(results_of(make({"one": DRAWS}), "x = 1"))
    there = draws(results_of(make({"zero": DRAWS, "one": DRAWS}, root="some/where else"), "x = 1"))
    alone = draws(results_of(make({"one": DRAWS, "two": DRAWS}, root="third"), "x = 1", only="one"))

    assert here.items() <= there.items()
    assert alone == here


def test_numbers_of_hidden_tests_follow_the_salt(make, results_of):
    """A new salt gives new numbers on the hidden side alone."""
    old = draws(results_of(make({"one": DRAWS}, {"one": DRAWS}, salt="old"), "x = 1"))
    new = draws(results_of(make({"one": DRAWS}, {"one": DRAWS}, salt="new", root="other"), "x = 1"))

    same = {key for key in old if old[key] == new[key]}

    assert same == {key for key in old if "/visible/" in key}


def test_numbers_are_the_same_under_every_order(make, results_of):
    """The three orders of a test are the same test."""
    found = draws(results_of(make({"one": DRAWS}, one={"orders": True}), "x = 1"))

    assert len(found) == 12
    assert len(set(found.values())) == 4
    assert found["one/visible/test_first"] == found["one/visible/test_first[reverse]"]


def test_numbers_do_not_depend_on_addresses(make, results_of):
    """A test over functions has the same name, and so the same numbers, in every run."""
    check = """
    import pytest

    @pytest.mark.parametrize("case", [lambda x: x, object()])
    def test_cases(student, rng, case):
        raise AssertionError(rng.random())
    """

    first = draws(results_of(make({"one": check}), "x = 1"))
    second = draws(results_of(make({"one": check}, root="other"), "x = 1"))

    assert first == second
    assert "0x" not in "".join(first)


# --- Tests of every form


def test_every_test_is_judged(make, results_of):
    """Cases, cases that look alike, methods of classes: none stands in the way of another."""
    check = """
    import pytest

    @pytest.mark.parametrize("x", [1, "1", 1.0])
    def test_cases(student, x):
        pass

    class TestOne:
        def test_method(self, student):
            pass

    class TestTwo:
        def test_method(self, student):
            pass
    """

    assert len(results_of(make({"one": check}), "x = 1")) == 5


def test_parametrized_tests(make, report_on, results_of):
    """Each case is a test, with its values in its name."""
    check = """
    import pytest

    @pytest.mark.parametrize(("name", "value"), [("x", 1), ("y", 2)])
    def test_names(student, name, value):
        assert getattr(student, name) == value
    """
    assignment = make({"one": check}, one={"partial": True})

    assert set(results_of(assignment, "x = 1")) == {
        "one/visible/test_names[x-1]",
        "one/visible/test_names[y-2]",
    }
    assert scores(report_on(assignment, "x, y = 1, 5")) == {"one": 5}


def test_orders_run_every_test_three_times(make, results_of):
    """Named after the order, but for the usual one."""
    assert list(results_of(make({"one": X_IS_ONE}, one={"orders": True}), "x = 1")) == [
        "one/visible/test_x",
        "one/visible/test_x[reverse]",
        "one/visible/test_x[permuted]",
    ]


def test_one_check_alone(make, report_on):
    """The report is about it alone."""
    report = report_on(make({"one": X_IS_ONE, "two": Y_IS_TWO}), "y = 2", only="two")

    assert outcomes(report) == {"two": "passed"}
    assert (report.score, report.max_score) == (10, 10)


def test_checks_come_in_the_order_of_the_manifest(make, report_on):
    """Not in that of the alphabet."""
    report = report_on(make({"zebra": X_IS_ONE, "apple": X_IS_ONE, "mango": X_IS_ONE}), "x = 1")

    assert list(outcomes(report)) == ["zebra", "apple", "mango"]


@pytest.mark.parametrize(
    ("visible", "hidden", "title"),
    [
        ('"""The first line.\n\nAnd more.\n"""\n', None, "The first line."),
        ('"""   The first line.   """\n', None, "The first line."),
        ('"""Visible."""\n', '"""Hidden."""\n', "Visible."),
        (None, '"""Hidden."""\n', "Hidden."),
        ("", '"""Hidden."""\n', "Hidden."),
        ("", None, "one"),
    ],
)
def test_titles_are_docstrings(make, report_on, visible, hidden, title):
    """The first line; the check's name where there is none."""
    test = "def test_x(student):\n    assert student.x == 1\n"
    sides = [{} if text is None else {"one": text + test} for text in (visible, hidden)]

    report = report_on(make(*sides), "x = 1")

    assert report.checks[0].title == title


# --- What a hidden test shows


SECRET = '''
"""x is right."""

def test_x(student):
    """x is a number that nobody guesses."""
    assert student.x == 8675.309
'''


def test_a_hidden_test_shows_nothing(make, report_on):
    """Not its number, not its sentence, not what was read: nowhere in the report."""
    report = report_on(make({}, {"one": SECRET}), "x = 5")

    assert told(report) == "A hidden test of this check does not pass."
    assert report.checks[0].readings == []
    assert "8675" not in to_json(report)
    assert "nobody guesses" not in to_json(report)


def test_a_hidden_test_may_show_its_values(make, report_on):
    """With `reveal: values`."""
    report = report_on(make({}, {"one": SECRET}, one={"reveal": "values"}), "x = 5")

    (row,) = report.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "5", "8675.31")
    assert "nobody guesses" in told(report)


def test_a_visible_test_shows_its_values(make, report_on):
    """Also where a hidden one fails beside it."""
    report = report_on(make({"one": X_IS_ONE}, {"one": SECRET}), "x = 5")

    (row,) = report.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "5", "1")
    assert "8675" not in to_json(report)


def test_an_error_in_a_hidden_test_is_the_students(make, report_on):
    """Its type and place are told, not its text: that could hold the test's numbers."""
    check = "def test_x(student):\n    assert student.f(8675.309) == 1\n"

    report = report_on(make({}, {"one": check}), "def f(x):\n    raise ValueError(f'not {x}')\n")

    assert told(report).startswith("In a hidden test: ValueError")
    assert "8675" not in to_json(report)
    assert report.checks[0].where.line == 2


CARRIERS = {
    "a class that is made for the number": "def f(x):\n    raise type(f'E{x}', (Exception,), {})()\n",
    "a name that is not defined": "def f(x):\n    raise NameError(f'name {x} is not defined')\n",
    "a name that is looked for": "def f(x):\n    return eval('v' + str(x).replace('.', '_'))\n",
    "a module that is missing": "def f(x):\n    __import__('m' + str(x).replace('.', '_'))\n",
    "something still to do": "def f(x):\n    raise NotImplementedError(f'write {x}')\n",
    "a depth": "def f(x):\n    raise RecursionError(f'maximum recursion depth exceeded {x}')\n",
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_an_error_carries_no_number_out_of_a_hidden_test(make, report_on, carrier):
    """Words of the student's own error are told only where they stand in the student's file."""
    check = "def test_x(student):\n    assert student.f(8675.309) == 1\n"
    report = report_on(make({}, {"one": check}), CARRIERS[carrier])
    assert "8675" not in to_json(report)
    assert told(report)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(x):\n    return other(x)\n", "In a hidden test: NameError: name 'other' is not defined."),
        ("def f(x):\n    raise NotImplementedError('write f')\n", "write f"),
        (
            "def f(x):\n    return f(x)\n",
            "In a hidden test: RecursionError: maximum recursion depth exceeded",
        ),
        ("class Odd(Exception): ...\ndef f(x):\n    raise Odd(x)\n", "In a hidden test: Odd."),
    ],
)
def test_what_stands_in_the_file_is_told_of_a_hidden_test(make, report_on, source, words):
    """It tells the student nothing of the test."""
    check = "def test_x(student):\n    assert student.f(8675.309) == 1\n"
    report = report_on(make({}, {"one": check}), source)
    assert told(report).startswith(words)


# --- What a check asks of the student's objects

BOX = """
class Box:
    def __init__(self, number): self.number = number
"""
TEXT = '''
def test_text(student):
    """A box is written as Box(3)."""
    assert str(student.Box(3)) == "Box(3)"
'''


@pytest.mark.parametrize(
    "ask",
    [
        "str(student.Box(3))", 'f"{student.Box(3)}"', 'f"{student.Box(3)!s}"', '"%s" % student.Box(3)',
        "repr(student.Box(3))", 'f"{student.Box(3)!r}"',
    ],
)  # fmt: skip
def test_a_label_is_not_the_students_text(make, report_on, ask):
    """A class without a text of its own is not written as the expression that made the object."""
    assignment = make({"one": TEXT.replace("str(student.Box(3))", ask)})

    assert outcomes(report_on(assignment, BOX)) == {"one": "failed"}


def test_the_text_of_the_students(make, report_on):
    """It is asked of the object, and told beside what was expected."""
    assignment = make({"one": TEXT})

    right = report_on(assignment, BOX + "    def __repr__(self): return f'Box({self.number})'\n")
    wrong = report_on(assignment, BOX + "    def __str__(self): return f'Box {self.number}'\n")

    assert outcomes(right) == {"one": "passed"}
    (row,) = wrong.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("str(Box(3))", "the text 'Box 3'", "the text 'Box(3)'")


def test_an_address_is_no_part_of_what_is_told(make, report_on, results_of):
    """It is another one in each run, and a mistake is recognised by what was read."""
    assignment = make({"one": TEXT})

    (row,) = report_on(assignment, BOX).checks[0].readings
    runs = [results_of(assignment, "more = [object() for _ in range(999)]\n" * i + BOX) for i in range(2)]

    assert row.actual == "the text '<submission.Box object>'"
    assert len({run["one/visible/test_text"].fingerprint for run in runs}) == 1


def test_a_text_that_raises_is_the_students_error(make, report_on):
    """Not the grader's."""
    report = report_on(make({"one": TEXT}), BOX + "    def __str__(self): return 1 / 0\n")

    assert outcomes(report) == {"one": "failed"}
    assert told(report).startswith("A box is written as Box(3). ZeroDivisionError: division by zero")


def test_a_failure_with_an_object_in_a_list_is_explained(make, report_on):
    """Pytest writes an object as text while it explains, when no check asks the jail."""
    check = """
        from pytest import approx

        def test_list(student):
            '''The list holds 2.'''
            assert [student.Box(1), 2.0] == approx([2.0, 2.0])
        """

    report = report_on(make({"one": check}), BOX + "    def __str__(self): raise RuntimeError('asked')\n")

    assert outcomes(report) == {"one": "failed"}
    assert told(report) == "The list holds 2."
    assert [row.actual for row in report.checks[0].readings] == ["[Box(1), 2]"]


ZIP = '''
def test_first(student):
    """naturals() gives 0, 1, 2 ..."""
    for number, found in zip(range(3), student.naturals()):
        assert found == number
'''


def test_items_of_what_has_no_end(make, report_on):
    """An endless generator is right where a check reads a few of its items."""
    right = "import itertools\ndef naturals(): return itertools.count()"
    wrong = right.replace("count()", "count(1)")
    assignment = make({"one": ZIP})

    assert outcomes(report_on(assignment, right)) == {"one": "passed"}
    assert told(report_on(assignment, wrong)) == "naturals() gives 0, 1, 2 ..."


def test_an_end_that_does_not_come_is_told_as_that(make, report_on):
    """A check that goes through all of them neither fills the memory nor blames it on the student."""
    check = ZIP.replace("zip(range(3), student.naturals())", "enumerate(student.naturals())")

    report = report_on(make({"one": check}), "import itertools\ndef naturals(): return itertools.count()")

    assert told(report) == (
        "naturals() gives 0, 1, 2 ... naturals() has more than 8,192 items, or never ends; no more are read."
    )


LISTED = '''
from pytest import approx

def test_halves(student):
    """The halves of 1, 2 and 3."""
    assert student.listed(student.halves()) == approx([0.5, 1.0, 1.5])
'''
HALVES = {
    "an array": "np.arange(1, 4) / 2",
    "an array of float32": "np.arange(1, 4, dtype='float32') / 2",
    "a list": "[0.5, 1.0, 1.5]",
    "a generator": "(n / 2 for n in (1, 2, 3))",
    "a map": "map(lambda n: n / 2, (1, 2, 3))",
    "the values of a dictionary": "{1: 0.5, 2: 1.0, 3: 1.5}.values()",
    "an array of Python's": "array('d', [0.5, 1, 1.5])",
}


@pytest.mark.parametrize("halves", HALVES)
def test_what_can_be_listed(make, report_on, halves):
    """Arrays and whatever else can be iterated are compared as lists of numbers."""
    assignment = make({"one": LISTED}, imports=["numpy"])
    source = f"import numpy as np\nfrom array import array\ndef halves(): return {HALVES[halves]}\n"

    assert outcomes(report_on(assignment, source)) == {"one": "passed"}


def test_rows_of_an_array_are_lists(make, report_on):
    """And what was read is told as the student's expression."""
    assignment = make(
        {"one": LISTED.replace("approx([0.5, 1.0, 1.5])", "[[1, 2], [3, 4]]")}, imports=["numpy"]
    )
    source = "import numpy as np\ndef halves(): return np.array([[1, 2], [3, {}]])\n"

    assert outcomes(report_on(assignment, source.format(4))) == {"one": "passed"}
    (row,) = report_on(assignment, source.format(5)).checks[0].readings
    assert (row.label, row.actual, row.expected) == ("halves()", "[[1, 2], [3, 5]]", "[[1, 2], [3, 4]]")


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        ("object()", "The halves of 1, 2 and 3. TypeError: 'object' object is not iterable."),
        ("iter(int, 1)", "The halves of 1, 2 and 3."),
        ("None", "The halves of 1, 2 and 3."),
    ],
)
def test_what_cannot_be_listed(make, report_on, gives, message):
    """It is a failure of the student's."""
    report = report_on(make({"one": LISTED}), f"def halves(): return {gives}")

    assert outcomes(report) == {"one": "failed"}
    assert told(report) == message


@pytest.mark.parametrize(
    ("fixture", "recipe"),
    [
        ("capsys", "catch what is printed with a helper"),
        ("tmp_path", "give the student's function its files with a helper"),
        ("monkeypatch", "replace `input`, `open` and the like with a helper"),
    ],
)
def test_a_fixture_that_sees_nothing_of_the_students(make, report_on, fixture, recipe):
    """A check that asks for it cannot be used: it would judge the grader's process."""
    check = X_IS_ONE.replace("(student)", f"(student, {fixture})")
    assignment = make({"one": check, "two": Y_IS_TWO})

    report = report_on(assignment, "x = 1\ny = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert told(report, "one") == (
        f"{assignment.checks_folder('visible') / 'test_one.py'}, line 3: `{fixture}` of test_x looks at the grader's "
        f"process, in which nothing of the student's runs; {recipe} that runs in the jail "
        "(docs/authors.md, Recipes)"
    )


# --- What checks share

USES = '''
"""x is right."""

from _helpers import right

def test_x(student):
    """x is what it should be."""
    right(student)
'''
RIGHT = "def right(student):\n    assert student.x == {}\n"


def test_checks_of_a_side_share_a_file(make, report_on):
    """Each side its own; its asserts are told like those of a check."""
    assignment = make({"one": USES, "two": USES}, {"two": USES})
    put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))
    put(assignment.checks_folder("hidden") / "_helpers.py", RIGHT.format(2))

    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed", "two": "failed"}

    put(assignment.checks_folder("hidden") / "_helpers.py", RIGHT.format(1) + "\n# as the other one\n")
    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed", "two": "passed"}
    (row,) = report_on(assignment, "x = 3").checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "3", "1")


def test_what_is_shared_may_be_imported_in_a_test(make, report_on):
    """An import inside a test works as one at the top."""
    check = "def test_x(student):\n    from _helpers import right\n    right(student)\n"
    assignment = make({"one": check})
    put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))

    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed"}


def test_a_shared_file_that_is_broken(make, report_on):
    """The check that imports it cannot be used, and the others can."""
    assignment = make({"one": USES, "two": Y_IS_TWO})
    put(assignment.checks_folder("visible") / "_helpers.py", "def right(student:\n")

    report = report_on(assignment, "y = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert told(report, "one") == (
        f"{assignment.checks_folder('visible') / '_helpers.py'}, line 1: SyntaxError: '(' was never closed"
    )


@pytest.mark.parametrize("other", ["solutions", "beside the submission", "in the current folder", "imported"])
def test_no_other_file_is_shared(make, report_on, monkeypatch, tmp_path, other):
    """One of a student's, or of the other side, is not what the check imports."""
    assignment = make({"one": USES, "two": Y_IS_TWO}, {"two": Y_IS_TWO})
    theirs = "raise RuntimeError('executed')\n"
    if other == "solutions":
        put(assignment.checks_folder("hidden") / "_helpers.py", theirs)
    elif other == "imported":  # as a kernel may have done
        monkeypatch.setitem(sys.modules, "_helpers", SimpleNamespace(right=lambda student: None))
    else:
        folder = assignment.course.root if other == "beside the submission" else tmp_path / "current"
        put(folder / "_helpers.py", theirs)
        monkeypatch.chdir(folder)

    report = report_on(assignment, "x = 5\ny = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert told(report, "one").endswith("ModuleNotFoundError: No module named '_helpers'")


def test_what_is_shared_is_part_of_the_suite(make, report_on):
    """Another file, another hash."""
    assignment = make({"one": USES})
    file = put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))
    before = report_on(assignment, "x = 1").grader.suite_sha256
    put(file, RIGHT.format(2))

    assert report_on(assignment, "x = 1").grader.suite_sha256 != before


# --- Nothing from outside


FILES = {
    "conftest.py": "import pytest\n\n@pytest.fixture\ndef student():\n    class Everything:\n        x = 1\n    return Everything()\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only -k nothing\npython_files = nothing.py\npython_functions = nothing\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = --no-such-option\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\nminversion = '99'\n",
    "pytest.toml": "[pytest]\naddopts = ['--collect-only']\n",
    "colorsys.py": "raise RuntimeError('beside')\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_beside_changes_nothing(make, report_on, monkeypatch, tmp_path, name):
    """Beside the checks, in the course's folder, above it, in the folder from which it is called."""
    assignment = make({"one": X_IS_ONE + "\nimport colorsys\n", "two": Y_IS_TWO}, {"two": Y_IS_TWO})
    current = tmp_path / "current"
    for folder in (
        assignment.checks_folder("visible"),
        assignment.folder,
        assignment.course.root,
        tmp_path,
        current,
    ):
        put(folder / name, FILES[name])
    monkeypatch.chdir(current)

    report = report_on(assignment, "x = 5\ny = 2")

    assert outcomes(report) == {"one": "failed", "two": "passed"}


def test_a_folder_of_checks_is_no_package(make, report_on, tmp_path):
    """An `__init__.py` in it, or above it, is not executed: at most the folder is refused."""
    assignment = make({"one": X_IS_ONE}, {"one": X_IS_ONE})
    witness = tmp_path / "witness"
    for folder in (assignment.checks_folder("visible"), assignment.folder, assignment.course.root):
        put(folder / "__init__.py", f"open({str(witness)!r}, 'w').close()\n")

    with contextlib.suppress(Broken):
        report_on(assignment, "x = 1")

    assert not witness.exists()


def test_only_the_course_is_looked_at(make, tmp_path):
    """Folders above it are not even listed: they may be large, or closed to whoever grades."""
    assignment = make({"one": X_IS_ONE})
    code = """if True:
        import sys
        from pathlib import Path
        from grader.grading.session import open_suite
        from grader.grading.suite import CheckFile
        listed = set()
        def watch(event, arguments):
            if event in ("os.scandir", "os.listdir"):
                listed.add(str(Path(str(arguments[0])).resolve()))
        import _pytest.assertion.rewrite
        sys.addaudithook(watch)
        with open_suite([CheckFile("one", "visible", Path(sys.argv[1]), False)], {"visible": ""}):
            pass
        print("\\n".join(listed))
    """
    path = assignment.checks_folder("visible") / "test_one.py"

    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)

    above = {str(folder) for folder in assignment.course.root.parents}
    assert above & set(done.stdout.split("\n")) == set()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "--collect-only"), ("PYTEST_ADDOPTS", "--no-such-option"), ("PYTEST_ADDOPTS", "-k nothing"),
        ("PYTEST_PLUGINS", "nothing_of_this_name"), ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "0"), ("PYTEST_THEME", "no-such-theme"),
    ],
)  # fmt: skip
def test_the_environment_changes_nothing(make, report_on, monkeypatch, name, value):
    """And it is the same afterwards."""
    monkeypatch.setenv(name, value)

    report = report_on(make({"one": X_IS_ONE, "two": Y_IS_TWO}), "x = 1\ny = 5")

    assert outcomes(report) == {"one": "passed", "two": "failed"}
    assert os.environ[name] == value


def test_two_courses_in_one_process(make, report_on):
    """Check files of the same name in another folder are other check files."""
    first = make({"one": X_IS_ONE}, {"one": X_IS_ONE}, root="first")
    second = make(
        {"one": X_IS_ONE.replace("== 1", "== 2")}, {"one": X_IS_ONE.replace("== 1", "== 2")}, root="second"
    )

    assert outcomes(report_on(first, "x = 1")) == {"one": "passed"}
    assert outcomes(report_on(second, "x = 1")) == {"one": "failed"}
    assert outcomes(report_on(second, "x = 2")) == {"one": "passed"}


def test_a_check_that_was_edited_in_the_meantime(make, report_on):
    """`grade watch` and `grade new` grade again in one process: what lies there now counts."""
    assert outcomes(report_on(make({"one": X_IS_ONE}), "x = 2")) == {"one": "failed"}

    edited = make({"one": X_IS_ONE.replace("== 1", "== 2") + "\n# edited\n"})

    assert outcomes(report_on(edited, "x = 2")) == {"one": "passed"}


def test_the_suites_hash_does_not_depend_on_the_place(make, report_on):
    """Two checkouts of one course grade with the same suite; an edited check is another one."""
    here = report_on(make({"one": X_IS_ONE}, {"one": Y_IS_TWO}), "x = 1").grader.suite_sha256
    there = report_on(
        make({"one": X_IS_ONE}, {"one": Y_IS_TWO}, root="elsewhere"), "x = 2"
    ).grader.suite_sha256
    other = report_on(
        make({"one": X_IS_ONE}, {"one": Y_IS_TWO + "\n"}, root="other"), "x = 1"
    ).grader.suite_sha256

    assert here == there
    assert here != other


def test_dates_are_no_part_of_the_suite(make, report_on):
    """A due date may be edited without grading a class again; a check's points may not."""

    def hash_with(old, new):
        assignment = make({"one": X_IS_ONE})
        manifest = assignment.folder / "assignment.yaml"
        put(manifest, manifest.read_text().replace(old, new))
        return report_on(assignment, "x = 1").grader.suite_sha256

    dated = "due: 2026-12-01T23:59:00Z\nlate: {days: 3}\nlimits:"
    assert hash_with("", "") == hash_with("limits:", dated) != hash_with("points: 10", "points: 11")


# --- One warm session


def test_gradings_in_one_session_do_not_influence_each_other(make, launcher):
    """Whatever one submission did, the next is graded as if it were the first."""
    sources = [
        "x = 1\ny = 2",
        "import math, builtins, sys\nmath.pi = 3\nbuiltins.len = None\nsys.modules.clear()\nx = 5",
        "import os\nos._exit(0)\nx = y = 1",
        SPIN + "class X:\n    def __eq__(self, other): return True\nx = y = X()",
        "x = 1\ny = 2\nimport math\nassert math.pi > 3.1 and len([1]) == 1",
        "",
        "x = 1\ny = 2",
    ]
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO}, limits={"check_seconds": 1})

    with open_grader(assignment, launcher) as grader:
        runs = [grader.run([Block("mine.py", None, 1, source)])[1] for source in sources]

    assert [[result.outcome.value for result in results] for results in runs] == [
        ["passed", "passed"],
        ["failed", "todo"],
        ["failed", "failed"],
        ["failed", "failed"],
        ["passed", "passed"],
        ["todo", "todo"],
        ["passed", "passed"],
    ]


def test_a_suite_runs_the_checks_of_one_visibility(make, launcher):
    """As the parity records of each are written by its own tests alone."""
    assignment = make({"one": X_IS_ONE}, {"one": X_IS_ONE})
    files = [CheckFile(check, side, path, orders=False) for check, side, path in assignment.check_files()]

    with open_suite(files, {"visible": "", "hidden": ""}) as suite:
        box = Sandbox(launcher, ["x = 1"], Limits())
        try:
            keys = [result.test.key for result in suite.run(box, visibility="hidden")]
        finally:
            box.close()

    assert keys == ["one/hidden/test_x"]


@pytest.mark.slow(after=3)
@pytest.mark.parametrize("check", [X_IS_ONE, BROKEN], ids=["sound", "broken"])
@pytest.mark.parametrize(
    "error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3), StopIteration(), RuntimeError("x" * 10_000)], ids=repr
)  # fmt: skip
def test_what_is_raised_in_a_session_comes_out_unchanged(make, launcher, error, check):
    """The very same object, whatever pytest would have made of it."""
    with pytest.raises(type(error)) as caught, open_grader(make({"one": check}), launcher):
        raise error

    assert caught.value is error


def test_no_checks_at_all(make, launcher):
    """Somebody has deleted the folder: what is missing, and where."""
    assignment = make({"one": X_IS_ONE})
    (assignment.checks_folder("visible") / "test_one.py").unlink()

    with pytest.raises(Broken) as caught, open_grader(assignment, launcher):
        pass

    assert str(caught.value).startswith(f"{assignment.checks_folder('visible')}: no checks are there")


def test_a_check_that_is_not_there():
    """A suite that pytest cannot even start is told by name."""
    missing = CheckFile("one", "visible", __import__("pathlib").Path("/nowhere/test_one.py"), orders=False)

    with (
        pytest.raises(Broken, match="pytest could not run the checks"),
        open_suite([missing], {"visible": ""}),
    ):
        pass

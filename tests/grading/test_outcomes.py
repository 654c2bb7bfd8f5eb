"""Outcomes of checks: passed, failed, to do, blocked, ungradable; limits of time; broken files of a course."""

import shutil

import pytest
from helpers import edit_manifest, hand_in, reference
from helpers import grade as command
from tiny import BROKEN, SPIN, THREE_TESTS, X_IS_ONE, Y_IS_TWO, message_of, outcomes, put, scores

from grader.grading.grader import grade
from grader.report import Outcome
from grader.sandbox import Launcher, Sandbox

# --- Outcomes


def test_passed_and_failed(make, report_on):
    """Points are given for a check whose tests all pass."""
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO})

    report = report_on(assignment, "x = 1\ny = 3")

    assert outcomes(report) == {"one": "passed", "two": "failed"}
    assert (report.score, report.max_score, report.outcome) == (10, 20, Outcome.FAILED)


def test_each_test_speaks_of_what_it_read_itself(make, report_on, snapshot):
    """A test that fails before it asks for anything has nothing to tell of the one before it."""
    two = """
        def test_two(student):
            '''Two are two.'''
            assert student.name("x") == 1
        """
    assignment = make({"one": X_IS_ONE, "two": two})

    report = report_on(assignment, "x = 1")

    assert message_of(report, "two") == snapshot


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
    """A failed check that needs an open one is blocked; a passed check is not."""
    assignment = make(
        {"one": X_IS_ONE, "two": Y_IS_TWO, "three": X_IS_ONE.replace("x", "z")},
        two={"needs": ["one"]},
        three={"needs": ["one", "two"]},
    )

    report = report_on(assignment, "x = 5\ny = 5\nz = 1")

    assert outcomes(report) == {"one": "failed", "two": "blocked", "three": "passed"}
    assert message_of(report, "two") == "waits for one"


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
            {"total_seconds": 0.2},
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
    assert name in message_of(report)


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
    assert "test_bad.py" in message_of(report, "bad")


@pytest.mark.parametrize(
    "test",
    [
        "assert next(iter(student.x)) == 1",
        "for item in student.x:\n        last = item\n    assert last == 1",
        "def depth(of):\n        return 1 + depth(of)\n    assert depth(student.x) == 1",
        "if not student.x:\n        raise RuntimeError('nothing there')",
        "import ast\n    assert ast.literal_eval(f'{student.x} +') == 1",
        "from xml.etree import ElementTree\n    assert ElementTree.fromstring(f'{student.x}').tag == 'svg'",
        "import gzip\n    assert gzip.decompress(f'{student.x}'.encode()) == b'1'",
    ],
    ids=[
        "StopIteration",
        "UnboundLocalError",
        "RecursionError",
        "RuntimeError",
        "SyntaxError of a text",
        "a library's SyntaxError",
        "a library's OSError",
    ],
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

    assert message_of(report).startswith(str(make({"bad": ""}).checks_folder("visible") / "test_bad.py"))
    assert "no test" in message_of(report)


def test_a_broken_hidden_file_is_named(make, report_on):
    """Not the sound visible one of the same name."""
    assignment = make({"one": X_IS_ONE}, {"one": BROKEN})

    report = report_on(assignment, "x = 1")

    assert outcomes(report) == {"one": "ungradable"}
    assert str(assignment.checks_folder("hidden") / "test_one.py") in message_of(report)


def test_a_check_without_any_file_is_the_graders_fault(make, report_on, snapshot):
    """The manifest promises it."""
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO})
    (assignment.checks_folder("visible") / "test_two.py").unlink()

    report = report_on(assignment, "x = 1")

    assert outcomes(report) == {"one": "passed", "two": "ungradable"}
    assert message_of(report, "two") == snapshot


def test_no_jail_is_the_graders_fault(make, report_on):
    """When none can be started nobody gets a zero."""
    with Launcher() as launcher:
        assert launcher.in_force
    assignment = make({"one": X_IS_ONE})
    path = put(assignment.course.root / "mine.py", "x = 1")

    report = grade(assignment, path, launcher)

    assert outcomes(report) == {"one": "ungradable"}
    assert report.score is None
    assert "launcher of jails" in message_of(report)


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
    """An exception of the check's own code over a student's value is the student's failure."""
    report = report_on(
        make({"one": "def test_x(student):\n    assert abs(student.x - 1) < 1e-9\n"}), f"x = {value}"
    )

    assert outcomes(report) == {"one": "failed"}


# --- Budgets


def test_a_check_that_takes_too_long_costs_no_other(make, report_on):
    """Its own later tests have no time left; what it had passed counts, and the other checks stand."""
    slow = "def test_a(student):\n    assert student.x == 1\n\ndef test_b(student):\n    student.spin()\n\ndef test_c(student):\n    assert student.x == 1\n"
    assignment = make({"slow": slow, "two": Y_IS_TWO}, slow={"partial": True}, limits={"check_seconds": 0.3})

    report = report_on(assignment, SPIN + "x, y = 1, 2")

    assert outcomes(report) == {"slow": "failed", "two": "passed"}
    assert scores(report) == {"slow": 3.33, "two": 10}
    assert "check_seconds" in message_of(report, "slow")


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


def test_the_cell_that_used_up_the_total_time_is_named(make, report_on, monkeypatch, snapshot):
    """The advice says how to leave it out."""
    monkeypatch.setattr(Sandbox, "slowest_block", 1)  # a clock would depend on the machine

    report = report_on(
        make({"one": X_IS_ONE}, limits={"total_seconds": 0.3}), "# %%\nx = 1\n\n# %%\nwhile True: pass\n"
    )

    assert message_of(report, "one") == snapshot
    assert "tag the cell `demo`" in message_of(report, "one")


@pytest.mark.ci
def test_the_checks_after_the_total_time_fail(make, report_on):
    """Earlier verdicts stand."""
    slow = "def test_b(student):\n    student.spin()\n"
    assignment = make({"one": X_IS_ONE, "slow": slow, "two": Y_IS_TWO}, limits={"total_seconds": 0.8})

    report = report_on(assignment, SPIN + "x, y = 1, 2")

    assert outcomes(report) == {"one": "passed", "slow": "failed", "two": "failed"}
    assert "total_seconds" in message_of(report, "two")


# --- Broken files of a course: the command names the file and the remedy, and gives no zero for it

USAGE, UNGRADABLE = 2, 3


@pytest.mark.ci
def test_the_checks_are_gone(course, snapshot):
    """A folder that was deleted by mistake: what is missing is named, and where it comes from."""
    for check_file in (course / "assignments" / "day2" / "checks").glob("test_*.py"):
        check_file.unlink()
    shutil.rmtree(course / "solutions", ignore_errors=True)

    ran = command("day2", cwd=course)

    assert ran.code == UNGRADABLE
    assert ran.text == snapshot


@pytest.mark.parametrize("day", ["day3", "day2"], ids=["a later day", "itself"])
def test_a_manifest_that_continues_what_is_not_before_it(course, day):
    """The file, the key and the remedy are named; authoring/test_assignment.py has the other messages."""
    edit_manifest(course, "day2", continues=day)

    ran = command("day2", cwd=course)

    assert ran.code == USAGE
    assert (
        f"assignment.yaml: `continues` names `{day}`, but no assignment before this one has this name"
        in ran.text
    )


@pytest.mark.ci
def test_a_check_that_nobody_declared(course):
    """A check file without an entry in the manifest is refused, with the nearest entry."""
    put(course / "assignments" / "day2" / "checks" / "test_add_rules.py", "def test_nothing(): pass\n")

    ran = command("day2", cwd=course)

    assert ran.code == USAGE
    assert "test_add_rules.py: " in ran.text
    assert "did you mean `add_rule`?" in ran.text


def test_a_broken_check_ends_the_command_without_a_score(course):
    """The grader's own fault is never a zero: no score, an exit code of its own, and no blame."""
    put(course / "assignments" / "day2" / "checks" / "test_swap_rule.py", BROKEN)

    ran = command("day2", hand_in(course, reference("day2"), "mine.py"), "--check", "swap_rule", cwd=course)

    assert ran.code == UNGRADABLE
    assert "No score: swap_rule could not be graded. This is not your fault" in ran.text


@pytest.mark.parametrize("file", ["sealed.json", "parity.json"])
def test_a_broken_record_ends_the_command(course, file):
    """Sealed words or PyTorch's numbers that cannot be read are the grader's fault."""
    put(course / "assignments" / "day2" / "checks" / file, "{")

    ran = command("day2", cwd=course)

    assert ran.code == UNGRADABLE
    assert f"{file}: this file cannot be read" in ran.text
    assert "or write it with `grade stub`" in ran.text

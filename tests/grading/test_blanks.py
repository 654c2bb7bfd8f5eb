"""Blanks, skipped tests and partial credit."""

import pytest
from tiny import THREE_TESTS, X_IS_ONE, Y_IS_TWO, message_of, outcomes, scores

from grader.render.terminal import render_terminal

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
    assert ("blank" in message_of(report)) is (outcome == "todo")


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


def test_a_check_that_fails_in_its_own_words(make, report_on, snapshot):
    """`pytest.fail("...")` is reported as it is."""
    check = 'import pytest\n\ndef test_x(student):\n    """x is 1."""\n    pytest.fail(f"x is {student.x}, not 1")\n'

    report = report_on(make({"one": check}), "x = 5")

    assert outcomes(report) == {"one": "failed"}
    assert message_of(report) == snapshot


# --- Skipping


SKIPS = '''
import pytest

def test_walk(student):
    """Only where there is something to compare with."""
    if student.x != 1:
        pytest.skip("first make x right")
'''


@pytest.mark.parametrize("sides", [(SKIPS, Y_IS_TWO), (Y_IS_TWO, SKIPS)], ids=["visible", "hidden"])
def test_a_skip_is_no_pass(make, report_on, sides):
    """Beside a test that passes, and whichever of them is hidden."""
    visible, hidden = sides
    assignment = make({"two": visible}, {"two": hidden})

    assert outcomes(report_on(assignment, "x = 1\ny = 2")) == {"two": "passed"}
    assert outcomes(report_on(assignment, "x = 5\ny = 2")) == {"two": "failed"}
    assert outcomes(report_on(assignment, "x = 1\ny = 5")) == {"two": "failed"}


def test_a_skip_waits_for_a_check_that_failed(make, report_on):
    """The check is blocked; its message is the test's."""
    report = report_on(make({"one": X_IS_ONE, "two": SKIPS}), "x = 5")

    assert outcomes(report) == {"one": "failed", "two": "blocked"}
    assert report.checks[1].message == "first make x right"


def test_a_hidden_skip_names_the_check_that_failed(make, report_on):
    """Nothing of the hidden test is told."""
    report = report_on(make({"one": X_IS_ONE, "two": Y_IS_TWO}, {"two": SKIPS}), "x = 5\ny = 2")

    assert outcomes(report) == {"one": "failed", "two": "blocked"}
    assert report.checks[1].message == "waits for one"


def test_a_skip_alone_fails(make, report_on):
    """No check is wrong but this one; its message is the test's."""
    report = report_on(make({"two": SKIPS}), "x = 5\ny = 2")

    assert outcomes(report) == {"two": "failed"}
    assert message_of(report) == "first make x right"


def test_a_skip_costs_its_part_of_a_share(make, report_on):
    """With partial credit it is one of three tests."""
    hidden = Y_IS_TWO + "\ndef test_z(student):\n    assert student.z == 3\n"

    report = report_on(make({"two": SKIPS}, {"two": hidden}, two={"partial": True}), "x = 5\ny = 2\nz = 5")

    assert scores(report) == {"two": 3.33}


SLOW_SIDE = "def test_slow(student):\n    assert student.f(2) == 4\n"


def test_a_hidden_test_that_did_not_run_is_no_pass(make, report_on):
    """The check that it needs runs out of time, in a hidden test alone."""
    assignment = make(
        {"one": X_IS_ONE, "two": Y_IS_TWO},
        {"one": SLOW_SIDE, "two": "def test_z(student):\n    assert student.z == 3\n"},
        limits={"check_seconds": 0.3},
        two={"needs": ["one"]},
    )

    report = report_on(assignment, "x, y, z = 1, 2, 5\ndef f(n):\n    while True: pass\n")

    assert outcomes(report) == {"one": "failed", "two": "blocked"}


# --- Partial credit


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


@pytest.mark.parametrize(
    ("source", "score"), [("x, y, z = 1, 5, 5", 6), ("x, y, z = 5, 2, 3", 4), ("x = y = z = 0", 0)]
)
@pytest.mark.parametrize("hidden", [False, True])
def test_a_test_counts_as_often_as_its_weight_says(make, report_on, source, score, hidden):
    """On either side, and one of both sides once: 3 of 5 for x."""
    sides = ({}, {"three": THREE_TESTS}) if hidden else ({"three": THREE_TESTS}, None)
    report = report_on(make(*sides, three={"partial": True, "weights": {"test_x": 3}}), source)

    assert scores(report) == {"three": score}


def test_each_case_of_a_test_has_its_weight(make, report_on):
    """Also in a class; without a weight a test counts once, with 0 never."""
    check = """
import pytest

class TestIt:
    @pytest.mark.parametrize("n", [1, 2])
    def test_x(self, student, n):
        assert student.x == n

def test_y(student):
    assert student.y == 2

def test_z(student):
    assert student.z == 3
"""
    weights = {"test_x": 2, "test_z": 0}
    report = report_on(make({"one": check}, one={"partial": True, "weights": weights}), "x, y, z = 1, 2, 5")

    assert scores(report) == {"one": 6}


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
    assert "depends on the order" in message_of(report)


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

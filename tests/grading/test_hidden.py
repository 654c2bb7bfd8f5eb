"""A hidden test shows the student's own error and none of its numbers."""

import pytest
from tiny import X_IS_ONE, message_of

from grader.report import to_json

SECRET = '''
"""x is right."""

def test_x(student):
    """x is a number that nobody guesses."""
    assert student.x == 8675.309
'''


def test_a_hidden_test_shows_nothing(make, report_on):
    """Not its number, not its sentence, not what was read: nowhere in the report."""
    report = report_on(make({}, {"one": SECRET}), "x = 5")

    assert message_of(report) == "A hidden test of this check does not pass."
    assert report.checks[0].readings == []
    assert "8675" not in to_json(report)
    assert "nobody guesses" not in to_json(report)


def test_a_hidden_test_may_show_its_values(make, report_on):
    """With `reveal: values`."""
    report = report_on(make({}, {"one": SECRET}, one={"reveal": "values"}), "x = 5")

    (row,) = report.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "5", "8675.31")
    assert "nobody guesses" in message_of(report)


def test_a_visible_test_shows_its_values(make, report_on):
    """Also where a hidden one fails beside it."""
    report = report_on(make({"one": X_IS_ONE}, {"one": SECRET}), "x = 5")

    (row,) = report.checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "5", "1")
    assert "8675" not in to_json(report)


def test_an_error_in_a_hidden_test_is_the_students(make, report_on):
    """Its type and place are reported, not its text: that could hold the test's numbers."""
    check = "def test_x(student):\n    assert student.f(8675.309) == 1\n"

    report = report_on(make({}, {"one": check}), "def f(x):\n    raise ValueError(f'not {x}')\n")

    assert message_of(report).startswith("In a hidden test: ValueError")
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
    """Words of the student's own error are reported only where they are in the student's file."""
    check = "def test_x(student):\n    assert student.f(8675.309) == 1\n"
    report = report_on(make({}, {"one": check}), CARRIERS[carrier])
    assert "8675" not in to_json(report)
    assert message_of(report)


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
    assert message_of(report).startswith(words)

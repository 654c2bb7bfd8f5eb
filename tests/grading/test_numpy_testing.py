"""What numpy.testing compares in a check is told as an assert would tell it: the first wrong entry, and what is expected."""

import pytest

pytest.importorskip("numpy")

CHECK = '''
"""The double of each number."""
import numpy as np
from numpy.testing import assert_allclose, assert_almost_equal, assert_array_equal, assert_equal

NUMBERS = np.array([1.0, 2.0, 3.0])

def test_double(student):
    """Of 1, 2 and 3."""
    {comparison}
'''
FOUND = "student.double(NUMBERS)"
COMPARISONS = {
    "allclose": f"assert_allclose({FOUND}, [2.0, 4.0, 6.0])",
    "the student's last": f"assert_allclose(np.array([2.0, 4.0, 6.0]), {FOUND})",
    "equal": f"np.testing.assert_array_equal({FOUND}, np.array([2, 4, 6]))",
    "any equal": f"assert_equal({FOUND}, np.array([2.0, 4.0, 6.0]))",
    "almost": f"assert_almost_equal({FOUND}, np.array([2.0, 4.0, 6.0]), decimal=3)",
    "a wide tolerance": f"assert_allclose({FOUND}, [2.0, 3.5, 6.0], atol=0.6)",
    "one number for all": f"assert_allclose({FOUND} - NUMBERS, 1.0, atol=2.0)",
    "nan": f"assert_allclose({FOUND}, [2.0, np.nan, 6.0])",
}
WRONG = {
    "an entry": "def double(numbers): return numbers * 2 + (numbers == 3)",
    "a shape": "def double(numbers): return numbers[:2] * 2",
    "None": "def double(numbers): pass",
    "a list": "def double(numbers): return [2.0, 5.0, 6.0]",
    "text": "def double(numbers): return 'six'",
}


def rows(report):
    """Each row of the only check: what was read, what it is, what it should be."""
    (check,) = report.checks
    return (
        str(check.outcome),
        check.message,
        [(row.label, row.actual, row.expected) for row in check.readings],
    )


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_first_wrong_entry_is_named(name, make, report_on, snapshot):
    assignment = make({"one": CHECK.format(comparison=COMPARISONS[name])}, arrays=True)
    assert {wrong: rows(report_on(assignment, source)) for wrong, source in WRONG.items()} == snapshot


def test_a_hidden_one_stays_hidden(make, report_on):
    hidden = {"one": CHECK.format(comparison=COMPARISONS["allclose"])}
    report = report_on(make({}, hidden, arrays=True), WRONG["an entry"])
    assert (report.score, report.checks[0].readings) == (0, [])
    assert "4" not in report.checks[0].message


def test_arrays_of_several_rows_stand_in_one_line(make, report_on):
    """numpy writes a line for each row; in a sentence that would be a gap."""
    check = CHECK.format(comparison="assert student.double(np.eye(2)) == approx(np.eye(2) * 3)")
    assignment = make(
        {"one": check.replace("import numpy", "from pytest import approx\nimport numpy")}, arrays=True
    )
    (row,) = report_on(assignment, "def double(numbers): return numbers * 2").checks[0].readings
    assert (row.label, row.actual) == ("double(array([[1., 0.], [0., 1.]]))[0, 0]", "2")

"""Tests of every form: cases, classes, orders of sets, random numbers, titles."""

import pytest
from tiny import X_IS_ONE, Y_IS_TWO, outcomes, scores

# --- Tests of every form


def test_every_test_is_judged(make, results_of):
    """Cases, cases that look alike, methods of classes: none is in the way of another."""
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

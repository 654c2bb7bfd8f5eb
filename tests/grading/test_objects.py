"""Objects of the student's in a check: labels, texts, lists, fixtures."""

import pytest
from tiny import X_IS_ONE, Y_IS_TWO, message_of, outcomes

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
    """The actual value comes from the object, beside the expected one."""
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


def test_a_text_that_raises_is_the_students_error(make, report_on, snapshot):
    """Not the grader's."""
    report = report_on(make({"one": TEXT}), BOX + "    def __str__(self): return 1 / 0\n")

    assert outcomes(report) == {"one": "failed"}
    assert message_of(report) == snapshot


def test_a_failure_with_an_object_in_a_list_is_explained(make, report_on, snapshot):
    """Pytest writes an object as text while it explains, when no check asks the jail."""
    check = """
        from pytest import approx

        def test_list(student):
            '''The list holds 2.'''
            assert [student.Box(1), 2.0] == approx([2.0, 2.0])
        """

    report = report_on(make({"one": check}), BOX + "    def __str__(self): raise RuntimeError('asked')\n")

    assert outcomes(report) == {"one": "failed"}
    assert message_of(report) == snapshot
    assert [row.actual for row in report.checks[0].readings] == ["[Box(1), 2]"]


ZIP = '''
def test_first(student):
    """naturals() gives 0, 1, 2 ..."""
    for number, found in zip(range(3), student.naturals()):
        assert found == number
'''


def test_items_of_what_has_no_end(make, report_on, snapshot):
    """An endless generator is right where a check reads a few of its items."""
    right = "import itertools\ndef naturals(): return itertools.count()"
    wrong = right.replace("count()", "count(1)")
    assignment = make({"one": ZIP})

    assert outcomes(report_on(assignment, right)) == {"one": "passed"}
    assert message_of(report_on(assignment, wrong)) == snapshot


def test_an_end_that_does_not_come_is_told_as_that(make, report_on, snapshot):
    """A check that goes through all of them neither fills the memory nor blames it on the student."""
    check = ZIP.replace("zip(range(3), student.naturals())", "enumerate(student.naturals())")

    report = report_on(make({"one": check}), "import itertools\ndef naturals(): return itertools.count()")

    assert message_of(report) == snapshot


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
    """And what was read is reported as the student's expression."""
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
    assert message_of(report) == message


@pytest.mark.parametrize(
    "fixture",
    [
        "capsys",
        "tmp_path",
        "monkeypatch",
    ],
)
def test_a_fixture_that_sees_nothing_of_the_students(make, report_on, fixture, snapshot):
    """A check that asks for it cannot be used: it would judge the grader's process."""
    check = X_IS_ONE.replace("(student)", f"(student, {fixture})")
    assignment = make({"one": check, "two": Y_IS_TWO})

    report = report_on(assignment, "x = 1\ny = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert message_of(report, "one") == snapshot


SHARED = """
class Number:
    def __init__(self, number): self.number = number
    def __add__(self, other): return Number(self.number + other)
    def __iadd__(self, other):
        self.number += other
        return self


class Box:
    def __init__(self, number): self.size = Number(number)
    def give(self, other): other.size = self.size
"""


@pytest.mark.parametrize(
    "read",
    ["second.size == 2", "[first.size, second.size] == [2, 3]"],
)
def test_an_object_at_hand_has_the_name_at_hand(make, report_on, read, snapshot):
    """Two boxes share one object; the message names it as the check reached it last, not as it was first met."""
    assignment = make(
        {
            "one": f'''
            def test_shared(student):
                """The second box has the size 2."""
                first, second = student.named(student.Box, first=0, second=0)
                first.size += 1
                first.give(second)
                assert {read}
            '''
        }
    )

    found = report_on(assignment, SHARED).checks[0]

    assert " + 1" not in found.message
    assert found.message == snapshot


@pytest.mark.ci
@pytest.mark.parametrize("number", ["Fraction(1, 2)", "2j"])
def test_a_number_of_another_kind_is_not_told_that_it_is_none(make, report_on, number, snapshot):
    """A fraction is a number; a check compares floats."""
    check = """
    def test_size(student):
        \"\"\"The box has the size 2.\"\"\"
        box = student.Box(3)
        assert box.number == 2
    """
    box = f"from fractions import Fraction\n{BOX.replace('= number', f'= {number}')}"

    report = report_on(make({"one": check}), box)

    assert message_of(report) == snapshot

"""From a failed plain assert to rows: what was read, on what, and what it should have been.

Every check here is run by pytest, as a check is, over a real submission.
"""

import itertools
from textwrap import dedent, indent

import pytest

from grader import topic
from grader.autograd.topic import AutogradTopic
from grader.grading.failures import describe
from grader.grading.run import CheckFile
from grader.grading.suite import open_suite
from grader.manifest import Limits
from grader.report import to_json
from grader.sandbox import Launcher, Sandbox

# Its products keep each factor's own value instead of the other's.
ENGINE = """
class Value:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None
    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += self.data * out.grad
            other.grad += other.data * out.grad
        out._backward = _backward
        return out
    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
"""
PRODUCT = """
a, b = student.leaves(a=2.0, b=-3.0)
L = a * b
L.grad = 1.0
L._backward()
"""
GIVEN = "a = 2, b = -3 in a * b"
_number = itertools.count()


@pytest.fixture(scope="module")
def launcher():
    """The launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@pytest.fixture
def judge(launcher, tmp_path):
    """Run one test, given by the lines of its body, over a submission; gives its result and the sandbox."""

    def judge(body, source):
        path = tmp_path / f"test_explained_{next(_number)}.py"
        lines = indent(dedent(body).strip(), "    ")
        path.write_text(
            f"import pytest\nfrom pytest import approx\n\ndef test_it(student):\n{lines}\n", encoding="utf-8"
        )

        files = [CheckFile("it", "visible", path, orders=False)]
        with open_suite(files, {"visible": ""}, AutogradTopic()) as suite:
            box = Sandbox(launcher, [dedent(source)], Limits())
            try:
                (result,) = suite.run(box)
            finally:
                box.close()
            return result, box

    return judge


@pytest.fixture
def failure(judge):
    """Return the failure of a test with this body."""

    def failure(body, source=ENGINE):
        result, _ = judge(body, source)
        assert result.outcome is topic.TestOutcome.FAILED
        assert isinstance(result.error, AssertionError)
        return result.failure

    return failure


@pytest.fixture
def rows(failure):
    """The rows of a failed test: label, given, actual, expected."""

    def rows(body, source=ENGINE):
        return [(row.label, row.given, row.actual, row.expected) for row in failure(body, source).readings]

    return rows


# --- Numbers


@pytest.mark.parametrize(
    "claim",
    [
        "a.grad == approx(-3.0)", "approx(-3.0) == a.grad", "a.grad == -3.0", "-3.0 == a.grad", "a.grad == -3",
        "a.grad == approx(-3, abs=1e-6)", "a.grad == approx(-3.0) == a.grad",
    ],
)  # fmt: skip
def test_a_number(rows, claim):
    """A reading has the expression, the actual and the expected value, on either side of the comparison."""
    assert rows(f"{PRODUCT}\nassert {claim}") == [("a.grad", GIVEN, "2", "-3")]


def test_a_reading_against_a_reading(rows):
    """The left one is what was read."""
    assert rows(PRODUCT + "\nassert a.grad == b.grad") == [("a.grad", GIVEN, "2", "-3")]


def test_numbers_are_told_to_six_digits(rows):
    """More would not help."""
    source = "x = 1 / 3"

    assert rows("assert student.x == approx(2 / 3)", source) == [("x", "", "0.333333", "0.666667")]


@pytest.mark.parametrize(
    ("value", "told"), [("float('nan')", "nan"), ("float('inf')", "inf"), ("10 ** 400", "a value that was not read: a huge integer"), ("-1e-300", "-1e-300")]
)  # fmt: skip
def test_strange_numbers(rows, value, told):
    """NaN, infinities and integers beyond all bounds are reported as what they are."""
    (row,) = rows("assert student.x == 1.0", f"x = {value}")

    assert row[2] == told


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("x < 1", "< 1"), ("x <= 1", "<= 1"), ("x > 9", "> 9"), ("x >= 9", ">= 9"), ("x != 5", "!= 5"),
        ("1 > x", "< 1"), ("1 >= x", "<= 1"), ("9 < x", "> 9"), ("9 <= x", ">= 9"), ("5 != x", "!= 5"),
        ("1 < x < 3", "< 3"), ("7 < x < 9", "> 7"), ("1 < x <= 5 < 3", "< 3"),
    ],
)  # fmt: skip
def test_other_comparisons(rows, claim, expected):
    """As seen from what was read; of a chain the first that does not hold."""
    (row,) = rows(f"x = student.x\nassert {claim}", "x = 5")

    assert row[2:] == ("5", expected)


def test_a_difference(rows):
    """It is a number of the check's own: it has no label."""
    assert rows("assert abs(student.x - 3) < 1e-9", "x = 5.0") == [("", "", "2", "< 1e-09")]


# --- Several comparisons


def test_and_keeps_the_first_that_does_not_hold(rows):
    """Comparisons that held are left out."""
    claims = "a.data == approx(2.0) and a.grad == approx(-3.0) and b.grad == approx(2.0)"

    assert rows(f"{PRODUCT}\nassert {claims}") == [("a.grad", GIVEN, "2", "-3")]


def test_or_keeps_the_first(rows):
    """None of them holds."""
    (row,) = rows(f"{PRODUCT}\nassert a.grad == 7 or b.grad == 8")

    assert row == ("a.grad", GIVEN, "2", "7")


def test_of_several_asserts_the_one_that_fails(rows):
    """Those that passed leave nothing behind."""
    assert rows(f"{PRODUCT}\nassert a.data == 2\nassert L.data == -6\nassert b.grad == approx(2)") == [
        ("b.grad", GIVEN, "-3", "2")
    ]


# --- Lists and tuples


def test_a_list_that_was_read(rows):
    """One row: the list is one reading."""
    assert rows("assert student.order == approx([1, 2, 3])", "order = [1, 2, 4]") == [
        ("order", "", "[1, 2, 4]", "[1, 2, 3]")
    ]


@pytest.mark.parametrize("brackets", ["[]", "()"])
@pytest.mark.parametrize("wrap", ["approx({})", "{}"])
def test_readings_side_by_side(rows, brackets, wrap):
    """A row for each that differs, under its own label."""
    left, right = brackets
    actual, expected = f"{left}a.data, a.grad, b.grad{right}", f"{left}2.0, -3.0, 2.0{right}"

    assert rows(f"{PRODUCT}\nassert {actual} == {wrap.format(expected)}") == [
        ("a.grad", GIVEN, "2", "-3"),
        ("b.grad", GIVEN, "-3", "2"),
    ]


def test_readings_of_another_number(rows):
    """Lists of different lengths are shown whole."""
    (row,) = rows(f"{PRODUCT}\nassert (a.grad, b.grad) == (1.0, 2.0, 3.0)")

    assert row[2:] == ("(2.0, -3.0)", "(1.0, 2.0, 3.0)")


def test_many_readings_are_bounded(rows):
    """The first few that differ."""
    body = "leaves = student.leaves(**{f'x{i}': float(i) for i in range(30)})\nassert [x.grad for x in leaves] == [1.0] * 30"

    assert len(rows(body)) == 8


def test_a_list_of_another_length(rows):
    """Both as they are."""
    assert rows("assert student.order == ['a', 'b']", "order = ['a']") == [
        ("order", "", "['a']", "['a', 'b']")
    ]


def test_a_list_of_objects(rows):
    """By the names under which they are known."""
    body = "a, b = student.leaves(a=2.0, b=-3.0)\nL, = student.name(L=a * b)\nassert list(L._prev) == [b, a]"

    (row,) = rows(body)

    assert row[2:] == ("[a, b]: the same in reverse", "[b, a]")


# --- Dictionaries


@pytest.mark.parametrize("wrap", ["approx({})", "{}"])
def test_entries_that_differ(rows, wrap):
    """A row for each, under the key."""
    expected = wrap.format("{'a': -3, 'b': 2, 'c': 1}")

    assert rows(f"assert student.grads == {expected}", "grads = {'a': 2, 'b': 2.0, 'c': 0.5}") == [
        ("grads['a']", "", "2", "-3"),
        ("grads['c']", "", "0.5", "1"),
    ]


@pytest.mark.parametrize("wrap", ["approx({})", "{}"])
def test_entries_that_are_missing(rows, wrap):
    """A missing entry is shown as missing."""
    expected = wrap.format("{'a': 1, 'b': 2}")

    assert rows(f"assert student.grads == {expected}", "grads = {'a': 1}") == [
        ("grads['b']", "", "missing", "2")
    ]


@pytest.mark.parametrize("wrap", ["approx({})", "{}"])
def test_entries_that_are_too_many(rows, wrap):
    """An extra entry is shown with `no such entry` as expected."""
    expected = wrap.format("{'a': 1}")

    (row,) = rows(f"assert student.grads == {expected}", "grads = {'a': 1, 'c': 3}")

    assert row[:3] == ("grads['c']", "", "3")
    assert row[3] != "missing"


def test_something_else_instead_of_a_dictionary(rows):
    """The message names its kind."""
    (row,) = rows("assert student.grads == {'a': 1}", "grads = [1]")

    assert row == ("grads", "", "the list [1]", "the dictionary {'a': 1}")


def test_an_entry_of_another_kind(rows):
    """Beside entries that are right."""
    assert rows("assert student.grads == approx({'a': 1, 'b': 2})", "grads = {'a': 1, 'b': None}") == [
        ("grads['b']", "", "None", "2")
    ]


# --- Membership and identity


def test_one_of(rows):
    """`not in` shows the values that are excluded."""
    assert rows("assert student.x in (1, 2)", "x = 5") == [("x", "", "5", "one of (1, 2)")]


def test_none_of(rows):
    """`in` shows the values that are allowed."""
    assert rows("assert student.x not in [4, 5]", "x = 5") == [("x", "", "5", "none of [4, 5]")]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("'a' in student.names", "with the text 'a' in it"),
        ("'b' not in student.names", "without the text 'b' in it"),
    ],
)
def test_what_a_list_that_was_read_holds(rows, claim, expected):
    """The list is what was read; what it should hold is what was expected."""
    assert rows(f"assert {claim}", "names = ['b', 'c']") == [("names", "", "['b', 'c']", expected)]


def test_an_object_among_others(rows):
    """By names."""
    (row,) = rows("a, b, c = student.leaves(a=1.0, b=2.0, c=3.0)\nassert c in [a, b]")

    assert (row[0], *row[2:]) == ("c", "the Value c", "one of [a, b]")


def test_identity(rows):
    """Another object of the same class."""
    body = "a, b = student.leaves(a=1.0, b=2.0)\nL, = student.name(L=a * b)\nassert L._prev[0] is b"

    (row,) = rows(body)

    assert row[2] == "the Value a"
    assert row[3].startswith("the same object as ")
    assert row[3].endswith(" b")


# --- Things of another kind


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("None", "None"), ("'2'", "the text '2'"), ("[2.0]", "the list [2.0]"), ("(2.0, 1)", "the tuple (2.0, 1)"),
        ("{'a': 2}", "the dictionary {'a': 2}"), ("True", "True"), ("{2}", "the set {2}"), ("math.exp", "the function math.exp"),
    ],
)  # fmt: skip
def test_another_kind_instead_of_a_number(rows, value, told):
    """It is reported with its kind, under its label."""
    assert rows("assert student.x == approx(3.0)", f"import math\nx = {value}") == [
        ("x", "", told, "the number 3")
    ]


def test_a_blank_instead_of_a_number(rows):
    """The stub's `...` is reported as the student wrote it."""
    source = "class Value:\n    def __init__(self, data): self.grad = ..."

    (row,) = rows("a, = student.leaves(a=2.0)\nassert a.grad == approx(3.0)", source)

    assert "..." in row[2]


def test_an_object_instead_of_a_number(rows):
    """By its class: its label is the expression itself, and says nothing."""
    source = "class Value: pass\nx = Value()"

    (row,) = rows("assert student.x == approx(3.0)", source)

    assert row[0] == "x"
    assert "Value" in row[2]


def test_what_is_given_are_the_leaves_and_what_was_made_of_them(rows, snapshot):
    """Without anything made of them it is the leaves alone."""
    (row,) = rows("a, b = student.leaves(a=2.0, b=3.0)\nassert b.grad == approx(3.0)")

    assert row == snapshot


def test_what_is_given_is_not_what_was_read(rows, snapshot):
    """An attribute that is an object is no expression that the test made."""
    body = "a, b = student.leaves(a=2.0, b=3.0)\nL = a * b\nL._prev\nfor x in L._prev: x._prev\nL.me\nassert a.grad == approx(3.0)"
    source = ENGINE + "\n    me = property(lambda self: Value(1.0))\n"

    (row,) = rows(body, source)

    assert row[:2] == snapshot


def test_a_known_object_instead_of_a_number(rows, snapshot):
    """By its name: that is what the student will look for."""
    source = (
        "class Value:\n    last = 0.0\n    def __init__(self, data): self.grad, Value.last = Value.last, self"
    )

    (row,) = rows("a, b = student.leaves(a=2.0, b=1.0)\nassert b.grad == approx(3.0)", source)

    assert row == snapshot


@pytest.mark.parametrize(("value", "kind"), [("len", "function"), ("int", "class")])
def test_a_function_or_a_class_instead_of_a_number(rows, value, kind):
    """Parentheses were forgotten."""
    (row,) = rows("assert student.x == approx(3.0)", f"x = {value}")

    assert row[0] == "x"
    assert kind in row[2]


def test_a_number_instead_of_a_text(rows):
    """The expected side has its kind too."""
    assert rows("assert student.x == 'up'", "x = 5") == [("x", "", "the number 5", "the text 'up'")]


# --- Words


def test_words_of_the_checks_own(failure, snapshot):
    """They are kept as they stand."""
    found = failure('assert student.x > 9 or len("ab") == 3, "x must be more than 9."', "x = 5")

    assert found.text == snapshot


def test_words_beside_a_comparison(failure):
    """The author's words, where there are some."""
    assert failure('assert student.x == 9, "x must be 9."', "x = 5").text == "x must be 9."


@pytest.mark.parametrize(
    "claim",
    ["student.flag", "not student.x", "all(v == 2 for v in [student.x])", "isinstance(student.x, str)"],
)
def test_what_cannot_be_told_is_not_told(failure, claim):
    """The failure has no words of pytest."""
    found = failure(f"assert {claim}", "flag, x = False, 5")

    assert found.readings == []
    assert found.text == ""


def test_words_of_several_lines(failure):
    """The first says what matters."""
    assert failure('raise AssertionError("First.\\nSecond.")', "x = 5").text == "First."


# --- Bounds


@pytest.mark.parametrize(
    "value",
    [
        "'x' * 50_000",
        "list(range(5000))",
        "['x' * 5000] * 100",
        "{i: 'y' * 100 for i in range(100)}",
        "tuple(range(5000))",
    ],
)
def test_long_values_are_bounded(rows, value):
    """Enough to see what it is."""
    (row,) = rows("assert student.x == 1", f"x = {value}")

    assert len(row[2]) <= 1000
    assert row[2].endswith(("...", "...]", "...'", "...}", " entries"))


def test_many_leaves_are_bounded(rows):
    """A long list of inputs is cut."""
    body = "leaves = student.leaves(**{f'leaf_number_{i}': float(i) for i in range(500)})\nassert leaves[0].grad == 1.0"

    (row,) = rows(body)

    assert len(row[1]) <= 1000


def test_control_characters_are_no_part_of_a_row(rows):
    """Whatever the student's text holds."""
    (row,) = rows("assert student.x == 'up'", "x = '\\x1b[2Jup\\u202e\\x00'")

    assert not set(row[2]) & {"\x1b", "\u202e", "\x00"}


# --- The jail is not asked


def test_explaining_asks_nothing(judge):
    """The record of a test has only what the test itself asked for."""
    source = "class Bag:\n    def __iter__(self): return iter([1, 2])\nbag, x = Bag(), 5"

    result, box = judge("assert student.x in student.bag", source)

    assert result.outcome is topic.TestOutcome.FAILED
    assert [event.label for event in box.record.events] == ["x", "list(bag)"]


def test_an_object_whose_text_fails(rows):
    """Its `repr` is never the student's."""
    source = "class Value:\n    def __init__(self, data): pass\n    def __repr__(self): raise SystemExit\n    def __eq__(self, o): raise SystemExit\nx = Value(1)"

    (row,) = rows("assert student.x == approx(1.0)", source)

    assert "Value" in row[2]


def test_an_error_of_the_students_has_no_rows(judge):
    """An assertion in the student's own code is an error of theirs."""
    result, _ = judge("student.f()", "def f():\n    assert 1 == 2, 'mine'")

    assert result.outcome is topic.TestOutcome.FAILED
    assert result.failure is None
    assert str(result.error) == "AssertionError: mine"


def test_what_is_described_is_short(snapshot):
    """A list is reported by its first items."""
    assert describe(list(range(100))) == snapshot
    assert describe([]) == "[]"


BARE = '''
"""half halves a number."""
from math import isclose

def test_one(student):
    """Of 5."""
    found = student.half(5)
    {line}
'''
SAID = {
    "assert isclose(found, 2.5)  # nearly": "In the test, `assert isclose(found, 2.5)` does not hold.",
    "assert isclose(found, 2.5), 'no'": "no",
    "assert isclose(\n        found, 2.5)": "",
}


@pytest.mark.parametrize("line", SAID)
def test_an_assert_without_values_tells_its_expression(line, make, report_on):
    """Students have the visible test and can read it there; a hidden one says nothing."""
    check = BARE.format(line=line)
    (told,) = report_on(make({"one": check}), "def half(n): return n // 2").checks
    assert (told.outcome, told.message) == ("failed", SAID[line])
    assignment = make({"other": BARE.format(line="assert found")}, {"one": check}, root="hidden")
    assert "isclose" not in to_json(report_on(assignment, "def half(n): return n // 2"))

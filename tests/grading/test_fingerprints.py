"""Naming a wrong answer: fingerprints fit the error, and only what fits exactly is named."""

import json
import math
import re

import pytest

from grader import topic
from grader.errors import Broken
from grader.grading.fingerprints import (
    MistakeTests,
    SealedMistakes,
    diagnose,
    fingerprint,
    nine_digits,
    read_known,
    seal_mistakes,
)
from grader.grading.sealed import SealedFile, sealed_text
from grader.manifest import Limits
from grader.sandbox import (
    Frame,
    Launcher,
    ReadEvent,
    Sandbox,
    StudentError,
    SubmissionStopped,
    Undefined,
)
from grader.topic import TestOutcome

# --- Fingerprints


def read(*values):
    """The fingerprint of a test that read these values and then failed."""
    return fingerprint([ReadEvent("", value) for value in values], [], AssertionError())


@pytest.fixture(scope="module")
def objects():
    """Four objects of a student's, a to d, numbered by the jail in the order d, c, b, a."""
    with Launcher() as launcher:
        box = Sandbox(launcher, ["class Node: pass\na, b, c, d = (Node() for _ in range(4))"], Limits())
        box.load()
        found = [box.get(name) for name in "dcba"]
        box.close()
        yield found[::-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, 3.0), (0, -0.0), (0.0, 1e-13), (0.0, -1e-13), (0.1 + 0.2, 0.3), (1 / 3, 0.3333333333), (2**53, float(2**53)),
        (math.nan, -math.nan), ([1, 2], (1.0, 2.0)), ({1, 2}, frozenset({2.0, 1})), ({1, 2}, (1, 2)),
        ({"a": 1}, {"a": 1.0}), ([], ()), (10**400, 10**500), (3.0000000001, 3),
    ],
)  # fmt: skip
def test_what_is_the_same(one, other):
    """Numbers by value to nine digits, whatever holds them."""
    assert read(one) == read(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, 4), (3.0, 3.00001), (0.0, 1e-9), (1, True), (0, None), (0, False), (1, "1"), (1.0, -1.0), (math.nan, 0.0),
        (math.nan, "nan"), (math.inf, -math.inf), (None, "None"), ([1, 2], [2, 1]), ([1], 1), ([1], [[1]]), ({"a": 1}, {"b": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([], {}), ("a", "b"),
    ],
)  # fmt: skip
def test_what_is_not_the_same(one, other):
    """Values that differ for a student have different fingerprints."""
    assert read(one) != read(other)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (2.5, "2.5"),
        (-0.0, "0"),
        (1 / 3, "0.333333333"),
        (1e-300, "0"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (10**400, "huge"),
    ],
)
def test_numbers_in_words(value, text):
    """Nine significant digits, no more."""
    assert nine_digits(value) == text


def test_how_often_and_in_which_order_it_was_read_counts():
    """A test's story, not a bag of values."""
    assert read(1, 2) != read(2, 1)
    assert read(1) != read(1, 1)


def test_labels_do_not_count():
    """The label of a value belongs to the shape of the code."""
    assert fingerprint([ReadEvent("a.grad", 1)], [], None) == fingerprint([ReadEvent("b.data", 1)], [], None)


def test_objects_count_in_the_order_of_meeting(objects):
    """Not by the numbers that the jail gave them."""
    a, b, c, d = objects

    assert read(a, b, a) == read(c, d, c)
    assert read(a, b, a) != read(a, b, b)
    assert read([a, b]) == read([d, c])
    assert read(a, [a, b]) != read(a, [b, a])


def test_sets_of_objects_have_no_order(objects):
    """Objects that were met before are found in it wherever they stand."""
    a, b, c, _ = objects

    assert read(a, b, {b, a}) == read(a, b, {a, b})
    assert read(a, b, c, {a, b}) != read(a, b, c, {a, c})


def test_a_set_of_new_objects_is_the_same_whatever_their_numbers(objects):
    """The order of unknown objects in a set does not count."""
    a, b, c, d = objects

    assert read({a, b}) == read({c, d})
    assert read(a, {a, b}) == read(d, {d, c})


def test_the_state_that_a_test_left_counts():
    """Attributes of what it met, by name, in the order of meeting."""
    rows = [{"data": 2.0, "grad": 1.0}, {"data": 3.0, "grad": 0.0}]

    assert fingerprint([], rows, None) == fingerprint([], [dict(row) for row in rows], None)
    assert fingerprint([], rows, None) != fingerprint([], rows[::-1], None)
    assert fingerprint([], rows, None) != fingerprint([], [{"data": 2.0, "grad": 1.0}], None)


def ended(error):
    """The fingerprint of a test that ended so."""
    return fingerprint([ReadEvent("", 1.0)], [], error)


def test_exceptions_count_by_type_and_text():
    """Not by where the lines stand."""
    here = StudentError("TypeError", "no", (Frame(0, 3, "f"),))
    there = StudentError("TypeError", "no", (Frame(4, 30, "g"), Frame(4, 31, "h")))

    assert ended(here) == ended(there)
    assert ended(here) != ended(StudentError("TypeError", "yes"))
    assert ended(here) != ended(StudentError("ValueError", "no"))
    assert ended(here) != ended(AssertionError())


def test_the_text_of_a_recursion_is_ignored():
    """The depth of a recursion belongs to the shape of the code."""
    one = StudentError("RecursionError", "maximum recursion depth exceeded")
    other = StudentError("RecursionError", "maximum recursion depth exceeded while calling a Python object")

    assert ended(one) == ended(other)


@pytest.mark.parametrize(
    ("type_", "before", "now"),
    [
        ("TypeError", "unhashable type: 'V'", "cannot use 'V' as a set element (unhashable type: 'V')"),
        ("TypeError", "unhashable type: 'V'", "cannot use 'V' as a dict key (unhashable type: 'V')"),
        (
            "ValueError",
            "too many values to unpack (expected 2)",
            "too many values to unpack (expected 2, got 3)",
        ),
    ],
)
def test_pythons_changed_words_count_alike(type_, before, now):
    """Python 3.14 has others than the versions before."""
    assert ended(StudentError(type_, now)) == ended(StudentError(type_, before))


def test_the_text_of_a_failed_assertion_is_ignored():
    """pytest writes addresses into it."""
    assert ended(AssertionError("<object at 0x1>")) == ended(AssertionError("<object at 0x2>"))


def test_missing_names_count_by_name_and_cause():
    """A name that nobody defines, and one whose cell raised."""
    assert ended(Undefined("x")) != ended(Undefined("y"))
    assert ended(Undefined("x")) != ended(Undefined("x", StudentError("ValueError", "no")))
    assert ended(Undefined("x", StudentError("ValueError", "no"))) == ended(
        Undefined("x", StudentError("ValueError", "no", (Frame(0, 1, "f"),)))
    )


def test_ends_of_the_jail_count_by_their_kind():
    """A limit by its name, a crash whatever it said."""
    kinds = [
        SubmissionStopped("a", limit="check_seconds"),
        SubmissionStopped("a", limit="total_seconds"),
        SubmissionStopped("a"),
        SubmissionStopped("a", forged=True),
    ]

    assert len({ended(error) for error in kinds}) == 4
    assert ended(SubmissionStopped("a")) == ended(SubmissionStopped("b"))


def test_an_error_that_was_read_on_the_way_counts():
    """A test that catches it reads it."""
    assert read(StudentError("TypeError", "no"), 1) != read(1)
    assert read(StudentError("TypeError", "no"), 1) == read(
        StudentError("TypeError", "no", (Frame(0, 1, "f"),)), 1
    )


def test_a_fingerprint_is_short_and_stable():
    """It is in files that are kept: another version must give the same."""
    assert fingerprint([], [], None) == fingerprint((), (), None)
    assert len(read(1)) == 16
    assert int(read(1), 16) >= 0


# --- Matching


def sealed(mistakes, side=""):
    """Mistakes sealed, each with what it reads in the tests of a side that it fails: `{"adds": {"mul/1": "A"}}`."""
    reads = [
        MistakeTests(
            name,
            name.partition("/")[0],
            f"the words of {name}",
            {test: [mark] for test, mark in marks.items() if side in test},
        )
        for name, marks in mistakes.items()
    ]
    return seal_mistakes(reads, "a pinch of salt")


def result(test, outcome, fingerprint="", error=None, *, order="forward", used=()):
    """Make the result of a test that applied the operation of its check, or those that it `used`."""
    check, side, name = test.split("/")
    test = topic.Test(check, side, name, order, "")
    return topic.TestResult(test, outcome, fingerprint, error, used=dict.fromkeys(used or (check,), ()))


def told(failing, passing=(), *, among, single=False):
    """Return the mistakes named for each check, given the failed tests' fingerprints and the passed tests."""
    results = [result(test, TestOutcome.FAILED, mark) for test, mark in failing.items()]
    results += [result(test, TestOutcome.PASSED) for test in passing]
    found = diagnose(results, sealed(among), single=single)
    return {check: [mistake.name for mistake in mistakes] for check, mistakes in found.items()}


ADDS = {"mul/visible/1": "A1", "mul/visible/2": "A2", "expression/visible/1": "A3"}
SWAPS = {"tanh/visible/1": "S1", "tanh/visible/2": "S2"}
BOTH = {"adds": ADDS, "swaps": SWAPS}


def test_one_mistake():
    """Each check whose failing tests all have the fingerprint gets the mistake and its words."""
    assert told(ADDS, SWAPS, among=BOTH) == {"mul": ["adds"], "expression": ["adds"]}
    results = [result(test, TestOutcome.FAILED, mark) for test, mark in ADDS.items()]
    (mistake,) = diagnose(results, sealed(BOTH))["mul"]
    assert mistake.words == "the words of adds"


def test_two_mistakes_in_two_checks():
    """Each check has its own."""
    assert told(ADDS | SWAPS, among=BOTH) == {"mul": ["adds"], "expression": ["adds"], "tanh": ["swaps"]}


def test_two_mistakes_in_one_check():
    """If each failed test of a check has exactly one mistake of its own, both are named."""
    functions = {
        "first_stops": {"loops/visible/1": "F1", "loops/visible/2": "F2"},
        "second_stops": {"loops/visible/3": "G3"},
    }
    failing = functions["first_stops"] | functions["second_stops"]

    assert told(failing, among=functions) == {"loops": ["first_stops", "second_stops"]}


def test_nothing_fails():
    """Without a failed test no mistake is named."""
    assert told({}, ADDS, among=BOTH) == {}


def test_nothing_is_known():
    """A course without mistakes, or whose file is not here."""
    results = [result(test, TestOutcome.FAILED, mark) for test, mark in ADDS.items()]
    assert diagnose(results, SealedMistakes()) == {}
    assert told(ADDS, among={}) == {}


def test_an_unknown_mistake():
    """Silence, never the nearest guess."""
    assert told(dict.fromkeys(ADDS, "?"), among=BOTH) == {}


def test_a_check_of_which_one_test_reads_otherwise():
    """By coincidence it has the mistake's fingerprint in one test; the next one contradicts it, here and later."""
    assert told(ADDS | {"mul/visible/2": "?"}, among=BOTH) == {}


def test_a_later_check_reads_otherwise():
    """Another fault may act as well if another check shows it; without that it is another mistake."""
    adds = {f"mul/visible/{number}": f"A{number}" for number in range(3)} | {"expression/visible/1": "A3"}
    failing = adds | {"expression/visible/1": "?"}

    assert told(failing | {"tanh/visible/1": "?"}, among={"adds": adds}) == {"mul": ["adds"]}
    assert told(failing, ["tanh/visible/1"], among={"adds": adds}) == {}


def test_what_the_mistake_is_about_fails_elsewhere():
    """A test that the mistake passes fails, and applies the same function: it is another mistake."""
    known = sealed({"clears": {"seed/visible/1": "C1", "diamond/visible/1": "C2"}})
    failing = [
        result("seed/visible/1", TestOutcome.FAILED, "C1", used=["backward"]),
        result("diamond/visible/1", TestOutcome.FAILED, "C2", used=["backward", "*"]),
    ]
    order = result("order/visible/1", TestOutcome.FAILED, "?", used=["backward"])

    assert list(diagnose(failing, known)) == ["seed", "diamond"]
    assert diagnose([*failing, order], known) == {}
    works = result("single/visible/1", TestOutcome.PASSED, used=["backward"])  # so the fault is elsewhere
    assert list(diagnose([*failing, order, works], known)) == ["seed", "diamond"]


def test_a_check_in_which_something_else_fails_too():
    """A test that the mistake passes fails: more is wrong than the mistake, and what was read alike may be chance."""
    assert told(ADDS | {"mul/visible/3": "?"}, among=BOTH) == {}


def test_a_mistake_that_would_fail_more():
    """It fails a test that passed: it is another one."""
    assert told({"mul/visible/1": "A1", "mul/visible/2": "A2"}, ["expression/visible/1"], among=BOTH) == {}


def test_what_was_not_judged_says_nothing():
    """A test that is blocked or still to do speaks neither for a mistake nor against it."""
    results = [result(test, TestOutcome.FAILED, ADDS[test]) for test in ("mul/visible/1", "mul/visible/2")]
    results += [
        result("expression/visible/1", outcome) for outcome in (TestOutcome.TODO, TestOutcome.SKIPPED)
    ]
    assert list(diagnose(results, sealed(BOTH))) == ["mul"]


def test_two_mistakes_that_read_alike():
    """Mistakes with equal fingerprints are not named."""
    assert told(ADDS, among={"adds": ADDS, "also_adds": ADDS}) == {}


def test_two_mistakes_that_read_alike_in_one_check():
    """Another check of the run distinguishes them, so both checks get the one that agrees with all."""
    other = ADDS | {"expression/visible/1": "B3"}
    assert told(ADDS, among={"adds": ADDS, "otherwise": other}) == {"mul": ["adds"], "expression": ["adds"]}


def test_a_mistake_made_in_two_ways():
    """Made in both ways, each check gets it once; where the two read the same they are still one mistake."""
    ways = {
        "forgets/0": {"add/visible/1": "F1", "sum/visible/1": "F3"},
        "forgets/1": {"mul/visible/1": "F2", "sum/visible/1": "F3"},
    }

    assert told({"add/visible/1": "F1", "sum/visible/1": "F3"}, ["mul/visible/1"], among=ways) == {
        "add": ["forgets"],
        "sum": ["forgets"],
    }
    both = {"add/visible/1": "F1", "mul/visible/1": "F2", "sum/visible/1": "F3"}
    assert told(both, among=ways) == {check: ["forgets"] for check in ("add", "mul", "sum")}


def test_a_mistake_that_explains_a_part():
    """One that explains all failing tests of a check goes before one that explains some of them."""
    part = {"mul/visible/1": "A1"}
    assert told(ADDS, among={"adds": ADDS, "part": part}) == {"mul": ["adds"], "expression": ["adds"]}


def test_a_mistake_reads_alike_under_every_order():
    """A test that reads as one mistake under one order of sets and as another under the next is neither."""
    known = sealed({"adds": {"mul/visible/1": "A1"}, "swaps": {"mul/visible/1": "S1"}})
    forward = result("mul/visible/1", TestOutcome.FAILED, "A1")
    reverse = result("mul/visible/1", TestOutcome.FAILED, "S1", order="reverse")
    permuted = result("mul/visible/1", TestOutcome.FAILED, "?", order="permuted")

    assert diagnose([forward, reverse], known) == {}
    assert list(diagnose([forward, permuted], known)) == ["mul"]  # the third order has no fingerprints


def test_a_mistake_that_shows_under_one_order_only():
    """A test that fails under one order of sets has failed, though it passes under another."""
    known = sealed({"adds": {"mul/visible/1": "A1"}})
    forward = result("mul/visible/1", TestOutcome.FAILED, "A1")
    reverse = result("mul/visible/1", TestOutcome.PASSED, order="reverse")
    assert list(diagnose([forward, reverse], known)) == ["mul"]


def test_a_recursion_of_one_check_alone():
    """Its fingerprint is that of every recursion; the tests that tell these apart were not run."""
    recursion = result("mul/visible/1", TestOutcome.FAILED, "R", StudentError("RecursionError", "too deep"))
    known = sealed({"recurses": {"mul/visible/1": "R"}})

    assert list(diagnose([recursion], known)) == ["mul"]
    assert diagnose([recursion], known, single=True) == {}


def test_the_order_of_the_mistakes_does_not_matter():
    """The same words for the same readings."""
    mistakes = {"adds": ADDS, "swaps": SWAPS, "also": SWAPS}
    turned = dict(reversed(mistakes.items()))

    assert told(ADDS | SWAPS, among=mistakes) == told(dict(reversed((ADDS | SWAPS).items())), among=turned)
    assert sealed(mistakes) == sealed(turned)


# --- Sealed files


def text_of(mistakes=None):
    """The text of a sealed file with these mistakes."""
    return sealed_text(SealedFile(mistakes=mistakes.items() if mistakes else {}))


def test_nothing_can_be_read_in_a_sealed_file():
    """Neither a name, nor a word, nor a fingerprint; the tests are those of the checks."""
    text = text_of(sealed(BOTH))

    assert not re.search(r"adds|swaps|words of|\bA1\b|\bS2\b", text)
    assert [name for name in json.loads(text)["mistakes"] if "/" in name] == sorted(ADDS | SWAPS)


def test_the_secret_stands_in_no_file():
    """It is the salt of the hidden checks, and students get the file of the visible ones."""
    mistake = MistakeTests("adds/0", "adds", "words", {"mul/visible/1": ["A1"]})

    assert "pepper" not in text_of(seal_mistakes([mistake], "pepper"))


def test_another_secret_gives_another_file():
    """Without the secret, nobody can compute the key of a mistake from its name."""
    reads = [MistakeTests("adds/0", "adds", "words", {"mul/visible/1": ["A1"]})]
    one, other = (seal_mistakes(reads, secret) for secret in ("one", "other"))

    assert not set(one.words) & set(other.words)
    assert one.tests != other.tests


def test_a_file_is_read(tmp_path):
    """One that is absent knows nothing, nor does one without mistakes."""
    seen, other = (tmp_path / f"{name}.json" for name in ("seen", "other"))
    seen.write_text(text_of(sealed({"adds": ADDS})), encoding="utf-8")
    other.write_text(text_of(), encoding="utf-8")

    known = read_known(seen)

    assert [told.name for told in known.matches("mul/visible/1", "A1").values()] == ["adds"]
    assert known.matches("mul/visible/1", "S1") == known.matches("none/visible/1", "A1") == {}
    assert read_known(other) == read_known(tmp_path / "absent.json") == SealedMistakes()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"mistakes": 3}', '{"mistakes": {"mul/visible/1": {}}}', "\xff"]
)
def test_a_file_that_is_not_sealed(tmp_path, text):
    """It is the course's fault: the file is named, and the remedy."""
    path = tmp_path / "sealed.json"
    path.write_text(text, encoding="latin-1")

    with pytest.raises(
        Broken, match=r"sealed.json: this file cannot be read .*, or write it with `grade stub`"
    ):
        read_known(path)

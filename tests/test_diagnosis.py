"""Naming a wrong answer: fingerprints fit the error, and only what fits exactly is named."""

import json
import math

import pytest

from grader.diagnosis import Known, diagnose, fingerprint, number, read_known
from grader.errors import Broken
from grader.sandbox import (
    Event,
    Frame,
    JailCrashed,
    Launcher,
    LimitExceeded,
    Limits,
    ProtocolViolation,
    Sandbox,
    StudentError,
    Undefined,
)

# --- Fingerprints


def read(*values):
    """The fingerprint of a test that read these values and then failed."""
    return fingerprint([Event("", value) for value in values], [], AssertionError())


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
    """What a student would call another answer."""
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
    assert number(value) == text


def test_how_often_and_in_which_order_it_was_read_counts():
    """A test's story, not a bag of values."""
    assert read(1, 2) != read(2, 1)
    assert read(1) != read(1, 1)


def test_labels_do_not_count():
    """What a value was called depends on the shape of the code."""
    assert fingerprint([Event("a.grad", 1)], [], None) == fingerprint([Event("b.data", 1)], [], None)


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
    """Which of two unknown objects comes first in a set says nothing."""
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
    return fingerprint([Event("", 1.0)], [], error)


def test_exceptions_count_by_type_and_text():
    """Not by where the lines stand."""
    here = StudentError("TypeError", "no", (Frame(0, 3, "f"),))
    there = StudentError("TypeError", "no", (Frame(4, 30, "g"), Frame(4, 31, "h")))

    assert ended(here) == ended(there)
    assert ended(here) != ended(StudentError("TypeError", "yes"))
    assert ended(here) != ended(StudentError("ValueError", "no"))
    assert ended(here) != ended(AssertionError())


def test_the_text_of_a_recursion_is_ignored():
    """Where it is cut depends on the shape of the code."""
    one = StudentError("RecursionError", "maximum recursion depth exceeded")
    other = StudentError("RecursionError", "maximum recursion depth exceeded while calling a Python object")

    assert ended(one) == ended(other)


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
        LimitExceeded("check_seconds", "a"),
        LimitExceeded("total_seconds", "a"),
        JailCrashed("a"),
        ProtocolViolation("a"),
    ]

    assert len({ended(error) for error in kinds}) == 4
    assert ended(JailCrashed("a")) == ended(JailCrashed("b"))


def test_an_error_that_was_read_on_the_way_counts():
    """A test that catches it reads it."""
    assert read(StudentError("TypeError", "no"), 1) != read(1)
    assert read(StudentError("TypeError", "no"), 1) == read(
        StudentError("TypeError", "no", (Frame(0, 1, "f"),)), 1
    )


def test_a_fingerprint_is_short_and_stable():
    """It stands in files that are kept: another version must give the same."""
    assert fingerprint([], [], None) == fingerprint((), (), None)
    assert len(read(1)) == 16
    assert int(read(1), 16) >= 0


# --- Matching


def known(**mistakes):
    """Known mistakes, each with what it reads in the tests that it fails: `adds=dict(mul="A")`."""
    fingerprints = {}
    for name, marks in mistakes.items():
        for test, mark in marks.items():
            fingerprints.setdefault(test, {}).setdefault(mark, []).append(name)
    return Known(dict.fromkeys(mistakes, ""), fingerprints)


def named(failing, run, known):
    """What is named where each failing test reads so, under every order of sets."""
    return diagnose({test: {mark} for test, mark in failing.items()}, run, known)


def by(tests, mistakes):
    """Each of these tests is explained by these mistakes."""
    return {test: list(mistakes) for test in tests}


ADDS = {"mul/1": "A1", "mul/2": "A2", "expression/1": "A3"}
SWAPS = {"tanh/1": "S1", "tanh/2": "S2"}
RUN = {"mul/1", "mul/2", "expression/1", "tanh/1", "tanh/2", "add/1"}


def test_one_mistake():
    """Every test that it fails is explained by it."""
    assert named(ADDS, RUN, known(adds=ADDS, swaps=SWAPS)) == by(ADDS, ["adds"])


def test_two_mistakes():
    """In different tests: each explains its own."""
    assert named(ADDS | SWAPS, RUN, known(adds=ADDS, swaps=SWAPS)) == by(ADDS, ["adds"]) | by(
        SWAPS, ["swaps"]
    )


def test_two_mistakes_that_meet():
    """Where both touch a test it reads as neither does; that test alone is left out."""
    swaps = SWAPS | {"expression/1": "S3"}
    failing = ADDS | swaps | {"expression/1": "both at once"}

    found = named(failing, RUN, known(adds=ADDS, swaps=swaps))

    assert found == {"mul/1": ["adds"], "mul/2": ["adds"], "tanh/1": ["swaps"], "tanh/2": ["swaps"]}


OPERATIONS = {
    "add_flips": {"add/1": "A1", "add/2": "A2", "add/3": "A5", "mixed/1": "A3"},
    "add_halves": {"add/1": "H1", "add/2": "H2", "mixed/1": "H3"},
    "mul_swaps": {"mul/1": "M1", "mul/2": "M2", "mul/3": "M5", "mixed/1": "M3"},
    "mul_forgets": {"mul/1": "F1", "mul/2": "F2", "mixed/1": "F3", "mixed/2": "F4"},
}
ALL_TESTS = {"add/1", "add/2", "add/3", "mul/1", "mul/2", "mul/3", "mixed/1", "mixed/2"}
BOTH_ALONE = {"add/1": "A1", "add/2": "A2", "add/3": "A5", "mul/1": "M1", "mul/2": "M2", "mul/3": "M5"}
BOTH_NAMED = {test: ["add_flips" if test.startswith("add") else "mul_swaps"] for test in BOTH_ALONE}


def test_two_mistakes_that_cancel():
    """Where both act it may come out right: that speaks against neither."""
    assert named(BOTH_ALONE, ALL_TESTS, known(**OPERATIONS)) == BOTH_NAMED


def test_a_mistake_that_shows_only_beside_another():
    """× has a part in mixed/2, though this mistake passes it alone; beside another one it need not."""
    mistakes = OPERATIONS | {"add_flips": OPERATIONS["add_flips"] | {"mixed/2": "A4"}}
    failing = BOTH_ALONE | {"mixed/1": "?", "mixed/2": "?"}

    assert named(failing, ALL_TESTS, known(**mistakes)) == BOTH_NAMED


def test_a_test_of_one_operation_decides():
    """Where a mistake acts alone it must read exactly, every time."""
    failing = BOTH_ALONE | {"mul/2": "?", "mixed/1": "?"}

    assert "mul_swaps" not in named(failing, ALL_TESTS, known(**OPERATIONS)).get("mul/1", [])


def test_two_mistakes_in_one_operation_are_not_put_together():
    """Each explains a half of what an unknown one does: that is chance."""
    failing = {"add/1": "A1", "add/2": "H2", "mixed/1": "?"}

    assert named(failing, ALL_TESTS, known(**OPERATIONS)) == {}


def test_something_fails_that_neither_would_fail():
    """Then a third one is at work, which nobody knows; the two are named where they are certain."""
    failing = BOTH_ALONE | {"mixed/1": "A3", "other/1": "?"}

    assert named(failing, ALL_TESTS | {"other/1"}, known(**OPERATIONS)) == BOTH_NAMED | {
        "mixed/1": ["add_flips"]
    }


def test_a_mistake_in_what_acts_everywhere():
    """Every test walks; beside a walk that is wrong only in deep graphs, shallow ones read as the other mistake."""
    walks = {
        "backward_seedless": dict.fromkeys(ALL_TESTS, "Z"),
        "backward_shallow": {"add/3": "W1", "mul/3": "W2", "mixed/1": "W3"},
    }
    failing = {"add/1": "A1", "add/2": "A2", "add/3": "?", "mul/3": "W2", "mixed/1": "?"}

    found = named(failing, ALL_TESTS, known(**OPERATIONS, **walks))

    assert found == by(["add/1", "add/2"], ["add_flips"]) | by(["mul/3"], ["backward_shallow"])


def test_nothing_failing():
    """Nothing to say."""
    assert named({}, RUN, known(adds=ADDS)) == {}


def test_nothing_known():
    """A course without fingerprints."""
    assert named(ADDS, RUN, known()) == {}


def test_an_unknown_mistake_alone():
    """Silence, never the nearest guess."""
    assert named({"mul/1": "?", "mul/2": "?"}, RUN, known(adds=ADDS)) == {}


def test_a_mistake_that_fits_only_here_and_there():
    """It reads the same in one test and something else in the next one: not this mistake."""
    failing = ADDS | {"mul/2": "?"}

    assert named(failing, RUN, known(adds=ADDS)).get("mul/2") is None
    assert named({"mul/1": "A1", "mul/2": "?"}, RUN - {"expression/1"}, known(adds=ADDS)) == {}


def test_a_mistake_that_would_fail_more():
    """It fails a test that passed: not this mistake."""
    assert named({"mul/1": "A1", "mul/2": "A2"}, RUN, known(adds=ADDS)) == {}


def test_tests_that_are_still_to_do_say_nothing():
    """What was not judged neither speaks for a mistake nor against it."""
    run = RUN - {"expression/1"}

    assert named({"mul/1": "A1", "mul/2": "A2"}, run, known(adds=ADDS)) == {
        "mul/1": ["adds"],
        "mul/2": ["adds"],
    }


def test_a_known_mistake_beside_an_unknown_one():
    """The known one is named where it explains its checks; the other tests stay silent."""
    failing = ADDS | {"tanh/1": "?", "tanh/2": "?"}

    assert named(failing, RUN, known(adds=ADDS, swaps=SWAPS)) == by(ADDS, ["adds"])


def test_a_known_mistake_under_an_unknown_one():
    """Where the unknown one touches one of its checks too, it is named in the checks that it explains whole."""
    failing = ADDS | {"expression/1": "?", "tanh/1": "?"}

    assert named(failing, RUN, known(adds=ADDS)) == {"mul/1": ["adds"], "mul/2": ["adds"]}


def test_two_mistakes_that_read_alike():
    """What cannot be told apart is not named."""
    assert named(ADDS, RUN, known(adds=ADDS, also_adds=ADDS)) == {}


def test_ambiguous_beside_clear():
    """Only what every explanation has in common is named."""
    found = named(ADDS | SWAPS, RUN, known(adds=ADDS, swaps=SWAPS, also_swaps=SWAPS))

    assert found == by(ADDS, ["adds"])


def test_the_mistake_that_explains_more_is_named():
    """One mistake in all of them, rather than a second one in some of them besides."""
    part = {"mul/1": "A1"}

    assert named(ADDS, RUN, known(adds=ADDS, part=part)) == by(ADDS, ["adds"])


def test_one_mistake_rather_than_two():
    """The smallest set that explains everything."""
    halves = {"left": {"mul/1": "A1", "mul/2": "A2"}, "right": {"expression/1": "A3"}}

    assert named(ADDS, RUN, known(adds=ADDS, **halves)) == by(ADDS, ["adds"])


def test_three_mistakes():
    """As many as are looked for together."""
    signs = {"add/1": "N1", "add/2": "N2"}
    run = RUN | set(signs)

    found = named(ADDS | SWAPS | signs, run, known(adds=ADDS, swaps=SWAPS, signs=signs))

    assert {mistake for ids in found.values() for mistake in ids} == {"adds", "swaps", "signs"}
    assert set(found) == set(ADDS) | set(SWAPS) | set(signs)


def test_a_mistake_reads_alike_under_every_order():
    """A test that reads as one mistake under one order of sets and as another under the next is neither."""
    both = known(adds={"mul/1": "A1"}, swaps={"mul/1": "S1"})

    assert diagnose({"mul/1": {"A1", "S1"}}, RUN, both) == {}
    assert diagnose({"mul/1": {"A1"}}, RUN, both) == {"mul/1": ["adds"]}


def test_the_order_of_the_files_does_not_matter():
    """The same words for the same readings."""
    mistakes = {"adds": ADDS, "swaps": SWAPS, "also": SWAPS}

    forward = named(ADDS | SWAPS, RUN, known(**mistakes))
    backward = named(dict(reversed((ADDS | SWAPS).items())), RUN, known(**dict(reversed(mistakes.items()))))

    assert forward == backward


def test_many_known_mistakes_that_match_one_test_each():
    """Looking for groups of them comes to an end."""
    mistakes = {f"m{i:03}": {f"check{i}/1": "X"} for i in range(200)}
    failing = {f"check{i}/1": "X" for i in range(200)}

    assert set(named(failing, set(failing), known(**mistakes))) <= set(failing)


# --- Files


def write(path, **content):
    path.write_text(json.dumps({"format": 1, "mistakes": {}, "fingerprints": {}} | content), encoding="utf-8")
    return path


def test_several_files_are_one(tmp_path):
    """The visible side's and the hidden side's; the words may be in both."""
    visible = write(
        tmp_path / "a.json", mistakes={"adds": "Adds."}, fingerprints={"mul/visible/1": {"A": ["adds"]}}
    )
    hidden = write(
        tmp_path / "b.json", mistakes={"adds": "Adds."}, fingerprints={"mul/hidden/1": {"B": ["adds"]}}
    )

    both = read_known([visible, hidden])

    assert both.words == {"adds": "Adds."}
    assert both.failing("adds") == {"mul/visible/1", "mul/hidden/1"}


def test_an_absent_file_knows_nothing(tmp_path):
    """As on a student's machine."""
    assert read_known([tmp_path / "nothing.json"]) == Known({}, {})
    assert read_known([]) == Known({}, {})


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "5", "{}", '{"format": 1}', '{"format": "1", "mistakes": {}, "fingerprints": {}}',
        '{"format": 1, "mistakes": [], "fingerprints": {}}', '{"format": 1, "mistakes": {}, "fingerprints": {"t": ["a"]}}',
        '{"format": 1, "mistakes": {"a": 5}, "fingerprints": {}}', '{"format": 1, "mistakes": {}, "fingerprints": {}, "more": 1}',
        "\ufeff{", "\x00",
    ],
)  # fmt: skip
def test_a_file_that_is_not_of_the_format(tmp_path, text):
    """The error names it and what to do."""
    path = tmp_path / "mistakes.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(Broken, match=r"not a fingerprint file: .*; run `grade stub` again") as caught:
        read_known([path])

    assert str(caught.value).startswith(f"{path}: ")


def test_bytes_that_are_no_text(tmp_path):
    """The same."""
    path = tmp_path / "mistakes.json"
    path.write_bytes(b'{"format": 1, "mistakes": {"\xff": ""}, "fingerprints": {}}')

    with pytest.raises(Broken, match="not a fingerprint file"):
        read_known([path])


def test_a_file_of_another_format(tmp_path):
    """A later version's is not guessed at."""
    path = write(tmp_path / "mistakes.json", format=2)

    with pytest.raises(Broken, match=r"mistakes.json: .*format 2"):
        read_known([path])


def test_a_fingerprint_of_a_mistake_without_words(tmp_path):
    """It could not be told; that is found when the file is read, not when a student's work is graded."""
    path = write(tmp_path / "mistakes.json", fingerprints={"mul/visible/1": {"A": ["adds"]}})

    with pytest.raises(Broken, match=r"mistakes.json: .*adds"):
        read_known([path])

"""Answers: their written form, the answer key, sealing and judging."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from grader.errors import Broken, Refused
from grader.grading.answerkey import (
    Answer,
    KnownWrongValue,
    faults,
    lays_open,
    read_answers,
    seal_answer,
    seal_answers,
)
from grader.grading.answers import (
    SealedAnswer,
    WrongAnswer,
    canonical_value,
    make_tables,
    read_tables,
    verdict_words,
)
from grader.grading.sealed import SealedFile, mark, read_sealed, seal, sealed_text, unseal
from grader.sandbox.student import HalfWritten

SALT = "sea"
PRODUCT = Answer(
    "product_grads",
    {"a": -3, "b": 2, "c": 1, "d": 1},
    (
        KnownWrongValue({"a": 2, "b": -3}, "In product_grads a and b are exchanged."),
        KnownWrongValue({"a": 2}, "a has its own value."),
        KnownWrongValue({"c": 10}, "c's gradient is its value."),
    ),
    after="× swaps.",
)


def sealed(answer: Answer) -> SealedAnswer:
    return SealedAnswer(answer.name, SALT, seal_answer(answer, SALT))


def is_right(right: Any, value: Any, **options: Any) -> bool:
    verdict = sealed(Answer("x", right, **options)).judge(value)
    return not verdict.wrong and not verdict.blank


# --- The written form


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (6, "6"),
        (6.0, "6"),
        (-0.0, "0"),
        (0.30000000000000004, "0.3"),
        (1 / 3, "0.333333"),
        (1500000, "1500000"),
        (9.313e-10, "9.313E-10"),
        (True, "true"),
        ("  falls ", '"falls"'),
        ("6", '"6"'),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_one_written_form(value: float | str, form: str) -> None:
    assert form == canonical_value(value, 6)


@pytest.mark.parametrize(
    ("right", "value", "digits"),
    [
        (1, 0.9999999, 6),
        (0.5, 0.49999, 4),
        (0.5, 0.50005, 4),
        (4.32194, 4.32, 3),
        (9.313e-10, 9.3e-10, 3),
        (0, 1e-16, 6),
        (0.1, 0.3 - 0.2, 6),
        (-1.8, -1.7999999999999998, 6),
        (10**40, 1e40, 6),
    ],
)
def test_numbers_that_are_near_enough(right: float, value: float, digits: int) -> None:
    assert is_right(right, value, digits=digits)


@pytest.mark.parametrize(
    ("right", "value", "digits"),
    [
        (1, 1.001, 6),
        (0, 1e-9, 6),
        (4.32194, 4.34, 3),
        (9.313e-10, 0.0, 3),
        (6, -6, 6),
        (1, 10, 1),
        (2, 1e400, 6),
    ],
)
def test_numbers_that_are_not(right: float, value: float, digits: int) -> None:
    assert not is_right(right, value, digits=digits)


# --- Judging


def test_every_part_has_a_verdict_of_its_own(snapshot) -> None:
    value = {"a": 3, "b": 2, "c": 1, "d": 1.0}

    verdict = sealed(PRODUCT).judge(value)

    assert verdict.right == ["b", "c", "d"]
    assert verdict.wrong == ["a"]
    assert verdict_words("product_grads", verdict, "") == snapshot


def test_the_entries_of_a_known_wrong_value_open_its_words(snapshot) -> None:
    """The known value about more entries replaces the one about fewer."""
    verdict = sealed(PRODUCT).judge({"a": 2, "b": -3, "c": 10.0, "d": 1})

    assert [words for _, words in verdict.notes] == snapshot
    assert [name for name, _ in verdict.notes] == snapshot


def test_another_wrong_value_opens_nothing() -> None:
    assert sealed(PRODUCT).judge({"a": 7, "b": 7, "c": 7, "d": 7}).notes == []


def test_wrong_entries_that_the_author_did_not_foresee_are_odd() -> None:
    """`grade copies` compares them; those of a known wrong value are none."""
    verdict = sealed(PRODUCT).judge({"a": 7, "b": 17, "c": 10, "d": 1})

    assert verdict.odd == ("a = 7", "b = 17")


def test_after_a_right_answer_comes_why() -> None:
    assert (
        sealed(PRODUCT).judge({"a": -3.0000000001, "b": 2, "c": 1, "d": 1}).after
        == "`product_grads`: × swaps."
    )


def test_a_blank_entry_is_neither_right_nor_wrong() -> None:
    half = HalfWritten("product_grads", {"a": 2, "b": ..., "c": 1, "d": 1})

    verdict = sealed(PRODUCT).judge(half)

    assert (verdict.right, verdict.wrong, verdict.blank, verdict.after) == (["c", "d"], ["a"], True, "")


def test_lists_go_by_entry(snapshot) -> None:
    value = [2, 3, [4, 6]]

    verdict = sealed(Answer("sizes", [2, 3, [4, 5]])).judge(value)

    assert verdict_words("sizes", verdict, "") == snapshot


@pytest.mark.parametrize("value", [["c", "b"], ("b", "c"), {"b", "c"}, ["b ", "c"]])
def test_names_in_any_order(value: object) -> None:
    assert is_right(["b", "c"], value, any_order=True)


@pytest.mark.parametrize("value", [["b"], ["b", "c", "c"], ["a", "b", "c"]])
def test_other_names_in_any_order(value: object) -> None:
    assert not is_right(["b", "c"], value, any_order=True)


@pytest.mark.parametrize(
    ("right", "value", "words"),
    [
        (3, "3", "`x` is the text '3'; it must be a number: write 3."),
        (3, True, "`x` is True; it must be a number."),
        (3, [3], "`x` is the list [3]; it must be a number."),
        ("b", 2, "`x` is the number 2; it must be a text in quotes."),
        (True, "yes", "`x` is the text 'yes'; it must be True or False."),
        (
            {"a + a": 1, "b": 2},
            3,
            "`x` is the number 3; it must be a dictionary with the keys 'a + a' and 'b'.",
        ),
        (
            {"a": 1, "b": 2},
            {"a": 1},
            "`x` is the dictionary {'a': 1}; it must be a dictionary with the keys 'a' and 'b'.",
        ),
        ({1: 1, 2: 2}, {}, "`x` is the dictionary {}; it must be a dictionary with the keys 1 and 2."),
        ({"a": 1}, {"a": "1"}, "`x['a']` is the text '1'; it must be a number: write 1."),
        ([1, 2], [1], "`x` is the list [1]; it must be a list of 2 entries."),
        (3, "-1,8", "`x` is the text '-1,8'; it must be a number: write -1.8."),
        (3, "2, 3", "`x` is the text '2, 3'; it must be a number."),
    ],
)
def test_another_kind_of_value(right: Any, value: object, words: str) -> None:
    with pytest.raises(WrongAnswer) as error:
        sealed(Answer("x", right)).judge(value)

    assert str(error.value) == words


def test_a_list_in_any_order_is_asked_for() -> None:
    with pytest.raises(WrongAnswer, match="`x` is the text 'b'; it must be a list of texts in quotes"):
        sealed(Answer("x", ["b", "c"], any_order=True)).judge("b")


# --- Sealing


def test_nothing_of_an_answer_stands_in_the_sealed_file() -> None:
    """Two entries with one value have two marks: equal ones would say something."""
    text = sealed_text(SealedFile(SALT, seal_answers({"product_grads": PRODUCT}, SALT)["visible"]))

    assert "exchanged" not in text
    assert "swaps" not in text
    marks = json.loads(text)["answers"]["product_grads"]["right"]
    assert len(set(marks.values())) == 4
    assert text.count("\n") == 4  # one line an item


def test_letters_are_blind_unless_the_author_says_otherwise() -> None:
    choice = {"quiz": Answer("quiz", "D", (KnownWrongValue("A", "No."),), letters="ABCD")}

    blind, shown = seal_answers(choice, SALT), seal_answers(choice, SALT, blind=False)

    assert blind["visible"] == {"quiz": {"letters": "ABCD"}}
    assert blind["hidden"] == {"quiz": shown["visible"]["quiz"]}
    assert shown["hidden"] == {}
    tables = make_tables(blind, SALT)
    assert tables["visible"]["quiz"].blind
    assert tables["hidden"]["quiz"].judge("D").right == ["quiz"]


def test_a_sealed_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    items = seal_answers({"product_grads": PRODUCT}, SALT)["visible"]
    (tmp_path / "sealed.json").write_text(sealed_text(SealedFile(SALT, items, {"slip": "kept"})))

    assert read_sealed(tmp_path / "sealed.json").mistakes == {"slip": "kept"}
    table = read_tables({"visible": tmp_path})["visible"]
    assert table["product_grads"].judge(PRODUCT.right).wrong == []


def test_an_absent_sealed_file_holds_nothing(tmp_path: Path) -> None:
    assert read_tables({"visible": tmp_path}) == {"visible": {}}


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"format": 1, "answers": {"x": 3}}', '{"format": 9}', '{"format": 1, "marks": {}}'],
)
def test_a_damaged_sealed_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "sealed.json").write_text(text)

    with pytest.raises(Broken, match="`grade stub`"):
        read_tables({"visible": tmp_path})


def test_a_damaged_box_costs_its_words_alone() -> None:
    whole = seal_answer(PRODUCT, SALT)
    damaged = msgspec.structs.replace(
        whole, after="~", wrong=[msgspec.structs.replace(item, box="~~") for item in whole.wrong]
    )
    answer = SealedAnswer("product_grads", SALT, damaged)

    assert answer.judge(PRODUCT.right).after == ""
    assert answer.judge(PRODUCT.right | {"c": 10}).notes == []


def test_half_a_character_is_a_text_like_any_other() -> None:
    assert not is_right("b", "\ud800")


# --- The answer key


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "answers.yaml"


def test_the_answer_key(key: Path) -> None:
    key.write_text(
        "quiz: {right: D, wrong: {A: No gradient arrives., B: It does.}}\n"
        "sizes:\n  right: {a: 3, b: 0.5}\n  digits: 3\n"
        "  wrong:\n    - {value: {a: 4}, words: One too many.}\n  after: Counted.\n"
    )

    answers = read_answers(key)

    assert answers["quiz"].letters == "ABCD"
    assert answers["quiz"].wrong[1] == KnownWrongValue("B", "It does.")
    assert answers["sizes"] == Answer(
        "sizes", {"a": 3, "b": 0.5}, (KnownWrongValue({"a": 4}, "One too many."),), "Counted.", 3
    )


def test_an_assignment_may_have_no_answers(key: Path) -> None:
    assert read_answers(key) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- 3", "write a table: the name of an answer, and below it `right: ...`"),
        ("x: 3", "`x` has no right value; add a line `right: ...` below it"),
        ("x: {after: so}", "`x` has no right value; add a line `right: ...` below it"),
        ("quiz-1: {right: 3}", "`quiz-1` is not a name that a notebook can define; correct it"),
        ("x: {right: 3, wrongs: {}}", "has the unknown key `wrongs` (did you mean `wrong`?)"),
        ("x: {right: }", "`x` holds None; write a number, a text in quotes, true or false"),
        ("x: {right: []}", "`x` has an empty value; write what belongs in it"),
        ("x: {right: 1e-3}", "`x` holds the text '1e-3'; as a number it is written like 0.5 or 5.0e-1"),
        ("x: {right: 3, wrong: {1/3: Upside down.}}", "`x` holds the text '1/3'"),
        ("x: {right: 3, wrong: {4: }}", "`x` has a wrong value without words"),
        ("x: {right: 3, wrong: [4]}", "`x` has under `wrong` the item 4; write `{value: ..., words: ...}`"),
        ("x: {right: 3, wrong: 4}", "`x` has a `wrong` that is not a table"),
        ("x: {right: 3, digits: 0}", "`x` has `digits: 0`; write a whole number from 1 to 15"),
        ("x: {right: D, letters: ABC}", "`x` has the letters `ABC`"),
        ("x: {right: 3, any_order: true}", "`x` has `any_order: True`; write true or false; only a list"),
        ("x: {right: 3\n", "this is not valid YAML"),
        ("x: {right: 3}\nx: {right: 4}", "line 2: `x` is written twice"),
    ],
)
def test_what_is_wrong_with_the_answer_key_is_said(key: Path, text: str, words: str) -> None:
    key.write_text(text)

    with pytest.raises(Refused) as error:
        read_answers(key)

    assert str(error.value).startswith(str(key))
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("x", 3, (KnownWrongValue(3.0, "No."),)), "it counts as right; take it out"),
        (
            Answer("x", 3, (KnownWrongValue("c", "No."),)),
            "no answer of this kind is judged: `x` is the text 'c'; it must be a number",
        ),
        (Answer("x", {"a": 3}, (KnownWrongValue({"b": 3}, "No."),)), "no answer of this kind is judged"),
        (
            Answer("x", 3, (KnownWrongValue(4, "No."), KnownWrongValue(4.0, "Never."))),
            "its words never appear",
        ),
        (
            Answer("x", 3, (KnownWrongValue(4, "It is 3, not 4."),)),
            "its words hold the right value, 3; say it without",
        ),
        (
            Answer("x", {"a": 3, "b": 1}, (KnownWrongValue({"a": 4}, "The slope is 3.0."),)),
            "hold the right value, 3",
        ),
        (
            Answer("x", "D", (KnownWrongValue("A", "Read D again."),), letters="ABCD"),
            'hold the right value, "D"',
        ),
        (Answer("x", "D", (KnownWrongValue("E", "No."),), letters="ABCD"), "it is none of the letters ABCD"),
        (Answer("x", "a", (KnownWrongValue("b", 'The leaf "a" has more.'),)), 'hold the right value, "a"'),
    ],
)
def test_a_known_wrong_value_that_is_none_is_named(answer: Answer, words: str) -> None:
    (fault,) = faults({"x": answer}, SALT)

    assert fault.startswith("`x`, wrong value ")
    assert words in fault


SHAPE = Answer(
    "shape",
    [4, 2],
    (
        KnownWrongValue([4], "An axis is lost."),
        KnownWrongValue("error", "The shapes fit."),
        KnownWrongValue([4, 1], "The 1 is repeated."),
        KnownWrongValue([[4, 2]], "There is a list in the list."),
    ),
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ((4,), "An axis is lost."),
        ("error", "The shapes fit."),
        ([[4, 2]], "There is a list in the list."),
        ([4, 2, 1], ""),
        ("fits", ""),
    ],
)
def test_a_list_of_another_length_is_wrong_and_may_be_known(value: object, words: str) -> None:
    with pytest.raises(WrongAnswer, match="which is not right") as error:
        sealed(SHAPE).judge(value)

    assert [note for _, note in error.value.notes] == ([f"`shape`: {words}"] if words else [])
    assert list(faults({"shape": SHAPE}, SALT)) == []


def test_without_such_a_known_value_the_length_is_told() -> None:
    with pytest.raises(WrongAnswer, match="it must be a list of 2 entries"):
        sealed(Answer("x", [4, 2], (KnownWrongValue([4, 1], "The 1 is repeated."),))).judge([4])


@pytest.mark.parametrize(("right", "said"), [(4e-7, True), (0.3, False), (0, False)])
def test_a_small_number_that_was_rounded_to_0_is_told(right: float, said: bool) -> None:  # noqa: FBT001
    """Nothing is said of a number that is not so small, whose 0 was no rounding."""
    verdict = sealed(Answer("x", {"a": right, "b": 1}, digits=2)).judge({"a": 0.0, "b": 2})

    words = "`x`: 0 is a rounding: the number is small, and not 0. Its first two digits are asked for, as in 4.2e-13."
    assert [told for _, told in verdict.notes] == ([words] if said else [])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("4,2", "`shape` is the text '4,2', which is not right. Numbers take no quotes: (4, 2)."),
        (8, "`shape` is the number 8, which is not right."),
        (None, "`shape` is None, which is not right."),
        ({4: 2}, "`shape` is the dictionary {4: 2}, which is not right."),
    ],
)
def test_a_value_of_another_kind_does_not_give_away_the_shape(value: object, words: str) -> None:
    with pytest.raises(WrongAnswer) as error:
        sealed(SHAPE).judge(value)

    assert str(error.value) == words


def test_an_array_is_judged_as_a_list() -> None:
    assert is_right([[1, 2], [3, 4]], np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_a_sound_answer_key_has_no_faults() -> None:
    others = [Answer("leaf", "a", (KnownWrongValue("b", "A leaf may have a small value."),)), PRODUCT]

    assert list(faults({a.name: a for a in others}, SALT)) == []


@pytest.mark.parametrize(
    "text",
    [
        'product_grads = {"a": -3, "b": 2, "c": 1, "d": 1}',
        '    product_grads = {"a": -3.0, "b": 2.0, "c": 1, "d": 1}  # so',
        "`product_grads`: {'a': -3, 'b': 2, 'c': 1, 'd': 1}.",
        "In product_grads a\n   and b are exchanged.",
        "Today × swaps.",
    ],
)
def test_what_lays_an_answer_open_is_found(text: str) -> None:
    assert lays_open(f"Before.\n{text}\nAfter.", {"product_grads": PRODUCT}) == ["product_grads"]


@pytest.mark.parametrize(
    "text",
    [
        'product_grads = ...  # a dictionary with the keys "a", "b"',
        "- `product_grads`: the gradients of a, b",
    ],
)
def test_what_asks_for_an_answer_is_left_alone(text: str) -> None:
    assert lays_open(text, {"product_grads": PRODUCT}) == []


def test_a_salt_is_in_each_mark_and_box():
    """A table of marks of likely values, made for one course, knows none of another's."""
    assert mark("salt", "value") != mark("other", "value")
    assert seal("salt", "value", "words") != seal("other", "value", "words")


def test_long_words_are_sealed_deflated():
    """What another value opens is no text, or fails."""
    words = "The second contribution overwrote the first. " * 9

    box = seal("salt", "right", words)

    assert len(box) < len(words) / 4
    assert unseal("salt", "right", box) == words
    assert unseal("salt", "right", seal("salt", "right", "é")) == "é"
    with pytest.raises(ValueError, match=r".+"):
        unseal("salt", "wrong", seal("salt", "right", "ü" * 40))

"""The answer key: reading `answers.yaml`, sealing it, and finding its faults.

quiz_dd_da:
right: 15
wrong:
9: This is the contribution through c alone. Both paths reach a.
after: Rates multiply along a path, and what the paths bring is added.
"""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Refused, nearest
from grader.grading.answers import (
    DIGITS,
    Path_,
    SealedAnswer,
    SealedValue,
    SealedWrong,
    WrongAnswer,
    canonical_value,
    entry_key,
    form_of,
    plain_parts,
    step_of,
    value_kind,
)
from grader.grading.sealed import mark, seal
from grader.manifest import read_yaml
from grader.sandbox.kinds import COUNTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

SOURCE = "answers.yaml"
MOST_DIGITS = 15
ROUNDED = 1e-4  # a smaller number is easily rounded to 0
LETTERS = "ABCD"


@dataclass(frozen=True)
class KnownWrongValue:
    """A known wrong value, or some entries of one, and the words for a student who has it."""

    value: Any
    words: str


@dataclass(frozen=True)
class Answer:
    """An answer as answers.yaml has it. `letters` are those of a choice, empty for anything else."""

    name: str
    right: Any
    wrong: tuple[KnownWrongValue, ...] = ()
    after: str = ""
    digits: int = DIGITS
    letters: str = ""
    any_order: bool = False


KEYS = ("right", "wrong", "after", "digits", "letters", "any_order")
_NO_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+|\s*/\s*\d+)")  # a number to the author, a text to YAML


def read_answers(path: Path) -> dict[str, Answer]:
    """Return the answers of a file by name; none if the file is missing. Raises Refused."""
    if not path.is_file():
        return {}
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise Refused(f"{path}: write a table: the name of an answer, and below it `right: ...`")
    return {name: _answer(path, name, spec) for name, spec in data.items()}


def _answer(path: Path, name: object, spec: object) -> Answer:
    if not isinstance(name, str) or not name.isidentifier():
        raise Refused(f"{path}: `{name}` is not a name that a notebook can define; correct it")

    def refuse(what: str, remedy: str) -> Refused:
        return Refused(f"{path}: `{name}` {what}; {remedy}")

    if not isinstance(spec, dict) or "right" not in spec:
        raise refuse("has no right value", "add a line `right: ...` below it")
    if unknown := [key for key in spec if key not in KEYS]:
        near = nearest(str(unknown[0]), list(KEYS))
        raise refuse(f"has the unknown key `{unknown[0]}`{near}", f"valid keys: {', '.join(KEYS)}")
    right, letters = spec["right"], spec.get("letters", "")
    if not letters and isinstance(right, str) and re.fullmatch("[A-Z]", right):
        letters = LETTERS
    digits, any_order = spec.get("digits", DIGITS), spec.get("any_order", False)
    if type(digits) is not int or not 1 <= digits <= MOST_DIGITS:
        raise refuse(f"has `digits: {digits}`", f"write a whole number from 1 to {MOST_DIGITS}")
    if not isinstance(letters, str) or (letters and right not in list(letters)):
        raise refuse(
            f"has the letters `{letters}`", "write them like `letters: ABC`, the right one among them"
        )
    if not isinstance(any_order, bool) or (any_order and not isinstance(right, list)):
        raise refuse(f"has `any_order: {any_order}`", "write true or false; only a list has an order")
    if (after := spec.get("after", "")) and not isinstance(after, str):
        raise refuse("has an `after` that is not text", "write a sentence in quotes")
    for value in [right, *(value for value, _ in _pairs_of(spec.get("wrong"), refuse))]:
        _refuse_value(value, refuse, plain=any_order)
    wrong = tuple(
        KnownWrongValue(value, _sentence(words, refuse))
        for value, words in _pairs_of(spec.get("wrong"), refuse)
    )
    return Answer(name, right, wrong, " ".join(after.split()), digits, letters, any_order)


def _pairs_of(wrong: object, refuse: Callable[[str, str], Refused]) -> list[tuple[Any, Any]]:
    """Return (value, words) of each known wrong value, in either of the two ways of writing them."""
    if wrong is None:
        return []
    if isinstance(wrong, dict):
        return list(wrong.items())
    if not isinstance(wrong, list):
        raise refuse("has a `wrong` that is not a table", "write `wrong: {9: the words for 9}`")
    for item in wrong:
        if not isinstance(item, dict) or set(item) != {"value", "words"}:
            raise refuse(f"has under `wrong` the item {item!r:.60}", "write `{value: ..., words: ...}`")
    return [(item["value"], item["words"]) for item in wrong]


def _sentence(words: object, refuse: Callable[[str, str], Refused]) -> str:
    if not isinstance(words, str) or not words.strip():
        raise refuse("has a wrong value without words", "write a sentence in quotes, which the student reads")
    return " ".join(words.split())


def _refuse_value(value: object, refuse: Callable[[str, str], Refused], *, plain: bool) -> None:
    """Raise Refused for a value that cannot be compared with a student's value."""
    if isinstance(value, dict | list):
        if not value:
            raise refuse("has an empty value", "write what belongs in it")
        for item in value.values() if isinstance(value, dict) else value:
            if plain and not value_kind(item):
                raise refuse(f"holds {item!r:.60}", "with `any_order: true` write plain numbers or texts")
            _refuse_value(item, refuse, plain=False)
    elif not value_kind(value) or (isinstance(value, float) and not math.isfinite(value)):
        raise refuse(f"holds {value!r:.60}", "write a number, a text in quotes, true or false")
    elif isinstance(value, str) and _NO_NUMBER.fullmatch(value):
        raise refuse(f"holds the text {value!r}", "as a number it is written like 0.5 or 5.0e-1")


# --- Sealing


def public_salt(secret: str) -> str:
    """Return the public salt of sealed files, made from the secret salt of the hidden checks."""
    return mark(secret, "sealed.json")


def seal_answers(
    answers: Mapping[str, Answer], salt: str, *, blind: bool = True
) -> dict[str, dict[str, Any]]:
    """Return the answers for each sealed.json, by visibility; `blind` letters only for the hidden one."""
    sealed_of: dict[str, dict[str, Any]] = {"visible": {}, "hidden": {}}
    for name, answer in answers.items():
        hide = blind and bool(answer.letters)
        sealed = msgspec.to_builtins(seal_answer(answer, salt))
        sealed_of["visible"][name] = {"letters": answer.letters} if hide else sealed
        if hide:
            sealed_of["hidden"][name] = sealed
    return sealed_of


def seal_answer(answer: Answer, salt: str) -> SealedValue:
    """Return an answer with marks and boxes."""
    known = [(_forms_by_path(answer, item.value), item.words) for item in answer.wrong]
    wrong = []
    for forms, words in [*_round_to_zero(answer), *known]:
        key = entry_key(answer.name, "wrong", forms)
        wrong.append(SealedWrong([list(path) for path in forms], mark(salt, key), seal(salt, key, words)))
    key = entry_key(answer.name, "right", _forms_by_path(answer, answer.right))
    return SealedValue(
        right=_marks(answer, answer.right, (), salt),
        digits=answer.digits,
        letters=answer.letters,
        wrong=wrong,
        after=seal(salt, key, answer.after) if answer.after else "",
    )


def _round_to_zero(answer: Answer) -> Iterator[tuple[dict[Path_, str], str]]:
    """Yield a known wrong value for tiny right numbers: 0, to which a student may round them."""
    digits = f"{COUNTS[answer.digits]} digits are" if answer.digits > 1 else "one digit is"
    words = f"0 is a rounding: the number is small, and not 0. Its first {digits} asked for, as in 4.2e-13."
    for path, part in () if answer.any_order else plain_parts(answer.right):
        if value_kind(part) == "number" and 0 < abs(part) < ROUNDED:
            yield {path: canonical_value(0, answer.digits)}, words


def _marks(answer: Answer, value: Any, path: Path_, salt: str) -> Any:
    if isinstance(value, dict):
        return {
            step_of(key): _marks(answer, item, (*path, step_of(key)), salt) for key, item in value.items()
        }
    if isinstance(value, list) and not answer.any_order:
        return [_marks(answer, item, (*path, str(i)), salt) for i, item in enumerate(value)]
    kind = f"{value_kind(value[0])}s" if isinstance(value, list) else value_kind(value)
    return f"{kind} {mark(salt, entry_key(answer.name, 'entry', {path: form_of(value, answer.digits)}))}"


def _forms_by_path(answer: Answer, value: Any) -> dict[Path_, str]:
    if answer.any_order:
        return {(): form_of(value, answer.digits)}
    return {path: canonical_value(part, answer.digits) for path, part in plain_parts(value)}


# --- Faults


def faults(answers: Mapping[str, Answer], salt: str) -> Iterator[str]:
    """Yield the faults of the answers; each text names the answer and the remedy."""
    for answer in answers.values():
        sealed = SealedAnswer(answer.name, salt, seal_answer(answer, salt))
        if sealed.judge(answer.right).wrong:
            yield f"`{answer.name}`: its own right value does not pass; correct `right`"
            continue
        for item in answer.wrong:
            if fault := _fault(answer, sealed, item):
                yield f"`{answer.name}`, wrong value {item.value!r:.60}: {fault}"


def _fault(answer: Answer, sealed: SealedAnswer, item: KnownWrongValue) -> str:
    value = item.value
    if isinstance(answer.right, dict) and isinstance(value, dict):
        value = answer.right | value
    if answer.letters and item.value not in list(answer.letters):
        return f"it is none of the letters {answer.letters}; correct it"
    try:
        verdict = sealed.judge(value)
    except WrongAnswer as error:
        notes = error.notes
        if not notes:
            return f"no answer of this kind is judged: {error}"
    else:
        notes = verdict.notes
        if not verdict.wrong:
            return "it counts as right; take it out, or compare more digits (`digits: N`)"
    if not any(item.words in words for _, words in notes):
        return "its words never appear, because another wrong value has the same entries; keep one of the two"
    if given := _given_away(answer, item):
        return f"its words hold the right value, {given}; say it without"
    return ""


def _given_away(answer: Answer, item: KnownWrongValue) -> str:
    """Return the right value of an entry that the words give away; empty if they do not."""
    if answer.any_order:
        return ""
    right, wrong = _forms_by_path(answer, answer.right), _forms_by_path(answer, item.value)
    said = {canonical_value(float(n), answer.digits) for n in _NUMBERS.findall(item.words.replace("−", "-"))}
    said |= {json.dumps(text) for pair in re.findall(r"`([^`]+)`|\"([^\"]+)\"", item.words) for text in pair}
    if answer.letters:
        said |= {json.dumps(letter) for letter in re.findall(r"(?<!^)(?<!\. )\b[A-Z]\b", item.words)}
    lost = [right[path] for path in wrong if right.get(path) not in (None, wrong[path])]
    return next((form for form in lost if form in said), "")


_NUMBERS = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")


def lays_open(text: str, answers: Mapping[str, Answer]) -> list[str]:
    """Return the answers that a text gives away: by a sentence of the key, or by a name and its right value on a line."""
    words = " ".join(text.split())
    found = {
        a.name: 0
        for a in answers.values()
        for sentence in (a.after, *(item.words for item in a.wrong))
        if sentence and sentence in words
    }
    for line in text.split("\n"):
        for name in re.findall(r"\w+", line):
            if name in answers and _says(line, answers[name]):
                found[name] = 0
    return list(found)


_VALUE = r"""\{[^{}]*\}|\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\([^()]*\)|'[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|\w+"""


def _says(line: str, answer: Answer) -> bool:
    """Return True for a line such as `quiz_length = 6  # a number`."""
    beside = re.search(rf"\b{answer.name}\b[`'\"]*\s*(?:=|:|\bis\b)\s*({_VALUE})", line)
    if not beside:
        return False
    try:
        value = ast.literal_eval(beside[1])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = beside[1]  # a word: text without quotes
    value = list(value) if isinstance(value, tuple) else value
    try:
        return _forms_by_path(answer, value) == _forms_by_path(answer, answer.right)
    except (TypeError, ValueError):
        return False

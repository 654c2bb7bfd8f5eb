"""Answers with one right value: their written form, their sealed form, and their judge.

`grade stub` seals the answer key (answerkey.py) into `sealed.json` (sealed.py): marks replace right values, boxes
replace sentences. A check judges only by that file, with the fixture `answers`: `answers.judge("quiz_length")`.
"""

from __future__ import annotations

import decimal
import json
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken, nearest
from grader.grading.sealed import FILE, SealedFile, mark, read_sealed, unseal
from grader.sandbox.kinds import kind_words, meant_by
from grader.sandbox.proxy import Proxy, short
from grader.sandbox.student import Unanswered, unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.sandbox.student import Student

DIGITS = 6  # significant digits to which numbers are compared, unless answers.yaml has `digits`
KEY_DIGITS = 15  # significant digits of numbers that are keys
TINY = 1e-12  # a number of this size counts as 0 too
MOST_NAMED = 8  # entries that one sentence lists
NOT_LOOKED_AT = "Letters are judged only by the hidden checks."
_KINDS = {"number": "a number", "text": "a text in quotes", "truth": "True or False"}
_MANY = {"numbers": "a list of numbers", "texts": "a list of texts in quotes"}

Path_ = tuple[str, ...]  # from an answer to an entry: keys, and indices of lists


# --- One written form for each value


def value_kind(value: object) -> str:
    """Return `number`, `text` or `truth`; empty for any other value."""
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else ""


def canonical_value(value: float | str, digits: int) -> str:
    """Return the written form of a plain value, a number rounded to significant digits.

    >>> canonical_value(6, 3), canonical_value(6.0001, 3), canonical_value(-0.0, 3), canonical_value(" yes ", 3)
    ('6', '6', '0', '"yes"')
    """
    return _forms(value, digits)[0]


def _forms(value: float | str, digits: int) -> list[str]:
    """Return the written form of a value and the forms that count as equal, its neighbours in the last digit."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, str):
        return [json.dumps(value.strip())]
    number = Decimal(int(value) if isinstance(value, int) else float(value))
    if not math.isfinite(number):
        return [str(number)]
    with decimal.localcontext(decimal.Context(prec=digits)):
        rounded = +number
        step = Decimal(1).scaleb(rounded.adjusted() - digits + 1)
        near = [Decimal(0)] if abs(number) < TINY else []
        return [_plain(n) for n in (rounded, rounded - step, rounded + step, *near)]


def _plain(number: Decimal) -> str:
    shown = (
        f"{number.normalize():f}" if -DIGITS <= number.adjusted() <= KEY_DIGITS else str(number.normalize())
    )
    return shown if number else "0"


# --- Sealing


class SealedWrong(msgspec.Struct, array_like=True, frozen=True):
    """A known wrong value: the paths of its entries, its mark, and its words in a box."""

    at: list[list[str]]
    mark: str
    box: str


class SealedValue(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, frozen=True):
    """An answer as sealed.json has it. `right` has the shape of the value, with `KIND MARK` for each entry.

    A blind choice has letters and nothing else.
    """

    right: Any = None
    digits: int = DIGITS
    letters: str = ""
    wrong: list[SealedWrong] = []
    after: str = ""


def form_of(value: Any, digits: int) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return json.dumps(sorted(canonical_value(item, digits) for item in value))
    return canonical_value(value, digits)


def step_of(key: object) -> str:
    """Return a dictionary's key or a list's index as text; a number in its written form."""
    if isinstance(key, str):
        return key
    return canonical_value(key, KEY_DIGITS) if isinstance(key, int | float) else short(key)


def plain_parts(value: object, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Yield each plain value in nested dictionaries and lists with its path."""
    if isinstance(value, dict | list | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from plain_parts(item, (*path, step_of(key)))
    else:
        yield path, value


def entry_key(name: str, what: str, forms: Mapping[Path_, str]) -> str:
    return json.dumps([name, what, [[path, form] for path, form in forms.items()]])


# --- Judging


class NotLookedAt(Exception):
    """A choice whose right letter is not in this file; its test counts as skipped."""


class WrongAnswer(AssertionError):
    """A wrong answer; `notes` are (id, words) of the known wrong values in it, `texts` its texts.

    `value` is the student's value as the text shows it, or empty for an answer of several entries. `odd` has the wrong
    entries that no known wrong value explains, such as `b = 7`. `unfit` is set for a wrong type or shape.
    """

    def __init__(
        self,
        name: str,
        text: str,
        notes: Sequence[tuple[str, str]] = (),
        value: str = "",
        texts: tuple[str, ...] = (),
        *,
        odd: tuple[str, ...] = (),
        unfit: bool = False,
    ) -> None:
        super().__init__(text)
        self.unfit = unfit
        self.name, self.notes, self.value, self.texts, self.odd = name, [*notes], value, texts, odd


class _AnswerVerdict(msgspec.Struct):
    """The labels of the right and the wrong entries of an answer; a blank is neither.

    `notes` has (id, words) of the known wrong values, `after` the words about a right answer. `odd` has the wrong entries
    that no known wrong value explains, such as `b = 7`.
    """

    right: list[str] = []
    wrong: list[str] = []
    blank: bool = False
    notes: list[tuple[str, str]] = []
    after: str = ""
    odd: tuple[str, ...] = ()


class SealedAnswer(msgspec.Struct, frozen=True):
    """A sealed answer with its name and the salt of its file."""

    name: str
    salt: str
    sealed: SealedValue

    @property
    def blind(self) -> bool:
        """True for a choice whose right letter is not in this file: only its form can be judged."""
        return self.sealed.right is None

    def judge(self, value: object) -> _AnswerVerdict:
        """Judge a student's value. Raises WrongAnswer for a value of another type or shape."""
        verdict = _AnswerVerdict()
        own: dict[Path_, str] = {}  # written form of each entry of the student's
        matched: dict[Path_, str] = {}  # the entries that are right
        if not isinstance(value, Proxy) and hasattr(value, "tolist"):  # an array
            value = value.tolist()
        try:
            entries = [*self._compare(self.sealed.right, value, ())]
        except WrongAnswer as unfit:
            raise self._of_another_shape(value) or unfit from None
        for path, sealed, item in entries:
            label = _label(self.name, path)
            if item is Ellipsis:
                verdict.blank = True
                continue
            forms = self._forms(item)
            own[path] = forms[0]
            right = next(
                (form for form in forms if self._is(sealed.partition(" ")[2], "entry", {path: form})), None
            )
            (verdict.wrong if right is None else verdict.right).append(label)
            if right is not None:
                matched[path] = right
        if verdict.wrong:
            verdict.notes, explained = self._match_known(own)
            odd = [path for path in own if path not in matched and path not in explained]
            verdict.odd = tuple(f"{_label(self.name, path)} = {own[path]}" for path in odd)
        elif not verdict.blank and self.sealed.after:
            verdict.after = self._open_box(self.sealed.after, "right", matched)
        return verdict

    def _of_another_shape(self, value: object) -> WrongAnswer | None:
        """Return the error for a wrong length or type, if some known wrong value has another shape too; else None."""
        right = self.sealed.right
        shapes = [{tuple(path) for path in item.at} for item in self.sealed.wrong]
        is_shape = isinstance(right, list) or str(right).startswith("text ")
        if not is_shape or all(shape <= {path for path, _ in plain_parts(right)} for shape in shapes):
            return None
        own = {
            path: canonical_value(part, self.sealed.digits)
            for path, part in plain_parts(value)
            if value_kind(part)
        }
        notes = self._match_known(own)[0] if own.keys() in shapes else []
        meant = _without_quotes(value, ". Numbers take no quotes:")
        text = f"`{self.name}` is {kind_words(value)}, which is not right{meant}."
        return WrongAnswer(self.name, text, notes, short(value))

    def _forms(self, item: Any) -> list[str]:
        if isinstance(item, list | tuple | set | frozenset):
            return [form_of(item, self.sealed.digits)]
        return _forms(item, self.sealed.digits)

    def _is(self, wanted: str, what: str, forms: Mapping[Path_, str]) -> bool:
        return mark(self.salt, entry_key(self.name, what, forms)) == wanted

    def _match_known(self, own: Mapping[Path_, str]) -> tuple[list[tuple[str, str]], set[Path_]]:
        """Return (id, words) of the known wrong values, and the entries in them.

        A value with more entries replaces values with only some of these.
        """
        found: dict[tuple[Path_, ...], SealedWrong] = {}
        for item in self.sealed.wrong:
            paths = tuple(map(tuple, item.at))
            if all(p in own for p in paths) and self._is(item.mark, "wrong", {p: own[p] for p in paths}):
                found[paths] = item
        most = [paths for paths in found if not any(set(paths) < set(other) for other in found)]
        opened = {p: self._open_box(found[p].box, "wrong", {path: own[path] for path in p}) for p in most}
        notes = [(self._id(paths, own), words) for paths, words in opened.items() if words]
        return notes, {path for paths in found for path in paths}

    def _open_box(self, box: str, what: str, forms: Mapping[Path_, str]) -> str:
        """Return the words in a box, after the name of the answer unless they contain it.

        "" for a damaged box: an explanation never changes a verdict.
        """
        try:
            words = unseal(self.salt, entry_key(self.name, what, forms), box)
        except ValueError:
            return ""
        return words if re.search(rf"\b{self.name}\b", words) else f"`{self.name}`: {words}"

    def _id(self, paths: tuple[Path_, ...], own: Mapping[Path_, str]) -> str:
        return f"{self.name}: " + ", ".join("".join(f"{step} = " for step in p[-1:]) + own[p] for p in paths)

    # Shape

    def _compare(self, tree: Any, value: Any, path: Path_) -> Iterator[tuple[Path_, str, Any]]:
        """Yield each entry with its path and its mark. Raises WrongAnswer."""
        if value is Ellipsis and path:
            yield path, "", value
        elif isinstance(tree, dict):
            entries = (
                {step_of(key): item for key, item in dict.items(value)} if isinstance(value, dict) else {}
            )
            if entries.keys() != tree.keys():
                raise self._unfit(
                    path,
                    value,
                    f"a dictionary with the keys {list_names([_quote_step(key) for key in tree])}",
                )
            for key, part in tree.items():
                yield from self._compare(part, entries[key], (*path, key))
        elif isinstance(tree, list):
            if not isinstance(value, list | tuple) or len(value) != len(tree):
                one, more = (
                    ("list", "lists")
                    if all(isinstance(part, list) for part in tree)
                    else ("entry", "entries")
                )
                raise self._unfit(path, value, f"a list of {len(tree)} {one if len(tree) == 1 else more}")
            for i, part in enumerate(tree):
                yield from self._compare(part, value[i], (*path, str(i)))
        else:
            kind = str(tree).split(" ", maxsplit=1)[0]
            if kind in _MANY:
                if not isinstance(value, list | tuple | set | frozenset) or any(
                    value_kind(v) != kind[:-1] for v in value
                ):
                    raise self._unfit(path, value, _MANY[kind])
            elif value_kind(value) != kind:
                raise self._unfit(path, value, _KINDS.get(kind, kind))
            yield path, tree, value

    def _unfit(self, path: Path_, value: object, wanted: str) -> WrongAnswer:
        place = "".join(f"[{_quote_step(step)}]" for step in path)
        # Where a number is asked for, 6,5 is not meant as a tuple.
        meant = _without_quotes(value, ": write", "." if wanted == _KINDS["number"] else ",")
        text = f"`{self.name}{place}` is {kind_words(value, self.name)}; it must be {wanted}{meant}."
        return WrongAnswer(self.name, text, unfit=True)


def _without_quotes(value: object, words: str, point: str = ",") -> str:
    """Return how to write the numbers in a text, with `point` for its commas; "" for other values."""
    meant = meant_by(value.replace(",", point)) if isinstance(value, str) else ""
    return f"{words} {meant}" if meant else ""


def _quote_step(step: str) -> str:
    return step if re.fullmatch(r"-?\d+(?:\.\d+)?", step) else repr(step)


def _label(name: str, path: Path_) -> str:
    """Return the name of an entry in a sentence: `a`, `'a + a'`, `[2]`, `a[0]`."""
    if not path:
        return name
    first, *rest = path
    head = first if first.isidentifier() else f"[{first}]" if first.isdigit() else repr(first)
    return head + "".join(f"[{_quote_step(step)}]" for step in rest)


def list_names(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names as words: `a, b and c`; of many names, only the first."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def verdict_words(name: str, verdict: _AnswerVerdict, value: str) -> str:
    """Return a sentence about the right and wrong parts of an answer, never with the right value.

    `value` is the student's value if the answer has a single part.
    """
    if value:
        return f"`{name}` is {value}, which is not right."
    wrong = f"{list_names(verdict.wrong)} {'is' if len(verdict.wrong) == 1 else 'are'} not"
    if not verdict.right:
        return f"`{name}`: {wrong} right."
    return (
        f"`{name}`: {list_names(verdict.right)} {'is' if len(verdict.right) == 1 else 'are'} right; {wrong}."
    )


Table = dict[str, SealedAnswer]


def read_tables(folders: Mapping[str, Path]) -> dict[str, Table]:
    """Return the sealed answers for the tests of each visibility. Raises Broken for a damaged file."""
    paths = {visibility: folder / FILE for visibility, folder in folders.items()}
    return _merge_tables({visibility: _table(read_sealed(path), path) for visibility, path in paths.items()})


def make_tables(sealed: Mapping[str, Mapping[str, Any]], salt: str) -> dict[str, Table]:
    """Return the tables of newly sealed answers."""
    return _merge_tables({v: _table(SealedFile(salt, dict(items)), None) for v, items in sealed.items()})


def _merge_tables(files: Mapping[str, Table]) -> dict[str, Table]:
    """Add the visible table, which has the answers that are not blind, to the hidden one."""
    return {name: files.get("visible", {}) | table for name, table in files.items()}


def _table(file: SealedFile, path: Path | None) -> Table:
    try:
        return {
            name: SealedAnswer(name, file.salt, msgspec.convert(item, SealedValue))
            for name, item in file.answers.items()
        }
    except msgspec.ValidationError as error:
        raise Broken(
            f"{path}: this file cannot be read ({error}); get it from the course again, or write it with `grade stub`"
        ) from error


class Answers:
    """The judge of answers that a check gets: `answers.judge("quiz_length")`.

    `tell` receives the name of each right answer and the words that explain it.
    """

    def __init__(self, student: Student, table: Table, tell: Callable[[str, str], object]) -> None:
        self._student, self._table, self._tell = student, table, tell

    def judge(self, name: str) -> None:
        """Judge the student's answer. Raises WrongAnswer, Unanswered, NotLookedAt and what `student.quietly` raises."""
        if name not in self._table:
            raise Broken(
                f"no answer `{name}` in {FILE}{nearest(name, list(self._table))}; "
                f"write it into answers.yaml and run `grade stub`"
            )
        answer = self._table[name]
        with unseen(self._student, "judge"):
            if answer.sealed.letters:
                value = self._student.choice(name, answer.sealed.letters)
            else:
                value = self._student.quietly(name)
                self._student.note(name, value)
        if answer.blind:
            raise NotLookedAt(NOT_LOOKED_AT)
        verdict = answer.judge(value)
        if verdict.wrong:
            one = short(value) if verdict.wrong == [name] else ""
            items = value if isinstance(value, list | tuple | set | frozenset) else [value]
            texts = tuple(sorted(item for item in items if isinstance(item, str)))
            odd = () if one else verdict.odd
            raise WrongAnswer(name, verdict_words(name, verdict, one), verdict.notes, one, texts, odd=odd)
        if verdict.blank:
            raise Unanswered(name)
        self._tell(name, verdict.after)

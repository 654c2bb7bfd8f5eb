"""Values in words: "the text '6,5'", "a numpy array of shape (2, 3)", "a tuple of two Values"."""

from __future__ import annotations

import ast
import re
from typing import Any

from grader.sandbox.proxy import Proxy, class_name_of, is_table, label_of, object_kind, short

MOST_NAMED = 60  # characters of a list that is shown; of a longer one the length
COUNTS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    *map(str, range(10, 16)),
)
_CONTAINERS = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset", dict: "dictionary"}
LONGEST = 200  # characters of a text that is read as numbers


def kind_words(value: object, of: str = "") -> str:
    """Return the kind of a value in words and, if short, the value itself. It runs no code of the student.

    `of` is the expression that the sentence is about, whose name is not repeated.

    >>> kind_words([1, 2]), kind_words("6,5"), kind_words(None)
    ('the list [1, 2]', "the text '6,5'", 'None')
    """
    if isinstance(value, Proxy):
        return _object(value, of)
    if isinstance(value, bool) or value is None:
        return str(value)
    if value is Ellipsis:
        return "the blank `...`"
    if isinstance(value, int | float):
        return f"the number {short(value)}"
    if isinstance(value, str):
        return f"the text {short(value)}"
    if is_table(value):
        return short(value)
    if (shape := _shape_of(value)) is not None:
        return f"a numpy array of shape {shape}"
    for kind, name in _CONTAINERS.items():
        if isinstance(value, kind):
            return _container(value, name)
    return short(value)


def _shape_of(value: object) -> tuple[int, ...] | None:
    """Return the shape of an array; None for any other value."""
    if is_table(value) or not (hasattr(value, "dtype") and hasattr(value, "shape")):
        return None
    return tuple(map(int, value.shape))


def group_of(value: object) -> str:
    """Return a text that is equal for values with comparable contents, such as two numbers."""
    if isinstance(value, Proxy):
        return object_kind(value)
    if _shape_of(value) is not None:
        return "array"
    plain = (bool, int | float, str, list, tuple, dict, set | frozenset)
    return next((str(kind) for kind in plain if isinstance(value, kind)), type(value).__name__)


def _object(value: Proxy, of: str) -> str:
    kind, cls, label = object_kind(value), class_name_of(value), label_of(value)
    if kind == "function" and cls not in {"function", "method", "instance"}:
        return f"the function {cls}"
    if kind == "class":
        return f"the class {cls}"
    if kind != "instance":
        return f"the {kind} {short(value)}" if label != of else with_article(kind)
    return f"the {cls} {label}" if label.isidentifier() and label != of else with_article(cls or "object")


def with_article(name: str) -> str:
    """Return a name with `a` or `an` before it: "a Box", "an Item", "an SGD", "an ndarray"."""
    sounds_like_a_vowel = re.match(r"[AEIOUaeiou]|nd|[FHLMNRSX]([A-Z0-9]|$)", name)
    return f"{'an' if sounds_like_a_vowel else 'a'} {name}"


def _container(value: Any, name: str) -> str:
    classes = {
        class_name_of(item) if isinstance(item, Proxy) else None
        for item in (value.values() if name == "dictionary" else value)
    }
    count = COUNTS[len(value)] if len(value) < len(COUNTS) else str(len(value))
    if len(classes) == 1 and name != "dictionary" and (cls := classes.pop()):
        names = [label for item in value if (label := label_of(item)).isidentifier()]
        named = f": {', '.join(names)}" if len(names) == len(value) else ""
        return f"a {name} of {count} {cls}{'' if len(value) == 1 else ' objects' if cls.endswith('s') else 's'}{named}"
    text = short(value)
    if len(text) <= MOST_NAMED and classes <= {None}:
        return f"the {name} {text}"
    return f"a {name} of {count} entr{'y' if len(value) == 1 else 'ies'}"


def meant_by(text: str) -> str:
    """Return the numbers in a text as code without quotes; empty for any other text.

    >>> meant_by("2,3"), meant_by("two")
    ('(2, 3)', '')
    """
    if len(text) > LONGEST:
        return ""
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    items = found if isinstance(found, tuple | list) else (found,)
    return short(found) if items and all(type(item) in {int, float} for item in items) else ""

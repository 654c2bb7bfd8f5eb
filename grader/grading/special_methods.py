"""Special methods, which Python calls: `__add__` for `+`, `__hash__` for a set."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from grader.grading.locations import (
    MAX_DECORATORS,
    classes_in,
    definition_at,
    lines_around,
    place_in,
    place_of,
    where_at,
)
from grader.sandbox import StudentError, SubmissionStopped

if TYPE_CHECKING:
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources


_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "@": "matmul", "**": "pow", "** or pow()": "pow",
}  # fmt: skip
_NO_METHOD = (  # Python's texts, with the operator and the classes of its operands
    re.compile(r"unsupported operand type\(s\) for (?P<op>[^:]+?)=?: '(?P<left>\w+)' and '(?P<right>\w+)'"),
    re.compile(r"bad operand type for unary (?P<op>-): '(?P<only>\w+)'"),
    re.compile(r"(?P<made>\w+)\(\) takes no arguments"),
)


def reflected_operator(error: StudentError, blocks: Sources) -> str:
    """Return a sentence if an operator's own method uses the operator and so reaches the reflected one.

    Python calls `__radd__` only if the left operand is no such object and the right one is.
    """
    if len(error.frames) < 2:
        return ""
    line, blank = error.frames[-2:]
    cls, _, method = blank.function.rpartition(".")
    name = method.removeprefix("__r").removesuffix("__")
    where = where_at(line, blocks)
    if not cls or line.function != f"{cls}.__{name}__" or where is None or method in where.text:
        return ""
    symbol = next((symbol for symbol, operator in _OPERATORS.items() if operator == name), "operator")
    return (
        f"In {place_of(where)}, a {symbol} has a {cls} on its right and something else on its left. So Python calls "
        f"{blank.function}, which is still to be written."
    )


def missing_method(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence about a special method that a class lacks, or has with too few underscores."""
    if unhashable := re.fullmatch(r"unhashable type: '(\w{1,60})'", error.text):
        return _lost_hash(unhashable[1], sandbox, blocks)
    lost = re.fullmatch(r"'(\w{1,60})' object has no attribute '(\w{1,60})'", error.text)
    if lost and lost[1] in classes_in(blocks) and not sandbox.errors:  # a cell that stopped may be the cause
        return _astray(lost[2], blocks)
    for cls, method in _methods_asked_for(error.text):
        near = [f"{'_' * before}{method}{'_' * after}" for before in range(3) for after in range(3)]
        try:
            with sandbox.explaining():
                of_class, *places = sandbox.find_definitions(
                    [cls, *(f"{cls}.{_mangle(name, cls)}" for name in near)]
                )
        except SubmissionStopped:  # the jail has ended
            return ""
        there = [(name, where_at(place, blocks)) for name, place in zip(near, places, strict=True) if place]
        if len(there) == 1 and there[0][0] != f"__{method}__" and there[0][1]:
            return (
                f" There is a method `{there[0][0]}` in {place_of(there[0][1])}: "
                f"if you meant that one, rename it `__{method}__`."
            )
        # In the student's own code, the number on the left is more likely the fault.
        if of_class and not there and not (error.frames and method.startswith("r")):
            missing = f" `{cls}` has no method `__{method}__`, which Python needs here."
            return f"{missing}{_astray(f'__{method}__', blocks)}"
    return ""


def _astray(method: str, blocks: Sources) -> str:
    """Return a sentence about a method that is defined inside another function, or outside every class."""
    for block in blocks:
        lines = block.source.split("\n")
        for i in (i for i, line in enumerate(lines) if re.match(rf"\s*def {method}\s*\(\s*\w", line)):
            around = "".join([lines[at] for at in lines_around(lines, i)][1:2])
            inside = re.match(r"\s*def (\w{1,60})", around)
            where = (
                f"inside `{inside[1]}`: check its indentation"
                if inside
                else ""
                if around
                else "outside the class: indent it, or store it there"
            )
            if where:
                return f" `{method}` in {place_in(block, i + 1, blocks)} is {where}."
    return ""


def _lost_hash(cls: str, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence about an `__eq__` that leaves its class without a hash."""
    try:
        with sandbox.explaining():
            of_class, of_method = sandbox.find_definitions([cls, f"{cls}.__eq__"])
    except (StudentError, SubmissionStopped):  # the jail has ended
        return ""
    where = definition_at(of_method, blocks)
    if where:
        return (
            f" `{cls}` has an `__eq__` in {place_of(where)} but no `__hash__`, so its objects cannot be in a set. Without "
            "that `__eq__`, each object is equal only to itself."
        )
    if of_class is None or (first := where_at(of_class, blocks)) is None:
        return ""
    lines = blocks[of_class.block].source.split("\n")[of_class.line - 1 :]
    above = itertools.takewhile(lambda line: line.startswith("@"), lines[:MAX_DECORATORS])
    if not any(re.match(r"@(?:dataclasses\.)?dataclass\b(?!.*\beq\b)", line) for line in above):
        return ""
    return (
        f" `@dataclass` in {place_of(first)} gives `{cls}` an `__eq__` that compares the fields but no `__hash__`, so its "
        "objects cannot be in a set. `@dataclass(eq=False)` keeps both as Python has them."
    )


def _mangle(name: str, cls: str) -> str:
    """Return the name that Python gives such a method in a class body: `__add` becomes `_Box__add`."""
    return f"_{cls.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


def _methods_asked_for(text: str) -> list[tuple[str, str]]:
    """Return pairs of a class and a special method (without underscores) that an error's text says is missing."""
    match = next(filter(None, (pattern.fullmatch(text) for pattern in _NO_METHOD)), None)
    if match is None:
        return []
    of = match.groupdict()
    if made := of.get("made"):
        return [(made, "init")]
    if only := of.get("only"):
        return [(only, "neg")]
    name, left, right = _OPERATORS.get(of["op"], ""), of["left"], of["right"]
    asked = [(left, name), (right, f"r{name}")] if name else []
    return asked[:1] if left == right else asked

"""Names with a second meaning: a class or a function that is defined again, or hidden by a value or an attribute."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.grading.answers import list_names
from grader.grading.locations import (
    MAX_LINE,
    SPECIAL,
    classes_in,
    function_around,
    lines_of,
    place_in,
    where_of,
)
from grader.report import Outcome, cap
from grader.sandbox import Frame, StudentError, SubmissionStopped
from grader.sandbox.errors import Count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.report import CheckResult
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import TestResult

MAX_QUOTED = 5  # names in the text of an error or of a line
MOST = 3  # methods in a sentence
_KINDS = {"class": "a class", "def": "a function", "method": "a method"}


class _Binding(NamedTuple):
    """A line that binds a name: by `class`, `def`, `attribute` or another way (""), and the methods that it lost."""

    place: Frame
    word: str
    lost: list[str]

    def text(self, blocks: Sources) -> str:
        """Return the line with its indent; "" for a place that does not exist."""
        lines = lines_of(self.place.block, blocks)
        return lines[self.place.line - 1][:MAX_LINE] if 0 < self.place.line <= len(lines) else ""

    def where(self, blocks: Sources) -> str:
        """Return the place in words."""
        return place_in(blocks[self.place.block], self.place.line, blocks)


def _bindings(names: Iterable[str], sandbox: Sandbox, blocks: Sources) -> dict[str, list[_Binding]]:
    """Return the lines that bind each name, in cells that ran to their end; empty if the jail does not reply."""
    wanted = list(dict.fromkeys(names))
    try:
        if not wanted or sandbox.is_closed or not sandbox.budget.deadline.left:
            return {}
        with sandbox.explaining():
            if not sandbox.is_open:
                sandbox.load()
            good = [i for i in range(len(blocks)) if i not in sandbox.errors]
            answer = sandbox.request({"op": "bindings", "of": wanted, "blocks": good})
            with sandbox.reading("invalid bindings"):
                found = msgspec.convert(answer, list[list[tuple[Count, Count, str, list[str]]]])
                rows = {
                    name: [_Binding(Frame(i, n, ""), word, lost) for i, n, word, lost in row]
                    for name, row in zip(wanted, found, strict=True)
                }
    except (StudentError, SubmissionStopped):
        return {}
    return {name: [one for one in row if one.text(blocks)] for name, row in rows.items()}


# --- Defined again


def second_definition(name: str, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence with the last two definitions of a class, a function or an answer.

    "" if the template has as many definitions, and for `class Box(Box)`, which extends the first class.
    """
    return _redefinition_sentence(name, _bindings([name], sandbox, blocks).get(name, []), blocks)


def second_class(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence with the last two definitions of a class that the error's text names."""
    found = re.findall(r"'(\w{1,60})'|^(\w{1,60})\(\)", error.text)[:MAX_QUOTED]
    rows = _bindings(map("".join, found), sandbox, blocks).items()
    told = (
        _redefinition_sentence(name, row, blocks) for name, row in rows if row and row[-1].word == "class"
    )
    return next(filter(None, told), "")


def second_definitions(
    checks: Sequence[CheckResult], firsts: Mapping[str, TestResult], sandbox: Sandbox, blocks: Sources
) -> dict[str, str]:
    """Return sentences about names with a second meaning, each by the first failed check that it concerns.

    A check concerns the functions of its places, and the functions, classes and methods that its reported test used.
    """
    failed = [check for check in checks if check.outcome is Outcome.FAILED and check.id in firsts]
    classes = classes_in(blocks) if failed else []
    about: dict[str, str] = {}  # name -> check
    for check in failed:
        first, notes = firsts[check.id], [check.walk, *check.rules]
        places = [check.where, *(note.where for note in notes if note)]
        inside = [where.inside for where in places if where and where.inside]
        methods = [SPECIAL.get(name, name) for name in first.used][:MAX_QUOTED]
        used = [f"{cls}.{method}" for cls in classes for method in methods]
        for name in [
            *(name.partition(".")[0] for name in inside),
            *inside,
            *sorted(first.functions),
            *used,
            *classes,
        ]:
            about.setdefault(name, check.id)
    rows = _bindings(about, sandbox, blocks)
    told: dict[str, str] = {}
    for name, row in rows.items():
        files = [blocks[one.place.block].file for one in row]
        same = [one for one, file in zip(row, files, strict=True) if file == files[-1]]
        words = _redefinition_sentence(name, same, blocks) or (
            "." in name and _shadowing_sentence(name, same, blocks)
        )
        if words and not any(words in check.message for check in checks):
            told.setdefault(about[name], words)
    return told


def _redefinition_sentence(name: str, found: Sequence[_Binding], blocks: Sources) -> str:
    same = [one for one in found if one.word == found[-1].word != "attribute"]
    if len(same) < 2:
        return ""
    indent, last = (r"\s+" if "." in name else ""), re.escape(name.rpartition(".")[2])
    given = re.findall(rf"^(?:class|(?:async +)?def) +{last}\b|^{last} *=(?!=)", blocks.given, re.MULTILINE)
    if len(same) <= len(given):
        return ""
    plain = rf"{indent}(?:(?:class|(?:async\s+)?def)\s+{last}\b(?!\(\s*{last}\b)|{last}\s*=)"
    old, new = same[-2:]
    if not re.match(plain, old.text(blocks)) or not re.match(plain, new.text(blocks)):
        return ""  # inside an `if`, decorated, or extending itself
    if indent and not _in_one_class(old, new, blocks):
        return ""
    first, second = old.where(blocks), new.where(blocks)
    if first == second:  # two cells below one heading
        first, second = (f"cell {blocks[one.place.block].cell}" for one in (old, new))
    lost = f" The last one has no {_methods(old.lost)}, but the first one had." if old.lost else ""
    return f"`{name}` is defined in {first} and again in {second}; the last definition counts.{lost}"


def _in_one_class(old: _Binding, new: _Binding, blocks: Sources) -> bool:
    between = lines_of(old.place.block, blocks)[old.place.line : new.place.line]
    return old.place.block == new.place.block and all(
        not line.strip() or line[:1].isspace() for line in between
    )


def _methods(names: Sequence[str]) -> str:
    known = [f"`{cap(name, 60)}`" for name in names]
    return list_names(
        known if len(known) <= MOST + 1 else [*known[:MOST], f"{len(known) - MOST} more methods"]
    )


# --- Hidden by something else


def hiding_line(first: TestResult, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence with the line that bound the called name to a value that cannot be called."""
    names, methods = _not_called(first, sandbox, blocks)
    if not names and not methods:
        return ""
    code = "\n".join(block.source for block in blocks)
    stored = re.search(rf"^\w+\.({'|'.join(map(re.escape, methods))}) *= *\1\(.{{,60}}", code, re.MULTILINE)
    if stored:
        return f"`{stored[0]}` calls the function and stores what it returns. Without parentheses it stores the function."
    of = [f"{cls}.{method}" for cls in classes_in(blocks) for method in methods[:MAX_QUOTED]]
    rows = _bindings([*names, *of], sandbox, blocks).items()
    told = [words for name, row in rows if (words := _shadowing_sentence(name, row, blocks))]
    return told[0] if len(told) == 1 else ""


def _not_called(first: TestResult, sandbox: Sandbox, blocks: Sources) -> tuple[list[str], list[str]]:
    """Return the names and the methods that may be the one that could not be called; empty for other errors."""
    error, text = first.error, first.failure.text if first.failure else ""
    if not re.search(r"'\w+' object is not callable|cannot use this value", f"{error} {text}"):
        return [], []
    if where := where_of(error, blocks):
        called = re.findall(r"(?<![\w.])(\w+)\s*\(", where.text)
        return [name for name in called if _is_global(name, error, blocks)], re.findall(
            r"\.(\w+)\s*\(", where.text
        )
    return sorted(sandbox.asked), [*re.findall(r"\.(\w+) is ", text), *first.used]


def _is_global(name: str, error: BaseException | None, blocks: Sources) -> bool:
    """Return True if the function around an error uses the name only to call it."""
    frame = error.frames[-1] if isinstance(error, StudentError) and error.frames else None
    if frame is None or frame.function == "<module>":
        return True
    return not re.search(rf"\b{name}\b(?!\s*\()", "\n".join(function_around(frame, blocks).values()))


def _is_meant_to_be_hidden(made: _Binding, blocks: Sources) -> bool:
    """Return True for a placeholder, whose body is `pass` or an empty `return`, and for a decorated definition.

    An attribute does not hide a property of its name: the property sets it.
    """
    above, *lines = ["", *blocks[made.place.block].source.split("\n")][made.place.line - 1 :]
    head, *rest = [line.strip() for line in lines if line.strip()][:2] or [""]
    body = head.rpartition(":")[2].strip() or "".join(rest)
    return body in {"pass", "return", "return None", "..."} or above.lstrip().startswith("@")


def _shadowing_sentence(name: str, row: Sequence[_Binding], blocks: Sources) -> str:
    made = next((one for one in reversed(row) if one.word in _KINDS), None)
    is_method, attributes = "." in name, [one for one in row if one.word == "attribute"]
    hiding = next(reversed((is_method and attributes) or row), None)
    is_told = not _is_meant_to_be_hidden(made, blocks) if made else name in vars(builtins)
    if hiding is None or hiding.word in _KINDS or not is_told:
        return ""
    what = "an attribute with that name" if is_method else "that name"
    kind = _KINDS["method" if is_method else made.word] if made else ""
    defined = f"{kind}, defined in {made.where(blocks)}" if made else "a function of Python"
    return (
        f"`{name}` is {defined}. `{cap(hiding.text(blocks).strip(), 80)}` in {hiding.where(blocks)} sets {what} and "
        "hides it."
    )

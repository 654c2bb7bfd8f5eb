"""Locations: the lines of the student's file behind an error, a slip or a failed test.

The grader searches lines as text and never parses them. A slip is an object written instead of its number, such as
`other` for `other.data`. Text proves nothing, so the message asks: did you write ...?
"""

from __future__ import annotations

import contextlib
import itertools
import re
from typing import TYPE_CHECKING

import msgspec

from grader.report import Location, cap
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import SYMBOLS
from grader.sandbox.student import Unanswered
from grader.submissions.submission import indent_of
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.report import CheckResult
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Block, Sources
    from grader.topic import TestResult

MAX_SHOWN = 3  # frames of an error
METHOD = "method "  # before the name of a method among places
MAX_CLASSES = 10  # whose methods are looked for
MAX_DECORATORS = 20  # lines of them above a function
MAX_LINE, MAX_LINES = 200, 100  # characters of a line, and lines, that are searched
SPECIAL = {symbol: f"__{name}__" for name, symbol in SYMBOLS.items()}
SPECIAL |= {"neg": "__neg__", "getitem": "__getitem__"}
_LOOP = re.compile(r"\s*(?:async\s+for|for|while)\b")
_NAMED = re.compile(r"\s*(?:async\s+def|def|class)\s+(\w+)")
_WRONG_RESULT = re.compile(r"(__\w{1,20}__)(?:\(\))? (?:returned|should return|method should return)")
# Python's text for wrong arguments; it names the function by its qualified name.
WRONG_CALL = re.compile(r"([\w.<>]{1,100})\(\) (?:takes|missing|got) ")


# --- Lines of an error


def place_of(where: Location) -> str:
    """Return a location in words."""
    return f"{where.part or where.file}, line {where.line}"


def place_in(block: Block, line: int, blocks: Sequence[Block]) -> str:
    """Return a line of a block in words, or the whole block for line 0; with the file if there are several."""
    place = block.location(line) if line else block.name
    several = len({other.file for other in blocks}) > 1 and block.file not in place
    return f"{block.file}, {place}" if several else place


def where_of(error: BaseException | None, blocks: Sequence[Block]) -> Location | None:
    """Return the student's innermost line that an error passed through."""
    return next(reversed(frames_of(error, blocks)), None)


def frames_of(error: BaseException | None, blocks: Sequence[Block]) -> list[Location]:
    """Return the student's lines that an error passed through, outermost first; of many, only the first and the last."""
    if isinstance(error, Undefined):
        error = error.cause
    if isinstance(error, SubmissionStopped):
        return [where] if error.place and (where := loop_at(error.place, blocks)) else []
    if not isinstance(error, StudentError):
        return []
    found = [where for frame in error.frames if (where := where_at(frame, blocks))]
    found = [where for i, where in enumerate(found) if i == 0 or where != found[i - 1]]
    lines = {where.inside for where in found if not where.text.startswith("def ")}
    found = [where for where in found if not (where.text.startswith("def ") and where.inside in lines)]
    return found if len(found) <= MAX_SHOWN else [found[0], *found[1 - MAX_SHOWN :]]


def where_at(frame: Frame, blocks: Sequence[Block]) -> Location | None:
    """Return the location of a frame of the jail; None for one outside the blocks."""
    if not (0 <= frame.block < len(blocks) and 0 < frame.line <= blocks[frame.block].lines):
        return None
    block = blocks[frame.block]
    line = block.first_line + frame.line - 1
    inside = _function(frame.function, block.source)
    return Location(block.file, block.cell, line, cap(block.line(frame.line), 120), inside, block.section)


def loop_at(frame: Frame, blocks: Sequence[Block]) -> Location | None:
    """Return the location of the innermost loop around the line of a frame; without a loop, of the line itself."""
    lines = lines_of(frame.block, blocks)
    if not 0 < frame.line <= len(lines):
        return None
    around = list(lines_around(lines, frame.line - 1))
    names = [match[1] for i in around if (match := _NAMED.match(lines[i]))]
    starts = itertools.takewhile(lambda i: not _NAMED.match(lines[i]), around)
    line = next((i + 1 for i in starts if _LOOP.match(lines[i])), frame.line)
    return where_at(Frame(frame.block, line, ".".join(names[::-1]) or "<module>"), blocks)


def lines_of(block: int, blocks: Sequence[Block]) -> list[str]:
    """Return the lines of a block; none for a block that does not exist, which a jail may send."""
    return blocks[block].source.split("\n") if 0 <= block < len(blocks) else []


def lines_around(lines: Sequence[str], index: int) -> Iterator[int]:
    """Yield the index of a line and those of the enclosing lines above it, the nearest first."""
    indent = indent_of(lines[index]) + 1
    for i in range(index, -1, -1):
        if lines[i].strip() and indent_of(lines[i]) < indent:
            indent = indent_of(lines[i])
            yield i


def _below_decorators(lines: Sequence[str], line: int) -> int:
    """Return the line of the definition, from 1, below the decorator on this line; any other line unchanged."""
    if not 0 < line <= len(lines) or not lines[line - 1].lstrip().startswith("@"):
        return line
    below = range(line, min(len(lines), line + MAX_DECORATORS) + 1)
    return next((n for n in below if re.match(r"\s*(async\s+def|def|class)\s", lines[n - 1])), line)


def _function(name: str, source: str) -> str:
    """Return the name of the function around a location, as a student knows it.

    "" for the cell itself, and for a name that is not in its source: running code can choose any name.
    """
    outer, _, inner = name.rpartition(".<locals>.")
    name = outer.replace(".<locals>", "") or inner
    known = all(part in source or part == "<lambda>" for part in name.split("."))
    return cap(name, 80) if known and not name.startswith("<") else ""


# --- Slips


class Slip(msgspec.Struct, frozen=True):
    """An object that was `written` instead of the number that is `meant`, and the line."""

    written: str
    meant: str
    place: Frame


def find_slip(result: TestResult, blocks: Sources) -> Slip | None:
    """Return the line that adds an object to an attribute, if a test found that object or an error was raised there.

    Without an error at the line, all such lines of the submission must be in one function.
    """
    failure, error = result.failure, result.error
    if failure and failure.object:
        attribute = re.escape(failure.object[0].rpartition(".")[2])
        found = list(_slips(_with(f".{attribute}", blocks), attribute, blocks))
        functions = {(slip.place.block, min(function_around(slip.place, blocks))) for slip in found}
        return found[0] if len(functions) == 1 else None
    if isinstance(error, StudentError) and error.frames and "unsupported operand" in error.text:
        return next(_slips(error.frames[-1:], r"\w+", blocks), None)
    return None


def _with(text: str, blocks: Sources) -> Iterator[Frame]:
    """Yield the first lines of all blocks that contain a text."""
    found = (
        Frame(i, n, "")
        for i, block in enumerate(blocks)
        for n, line in enumerate(block.source.split("\n"), start=1)
        if text in line
    )
    return itertools.islice(found, MAX_LINES)


def _slips(places: Iterable[Frame], attribute: str, blocks: Sources) -> Iterator[Slip]:
    for place in places:
        function = function_around(place, blocks)
        if names := _object_on(function.get(place.line, ""), attribute, "\n".join(function.values())):
            yield Slip(*names, place)


def _object_on(line: str, attribute: str, function: str) -> tuple[str, str] | None:
    """Return the bare name of an object on the right of an assignment to an attribute, and the name of its number.

    A name counts as an object if the function reads one of its attributes elsewhere; that attribute is meant.
    """
    match = re.match(rf"\s*\w+\.({attribute})\s*[-+*/]?=(?!=)([^#]*)", line)
    if match is None:
        return None
    target, right = match.groups()
    if made := re.fullmatch(r"[A-Z]\w*\((-?[\d.]+)\)", right.strip()):
        return made[0], made[1]
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])", right):
        read = set(re.findall(rf"(?<![\w.]){name}\.([A-Za-z]\w*)", function))
        if len(read - {target}) == 1:
            return name, f"{name}.{(read - {target}).pop()}"
        if read == {target} and f"{name}.{target}" not in right:
            return name, f"{name}.{target}"
    return None


def function_around(place: Frame, blocks: Sequence[Block]) -> dict[int, str]:
    """Return the lines of the outermost function around a place, by number, cut to the searched length.

    For a decorator, it is the function below. Without a function around it, only the line; nothing for a place that does
    not exist.
    """
    lines = lines_of(place.block, blocks)
    if not 0 < place.line <= len(lines):
        return {}
    start = index = _below_decorators(lines, place.line) - 1
    indent = indent_of(lines[index])
    for i in range(index, max(-1, index - MAX_LINES), -1):
        if lines[i].strip() and (i == index or indent_of(lines[i]) < indent):
            indent = indent_of(lines[i])
            start = i if lines[i].lstrip().startswith("def ") else start
    inside = itertools.takewhile(
        lambda i: not lines[i].strip() or indent_of(lines[i]) > indent_of(lines[start]),
        range(start + 1, min(len(lines), start + MAX_LINES)),
    )
    return {i + 1: lines[i][:MAX_LINE] for i in range(start, max(index, start, *inside) + 1)}


# --- The stub's `raise` among the student's lines


def kept_raise(result: TestResult, blocks: Sources) -> tuple[Location, bool] | None:
    """Return the place of the stub's `raise` among the student's own lines; None without one.

    The second value is True if their lines are above it.
    """
    error = result.error
    if not isinstance(error, StudentError) or not error.frames or result.outcome is not TestOutcome.TODO:
        return None
    if not (where := where_at(error.frames[-1], blocks)):
        return None
    lines, index = lines_of(error.frames[-1].block, blocks), error.frames[-1].line - 1
    line = lines[index].strip()
    if not line.startswith("raise NotImplementedError") or line not in blocks.given_lines:
        return None
    for is_above, those in zip((True, False), _around(lines, index), strict=True):
        if any(line and not line.startswith("#") and line not in blocks.given_lines for line in those):
            return where, is_above
    return None


def left_raise(result: TestResult, blocks: Sources) -> str:
    """Return a sentence about the stub's `raise` among the student's lines; "" without one."""
    if not (kept := kept_raise(result, blocks)):
        return ""
    where, is_above = kept
    words = "it still runs after your own lines" if is_above else "your lines below it are never reached"
    return f"Remove the `raise` in {place_of(where)}: {words}."


def _around(lines: Sequence[str], index: int) -> tuple[list[str], list[str]]:
    """Return the lines above and below a line in the same suite, without their indents."""
    indent = indent_of(lines[index])

    def suite(those: Iterable[str]) -> list[str]:
        inside = itertools.takewhile(lambda line: not line.strip() or indent_of(line) >= indent, those)
        return [line.strip() for line in inside]

    return suite(reversed(lines[:index])), suite(lines[index + 1 :])


# --- Definitions


def classes_in(blocks: Sequence[Block]) -> list[str]:
    """Return the names of the first top-level classes in these blocks."""
    found = (name for block in blocks for name in re.findall(r"^class (\w+)", block.source, re.MULTILINE))
    return list(dict.fromkeys(found))[:MAX_CLASSES]


def find_definitions(
    firsts: Mapping[str, TestResult], sandbox: Sandbox, blocks: Sequence[Block]
) -> dict[str, Frame]:
    """Return the definitions of the names that these tests are about. Sends the jail at most one request."""
    names = list(
        dict.fromkeys(name for first in firsts.values() if (name := _own(first) or _only_function(first)))
    )
    methods = {name for first in firsts.values() for name in _methods(first)}
    if not names and not methods:
        return {}
    with contextlib.suppress(StudentError, SubmissionStopped), sandbox.explaining():
        if not sandbox.is_open:
            sandbox.load()
        asked = {name: name for name in names}
        if methods:
            of = [f"{name}.{method}" for name in classes_in(blocks) for method in sorted(methods)]
            asked |= {f"{METHOD}{name}": name for name in of}
            asked |= {f"{METHOD}{name}": f"{name}.__init__" for name in classes_in(blocks) if name in methods}
            asked |= {name: name for name in methods if not name.startswith("__")}  # see `_passed_on`
        places = zip(asked, sandbox.find_definitions([*asked.values()]), strict=True)
        return {name: place for name, place in places if place}
    return {}


def _own(first: TestResult) -> str:
    """Return the answer that a failed test judged, or the function that rejects the test's arguments."""
    error = first.error
    if isinstance(error, Unanswered):
        return error.name
    if isinstance(error, StudentError) and not error.frames and (call := WRONG_CALL.match(error.text)):
        return call[1]
    if not _fails_by_value(first) or first.functions:
        return ""
    names = list(dict.fromkeys(first.answers))
    if len(names) > 1 and first.failure:
        text = " ".join([first.failure.text, *(row.label for row in first.failure.readings)])
        names = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    return names[0] if len(names) == 1 else ""


def _only_function(first: TestResult) -> str:
    """Return the function that a failed test used, if it used only one and no answer."""
    return (
        min(first.functions)
        if _fails_by_value(first) and not first.answers and len(first.functions) == 1
        else ""
    )


def _methods(first: TestResult) -> Iterator[str]:
    """Yield the methods that a failed test used (`__add__` for `+`) and its classes, if it used no function or answer.

    For an error without a line, it may be the method whose result Python says has a wrong type.
    """
    error = first.error
    without_line = isinstance(error, StudentError) and not error.frames
    if isinstance(error, StudentError) and without_line and (match := _WRONG_RESULT.match(error.text)):
        yield match[1]
    elif (without_line or _fails_by_value(first)) and not first.answers and not first.functions:
        for name in first.used:
            yield SPECIAL.get(name, name)


def _method(first: TestResult, places: Mapping[str, Frame]) -> Frame | None:
    """Return the submission's method that a failed test used, if it used only one.

    Of several, it is the method of the only class that the test instantiated, or the one in backticks in the failure. For
    a test that only made objects, it is the `__init__` of their class.
    """
    used = {*_methods(first)}
    methods = {name.removeprefix(METHOD): at for name, at in places.items() if name.startswith(METHOD)}
    made = {name: at for name, at in methods.items() if name in used}
    if lacking := re.search("no attribute|not callable", str(first.error)):  # no operation is the cause
        return next(iter(made.values()), None) if lacking[0] == "no attribute" else None
    found = {name: at for name, at in methods.items() if name.rpartition(".")[2] in used - made.keys()}
    if "<lambda>() " in str(first.error):
        found = {name: at for name, at in found.items() if at.function == "<lambda>"}
    if len({*found.values()}) > 1:
        found = {name: at for name, at in found.items() if name.partition(".")[0] in used}
    if len({*found.values()}) > 1 and first.failure:
        found = {
            name: at for name, at in found.items() if f"`{name.rpartition('.')[2]}`" in first.failure.text
        }
    others = [labels for name, labels in first.used.items() if name not in made]
    if not re.search(r"[^\W\d]", "".join(itertools.chain.from_iterable(others))):  # they got only numbers
        found |= made
    ats = {*found.values()}
    return ats.pop() if len(ats) == 1 else None


def _passed_on(method: Frame | None, places: Mapping[str, Frame], blocks: Sources) -> Frame | None:
    """Return the function of the same name, if the method only calls it; else the method."""
    if method is None:
        return None
    name = method.function.rpartition(".")[2]
    body = [*function_around(method, blocks).values()][1:]
    call = rf"""\s*(?:\"{{3}}[^"]*\"{{3}})?\s*(?:return\s+)?{re.escape(name)}\([^()\n]*\)\s*"""
    return places.get(name, method) if re.fullmatch(call, "\n".join(body)) else method


def _fails_by_value(first: TestResult) -> bool:
    """Return True for a test that failed by a value, not by an error or a missing name."""
    return first.outcome is TestOutcome.FAILED and not isinstance(
        first.error, StudentError | SubmissionStopped | Undefined
    )


def locate_checks(
    checks: Sequence[CheckResult],
    firsts: Mapping[str, TestResult],
    places: Mapping[str, Frame],
    blocks: Sources,
) -> dict[str, Location]:
    """Return a location for each check without one: its own definition, or its wrong rule, walk or function.

    If a rule or a walk of this check or an earlier one is wrong, a function gets no location: it may only use the wrong
    part.
    """
    blocks.grow()
    wrong = False
    functions = {place for first in firsts.values() if (place := places.get(_only_function(first)))}
    found: dict[str, Location] = {}
    for check in checks:
        first = firsts.get(check.id)
        wrong = wrong or bool(check.rules or check.walk)
        if first is None or check.where is not None:
            continue
        notes = [rule.where for rule in check.rules] + [check.walk.where if check.walk else None]
        where = definition_at(places.get(_own(first)), blocks) or next(filter(None, notes), None)
        called = places.get(_only_function(first)) or _passed_on(_method(first, places), places, blocks)
        if called and called.function.endswith(".__init__"):
            called = _setting(called, check, blocks)
        if where is None and called and not wrong and not _uses_another(called, functions, blocks):
            where = definition_at(called, blocks)
        if where:
            found[check.id] = where
    return found


def _setting(init: Frame, check: CheckResult, blocks: Sources) -> Frame:
    """Return the only line of `__init__` that sets an attribute named in the message; else the line of its `def`."""
    inside = function_around(init, blocks).items()
    labels = [reading.label for reading in check.readings]
    for name in re.findall(r"[.`](\w+)\b", " ".join([check.message, *labels])):
        at = [n for n, line in inside if re.match(rf"\s*self\.{name}\s*(?::[^=]*)?=(?!=)", line)]
        if len(at) == 1:
            return Frame(init.block, at[0], init.function)
    return init


def definition_at(frame: Frame | None, blocks: Sources) -> Location | None:
    """Return the location of a definition: the line of its `def`, below any decorators."""
    if frame is None:
        return None
    blocks.grow()
    line = _below_decorators(lines_of(frame.block, blocks), frame.line)
    return where_at(Frame(frame.block, line, frame.function), blocks)


def _uses_another(place: Frame, functions: Iterable[Frame], blocks: Sources) -> bool:
    """Return True for a function that names another function to which checks also point."""
    words = {word for line in function_around(place, blocks).values() for word in re.findall(r"\w+", line)}
    return any(other != place and other.function.rpartition(".")[2] in words for other in functions)

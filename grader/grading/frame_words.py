"""Sentences about an error, from the frame that raised it: the values of its names and the lines that set them."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from grader.grading.answers import list_names
from grader.grading.locations import MAX_LINE, MAX_LINES, WRONG_CALL, definition_at, place_of, where_at
from grader.sandbox import Frame
from grader.sandbox.kinds import with_article
from grader.submissions.submission import indent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.sandbox import Sandbox, StudentError
    from grader.sandbox.errors import HeldValue
    from grader.submissions.submission import Sources

MOST = 4  # names in a sentence
# Ways to give NAME a value other than a line `NAME = ...`.
_OTHER_WAYS = (
    r"\bfor\b[^:\n]*\bNAME\b[^:\n]*\bin\b"
    r"|\b(?:as|global|nonlocal|del|import|def|class)\s[^\n]*\bNAME\b"
    r"|\bNAME\s*(?::=|[-+*/@%&|^<>]+=(?!=)|,[^=\n()]*=(?!=)|:[^=\n]*=(?!=))"
    r"|,\s*NAME\s*\)?\s*=(?!=)|;"
)
_NUMBERS = frozenset({"int", "float", "complex", "bool"})
_SIZED = {
    "list": "a list of {} entries",
    "tuple": "a tuple of {} entries",
    "dict": "a dictionary of {} entries",
    "str": "a text of {} characters",
    "range": "a range of {} numbers",
    "set": "a set of {} entries",
}
_PLAIN = frozenset({*_SIZED, "NoneType", "function", "array"})
_FUNCTIONS = {"builtin_function_or_method": "function", "method": "function"}
_KINDS = re.compile(
    r"'(\w+)' object|unhashable type: '(\w+)'"
    r"|(?:operand type\(s\) for [^:]+:|between instances of|operand) '(\w+)'(?: and '(\w+)')?"
    r"|must be real number, not (\w+)"
)
_WITH_AXIS = r"\bnp\.(max|min|sum|mean|prod|argmax|argmin)\([^()=\[\]]+,[^()=\[\]]+\)"
# Python's text, and the pattern of NAME in the line if the error is about its value.
_USES = {
    r"not subscriptable": r"NAME\s*\[",
    r"not (?:iterable|reversible)": r"(?:\bin\s+|[(*,]\s*)NAME\s*(?:[):\],]|$)",
    r"unhashable type": r"(?:[({\[,:]\s*|^\s*|\bif\s+|\bnot\s+)NAME\s*(?:[)}\],:]|\b(?:not\s+)?in\b)",
    r"unsupported operand": r"[-+*/%@]=?\s*NAME(?!\s*[.\[(\w])|NAME\s*[-+*/%@]",
    r"not supported between": r"[<>]=?\s*NAME(?!\s*[.\[(\w])|NAME\s*[<>]|\b(?:max|min)\([^()]*\bNAME\s*[,)]",
    r"must be real number|not support ufuncs|as an integer": r"[(,]\s*NAME\s*[,)]",
    r"not callable": r"NAME\s*\(",
    r"no attribute '(?P<attribute>\w+)'": r"NAME\s*\.\s*ATTRIBUTE\b",
}


def frame_words(error: StudentError, blocks: Sources) -> str:
    """Return sentences about the names in the expression that raised an error; "" if none seems to be the cause."""
    if error.type == "UnboundLocalError":
        return _unbound(error, blocks)
    functions = [function for frame in error.frames if (function := _Function.around(frame, blocks))]
    if any(re.search(r"\b(?:except|finally)\b", line) for each in functions for line in each.lines):
        return ""  # these may have changed the names since
    lines = [where.text for frame in error.frames if (where := where_at(frame, blocks))]
    found = list(_about(error, lines[-1])) if lines else []
    told = [f"`{one.name}` {words}.{_set_by(one, error, blocks)}" for one, words in found]
    told = [*told, _called_itself(error, blocks)] if 0 < len(told) <= MOST else []
    told += _not_an_int(error, functions[-1:], blocks)
    return " ".join(filter(None, [*told, *_python_itself(error, lines)]))


def _python_itself(error: StudentError, lines: list[str]) -> Iterator[str]:
    """Yield sentences about Python's meaning of a piece of the lines that is easily misread."""
    if lines and re.search(
        r"^'(?!None)[A-Z]\w*' object has no attribute '(\w+)'\n.*\.\1\s*=(?!=)(?!.*\.\1\b)",
        f"{error.text}\n{lines[-1]}",
    ):
        yield "A class with `__slots__` gives its objects only the attributes that `__slots__` lists."
    if "operand type(s) for ^" in error.text:
        yield "In Python, `**` is the power operator; `^` works on the bits of whole numbers."
    same = re.search(r"between instances of '(\w+)' and '\1'", error.text)
    if lines and same and (sort := re.search(r"\b(sorted|min|max|sort)\s*\(", lines[-1])):
        yield f"`{sort[1]}` compares the objects, and {with_article(same[1])} has no order."
    if "truth value of an array" in error.text:
        yield (
            "Comparing an array gives an answer for each entry, but `if`, `and` and `while` need a single answer. To "
            "work entry by entry, multiply by the comparison or use `np.where`. To ask about the whole array, use "
            "`any()` or `all()`."
        )
    if "object is not iterable" in error.text:
        names = dict.fromkeys(name for line in lines for name in re.findall(r"[,(]\s*\((\w+)\)\s*[,)]", line))
        yield from (
            f"`({name})` is just `{name}`; a tuple of one entry needs a comma: `({name},)`." for name in names
        )
    if lines and re.search("as an integer|out of bounds for array of dimension", error.text):
        for name in dict.fromkeys(re.findall(_WITH_AXIS, lines[-1])):
            larger = f"; to compare two numbers, use `np.{name}imum`" if name in {"max", "min"} else ""
            yield f"The second argument of `np.{name}` is an axis{larger}."


def _not_an_int(error: StudentError, functions: list[_Function], blocks: Sources) -> Iterator[str]:
    """Yield sentences about a line `isinstance(NAME, int)`, where NAME is a float instead of the needed object."""
    floats = [one.name for one in error.held if one.kind == "float" and "'float' object has no" in error.text]
    for function, name in itertools.product(functions, floats):
        asked = f"isinstance({name}, int)"
        lines = [function.first + i for i, line in enumerate(function.lines) if asked in line]
        places = [where_at(Frame(error.frames[-1].block, line, ""), blocks) for line in lines[:1]]
        yield from (f"`{asked}` in line {where.line} is False for a float." for where in places if where)


def call_words(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return sentences about a call with wrong arguments: the function's definition, and its likely fault."""
    call = WRONG_CALL.match(error.text) if error.type == "TypeError" else None
    if call is None:
        return ""
    outer, _, name = call[1].rpartition(".")
    is_closure, outer = outer.endswith(".<locals>"), outer.removesuffix(".<locals>")
    with sandbox.explaining():
        found = sandbox.find_definitions([call[1], outer or call[1]])
    inner, around = (definition_at(frame, blocks) for frame in found)
    at = found[0]
    if at is None or inner is None or around is None:
        return ""
    told = [f"`{name}` is defined in {place_of(inner)}: `{inner.text}`."] if error.frames else []
    missing = re.findall(r"'(\w+)'", error.text) if is_closure and " missing " in error.text else []
    if missing and all(re.search(rf"\b{each}\b", around.text) for each in missing):
        names = list_names([f"`{each}`" for each in missing])
        told.append(
            f"`{name}` can read the {names} of `{outer.rpartition('.')[2]}` directly, without an argument."
        )
    given = re.search(r"takes (\d+) positional arguments? but (\d+) w", error.text)
    first_line = blocks[at.block].line(at.line).lstrip()
    has_self = re.search(r"\(\s*self\b", inner.text) or first_line[:1] == "@" or not outer or is_closure
    if (
        given
        and not has_self
        and int(given[2]) == int(given[1]) + 1
        and (given[1] == "0" or name[:2] == "__")
    ):
        told.append("Python passes the object to a method as the first argument: `self` is missing.")
    return " ".join(told)


def _called_itself(error: StudentError, blocks: Sources) -> str:
    """Return a sentence about a function that calls itself because it has the name of an imported one."""
    before, last = [None, *error.frames][-2:]
    name = last.function.rpartition(".")[2] if last else ""
    where = where_at(before, blocks) if before and last and before.function == last.function else None
    if where is None or not re.search(rf"(?<![\w.]){re.escape(name)}\s*\(", where.text):
        return ""
    source = rf"from\s+(\w+)\s+import\s.*\b{re.escape(name)}\b|{re.escape(name)}\s*=\s*(math)\."
    lines = (line for block in blocks for line in block.source.split("\n") if len(line) <= MAX_LINE)
    found = [match[1] or match[2] for line in lines if (match := re.match(source, line))]
    return f"In that line, `{name}` is this function itself, not the one from {found[0]}." if found else ""


def _about(error: StudentError, line: str) -> Iterator[tuple[HeldValue, str]]:
    """Yield the names that the error is about, each with words about its value, by the kind of the error."""
    arrays = [one for one in error.held if one.kind == "array"]
    if re.search("shape|broadcast|dimension|truth value of an array", error.text):
        yield from ((one, f"has the shape {one.form.partition(' ')[2]}") for one in arrays)
    elif "Cannot cast" in error.text:
        for one in arrays:
            kind = one.form.partition(" ")[0]
            if kind.startswith(("int", "uint")) and _stands(one, r"NAME\s*[-+*/@]*=(?!=)", line):
                yield one, f"holds whole numbers ({kind})"
    elif error.type == "ZeroDivisionError":
        zeros = [one for one in error.held if one.kind in _NUMBERS and one.form in {"0", "0.0", "-0.0"}]
        yield from (
            (one, f"is {one.form}") for one in zeros if _stands(one, r"[/%]\s*NAME(?!\s*[.\[(\w])", line)
        )
    elif error.text in {"math domain error", "math range error"}:
        numbers = [one for one in error.held if one.kind in _NUMBERS]
        yield from (
            (one, f"is {one.form}") for one in numbers if _stands(one, r"math\.\w+\([^()]*NAME", line)
        )
    elif error.type == "IndexError":
        yield from (
            (one, words)
            for one in error.held
            if one.kind not in {"NoneType", "function"} and (words := _value(one))
        )
    elif error.type in {"TypeError", "AttributeError"} and (match := _KINDS.search(error.text)):
        kinds = {_FUNCTIONS.get(kind, kind) for kind in match.groups()}
        if re.search(
            "operand type|between", error.text
        ):  # an operand is wrong if it is no number next to a number; without numbers, if it is a plain value
            kinds = kinds - _NUMBERS if kinds & _NUMBERS else kinds & _PLAIN
        uses = (
            use.replace("ATTRIBUTE", match.groupdict().get("attribute", ""))
            for said, use in _USES.items()
            if (match := re.search(said, error.text))
        )
        pattern = next(uses, "")
        for one in error.held:
            kind = one.form.partition(" ")[0] if one.kind == "instance" else one.kind
            words = _value(one, attributes="attribute" in error.text)
            if kind in kinds and pattern and _stands(one, pattern, line) and words:
                yield one, words


def _stands(one: HeldValue, pattern: str, line: str) -> bool:
    """Return True if the name appears in a line as the pattern says."""
    name = r"\s*\.\s*".join(map(re.escape, one.name.split(".")))
    return re.search(pattern.replace("NAME", rf"(?<![\w.]){name}\b"), line) is not None


def _value(one: HeldValue, *, attributes: bool = False) -> str:
    """Return words about the value of a name; with `attributes`, an object's attributes too."""
    if one.kind == "function":
        return "is the function itself, not its result"
    if one.kind == "array":
        return f"has the shape {one.form.partition(' ')[2]}"
    if one.kind in _SIZED:
        return f"is {_SIZED[one.kind].format(one.form)}"
    if one.kind == "instance":
        kind, *names = one.form.split(" ")
        has = (
            f"; its own attributes: {list_names([f'`{name}`' for name in names])}"
            if names and attributes
            else ""
        )
        return f"is {with_article(kind)}{has}" if has or not attributes else ""
    return f"is {one.form}" if one.kind in {*_NUMBERS, "NoneType"} else ""


# --- Which line set a name


def _set_by(one: HeldValue, error: StudentError, blocks: Sources) -> str:
    """Return a sentence with the only line that can have set a name; "" for names with dots."""
    frame = error.frames[-1]
    function = _Function.around(frame, blocks)
    line = function.setter(one.name, frame.line) if function and "." not in one.name else 0
    where = where_at(Frame(frame.block, line, frame.function), blocks) if line else None
    return f" Line {where.line} set it: `{where.text}`." if where else ""


def _unbound(error: StudentError, blocks: Sources) -> str:
    match = re.search(r"local variable '(\w+)'", error.text)
    function = _Function.around(error.frames[-1], blocks) if match and error.frames else None
    if match is None or function is None:
        return ""
    frame, name = error.frames[-1], match[1]
    found = [where_at(Frame(frame.block, line, ""), blocks) for line in function.assignments(name)]
    lines = [str(where.line) for where in found if where]
    where = f" in line {list_names(lines)}" if 0 < len(lines) < MOST else ""
    return f"`{function.name}` assigns to `{name}`{where}, so `{name}` is a local variable there, and it had no value yet."


class _Function(NamedTuple):
    """A student's function as text: its name, the line of its `def`, and its lines from there."""

    name: str
    first: int
    lines: list[str]

    @classmethod
    def around(cls, frame: Frame, blocks: Sources) -> _Function | None:
        """Return the function of a frame; None if its text is too long or not plain."""
        parts = [part for part in frame.function.split(".") if not part.startswith("<")]
        if not parts or where_at(frame, blocks) is None:  # a jail may send any place
            return None
        lines = blocks[frame.block].source.split("\n")
        begins = re.compile(rf"(\s*)def {re.escape(parts[-1])}\b")
        first = next((i for i in range(frame.line - 1, -1, -1) if begins.match(lines[i])), None)
        if first is None:
            return None
        head, *rest = _without_docstring(lines[first : first + MAX_LINES + 1])
        body = [
            head,
            *itertools.takewhile(lambda line: not line.strip() or indent_of(line) > indent_of(head), rest),
        ]
        is_plain = frame.line - first <= len(body) <= MAX_LINES and max(map(len, body)) <= MAX_LINE
        is_plain = is_plain and body[0].rstrip().endswith(":")
        quotes = any(line.count(mark) % 2 for line in body for mark in ('"""', "'''"))
        return cls(parts[-1], first + 1, body) if is_plain and not quotes else None

    def assignments(self, name: str) -> list[int]:
        """Return the lines of the block that begin with `name = ...`."""
        pattern = re.compile(rf"\s+{name}\s*=(?!=)")
        return [self.first + i for i, line in enumerate(self.lines) if pattern.match(line)]

    def setter(self, name: str, line: int) -> int:
        """Return the line of the block that set a local name before this line; 0 if several lines can have."""
        if re.search(_OTHER_WAYS.replace("NAME", name), "\n".join(self.lines), re.MULTILINE):
            return 0
        found = self.assignments(name)
        has_inner = any(re.match(r"\s*(?:async\s+def|def|class)\b", each) for each in self.lines[1:])
        if len(found) == 1 and not has_inner and not re.search(rf"\b{name}\b", self.lines[0]):
            return found[0] if found[0] != line else 0
        depth = min(map(indent_of, filter(str.strip, self.lines[1:])), default=0)
        if any(indent_of(self.lines[each - self.first]) != depth for each in found):
            return 0
        return max((each for each in found if each < line), default=0)


def _without_docstring(lines: list[str]) -> list[str]:
    """Return the lines of a function, with empty lines instead of a plain docstring of several lines."""
    mark = lines[1].strip()[:3] if len(lines) > 1 else ""
    end = next((i for i, line in enumerate(lines) if i > 1 and mark in line), 0)
    text = "\n".join(lines[1 : end + 1])
    is_plain = (
        mark in {'"""', "'''"} and text.count(mark) == 2 and text.rstrip().endswith(mark) and "\\" not in text
    )
    return [lines[0], *[""] * end, *lines[end + 1 :]] if is_plain else lines

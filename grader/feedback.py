"""What the student is told: messages of checks, places in their file, notes about its cells."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING

import pytest

from grader.report import Outcome, Where, clean
from grader.sandbox import (
    SLOW_SECONDS,
    ProtocolViolation,
    Sandbox,
    StudentError,
    SubmissionStopped,
    Undefined,
)
from grader.student import Unanswered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.sandbox import Frame
    from grader.submission import Block
    from grader.suite import TestResult

MAX_NOTES = 12
MAX_SHOWN = 3  # frames of an error
_CLOSED = frozenset({"PermissionError", "FileNotFoundError", "URLError", "gaierror"})


def check_message(
    first: TestResult,
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sequence[Block],
    *,
    shown: bool,
) -> str:
    """Why a check did not pass, by the first of its tests that did not.

    With `shown` false nothing of a hidden test is told but the student's own error, and of that no word that
    the test's numbers may have made.
    """
    parts = [_what(first, sandbox, blocks, shown=shown)]
    if _depends_on_order(results):
        parts.append(
            "The result depends on the order in which a set is iterated: with the same values it is "
            "right in one order and wrong in another."
        )
    return " ".join(part for part in parts if part)


def _what(result: TestResult, sandbox: Sandbox, blocks: Sequence[Block], *, shown: bool) -> str:
    error = result.error
    if isinstance(error, Unanswered):
        return f"`{error.name}` is still a blank (`...`)."
    if isinstance(error, Undefined):
        return _undefined(error, sandbox, blocks)
    if isinstance(error, StudentError):
        if result.outcome is Outcome.TODO:
            told = error.text if shown or _stands_in(error.text, blocks) else ""
            return clean(told) or "This is still to be written."
        about = (
            f"{result.test.doc} {_raised(error)}" if shown else f"In a hidden test: {_bare(error, blocks)}"
        )
        return f"{about}{_advice(error, sandbox, blocks)}"
    if isinstance(error, pytest.skip.Exception):
        return str(error.msg)
    if isinstance(error, ProtocolViolation) and not shown:
        return "The submission wrote to the grader's own channel."
    if isinstance(error, SubmissionStopped):
        endless = getattr(error, "limit", "") in {"check_seconds", "load_seconds"}
        advice = " Most often that is a loop that does not come to an end." if endless else ""
        return f"{clean(str(error))[:1].upper()}{clean(str(error))[1:]}.{advice}"
    if not shown:
        return "A hidden test of this check does not pass."
    if result.failure and result.failure.text:
        return f"{result.test.doc} {result.failure.text}"
    if isinstance(error, AssertionError):
        return result.test.doc
    return f"{result.test.doc} What was read is not of the kind that is expected: {clean(str(error))}"


def _raised(error: StudentError) -> str:
    return _sentence(clean(str(error)))


def _bare(error: StudentError, blocks: Sequence[Block]) -> str:
    """Name an error without what its type or text may carry: a class or a message can be made for a number."""
    kind = error.type if hasattr(builtins, error.type) or _stands_in(error.type, blocks) else "an error"
    found = _PYTHONS_OWN.fullmatch(error.text)
    plain = found is not None and all(_stands_in(name, blocks) for name in found.groups() if name)
    return _sentence(clean(f"{kind}: {error.text}" if plain else kind))


# What Python itself says, where that helps; its names are told only if they stand in the student's file.
_PYTHONS_OWN = re.compile(
    r"name '(\w+)' is not defined|No module named '([\w.]+)'|"
    r"maximum recursion depth exceeded(?: in comparison| while calling a Python object)?"
)


def _stands_in(text: str, blocks: Sequence[Block]) -> bool:
    return any(text in block.source for block in blocks)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _advice(error: StudentError, sandbox: Sandbox, blocks: Sequence[Block]) -> str:
    name = error.missing_name if _stands_in(error.missing_name, blocks) else ""
    if error.type == "RecursionError":
        return " A function calls itself without coming to an end, or deeper than Python allows."
    if error.type == "MemoryError" or "[Errno 12]" in error.text:  # ENOMEM
        return f" More than {sandbox.limits.memory_mb} MB of memory were asked for (memory_mb)."
    if "can't start new thread" in error.text:
        return " A submission may start only a few hundred threads; a small program needs none."
    if error.type in _CLOSED:
        in_cell = error.frames and error.frames[0].function == "<module>"
        remedy = "; tag the cell `demo` and grading leaves it out." if in_cell else "."
        return f" While grading, a submission has no files, no network and no other programs{remedy}"
    if error.type == "EOFError":
        return " Nobody is there to type while grading: use a value instead of input()."
    if error.type not in {"NameError", "UnboundLocalError"} or not name:
        return ""
    if name in {"math", "random"}:
        return f" An `import {name}` is missing above it."
    defined = sandbox.defined_in(name)
    failed = [blocks[i] for i in defined if i in sandbox.errors and sandbox.errors[i] is not error]
    if failed:
        return f" {_cells(failed)}, where `{clean(name, 60)}` is defined, did not come to the end; look there first."
    if defined:
        where = _cells([blocks[i] for i in defined])
        return f" `{clean(name, 60)}` is defined only in {where}; cells run from top to bottom."
    return ""


def _cells(blocks: Sequence[Block]) -> str:
    return " and ".join(dict.fromkeys(map(_cell, blocks)))


def _undefined(error: Undefined, sandbox: Sandbox, blocks: Sequence[Block]) -> str:
    cause = error.cause
    if cause is None:
        return f"`{error.name}` is not defined yet."
    if isinstance(cause, StudentError):
        if cause.type == "NotImplementedError":
            return clean(cause.text) or f"`{error.name}` is still to be written."
        where = where_of(cause, blocks)
        place = f" in {place_of(where)}" if where else ""
        told = _raised(cause) + (_advice(cause, sandbox, blocks) or _quotes(cause, where))
        return f"`{error.name}` is missing, because of an error{place}: {told}"
    cells = [_cell(blocks[i]) for i, e in sandbox.errors.items() if e is cause]
    return f"`{error.name}` is missing, because of {', '.join(cells)}: {clean(str(cause))}."


def _quotes(error: StudentError, where: Where | None) -> str:
    """In a line of the form `answer = name` or `answer = [name, ...]` the name was perhaps meant as text."""
    name = error.missing_name
    if error.type != "NameError" or not name or where is None or where.inside:
        return ""
    if not re.fullmatch(
        rf"\w+ *= *(?:[\[({{].*)?\b{re.escape(name)}\b(?:.*[\])}}])? *(?:#.*)?", where.text.strip()
    ):
        return ""
    return f' If it is the answer that is meant, write it in quotes, as text: "{clean(name, 60)}".'


def _cell(block: Block) -> str:
    """A cell without its line."""
    return f"cell {block.cell}" if block.cell else block.file


def place_of(where: Where) -> str:
    """A place in words."""
    if where.cell is None or not where.file.endswith(".ipynb"):
        return f"{where.file}, line {where.line}"
    return f"cell {where.cell}, line {where.line}"


def where_of(error: BaseException | None, blocks: Sequence[Block]) -> Where | None:
    """The innermost line of the student's that an error passed through."""
    return next(reversed(frames_of(error, blocks)), None)


def frames_of(error: BaseException | None, blocks: Sequence[Block]) -> list[Where]:
    """The student's own lines that an error passed through, outermost first; of many the ends."""
    if isinstance(error, Undefined):
        error = error.cause
    if not isinstance(error, StudentError):
        return []
    found = [where for frame in error.frames if (where := where_at(frame, blocks))]
    found = [where for i, where in enumerate(found) if i == 0 or where != found[i - 1]]
    lines = {where.inside for where in found if not where.text.startswith("def ")}
    found = [where for where in found if not (where.text.startswith("def ") and where.inside in lines)]
    return found if len(found) <= MAX_SHOWN else [found[0], *found[1 - MAX_SHOWN :]]


def where_at(frame: Frame, blocks: Sequence[Block]) -> Where | None:
    """A place that the jail tells, or None for one that is in no block."""
    if not (0 <= frame.block < len(blocks) and 0 < frame.line <= blocks[frame.block].lines):
        return None
    block = blocks[frame.block]
    line = block.first_line + frame.line - 1
    inside = _function(frame.function, block.source)
    return Where(block.file, block.cell, line, clean(block.line(frame.line), 120), inside)


def _function(name: str, source: str) -> str:
    """Return the function in which a place is, as a student would say it.

    Nothing for the cell itself, and for a name that does not stand in it: the running code may choose one.
    """
    outer, _, inner = name.rpartition(".<locals>.")
    name = outer.replace(".<locals>", "") or inner
    known = all(part in source or part == "<lambda>" for part in name.split("."))
    return clean(name, 80) if known and not name.startswith("<") else ""


def _depends_on_order(results: Sequence[TestResult]) -> bool:
    """Whether a test passes under one order of sets and fails under another."""
    outcomes: dict[tuple[str, str], set[Outcome]] = {}
    for result in results:
        outcomes.setdefault((result.test.visibility, result.test.name), set()).add(result.outcome)
    return any({Outcome.PASSED, Outcome.FAILED} <= seen for seen in outcomes.values())


# --- Notes


def load_notes(sandbox: Sandbox, blocks: Sequence[Block]) -> list[str]:
    """What happened while the cells ran: errors, slow cells, too much output."""
    notes = [
        f"{_place(i, error, blocks)}: {_sentence(clean(str(error)))}"
        f"{_advice(error, sandbox, blocks) if isinstance(error, StudentError) else ''}{_line(error, blocks)}"
        for i, error in sorted(sandbox.errors.items())
        if not (isinstance(error, StudentError) and error.type == "NotImplementedError")
    ]
    notes += [
        f"{_cell(blocks[i])} took {seconds:.1f} s; it was run once, not before every "
        "test. Tag it `demo` and grading leaves it out."
        for i, seconds in sorted(sandbox.seconds.items())
        if seconds > SLOW_SECONDS and i not in sandbox.errors
    ]
    size, limit = sandbox.printed[0], sandbox.limits.output_kb << 10
    if size > limit:
        notes.append(
            f"the cells print {size >> 10:,} kB; only the first {limit >> 10} kB were kept (output_kb)"
        )
    if len(notes) > MAX_NOTES:
        notes = [*notes[:MAX_NOTES], f"and {len(notes) - MAX_NOTES} more"]
    return notes


def _place(index: int, error: BaseException, blocks: Sequence[Block]) -> str:
    block = blocks[index]
    frames = error.frames if isinstance(error, StudentError) else ()
    place = block.place(frames[0].line) if frames else _cell(block)
    several = len({other.file for other in blocks}) > 1 and block.file not in place
    return f"{block.file}, {place}" if several else place


def _line(error: BaseException, blocks: Sequence[Block]) -> str:
    where = where_of(error, blocks)
    return f"  ->  {where.text}" if where and where.text else ""

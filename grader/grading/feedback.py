"""Feedback: the messages of checks, and the notes about the cells of the student's file."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from grader.grading.answers import WrongAnswer, list_names
from grader.grading.frame_words import call_words, frame_words
from grader.grading.locations import function_around, left_raise, place_in, place_of, where_of
from grader.grading.redefinitions import hiding_line, second_class, second_definition
from grader.grading.special_methods import missing_method, reflected_operator
from grader.report import Outcome, cap
from grader.sandbox import (
    SLOW_SECONDS,
    Sandbox,
    StudentError,
    SubmissionStopped,
    Undefined,
    safely,
)
from grader.sandbox.kinds import with_article
from grader.sandbox.proxy import short
from grader.sandbox.student import Unanswered
from grader.submissions.submission import TEXT_CELLS, definitions
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from grader.grading.locations import Slip
    from grader.report import CheckResult, Fact, Location
    from grader.submissions.submission import Block, Sources
    from grader.topic import TestResult

MAX_NOTES = 12
MAX_NAMES = 300  # of the student's that are searched for a similar one
NEAR = 0.8  # of 1, the similarity of two names as difflib measures it
NO_THREAD = "can't start new thread"  # in Python's error
WRONG = "A hidden test of this check does not pass."
SKIPS = frozenset({TestOutcome.SKIPPED, TestOutcome.UNJUDGED})
_NO_FLOATS = frozenset({"Fraction", "Decimal", "complex", "complex128"})  # numbers that are not read
_CLOSED = frozenset({"PermissionError", "FileNotFoundError", "URLError", "gaierror"})


def first_open(check: CheckResult, results: Iterable[TestResult]) -> TestResult | None:
    """Return the test that the message is about: a failed one, or a blank for a check to do; else one that skips."""
    of_todo, of_failed = (TestOutcome.TODO, TestOutcome.SKIPPED), (TestOutcome.FAILED, TestOutcome.UNJUDGED)
    order = of_todo if check.outcome is Outcome.TODO else of_failed
    return next((result for wanted in order for result in results if result.outcome is wanted), None)


def check_message(
    first: TestResult,
    results: Sequence[TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    *,
    shown: bool,
    slip: Slip | None = None,
    facts: Sequence[Fact] = (),
) -> str:
    """Return the reason why a check did not pass, from `first`, its first test that did not pass.

    Without `shown`, `first` is a hidden test that judges an answer, and the message reveals nothing of it. The message
    does not repeat the topic's `facts`.
    """
    explained = shown and is_explained(first.error, facts)
    named = any(fact.kind == "name" for fact in facts)
    parts = ["" if explained else _ending_words(first, sandbox, blocks, shown=shown, named=named)]
    if shown and first.failure and first.failure.object:
        label, kind = first.failure.object
        if all(fact.get("object") != with_article(kind) for fact in facts):
            wanted = "a float" if kind in _NO_FLOATS else "a number"
            parts.append(f"{label} {'became' if slip else 'is'} {with_article(kind)}; it must be {wanted}.")
    if shown and slip:
        parts.append(f"Did you write `{slip.written}` where `{slip.meant}` belongs?")
    if shown:
        parts += [hiding_line(first, sandbox, blocks), _other_answers(first, results)]
    if _depends_on_order(first, results):
        parts.append(
            "With the same values, the result is right in one run and wrong in another. It depends on the order of a "
            "set, or on something else that changes between runs, such as `id`."
        )
    return " ".join(part for part in parts if part)


def is_explained(error: BaseException | None, facts: Iterable[Fact]) -> bool:
    """Return True if one of the facts is the cause of the error: the error's text contains a part that the fact names.

    The error is the student's, or the check's own error about a value of the student's.
    """
    if isinstance(error, StudentError):
        text = f"{error.type}: {error.text}"
    elif isinstance(error, AttributeError | TypeError):
        text = f"{type(error).__name__}: {error}"
    else:
        return False
    return any(part in text for fact in facts for part in fact.texts("explains"))


def _other_answers(first: TestResult, results: Sequence[TestResult]) -> str:
    """Return sentences about a check's other wrong answers in visible tests."""
    errors = [r.error for r in results if r.test.visibility == "visible" and r.outcome is TestOutcome.FAILED]
    first_name = first.error.name if isinstance(first.error, WrongAnswer) else ""
    others = {e.name: e for e in errors if isinstance(e, WrongAnswer) and e.name != first_name}
    unfit = [str(e) for e in others.values() if e.unfit]
    names = [f"`{e.name}`" for e in others.values() if not e.unfit]
    wrong = f"{list_names(names)} {'is' if len(names) == 1 else 'are'} not right either." if names else ""
    return " ".join(filter(None, [*unfit, wrong]))


def _ending_words(result: TestResult, sandbox: Sandbox, blocks: Sources, *, shown: bool, named: bool) -> str:
    """Return sentences about how a test ended; with `named`, a fact of the topic names the attribute to use instead."""
    error = result.error
    if isinstance(error, Unanswered):
        again = second_definition(error.name, sandbox, blocks)
        return " ".join(
            filter(
                None,
                [
                    again,
                    f"`{error.name}` is still a blank (`...`).{_comparison_sentence(error.name, blocks)}",
                ],
            )
        )
    if isinstance(error, Undefined):
        return _missing_name_sentence(error, sandbox, blocks)
    if result.outcome in SKIPS:
        return str(error)
    if not shown:
        return WRONG
    if isinstance(error, StudentError):
        if result.outcome is TestOutcome.TODO:
            return left_raise(result, blocks) or _blank(error, sandbox, blocks)
        said = _advice(error, sandbox, blocks).strip() or ("" if named else frame_words(error, blocks))
        said = said or safely(lambda: call_words(error, sandbox, blocks), "")
        return " ".join(filter(None, [_error_text(error), said]))
    if isinstance(error, SubmissionStopped):
        return _limit_sentences(error, sandbox, blocks)
    if result.failure and result.failure.text:
        capitals = _capitals(error.texts, blocks) if isinstance(error, WrongAnswer) else ""
        return f"{result.failure.text}{capitals}"
    if isinstance(error, AssertionError):
        asserted = result.failure.asserted if result.failure else ""
        return f"In the test, `assert {asserted}` does not hold." if asserted else ""
    return f"The test stopped with an error: {cap(str(error))}. If your value is what the test asks for, tell your instructor."


def _limit_sentences(error: SubmissionStopped, sandbox: Sandbox, blocks: Sources) -> str:
    """Return sentences about the limit, with the line that was running or the slowest cell, if known."""
    where = where_of(error, blocks)
    stood = f" Your code was still at `{where.text}`." if where else ""
    endless = error.limit in {"check_seconds", "load_seconds"}
    advice = " The usual cause is a loop that never ends, or does too much in each round." if endless else ""
    if error.limit == "total_seconds":
        advice = _most_of_it(sandbox, blocks)
    return f"{cap(str(error))[:1].upper()}{cap(str(error))[1:]}.{stood}{advice}"


def _most_of_it(sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence about the slowest cell, if executing the cells used up the total time."""
    index = sandbox.slowest_block
    if index is None:
        return ""
    return (
        f" At least half of that time went into executing the cells; {place_in(blocks[index], 0, blocks)} took longest. "
        f"To save that time, {_out_of_the_way(index, sandbox, blocks)}"
    )


def _capitals(texts: Sequence[str], blocks: Sources) -> str:
    """Return a sentence about a name with capitals that the notebook has only in small letters.

    It depends only on the notebook, so it reveals nothing about the sealed answer.
    """
    cells = (block.source for block in blocks.skipped if block.tag not in TEXT_CELLS)
    code = "\n".join([blocks.given, *cells])
    for text in texts:
        there = [re.search(rf"([\"']){re.escape(name)}\1", code) for name in (text.lower(), text)]
        if text.lower() != text and there[0] and not there[1]:
            return f" Capital letters count: the notebook has the name {short(text.lower())} and no {short(text)}."
    return ""


def _error_text(error: BaseException) -> str:
    text = cap(str(error))
    return text if text.endswith((".", "?", "!")) else f"{text.rstrip()}."


def _advice(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    name = error.missing_name if any(error.missing_name in block.source for block in blocks) else ""
    if error.type == "RecursionError" and "maximum" in error.text:
        return " A function calls itself without end, or more often than Python allows."
    if error.type == "MemoryError" or "[Errno 12]" in error.text:  # ENOMEM
        return (
            f" Your code asked for more than {sandbox.limits.memory_mb} MB of memory, the limit `memory_mb`."
        )
    if NO_THREAD in error.text:
        return " Grading limits the number of threads; try to do without them."
    if error.type in _CLOSED:
        in_cell = error.frames and error.frames[0].function == "<module>"
        remedy = f" So {_out_of_the_way(error.frames[0].block, sandbox, blocks)}" if in_cell else ""
        files = "only the files in `data/`" if sandbox.files else "no files"
        return f" During grading, your code can use {files}, no network and no other programs.{remedy}"
    if error.type == "ModuleNotFoundError":
        return _without_module(error, sandbox, blocks)
    if error.type == "EOFError":
        return " There is no keyboard during grading: write a value instead of input()."
    if error.type in {"AttributeError", "TypeError"}:
        causes = [second_class, missing_method]
        causes = causes[::-1] if error.text.startswith("unhashable type") else causes
        return next(filter(None, (cause(error, sandbox, blocks) for cause in causes)), "")
    if error.type not in {"NameError", "UnboundLocalError"} or not name:
        return ""
    known = {"math": "math", "random": "random"} | ({"np": "numpy as np"} if sandbox.has_arrays else {})
    if name in known and name not in blocks.skipped_names:
        return f" Write `import {known[name]}` above that line."
    if sandbox.defined_in(name):
        return _out_of_order(name, error, sandbox, blocks)
    return _elsewhere(name, sandbox, blocks) or _nearby(name, error, blocks)


def _without_module(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a remedy for the use of a module that the jail lacks; "" if none is known."""
    name = error.text.partition(" ")[0].rpartition(".")[2]
    if "is not available while grading" not in error.text:
        return ""
    if name in sandbox.asked or name in blocks.given_names:
        return f" Grading does not read other files: define `{name}` in this one."
    if error.frames and error.frames[0].function == "<module>":
        return f" So {_out_of_the_way(error.frames[0].block, sandbox, blocks)}"
    return ""


def _out_of_order(name: str, error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence about a name that is defined elsewhere, if the order of the code is the cause."""
    bodies = [blocks[frame.block] for frame in error.frames if frame.function == name]
    if bodies and definitions(bodies[0].source).get(name) == "class":
        return f" `{name}` is not defined before its class body ends. In an annotation, put the whole type in quotes."
    defined = sandbox.defined_in(name)
    # Only while the cells run does a definition come too late.
    now = next((i for i, other in sandbox.errors.items() if other is error), len(blocks))
    if stopped := [blocks[i] for i in defined if i < now and i in sandbox.errors]:
        return f" `{name}` is defined in {_cells(stopped)}, which stopped with an error; look there first."
    if defined == [now] and name not in _before_error(now, sandbox, blocks):
        return f" `{name}` is defined only below that line."
    if defined[0] > now and all(name in _before_error(i, sandbox, blocks) for i in defined):
        return f" `{name}` is defined only in {_cells([blocks[i] for i in defined])}; cells run from top to bottom."
    return ""


def _before_error(index: int, sandbox: Sandbox, blocks: Sources) -> Collection[str]:
    """Return the names that a block defines before the line at which it stopped."""
    error = sandbox.errors.get(index)
    if error is None:
        return sandbox.names_in(index)
    lines = blocks[index].source.splitlines()
    line = error.frames[0].line if isinstance(error, StudentError) and error.frames else 1
    return definitions("\n".join(lines[: line - 1]))


def _blank(error: StudentError, sandbox: Sandbox, blocks: Sources) -> str:
    """Return the sentence of a blank, after one about a definition of the same name above it."""
    _, again = _stub_below(error, sandbox, blocks)
    if not again and (reached := reflected_operator(error, blocks)):
        return reached
    return " ".join(filter(None, [again, cap(error.text) or "This is still to be written."]))


def _stub_below(error: StudentError, sandbox: Sandbox, blocks: Sources) -> tuple[str, str]:
    """Return the name that a blank belongs to and a sentence about its definitions, if one is above the stub's."""
    outer = error.frames[-1].function.partition(".")[0] if error.frames else ""
    again = second_definition(outer, sandbox, blocks) if outer.isidentifier() else ""
    return outer if again else "", again


def way_to_blank(result: TestResult, sandbox: Sandbox, blocks: Sources) -> tuple[str, bool]:
    """Return the name that a stub defines again, if that led to a blank, and True if a wrong line led to it."""
    error = result.error
    if not isinstance(error, StudentError) or result.outcome is not TestOutcome.TODO:
        return "", False
    return _stub_below(error, sandbox, blocks)[0], bool(reflected_operator(error, blocks))


def _nearby(name: str, error: StudentError, blocks: Sources) -> str:
    """Return a question about a name in the same function that differs by a misspelling; attributes do not count."""
    if not error.frames or not error.frames[-1].function.rpartition(".")[2].isidentifier():
        return ""
    code = "\n".join(function_around(error.frames[-1], blocks).values())
    names = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", code)) - {name, *keyword.kwlist}
    near = _nearest(name, sorted(names)[:MAX_NAMES])
    return f" Did you mean `{cap(near, 60)}`?" if near else ""


def _elsewhere(name: str, sandbox: Sandbox, blocks: Sources) -> str:
    """Return a sentence about a name that no graded cell defines: left out, spelled differently, or still to be pasted."""
    expected = name in sandbox.asked or name in blocks.given_names
    skipped = blocks.skipped_names.get(name)
    word = definitions(skipped.source)[name] if skipped else ""
    if skipped and (expected or word):
        if skipped.tag in TEXT_CELLS:
            return f" Its definition is in {skipped.name}, a {skipped.tag.capitalize()} cell: change that cell to a code cell."
        cell = f"{skipped.name}, which is tagged `{skipped.tag}` and left out of grading"
        if word == "import":
            return f" It is imported in {cell}: import it in a cell without that tag."
        return f" Its definition is in {cell}: remove the tag."
    # In a notebook's kernel the names are not known cell by cell, so they are read from the source.
    own = {
        n: block
        for i, block in enumerate(blocks)
        for n in sandbox.names_in(i) or definitions(block.source)
        if n != name and n not in blocks.given_names
    }
    if near := _nearest(name, list(own)[:MAX_NAMES]):
        return f" There is `{cap(near, 60)}` in {own[near].name}: if you meant that one, rename it."
    if blocks.given_names.get(name) == "class" and len(blocks.own_classes) == 1:
        ((other, block),) = blocks.own_classes.items()
        return f" There is a class `{cap(other, 60)}` in {block.name}: if you meant that one, rename it."
    paste = rf'^\s*raise NotImplementedError\("(paste [^"\n]*\b{re.escape(name)}\b[^"\n]*)"\)'
    pastes = re.findall(paste, blocks.given, re.MULTILINE)
    return f" The original notebook says: {pastes[-1]}." if pastes else ""


def _nearest(name: str, names: Collection[str]) -> str:
    """Return the name that differs only in case, in underscores or by a misspelling; "" without one."""
    import difflib  # late: few submissions need it

    def plain(name: str) -> str:
        return name.replace("_", "").lower()

    names = [other for other in names if len(other) <= 2 * len(name)]
    same = next((other for other in names if plain(other) == plain(name)), "")
    return same or "".join(difflib.get_close_matches(name, names, n=1, cutoff=NEAR))


def _out_of_the_way(index: int, sandbox: Sandbox, blocks: Sources) -> str:
    """Return advice to leave a cell out of grading, or only a part of it if other code needs its names."""
    needed = sandbox.asked | blocks.given_names.keys()
    if any(name in needed or blocks.last_uses.get(name, 0) > index for name in sandbox.names_in(index)):
        return "move that part into its own cell and tag that cell `demo`, if no check needs it. Grading skips such cells."
    return "tag the cell `demo`, if no check needs it. Grading skips such cells."


# --- Missing names


def _cells(blocks: Sequence[Block]) -> str:
    return " and ".join(dict.fromkeys(block.name for block in blocks))


def _missing_name_sentence(error: Undefined, sandbox: Sandbox, blocks: Sources) -> str:
    cause = error.cause
    if cause is None:
        elsewhere = _comparison_sentence(error.name, blocks) or _elsewhere(error.name, sandbox, blocks)
        return (
            f"`{error.name}` is not defined.{elsewhere}"
            if elsewhere
            else f"`{error.name}` is not defined yet."
        )
    if isinstance(cause, StudentError):
        if cause.type == "NotImplementedError":
            return cap(cause.text) or f"`{error.name}` is still to be written."
        where = where_of(cause, blocks)
        place = f" in {place_of(where)}" if where else ""
        what = _error_text(cause) + (_quotes(cause, where) or _advice(cause, sandbox, blocks))
        return f"`{error.name}` is missing because of an error{place}: {what}"
    cells = [blocks[i].name for i, e in sandbox.errors.items() if e is cause]
    return f"`{error.name}` is missing because of {', '.join(cells)}: {cap(str(cause))}."


def _comparison_sentence(name: str, blocks: Sources) -> str:
    """Return a sentence about a line such as `answer == 3`, which assigns nothing."""
    for block in blocks:
        if match := re.search(rf"^{name} *==.*", block.source, re.MULTILINE):
            place = place_in(block, match.string.count("\n", 0, match.start()) + 1, blocks)
            return (
                f" `{cap(match[0].strip(), 60)}` in {place} only compares: write one `=` to assign the value."
            )
    return ""


def _quotes(error: StudentError, where: Location | None) -> str:
    """Return advice about a line such as `answer = name`, if the name may be meant as text."""
    name = error.missing_name
    if error.type != "NameError" or not name or where is None or where.inside:
        return ""
    if re.search(rf"\b{re.escape(name)}\s*[.(\[]", where.text):  # not meant as text
        return ""
    if not re.fullmatch(
        rf"\w+ *= *(?:[\[({{].*)?\b{re.escape(name)}\b(?:.*[\])}}])? *(?:#.*)?", where.text.strip()
    ):
        return ""
    return f' If this is your answer, write it in quotes: "{cap(name, 60)}".'


def _depends_on_order(first: TestResult, results: Sequence[TestResult]) -> bool:
    """Return True if this test passes under one order of sets and fails under another."""
    key = (first.test.visibility, first.test.name)
    same = [result for result in results if (result.test.visibility, result.test.name) == key]
    ended = {r.outcome for r in same if not isinstance(r.error, SubmissionStopped)}  # else the time ran out
    return {TestOutcome.PASSED, TestOutcome.FAILED} <= ended


# --- Notes


def load_notes(
    sandbox: Sandbox, blocks: Sources, reported: Sequence[BaseException] = (), *, of_time: bool = True
) -> list[str]:
    """Return notes about running the cells: errors outside `reported`, slow cells, too much output.

    `reported` has the errors that a check reports in full. A slow cell is slow in processor time, not because the machine
    is busy. Notes `of_time` are no faults; authors do not get them.
    """
    errors = [(i, error) for i, error in sorted(sandbox.errors.items()) if not _is_reported(error, reported)]
    slow = [i for i, seconds in sorted(sandbox.own.items()) if of_time and seconds > SLOW_SECONDS]
    slow = [i for i in slow if not _only_imports(blocks[i])]  # no advice would save that time
    notes = [_error_note(i, error, sandbox, blocks) for i, error in errors[:MAX_NOTES]]
    notes += [
        f"{blocks[i].name} took {sandbox.own[i]:.1f} s. "
        f"To save that time, {_out_of_the_way(i, sandbox, blocks)}"
        for i in slow[:MAX_NOTES]
    ]
    if sandbox.shares:
        seconds = sandbox.limits.total_seconds
        notes.append(
            f"running the cells again for each check would take longer than {seconds:g} s, the limit `total_seconds`. So the "
            "last checks share one run of the cells: an object that one check changes stays changed for the next check"
        )
    size, limit = sandbox.printed[0], sandbox.limits.output_kb << 10
    if size > limit:
        notes.append(
            f"the cells print {size >> 10:,} kB; only the first {limit >> 10} kB were kept, the limit `output_kb`"
        )
    count = len(errors) + len(slow) + sandbox.shares + (size > limit)
    return [*notes[:MAX_NOTES], *([f"and {count - MAX_NOTES} more"] if count > MAX_NOTES else [])]


def _only_imports(block: Block) -> bool:
    """Return True if each line is an import, a comment or blank."""
    return all(re.match(r"\s*(?:(?:import|from)\b|#|$)", line) for line in block.source.splitlines())


def _error_note(index: int, error: BaseException, sandbox: Sandbox, blocks: Sources) -> str:
    advice, at = "", 0
    if isinstance(error, StudentError):
        advice, at = _advice(error, sandbox, blocks), error.frames[0].line if error.frames else 0
    where = where_of(error, blocks)
    line = f"  ->  {where.text}" if where and where.text else ""
    return f"{place_in(blocks[index], at, blocks)}: {_error_text(error)}{advice}{line}"


def _is_reported(error: BaseException, reported: Sequence[BaseException]) -> bool:
    """Return True if a check reports this error: in full, by the missing name, or as still to be written."""
    if isinstance(error, StudentError) and error.type == "NotImplementedError":
        return True
    missing = {other.name for other in reported if isinstance(other, Undefined)}
    name = error.missing_name if isinstance(error, StudentError) and error.type == "NameError" else None
    return name in missing or any(error is other for other in reported)

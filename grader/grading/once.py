"""One cause, told once: the first check that it stops tells it, and later ones lead there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.grading.feedback import TAKE_OUT, first_open, lacks
from grader.report import Outcome, clean
from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.report import CheckResult
    from grader.topic import TestResult


def tell_once(
    checks: Sequence[CheckResult],
    results: Sequence[TestResult],
    facts: Mapping[str, Sequence[str]],
) -> list[BaseException]:
    """Keep each cause at the first check that has it; `facts` are sentences for one check's message.

    A cause is a missing name, an error at a line, an operation with a wrong rule, a walk or a mistake. Gives the
    errors that are told in full.
    """
    first: dict[object, str] = {}  # cause -> the check that tells it
    told: list[BaseException] = []
    for check in checks:
        test = first_open(check, [result for result in results if result.test.check == check.id])
        error = test.error if test and check.outcome in (Outcome.FAILED, Outcome.TODO) else None
        keys = _errors(error, check.message)
        if error and (known := next((first[key] for key in keys if key in first), None)):
            _lead_to(known, check, _again(error, known, check.message))
            continue
        _leave_out_known(check, first, facts.get(check.id, ()))
        if error and keys and not check.see:
            first |= dict.fromkeys(keys, check.id)
            told += [error, *([error.cause] if isinstance(error, Undefined) and error.cause else [])]
    return told


def _lead_to(known: str, check: CheckResult, words: str) -> None:
    """Have a check say nothing but where its cause is told."""
    check.see, check.message = known, words
    check.where, check.frames, check.readings, check.chart = None, [], [], None
    check.rules, check.walk, check.mistakes = [], None, []


# --- Errors


def _errors(error: BaseException | None, message: str) -> list[object]:
    """Return keys by which a cause is recognised: a missing name, an error at a line, a `raise` that was left."""
    name = error.name if isinstance(error, Undefined) else lacks(error)
    causes: list[object] = [("missing", name)] if name else []
    if isinstance(error, Undefined):
        error = error.cause
    if isinstance(error, StudentError) and error.frames and error.type != "NotImplementedError":
        causes.append((error.type, error.text, error.frames[-1]))
    return [*causes, *([message] if message.startswith(TAKE_OUT) else [])]


def _again(error: BaseException, first: str, message: str) -> str:
    """Name the cause in short, where the check `first` tells it in full; no name that `message` leaves out."""
    name = error.name if isinstance(error, Undefined) else lacks(error)
    if name and name in message:
        return f"`{clean(name, 60)}` is missing, as in {first}."
    todo = isinstance(error, StudentError) and error.type == "NotImplementedError"
    return f"Stopped by the same {'line' if todo else 'error'} as {first}."


# --- Explanations


def _leave_out_known(check: CheckResult, first: dict[object, str], facts: Sequence[str]) -> None:
    """Take out what an earlier check tells; where nothing else is left to tell, only lead there."""
    rules: dict[object, str] = {("operation", rule.operation): rule.operation for rule in check.rules}
    walks: dict[object, str] = {("walk", check.walk.where): "walk"} if check.walk else {}
    mistakes: dict[object, str] = {("mistake", mistake.id): mistake.id for mistake in check.mistakes}
    known = {key: first[key] for key in (*rules, *walks, *mistakes) if key in first}
    check.rules = [rule for rule in check.rules if ("operation", rule.operation) not in known]
    check.walk = None if walks.keys() & known.keys() else check.walk
    check.mistakes = [mistake for mistake in check.mistakes if ("mistake", mistake.id) not in known]
    words = _elsewhere([rules, walks, mistakes], known)
    if words and not (check.rules or check.walk or check.mistakes or facts):
        _lead_to(next(iter(known.values())), check, words)
    else:
        check.message = " ".join(filter(None, [check.message, *facts, words]))
        first |= {key: check.id for key in (*rules, *walks, *mistakes) if key not in first}


def _elsewhere(kinds: Sequence[Mapping[object, str]], known: Mapping[object, str]) -> str:
    """Return where the known causes are told: those of the first kind that has some, in one line."""
    for kind, causes in zip(("operation", "walk", "mistake"), kinds, strict=True):
        if there := [known[key] for key in causes if key in known]:
            where = _listed(there)
            if kind != "operation":
                return f"The same {kind} as in {where}: look there first."
            names = [f"`{clean(name, 60)}`" for key, name in causes.items() if key in known]
            return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} wrong, as in {where}: look there first."
    return ""


def _listed(names: Iterable[str]) -> str:
    """Join different names: `a`, `a and b`, `a, b and c`."""
    *but_last, last = dict.fromkeys(names)
    return f"{', '.join(but_last)} and {last}" if but_last else last

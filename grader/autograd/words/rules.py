"""The sentences about wrong operations, and a few words about them for a list of a class's mistakes."""

from __future__ import annotations

import re
from collections import ChainMap
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from grader.autograd.facts import FORWARD, ArrayFact, CauseFact, OperationFact, RuleFact
from grader.autograd.words.own import template
from grader.autograd.words.tables import (
    CAUSES,
    DONE_OVER,
    MEMORY,
    MORE,
    OF_ARRAYS,
    REDUCTIONS,
    RELATIONS,
    STATEMENTS,
    WHY,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


STRETCHED = " where stretched"
_AXES = ("the axes that broadcasting adds", "the axes of length 1 that broadcasting repeats")
_VAGUE = frozenset(
    {"factor_missing", "factor_added", "term_missing", "term_added", "operator", "number", "value_for_local"}
)
_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "**": "__rpow__"}
_RELATIONS = ChainMap(RELATIONS, OF_ARRAYS, MEMORY)


def operation_words(facts: Sequence[OperationFact]) -> list[str]:
    """Return the words for each fact about one operation, without repeating reasons.

    A rule gets up to three sentences: what the engine does, how that differs from the right rule, and the reason. A rule
    of arrays gets up to two more: about the shape, and an example. Without a known relation there is only the first
    sentence. Raises KeyError for an unknown cause.

    >>> fact = RuleFact("+", "self", "self.grad += 2 * out.grad", "a + b", "a", "b", relations=("doubled",))
    >>> for sentence in operation_words([fact])[0].split(". "):
    ...     print(sentence)
    In a + b your engine does the same as `a.grad += 2 * out.grad`
    It is twice the right contribution
    A sum grows by exactly as much as a grows.
    """
    known: set[tuple[object, ...]] = set()
    told = []
    for fact in facts:
        about = _about(fact)
        shared = (fact.reduction, fact.relations) if isinstance(fact, ArrayFact) else about
        again = not isinstance(fact, CauseFact) and any(shared) and shared in known
        names = _names(fact, again=again)
        texts = filter(None, (_statement(fact), *(() if again else about)))
        told.append(" ".join(template(text, fact.engine).format_map(names) for text in texts))
        known.add(shared)
    return told


def operation_in_brief(facts: Sequence[OperationFact]) -> str:
    """Return a few words about the facts of one operation, or of several with one cause: "`=` for `+=` in +".

    If only one of two inputs is wrong, the words name its side. For arrays, the words are only about the first fact.
    """
    first = facts[0]
    if not isinstance(first, CauseFact) and first.input == FORWARD:
        return f"wrong forward pass in {first.operation}"
    is_array, is_beside = isinstance(first, ArrayFact), isinstance(first, RuleFact) and first.number
    operations = dict.fromkeys(fact.operation for fact in facts)
    one_side = len({fact.input for fact in facts}) == len(operations) == 1 and first.right and not is_beside
    sides = {"self": ", left input", "other": ", right input"}
    side = sides.get(first.input, "") if one_side and not is_array else ""
    named = dict.fromkeys(words for fact in facts[: 1 if is_array else None] for words in _brief_names(fact))
    return f"{', '.join([*named][:2]) or 'a wrong rule'} in {', '.join(operations)}{side}"


def _brief_names(fact: OperationFact) -> list[str]:
    if isinstance(fact, CauseFact):
        return [template(CAUSES[fact.cause].brief, fact.engine)]
    briefs = [template(_RELATIONS[relation].brief, fact.engine) for relation in _most_telling(fact)]
    if not isinstance(fact, ArrayFact):
        return briefs
    kind = "no" if fact.reduction == "left left" else "a wrong"
    summed = [f"{kind} sum over the broadcast axes"] if fact.reduction else []
    return [*(text.format(factor=fact.factor) for text in briefs[:1]), *summed]


def _names(fact: OperationFact, *, again: bool) -> Mapping[str, str]:
    """Return the values for the names in a template: the fields of a fact, and what follows from them."""
    fields = asdict(fact)
    who = "Likewise your engine" if again else f"In {fact.call} your engine"
    names = fields | {
        "who": who,
        "code": who.replace("engine", "code"),  # a student's first day has no engine yet
        "kind": template(fields.get("object", ""), fact.engine),
        "type": fields.get("error", "").partition(":")[0] or "an error",
        "reflected": _REFLECTED.get(fact.operation, "a method of its own"),
        "node": fact.operation.partition(".")[0],
        **fact.names,
    }
    wrote, kept = (_in_test_names(fields.get(name, ""), fact) for name in ("wrote", "kept"))
    return names | {"wrote": wrote, "kept": kept, "formula": wrote.partition("= ")[2] or wrote}


def _statement(fact: OperationFact) -> str:
    """Return the template of the sentence about the engine's rule; empty if another sentence already says it.

    A formula is found from numbers: it computes what the student's code computes, and may be written differently.
    """
    if isinstance(fact, CauseFact) or not MEMORY.keys().isdisjoint(fact.relations):
        return ""
    keeps = isinstance(fact, RuleFact) and fact.kept
    if not fact.wrote or fact.input == FORWARD:
        return STATEMENTS["result" if fact.wrote else "kept" if keeps else "nothing"]
    if isinstance(fact, ArrayFact):
        return STATEMENTS["stretched" if fact.reduction.endswith(STRETCHED) else "rule"]
    return STATEMENTS["first" if fact.first else "kept" if keeps else "rule"]


def _in_test_names(formula: str, fact: OperationFact) -> str:
    """Return a formula over `self` and `other` in the names of the test."""
    names = {"self": fact.left, "other": fact.right, "n": getattr(fact, "number", "")}
    return re.sub(r"(?<!\.)\b(self|other|n)\b", lambda found: names[found[0]] or found[0], formula)


# --- The difference to the right rule, and the reason


def _about(fact: OperationFact) -> tuple[str, ...]:
    """Return the templates of the sentences after the first; none for a rule with a plain number on one side."""
    if isinstance(fact, CauseFact):
        more = MORE.get((fact.cause, fact.object or fact.error.partition(":")[0]), "")
        return tuple(filter(None, (CAUSES[fact.cause].sentence, more)))
    if isinstance(fact, RuleFact) and fact.number:
        return ()
    is_array, reduction = isinstance(fact, ArrayFact), ""
    if fact.input == FORWARD:
        return () if is_array else (STATEMENTS["forward"],)
    relations = _most_telling(fact) or ["nothing"] * (is_array and not fact.wrote)
    # The sentence about `=` comes last: "It" in another one is the statement.
    texts = [_RELATIONS[relation].sentence for relation in reversed(relations)]
    if isinstance(fact, ArrayFact) and fact.wrote:
        reduction = fact.reduction
        texts = [_reduction(fact), *texts, _example(fact), STATEMENTS["summed"] if reduction else ""]
    # Do not name the operation's own function twice.
    another = relations == ["function"] and f"math.{fact.operation}(" not in fact.wrote
    # The formula of a local gradient has no upstream gradient, which could be outside of its parentheses.
    another |= relations == ["parentheses"] and isinstance(fact, RuleFact) and bool(fact.kept)
    if len(relations) == 1 and not another and not reduction:
        why = WHY.get(fact.operation, {}).get(relations[0], "")
        texts.append(why if isinstance(why, str) else why.get(fact.input, ""))
    return tuple(filter(None, texts))


def _most_telling(fact: RuleFact | ArrayFact) -> list[str]:
    """Return the two relations that say most: another operation's rule says more than a missing term, less than a wrong value."""
    relations = [relation for relation in fact.relations if relation in _RELATIONS]
    named = [relation for relation in relations if relation not in _VAGUE]
    if "other_operation" in named and len(named) > 1:
        named.remove("other_operation")
    return (named or relations)[:2]


def _reduction(fact: ArrayFact) -> str:
    """Return the sentence about a wrong sum over broadcast axes; empty if the statement shows it."""
    key = fact.reduction.removesuffix(STRETCHED)
    pairs = zip(key.split(), _AXES, strict=False)
    said = ", and ".join(DONE_OVER[how].format(axes) for how, axes in pairs if how in DONE_OVER)
    begin = "It" if key.removeprefix("summed ").startswith("left") else "Before that, it"
    return REDUCTIONS.get(key, said and f"{begin} {said}.")


def _example(fact: ArrayFact) -> str:
    square = STATEMENTS["square"] if fact.square else ""
    if not fact.shapes or fact.factor:
        return square
    if fact.error and not fact.had:
        return f"With {{shapes}} numpy cannot compute that. {square}".rstrip()
    if fact.error:
        return "With {shapes} the contribution has shape {had}, which numpy cannot add to a gradient of shape {shape}."
    return (
        "With {shapes} the contribution has shape {had}, and {input} has shape {shape}."
        if fact.had != fact.shape
        else ""
    )

"""The sentences about wrong operations, and a few words about them for a list of a class's mistakes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.autograd.facts import FORWARD, CauseFact, RuleFact
from grader.autograd.words.own import attribute_of, template
from grader.autograd.words.tables import CAUSES, COMPUTED, MORE, RELATIONS, WHY

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_RELATIONS = 2  # relations in the sentences about one rule
_VAGUE = frozenset(
    {"factor_missing", "factor_added", "term_missing", "term_added", "operator", "number", "value_for_local"}
)
_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "**": "__rpow__"}


def operation_words(facts: Sequence[RuleFact | CauseFact]) -> list[str]:
    """Return the words for each fact about one operation, without repeating reasons.

    A rule has up to three sentences: the engine's rule, the difference to the right one, and the reason. Without a
    known relation it has only the first. Raises KeyError for an unknown cause.
    """
    known: set[tuple[str, ...]] = set()
    told = []
    for fact in facts:
        if isinstance(fact, CauseFact):
            told.append(_cause(fact))
            continue
        reasons = _reasons(fact)
        again = bool(reasons) and reasons in known
        about = fact.names | {"like": fact.like}
        about_it = () if again else [template(text, fact.engine).format_map(about) for text in reasons]
        told.append(" ".join([_statement(fact, likewise=again), *about_it]))
        known.add(reasons)
    return told


def operation_in_brief(facts: Sequence[RuleFact | CauseFact]) -> str:
    """Return a few words about the facts of one operation: "`=` for `+=` in +".

    If only one of two inputs is wrong, the words name its side.
    """
    first = facts[0]
    inputs = {fact.input for fact in facts}
    one_side = len(inputs) == 1 and bool(first.right) and not (isinstance(first, RuleFact) and first.number)
    side = {"self": ", left input", "other": ", right input"}.get(first.input, "") if one_side else ""
    if isinstance(first, RuleFact) and first.input == FORWARD:
        return f"wrong forward pass in {first.operation}"
    named = list(dict.fromkeys(words for fact in facts for words in _named(fact)))
    return f"{', '.join(named[:2]) or 'a wrong rule'} in {first.operation}{side}"


def _named(fact: RuleFact | CauseFact) -> list[str]:
    if isinstance(fact, CauseFact):
        return [template(CAUSES[fact.cause].brief, fact.engine)]
    return [template(RELATIONS[relation].brief, fact.engine) for relation in _most_telling(fact)]


def _cause(fact: CauseFact) -> str:
    about = fact.names | {
        "error": fact.error,
        "whole": fact.whole,
        "kind": template(fact.object, fact.engine),
        "type": fact.error.partition(":")[0] or "an error",
        "reflected": _REFLECTED.get(fact.operation, "a method of its own"),
    }
    more = MORE.get((fact.cause, fact.object or fact.error.partition(":")[0]), "")
    said = template(CAUSES[fact.cause].sentence, fact.engine).format_map(about)
    return " ".join(filter(None, [said, template(more, fact.engine)]))


def _statement(fact: RuleFact, *, likewise: bool) -> str:
    """Return a sentence about the engine's rule; formulas stand between backticks.

    A formula is read from numbers: it is the same as the student's code, and not that code.
    """
    engine = "Likewise it" if likewise else f"In {fact.call} your engine"
    wrote = _shown(fact.wrote, fact)
    if not wrote:
        grad = attribute_of(fact.engine, "grad")
        return f"{engine} leaves {fact.names['input']}.{grad} as it was."
    if fact.input == FORWARD:
        code = engine.replace("engine", "code")  # a student's first day has no engine yet
        return f"{code} computes the same as `{wrote.partition('= ')[2] or wrote}`."
    if fact.first:
        return f"{engine} first does the same as `{wrote}`, as it should."
    if fact.kept:
        kept = _shown(fact.kept, fact)
        return f"{engine} keeps a local gradient of {fact.names['input']} that equals `{kept}`."
    return f"{engine} does the same as `{wrote}`."


def _shown(formula: str, fact: RuleFact) -> str:
    """Return a formula over `self` and `other` in the names of the test."""
    names = fact.names | ({"n": fact.number} if fact.number else {})
    return re.sub(r"(?<!\.)\b(self|other|n)\b", lambda found: names.get(found[0], found[0]), formula)


# --- The difference to the right rule, and the reason


def _reasons(fact: RuleFact) -> tuple[str, ...]:
    """Return the templates of at most two sentences beside the first one; none beside a plain number."""
    if fact.number:
        return ()
    if fact.input == FORWARD:
        return (COMPUTED,)
    relations = _most_telling(fact)
    templates = [RELATIONS[relation].sentence for relation in relations]
    # So that the operation's own function is not named twice.
    another = relations == ["function"] and f"math.{fact.operation}(" not in fact.wrote
    if len(relations) == 1 and not another:
        why = WHY.get(fact.operation, {}).get(relations[0], "")
        templates.append(why if isinstance(why, str) else why.get(fact.input, ""))
    return tuple(filter(None, templates))


def _most_telling(fact: RuleFact) -> list[str]:
    """Return the most telling relations: the rule of another operation comes before a missing term, and after a wrong value."""
    relations = [relation for relation in fact.relations if relation in RELATIONS]
    named = [relation for relation in relations if relation not in _VAGUE]
    if "other_operation" in named and len(named) > 1:
        named.remove("other_operation")
    return (named or relations)[:MOST_RELATIONS]

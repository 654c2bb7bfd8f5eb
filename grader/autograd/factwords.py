"""The words for facts about an engine, in the form of a report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.autograd.facts import FORWARD, ArrayFact, CauseFact, NameFact, OperationFact, RuleFact, WalkFact
from grader.autograd.words import operation_in_brief, operation_words, walk_in_brief, walk_words
from grader.autograd.words.own import template
from grader.report import Fact, WrongRule, WrongWalk
from grader.topic import FactWords

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_OF_OPERATIONS: dict[str, type[OperationFact]] = {
    each.kind: each for each in (RuleFact, CauseFact, ArrayFact)
}


def words_for(facts: Sequence[Fact]) -> FactWords:
    """Return the words for rules and causes, operation by operation, and for the first walk."""
    walks = (
        WrongWalk(
            words=walk_words(walk),
            graph=walk.graph,
            student=[*walk.student],
            right=[*walk.right],
            wrong=None if walk.wrong < 0 else walk.wrong,
            where=fact.where,
            more=fact.more,
        )
        for walk, fact in WalkFact.all_in(facts)
    )
    sentences = [
        f"A {name.owner} has `{name.near}`, but no `{name.wanted}`."
        if name.near
        else f"A new {name.owner} has no `{name.wanted}`: set it in `__init__`."
        for name, _ in NameFact.all_in(facts)
    ]
    return FactWords([*_rules(facts)], next(walks, None), sentences)


def brief(facts: Sequence[Fact]) -> str:
    """Return a few words: "`=` for `+=` in +", "`backward` calls a node too early, before nodes made from it"."""
    for walk, _ in WalkFact.all_in(facts):
        return walk_in_brief(walk)
    for name, _ in NameFact.all_in(facts):
        near, wanted = name.near, name.wanted
        return f"`{near}` where the name is `{wanted}`" if near else f"no `{wanted}`"
    return operation_in_brief([each for each, _ in _of_operations(facts)])


def _of_operations(facts: Iterable[Fact]) -> Iterator[tuple[OperationFact, Fact]]:
    """Yield the facts about operations, each as a typed struct and as it is in the report."""
    for fact in facts:
        if fact.kind in _OF_OPERATIONS:
            yield _OF_OPERATIONS[fact.kind].read(fact), fact


def _rules(facts: Sequence[Fact]) -> Iterator[WrongRule]:
    found = [*_of_operations(facts)]
    for operation in dict.fromkeys(each.operation for each, _ in found):
        mine = [pair for pair in found if pair[0].operation == operation]
        for (each, fact), words in zip(mine, operation_words([each for each, _ in mine]), strict=True):
            is_signed = fact.where and re.search(r"[^=!<>+]=\+", fact.where.text)  # its line has `=+` in it
            sign = _SIGN if is_signed and "assigned" in fact.texts("relations") else ""
            yield WrongRule(operation, each.input, each.wrote, words + sign, fact.where, fact.more)


_SIGN = " Python reads `=+` as `=` and a plus sign."


# --- Hints: something to try, by a relation, a cause, or the kind of a fact

_TRY = {
    "assigned": "Set {input}.grad to 5 before your line runs. What is left of the 5 afterwards?",
    FORWARD: "The value comes before any gradient. Work out {call} for small numbers on paper, and compare.",
    "first_grad": "In a new cell, make a node of a 2 × 3 array. Print its `.data` and its `.grad`: what is the shape of each?",
    "unset": "In a new cell, compute {call} and print the `_backward` of the result. Which function is it, and which line "
    "stored it there last?",
    "rule": "Try the rule on paper, with numbers of your own and an upstream gradient of 10. What does your line add to "
    "{input}.grad? Then raise {input} by 0.001, and divide the growth of the result by 0.001. Your line should add about 10 "
    "times this number.",
    "array": "Write three shapes below each other: the shape of the upstream gradient, of the contribution that your line adds, and "
    "of the input. Then take one entry of the input: which entries of the result does it reach, and with which factor?",
    "walk": "Draw the graph of {graph}. Write down the nodes that your code calls, one after the other, and next to each node the "
    "gradient that it holds at that moment. Compare this, step by step, with a walk by hand.",
}
_TRIED = {
    **dict.fromkeys(("assigned", "subtracted_assign", "own_gradient_changed"), "assigned"),
    **dict.fromkeys(("no_backward", "backward_none", "backward_default", "backward_unset"), "unset"),
}


def hint(fact: Fact) -> str:
    """Return a hint about a wrong rule or walk; empty for other facts, whose sentences already say it."""
    keys = [*fact.texts("relations"), str(fact.get("cause")), str(fact.get("input")), fact.kind]
    found = next((key for key in (_TRIED.get(key, key) for key in keys) if key in _TRY), "")
    side = "right" if fact.get("input") == "other" else "left"
    names = {"call": fact.get("call"), "graph": fact.get("graph"), "input": fact.get(side) or "a"}
    return template(_TRY.get(found, ""), tuple(fact.texts("engine"))).format_map(names)

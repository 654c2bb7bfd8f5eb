"""The words for facts about an engine, in the form of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.autograd.facts import ArrayFact, NameFact, ShapeFact, WalkFact, of_operations
from grader.autograd.words import operation_in_brief, operation_words, walk_in_brief, walk_words
from grader.autograd.words.arrays import array_in_brief, array_words
from grader.report import WrongRule, WrongWalk
from grader.topic import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from grader.report import Fact


def told(facts: Sequence[Fact]) -> Told:
    """Return the words for rules and causes, by operation, and those for the first walk."""
    walks = [_wrong_walk(*pair) for pair in WalkFact.all_in(facts)]
    sentences = [name_words(name) for name, _ in NameFact.all_in(facts)]
    sentences += [shape_words(shape) for shape, _ in ShapeFact.all_in(facts)]
    return Told([*_rules(facts)], walks[0] if walks else None, sentences)


def brief(facts: Sequence[Fact]) -> str:
    """Return a few words: "`=` for `+=` in +", "`backward` calls a node too early, before nodes made from it"."""
    for walk, _ in WalkFact.all_in(facts):
        return walk_in_brief(walk)
    for name, _ in NameFact.all_in(facts):
        near, wanted = name.near, name.wanted
        return f"`{near}` where the name is `{wanted}`" if near else f"no `{wanted}`"
    for shape, _ in ShapeFact.all_in(facts):
        return f"a gradient of shape {shape.had} for an array of shape {shape.shape}"
    for array, _ in ArrayFact.all_in(facts):
        return array_in_brief(array)
    return operation_in_brief([each for each, _ in of_operations(facts)])


def _rules(facts: Sequence[Fact]) -> Iterator[WrongRule]:
    kinds: list[tuple[list[tuple[Any, Fact]], Callable[[list[Any]], Iterable[str]]]] = [
        ([*of_operations(facts)], operation_words),
        ([*ArrayFact.all_in(facts)], array_words),
    ]
    for found, words_of in kinds:
        for operation in dict.fromkeys(each.operation for each, _ in found):
            mine = [pair for pair in found if pair[0].operation == operation]
            texts = words_of([each for each, _ in mine])
            for (each, fact), words in zip(mine, texts, strict=True):
                yield WrongRule(operation, each.input, each.wrote, words, fact.where, fact.more)


def _wrong_walk(walk: WalkFact, fact: Fact) -> WrongWalk:
    wrong = None if walk.wrong < 0 else walk.wrong
    return WrongWalk(
        walk_words(walk), walk.graph, [*walk.student], [*walk.right], wrong, fact.where, fact.more
    )


# --- A name that a Value has not


def name_words(fact: NameFact) -> str:
    """Return a sentence for the student."""
    if not fact.near:
        return f"A new {fact.owner} has no `{fact.wanted}`."
    return f"A {fact.owner} has `{fact.near}`, and no `{fact.wanted}`."


# --- A gradient that is not summed over what was repeated


def shape_words(fact: ShapeFact) -> str:
    """Return sentences for the student: what the shapes are, and what broadcasting does."""
    what = f"`{fact.name}` has shape {fact.shape}, and its gradient {fact.had}."
    if not fact.name:
        what = f"A gradient of shape {fact.had} is added to one of shape {fact.shape}."
    return f"{what} Where an array is repeated, as in broadcasting, each use adds to its gradient: it is the sum over them."

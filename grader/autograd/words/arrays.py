"""The words about wrong rules of arrays.

At most five sentences: the statement, what it does about a stretched shape, its difference to the right rule, shapes with
which that shows, the reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.autograd.facts import FORWARD
from grader.autograd.words.own import attribute_of, template
from grader.autograd.words.tables import RELATIONS, WHY, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.facts import ArrayFact

_SUM = "Each use of an entry that broadcasting repeats adds to its gradient: it is the sum over them."
_ADDED, _STRETCHED = "the axes that broadcasting adds", "the axes of length 1 that it repeats"

# By what is done over the axes that broadcasting adds, and over those that it stretches.
_LEADS = {
    "averaged": f"averages over {_ADDED}",
    "first": f"takes the first entry along {_ADDED}",
    "largest": f"takes the largest entry along {_ADDED}",
    "last": f"sums over the last axes instead of {_ADDED}",
    "left": f"does not sum over {_ADDED}",
}
_ONES = {
    "averaged": f"averages over {_STRETCHED}",
    "first": f"takes the first entry along {_STRETCHED}",
    "lost": f"loses {_STRETCHED} when it sums over them",
    "left": f"does not sum over {_STRETCHED}",
}
REDUCTIONS = {
    "left left": "It is not summed over what broadcasting repeats.",
    "aligned": f"It is not summed over {_ADDED}.",
    "turned": "It is summed to the shape of {input}.data with its axes reversed.",
    "partner's": "It is summed to the shape of {partner}, not to that of {input}.",
    "total": "That is one number for all entries.",
    "filled": "Every entry gets the sum over all.",
    "cut": "That takes as many entries as {input} has, and no sum over what broadcasting repeats.",
    "reshaped": "That equals a reshape, which keeps the number of entries: it is not the sum over what broadcasting repeats.",
}

# Relations to the right rule that scalars do not have, and what an engine does with the memory of an array.
MORE = {
    "scaled": Words(
        "With {shapes} that is {factor} times the derivative.", "{factor} times the contribution"
    ),
    "transposed": Words("It is the transpose of the derivative.", "the transpose of the contribution"),
    "summed_first": Words(
        "It sums out.grad before it multiplies or divides. Each use of an entry has a factor of its own: the sum comes last.",
        "summed before the product",
    ),
    "rows_once": Words(
        "Of a row that is taken twice only one use is added: numpy sums nothing up where an index repeats.",
        "a repeated index counted once",
    ),
    "first_grad": Words(
        "Of a new {node} whose `.data` has the shape {shape}, `.grad` {had}. With zeros of the shape of `.data`, the rule "
        "of {call} is right.",
        "a first gradient of another shape than the data",
    ),
    "shares_upstream": Words(
        "In {call} your engine makes {input}.grad and out.grad one array: what is later added to one changes both.",
        "one array for two gradients",
    ),
    "shares_gradients": Words(
        "In {call} your engine makes the gradients of both inputs one array: what is later added to one changes both.",
        "one array for two gradients",
    ),
    "changes_upstream": Words(
        "In {call} `_backward` changes out.grad, the gradient of the result.",
        "the upstream gradient changed",
    ),
    "input_not_kept": Words(
        "The `{holder}` of {call} does not hold {input}: from the result no walk reaches it.",
        "an input that the result does not hold",
    ),
    "forward_changes_data": Words(
        "Computing {call} changes the data of an input. An operation leaves its inputs as they are.",
        "the forward pass changes data",
    ),
    "changes_data": Words(
        "In {call} `_backward` changes the data of an input.", "data changed by `_backward`"
    ),
}
STRETCHED = " where stretched"
MEMORY = frozenset(
    {
        "first_grad",
        "input_not_kept",
        "shares_upstream",
        "shares_gradients",
        "changes_upstream",
        "forward_changes_data",
        "changes_data",
    }
)


def array_words(facts: Sequence[ArrayFact]) -> list[str]:
    """Return the sentences about each fact of one operation; what both inputs share is told once."""
    known: set[tuple[object, ...]] = set()
    told = []
    for fact in facts:
        shared = (fact.reduction, fact.relations)
        told.append(_words(fact, again=bool(any(shared)) and shared in known))
        known.add(shared)
    return told


def _words(fact: ArrayFact, *, again: bool) -> str:
    names = fact.names | {"shapes": fact.shapes, "factor": fact.factor, "holder": fact.holder}
    names |= {"shape": fact.shape, "had": fact.had, "node": fact.operation.partition(".")[0]}
    if MEMORY & {*fact.relations}:
        return template(MORE[fact.relations[0]].sentence, fact.engine).format_map(names)
    wrote = _in_names(fact.wrote, fact)
    if fact.entries:
        given = zip(filter(None, (fact.left, fact.right)), fact.entries, strict=True)
        return f"In {fact.call} your code gives {fact.had} for {' and '.join(f'{name} = {n}' for name, n in given)}."
    if fact.input == FORWARD:
        return f"In {fact.call} your code computes the same as `{wrote.partition(' = ')[2]}`."
    if not wrote:
        nothing = template(RELATIONS["nothing"].sentence, fact.engine).format_map(names)
        grad = attribute_of(fact.engine, "grad")
        return f"In {fact.call} your engine leaves {names['input']}.{grad} as it was. {nothing}"
    where = f" where {names['input']} is stretched" if fact.reduction.endswith(STRETCHED) else ""
    if again:
        return f"Likewise it does the same as `{wrote}`{where}."
    does = f"In {fact.call} your engine does the same as `{wrote}`{where}."
    about = [_reduction(fact), *((MORE.get(key) or RELATIONS[key]).sentence for key in fact.relations)]
    reason = _SUM if fact.reduction else _reason(fact)
    said, why = (
        [template(text, fact.engine).format_map(names) for text in texts] for texts in (about, [reason])
    )
    return " ".join(filter(None, [does, *said, _example(fact, names["input"]), *why]))


def _in_names(statement: str, fact: ArrayFact) -> str:
    """Return a statement over `self` and `other` in the names of the test."""
    names = {"self": fact.left, "other": fact.right}
    return re.sub(r"(?<!\.)\b(self|other)\b", lambda found: names[found[0]] or found[0], statement)


def _reduction(fact: ArrayFact) -> str:
    """Return what is done about a stretched shape, if the statement does not show it."""
    key = fact.reduction.removesuffix(STRETCHED)
    if not key or key in REDUCTIONS:
        return REDUCTIONS.get(key, "")
    lead, _, ones = key.partition(" ")
    said = " and ".join(filter(None, [_LEADS.get(lead), _ONES.get(ones)]))
    return f"{'It' if said.startswith('does not') else 'Before that it'} {said}." if said else ""


def _example(fact: ArrayFact, name: str) -> str:
    if not fact.shapes or fact.factor:
        return "With square matrices it runs and is wrong." if fact.square else ""
    if fact.error and not fact.had:
        square = "; with square matrices it runs and is wrong" if fact.square else ""
        return f"With {fact.shapes} numpy cannot compute that{square}."
    if fact.error:
        return f"With {fact.shapes} it has shape {fact.had}, which numpy cannot add to a gradient of shape {fact.shape}."
    if fact.had != fact.shape:
        return f"With {fact.shapes} it has shape {fact.had}, and {name} has {fact.shape}."
    return ""


def _reason(fact: ArrayFact) -> str:
    """Return the reason of the calculus of numbers, which holds for each entry; none for several relations."""
    if len(fact.relations) != 1:
        return ""
    why = WHY.get(fact.operation, {}).get(fact.relations[0], "")
    return why if isinstance(why, str) else why.get(fact.input, "")


def array_in_brief(fact: ArrayFact) -> str:
    """Return a few words for a list of a class's mistakes: "not summed over what broadcasting repeats in +"."""
    if fact.input == FORWARD:
        return f"wrong forward pass in {fact.operation}"
    briefs = [(MORE.get(key) or RELATIONS[key]).brief for key in fact.relations[:1]]
    named = [template(text, fact.engine).format(factor=fact.factor) for text in briefs]
    if fact.reduction:
        missing = fact.reduction == "left left"
        named.append(f"{'no' if missing else 'a wrong'} sum over what broadcasting repeats")
    return f"{', '.join(named) or 'a wrong rule'} in {fact.operation}"

"""Wrong rules and walks in a few words, for the list of what a class gets wrong.

The words of a report say which template of words.yaml, or which sentence of walks/findings.py, they were made from. So
reports of earlier versions can be told in brief, too.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from grader.autograd.rules.operations import KNOWN
from grader.autograd.rules.words import FORWARD
from grader.autograd.words import CAUSES, RELATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.report import WrongRule, WrongWalk

# The first pattern that is found in the words of a walk. `{name}` is the student's function.
WALKS = tuple(
    (re.compile(pattern), brief)
    for pattern, brief in (
        (r" of an earlier call\.|has walked before", "{name} comes to nodes of an earlier graph"),
        (
            r"the first call of .* gives a right list, the second",
            "{name} gives another list at its second call",
        ),
        (r" gives (?:an object|None)", "{name} gives no list"),
        (r" gives an empty list", "{name} gives an empty list"),
        (r" lists something that is not a node", "{name} lists something that is no node"),
        (r" lists .*(?: is| are) missing", "{name} leaves nodes out of its list"),
        (r" appears \d+ times", "{name} lists a node more than once"),
        (r" lists .* comes before ", "{name} lists a node before one that it is made from"),
        (r" to 0 (?:before|after|at its end)|sets \S+ to 0, and what", "{name} sets gradients to 0"),
        (
            r" and overwrites what | before the walk\. Arriving",
            "{name} sets gradients of nodes that are not the root",
        ),
        (r" takes the children out of ", "{name} takes the children out of nodes"),
        (r" another `_backward`\. A later", "{name} gives nodes another `_backward`"),
        (r" hands nothing on from ", "{name} does not hand on to every input"),
        (
            r" before [^.]*, which (?:is|are) made from ",
            "{name} calls a node too early, before nodes made from it",
        ),
        (r" never (?:calls|lets) ", "{name} never calls some nodes"),
        (r"calls no `_backward`|lets no node hand on", "{name} calls no node"),
        (r" \d+ times(?:;|\. Each time)", "{name} calls a node more than once"),
        (r"does `.*` where ", "{name} hands on a wrong contribution"),
        (r"the number in \S+\.data\.", "{name} seeds the root with its data"),
        (r"It is set to \S+ only afterwards", "{name} seeds the root too late"),
        (
            r"\.grad is \S+ (?:when|after) your |hands that on\.|before it (?:calls|lets)",
            "{name} does not seed the root with 1",
        ),
    )
)


def rules_in_brief(rules: Sequence[WrongRule]) -> str:
    """Return a few words about the wrong rules of one operation: "`=` for `+=` in +".

    If only one of two inputs is wrong, the words name its side.
    """
    first = rules[0]
    known = KNOWN.get(first.operation)
    inputs = {rule.input for rule in rules}
    one_side = known is not None and known.binary and len(inputs) == 1
    side = {"self": ", left input", "other": ", right input"}.get(first.input, "") if one_side else ""
    if first.input == FORWARD and first.wrote:
        return f"wrong forward pass in {first.operation}"
    named = list(dict.fromkeys(word for rule in rules for word in _named(rule.words)))
    return f"{', '.join(named[:2]) or 'a wrong rule'} in {first.operation}{side}"


def walk_in_brief(walk: WrongWalk) -> str:
    """Return a few words about a wrong walk, without the names of its graph; "" for one of an unknown kind."""
    name = next(iter(re.findall(r"`(\w[\w.]*)", walk.words)), "")
    found = next((brief for pattern, brief in WALKS if pattern.search(walk.words)), "")
    return found.format(name=f"`{name}`" if name else "the walk")


@functools.lru_cache(maxsize=4096)
def _named(words: str) -> tuple[str, ...]:
    """Return the brief words for each template that a sentence was made from."""
    causes = [(len(text), brief) for text, brief in _patterns("causes") if text_of(text).fullmatch(words)]
    if causes:
        return (max(causes)[1],)
    return tuple(brief for text, brief in _patterns("what") if text_of(text).search(words))


def _patterns(section: str) -> list[tuple[str, str]]:
    found = CAUSES if section == "causes" else RELATIONS
    return [(each.sentence, each.brief) for each in found.values()]


@functools.cache
def text_of(template: str) -> re.Pattern[str]:
    """Return the pattern of a template, in which each `{name}` is any text."""
    parts = (re.escape(part) for part in re.split(r"\{\w+\}", template))
    return re.compile(".+?".join(parts))

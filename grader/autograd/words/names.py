"""The words about a name that a Value has not, and perhaps a similar one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.autograd.facts import NameFact


def name_words(fact: NameFact) -> str:
    """Return a sentence for the student."""
    if not fact.near:
        return f"A new {fact.owner} has no `{fact.wanted}`."
    return f"A {fact.owner} has `{fact.near}`, and no `{fact.wanted}`."


def name_in_brief(fact: NameFact) -> str:
    """Return a few words for a list of a class's mistakes."""
    return f"`{fact.near}` where the name is `{fact.wanted}`" if fact.near else f"no `{fact.wanted}`"

"""The words about a gradient that is not summed over what was repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.autograd.facts import ShapeFact


def shape_words(fact: ShapeFact) -> str:
    """Return sentences for the student: what the shapes are, and what broadcasting does."""
    what = f"`{fact.name}` has shape {fact.shape}, and its gradient {fact.had}."
    if not fact.name:
        what = f"A gradient of shape {fact.had} is added to one of shape {fact.shape}."
    return f"{what} Where an array is repeated, as in broadcasting, each use adds to its gradient: it is the sum over them."


def shape_in_brief(fact: ShapeFact) -> str:
    """Return a few words for a list of a class's mistakes."""
    return f"a gradient of shape {fact.had} for an array of shape {fact.shape}"

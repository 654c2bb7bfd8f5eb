"""The sentences about what a trace alone can show: a wrong number, or a step that no fact is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.autograd.words.walks import attribute

if TYPE_CHECKING:
    from collections.abc import Iterable


def forward_words(node: str, found: str, right: str) -> str:
    """Return the sentence about a node with wrong data."""
    return f"`{node}` is {found}; a right forward pass gives {right}."


def begin_words(node: str, gradient: str) -> str:
    """Return the sentence about a new node with a gradient."""
    return f"`{node}` begins with a gradient of {gradient}; a right one is 0."


def call_words(
    node: str, upstream: str, changes: Iterable[tuple[str, str, str, bool]], grad: str = "grad"
) -> str:
    """Return the sentence about a call that hands on wrong numbers.

    `changes` has names of nodes, each with its gradient afterwards, the right one, and True if the call changed it. `grad`
    is the attribute of a gradient.
    """
    found = [
        f"`{attribute(name, grad)}` {'becomes' if changed else 'stays'} {ours}, and {right} in a right walk"
        for name, ours, right, changed in changes
    ]
    return f"`{node}` is called with an upstream gradient of {upstream}: {'; '.join(found)}."


def again_words(node: str) -> str:
    """Return the sentence about a node that is called again where the test itself calls the nodes."""
    return f"`{node}` is called once more, so it hands on again what it has handed on already."


def step_words(node: str, gradient: str = "", grad: str = "grad") -> str:
    """Return the sentence about a step of a right walk: the call of a node, or else its new gradient."""
    did = f"`{attribute(node, grad)}` becomes {gradient}" if gradient else f"`{node}` hands on"
    return f"In a right walk {did} here."


ENDED = "A right walk has ended here."
WRONG = "The walk goes wrong here."

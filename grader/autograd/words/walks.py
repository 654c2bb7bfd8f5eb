"""The sentences about wrong walks, and a few words about each for the list of a class's mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.autograd.words.own import names_in, template
from grader.autograd.words.tables import Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.facts import WalkFact

MOST_LISTED = 12  # a sentence shows this many nodes of a list

_EARLIER = "{name} reaches nodes of an earlier graph"
_MISSING = "{name} leaves nodes out of its list"
_NOT_THE_ROOT = "{name} sets gradients of nodes that are not the root"
_CLEARS = "{name} sets gradients to 0"
_NO_SEED = "{name} does not seed the root with 1"
_NEVER = "{name} never calls some nodes"
_OFTEN = "{name} calls a node more than once"
_EARLY = "{name} calls a node too early, before nodes made from it"

# By fault. The part before the first "_" is the kind of the fault. `{call}` is the call of a sort, `{list}` its result,
# `{your}` the student's function, `{act}` its call of `node`, `{acts}` its calls of all `nodes`.
WALKS = {
    # Lists
    "earlier_listed": Words("{call} also lists nodes from the graph of an earlier call.", _EARLIER),
    "keeps": Words(
        "the first call of {call} returns a right list, the second returns {list}.",
        "{name} returns another list at its second call",
    ),
    "no_list": Words("{call} returns {list}{order}.", "{name} does not return a list"),
    "foreign": Words(
        "{call} lists something that is not a node of the graph.",
        "{name} lists something that is not a node",
    ),
    "missing_all": Words("{call} returns an empty list.", "{name} returns an empty list"),
    "missing": Words("{call} lists {list}: {users} {are} missing.", _MISSING),
    "missing_twice": Words(
        "{call} lists {list}: {users} {are} missing, and {node} appears {times} times.", _MISSING
    ),
    "twice_listed": Words(
        "{call} lists {list}: {node} appears {times} times.", "{name} lists a node more than once"
    ),
    "early_listed": Words(
        "{call} lists {list}: {node} comes before {users}, but {node} is made from {users}.",
        "{name} lists a node before one that it is made from",
    ),
    # Walks
    "earlier": Words("{your} also reaches nodes from the graph of an earlier call.", _EARLIER),
    "seeds_amid": Words(
        "{your} sets {grad} to {number} and overwrites what {users} contributed.", _NOT_THE_ROOT
    ),
    "seeds_before": Words(
        "{your} sets {grads} to {number} before the walk. All contributions are then added to that number.",
        _NOT_THE_ROOT,
    ),
    "clears_before": Words(
        "{grad} is {number} before the walk, but {your} sets {grad} to 0 before any contribution arrives. Contributions must "
        "be added to what {grad} already holds.",
        _CLEARS,
    ),
    "clears_after": Words("{your} sets {grad} to 0 after {node} has handed it on.", _CLEARS),
    "clears_amid": Words("{your} sets {grad} to 0, and what {users} contributed is lost.", _CLEARS),
    "clears_end": Words("{your} sets {grads} to 0 at its end, so no result is left to read.", _CLEARS),
    "seed_own": Words(
        "{your} sets {grad} to {number}, the number in {data}.",
        "{name} seeds the root with its data",
    ),
    "seed_changed": Words("{your} sets {grad} to 1 and then to {number} before it {act}.", _NO_SEED),
    "seed_wrong": Words(
        "{your} sets {grad} to {number} before it {act}, and {node} hands that on.", _NO_SEED
    ),
    "seed_late": Words(
        "{grad} is {number} when {your} {act}. It is set to {other} only afterwards.",
        "{name} seeds the root too late",
    ),
    "seed": Words("{grad} is {number} when {your} {act}.", _NO_SEED),
    "seed_handed": Words("{grad} is {number} when {your} {act}, so {node} hands on {number}.", _NO_SEED),
    "seed_left": Words("{grad} is {number} at the end of {your}.", _NO_SEED),
    "never": Words("{your} never {acts}.", _NEVER),
    "never_often": Words("{your} never {acts}, and it {act} {times} times.", _NEVER),
    "never_lost": Words("{your} never {acts}: {users} is not in {other}.", _NEVER),
    "never_often_lost": Words(
        "{your} never {acts}, and it {act} {times} times: {users} is not in {other}.", _NEVER
    ),
    "never_any": Words("{your} {none}: no gradient below {node} changes.", "{name} calls no node"),
    "twice": Words("{your} {act} {times} times. Each node gets exactly one turn.", _OFTEN),
    "twice_handed": Words(
        "{your} {act} {times} times. Each time, {node} hands on all of {grad}, including what it has already handed on.",
        _OFTEN,
    ),
    "early": Words("{your} {act} too early: {users} {are} made from {node} and must come first.", _EARLY),
    "early_often": Words(
        "{your} {act} too early: {users} {are} made from {node} and must come first. It {act} {times} times in all.",
        _EARLY,
    ),
    "early_lost": Words(
        "{your} {act} too early: {users} {are} made from {node} and must come first. What {users} {bring} to {grad} later "
        "is not handed on.",
        _EARLY,
    ),
    "early_short": Words(
        "{your} {act} too early: {users} {are} made from {node} and must come first. At that moment {grad} is {number}, so "
        "{node} does not hand on the {other} that {users} {bring} later.",
        _EARLY,
    ),
    "apart_cut": Words(
        "{your} removes the children from {held}{nodes}. A later walk stops there.",
        "{name} removes the children from nodes",
    ),
    "apart_changed": Words(
        "{your} replaces the `_backward` of {nodes}. A later walk calls the new one.",
        "{name} replaces the `_backward` of nodes",
    ),
    "partial": Words(
        "{your} hands nothing on from {node} to {users}.", "{name} does not hand on to every input"
    ),
    "loop": Words(
        "your `{function}` does the same as `{other}` where {node} hands on to {users}.",
        "{name} hands on a wrong contribution",
    ),
}

# The meaning of `local` in the statement of a loop.
_LOCALS = {
    "own": "`local` is the local gradient that {node} keeps for {users}.",
    "first": "`local` is the local gradient that {node} keeps for {nodes}, its first child.",
    "turned": "`local` is the local gradient that {node} keeps for {nodes}.",
}

# Words after an object that is not a list, by its class.
_NO_LIST = {
    "NoneType": ": it ended without a `return`, or returned None",
    "frozenset": "; a set has no order",
    "set": "; a set has no order",
}

_ONCE_A_PATH = "a node appears once for each path that leads to it"
# By the name of a look (walks/graphs.py): a sentence for an order of calls, and one for a list. The last fits both.
LOOKS = {
    "pre-order": (
        "The order looks like a depth-first search that takes a node as soon as it reaches it.",
        "The list looks like a depth-first search that lists a node as soon as it reaches it, reversed.",
    ),
    "pre-order, turned": (
        "The order looks like a depth-first search that lists a node as soon as it reaches it, reversed.",
        "The list looks like a depth-first search that lists a node as soon as it reaches it.",
    ),
    "by paths": (
        "The order looks like a depth-first walk that takes a node once for each path that leads to it.",
        f"The list looks like a depth-first walk, children first: {_ONCE_A_PATH}.",
    ),
    "by paths, turned": (
        f"The order looks like a depth-first walk, children first: {_ONCE_A_PATH}.",
        f"The list looks like a depth-first walk from the root: {_ONCE_A_PATH}.",
    ),
    "by levels": (
        "The order looks like a breadth-first walk: level by level from the root.",
        "The list looks like a breadth-first walk, reversed: the last level first, the root last.",
    ),
    "by levels, turned": (
        "The order looks like a breadth-first walk, reversed: the last level first, the root last.",
        "The list looks like a breadth-first walk: level by level from the root.",
    ),
    "by levels and paths": (
        "The order looks like a breadth-first walk that takes a node once for each path that leads to it.",
        f"The list looks like a breadth-first walk, reversed: {_ONCE_A_PATH}.",
    ),
    "by levels and paths, turned": (
        f"The order looks like a breadth-first walk, reversed: {_ONCE_A_PATH}.",
        f"The list looks like a breadth-first walk: {_ONCE_A_PATH}.",
    ),
    "post-order": (
        "The order looks like a topological order read from its beginning: children first, the root last.",
        "The list looks like a topological order, reversed: the root first, children after their parents.",
    ),
    "every arrival": (
        "The order looks like a depth-first search, children first, that lists a node each time it gets there.",
        "The list looks like a depth-first search, reversed, that lists a node each time it gets there.",
    ),
    "every arrival, turned": (
        "The order looks like a depth-first search that lists a node each time it gets there, walked from its end.",
        "The list looks like a depth-first search, children first, that lists a node each time it gets there.",
    ),
    "largest first": (
        "The order looks like a sort by data: the largest number first.",
        "The list looks like a sort by data: the largest number last.",
    ),
    "smallest first": (
        "The order looks like a sort by data: the smallest number first.",
        "The list looks like a sort by data: the smallest number last.",
    ),
    "alike": (
        "This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
    )
    * 2,
}


def attribute(node: str, name: str) -> str:
    """Return an expression for an attribute of a node: `a.grad`, `(a * b).grad`."""
    return f"({node}).{name}" if " " in node or node.startswith("-") else f"{node}.{name}"


def walk_sentence(fact: WalkFact) -> str:
    """Return the sentence about the first wrong step of a walk, to go with a picture of its graph."""
    said = template(WALKS[fact.fault].sentence, fact.engine).format_map(_names(fact))
    return f"Y{said[1:]}" if said.startswith("your ") else said


def walk_words(fact: WalkFact) -> str:
    """Return the sentences about a walk: its first wrong step, and the kind of walk that the order looks like."""
    local = _LOCALS.get(fact.number, "") if fact.fault == "loop" else ""
    look = LOOKS[fact.look][fact.fault.endswith("_listed")] if fact.look else ""
    said = [template(text, fact.engine) for text in (WALKS[fact.fault].sentence, local, look) if text]
    return f"On the graph {fact.graph}, {' '.join(said).format_map(_names(fact))}"


def walk_in_brief(fact: WalkFact) -> str:
    """Return a few words about a walk, without the names of its graph."""
    return template(WALKS[fact.fault].brief, fact.engine).format(name=f"`{fact.function}`")


def _names(fact: WalkFact) -> dict[str, object]:
    """Return the values for the names in a template."""
    several = len(fact.users) != 1
    own = names_in(fact.engine)
    grad, data, closure = (
        own.get(name, name) for name in ("grad", "data", "" if fact.hands else "_backward")
    )
    return {
        "function": fact.function,
        "your": f"your `{fact.function}`" if fact.function else "your order",
        "call": f"`{fact.function}({fact.root})`",
        "list": _list_words(fact.nodes, fact.other),
        "order": _NO_LIST.get(fact.other, ""),
        "node": _node_name(fact.node),
        "grad": _node_name(fact.node, grad),
        "data": _node_name(fact.node, data),
        "nodes": _and(map(_node_name, fact.nodes)),
        "grads": _and(_node_name(name, grad) for name in fact.nodes),
        "users": _and(map(_node_name, fact.users)) or "the walk",
        "number": fact.number,
        "other": fact.other,
        "held": f"`{fact.other}` of " if fact.other else "",
        "times": fact.times,
        "act": _acts([fact.node], closure),
        "acts": _acts(fact.nodes, closure),
        "none": f"calls no `{closure}`" if closure else "lets no node hand on",
        "are": "are" if several else "is",
        "bring": "add" if several else "adds",
    }


def _node_name(node: str, of: str = "") -> str:
    """Return a node's name or its attribute; an expression gets backticks."""
    text = attribute(node, of) if of else node
    return text if node.isidentifier() or not node else f"`{text}`"


def _acts(nodes: Sequence[str], closure: str) -> str:
    """Return the verb and its objects for a walk that calls these nodes' closures, or lets the nodes hand on."""
    names = _and(_node_name(node, closure) for node in nodes)
    return f"calls {names}" if closure else f"lets {names} hand on"


def _list_words(nodes: Sequence[str], kind: str) -> str:
    """Return the words for a list, or for an object of the class `kind` instead of one."""
    if kind == "NoneType":
        return "None"
    if kind:
        known = kind.isidentifier() and len(kind) < 40
        return f"an object of type {kind}, not a list" if known else "an object that is not a list"
    shown = ", ".join(nodes[:MOST_LISTED])
    return f"{shown}{', ...' if len(nodes) > MOST_LISTED else ''}" if shown else "an empty list"


def _and(names: Iterable[str]) -> str:
    *most, last = list(names) or [""]
    return f"{', '.join(most)} and {last}" if most else last


# Sentences about a step of a trace without a fact.
STEPS = {
    "forward": "`{node}` is {ours}; a right forward pass gives {right}.",
    "begin": "`{node}` starts with a gradient of {ours}; it must start with 0.",
    "call": "`{node}` is called with an upstream gradient of {ours}: {changes}.",
    "becomes": "`{grad}` becomes {ours}, but {right} in a right walk",
    "stays": "`{grad}` stays {ours}, but becomes {right} in a right walk",
    "again": "`{node}` is called again, so what it has already handed on is handed on once more.",
    "right call": "In a right walk `{node}` hands on here.",
    "right change": "In a right walk `{grad}` becomes {right} here.",
    "right end": "A right walk has ended here.",
    "hidden": "The walk goes wrong here.",
}

"""The topic of a scalar autograd engine.

    topic.py          the topic for grading: fixtures, records, charts, explanations
    parity.py         PyTorch's gradients, recorded or live
    exact.py          exact derivatives, for records where PyTorch is not installed
    random_graphs.py  random expressions
    drawing.py        `draw()` in a notebook: a graph as SVG (drawing.svg)
    nodes.py          helpers for checks: the children and local gradients of nodes, plain nodes, orders of calls
    trust.py          helpers for checks that rely on + and ×, or on another function, to judge only the work in question
    rules/            wrong rules of operations, read back and explained
    lines.py          the place of a wrong operation in a report: the check, the names, the lines that wrote its numbers
    walks/            wrong walks over graphs, read back and explained
    traces/           a test's walk, step by step, next to a right walk
    naming.py         attributes and methods with another name than a check uses
    arrays/           wrong rules of operations of arrays, read back and explained
    engine.py         the names of a student's engine: its class, attributes and methods
    facts.py          the kinds of facts about an engine: rules, causes, walks, names
    words/            the sentences about facts, and a few words for a list
    factwords.py      the facts of a check in the form of a report
    questions/        questions of an examination, answered by running the engine
    inside/           source files that are sent into the jail

Check files import the names below from `grader.autograd`.
"""

from grader.autograd.nodes import (
    assert_made_from,
    assert_sorted,
    children,
    double,
    hand_on,
    judge_order,
    kept_pairs,
    kept_slopes,
    listed,
    own_nodes,
    plain_nodes,
    reached,
    value_and_slopes,
    visit_order,
    walk,
)
from grader.autograd.random_graphs import random_graph
from grader.autograd.trust import (
    apart_from_log_softmax,
    apart_from_sort,
    apart_from_unbroadcast,
    built,
    graph,
    kept_graph,
    skip_test,
    walkable,
    works,
)

__all__ = [
    "apart_from_log_softmax",
    "apart_from_sort",
    "apart_from_unbroadcast",
    "assert_made_from",
    "assert_sorted",
    "built",
    "children",
    "double",
    "graph",
    "hand_on",
    "judge_order",
    "kept_graph",
    "kept_pairs",
    "kept_slopes",
    "listed",
    "own_nodes",
    "plain_nodes",
    "random_graph",
    "reached",
    "skip_test",
    "value_and_slopes",
    "visit_order",
    "walk",
    "walkable",
    "works",
]

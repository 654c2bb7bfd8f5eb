"""Runs and findings of walks, without a jail: answers are validated, orders are named, findings are true."""

from __future__ import annotations

import json
import random

import pytest

from grader.autograd.walks.findings import first_wrong
from grader.autograd.walks.graphs import ORDERS, WalkOrder, _order_of, closest, graph, graphs, look_of
from grader.autograd.walks.runs import (
    CALL,
    GRAD,
    ListReply,
    WalkEvent,
    WalkRun,
    _WalkReply,
    read_replies,
    right_gradients,
)
from grader.autograd.words.walks import LOOKS


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [3],
        [[]],
        [["", [[0, 99, 1.0]], [0.0] * 4, [0.0] * 4, None, [0.0] * 4, None, [0.0] * 4]],
        [["", [[0, 1, 1.0]], [0.0] * 3, [0.0] * 4, None, [0.0] * 4, None, [0.0] * 4]],
        [["", [[0, 1, "x"]], [0.0] * 4, [0.0] * 4, None, [0.0] * 4, None, [0.0] * 4]],
        [["", [[0, 1, 1.0]] * 401, [0.0] * 4, [0.0] * 4, None, [0.0] * 4, None, [0.0] * 4]],
        [["", [], [0.0] * 4, [0.0] * 4, ["_prev", [[7], [], [], []]], [0.0] * 4, None, [0.0] * 4]],
        [["x" * 101, [], [0.0] * 4, [0.0] * 4, None, [0.0] * 4, None, [0.0] * 4]],
    ],
)
def test_an_answer_that_is_not_of_the_format_is_refused(answer):
    """The jail's answer is untrusted data."""
    with pytest.raises(ValueError):
        read_replies(list(map(json.dumps, answer)), _WalkReply | None, graphs()[:1])


def test_an_answer_of_lists_is_about_nodes_of_its_graph():
    """An index beyond the graph is refused, too."""
    good = [[["", "", [0, 1, 2, 3]], ["", "", []]], None]
    assert len(read_replies([json.dumps(good)], ListReply, graphs()[:1])) == 1
    with pytest.raises(ValueError):
        read_replies(['[[["", "", [4]], ["", "", []]], null]'], ListReply, graphs()[:1])


@pytest.mark.parametrize("answer", [None, 3, [3], ["not JSON"], ["[" * 10_000]])
def test_an_answer_that_is_not_json_is_refused(answer):
    """Neither is one that is nested too deeply to be read."""
    with pytest.raises(ValueError):
        read_replies(answer, _WalkReply | None, graphs()[:1])


# --- Orders


@pytest.mark.parametrize("look", ORDERS)
@pytest.mark.parametrize("turned", [False, True])
def test_well_known_walks_are_distinct_on_the_graphs_that_are_tried(look, turned):
    """Each equals itself on every graph, and no other, for both orders of children."""
    seen = []
    for one in graphs():
        whole = WalkOrder(one, (), None, leaves=True)
        seen.append(whole._replace(order=_order_of(whole, look, (False, turned, True))))
    assert look_of(seen) == look
    assert look in LOOKS
    inner = [
        one._replace(order=tuple(i for i in one.order if i in one.graph.inner), leaves=False) for one in seen
    ]
    assert look_of(inner) == look


def test_an_order_that_is_none_of_these_is_given_no_name():
    """A search that marks nodes when it pushes them is neither depth first nor level by level."""
    seen = []
    for one in graphs():
        order, stack, marked = list[int](), [one.root], {one.root}
        while stack:
            order.append(stack.pop())
            new = [child for child in one.children(order[-1]) if child not in marked]
            stack += dict.fromkeys(new)
            marked.update(new)
        seen.append(WalkOrder(one, tuple(order), None, leaves=True))
    assert look_of(seen) == ""


def test_the_closest_right_order_shares_the_longest_beginning():
    """After that it follows the student's order as far as that is right."""
    diamond = graph("b = a + 1; c = a * 3; d = b * c", {"a": 4.0})
    nodes = [3, 2, 1]
    assert closest([3, 1, 2], nodes, diamond.users) == ([3, 1, 2], None)
    assert closest([1, 3, 2], nodes, diamond.users) == ([3, 1, 2], 0)
    assert closest([3, 1], nodes, diamond.users) == ([3, 1, 2], 2)
    assert closest([3, 1, 1, 2], nodes, diamond.users) == ([3, 1, 2], 2)
    assert closest([], nodes, diamond.users) == ([3, 2, 1], 0)


def run_of(one, calls, before, sets=()):
    """Return the run of a walk that makes these calls, after these gradients were set."""
    grads, events = list(before), []
    for node, value in sets:
        grads[node] = value
        events.append(WalkEvent(GRAD, node, value))
    for node in calls:
        events.append(WalkEvent(CALL, node, grads[node]))
        for child, slope in one.pairs[node]:
            grads[child] += slope * grads[node]
    fair = right_gradients(before, one.pairs)
    return WalkRun(one, tuple(events), tuple(before), tuple(grads), fair, None)


def test_findings_about_random_walks_are_true():
    """Five hundred orders of calls: each finding is true, and no finding means right gradients."""
    rng = random.Random(3)
    told = 0
    for _ in range(500):
        one = rng.choice([one for one in graphs() if one.inner])
        calls = rng.choices(one.inner, k=rng.randint(1, 8)) if rng.random() < 0.5 else rng.sample(one.inner, len(one.inner))  # fmt: skip
        run = run_of(one, calls, [0.0] * len(one.names), [(one.root, 1.0)])
        found = first_wrong(run, "backward")
        if found is None:
            assert run.is_right()
            continue
        told += 1
        fact, names = found.fact, one.names
        assert list(fact.student) == [names[i] for i in calls]
        assert fact.wrong < 0 or fact.student[: fact.wrong] == fact.right[: fact.wrong]
        if found.kind == "never":
            assert set(fact.nodes) == {names[i] for i in one.inner if i not in calls}
        if found.kind == "early":
            place = calls.index(names.index(fact.node))
            for user in fact.users:
                assert names.index(user) not in calls[:place]
                assert names.index(fact.node) in one.children(names.index(user))
        if found.kind == "twice":
            assert calls.count(names.index(fact.node)) == fact.times
    assert told > 300


def test_rows_for_the_jail_are_plain():
    """Indices of nodes are ints in a list, numbers are floats."""
    assert graph("b = a * 3", {"a": 2.0}).rows == [["leaf", 2.0], ["*", [0], 3.0]]

"""The recorder that runs in the jail: what it notes of calls and gradients, and where it stops."""

from __future__ import annotations

import pytest

from grader.autograd.inside.recording import BACK, CALL, GRAD, HANDED, READ, Recorder


class Node:
    """A node that hands twice its gradient on to its child, and may call it at once."""

    def __init__(self, child: Node | None = None, *, calls: bool = False) -> None:
        self.data, self.grad, self.child, self.calls = 1.0, 0.0, child, calls

    def _backward(self) -> None:
        if self.child is not None:
            self.child.grad += 2 * self.grad
            if self.calls:
                self.child._backward()
                self.child.grad += 1.0


class Plain:
    """A node without `_backward`."""

    def __init__(self) -> None:
        self.data, self.grad = 1.0, 0.0


def chain(*, calls: bool = False) -> list[Node]:
    """Three nodes; each is made from the one before it."""
    a = Node()
    b = Node(a)
    return [a, b, Node(b, calls=calls)]


def recorder(nodes: list[Node], **settings: bool | int) -> Recorder:
    """A recorder of the calls of all nodes that are made from others."""
    log = Recorder(nodes, **settings)
    for place in range(1, len(nodes)):
        log.note_calls(place)
    return log


def test_a_walk():
    """Gradients between the calls; what a call itself changes follows from its rule."""
    nodes = chain()
    log = recorder(nodes)
    nodes[2].grad = 1.0
    nodes[2]._backward()
    nodes[1]._backward()
    nodes[0].grad = 0.0
    log.look()
    assert log.events == [[GRAD, 2, 1.0], [CALL, 2, 1.0], [CALL, 1, 2.0], [GRAD, 0, 0.0]]


def test_a_test():
    """Also what each call changes; a call within a call ends with a note."""
    nodes = chain(calls=True)
    log = recorder(nodes, test=True)
    nodes[2].grad = 1.0
    nodes[2]._backward()
    assert log.events == [
        [GRAD, 2, 1.0],
        [CALL, 2, 1.0],
        [HANDED, 1, 2.0],
        [CALL, 1, 2.0],
        [HANDED, 0, 4.0],
        [BACK, 2, None],
        [HANDED, 1, 3.0],
    ]


def test_a_call_within_a_call_is_no_walk_by_calls():
    """It is said, so that nobody reads an order from it."""
    nodes = chain(calls=True)
    log = recorder(nodes)
    nodes[2]._backward()
    assert log.nested
    assert log.events == [[CALL, 2, 0.0]]


def test_nodes_without_a_backward():
    """Every read and write of a gradient, also where it changes nothing; the numbers stay the node's own."""
    nodes = [Plain(), Plain()]
    log = Recorder(nodes)
    for place in range(2):
        log.note_accesses(place)
    nodes[0].grad = nodes[1].grad
    nodes[1].grad += 2.0
    assert log.events == [[READ, 1, 0.0], [GRAD, 0, 0.0], [READ, 1, 0.0], [GRAD, 1, 2.0]]
    assert nodes[1].__dict__ == {"data": 1.0, "grad": 2.0}


def test_a_walk_that_goes_on_for_ever_is_ended():
    """A test is not: it says that the notes are not complete."""
    for test in (False, True):
        nodes = chain()
        log = recorder(nodes, most=3, test=test)
        for _ in range(2):
            nodes[2]._backward()
        nodes[2]._backward()
        assert (len(log.events), log.full) == (3, False)
        if not test:
            with pytest.raises(SystemExit):
                nodes[2]._backward()
        else:
            nodes[2]._backward()
        assert (len(log.events), log.full) == (3, True)

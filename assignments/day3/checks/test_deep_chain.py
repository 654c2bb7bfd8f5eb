"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from grader.autograd import plain_nodes
from grader.sandbox import StudentError, Undefined

EACH_ONCE = "Every node of the chain stands in the list exactly once."

# Executed in the jail: calls build_topo with Python's usual recursion limit, and refuses a higher one. Gives the nodes of
# its list, sorted, as stretches of the chain: the first and the last place of each, where the leaf has place 0.
USUAL_LIMIT = """
import sys

def call(function, root):
    chain = [root]
    while chain[-1]._prev:
        chain += chain[-1]._prev
    place = {id(node): i for i, node in enumerate(reversed(chain))}
    limit, change = sys.getrecursionlimit(), sys.setrecursionlimit
    usual = 1000 + len(list(above(sys._getframe())))
    change(usual)
    sys.setrecursionlimit = lambda limit: None
    try:
        found = function(root)
        if sys.getrecursionlimit() > usual:
            raise RecursionError("the recursion limit was raised")
    finally:
        sys.setrecursionlimit = change
        change(limit)
    return stretches(sorted(place.get(id(node), -1) for node in found)) if isinstance(found, (list, tuple)) else None

def stretches(places):
    found = []
    for place in places:
        if found and found[-1][1] + 1 == place:
            found[-1][1] = place
        else:
            found.append([place, place])
    return found[:20]

def above(frame):
    while frame:
        yield frame
        frame = frame.f_back
"""


def ready(student):
    """Reach the blank of section 3 where section 4 is not written either: a long chain comes after both."""
    try:
        student.Value.backward  # noqa: B018  there or not
    except (AttributeError, StudentError, Undefined):
        student.backward(plain_nodes(student, {"a": {}})["a"])


def chain(length):
    edges = {"n0": {}}
    for i in range(1, length):
        edges[f"n{i}"] = {f"n{i - 1}": 1}
    return edges


def test_hundred(student):
    """build_topo lists a chain of 100 nodes, each of them once."""
    ready(student)
    graph = plain_nodes(student, chain(100))
    found = student.build_topo(graph["n99"])
    assert isinstance(found, list | tuple), "`build_topo` must return a list of nodes."
    assert sorted(graph.names(found)) == sorted(chain(100)), EACH_ONCE


def test_five_thousand(student):
    """build_topo lists a chain of 5,000 nodes, each of them once, with Python's usual recursion limit.

    The check sets that limit. A search that calls itself meets it: each waiting call counts. A loop with a
    stack does not (section 7).
    """
    ready(student)
    graph = plain_nodes(student, chain(5000), only=["n0", "n4999"])
    call = student.helper(USUAL_LIMIT, "call")
    found = call(student.build_topo, graph["n4999"])
    assert found is not None, "`build_topo` must return a list of nodes."
    assert found == [[0, 4999]], EACH_ONCE

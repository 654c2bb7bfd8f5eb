"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from grader.autograd import plain_nodes
from grader.sandbox import StudentError, Undefined

# Executed in the jail: calls build_topo. Gives those nodes of its list that are in the chain, sorted, as stretches: the first
# and the last place of each, where the leaf has place 0. Nodes of an earlier call cost the check `build_topo`, not this one.
# `call` sets Python's usual recursion limit, and refuses a higher one: the first node of the chain sees how many calls wait.
LISTED = """
import sys

def listed(build_topo, root):
    chain = [root]
    while chain[-1]._prev:
        chain += chain[-1]._prev
    place = {id(node): i for i, node in enumerate(reversed(chain))}
    found = build_topo(root)
    if not isinstance(found, (list, tuple)):
        return None
    stretches = []
    for here in sorted(place[id(node)] for node in found if id(node) in place):
        if stretches and stretches[-1][1] + 1 == here:
            stretches[-1][1] = here
        else:
            stretches.append([here, here])
    return stretches[:20]

def call(build_topo, root):
    limit, change = sys.getrecursionlimit(), sys.setrecursionlimit
    usual = 1000 + len(list(above(sys._getframe())))
    waiting, first = [], root
    while first._prev:
        (first,) = first._prev

    def seen(node):
        waiting.append(len(list(above(sys._getframe()))))
        return vars(node)["_prev"]

    first.__class__ = type("PlainNode", (type(first),), dict(_prev=property(seen)))
    change(usual)
    sys.setrecursionlimit = lambda limit: None
    try:
        found = listed(build_topo, root)
        if max(sys.getrecursionlimit(), *waiting) > usual:
            raise RecursionError("your code set a higher recursion limit; this check allows only Python's usual limit")
        return found
    finally:
        sys.setrecursionlimit = change
        change(limit)

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
        try:
            student.backward(plain_nodes(student, {"a": {}})["a"])
        except StudentError as error:
            if error.type == "NotImplementedError":  # a blank; what is wrong in backward is not this check's
                raise


def check_chain(student, length, way):
    ready(student)
    edges = {"n0": {}}
    for i in range(1, length):
        edges[f"n{i}"] = {f"n{i - 1}": 1}
    root = f"n{length - 1}"
    graph = plain_nodes(student, edges, only=[root])
    found = student.helper(LISTED, way)(student.build_topo, graph[root])
    assert found is not None, "`build_topo` must return a list of nodes."
    assert found == [[0, length - 1]], "Every node of the chain should stand in the list exactly once."


def test_hundred(student):
    """build_topo lists a chain of 100 nodes, each of them once."""
    check_chain(student, 100, "listed")


def test_five_thousand(student):
    """build_topo lists a chain of 5,000 nodes, each of them once, with Python's usual recursion limit.

    The check sets that limit. A search that calls itself meets it: each waiting call counts. A loop with a
    stack does not (section 7).
    """
    check_chain(student, 5000, "call")

"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from grader.autograd import plain_nodes
from grader.sandbox import StudentError, Undefined

# Executed in the jail, as in the visible check.
LISTED = """
def listed(build_topo, root):
    chain = [root]
    while chain[-1]._prev:
        chain += chain[-1]._prev
    place = {id(node): i for i, node in enumerate(reversed(chain))}
    found = build_topo(root)
    if not isinstance(found, (list, tuple)):
        return None
    stretches = []
    for here in sorted(place.get(id(node), -1) for node in found):
        if stretches and stretches[-1][1] + 1 == here:
            stretches[-1][1] = here
        else:
            stretches.append([here, here])
    return stretches[:20]
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


def check_chain(student, length, size):
    ready(student)
    edges = {"n0": {}}
    for i in range(1, length):
        edges[f"n{i}"] = {f"n{i - 1}": 1}
    root = f"n{size - 1}"
    graph = plain_nodes(student, edges, only=[root])
    found = student.helper(LISTED, "listed")(student.build_topo, graph[root])
    assert found == [[0, size - 1]]


def test_three_hundred(student):
    """A chain of 300 nodes, each once."""
    check_chain(student, 300, 300)


def test_from_within(student, rng):
    """From a node within a chain, it and what lies below it."""
    check_chain(student, 90, rng.randrange(50, 70))

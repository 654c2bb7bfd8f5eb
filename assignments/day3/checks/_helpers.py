"""What the checks of a Value share."""

CHILDREN = """
def children(node):
    if hasattr(node, "_prev"):
        return list(node._prev)
    found, waiting = [], list(vars(node).values())
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple, set)):
            waiting += each
        elif isinstance(each, type(node)):
            found.append(each)
    return found
"""


def assert_knows(student, result, inputs, sign):
    """Fail if the result of an operation does not hold each of its inputs: in `_prev`, or in another attribute."""
    found = student.helper(CHILDREN, "children")(result)
    for leaf in inputs:
        assert leaf in found, f"What {sign} makes does not hold each of its inputs in `_prev`."

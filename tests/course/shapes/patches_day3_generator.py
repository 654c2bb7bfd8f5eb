"""The mistakes of day 3, made by hand in day3_generator.py.

Each is a list of replacements (old text, new text); every old text occurs exactly once.
"""

MEET = "            if child not in met:\n                met.add(child)\n"
START = "    met = {root}\n    path = [(root, iter(root._prev))]\n"
YIELD = "            path.pop()\n            yield node\n"
SORT = "    return list(finished(root))\n"
ROOTWARD = "    yield from reversed(build_topo(root))\n"
SEED = "    root.grad = 1\n"
LOOP = "    for node in from_the_root(root):\n        node._backward()\n"

LEVELS = """\
    met = {root}
    queue = [root]
    for node in queue:
        for child in node._prev:
            if child not in met:
                met.add(child)
                queue.append(child)
"""

KEPT_LIST = (
    "def build_topo(root):\n" + SORT,
    "def build_topo(root, found=[]):\n    found.extend(finished(root))\n    return found\n",
)
KEPT_VISITED = [
    ("def finished(root):\n", "met = set()\n\n\ndef finished(root):\n"),
    (
        START,
        "    if root in met:\n        return\n    met.add(root)\n    path = [(root, iter(root._prev))]\n",
    ),
]

PLUS = "Value(self.data + other.data, (self, other), (1, 1))"
TIMES = "Value(self.data * other.data, (self, other), (other.data, self.data))"
TANH = "Value(t, (self,), (1 - t * t,))"


def _childless(made: str) -> str:
    """The lines of an operation whose result forgets what it was made from, not what it hands on."""
    return f"        out = {made}\n        out._prev = set()\n        return out\n"


NOT_POSSIBLE: dict[str, str] = {}

MISTAKES = {
    # build_topo
    "topo_appends_outside_if": [
        ("                break\n", "                break\n            else:\n                yield child\n")
    ],
    "topo_appends_root": [(YIELD, "            path.pop()\n            yield root\n")],
    "topo_breadth_first": [(SORT, LEVELS + "    return queue[::-1]\n")],
    "topo_breadth_first_forward": [(SORT, LEVELS + "    return queue\n")],
    "topo_children_only": [("path.append((child, iter(child._prev)))", "path.append((child, iter(())))")],
    "topo_first_child_only": [
        ("iter(root._prev)", "iter(list(root._prev)[:1])"),
        ("iter(child._prev)", "iter(list(child._prev)[:1])"),
    ],
    "topo_keeps_both": [KEPT_LIST, *KEPT_VISITED],
    "topo_keeps_list": [KEPT_LIST],
    "topo_keeps_visited": KEPT_VISITED,
    "topo_parents_first": [("list(finished(root))", "list(finished(root))[::-1]")],
    "topo_pre_order": [
        (START, "    yield root\n" + START),
        (MEET, MEET + "                yield child\n"),
        (YIELD, "            path.pop()\n"),
    ],
    "topo_pre_order_reversed": [
        (START, "    yield root\n" + START),
        (MEET, MEET + "                yield child\n"),
        (YIELD, "            path.pop()\n"),
        ("list(finished(root))", "list(finished(root))[::-1]"),
    ],
    "topo_returns_nothing": [(SORT, "    list(finished(root))\n")],
    "topo_returns_visited": [(SORT, "    return frozenset(finished(root))\n")],
    "topo_root_only": [(SORT, "    return [root]\n")],
    "topo_stays_empty": [
        (SORT, "    order = []\n    for node in finished(root):\n        order + [node]\n    return order\n")
    ],
    "topo_visited_by_value": [
        (START, START.replace("{root}", "{root.data}")),
        (MEET, MEET.replace("child not in", "child.data not in").replace("add(child)", "add(child.data)")),
    ],
    "topo_without_leaves": [
        (YIELD, "            path.pop()\n            if node._prev:\n                yield node\n")
    ],
    "topo_without_root": [
        (YIELD, "            path.pop()\n            if path:\n                yield node\n")
    ],
    "topo_without_visited": [(MEET, "            if True:\n")],
    # backward
    "backward_breadth_first": [
        (ROOTWARD, LEVELS.replace("for node in queue:\n", "for node in queue:\n        yield node\n"))
    ],
    "backward_breadth_first_repeated": [
        (
            ROOTWARD,
            "    queue = [root]\n    for node in queue:\n        yield node\n        queue.extend(node._prev)\n",
        )
    ],
    "backward_calls_root_each_time": [("        node._backward()\n", "        root._backward()\n")],
    "backward_calls_twice": [(ROOTWARD, ROOTWARD + ROOTWARD)],
    "backward_clears_afterwards": [
        (
            LOOP,
            LOOP
            + "    for node in from_the_root(root):\n        if node is not root:\n            node.grad = 0\n",
        )
    ],
    "backward_clears_first": [(SEED, "    for node in from_the_root(root):\n        node.grad = 0\n" + SEED)],
    "backward_during_search": [
        (
            ROOTWARD,
            "    stack, met = [root], set()\n"
            "    while stack:\n"
            "        node = stack.pop()\n"
            "        if node not in met:\n"
            "            met.add(node)\n"
            "            yield node\n"
            "            stack.extend(node._prev)\n",
        )
    ],
    "backward_forgets_to_call": [("        node._backward()\n", "        node._backward\n")],
    "backward_is_empty": [(LOOP, "    return\n")],
    "backward_not_reversed": [(ROOTWARD, "    yield from build_topo(root)\n")],
    "backward_plain_recursion": [
        (ROOTWARD, "    yield root\n    for child in root._prev:\n        yield from from_the_root(child)\n")
    ],
    "backward_root_only": [(LOOP, "    next(from_the_root(root))._backward()\n")],
    "backward_seeds_data": [(SEED, "    root.data = 1\n")],
    "backward_seeds_every_node": [(SEED, "    for node in from_the_root(root):\n        node.grad = 1\n")],
    "backward_seeds_late": [(SEED + LOOP, LOOP + SEED)],
    "backward_seeds_on_the_way": [
        (LOOP, "    root._backward()\n    for node in root._prev:\n        backward(node)\n")
    ],
    "backward_seeds_with_value": [(SEED, "    root.grad = root.data\n")],
    "backward_seeds_zero": [(SEED, "    root.grad = 0\n")],
    "backward_skips_root": [(ROOTWARD, "    yield from build_topo(root)[-2::-1]\n")],
    "backward_sorts_by_value": [
        (ROOTWARD, "    yield from sorted(build_topo(root), key=lambda node: node.data, reverse=True)\n")
    ],
    "backward_without_seed": [(SEED, "")],
    # Value
    "missing_import_math": [("import math\n", "")],
    "value_add_without_children": [(f"        return {PLUS}\n", _childless(PLUS))],
    "value_assigns": [("node.grad += slope * self.grad", "node.grad = slope * self.grad")],
    "value_equal_by_value": [
        (
            "class Value:\n",
            "class Value:\n"
            "    def __hash__(self):\n"
            "        return hash(self.data)\n\n"
            "    def __eq__(self, other):\n"
            "        return hash(self) == hash(other)\n\n",
        )
    ],
    "value_grad_starts_at_one": [("self.data, self.grad = data, 0\n", "self.data, self.grad = data, 1\n")],
    "value_mul_without_children": [(f"        return {TIMES}\n", _childless(TIMES))],
    "value_tanh_without_children": [(f"        return {TANH}\n", _childless(TANH))],
    "value_without_hash": [
        (
            "class Value:\n",
            "class Value:\n    def __eq__(self, other):\n        return vars(self) == vars(other)\n\n",
        )
    ],
}

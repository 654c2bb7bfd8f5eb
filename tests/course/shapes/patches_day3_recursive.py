"""The mistakes of day 3, made by hand in day3_recursive.py.

Each is a list of replacements (old text, new text); every old text occurs exactly once.
"""

NEW = "        if node not in state:\n"
CHILDREN = "            for child in node._prev:\n                explore(child)\n"
LISTED = '            state[node] = "listed"\n            order.append(node)\n'
SEARCH = """\
    order, state = [], {}

    def explore(node):
        if node not in state:
            state[node] = "open"
            for child in node._prev:
                explore(child)
            state[node] = "listed"
            order.append(node)

    explore(root)
    return order
"""
SEED = "    root.grad = 1.0\n"
LOOP = "    for i in range(len(order) - 1, -1, -1):\n"
CALL = "        order[i]._backward()\n"
WALK = "    order = build_topo(root)\n" + SEED + LOOP + CALL

LEVELS = """\
    level, seen = [root], {root: True}
    while level:
        below = []
        for node in level:
            %s
            for child in node._prev:
                if child not in seen:
                    seen[child] = True
                    below.append(child)
        level = below
"""

PLUS = "Value(self.data + other.data, (self, other))"
TIMES = "Value(self.data * other.data, (self, other))"
TANH = "Value(math.tanh(self.data), (self,))"

MISTAKES = {
    # build_topo
    "topo_appends_outside_if": [(LISTED, '            state[node] = "listed"\n        order.append(node)\n')],
    "topo_appends_root": [("order.append(node)", "order.append(root)")],
    "topo_breadth_first": [
        (SEARCH, "    order = []\n" + LEVELS % "order.insert(0, node)" + "    return order\n")
    ],
    "topo_breadth_first_forward": [
        (SEARCH, "    order = []\n" + LEVELS % "order.append(node)" + "    return order\n")
    ],
    "topo_children_only": [
        (SEARCH, "    order = list(root._prev)\n    order.append(root)\n    return order\n")
    ],
    "topo_first_child_only": [(CHILDREN, CHILDREN + "                break\n")],
    "topo_keeps_both": [
        (
            "def build_topo(root):\n    order, state = [], {}\n",
            "def build_topo(root, order=[], state={}):\n",
        )
    ],
    "topo_keeps_list": [
        (
            "def build_topo(root):\n    order, state = [], {}\n",
            "ORDER = []\n\n\ndef build_topo(root):\n    order, state = ORDER, {}\n",
        )
    ],
    "topo_keeps_visited": [
        (
            "def build_topo(root):\n    order, state = [], {}\n",
            "def build_topo(root, state={}):\n    order = []\n",
        )
    ],
    "topo_parents_first": [("    return order\n", "    order.reverse()\n    return order\n")],
    "topo_pre_order": [(CHILDREN + LISTED, LISTED + CHILDREN)],
    "topo_pre_order_reversed": [
        (CHILDREN + LISTED, LISTED + CHILDREN),
        ("    return order\n", "    order.reverse()\n    return order\n"),
    ],
    "topo_returns_nothing": [("    return order\n", "")],
    "topo_returns_visited": [("    return order\n", "    return set(state)\n")],
    "topo_root_only": [(CHILDREN, "")],
    "topo_stays_empty": [("            order.append(node)\n", "")],
    "topo_visited_by_value": [
        (NEW, "        if node.data not in state:\n"),
        ('state[node] = "open"', 'state[node.data] = "open"'),
        ('state[node] = "listed"', 'state[node.data] = "listed"'),
    ],
    "topo_without_leaves": [
        (
            "            order.append(node)\n",
            "            if node._prev:\n                order.append(node)\n",
        )
    ],
    "topo_without_root": [("    explore(root)\n", "    for child in root._prev:\n        explore(child)\n")],
    "topo_without_visited": [(NEW, "        if True:\n")],
    # backward
    "backward_breadth_first": [(WALK, SEED + LEVELS % "node._backward()")],
    "backward_breadth_first_repeated": [
        (
            WALK,
            SEED
            + "    level = [root]\n"
            + "    while level:\n"
            + "        for node in level:\n"
            + "            node._backward()\n"
            + "        level = [child for node in level for child in node._prev]\n",
        )
    ],
    "backward_calls_root_each_time": [(CALL, "        root._backward()\n")],
    "backward_calls_twice": [(LOOP + CALL, (LOOP + CALL) * 2)],
    "backward_clears_afterwards": [(CALL, CALL + "    for node in order[:-1]:\n        node.grad = 0.0\n")],
    "backward_clears_first": [(SEED, "    for node in order:\n        node.grad = 0.0\n" + SEED)],
    "backward_during_search": [
        (
            WALK,
            SEED
            + "    state = {}\n\n"
            + "    def explore(node):\n"
            + "        if node not in state:\n"
            + "            state[node] = True\n"
            + "            node._backward()\n"
            + "            for child in node._prev:\n"
            + "                explore(child)\n\n"
            + "    explore(root)\n",
        )
    ],
    "backward_forgets_to_call": [(CALL, "        order[i]._backward\n")],
    "backward_is_empty": [(LOOP + CALL, "")],
    "backward_not_reversed": [("range(len(order) - 1, -1, -1)", "range(len(order))")],
    "backward_plain_recursion": [
        (
            "def backward(root):\n" + WALK,
            "def backward(root):\n"
            + SEED
            + "    hand_on(root)\n\n\n"
            + "def hand_on(node):\n"
            + "    node._backward()\n"
            + "    for child in node._prev:\n"
            + "        hand_on(child)\n",
        )
    ],
    "backward_root_only": [(LOOP + CALL, "    root._backward()\n")],
    "backward_seeds_data": [(SEED, "    root.data = 1.0\n")],
    "backward_seeds_every_node": [(SEED, "    for node in order:\n        node.grad = 1.0\n")],
    "backward_seeds_late": [(SEED, ""), (CALL, CALL + SEED)],
    "backward_seeds_on_the_way": [
        (WALK, SEED + "    root._backward()\n    for child in root._prev:\n        backward(child)\n")
    ],
    "backward_seeds_with_value": [(SEED, "    root.grad = root.data\n")],
    "backward_seeds_zero": [(SEED, "    root.grad = 0.0\n")],
    "backward_skips_root": [("range(len(order) - 1, -1, -1)", "range(len(order) - 2, -1, -1)")],
    "backward_sorts_by_value": [
        (
            "    order = build_topo(root)\n",
            "    order = sorted(build_topo(root), key=lambda node: node.data)\n",
        )
    ],
    "backward_without_seed": [(SEED, "")],
    # Value
    "missing_import_math": [("import math\n", "")],
    "value_add_without_children": [(PLUS, "Value(self.data + other.data)")],
    "value_assigns": [
        ("            self.grad += out.grad\n", "            self.grad = out.grad\n"),
        ("            other.grad += out.grad\n", "            other.grad = out.grad\n"),
        ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
        ("other.grad += self.data * out.grad", "other.grad = self.data * out.grad"),
        ("self.grad += (1 - out.data**2) * out.grad", "self.grad = (1 - out.data**2) * out.grad"),
    ],
    "value_equal_by_value": [
        (
            "    def __radd__",
            "    def __eq__(self, other):\n"
            "        return self.data == getattr(other, 'data', other)\n\n"
            "    def __hash__(self):\n"
            "        return hash(self.data)\n\n"
            "    def __radd__",
        )
    ],
    "value_grad_starts_at_one": [("        self.grad = 0.0\n", "        self.grad = 1.0\n")],
    "value_mul_without_children": [(TIMES, "Value(self.data * other.data)")],
    "value_tanh_without_children": [(TANH, "Value(math.tanh(self.data))")],
    "value_without_hash": [
        (
            "    def __radd__",
            "    def __eq__(self, other):\n        return self.data == other.data\n\n    def __radd__",
        )
    ],
}

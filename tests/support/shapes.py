"""Slips of the engine, made by hand in shapes that no reference has.

Day 2 with one `_backward` method that switches on the operation, day 3 with a recursive search over a dictionary:
`course/shapes/NAME.py` is the right submission. A few are made in two of `course/variants/`: with slots and
`functools.partial`, and with generators over a stack of iterators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slip_table import Edit, changed
from variety import VARIANTS

SHAPES = Path(__file__).resolve().parents[1] / "course" / "shapes"
Slips = Mapping[str, Sequence[Edit]]


@dataclass(frozen=True)
class Shape:
    """A right submission of a day, and the changes that make each slip in it."""

    day: str
    name: str
    slips: Slips
    few: bool = False  # in one of `variants/`

    @property
    def right(self) -> str:
        """The submission as it is."""
        if self.few:
            return VARIANTS[self.name].submission(self.day)
        return (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")

    def source(self, name: str) -> str:
        """Return the source of a wrong submission by its name."""
        return changed(self.right, self.slips[name])


# --- Day 2 with one method

SUM = {"left": "left.grad += self.grad", "right": "right.grad += self.grad"}
PRODUCT = {
    "first": "first.grad += second.data * self.grad",
    "second": "second.grad += first.data * self.grad",
}
SLOPE = "x.grad += (1 - self.data**2) * self.grad"
LEFT, RIGHT, FIRST, SECOND = *SUM.values(), *PRODUCT.values()


def _both(lines: Mapping[str, str], rule: str) -> list[Edit]:
    """Return the edits that write a rule for both inputs; in it, `me` is the input and `you` the other one."""
    names = list(lines)
    return [(lines[me], rule.format(me=me, you=you)) for me, you in zip(names, names[::-1])]


def _assigned(*lines: str) -> list[Edit]:
    return [(line, line.replace("+=", "=")) for line in lines]


OF_SUMS = {
    "add_adds_one_to_upstream": "{me}.grad += 1 + self.grad",
    "add_assigns": "{me}.grad = self.grad",
    "add_flips_sign": "{me}.grad -= self.grad",
    "add_swaps_like_mul": "{me}.grad += self.grad * {you}.data",
    "add_uses_sign": "{me}.grad += (1 if {me}.data > 0 else -1) * self.grad",
    "add_uses_other_grad": "{me}.grad += {you}.grad",
    "add_uses_own_grad": "{me}.grad += {me}.grad",
    "add_without_upstream": "{me}.grad += 1",
    "add_writes_data": "{me}.data += self.grad",
}
OF_PRODUCTS = {
    "mul_adds_upstream": "{me}.grad += {you}.data + self.grad",
    "mul_assigns": "{me}.grad = {you}.data * self.grad",
    "mul_copies_upstream": "{me}.grad += self.grad",
    "mul_drops_sign": "{me}.grad += abs({you}.data) * self.grad",
    "mul_keeps_own_factor": "{me}.grad += {me}.data * self.grad",
    "mul_multiplies_gradients": "{me}.grad += {you}.grad * self.grad",
    "mul_uses_other_grad": "{me}.grad += {you}.data * {you}.grad",
    "mul_uses_own_sign": "{me}.grad += (1 if {me}.data > 0 else -1) * self.grad",
    "mul_uses_own_grad": "{me}.grad += {you}.data * {me}.grad",
    "mul_uses_product": "{me}.grad += self.data * self.grad",
    "mul_uses_sign_only": "{me}.grad += (1 if {you}.data > 0 else -1) * self.grad",
    "mul_uses_sum_of_factors": "{me}.grad += (first.data + second.data) * self.grad",
    "mul_without_upstream": "{me}.grad += {you}.data",
    "mul_writes_data": "{me}.data += {you}.data * self.grad",
}
OF_TANH = {
    "tanh_adds_upstream": "x.grad += (1 - self.data**2) + self.grad",
    "tanh_assigns": "x.grad = (1 - self.data**2) * self.grad",
    "tanh_minus_one_first": "x.grad += (self.data**2 - 1) * self.grad",
    "tanh_misplaced_parentheses": "x.grad += 1 - self.data**2 * self.grad",
    "tanh_not_squared": "x.grad += (1 - self.data) * self.grad",
    "tanh_plus_for_minus": "x.grad += (1 + self.data**2) * self.grad",
    "tanh_slope_from_input": "x.grad += (1 - x.data**2) * self.grad",
    "tanh_slope_is_output": "x.grad += self.data * self.grad",
    "tanh_slope_is_square": "x.grad += self.data**2 * self.grad",
    "tanh_slope_of_output": "x.grad += (1 - math.tanh(self.data) ** 2) * self.grad",
    "tanh_slope_squared": "x.grad += (1 - self.data**2) ** 2 * self.grad",
    "tanh_upstream_without_slope": "x.grad += self.grad",
    "tanh_uses_own_grad": "x.grad += (1 - self.data**2) * x.grad",
    "tanh_without_upstream": "x.grad += 1 - self.data**2",
    "tanh_writes_data": "x.data += (1 - self.data**2) * self.grad",
}
ONE_METHOD: Slips = {
    **{name: _both(SUM, rule) for name, rule in OF_SUMS.items()},
    "add_assigns_left": _assigned(LEFT),
    "add_assigns_right": _assigned(RIGHT),
    "add_flips_right_sign": [(RIGHT, "right.grad -= self.grad")],
    "add_forgets_closure": [('(self, addend), "add")', "(self, addend))")],
    "add_forward_multiplies": [("self.data + addend.data", "self.data * addend.data")],
    "add_leaves_constant_unwrapped": [("addend = as_value(other)", "addend = other")],
    "add_left_only": [(RIGHT, "pass")],
    "add_left_twice": [(RIGHT, LEFT)],
    "add_reflected_missing": [("    def __radd__(self, number):\n        return self + number\n", "")],
    "add_reflected_recurses": [("return self + number", "return number + self")],
    "add_right_only": [(LEFT, "pass")],
    "add_right_twice": [(LEFT, RIGHT)],
    **{name: _both(PRODUCT, rule) for name, rule in OF_PRODUCTS.items()},
    "mul_assigns_left": _assigned(FIRST),
    "mul_assigns_right": _assigned(SECOND),
    "mul_flips_right_sign": [(SECOND, "second.grad -= first.data * self.grad")],
    "mul_flips_sign": [
        (FIRST, "first.grad -= second.data * self.grad"),
        (SECOND, "second.grad += -first.data * self.grad"),
    ],
    "mul_forgets_closure": [('            case "mul":', '            case "times":')],
    "mul_forward_adds": [("self.data * factor.data", "self.data + factor.data")],
    "mul_half_swapped": [(SECOND, "second.grad += second.data * self.grad")],
    "mul_half_swapped_left": [(FIRST, "first.grad += first.data * self.grad")],
    "mul_leaves_constant_unwrapped": [("factor = as_value(other)", "factor = other")],
    "mul_left_only": [(SECOND, "")],
    "mul_left_twice": [(SECOND, "first.grad += first.data * self.grad")],
    "mul_reflected_missing": [("    def __rmul__(self, number):\n        return self * number\n", "")],
    "mul_reflected_recurses": [("return self * number", "return number * self")],
    "mul_right_only": [(FIRST, "")],
    "mul_right_twice": [(FIRST, "second.grad += second.data * self.grad")],
    **{name: [(SLOPE, rule)] for name, rule in OF_TANH.items()},
    "tanh_forgets_closure": [('(self,), "tanh")', "(self,))")],
    "tanh_forward_is_sine": [("math.tanh(self.data)", "math.sin(self.data)")],
    "tanh_forward_keeps_input": [("Value(math.tanh(self.data)", "Value(self.data")],
    "rules_assign": _assigned(LEFT, RIGHT, FIRST, SECOND),
    "every_operation_assigns": _assigned(LEFT, RIGHT, FIRST, SECOND, SLOPE),
    "grad_starts_at_one": [("        self.grad = 0\n", "        self.grad = 1\n")],
    "missing_import_math": [("import math\n", "")],
    "rules_exchanged": [
        ('case "add":', 'case "mul":'),
        ('            case "mul":\n                first', '            case "add":\n                first'),
    ],
}

# --- Day 3 with a recursive search

LAST = "    return order\n"
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

RECURSIVE: Slips = {
    # build_topo
    "topo_appends_outside_if": [(LISTED, '            state[node] = "listed"\n        order.append(node)\n')],
    "topo_appends_root": [("order.append(node)", "order.append(root)")],
    "topo_breadth_first": [(SEARCH, "    order = []\n" + LEVELS % "order.insert(0, node)" + LAST)],
    "topo_breadth_first_forward": [(SEARCH, "    order = []\n" + LEVELS % "order.append(node)" + LAST)],
    "topo_children_only": [(SEARCH, f"    order = list(root._prev)\n    order.append(root)\n{LAST}")],
    "topo_first_child_only": [(CHILDREN, CHILDREN + "                break\n")],
    "topo_parents_first": [(LAST, f"    order.reverse()\n{LAST}")],
    "topo_pre_order": [(CHILDREN + LISTED, LISTED + CHILDREN)],
    "topo_pre_order_reversed": [
        (CHILDREN + LISTED, LISTED + CHILDREN),
        (LAST, f"    order.reverse()\n{LAST}"),
    ],
    "topo_returns_nothing": [(LAST, "")],
    "topo_returns_visited": [(LAST, "    return set(state)\n")],
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
    "value_assigns": _assigned(
        "            self.grad += out.grad\n",
        "            other.grad += out.grad\n",
        "self.grad += other.data * out.grad",
        "other.grad += self.data * out.grad",
        "self.grad += (1 - out.data**2) * out.grad",
    ),
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

# --- In variants

PARTIAL = "out._backward = functools.partial(rule, x, y, out)"
SUM = "x.grad += out.grad\n    y.grad += out.grad\n"
BOUND = {
    "add_assigns": [(SUM, SUM.replace("+=", "="))],
    "mul_half_swapped": [("y.grad += out.grad * x.data\n", "y.grad += out.grad * y.data\n")],
    "tanh_slope_from_input": [("(1 + t) * (1 - t)", "1 - self.data**2")],
    "rules_called_at_once": [(PARTIAL, "out._backward = rule(x, y, out)")],
    "rules_stored_on_input": [(PARTIAL, PARTIAL.replace("out.", "x.", 1))],
    "rules_forgotten": [(f"    {PARTIAL}\n", "")],
}
LISTED_ALL = "def build_topo(root):\n    return [*finished(root)]\n"
GENERATED = {
    "topo_parents_first": [(LISTED_ALL, LISTED_ALL.replace(")]", ")][::-1]"))],
    "backward_not_reversed": [("-pair[0]", "pair[0]")],
    "backward_without_seed": [("    root.grad = 1.0\n", "")],
    "value_assigns": [("self.grad += gradient", "self.grad = gradient")],
}
ALL = [
    Shape("day2", "day2_one_method", ONE_METHOD),
    Shape("day3", "day3_recursive", RECURSIVE),
    Shape("day2", "slots_partial", BOUND, few=True),
    Shape("day3", "generator_sort", GENERATED, few=True),
]

"""The mistakes about the engine of day 2, made by hand in day2_slots_partial.py.

Each is a list of replacements (old text, new text); every old text occurs exactly once.
"""

X, Y = "x.grad += out.grad", "y.grad += out.grad"
U, V = "u.grad += out.grad * v.data", "v.grad += out.grad * u.data"
Z = "z.grad += out.grad * (1 - t * t)"
SUM = "out._backward = partial(hand_on_sum, out, self, addend)"
PRODUCT = "out._backward = partial(hand_on_product, out, self, factor)"
TANH = "out._backward = partial(hand_on_tanh, out, self, t)"

# Just as right: a class whose objects are called takes the place of `functools.partial`.
RULE = """

class partial:
    def __init__(self, rule, *rest):
        self.rule, self.rest = rule, rest

    def __call__(self):
        self.rule(*self.rest)
"""
ALSO_RIGHT = {"objects that are called": [("from functools import partial\n", RULE)]}

NOT_POSSIBLE: dict[str, str] = {}

MISTAKES = {
    # +
    "add_adds_one_to_upstream": [(X, "x.grad += out.grad + 1"), (Y, "y.grad += out.grad + 1")],
    "add_assigns": [(X, "x.grad = out.grad"), (Y, "y.grad = out.grad")],
    "add_assigns_left": [(X, "x.grad = out.grad")],
    "add_assigns_right": [(Y, "y.grad = out.grad")],
    "add_calls_closure": [(SUM, "out._backward = hand_on_sum(out, self, addend)")],
    "add_flips_right_sign": [(Y, "y.grad -= out.grad")],
    "add_flips_sign": [(X, "x.grad += -out.grad"), (Y, "y.grad += -out.grad")],
    "add_forgets_closure": [(SUM, "partial(hand_on_sum, out, self, addend)")],
    "add_forward_multiplies": [("self.data + addend.data", "self.data * addend.data")],
    "add_leaves_constant_unwrapped": [("addend = Value.of(other)", "addend = other")],
    "add_left_only": [(Y, "")],
    "add_left_twice": [(Y, X)],
    "add_reflected_missing": [("    __radd__ = __add__\n", "")],
    "add_reflected_recurses": [
        ("    __radd__ = __add__\n", "    def __radd__(self, number):\n        return number + self\n\n")
    ],
    "add_right_only": [(X, "")],
    "add_right_twice": [(X, Y)],
    "add_stores_on_input": [(SUM, "self._backward = partial(hand_on_sum, out, self, addend)")],
    "add_swaps_like_mul": [(X, "x.grad += y.data * out.grad"), (Y, "y.grad += x.data * out.grad")],
    "add_uses_sign": [
        (X, "x.grad += out.grad * math.copysign(1, x.data)"),
        (Y, "y.grad += out.grad * math.copysign(1, y.data)"),
    ],
    "add_uses_other_grad": [(X, "x.grad += y.grad"), (Y, "y.grad += x.grad")],
    "add_uses_own_grad": [(X, "x.grad *= 2"), (Y, "y.grad *= 2")],
    "add_without_upstream": [(X, "x.grad += 1.0"), (Y, "y.grad += 1.0")],
    "add_writes_data": [(X, "x.data += out.grad"), (Y, "y.data += out.grad")],
    # ×
    "mul_adds_upstream": [(U, "u.grad += out.grad + v.data"), (V, "v.grad += out.grad + u.data")],
    "mul_assigns": [(U, "u.grad = out.grad * v.data"), (V, "v.grad = out.grad * u.data")],
    "mul_assigns_left": [(U, "u.grad = out.grad * v.data")],
    "mul_assigns_right": [(V, "v.grad = out.grad * u.data")],
    "mul_calls_closure": [(PRODUCT, "out._backward = hand_on_product(out, self, factor)")],
    "mul_copies_upstream": [(U, "u.grad += out.grad"), (V, "v.grad += out.grad")],
    "mul_drops_sign": [(U, "u.grad += out.grad * abs(v.data)"), (V, "v.grad += out.grad * abs(u.data)")],
    "mul_flips_right_sign": [(V, "v.grad -= out.grad * u.data")],
    "mul_flips_sign": [(U, "u.grad -= out.grad * v.data"), (V, "v.grad -= out.grad * u.data")],
    "mul_forgets_closure": [(f"        {PRODUCT}\n", "")],
    "mul_forward_adds": [("self.data * factor.data", "self.data + factor.data")],
    "mul_half_swapped": [(V, "v.grad += out.grad * v.data")],
    "mul_half_swapped_left": [(U, "u.grad += out.grad * u.data")],
    "mul_keeps_own_factor": [(U, "u.grad += out.grad * u.data"), (V, "v.grad += out.grad * v.data")],
    "mul_leaves_constant_unwrapped": [("factor = Value.of(other)", "factor = other")],
    "mul_left_only": [(V, "")],
    "mul_left_twice": [(V, "u.grad += out.grad * u.data")],
    "mul_multiplies_gradients": [(U, "u.grad += out.grad * v.grad"), (V, "v.grad += out.grad * u.grad")],
    "mul_reflected_missing": [("    __rmul__ = __mul__\n", "")],
    "mul_reflected_recurses": [
        ("    __rmul__ = __mul__\n", "    def __rmul__(self, number):\n        return number * self\n")
    ],
    "mul_right_only": [(U, "")],
    "mul_right_twice": [(U, "v.grad += out.grad * v.data")],
    "mul_stores_on_input": [(PRODUCT, "self._backward = partial(hand_on_product, out, self, factor)")],
    "mul_uses_other_grad": [(U, "u.grad += v.grad * v.data"), (V, "v.grad += u.grad * u.data")],
    "mul_uses_own_sign": [
        (U, "u.grad += out.grad * math.copysign(1, u.data)"),
        (V, "v.grad += out.grad * math.copysign(1, v.data)"),
    ],
    "mul_uses_own_grad": [(U, "u.grad += u.grad * v.data"), (V, "v.grad += v.grad * u.data")],
    "mul_uses_product": [(U, "u.grad += out.grad * out.data"), (V, "v.grad += out.grad * out.data")],
    "mul_uses_sign_only": [
        (U, "u.grad += out.grad * math.copysign(1, v.data)"),
        (V, "v.grad += out.grad * math.copysign(1, u.data)"),
    ],
    "mul_uses_sum_of_factors": [
        (U, "u.grad += out.grad * (u.data + v.data)"),
        (V, "v.grad += out.grad * (u.data + v.data)"),
    ],
    "mul_without_upstream": [(U, "u.grad += v.data"), (V, "v.grad += u.data")],
    "mul_writes_data": [(U, "u.data += out.grad * v.data"), (V, "v.data += out.grad * u.data")],
    # tanh
    "tanh_adds_upstream": [(Z, "z.grad += out.grad + (1 - t * t)")],
    "tanh_assigns": [(Z, "z.grad = out.grad * (1 - t * t)")],
    "tanh_calls_closure": [(TANH, "out._backward = hand_on_tanh(out, self, t)")],
    "tanh_forgets_closure": [(f"        {TANH}\n", "")],
    "tanh_forward_is_sine": [("math.tanh(self.data)", "math.sin(self.data)")],
    "tanh_forward_keeps_input": [("Value(t, [self])", "Value(self.data, [self])")],
    "tanh_minus_one_first": [(Z, "z.grad += out.grad * (t * t - 1)")],
    "tanh_misplaced_parentheses": [(Z, "z.grad += 1 - t * t * out.grad")],
    "tanh_not_squared": [(Z, "z.grad += out.grad * (1 - t)")],
    "tanh_plus_for_minus": [(Z, "z.grad += out.grad * (1 + t * t)")],
    "tanh_slope_from_input": [(Z, "z.grad += out.grad * (1 - z.data**2)")],
    "tanh_slope_is_output": [(Z, "z.grad += out.grad * t")],
    "tanh_slope_is_square": [(Z, "z.grad += out.grad * t * t")],
    "tanh_slope_of_output": [(Z, "z.grad += out.grad * (1 - math.tanh(out.data) ** 2)")],
    "tanh_slope_squared": [(Z, "z.grad += out.grad * (1 - t * t) ** 2")],
    "tanh_stores_on_input": [(TANH, "self._backward = partial(hand_on_tanh, out, self, t)")],
    "tanh_upstream_without_slope": [(Z, "z.grad += out.grad")],
    "tanh_uses_own_grad": [(Z, "z.grad += z.grad * (1 - t * t)")],
    "tanh_without_upstream": [(Z, "z.grad += 1 - t * t")],
    "tanh_writes_data": [(Z, "z.data += out.grad * (1 - t * t)")],
    # Several at once
    "rules_assign": [
        (X, "x.grad = out.grad"),
        (Y, "y.grad = out.grad"),
        (U, "u.grad = out.grad * v.data"),
        (V, "v.grad = out.grad * u.data"),
    ],
    "every_operation_assigns": [
        (X, "x.grad = out.grad"),
        (Y, "y.grad = out.grad"),
        (U, "u.grad = out.grad * v.data"),
        (V, "v.grad = out.grad * u.data"),
        (Z, "z.grad = out.grad * (1 - t * t)"),
    ],
    "grad_starts_at_one": [("self.data, self.grad = data, 0.0", "self.data, self.grad = data, 1.0")],
    "missing_import_math": [("import math\n", "")],
    "rules_exchanged": [
        ("partial(hand_on_sum,", "partial(hand_on_product,"),
        ("partial(hand_on_product, out, self, factor)", "partial(hand_on_sum, out, self, factor)"),
    ],
}

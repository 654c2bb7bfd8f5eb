"""The mistakes about the engine of day 2, made by hand in day2_one_method.py.

Each is a list of replacements (old text, new text); every old text occurs exactly once.
"""

LEFT, RIGHT = "left.grad += self.grad", "right.grad += self.grad"
FIRST, SECOND = "first.grad += second.data * self.grad", "second.grad += first.data * self.grad"
SLOPE = "x.grad += (1 - self.data**2) * self.grad"

MISTAKES = {
    # +
    "add_adds_one_to_upstream": [
        (LEFT, "left.grad += 1 + self.grad"),
        (RIGHT, "right.grad += 1 + self.grad"),
    ],
    "add_assigns": [(LEFT, "left.grad = self.grad"), (RIGHT, "right.grad = self.grad")],
    "add_assigns_left": [(LEFT, "left.grad = self.grad")],
    "add_assigns_right": [(RIGHT, "right.grad = self.grad")],
    "add_flips_right_sign": [(RIGHT, "right.grad -= self.grad")],
    "add_flips_sign": [(LEFT, "left.grad -= self.grad"), (RIGHT, "right.grad -= self.grad")],
    "add_forgets_closure": [('(self, addend), "add")', "(self, addend))")],
    "add_forward_multiplies": [("self.data + addend.data", "self.data * addend.data")],
    "add_leaves_constant_unwrapped": [("addend = as_value(other)", "addend = other")],
    "add_left_only": [(RIGHT, "pass")],
    "add_left_twice": [(RIGHT, LEFT)],
    "add_reflected_missing": [("    def __radd__(self, number):\n        return self + number\n", "")],
    "add_reflected_recurses": [("return self + number", "return number + self")],
    "add_right_only": [(LEFT, "pass")],
    "add_right_twice": [(LEFT, RIGHT)],
    "add_swaps_like_mul": [
        (LEFT, "left.grad += self.grad * right.data"),
        (RIGHT, "right.grad += self.grad * left.data"),
    ],
    "add_uses_sign": [
        (LEFT, "left.grad += (1 if left.data > 0 else -1) * self.grad"),
        (RIGHT, "right.grad += (1 if right.data > 0 else -1) * self.grad"),
    ],
    "add_uses_other_grad": [(LEFT, "left.grad += right.grad"), (RIGHT, "right.grad += left.grad")],
    "add_uses_own_grad": [(LEFT, "left.grad += left.grad"), (RIGHT, "right.grad += right.grad")],
    "add_without_upstream": [(LEFT, "left.grad += 1"), (RIGHT, "right.grad += 1")],
    "add_writes_data": [(LEFT, "left.data += self.grad"), (RIGHT, "right.data += self.grad")],
    # ×
    "mul_adds_upstream": [
        (FIRST, "first.grad += second.data + self.grad"),
        (SECOND, "second.grad += first.data + self.grad"),
    ],
    "mul_assigns": [
        (FIRST, "first.grad = second.data * self.grad"),
        (SECOND, "second.grad = first.data * self.grad"),
    ],
    "mul_assigns_left": [(FIRST, "first.grad = second.data * self.grad")],
    "mul_assigns_right": [(SECOND, "second.grad = first.data * self.grad")],
    "mul_copies_upstream": [(FIRST, "first.grad += self.grad"), (SECOND, "second.grad += self.grad")],
    "mul_drops_sign": [
        (FIRST, "first.grad += abs(second.data) * self.grad"),
        (SECOND, "second.grad += abs(first.data) * self.grad"),
    ],
    "mul_flips_right_sign": [(SECOND, "second.grad -= first.data * self.grad")],
    "mul_flips_sign": [
        (FIRST, "first.grad -= second.data * self.grad"),
        (SECOND, "second.grad += -first.data * self.grad"),
    ],
    "mul_forgets_closure": [('            case "mul":', '            case "times":')],
    "mul_forward_adds": [("self.data * factor.data", "self.data + factor.data")],
    "mul_half_swapped": [(SECOND, "second.grad += second.data * self.grad")],
    "mul_half_swapped_left": [(FIRST, "first.grad += first.data * self.grad")],
    "mul_keeps_own_factor": [
        (FIRST, "first.grad += first.data * self.grad"),
        (SECOND, "second.grad += second.data * self.grad"),
    ],
    "mul_leaves_constant_unwrapped": [("factor = as_value(other)", "factor = other")],
    "mul_left_only": [(SECOND, "")],
    "mul_left_twice": [(SECOND, "first.grad += first.data * self.grad")],
    "mul_multiplies_gradients": [
        (FIRST, "first.grad += second.grad * self.grad"),
        (SECOND, "second.grad += first.grad * self.grad"),
    ],
    "mul_reflected_missing": [("    def __rmul__(self, number):\n        return self * number\n", "")],
    "mul_reflected_recurses": [("return self * number", "return number * self")],
    "mul_right_only": [(FIRST, "")],
    "mul_right_twice": [(FIRST, "second.grad += second.data * self.grad")],
    "mul_uses_other_grad": [
        (FIRST, "first.grad += second.data * second.grad"),
        (SECOND, "second.grad += first.data * first.grad"),
    ],
    "mul_uses_own_sign": [
        (FIRST, "first.grad += (1 if first.data > 0 else -1) * self.grad"),
        (SECOND, "second.grad += (1 if second.data > 0 else -1) * self.grad"),
    ],
    "mul_uses_own_grad": [
        (FIRST, "first.grad += second.data * first.grad"),
        (SECOND, "second.grad += first.data * second.grad"),
    ],
    "mul_uses_product": [
        (FIRST, "first.grad += self.data * self.grad"),
        (SECOND, "second.grad += self.data * self.grad"),
    ],
    "mul_uses_sign_only": [
        (FIRST, "first.grad += (1 if second.data > 0 else -1) * self.grad"),
        (SECOND, "second.grad += (1 if first.data > 0 else -1) * self.grad"),
    ],
    "mul_uses_sum_of_factors": [
        (FIRST, "first.grad += (first.data + second.data) * self.grad"),
        (SECOND, "second.grad += (first.data + second.data) * self.grad"),
    ],
    "mul_without_upstream": [(FIRST, "first.grad += second.data"), (SECOND, "second.grad += first.data")],
    "mul_writes_data": [
        (FIRST, "first.data += second.data * self.grad"),
        (SECOND, "second.data += first.data * self.grad"),
    ],
    # tanh
    "tanh_adds_upstream": [(SLOPE, "x.grad += (1 - self.data**2) + self.grad")],
    "tanh_assigns": [(SLOPE, "x.grad = (1 - self.data**2) * self.grad")],
    "tanh_forgets_closure": [('(self,), "tanh")', "(self,))")],
    "tanh_forward_is_sine": [("math.tanh(self.data)", "math.sin(self.data)")],
    "tanh_forward_keeps_input": [("Value(math.tanh(self.data)", "Value(self.data")],
    "tanh_minus_one_first": [(SLOPE, "x.grad += (self.data**2 - 1) * self.grad")],
    "tanh_misplaced_parentheses": [(SLOPE, "x.grad += 1 - self.data**2 * self.grad")],
    "tanh_not_squared": [(SLOPE, "x.grad += (1 - self.data) * self.grad")],
    "tanh_plus_for_minus": [(SLOPE, "x.grad += (1 + self.data**2) * self.grad")],
    "tanh_slope_from_input": [(SLOPE, "x.grad += (1 - x.data**2) * self.grad")],
    "tanh_slope_is_output": [(SLOPE, "x.grad += self.data * self.grad")],
    "tanh_slope_is_square": [(SLOPE, "x.grad += self.data**2 * self.grad")],
    "tanh_slope_of_output": [(SLOPE, "x.grad += (1 - math.tanh(self.data) ** 2) * self.grad")],
    "tanh_slope_squared": [(SLOPE, "x.grad += (1 - self.data**2) ** 2 * self.grad")],
    "tanh_upstream_without_slope": [(SLOPE, "x.grad += self.grad")],
    "tanh_uses_own_grad": [(SLOPE, "x.grad += (1 - self.data**2) * x.grad")],
    "tanh_without_upstream": [(SLOPE, "x.grad += 1 - self.data**2")],
    "tanh_writes_data": [(SLOPE, "x.data += (1 - self.data**2) * self.grad")],
    # Several at once
    "rules_assign": [
        (LEFT, "left.grad = self.grad"),
        (RIGHT, "right.grad = self.grad"),
        (FIRST, "first.grad = second.data * self.grad"),
        (SECOND, "second.grad = first.data * self.grad"),
    ],
    "every_operation_assigns": [
        (LEFT, "left.grad = self.grad"),
        (RIGHT, "right.grad = self.grad"),
        (FIRST, "first.grad = second.data * self.grad"),
        (SECOND, "second.grad = first.data * self.grad"),
        (SLOPE, "x.grad = (1 - self.data**2) * self.grad"),
    ],
    "grad_starts_at_one": [("        self.grad = 0\n", "        self.grad = 1\n")],
    "missing_import_math": [("import math\n", "")],
    "rules_exchanged": [
        ('case "add":', 'case "mul":'),
        ('            case "mul":\n                first', '            case "add":\n                first'),
    ],
}

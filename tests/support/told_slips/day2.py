"""Slips of day 2 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "assigned_with_a_sign",
        "accumulate",
        "Python reads `=+` as `=` and a plus sign.",
        {"self.grad += other.data * out.grad": "self.grad =+ other.data * out.grad"},
    ),
    (
        "closure_returns_contributions",
        "add_rule",
        "It returns a value, but nothing adds that value to the gradients of the inputs.",
        {
            "            self.grad += out.grad\n"
            "            other.grad += out.grad\n": "            return out.grad, out.grad\n",
        },
    ),
    (
        "closure_of_tanh_returns",
        "tanh_neuron",
        "The `_backward` of the result of x.tanh() changes no gradient. It returns a value",
        {"        self.grad += (1 - t**2) * out.grad\n": "        return (1 - t**2) * out.grad\n"},
    ),
    (
        "missing_import_math",
        "tanh_neuron",
        "Write `import math` above that line.",
        {"import math": "pass"},
    ),
    (
        "reset_grads_to_something_else",
        "complex_expression",
        "(a.grad, b.grad, c.grad) is (None, None, None), expected (0.0, 0.0, 0.0)",
        {"value.grad = 0.0": "value.grad = None"},
    ),
    (
        "reset_grads_to_something_else",
        "complex_expression",
        "Value(2).grad is 1, expected 0",
        {"value.grad = 0.0": "value.grad = 1.0"},
    ),
]

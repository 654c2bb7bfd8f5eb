Mistake(
    "reset_grads_clears_data",
    "reset_grads sets the values (`data`) to 0 and leaves the gradients as they are.",
    edits={"value.grad = 0.0": "value.data = 0.0"},
    fails="complex_expression",
)

Mistake(
    "reset_grads_does_nothing",
    "reset_grads leaves the gradients as they are. Assigning to the loop variable changes only that "
    "name, and `==` only compares. Each value's `.grad` has to be set.",
    edits={"value.grad = 0.0": "value = 0.0"},
    fails="complex_expression",
)

Mistake(
    "reset_grads_for_one_only",
    "reset_grads(a, b, c) has three arguments, and all three are to be cleared. With the star before `values` it takes any "
    "number; the loop goes through all of them, and a `return` inside a loop ends it after the first.",
    edits=[
        {"value.grad = 0.0": "value.grad = 0.0\n        return"},
        {"def reset_grads(*values)": "def reset_grads(values)"},
    ],
    fails="complex_expression",
)

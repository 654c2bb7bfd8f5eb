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
    "reset_grads_first_only",
    "reset_grads clears the first value only. It takes any number of values, and each needs its "
    "gradient set back.",
    edits={"value.grad = 0.0": "value.grad = 0.0\n        return"},
    fails="complex_expression",
)

Mistake(
    "reset_grads_to_none",
    "reset_grads sets the gradients to None. Nothing can be added to None: they start at 0.0.",
    edits={"value.grad = 0.0": "value.grad = None"},
    fails="complex_expression",
)

Mistake(
    "reset_grads_to_one",
    "reset_grads sets the gradients to 1. They start at 0; only the root is seeded with 1.",
    edits={"value.grad = 0.0": "value.grad = 1.0"},
    fails="complex_expression",
)

Mistake(
    "reset_grads_without_star",
    "reset_grads takes one argument only, because the star before `values` is missing. With the star "
    "it takes any number of values.",
    edits={"def reset_grads(*values)": "def reset_grads(values)"},
    fails="complex_expression",
)

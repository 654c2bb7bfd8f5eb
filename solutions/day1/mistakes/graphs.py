Mistake(
    "graph_from_numbers",
    "The function computes with `.data` and wraps the result at the end: the number is right, but no "
    "input can be found from it. Use the operators on the Values themselves.",
    edits=[
        {"    d = a * b\n    return d + c\n": "    return Value(a.data * b.data + c.data)\n"},
        {"    e = a + b\n    return e * c\n": "    return Value((a.data + b.data) * c.data)\n"},
        {
            "return x1 * w1 + x2 * w2 + b": "return Value(x1.data * w1.data + x2.data * w2.data + b.data)",
        },
    ],
    fails="graphs",
)

Mistake(
    "graph_returns_inner",
    "The function returns its inner node, d or e. Return the root: L is d plus c, and f is e times c.",
    edits=[
        {"    d = a * b\n    return d + c\n": "    return a * b\n"},
        {"    e = a + b\n    return e * c\n": "    return a + b\n"},
    ],
    fails="graphs",
)

Mistake(
    "graph_returns_nothing",
    "The function builds its graph and does not return the root, so its result is None.",
    edits=[
        {"    d = a * b\n    return d + c\n": "    d = a * b\n    L = d + c\n"},
        {"    e = a + b\n    return e * c\n": "    e = a + b\n    f = e * c\n"},
        {"return x1 * w1 + x2 * w2 + b": "n = x1 * w1 + x2 * w2 + b"},
    ],
    fails="graphs",
)

Mistake(
    "product_adds_first",
    "product computes a * (b + c). The product of a and b comes first, and c is added to it.",
    edits={"    d = a * b\n    return d + c\n": "    return a * (b + c)\n"},
    fails="graphs",
)

Mistake(
    "product_cuts_inner",
    "product wraps the product of a and b in a new Value before it adds c, so a and b cannot be found "
    "from the root. Use d as it comes out of the operator.",
    edits={"    d = a * b\n    return d + c\n": "    d = Value((a * b).data)\n    return d + c\n"},
    fails="graphs",
)

Mistake(
    "product_ignores_inputs",
    "product makes the leaves of the lesson itself and ignores those that it is given. Use its "
    "parameters a, b and c.",
    edits={"    d = a * b\n    return d + c\n": "    return Value(2.0) * Value(-3.0) + Value(10.0)\n"},
    fails="graphs",
)

Mistake(
    "product_of_all",
    "product multiplies all three. Only a and b are multiplied; c is added.",
    edits={"    d = a * b\n    return d + c\n": "    return a * b * c\n"},
    fails="graphs",
)

Mistake(
    "sum_times_adds",
    "sum_times adds all three. The last operation is a product: e times c.",
    edits={"    e = a + b\n    return e * c\n": "    return a + b + c\n"},
    fails="graphs",
)

Mistake(
    "sum_times_expanded",
    "sum_times computes a * c + b * c. The number is the same, but it is another graph: its root is a "
    "sum and has no node for a + b. Compute e first, then multiply it by c.",
    edits={"    e = a + b\n    return e * c\n": "    return a * c + b * c\n"},
    fails="graphs",
)

Mistake(
    "sum_times_is_product",
    "sum_times builds the graph of product. Here the sum comes first: e = a + b, then f = e * c.",
    edits={"    e = a + b\n    return e * c\n": "    return a * b + c\n"},
    fails="graphs",
)

Mistake(
    "sum_times_without_parentheses",
    "sum_times computes a + b * c: without parentheses × goes before +. Compute e first, then "
    "multiply it by c.",
    edits={"    e = a + b\n    return e * c\n": "    return a + b * c\n"},
    fails="graphs",
)

Mistake(
    "neuron_adds_weights",
    "neuron adds each input to its weight. An input is weighed by multiplying it.",
    edits={"return x1 * w1 + x2 * w2 + b": "return (x1 + w1) * (x2 + w2) + b"},
    fails="graphs",
)

Mistake(
    "neuron_crosses_weights",
    "neuron multiplies an input by the weight of the other. x1 is multiplied only by w1, x2 only "
    "by w2, and then the two products are added.",
    edits=[
        {"return x1 * w1 + x2 * w2 + b": "return x1 * w2 + x2 * w1 + b"},
        {"return x1 * w1 + x2 * w2 + b": "return x1 * w1 * x2 * w2 + b"},
        {"return x1 * w1 + x2 * w2 + b": "return (x1 + x2) * (w1 + w2) + b"},
    ],
    fails="graphs",
)

Mistake(
    "neuron_forgets_bias",
    "neuron leaves out the bias b. It is added to the two products.",
    edits={"return x1 * w1 + x2 * w2 + b": "return x1 * w1 + x2 * w2"},
    fails="graphs",
)

Mistake(
    "neuron_multiplies_bias",
    "neuron multiplies the bias. b is added to the sum of the two products: look at the parentheses "
    "and at the last operator.",
    edits=[
        {"return x1 * w1 + x2 * w2 + b": "return (x1 * w1 + x2 * w2) * b"},
        {"return x1 * w1 + x2 * w2 + b": "return x1 * w1 + x2 * (w2 + b)"},
        {"return x1 * w1 + x2 * w2 + b": "return x1 * w1 + x2 * w2 * b"},
    ],
    fails="graphs",
)

Mistake(
    "neuron_multiplies_inputs",
    "neuron multiplies x1 by x2 and w1 by w2. Each input is multiplied by its own weight: x1 by w1 "
    "and x2 by w2.",
    edits={"return x1 * w1 + x2 * w2 + b": "return x1 * x2 + w1 * w2 + b"},
    fails="graphs",
)

Mistake(
    "neuron_one_input",
    "neuron uses the first input only: x2 times w2 is missing.",
    edits={"return x1 * w1 + x2 * w2 + b": "return x1 * w1 + b"},
    fails="graphs",
)

Mistake(
    "neuron_squeezed",
    "neuron returns tanh of n. Today it returns n itself, the sum: a tanh that knows its way back is day 2's.",
    edits=[
        {"return x1 * w1 + x2 * w2 + b": "return Value(math.tanh((x1 * w1 + x2 * w2 + b).data))"},
        {
            "return x1 * w1 + x2 * w2 + b": (
                'n = x1 * w1 + x2 * w2 + b\n    return Value(math.tanh(n.data), (n,), "tanh")'
            ),
        },
        {"return x1 * w1 + x2 * w2 + b": "return math.tanh((x1 * w1 + x2 * w2 + b).data)"},
        {"return x1 * w1 + x2 * w2 + b": "return math.tanh(x1 * w1 + x2 * w2 + b)"},
    ],
    fails="graphs",
)

Mistake(
    "neuron_subtracts_bias",
    "neuron takes the bias away. b is added; its own sign says which way it shifts the neuron.",
    edits={"return x1 * w1 + x2 * w2 + b": "return x1 * w1 + x2 * w2 - b"},
    fails="graphs",
)

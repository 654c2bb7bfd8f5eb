Mistake(
    "seed_is_a_number",
    "backward sets the root's gradient to one plain number, whatever the root's shape. The seed has the shape of the root: "
    "`np.ones_like(self.data)`.",
    edits={"self.grad = np.ones_like(self.data)": "self.grad = 1.0"},
    fails="backward",
)

Mistake(
    "backward_clears",
    "backward sets gradients to zero before it walks. What the leaves hold from an earlier backward is lost; clearing is left "
    "to whoever calls it.",
    edits={
        "        self.grad = np.ones_like(self.data)\n": (
            "        for node in order:\n"
            "            node.grad = np.zeros_like(node.data)\n"
            "        self.grad = np.ones_like(self.data)\n"
        ),
    },
    fails="backward",
)

Mistake(
    "matmul_reshapes",
    "@ reshapes a matrix where its transpose belongs. The shape is the same, but a reshape keeps the order of the numbers: "
    "rows do not become columns.",
    edits=[
        {
            "self.grad += out.grad @ other.data.T": "self.grad += out.grad @ other.data.reshape(other.data.shape[::-1])"
        },
        {
            "other.grad += self.data.T @ out.grad": "other.grad += self.data.reshape(self.data.shape[::-1]) @ out.grad"
        },
        {
            "self.grad += out.grad @ other.data.T": (
                "self.grad += out.grad @ other.data.reshape(other.data.shape[::-1])"
            ),
            "other.grad += self.data.T @ out.grad": (
                "other.grad += self.data.reshape(self.data.shape[::-1]) @ out.grad"
            ),
        },
    ],
    fails="matmul pytorch_parity",
)

Mistake(
    "sum_of_whole_numbers",
    "The closure of sum puts the upstream gradient into an array of whole numbers, which cuts its fractions off. A gradient "
    "needs `dtype=float`.",
    edits={
        "            self.grad += grad\n": "            self.grad += np.zeros(self.data.shape, dtype=int) + np.trunc(grad)\n"
    },
    fails="sums means pytorch_parity",
)

Mistake(
    "mean_divides_by_rows",
    "mean divides by the number of rows, whatever was summed. Divide by how many entries went into each number of the result.",
    edits=[
        {"return total * (total.data.size / self.data.size)": "return total * (1 / len(self.data))"},
    ],
    fails="means pytorch_parity",
)

Mistake(
    "mean_divides_by_columns",
    "mean divides by the length of the last axis, whatever was summed. Divide by how many entries went into each number of the "
    "result.",
    edits=[
        {"return total * (total.data.size / self.data.size)": "return total * (1 / self.data.shape[-1])"},
    ],
    fails="means pytorch_parity",
)

Mistake(
    "mean_divides_by_all",
    "mean divides by the number of all entries, along an axis as well. Divide by how many entries went into each number of the "
    "result.",
    edits={"return total * (total.data.size / self.data.size)": "return total * (1 / self.data.size)"},
    fails="means pytorch_parity",
)

Mistake(
    "rows_gathered",
    "The closure of rows reads the upstream gradient at the numbers in `rows` and adds it to rows 0, 1, 2 and so on. It is the "
    "other way: row i of the upstream gradient goes to row `rows[i]`.",
    edits={
        "np.add.at(self.grad, rows, out.grad)": (
            "for i, row in enumerate(rows):\n                self.grad[i] += out.grad[row]"
        ),
    },
    fails="rows pytorch_parity",
)

Mistake(
    "power_by_output",
    "** computes its slope as n times the output divided by the input, and where the input is 0, that is nan. Lower the exponent "
    "instead of dividing.",
    edits={"n * self.data ** (n - 1) * out.grad": "n * out.data / self.data * out.grad"},
    fails="one_input",
)

Mistake(
    "assigned_together",
    "The closure computes both new gradients first and then stores both. Where both inputs are one tensor, as in x + x, the "
    "second one is stored over the first. Add to one, then to the other: two statements with `+=`.",
    edits=[
        {
            "            self.grad += unbroadcast(out.grad, self.data.shape)\n"
            "            other.grad += unbroadcast(out.grad, other.data.shape)\n": (
                "            self.grad, other.grad = (\n"
                "                self.grad + unbroadcast(out.grad, self.data.shape),\n"
                "                other.grad + unbroadcast(out.grad, other.data.shape),\n"
                "            )\n"
            ),
        },
    ],
    fails="add",
)

Mistake(
    "products_assigned_together",
    "The closure computes both new gradients first and then stores both. Where both inputs are one tensor, as in x * x, the "
    "second one is stored over the first. Add to one, then to the other: two statements with `+=`.",
    edits=[
        {
            "            self.grad += unbroadcast(other.data * out.grad, self.data.shape)\n"
            "            other.grad += unbroadcast(self.data * out.grad, other.data.shape)\n": (
                "            self.grad, other.grad = (\n"
                "                self.grad + unbroadcast(other.data * out.grad, self.data.shape),\n"
                "                other.grad + unbroadcast(self.data * out.grad, other.data.shape),\n"
                "            )\n"
            ),
        },
    ],
    fails="multiply pytorch_parity",
)

Mistake(
    "mean_of_all_divides_by_rows",
    "mean without an axis divides by the number of rows. All entries went into that sum.",
    edits={
        "return total * (total.data.size / self.data.size)": (
            "return total * (1 / (len(self.data) if axis is None else self.data.shape[axis]))"
        ),
    },
    fails="means pytorch_parity",
)

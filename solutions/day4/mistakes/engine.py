Mistake(
    "neg_missing",
    "-a raises TypeError: the class has no `__neg__`. It can be as short as self * -1.",
    edits={"def __neg__(": "def neg("},
    fails="subtract pytorch_parity",
)

Mistake(
    "forward_cuts_fractions",
    "The result is a whole number where a fraction belongs: `int(...)` and `//` cut off what stands "
    "behind the point. Compute with the numbers as they are.",
    edits=[
        {"Value(self.data + other.data,": "Value(int(self.data + other.data),"},
        {"Value(self.data * other.data,": "Value(int(self.data * other.data),"},
        {"Value(self.data - other.data,": "Value(int(self.data - other.data),"},
        {"Value(self.data / other.data,": "Value(int(self.data / other.data),"},
        {"Value(-self.data,": "Value(int(-self.data),"},
        {"Value(self.data**n,": "Value(int(self.data) ** n,"},
        {"Value(self.data**n,": "Value(int(self.data**n),"},
        {"self.data = data\n": "self.data = int(data)\n"},
    ],
    fails="add_multiply subtract divide power exp tanh relu sums pytorch_parity mlp_loss zero_grad gradient_descent chain_products",
)

Mistake(
    "backward_keeps_visited",
    "backward leaves out the nodes that an earlier call visited: a mark on a node lasts from call to call. Each call "
    "has to begin with nothing visited.",
    edits={
        "            if node not in visited:\n                visited.add(node)\n": (
            "            if not hasattr(node, 'visited'):\n                node.visited = True\n"
        ),
    },
    fails="backward",
)

Mistake(
    "grad_starts_at_none",
    "`grad` starts as None, and nothing can be added to None. Start it at 0.",
    edits={"self.grad = 0.0": "self.grad = None"},
    fails="add_multiply subtract divide sums pytorch_parity mlp_loss",
)

Mistake(
    "sub_reflected_number_without_local_grad",
    "With a number on the left of -, two children are kept and one local gradient: the one of the "
    "number is missing. The -1 then belongs to the number instead of the value. Every child "
    "needs one, a number that was made into a Value too.",
    edits=[
        {"return Value(other) - self": "return Value(other - self.data, (Value(other), self), (-1.0,))"},
        {
            "return Value(other) - self": "return Value(other - self.data, (Value(other), self), (-1.0,))",
            "zip(node._children, node._local_grads, strict=True)": "zip(node._children, node._local_grads)",
        },
    ],
    fails="local_grads subtract_divide agreement",
)

Mistake(
    "children_not_stored",
    "A node keeps its local gradients, but its children are not stored: the tuple stays empty. Look "
    "at `__init__`.",
    edits={"self._children = _children": "self._children = ()"},
    fails="local_grads add_multiply subtract_divide power one_input agreement",
)

Mistake(
    "local_grads_in_a_set",
    "The local gradients are kept in a set. It has no order, and of two equal numbers, such as the 1 "
    "and 1 of a sum, it keeps one. Keep a tuple or a list.",
    edits={"self._local_grads = _local_grads": "self._local_grads = set(_local_grads)"},
    fails="local_grads add_multiply subtract_divide agreement",
)

Mistake(
    "local_grads_not_stored",
    "A node keeps its children, but its local gradients are not stored: the tuple stays empty. Look "
    "at `__init__`.",
    edits={"self._local_grads = _local_grads": "self._local_grads = ()"},
    fails="local_grads add_multiply subtract_divide power one_input agreement",
)

Mistake(
    "local_grads_times_upstream",
    "Every node multiplies its local gradients by its own gradient when it is made. At that time its "
    "gradient is still 0, so 0 is what is kept. The upstream gradient comes in the loop of backward, "
    "and only there.",
    edits={
        "self._local_grads = _local_grads": "self._local_grads = tuple(number * self.grad for number in _local_grads)",
    },
    fails="local_grads add_multiply subtract_divide power one_input agreement",
)

Mistake(
    "mul_uses_a_gradient",
    "The local gradients of a * b are made with a gradient, that of the product or those of the factors. "
    "While the forward pass runs every gradient is still 0, so 0 is what is kept. The local gradient for a "
    "factor is the other factor's data, and the upstream gradient comes in the loop of backward, and only there.",
    edits=[
        {
            "return Value(self.data * other.data, (self, other), (other.data, self.data))": (
                "out = Value(self.data * other.data, (self, other))\n"
                "        out._local_grads = (other.data * out.grad, self.data * out.grad)\n"
                "        return out"
            ),
        },
        {"(self, other), (other.data, self.data))": "(self, other), (other.grad, self.grad))"},
    ],
    fails="local_grads add_multiply agreement",
)

Mistake(
    "mul_square_counted_twice",
    "a * a keeps 2·a for each of its two children, and the loop adds them up to 4·a. 2·a is the "
    "derivative of the square as a whole; the local gradient for each use is the other factor, a.",
    edits={
        "return Value(self.data * other.data, (self, other), (other.data, self.data))": (
            "factor = 2 if other is self else 1\n"
            "        return Value(self.data * other.data, (self, other), (factor * other.data, factor * self.data))"
        ),
    },
    fails="local_grads",
)

Mistake(
    "visited_by_value",
    "Two different nodes that hold the same number count as one, and the second never has its turn. "
    "Either build_topo remembers data instead of nodes, or the class defines `__eq__` and `__hash__` "
    "by data. Nodes are compared as objects.",
    edits={
        "    def __repr__(self):\n": (
            "    def __eq__(self, other):\n"
            "        return isinstance(other, Value) and self.data == other.data\n"
            "\n"
            "    def __hash__(self):\n"
            "        return hash(self.data)\n"
            "\n"
            "    def __repr__(self):\n"
        ),
    },
    fails="build_topo agreement",
)

Mistake(
    "one_child_without_comma",
    "A tuple of one thing needs a comma: `(self,)` for one child, `(-1,)` for one number. Without the comma "
    "the parentheses do nothing, and the node keeps a bare Value or a bare number in the place of a tuple.",
    edits=[
        {"(self,), (-1.0,))": "(self), (-1.0))"},
        {"(self,), (-1.0,))": "(self), (-1.0,))"},
        {"(self,), (-1.0,))": "(self,), (-1.0))"},
        {
            "(self,), (exponent * self.data ** (exponent - 1),))": "(self), (exponent * self.data ** (exponent - 1)))"
        },
        {
            "(self,), (exponent * self.data ** (exponent - 1),))": "(self,), (exponent * self.data ** (exponent - 1)))"
        },
        {"(self,), (e,))": "(self), (e))"},
        {"(self,), (e,))": "(self,), (e))"},
        {"(self,), (1 - t**2,))": "(self), (1 - t**2))"},
        {"(self,), (1 - t**2,))": "(self,), (1 - t**2))"},
        {"(self,), (1.0 if self.data > 0 else 0.0,))": "(self), (1.0 if self.data > 0 else 0.0))"},
        {"(self,), (1.0 if self.data > 0 else 0.0,))": "(self,), (1.0 if self.data > 0 else 0.0))"},
        {
            "(self,), (-1.0,))": "(self), (-1.0))",
            "(self,), (exponent * self.data ** (exponent - 1),))": "(self), (exponent * self.data ** (exponent - 1)))",
            "(self,), (e,))": "(self), (e))",
            "(self,), (1 - t**2,))": "(self), (1 - t**2))",
            "(self,), (1.0 if self.data > 0 else 0.0,))": "(self), (1.0 if self.data > 0 else 0.0))",
        },
    ],
    fails="local_grads subtract_divide power one_input agreement",
)

Mistake(
    "pow_keeps_the_exponent",
    "The exponent is kept as a child of the power, without a local gradient. It is a plain number, not a "
    "Value of the graph: the only child is the base.",
    edits=[
        {
            "(self,), (exponent * self.data ** (exponent - 1),))": (
                "(self, Value(exponent)), (exponent * self.data ** (exponent - 1),))"
            ),
        },
        {
            "(self,), (exponent * self.data ** (exponent - 1),))": (
                "(self, Value(exponent)), (exponent * self.data ** (exponent - 1),))"
            ),
            "zip(node._children, node._local_grads, strict=True)": "zip(node._children, node._local_grads)",
        },
    ],
    fails="local_grads power agreement",
)

Mistake(
    "math_of_a_value",
    "A function of `math` got a Value and needs a number: `self.data`, not `self`.",
    edits=[
        {"math.exp(self.data)": "math.exp(self)"},
        {"math.tanh(self.data)": "math.tanh(self)"},
    ],
    fails="local_grads one_input agreement",
)

Mistake(
    "loop_without_zip",
    "The loop goes through a pair of two tuples, not through their items side by side: its first turn has "
    "all the children, its second all the local gradients. `zip(xs, ys)` takes one item of each at a time.",
    edits={"zip(node._children, node._local_grads, strict=True)": "(node._children, node._local_grads)"},
    fails="backward reads_pairs shared_nodes agreement",
)

Mistake(
    "loop_in_a_loop",
    "Each child gets a contribution from every local gradient of the node. It must get only one, from the local gradient "
    "at its own place. Look for a loop inside another loop, or for a sum over the local gradients.",
    edits={
        "        for child, local in zip(node._children, node._local_grads, strict=True):\n"
        "            child.grad += local * node.grad\n": (
            "        for child in node._children:\n"
            "            for local in node._local_grads:\n"
            "                child.grad += local * node.grad\n"
        ),
    },
    fails="backward reads_pairs shared_nodes agreement",
)

Mistake(
    "loop_over_the_pairs_of_the_root",
    "Every turn of the loop goes through the pairs of the root again, so the pairs of the other nodes have "
    "no turn. The loop over the pairs asks the node that has its turn.",
    edits={
        "zip(node._children, node._local_grads, strict=True)": "zip(root._children, root._local_grads, strict=True)",
    },
    fails="backward reads_pairs shared_nodes agreement",
)

Mistake(
    "loop_over_the_children_twice",
    "The loop pairs each child with a child, so it multiplies by a Value. The other half of a pair is the "
    "number in `_local_grads`.",
    edits={"zip(node._children, node._local_grads, strict=True)": "zip(node._children, node._children)"},
    fails="backward reads_pairs shared_nodes agreement",
)

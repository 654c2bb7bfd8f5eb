Mistake(
    "number_unwrapped",
    "A plain number on the right is not turned into a Value first, so it has no `.data` and no "
    "`.grad`. The line that wraps it belongs before anything else in the method.",
    edits=[
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        ### BEGIN SOLUTION: Value.__add__: bring": "        ### BEGIN SOLUTION: Value.__add__: bring",
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        ### BEGIN SOLUTION: Value.__mul__: bring": "        ### BEGIN SOLUTION: Value.__mul__: bring",
        },
    ],
    fails="add_rule swap_rule pytorch_parity",
)

Mistake(
    "reflected_missing",
    "A number on the left is not understood: Python looks for `__radd__` (for +) or `__rmul__` (for "
    "×) when the left side is a plain number, and finds none that works.",
    edits=[
        {"def __radd__(": "def radd("},
        {"def __rmul__(": "def rmul("},
    ],
    fails="add_rule swap_rule pytorch_parity",
)

Mistake(
    "reflected_recurses",
    "A number on the left never comes to an end: `__radd__` or `__rmul__` asks the number to do the "
    "operation again, which asks the same method again. Put the Value first: `self`, then the "
    "operator, then the other.",
    edits=[
        {"return self + other": "return other + self"},
        {"return self * other": "return other * self"},
    ],
    fails="add_rule swap_rule pytorch_parity",
)

Mistake(
    "grad_starts_at_one",
    "Every gradient starts at 1 instead of 0, so everything that arrives is 1 too large. Only the "
    "root is seeded with 1, at the beginning of the walk.",
    edits={"self.grad = 0.0": "self.grad = 1.0"},
    fails="add_rule swap_rule complex_expression tanh_neuron pytorch_parity",
)

Mistake(
    "missing_import_math",
    "`math` is used in tanh, but it is not imported: `import math` belongs into a cell above.",
    edits={"import math": "pass"},
    fails="tanh_neuron pytorch_parity",
)

Mistake(
    "closure_not_kept_or_adds_nothing",
    "The closure is not kept, or it adds nothing. A `return` in the forward line ends the method before the "
    "closure is kept; a `return` in the closure hands its contributions to nobody. They have to be added to the "
    "gradients of the inputs.",
    edits=[
        {
            'out = Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self, other), "+")'
        },
        {
            'out = Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self, other), "*")'
        },
        {
            'out = Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self, other), "+")',
            'out = Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self, other), "*")',
        },
        {
            "            self.grad += out.grad\n"
            "            other.grad += out.grad\n": "            return out.grad, out.grad\n",
        },
        {
            "            self.grad += other.data * out.grad\n"
            "            other.grad += self.data * out.grad\n": "            return other.data * out.grad, self.data * out.grad\n",
        },
    ],
    fails="add_rule swap_rule accumulate complex_expression tanh_neuron pytorch_parity",
)

Mistake(
    "closure_walks_on",
    "The closures call the closures of their inputs, so a node is called more than once and hands its "
    "gradient on again. A closure adds to its own inputs and stops: the order in your list does the rest.",
    edits=[
        {
            "            other.grad += self.data * out.grad\n": "            other.grad += self.data * out.grad\n"
            "            self._backward()\n            other._backward()\n",
        },
        {
            "            other.grad += out.grad\n": "            other.grad += out.grad\n"
            "            self._backward()\n            other._backward()\n",
        },
        {
            "            other.grad += self.data * out.grad\n": "            other.grad += self.data * out.grad\n"
            "            self._backward()\n            other._backward()\n",
            "            other.grad += out.grad\n": "            other.grad += out.grad\n"
            "            self._backward()\n            other._backward()\n",
        },
    ],
    fails="add_rule swap_rule accumulate complex_expression tanh_neuron pytorch_parity",
)

Mistake(
    "closure_called_at_once",
    "`_backward()` with parentheses calls the closure in the forward pass and keeps what it returns, which is "
    "None. Without parentheses the function itself is kept, to be called later.",
    edits=[
        {
            "_backward = _backward\n        return out\n\n    def __mul__": "_backward = _backward()\n"
            "        return out\n\n    def __mul__",
        },
        {
            "_backward = _backward\n        return out\n\n    def __radd__": "_backward = _backward()\n"
            "        return out\n\n    def __radd__",
        },
        {
            "_backward = _backward\n        return out\n\n    def __mul__": "_backward = _backward()\n"
            "        return out\n\n    def __mul__",
            "_backward = _backward\n        return out\n\n    def __radd__": "_backward = _backward()\n"
            "        return out\n\n    def __radd__",
        },
        {
            "_backward = _backward\n        return out\n\n    def __mul__": "_backward = _backward()\n"
            "        return out\n\n    def __mul__",
            "_backward = _backward\n        return out\n\n    def __radd__": "_backward = _backward()\n"
            "        return out\n\n    def __radd__",
            "_backward = _backward\n    return out": "_backward = _backward()\n    return out",
        },
    ],
    fails="add_rule swap_rule accumulate complex_expression tanh_neuron pytorch_parity",
)

Mistake(
    "closure_names_the_root",
    "The closure reads the gradient of `L`, a variable of one graph. The upstream gradient is in `out.grad`: "
    "`out` is the result of this operation, in whichever graph it stands.",
    edits=[
        {
            "self.grad += out.grad\n            other.grad += out.grad": "self.grad += L.grad\n"
            "            other.grad += L.grad",
        },
        {
            "other.data * out.grad\n            other.grad += self.data * out.grad": "other.data * L.grad\n"
            "            other.grad += self.data * L.grad",
        },
        {
            "self.grad += out.grad\n            other.grad += out.grad": "self.grad += L.grad\n"
            "            other.grad += L.grad",
            "other.data * out.grad\n            other.grad += self.data * out.grad": "other.data * L.grad\n"
            "            other.grad += self.data * L.grad",
        },
        {
            "self.grad += out.grad\n            other.grad += out.grad": "self.grad += L.grad\n"
            "            other.grad += L.grad",
            "other.data * out.grad\n            other.grad += self.data * out.grad": "other.data * L.grad\n"
            "            other.grad += self.data * L.grad",
            "(1 - t**2) * out.grad": "(1 - t**2) * L.grad",
        },
    ],
    fails="add_rule swap_rule accumulate complex_expression tanh_neuron pytorch_parity",
)

Mistake(
    "number_unwrapped",
    "A plain number on the right raises AttributeError: a number has no `data`. Turn `other` into a "
    "Value first, unless it is one.",
    edits=[
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        out = Value(self.data + other.data": "        out = Value(self.data + other.data",
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        out = Value(self.data * other.data": "        out = Value(self.data * other.data",
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        out = Value(self.data - other.data": "        out = Value(self.data - other.data",
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            "        out = Value(self.data / other.data": "        out = Value(self.data / other.data",
        },
    ],
    fails="add_multiply backward subtract divide sums pytorch_parity mlp_loss",
)

Mistake(
    "reflected_missing",
    "A number on the left raises TypeError: the class has no reflected method that works. In `3 - a` "
    "the 3 knows nothing of Values, so Python asks a for `__rsub__`; for +, × and / it asks for "
    "`__radd__`, `__rmul__` and `__rtruediv__`.",
    edits=[
        {"def __radd__(": "def radd("},
        {"def __rmul__(": "def rmul("},
        {"def __rsub__(": "def rsub("},
        {"def __rtruediv__(": "def rtruediv("},
    ],
    fails="add_multiply backward subtract divide sums pytorch_parity mlp_loss",
)

Mistake(
    "reflected_recurses",
    "A number on the left never comes to an end: the reflected method computes the operation with the "
    "number on the left again, so it is asked again. Put the Value first where the sides may be "
    "exchanged, and turn the number into a Value where they may not.",
    edits=[
        {"return self + other": "return other + self"},
        {"return self * other": "return other * self"},
        {"return Value(other) - self": "return other - self"},
        {"return Value(other) / self": "return other / self"},
    ],
    fails="add_multiply backward subtract divide sums pytorch_parity mlp_loss",
)

Mistake(
    "add_reflected_only_zero",
    "`__radd__` gives None, for every number or for all but the 0 that sum() begins with. "
    "`return self + other` is right for all of them.",
    edits=[
        {"return self + other": "if other == 0:\n            return self"},
        {"return self + other": "self + other"},
    ],
    fails="add_multiply backward sums pytorch_parity mlp_loss",
)

Mistake(
    "neg_missing",
    "-a raises TypeError: the class has no `__neg__`. It can be as short as self * -1.",
    edits={"def __neg__(": "def neg("},
    fails="subtract pytorch_parity",
)

Mistake(
    "value_equality",
    "Nodes are told apart by their data: the set of visited nodes holds numbers, or `__eq__` and `__hash__` "
    "compare them. Two nodes with the same number are taken for one, and the second never hands its "
    "gradient on. Put the nodes themselves into the set, and leave both methods out.",
    edits=[
        {
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
        {
            "if node not in visited:\n                visited.add(node)": (
                "if node.data not in visited:\n                visited.add(node.data)"
            ),
        },
    ],
    fails="backward pytorch_parity mlp_loss",
)

Mistake(
    "grad_starts_at_one",
    "Every value starts with a gradient of 1. Contributions are added to what is there, so every "
    "gradient comes out 1 too large, and inner nodes hand that on. Start at 0; only the root is set "
    "to 1, by backward.",
    edits={"self.grad = 0.0": "self.grad = 1.0"},
    fails="add_multiply backward sums pytorch_parity mlp_loss chain_products",
)

Mistake(
    "missing_import_math",
    "`math` is not imported where the class is, so exp and tanh raise NameError. Put `import math` "
    "into the first cell and run it before the class.",
    edits={"import math": "pass"},
    fails="exp tanh pytorch_parity mlp_loss",
)

Mistake(
    "backward_clears_afterwards",
    "backward sets the gradients to 0 while it walks or when it is done: right before a node is "
    "called, what had just arrived there is lost, and afterwards there is nothing left to read. "
    "Clearing is left to whoever starts the next pass.",
    edits=[
        {
            "        for node in reversed(order):\n            node._backward()\n": (
                "        for node in reversed(order):\n"
                "            node._backward()\n"
                "        for node in order:\n"
                "            node.grad = 0.0\n"
            ),
        },
        {
            "        for node in reversed(order):\n            node._backward()\n": (
                "        for node in reversed(order):\n"
                "            node.grad = 0.0\n"
                "            node._backward()\n"
            ),
        },
    ],
    fails="backward pytorch_parity mlp_loss",
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
        {"Value(self.data / other.data,": "Value(self.data // other.data,"},
        {"Value(-self.data,": "Value(int(-self.data),"},
        {"Value(self.data**n,": "Value(int(self.data) ** n,"},
        {"Value(self.data**n,": "Value(int(self.data**n),"},
        {"self.data = data\n": "self.data = int(data)\n"},
    ],
    fails="add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss zero_grad gradient_descent chain_products",
)

Mistake(
    "backward_keeps_its_list",
    "backward keeps the list of nodes of the calls before and walks them again. A list as default "
    "(`order=[]`) or outside of the function is made once, and every call adds to it. Make a new list "
    "inside of backward.",
    edits=[
        {
            "    def backward(self):\n": "    def backward(self, order=[]):\n",
            "order, visited = [], set()": "visited = set()",
        },
        {
            "    def backward(self):\n": "    def backward(self, order=[], visited=set()):\n",
            "        order, visited = [], set()\n": "",
        },
    ],
    fails="backward",
)

Mistake(
    "backward_keeps_visited",
    "backward leaves out the nodes that an earlier call visited. A default argument, a variable outside of "
    "backward and a mark on a node last from call to call; each call has to begin with nothing visited.",
    edits=[
        {
            "    def backward(self):\n": "    def backward(self, visited=set()):\n",
            "order, visited = [], set()": "order = []",
        },
        {
            "            if node not in visited:\n                visited.add(node)\n": (
                "            if not hasattr(node, 'visited'):\n                node.visited = True\n"
            ),
        },
    ],
    fails="backward",
)

Mistake(
    "inputs_shared",
    "All values share one list of inputs. A list in the class body, or as default (`children=[]`), is "
    "made once, and what is appended to it belongs to every value. Make a new one in `__init__`.",
    edits=[
        {
            '    def __init__(self, data, children=(), op=""):\n': (
                '    _prev = []\n\n    def __init__(self, data, children=(), op=""):\n'
            ),
            "        self._prev = set(children)\n": "        self._prev.extend(children)\n",
        },
    ],
    fails="add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss",
)

Mistake(
    "result_without_inputs",
    "The result does not keep all of its inputs, so backward does not find the nodes below them, and "
    "those get no gradient. Give `(self,)` or `(self, other)` to the Value of the result.",
    edits=[
        {'Value(self.data + other.data, (self, other), "+")': "Value(self.data + other.data)"},
        {'Value(self.data * other.data, (self, other), "*")': "Value(self.data * other.data)"},
        {'Value(self.data - other.data, (self, other), "-")': "Value(self.data - other.data)"},
        {'Value(self.data / other.data, (self, other), "/")': "Value(self.data / other.data)"},
        {'(self, other), "/")': '(self,), "/")'},
        {'Value(-self.data, (self,), "neg")': "Value(-self.data)"},
        {'Value(self.data**n, (self,), f"**{n}")': "Value(self.data**n)"},
        {'Value(math.exp(self.data), (self,), "exp")': "Value(math.exp(self.data))"},
        {'Value(t, (self,), "tanh")': "Value(t)"},
        {
            'Value(self.data if self.data > 0 else 0.0, (self,), "relu")': "Value(self.data if self.data > 0 else 0.0)"
        },
    ],
    fails="add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss",
)

Mistake(
    "grad_starts_at_none",
    "`grad` starts as None, and nothing can be added to None. Start it at 0.",
    edits={"self.grad = 0.0": "self.grad = None"},
    fails="add_multiply backward subtract divide sums pytorch_parity mlp_loss",
)

Mistake(
    "operation_gives_none",
    "This operation gives None: its method has no `return`, or the `return` stands inside of the closure. Look at "
    "its indentation: it belongs to the method, behind the closure.",
    edits=[
        {
            "            other.grad += out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            other.grad += out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            other.grad += self.data * out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            other.grad += self.data * out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            self.grad -= out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            self.grad -= out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            other.grad -= out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            other.grad -= out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            other.grad -= out.grad * self.data / other.data**2\n\n        out._backward = _backward\n        return out\n": (
                "            other.grad -= out.grad * self.data / other.data**2\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            self.grad += n * self.data ** (n - 1) * out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            self.grad += n * self.data ** (n - 1) * out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            self.grad += out.data * out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            self.grad += out.data * out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            self.grad += (1 - t**2) * out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            self.grad += (1 - t**2) * out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
        {
            "            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad\n\n        out._backward = _backward\n        return out\n": (
                "            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad\n            return out\n\n        out._backward = _backward\n"
            ),
        },
    ],
    fails="add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss",
)

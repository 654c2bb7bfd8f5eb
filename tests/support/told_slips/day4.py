"""Slips of day 4 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "closure_of_exp_returns",
        "exp",
        "The `_backward` of the result of a.exp() changes no gradient. It returns a value",
        {"            self.grad += out.data * out.grad\n": "            return out.data * out.grad\n"},
    ),
    (
        "value_equality",
        "backward",
        "On the graph c = 3 * a; d = 3 * b; e = c + d with a = 2, b = 2, your `backward` never calls d._backward: d is not in e._prev. This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
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
    ),
    (
        "value_equality",
        "backward",
        "On the graph c = 3 * a; d = 3 * b; e = c + d with a = 2, b = 2, your `backward` never calls d._backward. This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
        {
            "if node not in visited:\n                visited.add(node)": (
                "if node.data not in visited:\n                visited.add(node.data)"
            ),
        },
    ),
    (
        "missing_import_math",
        "exp",
        "Write `import math` above that line.",
        {"import math": "pass"},
    ),
    (
        "backward_clears_afterwards",
        "backward",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` sets a.grad, b.grad, c.grad and d.grad to 0 at its end, so no result is left to read.",
        {
            "        for node in reversed(order):\n            node._backward()\n": (
                "        for node in reversed(order):\n"
                "            node._backward()\n"
                "        for node in order:\n"
                "            node.grad = 0.0\n"
            ),
        },
    ),
    (
        "backward_clears_afterwards",
        "backward",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` sets d.grad to 1 and then to 0 before it calls d._backward.",
        {
            "        for node in reversed(order):\n            node._backward()\n": (
                "        for node in reversed(order):\n"
                "            node.grad = 0.0\n"
                "            node._backward()\n"
            ),
        },
    ),
    (
        "train_keeps_values",
        "gradient_descent",
        "a list of numbers is asked for: of each loss, its data.",
        {"        losses.append(loss.data)\n": "        losses.append(loss)\n"},
    ),
    (
        "zero_grad_to_one",
        "zero_grad",
        "a.grad is 1, expected 0",
        {"parameter.grad = 0.0": "parameter.grad = 1.0"},
    ),
    (
        "backward_keeps_its_list",
        "backward",
        "of `Value.backward` ",
        {
            "    def backward(self):\n": "    def backward(self, order=[]):\n",
            "order, visited = [], set()": "visited = set()",
        },
    ),
    (
        "backward_keeps_its_list",
        "backward",
        "of `Value.backward` ",
        {
            "    def backward(self):\n": "    def backward(self, order=[], visited=set()):\n",
            "        order, visited = [], set()\n": "",
        },
    ),
    (
        "inputs_shared",
        "add_multiply",
        "`_prev` is kept in the class Value, in ",
        {
            '    def __init__(self, data, children=(), op=""):\n': '    _prev = []\n\n    def __init__(self, data, children=(), op=""):\n',
            "        self._prev = set(children)\n": "        self._prev.extend(children)\n",
        },
    ),
    (
        "train_keeps_its_list",
        "gradient_descent",
        "The default `losses=[]` of `train` is made once",
        {
            "def train(loss_of, parameters, steps, rate):": "def train(loss_of, parameters, steps, rate, losses=[]):",
            "    losses = []\n": "",
        },
    ),
    (
        "chain_gradient_each_step",
        "chain_products",
        "chain_gradient(layer, 2, 3) called it 3 times",
        {
            "        node = layer(node)\n    node.backward()\n": "        node = layer(node)\n        node.backward()\n"
        },
    ),
    (
        "chain_gradient_from_leaf",
        "chain_products",
        "layer got a Value that it had got before",
        {
            "        node = layer(node)\n    node.backward()\n": "        node = layer(leaf)\n    node.backward()\n"
        },
    ),
    (
        "chain_gradient_one_more",
        "chain_products",
        "chain_gradient(layer, 2, 3) made 4",
        {"for _ in range(n):": "for _ in range(n + 1):"},
    ),
    (
        "chain_gradient_one_short",
        "chain_products",
        "chain_gradient(layer, 2, 3) made 2",
        {"for _ in range(n):": "for _ in range(n - 1):"},
    ),
    (
        "chain_gradient_without_backward",
        "chain_products",
        "chain_gradient(layer, 2, 3) called it 0 times",
        {"    node.backward()\n    return leaf.grad": "    return leaf.grad"},
    ),
    (
        "chain_gradient_of_a_number",
        "chain_products",
        "layer got an object of the type float; it takes a Value",
        {"leaf = node = Value(start)": "leaf = node = start"},
    ),
    (
        "grad_starts_at_one",
        "add_multiply",
        "The gradient of a new Value is 1.",
        {"self.grad = 0.0": "self.grad = 1.0"},
    ),
]

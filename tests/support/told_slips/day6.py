"""Slips of day 6 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "missing_import_numpy",
        "add",
        "Write `import numpy as np` above that line.",
        {"import numpy as np\n": ""},
    ),
    (
        "seed_is_added",
        "backward",
        "a.grad is 12, expected 2",
        {"self.grad = np.ones_like(self.data)": "self.grad = self.grad + np.ones_like(self.data)"},
    ),
    (
        "backward_keeps_its_list",
        "backward",
        "of `Tensor.backward` ",
        {
            "    def backward(self):": "    def backward(self, order=[]):",
            "        order = []\n        visited": "        visited",
        },
    ),
    (
        "backward_keeps_its_list",
        "backward",
        "of `Tensor.backward` ",
        {
            "    def backward(self):": "    def backward(self, order=[], visited=set()):",
            "        order = []\n        visited = set()\n": "",
        },
    ),
    (
        "backward_keeps_visited",
        "backward",
        "The default `visited=set()` of `Tensor.backward` is made once",
        {
            "    def backward(self):": "    def backward(self, visited=set()):",
            "        visited = set()\n": "",
        },
    ),
    (
        "multiply_sums_first",
        "multiply",
        "It sums out.grad first, and multiplies or divides afterwards.",
        {
            "other.grad += unbroadcast(self.data * out.grad, other.data.shape)": (
                "other.grad += unbroadcast(self.data + 0 * out.grad, other.data.shape) * unbroadcast("
                "out.grad, other.data.shape)"
            ),
        },
    ),
    (
        "multiply_sums_first",
        "multiply",
        "It sums out.grad first, and multiplies or divides afterwards.",
        {
            "self.grad += unbroadcast(other.data * out.grad, self.data.shape)": (
                "self.grad += other.data * unbroadcast(out.grad, self.data.shape)"
            ),
            "other.grad += unbroadcast(self.data * out.grad, other.data.shape)": (
                "other.grad += self.data * unbroadcast(out.grad, other.data.shape)"
            ),
        },
    ),
]

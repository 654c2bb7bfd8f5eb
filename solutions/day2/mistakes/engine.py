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

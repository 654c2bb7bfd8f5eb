"""The loss picks entries with `[]`; layers are found by their attributes; weights are scaled after drawing."""

import numpy as np


def cross_entropy(z, targets):
    picked = log_softmax(z)[(np.arange(len(targets)), np.array(targets))]
    return -picked.mean()


class Module:
    def parameters(self):
        return [value for value in vars(self).values() if isinstance(value, Tensor)]


class Linear(Module):
    def __init__(self, inputs, outputs, rng):
        self.bias = Tensor([0.0] * outputs)
        self.weight = Tensor(rng.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5)

    def __call__(self, x):
        return self.bias + x @ self.weight


class MLP(Module):
    def __init__(self, sizes, rng):
        self.layers = tuple(Linear(sizes[i], sizes[i + 1], rng) for i in range(len(sizes) - 1))

    def __call__(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = x.relu()
        return x

    def parameters(self):
        return sum((list(layer.parameters()) for layer in self.layers), [])

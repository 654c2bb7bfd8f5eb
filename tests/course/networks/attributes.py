"""Velocities at the parameters, made at the first step; gradients cleared in place."""

import numpy as np


class Linear:
    def __init__(self, inputs, outputs, rng):
        self.weight = Tensor(rng.normal(scale=np.sqrt(2 / inputs), size=(inputs, outputs)))
        self.bias = Tensor(np.zeros((outputs,)))

    def __call__(self, x):
        out = x @ self.weight
        return out + self.bias

    def parameters(self):
        return self.weight, self.bias


class SGD:
    def __init__(self, parameters, rate, momentum=0.0):
        self.parameters, self.rate, self.momentum = parameters, rate, momentum

    def step(self):
        for p in self.parameters:
            before = getattr(p, "velocity", None)
            p.velocity = p.grad.copy() if before is None else self.momentum * before + p.grad
            p.data -= self.rate * p.velocity

    def zero_grad(self):
        for p in self.parameters:
            p.grad[...] = 0


def dead_units(model, rows):
    hidden = np.asarray(rows) @ model.layers[0].weight.data + model.layers[0].bias.data
    dead = 0
    for column in hidden.T:
        if max(column) <= 0:
            dead += 1
    return dead

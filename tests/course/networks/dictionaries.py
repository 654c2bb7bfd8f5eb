"""Velocities in a dictionary, changes in place, generators in the place of lists."""

import numpy as np


class MLP:
    def __init__(self, sizes, rng):
        self.layers = []
        before = sizes[0]
        for size in sizes[1:]:
            self.layers.append(Linear(before, size, rng))
            before = size

    def __call__(self, x):
        *first, last = self.layers
        for layer in first:
            x = layer(x).relu()
        return last(x)

    def parameters(self):
        for layer in self.layers:
            yield from layer.parameters()


class SGD:
    def __init__(self, parameters, rate, momentum=0.0):
        self.velocity = {parameter: 0.0 for parameter in parameters}
        self.rate, self.momentum = rate, momentum

    def step(self):
        for p, v in self.velocity.items():
            self.velocity[p] = v = self.momentum * v + p.grad
            p.data -= self.rate * v

    def zero_grad(self):
        for p in self.velocity:
            p.grad = 0.0 * p.data


def batches(count, size, rng):
    order = np.arange(count)
    rng.shuffle(order)
    for start in range(0, count, size):
        yield order[start : start + size].tolist()


def train(model, optimizer, rows, labels, passes, size, rng):
    history = []
    for _ in range(passes):
        losses = []
        for batch in batches(len(rows), size, rng):
            loss = cross_entropy(model(Tensor(rows[batch])), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            losses.append(loss.data)
            optimizer.step()
        history.append(np.mean(losses))
    return history


def accuracy(model, rows, labels):
    return np.mean(np.argmax(model(Tensor(rows)).data, -1) == labels)


def dead_units(model, rows):
    return sum(model.layers[0](Tensor(rows)).relu().data.max(axis=0) == 0)

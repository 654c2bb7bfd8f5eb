"""Data is replaced and never changed in place; a step is a list of pairs; batches are popped from a list."""

import numpy as np


def log_softmax(z):
    z = z - z.data.max(axis=1).reshape(-1, 1)
    powers = z.exp()
    return z - powers.sum(axis=1, keepdims=True).log()


def cross_entropy(z, targets):
    hot = np.zeros(z.data.shape)
    hot[np.arange(len(hot)), targets] = 1.0
    losses = (log_softmax(z) * Tensor(hot)).sum(axis=1) * -1.0
    return losses.mean()


class SGD:
    def __init__(self, parameters, rate, momentum=0.0):
        self.pairs = [[p, np.zeros(p.data.shape)] for p in parameters]
        self.rate = rate
        self.momentum = momentum

    def step(self):
        for pair in self.pairs:
            p, v = pair
            v *= self.momentum
            v += p.grad
            p.data = p.data - v * self.rate

    def zero_grad(self):
        for p, _ in self.pairs:
            p.grad.fill(0.0)


def numeric_gradient(loss_of, parameter, nudge=1e-5):
    kept = parameter.data
    gradient = np.zeros(kept.shape)
    for place in np.ndindex(*kept.shape):
        one = np.zeros(kept.shape)
        one[place] = nudge
        parameter.data = kept + one
        above = loss_of().data
        parameter.data = kept - one
        gradient[place] = (above - loss_of().data) / (2 * nudge)
    parameter.data = kept
    return gradient


def batches(count, size, rng):
    left, found = list(rng.permutation(count)), []
    while left:
        found.append(np.array(left[:size]))
        left = left[size:]
    return found


def train(model, optimizer, rows, labels, passes, size, rng):
    def step(batch):
        optimizer.zero_grad()
        loss = cross_entropy(model(Tensor(rows[batch])), labels[batch])
        loss.backward()
        optimizer.step()
        return float(loss.data)

    def one_pass():
        losses = [step(batch) for batch in batches(len(labels), size, rng)]
        return sum(losses) / len(losses)

    return [one_pass() for _ in range(passes)]

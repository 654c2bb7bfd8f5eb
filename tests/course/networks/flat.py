"""Entries nudged in a flat view; batches by a list of places; the mean of a pass is weighted by rows."""

import numpy as np


def numeric_gradient(loss_of, parameter, nudge=1e-5):
    flat = parameter.data.reshape(-1)
    found = []
    for i in range(flat.size):
        flat[i] += nudge
        above = float(loss_of().data)
        flat[i] -= 2 * nudge
        below = float(loss_of().data)
        flat[i] += nudge
        found.append((above - below) / nudge / 2)
    return np.array(found).reshape(parameter.data.shape)


def batches(count, size, rng):
    order = rng.choice(count, count, replace=False)
    return np.split(order, range(size, count, size))


def train(model, optimizer, rows, labels, passes, size, rng):
    means = []
    for _ in range(passes):
        total, cuts = 0.0, batches(rows.shape[0], size, rng)
        for batch in cuts:
            optimizer.zero_grad()
            loss = cross_entropy(model(Tensor(rows[batch])), labels[batch])
            loss.backward()
            optimizer.step()
            total += loss.data.item()
        means.append(total / len(cuts))
    return means


def accuracy(model, rows, labels):
    right = 0
    for row, label in zip(rows, labels):
        right += int(model(Tensor([row])).data[0].argmax()) == label
    return right / len(rows)

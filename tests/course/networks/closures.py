"""Losses with closures of their own, which pick the scores by place."""

import numpy as np


def log_softmax(z):
    m = z.data - z.data.max(axis=-1)[:, None]
    out = Tensor(m - np.log(np.exp(m).sum(axis=-1))[:, None], (z,), "log_softmax")

    def _backward():
        z.grad = z.grad + out.grad - np.exp(out.data) * out.grad.sum(axis=1)[:, None]

    out._backward = _backward
    return out


def cross_entropy(z, targets):
    n = targets.size
    p = np.exp(log_softmax(z).data)
    out = Tensor(-np.log(p[range(n), targets]).mean(), (z,), "cross_entropy")

    def _backward():
        slope = p.copy()
        slope[np.arange(n), targets] -= 1
        z.grad += slope / n * out.grad

    out._backward = _backward
    return out

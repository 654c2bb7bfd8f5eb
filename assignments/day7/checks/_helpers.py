"""Shared by the checks: sources that run in the jail, and tests of gradients apart from the rules of day 6."""

import functools

import pytest

from grader.autograd import hand_on
from grader.sandbox import StudentError

# A numpy generator, as `np.random.default_rng(seed)` makes it.
GENERATOR = """
import numpy as np

def generator(seed):
    return np.random.default_rng(seed)
"""

# The standard deviation of a large Tensor's numbers, and its shape; the numbers stay in the jail.
SPREAD = """
def spread(tensor):
    return round(float(tensor.data.std()), 6), list(tensor.data.shape)
"""

# Which of some Tensors have got a gradient other than 0 when `out` and all that it was made from hand on theirs.
GIVEN = """
def given(tensors):
    return [bool((tensor.grad != 0).any()) for tensor in tensors]
"""

# Layers that are no Linear: each multiplies by a number and adds another one. They have two parameters each.
LAYERS = """
def make(Tensor, numbers):
    class Layer:
        def __init__(self, factor, shift):
            self.factor, self.shift = factor, shift
            self.weight, self.bias = Tensor([[factor]]), Tensor([shift])

        def __call__(self, x):
            return Tensor(x.data * self.factor + self.shift)

        def parameters(self):
            return [self.weight, self.bias]

    return [Layer(factor, shift) for factor, shift in numbers]
"""

# What the stand-ins below get: the numbers of a Tensor.
NUMBERS_OF = """
import numpy as np

def numbers_of(x, Tensor):
    if not isinstance(x, Tensor):
        raise TypeError(f"the model got an object of the type {type(x).__name__}; it takes a Tensor")
    return x.data

"""

# A stand-in model whose scores are its rows, with each number moved one place to the right and the last one to the front.
MOVED = f"""{NUMBERS_OF}
def make(Tensor):
    return lambda x: Tensor(np.roll(numbers_of(x, Tensor), 1, axis=-1))
"""

# A stand-in model whose first layer multiplies its rows by -1; what the model gives is no part of it.
HIDDEN = f"""{NUMBERS_OF}
def make(Tensor, inputs):
    class First:
        def __init__(self):
            self.weight, self.bias = Tensor(-np.eye(inputs)), Tensor(np.zeros(inputs))

        def __call__(self, x):
            return Tensor(-numbers_of(x, Tensor))

        def parameters(self):
            return [self.weight, self.bias]

    class Last(First):
        def __call__(self, x):
            return Tensor(np.zeros((len(numbers_of(x, Tensor)), 10)))

    class Model:
        def __init__(self):
            self.layers = [First(), Last()]

        def __call__(self, x):
            return self.layers[1](x)

        def parameters(self):
            return [parameter for layer in self.layers for parameter in layer.parameters()]

    return Model()
"""

# Training apart from the student's loss, batches, layers and engine: a model y = w * x, whose loss is the mean of
# (y - target)², with its gradient; or the losses that are given, one after each step, without a gradient.
# `cross_entropy` and `batches` have these stand-ins while `train` runs.
TRAINING = f"""{NUMBERS_OF}
def make(train, Tensor, start, cuts, losses=()):
    w, seen, given, asked, calls = Tensor([start]), [], [], [], []
    w.grad = np.array([4.0])  # from before the training

    class Loss(Tensor):
        slope = 0.0

        def backward(self):
            calls.append("backward")
            w.grad = w.grad + self.slope

    class Model:
        def __init__(self):
            self.weight, self.layers = w, [self]

        def __call__(self, x):
            seen.append(np.array(numbers_of(x, Tensor)))
            return Tensor(seen[-1] * w.data)

        def parameters(self):
            return [w]

    def cross_entropy(z, targets):
        given.append([seen[-1].tolist(), np.array(targets).tolist()])
        if losses:
            return Loss(losses[min(calls.count("step"), len(losses) - 1)])
        error = z.data[:, 0] - targets
        loss = Loss((error * error).mean())
        loss.slope = np.array([(2 * error * seen[-1][:, 0]).mean()])
        return loss

    def batches(count, size, rng):
        asked.append([count, size, rng is generator])
        return [np.array(cut) for cut in cuts]

    class Optimizer:
        def step(self):
            calls.append("step")
            w.data = w.data - 0.25 * w.grad

        def zero_grad(self):
            calls.append("zero_grad")
            w.grad = np.zeros_like(w.data)

    generator = np.random.default_rng(0)

    def run(rows, labels, passes, size):
        names = getattr(train, "__globals__", dict())
        own = dict((name, names[name]) for name in ("cross_entropy", "batches") if name in names)
        names.update(cross_entropy=cross_entropy, batches=batches)
        try:
            return train(Model(), Optimizer(), rows, labels, passes, size, generator)
        finally:
            for name in ("cross_entropy", "batches"):
                names.pop(name, None)
            names.update(own)

    return w, run, lambda: given, lambda: asked, lambda: calls
"""

# The training of the notebook: the first loss of fifty digits, and the share of held-out digits that are read afterwards.
LEARNING = """
import numpy as np
import digits

def learn(MLP, SGD, train, cross_entropy, Tensor, seed):
    rng = np.random.default_rng(seed)
    rows, labels = digits.rows / 16, digits.labels
    model = MLP([64, 32, 10], rng)
    first = float(cross_entropy(model(Tensor(rows[:50])), labels[:50]).data)
    train(model, SGD(model.parameters(), 0.1, 0.9), rows[:1500], labels[:1500], 15, 50, rng)
    guesses = model(Tensor(rows[1500:])).data.argmax(axis=1)
    return round(first, 6), float((guesses == labels[1500:]).mean())
"""


def generator(student, seed, *needed):
    """Return a numpy generator with this seed. Raises Undefined if the submission lacks one of the needed names."""
    for name in needed:
        student.quietly(name)
    return student.helper(GENERATOR, "generator")(seed)


def numbers(losses):
    """Return the losses that `train` gave back, as a list. Raises AssertionError with words for anything else."""
    assert isinstance(losses, list | tuple), "train must return a list, with a number for each pass."
    assert all(isinstance(loss, int | float) for loss in losses), (
        "train must return numbers: of a loss, its data."
    )
    return list(losses)


def descent(start, rows, labels, cuts, passes):
    """Return what TRAINING's training gives in plain numbers: the mean loss of each pass, and w at the end."""
    w, means = start, []
    for _ in range(passes):
        losses = []
        for cut in cuts:
            errors = [w * rows[i][0] - labels[i] for i in cut]
            losses.append(sum(error * error for error in errors) / len(cut))
            w -= 0.25 * sum(2 * error * rows[i][0] for error, i in zip(errors, cut, strict=True)) / len(cut)
        means.append(sum(losses) / len(losses))
    return means, w


X, C, UPSTREAM = [[1.0, 2.0, 0.5], [4.0, 0.25, 3.0]], [[2.0], [4.0]], [[1.0, -2.0, 0.5], [0.25, 1.5, 3.0]]
NONE, ZEROS = [[0.0], [0.0]], [[0.0] * 3] * 2
# What a loss may be made of: x and c, the upstream gradient, and the gradients of x and c.
RULES = {
    "`-`": (lambda x, c: x - c, X, C, UPSTREAM, UPSTREAM, [[0.5], [-4.75]]),
    "`*`": (lambda x, c: x * c, X, C, UPSTREAM, [[2.0, -4.0, 1.0], [1.0, 6.0, 12.0]], [[-2.75], [10.375]]),
    "`exp`": (lambda x, _: x.exp(), ZEROS, C, UPSTREAM, UPSTREAM, NONE),
    "`log`": (lambda x, _: x.log(), X, C, UPSTREAM, [[1.0, -1.0, 1.0], [0.0625, 6.0, 1.0]], NONE),
    "`sum`": (lambda x, _: x.sum(axis=1, keepdims=True), X, C, C, [[2.0] * 3, [4.0] * 3], NONE),
    "`sum()`": (lambda x, _: x.sum(), X, C, 2.0, [[2.0] * 3] * 2, NONE),
}
# What a network is made of.
LAYER_RULES = {
    "`+`": (lambda x, c: x + c, X, [1.0, -1.0, 2.0], UPSTREAM, UPSTREAM, [1.25, -0.5, 3.5]),
    "`@`": (
        lambda x, c: x @ c,
        X,
        [[1.0, -1.0], [2.0, 0.5], [0.0, 4.0]],
        [[1.0, 2.0], [-1.0, 0.5]],
        [[-1.0, 3.0, 8.0], [-1.5, -1.75, 2.0]],
        [[-3.0, 4.0], [1.75, 4.125], [-2.5, 2.5]],
    ),
    "`relu`": (
        lambda x, _: x.relu(),
        [[1.0, -2.0, 0.5], [-4.0, 0.25, 3.0]],
        C,
        UPSTREAM,
        [[1.0, 0.0, 0.5], [0.0, 1.5, 3.0]],
        NONE,
    ),
}


def wrong_rule(student, rules):
    """Return what is said about the first wrong or unwritten rule of the student's Tensor; empty if all are right.

    Raises StudentError where the rule is a blank, so that the check is still to be written.
    """
    with student.trial():
        for name, (apply, start, other, upstream, of_x, of_c) in rules.items():
            x, c = student.leaves(x=start, c=other)
            wrong = f"{name} of your Tensor is wrong. `grade day6` says more."
            try:
                hand_on(student, apply(x, c), student.array(upstream))
                if x.grad != of_x or c.grad != of_c:
                    return wrong
            except StudentError as error:
                if error.type == "NotImplementedError":
                    text = f"This needs {name} of your Tensor, of which a part is still to be written: {error.text}"
                    raise StudentError(error.type, text, error.frames) from None
                return f"{name} of your Tensor stops with {error}."
            except AssertionError:
                return wrong
    return ""


def telling_of_tensor(test):
    """Return a test whose failure names a wrong rule of day 6, if there is one."""

    @functools.wraps(test)
    def tried(student, **fixtures):
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError) as error:
            with student.afresh() as again:  # needs no trained network, so none is trained again
                rule = wrong_rule(again, RULES | LAYER_RULES)
            if rule and f" {error}." not in rule:  # the test's own error has a place
                pytest.fail(f"The network does not learn: {rule}")
            raise

    return tried


def apart_from_tensor(test, rules=None):
    """Return a test of gradients that a wrong rule of day 6 does not fail: it is then skipped, with words."""

    @functools.wraps(test)
    def tried(student, **fixtures):
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError):
            if rule := wrong_rule(student, rules or RULES):
                pytest.skip(f"The gradient cannot be judged: {rule}")
            raise

    return tried


def apart_from_rules_of_layers(test):
    """Return a test as `apart_from_tensor` does, for `+`, `@` and relu."""
    return apart_from_tensor(test, LAYER_RULES)


def learn(student, seed):
    """Return the first loss of fifty digits, and the share of held-out digits that the student's network reads after training."""
    parts = (student.MLP, student.SGD, student.train, student.cross_entropy, student.Tensor)
    return student.helper(LEARNING, "learn")(*parts, seed)

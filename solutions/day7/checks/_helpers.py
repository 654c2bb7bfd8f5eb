"""What runs in the jail for the checks of this side."""

# A numpy generator, as `np.random.default_rng(seed)` makes it.
GENERATOR = """
import numpy as np

def generator(seed):
    return np.random.default_rng(seed)
"""

# How far an array spreads around its mean: its standard deviation.
SPREAD = """
def spread(array):
    return float(array.std())
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

# A model that gives back its rows as scores.
SAME = """
def make(Tensor):
    return lambda x: Tensor(x.data if isinstance(x, Tensor) else x)
"""

# A model whose first layer gives back its rows; what the model gives is no part of it.
HIDDEN = """
import numpy as np

def make(Tensor, inputs):
    class First:
        def __init__(self):
            self.weight, self.bias = Tensor(np.eye(inputs)), Tensor(np.zeros(inputs))

        def __call__(self, x):
            return Tensor(x.data if isinstance(x, Tensor) else x)

        def parameters(self):
            return [self.weight, self.bias]

    class Last(First):
        def __call__(self, x):
            return Tensor(np.zeros((len(x.data), 10)))

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
# (y - target)², with its gradient. `cross_entropy` and `batches` have these stand-ins while `train` runs.
TRAINING = """
import numpy as np

def make(train, Tensor, start, cuts):
    w, seen, log = Tensor([start]), [], []

    class Loss(Tensor):
        def backward(self):
            log.append("backward")
            w.grad = w.grad + self.slope

    def model(x):
        seen.append(np.array(x.data if isinstance(x, Tensor) else x))
        return Tensor(seen[-1] * w.data)

    def cross_entropy(z, targets):
        error = z.data[:, 0] - targets
        loss = Loss((error * error).mean())
        loss.slope = np.array([(2 * error * seen[-1][:, 0]).mean()])
        return loss

    def batches(count, size, rng):
        log.append(("batches", count, size, rng is generator))
        return [np.array(cut) for cut in cuts]

    class Optimizer:
        def step(self):
            log.append("step")
            w.data = w.data - 0.25 * w.grad

        def zero_grad(self):
            log.append("zero_grad")
            w.grad = np.zeros_like(w.data)

    generator = np.random.default_rng(0)

    def run(rows, labels, passes, size):
        names = getattr(train, "__globals__", {})
        own = {name: names[name] for name in ("cross_entropy", "batches") if name in names}
        names.update(cross_entropy=cross_entropy, batches=batches)
        try:
            return train(model, Optimizer(), rows, labels, passes, size, generator)
        finally:
            for name in ("cross_entropy", "batches"):
                names.pop(name, None)
            names.update(own)

    return w, run, lambda: log
"""

# The training of the notebook: the first and the last loss, and the share of held-out digits that are read.
LEARNING = """
import numpy as np
import digits

def learn(MLP, SGD, train, Tensor, seed):
    rng = np.random.default_rng(seed)
    rows, labels = digits.rows / 16, digits.labels
    model = MLP([64, 32, 10], rng)
    optimizer = SGD(model.parameters(), 0.1, 0.9)
    train(model, optimizer, rows[:1500], labels[:1500], 15, 50, rng)
    guesses = model(Tensor(rows[1500:])).data.argmax(axis=1)
    return float((guesses == labels[1500:]).mean())
"""


def generator(student, seed):
    """Return a numpy generator with this seed."""
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

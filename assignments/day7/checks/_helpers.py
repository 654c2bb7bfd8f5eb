"""Shared by the checks: sources that run in the jail, and tests of gradients apart from the rules of day 6."""

import functools
import math

import pytest

from grader.autograd import hand_on, skip_test
from grader.sandbox import StudentError, kind_words

# A numpy generator, as `np.random.default_rng(seed)` makes it.
GENERATOR = """
import numpy as np

def generator(seed):
    return np.random.default_rng(seed)
"""

# A right Tensor, which stands in for the submission's own. Each result knows how it moves with each Tensor that no
# operation made, and hands its gradient on to these.
TENSOR = """
import numpy as np

def stand_in(node_class):
    names = getattr(getattr(node_class, "__init__", None), "__globals__", None)
    if names is None:
        return False
    names["Tensor"] = Tensor
    return True

def tensor_of(value):
    return value if isinstance(value, Tensor) else Tensor(value)

def result(data, *parts):
    out, moves = Tensor(data), dict()
    for tensor, move in parts:
        for key, (leaf, slopes) in tensor.moves.items():
            part = np.broadcast_to(move(slopes), out.data.shape + slopes.shape[-1:])
            moves[key] = leaf, part + moves[key][1] if key in moves else part
    out.moves, out._prev, out._backward = moves, tuple(leaf for leaf, _ in moves.values()), out.hand_down
    return out

def times(slope):
    return lambda slopes: np.asarray(slope)[..., None] * slopes

def itself(slopes):
    return slopes

class Tensor:
    __array_ufunc__ = None

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self._prev, self._op, self.label, self._backward = _children, _op, label, lambda: None
        size = self.data.size
        self.moves = dict([(id(self), (self, np.eye(size).reshape(self.data.shape + (size,))))])

    def hand_down(self):
        for leaf, slopes in self.moves.values():
            moved = np.tensordot(self.grad, slopes, self.data.ndim)
            leaf.grad = leaf.grad + moved.reshape(leaf.data.shape)

    def __add__(self, other):
        other = tensor_of(other)
        return result(self.data + other.data, (self, itself), (other, itself))

    def __mul__(self, other):
        other = tensor_of(other)
        return result(self.data * other.data, (self, times(other.data)), (other, times(self.data)))

    def __matmul__(self, other):
        left = lambda slopes: np.einsum("ijk,jl->ilk", slopes, other.data)
        right = lambda slopes: np.einsum("ij,jlk->ilk", self.data, slopes)
        return result(self.data @ other.data, (self, left), (other, right))

    def sum(self, axis=None, keepdims=False):
        axes = tuple(range(self.data.ndim)) if axis is None else (axis % self.data.ndim,)
        add = lambda slopes: slopes.sum(axis=axes, keepdims=keepdims)
        return result(self.data.sum(axis=axis, keepdims=keepdims), (self, add))

    def mean(self, axis=None, keepdims=False):
        count = self.data.size if axis is None else self.data.shape[axis]
        return self.sum(axis=axis, keepdims=keepdims) * (1 / count)

    def __pow__(self, n):
        return result(self.data**n, (self, times(n * self.data ** (n - 1))))

    def exp(self):
        return result(np.exp(self.data), (self, times(np.exp(self.data))))

    def log(self):
        return result(np.log(self.data), (self, times(1 / self.data)))

    def tanh(self):
        return result(np.tanh(self.data), (self, times(1 - np.tanh(self.data) ** 2)))

    def relu(self):
        return result(np.maximum(self.data, 0), (self, times(self.data > 0)))

    def __getitem__(self, rows):
        return result(self.data[rows], (self, lambda slopes: slopes[rows]))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + tensor_of(other) * -1.0

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * tensor_of(other) ** -1.0

    def __rtruediv__(self, other):
        return self**-1.0 * other
"""

# The arrays that an optimizer holds, all filled with ones.
FILLED = """
import numpy as np

def filled(optimizer, parameters):
    def arrays():
        found, waiting = [], [each for each in vars(optimizer).values() if each is not parameters]
        while waiting:
            each = waiting.pop()
            if type(each) is np.ndarray:
                found.append(each)
            elif type(each) in (list, tuple):
                waiting += each
            elif type(each) is dict:
                waiting += each.values()
        return found

    for array in arrays():
        array[...] = 1.0
    return lambda: [array.ravel().tolist() for array in arrays()]
"""

# What an optimizer's attributes hold, by identity: whether one of the parameters, whether another object of their class.
# And its plain numbers, by name.
HELD = """
def whose(optimizer, parameters):
    found, waiting = [], list(getattr(optimizer, "__dict__", dict()).values())
    while waiting:
        each = waiting.pop()
        if type(each) in (list, tuple):
            waiting += each
        elif type(each) is dict:
            waiting += each.values()
        else:
            found.append(each)
    own = any(each is parameter for each in found for parameter in parameters)
    return own, any(type(each) is type(parameters[0]) for each in found)

def numbers(optimizer):
    held = getattr(optimizer, "__dict__", dict())
    return dict((name, float(each)) for name, each in held.items() if type(each) in (int, float))
"""

# Layers that are no Linear: each multiplies by a number and adds another one. They have two parameters each. Also a
# function that tells which of them were called, in order.
LAYERS = """
def make(Tensor, numbers):
    called = []

    class Layer:
        def __init__(self, factor, shift):
            self.factor, self.shift = factor, shift
            self.weight, self.bias = Tensor([[factor]]), Tensor([shift])

        def __call__(self, x):
            called.append(self)
            return Tensor(x.data * self.factor + self.shift)

        def parameters(self):
            return [self.weight, self.bias]

    layers = [Layer(factor, shift) for factor, shift in numbers]
    return layers, lambda: [layers.index(each) for each in called[:20]]
"""

# Whether a result that knows a leaf has the `_backward` that every new Tensor has.
CLOSURES = """
def is_unset(out, leaf):
    inputs = getattr(out, "_prev", ())
    if type(inputs) not in (tuple, list, set) or not any(each is leaf for each in inputs):
        return False
    functions = [getattr(each, "__dict__", dict()).get("_backward") for each in (out, leaf)]
    codes = [getattr(function, "__code__", None) for function in functions]
    return codes[0] is not None and codes[0] is codes[1]
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

    Loss.__name__ = Tensor.__name__  # a message names the class of an object

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

# The training of the notebook: the first loss of fifty digits, and the guesses for the held-out digits afterwards.
LEARNING = """
import numpy as np

def learn(MLP, SGD, train, cross_entropy, Tensor, seed):
    rng = np.random.default_rng(seed)
    with np.load("data/digits.npz") as digits:
        rows, labels = digits["rows"] / 16, digits["labels"]
    model = MLP([64, 32, 10], rng)
    first = float(cross_entropy(model(Tensor(rows[:50])), labels[:50]).data)
    train(model, SGD(model.parameters(), 0.1, 0.9), rows[:1500], labels[:1500], 15, 50, rng)
    return round(first, 6), [int(guess) for guess in model(Tensor(rows[1500:])).data.argmax(axis=1)]
"""
# The labels of the held-out digits, as digits.npz has them.
HELD_OUT = (
    "044849268482495124615051187256619431253696700200851426978212449224860840354261946934777853584232369470"
    "166741810980140923262986895905214376452224718097600902642013059014991614121266510406107009121811509477"
    "217693335000912394602832585615433745026723580737149247128594249473521822479657066984223962293"
)


def generator(student, seed, *needed):
    """Return a numpy generator with this seed. Raises Undefined if the submission lacks one of the needed names."""
    for name in needed:
        student.quietly(name)
    return student.helper(GENERATOR, "generator")(seed)


def plain(student, value):
    """Return an array as a list; None for an object that cannot be gone through."""
    try:
        return student.listed(value)
    except StudentError:
        return None


def is_zero(numbers):
    """Return True for zeros, nested or not."""
    if isinstance(numbers, list):
        return all(map(is_zero, numbers))
    return isinstance(numbers, int | float) and numbers == 0


def judge_whose(student, optimizer, method, **parameters):
    """Check that an optimizer that left its parameters as they were holds these, and no copies."""
    own, others = student.helper(HELD, "whose")(optimizer, list(parameters.values()))
    names = " and ".join(parameters)
    assert own or not others, (
        f"The optimizer keeps other Tensors, and not the {names} that it was given: {method} changes those."
    )


def way_back(student, function, upstream):
    """Return x after a gradient has gone from `function(z)` through z, where z is x times 2 and has the numbers of Z."""
    x, two = student.leaves(x=[[score / 2 for score in row] for row in Z], two=[[2.0]] * 3)
    z = x * two
    student.name(z=z)
    hand_on(student, function(z), student.array(upstream))
    if is_zero(plain(student, x.grad)) and not is_zero(plain(student, z.grad)):
        pytest.fail(
            "With z = x * two the gradient ends at z: x has none. Does the result know that it was made from z?"
        )
    return x


def judge_closure(student, out, z, start):
    """Check that a result that knows z, and hands on nothing to it, has a `_backward` of its own."""
    unset = plain(student, z.grad) == start and student.helper(CLOSURES, "is_unset")(out, z)
    assert not unset, (
        f"No gradient reaches z: the `_backward` of {student.called(out)} is the one that every new Tensor has. Give the "
        "result the closure that you wrote."
    )


def spread(student, tensor, *shape):
    """Return the standard deviation of a Tensor's numbers. Raises AssertionError if its shape is another one."""
    assert tensor.data.shape == shape
    found = [number for row in student.listed(tensor.data) for number in row]
    mean = math.fsum(found) / len(found)
    return round(math.sqrt(math.fsum((number - mean) ** 2 for number in found) / len(found)), 6)


def numbers(losses):
    """Return the losses that `train` gave back, as a list. Raises AssertionError with words for anything else."""
    assert isinstance(losses, list | tuple), (
        f"train returned {kind_words(losses)}; a list is asked for, with a number for each pass."
    )
    assert all(isinstance(loss, int | float) for loss in losses), (
        f"train returned {kind_words(losses)}; a list of numbers is asked for: of a loss, its data."
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


Z = [[0.5, -1.0, 2.0, 0.25], [1.5, 0.0, -0.75, 3.0], [0.0, 0.125, 4.0, -2.0]]
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
    """Return a test of gradients that a wrong rule of day 6 does not fail: it then runs again, with a right Tensor."""

    @functools.wraps(test)
    def tried(student, **fixtures):
        rng = fixtures.get("rng")
        state = rng.getstate() if rng else None
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError):
            if not (rule := wrong_rule(student, rules or RULES)):
                raise
        if rng:
            rng.setstate(state)  # the second run has the same numbers
        if student.helper(TENSOR, "stand_in")(student.node_class) is not True:
            skip_test(f"The gradient cannot be judged: {rule}")
        return test(student, **fixtures)

    return tried


def apart_from_rules_of_layers(test):
    """Return a test as `apart_from_tensor` does, for `+`, `@` and relu."""
    return apart_from_tensor(test, LAYER_RULES)


def learn(student, seed):
    """Return the first loss of fifty digits, and the share of held-out digits that the student's network reads after training."""
    parts = (student.MLP, student.SGD, student.train, student.cross_entropy, student.Tensor)
    first, guesses = student.helper(LEARNING, "learn")(*parts, seed)
    assert len(guesses) == len(HELD_OUT), "The network must give ten scores for each row."
    right = sum(guess == int(label) for guess, label in zip(guesses, HELD_OUT, strict=True))
    return first, right / len(HELD_OUT)

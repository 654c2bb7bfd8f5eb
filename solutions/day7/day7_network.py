# %% [markdown]
# # Day 7: a network that learns
#
# On [day 6](../day6/README.md) the engine learned to work with arrays. Today it learns to read digits. You write
# everything between the engine and the network: the loss, the layers, the optimizer, the training loop.
#
# - **Do first:** sections 1 to 3, 41 of the 100 points.
# - **Then:** section 5, up to a network that reads nine of ten digits: 33 more.
# - **If there is time:** section 4, a tool that finds wrong gradients, and section 6, runs that do not learn.
# - **With care:** `zero_grad` before each `backward`; no relu after the last layer; divide by the batch.
# - **Another day:** the rules of `Tensor` are day 6's. This is the last day.
#
# A cell that stops with `NotImplementedError` says what to write in the place of that line.

# %% tags=["demo"]
import time

from grader import check, draw

# %% [markdown]
# Paste your `Tensor` and `unbroadcast` from day 6 into the next cell. Grading also finds them if this notebook and your
# day 6 are in the course's repository.

# %% tags=["paste"]
### BEGIN SOLUTION: paste unbroadcast and Tensor from day 6 into this cell
# STUB: # Paste unbroadcast and Tensor from day 6 into this cell.
# STUB: # Otherwise grading needs this notebook and your day 6 in the course's repository.
# STUB: if "Tensor" not in globals():
# STUB:     raise NotImplementedError("paste unbroadcast and Tensor from day 6 into this cell")
# STUB: Tensor = Tensor  # while it is missing, messages name this cell
import numpy as np


def unbroadcast(grad, shape):
    """Return `grad` summed over what broadcasting repeated: an array of this shape."""
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad


class Tensor:
    """An array that remembers what it was made from and collects its gradient, of the same shape."""

    __array_ufunc__ = None  # so that numpy leaves `array + tensor` to __radd__

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self._prev = _children
        self._op = _op
        self._backward = lambda: None
        self.label = label

    def __repr__(self):
        return f"Tensor({self.data.tolist()}, grad {self.grad.tolist()})"

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += unbroadcast(out.grad, self.data.shape)
            other.grad += unbroadcast(out.grad, other.data.shape)

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += unbroadcast(other.data * out.grad, self.data.shape)
            other.grad += unbroadcast(self.data * out.grad, other.data.shape)

        out._backward = _backward
        return out

    def backward(self):
        """Fill in the gradient of every tensor that this one is made of."""
        order = []
        visited = set()
        waiting = [(self, False)]  # a tensor, and whether its inputs are in the order already
        while waiting:
            node, ready = waiting.pop()
            if ready:
                order.append(node)
            elif node not in visited:
                visited.add(node)
                waiting.append((node, True))
                waiting.extend((child, False) for child in node._prev)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            node._backward()

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other), "@")

        def _backward():
            self.grad += out.grad @ other.data.T
            other.grad += self.data.T @ out.grad

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,), "sum")

        def _backward():
            grad = out.grad
            if axis is not None and not keepdims:
                grad = np.expand_dims(grad, axis)
            self.grad += grad

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis=axis, keepdims=keepdims)
        return total * (total.data.size / self.data.size)

    def __pow__(self, n):
        out = Tensor(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def log(self):
        out = Tensor(np.log(self.data), (self,), "log")

        def _backward():
            self.grad += out.grad / self.data

        out._backward = _backward
        return out

    def tanh(self):
        out = Tensor(np.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(self.data, 0), (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out

    def __getitem__(self, rows):
        out = Tensor(self.data[rows], (self,), "[]")

        def _backward():
            np.add.at(self.grad, rows, out.grad)

        out._backward = _backward
        return out

    # Made of the others: nothing to write.

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (other * -1.0)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * other**-1.0

    def __rtruediv__(self, other):
        return self**-1.0 * other


### END SOLUTION

# %% [markdown]
# ## 1. The digits
#
# 1,797 handwritten digits: each is a row of 64 numbers from 0 to 16, the ink in 8 × 8 squares, and has a label from 0
# to 9. Their source is in [digits.md](digits.md). Divided by 16, the numbers go from 0 to 1.
#
# The network learns from the first 1,500. The other 297 are **held out**: it never learns from them, so they show how
# well it reads digits that it has not seen.

# %%
import numpy as np

with np.load("data/digits.npz") as digits:
    rows, labels = digits["rows"] / 16, digits["labels"]
train_rows, train_labels = rows[:1500], labels[:1500]
test_rows, test_labels = rows[1500:], labels[1500:]


# %% tags=["demo"]
def show(row):
    """Print a digit, darker characters for more ink."""
    for line in row.reshape(8, 8):
        print("".join(2 * " .:-=+*#%@"[int(ink * 9)] for ink in line))


show(rows[0])
print("label", labels[0])

# %% [markdown]
# A network gives each row ten numbers, the **scores**. *Softmax* makes shares of them that add up to 1: with p for the
# share and z for the score, $p_j = e^{z_j} / \sum_k e^{z_k}$. The loss of a row is the **cross-entropy**, -log of the
# share of its label (log is the natural one). It is 0 if the label has all of the share.
#
# Before anything is learned, all ten scores are about equal. What is the loss then? `first_loss`, to three digits.
# A first loss near it says that nothing is wrong yet.

# %%
### BEGIN SOLUTION: fill in first_loss
# STUB: first_loss = ...  # a number, to three digits
first_loss = 2.30
### END SOLUTION

# %% tags=["demo"]
check("first_loss")

# %% [markdown]
# ## 2. The loss
#
# The gradient of the cross-entropy of a row is short. For each score it is the share p, and for the label's own score
# p - 1. In a batch of n rows the loss is the **mean** over the rows, so each gradient is divided by n.
#
# On paper and with a calculator, each number to three digits, as 0.0123 and 0.123 are. e¹ = 2.718, e² = 7.389,
# e³ = 20.086, and the logarithm of their sum is 3.408:
#
# - `one_loss`: the scores are 1, 2, 3, and the label is 0.
# - `one_grads`: the gradients of these three scores.
# - `shifted_loss`: the scores are 1000, 1001, 1002, and the label is 0.
# - `batch_grads`: two rows, both with the scores 1, 2, 3. The labels are 2 and 0.

# %%
### BEGIN SOLUTION: fill in the four answers
# STUB: one_loss = ...  # a number, to three digits
# STUB: one_grads = ...  # 3 numbers, each to three digits
# STUB: shifted_loss = ...  # a number, to three digits
# STUB: batch_grads = ...  # 2 rows of 3 numbers, each to three digits
one_loss = 2.41
one_grads = [-0.910, 0.245, 0.665]
shifted_loss = 2.41
batch_grads = [[0.0450, 0.122, -0.167], [-0.455, 0.122, 0.333]]
### END SOLUTION

# %% tags=["demo"]
check("loss_on_paper")

# %% [markdown]
# On a computer $e^{1002}$ is infinite, and infinity divided by infinity is `nan`. So subtract the largest score m of the
# row first. m is a plain number here, and cancels:
#
# $$\log p_j = (z_j - m) - \log \sum_k e^{z_k - m}$$
#
# - `log_softmax(z)` gives a `Tensor` with log p for each entry of z, a matrix. Each row is for itself.
# - `cross_entropy(z, targets)` gives a `Tensor` that holds one number: the mean over the rows of -log p at the target.
#   `targets` is an array of labels. `np.eye(10)[targets]` is a matrix with 1 at each row's target, of ten, and 0 elsewhere.
#
# Make both of the operations of your engine, and the gradients come by themselves. A closure of your own is as good.


# %%
def log_softmax(z):
    """Return the logarithm of the softmax of each row of the matrix z: a Tensor of the same shape."""
    ### BEGIN SOLUTION: log_softmax: subtract the largest of each row, then the log of the sum of the powers
    shifted = z - z.data.max(axis=1, keepdims=True)
    return shifted - shifted.exp().sum(axis=1, keepdims=True).log()
    ### END SOLUTION


def cross_entropy(z, targets):
    """Return the mean over the rows of -log softmax at the row's target: a Tensor that holds one number."""
    ### BEGIN SOLUTION: cross_entropy: pick log p at the targets, take the mean over the rows, turn the sign
    rows_of_z, scores = z.data.shape
    hot = np.eye(scores)[targets]
    return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)
    ### END SOLUTION


# %% tags=["demo"]
check("log_softmax")

# %% tags=["demo"]
check("cross_entropy")

# %% tags=["verify"]
z = Tensor([[0.5, 1.0, -2.0], [1000.0, 1001.0, 0.0]])
loss = cross_entropy(z, np.array([2, 0]))
loss.backward()
print("yours    ", loss.data, z.grad.tolist())
try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    theirs = torch.tensor(z.data, requires_grad=True)
    right = torch.nn.functional.cross_entropy(theirs, torch.tensor([2, 0]))
    right.backward()
    print("PyTorch's", right.item(), theirs.grad.tolist())

# %% [markdown]
# ## 3. Layers
#
# A linear layer is `x @ weight + bias`, one row of x for each digit:
#
# - `weight` is a Tensor of shape (inputs, outputs). Draw it from `rng`, a numpy generator, by `rng.normal`, with mean 0 and
#   standard deviation $\sqrt{2 / \text{inputs}}$. Then the numbers are about as large after a layer and relu as before.
# - `bias` is a Tensor of shape (outputs,), all zeros.
# - `parameters()` gives both, as a list.


# %%
class Linear:
    """A layer x @ weight + bias."""

    def __init__(self, inputs, outputs, rng):
        ### BEGIN SOLUTION: Linear.__init__: make self.weight and self.bias
        spread = np.sqrt(2 / inputs)
        self.weight = Tensor(rng.normal(0.0, spread, (inputs, outputs)))
        self.bias = Tensor(np.zeros(outputs))
        ### END SOLUTION

    def __call__(self, x):
        """Return the layer's result for a Tensor of shape (rows, inputs)."""
        ### BEGIN SOLUTION: Linear.__call__: x @ weight + bias
        return x @ self.weight + self.bias
        ### END SOLUTION

    def parameters(self):
        """Return a list of the layer's Tensors that learn."""
        ### BEGIN SOLUTION: Linear.parameters: both
        return [self.weight, self.bias]
        ### END SOLUTION


# %% tags=["demo"]
check("linear")

# %% [markdown]
# A *multi-layer perceptron* is several of them. `MLP([64, 32, 10], rng)` has two: 64 inputs to 32 **hidden units**, and
# these to 10 scores. `layers` is the list of them. A call goes through this list, with `relu()` between two layers.
# After the last layer there is none: scores may be negative. `parameters()` is one list, of all layers.


# %%
class MLP:
    """Linear layers with relu between them; sizes begin with the inputs and end with the scores."""

    def __init__(self, sizes, rng):
        ### BEGIN SOLUTION: MLP.__init__: make self.layers, one layer for each two neighbouring sizes
        self.layers = [Linear(inputs, outputs, rng) for inputs, outputs in zip(sizes, sizes[1:])]
        ### END SOLUTION

    def __call__(self, x):
        """Return the scores for a Tensor of shape (rows, inputs)."""
        ### BEGIN SOLUTION: MLP.__call__: through self.layers, relu between them
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)
        ### END SOLUTION

    def parameters(self):
        """Return one list of the parameters of all layers."""
        ### BEGIN SOLUTION: MLP.parameters: those of all layers
        return [parameter for layer in self.layers for parameter in layer.parameters()]
        ### END SOLUTION


# %% tags=["demo"]
check("mlp")

# %% [markdown]
# The graph of one batch of five digits, with its shapes. Is the first loss about what you expected?

# %% tags=["demo"]
model = MLP([64, 32, 10], np.random.default_rng(0))
loss = cross_entropy(model(Tensor(train_rows[:5])), train_labels[:5])
loss.backward()
print("loss of the first five digits", loss.data)
draw(loss)

# %% [markdown]
# ## 4. Is this gradient right?
#
# You can measure a gradient: move one entry up and down a little, and see how the loss moves.
#
# $$\text{gradient} \approx \frac{\text{loss}(x + h) - \text{loss}(x - h)}{2h}$$
#
# `numeric_gradient(loss_of, parameter, nudge)` does so for each entry of `parameter.data`, one at a time, and returns an
# array of its shape. `loss_of()` builds the loss anew and gives a Tensor that holds one number. Afterwards all entries
# are as before. `np.ndindex(shape)` goes through the places of an array.


# %%
def numeric_gradient(loss_of, parameter, nudge=1e-5):
    """Return the measured gradient of loss_of() for each entry of parameter.data; the entries stay as they were."""
    ### BEGIN SOLUTION: numeric_gradient: move each entry up and down, and divide the difference of the losses
    gradient = np.zeros(parameter.data.shape)
    for place in np.ndindex(parameter.data.shape):
        kept = parameter.data[place]
        parameter.data[place] = kept + nudge
        above = loss_of().data
        parameter.data[place] = kept - nudge
        below = loss_of().data
        parameter.data[place] = kept
        gradient[place] = (above - below) / (2 * nudge)
    return gradient
    ### END SOLUTION


# %% tags=["demo"]
check("numeric_gradient")

# %% [markdown]
# Three operations that somebody else wrote. The gradient of one of them is wrong, at some entries only. Run both cells.


# %% tags=["demo"]
def softplus(x):
    """log(1 + e to the x): relu with a round corner."""
    out = Tensor(np.log1p(np.exp(x.data)), (x,), "softplus")

    def _backward():
        x.grad += out.grad / (1 + np.exp(-x.data))

    out._backward = _backward
    return out


def huber(x):
    """Half of x squared from -1 to 1, outside |x| - 1/2."""
    near = np.abs(x.data) <= 1
    out = Tensor(np.where(near, x.data**2 / 2, np.abs(x.data) - 0.5), (x,), "huber")

    def _backward():
        x.grad += out.grad * np.where(near, x.data, 1.0)

    out._backward = _backward
    return out


def leaky(x):
    """Relu that lets a tenth of a negative number through."""
    out = Tensor(np.where(x.data > 0, x.data, x.data / 10), (x,), "leaky")

    def _backward():
        x.grad += out.grad * np.where(x.data > 0, 1.0, 0.1)

    out._backward = _backward
    return out


# %% tags=["demo"]
x = Tensor([[-2.5, -0.25, 0.75], [1.5, -1.25, 3.0]])
for operation in (softplus, huber, leaky):
    x.grad = np.zeros_like(x.data)
    operation(x).sum().backward()
    measured = numeric_gradient(lambda: operation(x).sum(), x)
    print(operation.__name__)
    print("  engine  ", x.grad.round(4).tolist())
    print("  measured", measured.round(4).tolist())

# %% [markdown]
# Which one is it, and for which entries of x?

# %%
### BEGIN SOLUTION: fill in both answers
# STUB: planted_operation = ...  # a name in quotes
# STUB: planted_entries = ...  # a list of the numbers of x at which its gradient is wrong
planted_operation = "huber"
planted_entries = [-2.5, -1.25]
### END SOLUTION

# %% tags=["demo"]
check("planted_bug")

# %% [markdown]
# ## 5. Training
#
# **Stochastic gradient descent** moves each parameter against its gradient. With **momentum** the moves of earlier steps
# go on: each parameter has a *velocity* of its own, of its shape, which starts at 0. In each `step()`:
#
# ```text
# velocity  becomes  momentum * velocity + gradient
# data      becomes  data - rate * velocity
# ```
#
# `zero_grad()` sets the gradients of all parameters to zeros, of their shapes. The velocities stay.


# %%
class SGD:
    """Gradient descent with momentum over some Tensors."""

    def __init__(self, parameters, rate, momentum=0.0):
        ### BEGIN SOLUTION: SGD.__init__: keep all three, and a velocity for each parameter
        self.parameters = list(parameters)
        self.rate = rate
        self.momentum = momentum
        self.velocities = [np.zeros_like(parameter.data) for parameter in self.parameters]
        ### END SOLUTION

    def step(self):
        """Move each parameter by its velocity."""
        ### BEGIN SOLUTION: SGD.step: the new velocity of each parameter, then its new data
        for i, parameter in enumerate(self.parameters):
            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad
            parameter.data = parameter.data - self.rate * self.velocities[i]
        ### END SOLUTION

    def zero_grad(self):
        """Set the gradient of each parameter to zeros."""
        ### BEGIN SOLUTION: SGD.zero_grad: zeros of the shape of the data
        for parameter in self.parameters:
            parameter.grad = np.zeros_like(parameter.data)
        ### END SOLUTION


# %% tags=["demo"]
check("sgd")

# %% tags=["demo"]
check("zero_grad")

# %% [markdown]
# A step uses the gradient of one **batch** of rows. `batches(count, size, rng)` puts the numbers 0 to count - 1 into a new
# order, drawn from `rng` (`rng.permutation`), and cuts it into arrays of `size` numbers. Each number is in one of them. The last
# array is shorter if count is no multiple of size. Return a list of arrays.


# %%
def batches(count, size, rng):
    """Return a list of arrays that share out 0 ... count - 1 in a random order, `size` numbers in each."""
    ### BEGIN SOLUTION: batches: a random order of all numbers, cut into pieces
    order = rng.permutation(count)
    return [order[start : start + size] for start in range(0, count, size)]
    ### END SOLUTION


# %% tags=["demo"]
check("batches")

# %% [markdown]
# `train` makes `passes` passes over the rows, each with new batches from your `batches`. For each batch it clears the
# gradients, calls the model with a Tensor of the batch's rows, gets the loss from your `cross_entropy`, goes backward, and
# steps. It returns a list with a number for each pass: the sum of its batches' losses, divided by the number of batches. A
# shorter last batch counts as much as the others.
#
# `accuracy` is the share of rows, from 0 to 1, whose largest score is at the label.


# %%
def train(model, optimizer, rows, labels, passes, size, rng):
    """Train the model in batches of this size; return the mean loss of each pass, a list of numbers."""
    ### BEGIN SOLUTION: train: passes over all batches, with the mean loss of each pass
    means = []
    for _ in range(passes):
        losses = []
        for batch in batches(len(rows), size, rng):
            optimizer.zero_grad()
            loss = cross_entropy(model(Tensor(rows[batch])), labels[batch])
            loss.backward()
            optimizer.step()
            losses.append(float(loss.data))
        means.append(sum(losses) / len(losses))
    return means
    ### END SOLUTION


def accuracy(model, rows, labels):
    """Return the share of rows, from 0 to 1, whose largest score is at their label."""
    ### BEGIN SOLUTION: accuracy: where is the largest score of each row, and how often is that the label?
    scores = model(Tensor(rows)).data
    return float((scores.argmax(axis=1) == labels).mean())
    ### END SOLUTION


# %% tags=["demo"]
check("train")

# %% tags=["demo"]
check("accuracy")

# %% [markdown]
# Now the network learns. Over forty seeds, the share of held-out digits that it read was from 0.966 to 0.990; 0.9 is
# asked for.

# %% tags=["demo"]
rng = np.random.default_rng(0)
model = MLP([64, 32, 10], rng)
start = time.perf_counter()
losses = train(model, SGD(model.parameters(), 0.1, 0.9), train_rows, train_labels, 15, 50, rng)
print(f"15 passes in {time.perf_counter() - start:.2f} s")
print("losses", [round(loss, 3) for loss in losses])
print("accuracy, trained on", accuracy(model, train_rows, train_labels))
print("accuracy, held out  ", accuracy(model, test_rows, test_labels))

# %% tags=["demo"]
check("learns")

# %% [markdown]
# One that it reads wrongly. Would you have known?

# %% tags=["demo"]
guesses = model(Tensor(test_rows)).data.argmax(axis=1)
for wrong in np.flatnonzero(guesses != test_labels)[:1]:
    show(test_rows[wrong])
    print(f"label {test_labels[wrong]}, the network says {guesses[wrong]}")

# %% [markdown]
# ## 6. Reading a run
#
# Without an error, nothing but the losses says what is wrong. Three runs of the training above, each with one change,
# and the mean loss of the first five passes:
#
# | | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|
# | run 1 | 2.330 | 2.306 | 2.306 | 2.299 | 2.296 |
# | run 2 | 107.1 | 4.526 | 4.019 | 3.977 | 3.349 |
# | run 3 | 7.257 | 12.05 | 42.20 | 92.61 | 128.4 |
#
# The changes: **A** the rate is 10. **B** `zero_grad` is never called. **C** the labels stand in another order than the
# rows. Which letter belongs to which run?
#
# First compare with `first_loss`, the loss of knowing nothing. `no_worse`: in which run, 1, 2 or 3, is the loss of the last
# pass no larger?

# %%
### BEGIN SOLUTION: fill in the number and the three letters
# STUB: no_worse = ...  # a number
# STUB: run_1 = ...  # a letter in quotes
# STUB: run_2 = ...  # a letter in quotes
# STUB: run_3 = ...  # a letter in quotes
no_worse = 1
run_1 = "C"
run_2 = "A"
run_3 = "B"
### END SOLUTION

# %% tags=["demo"]
check("runs")

# %% [markdown]
# On day 4 you met the dead relu. A hidden unit is dead if relu gives 0 for **all** rows. `dead_units(model, rows)` counts
# those of the first layer.


# %%
def dead_units(model, rows):
    """Return how many units of the first layer are 0, after relu, for all rows."""
    ### BEGIN SOLUTION: dead_units: the first layer and relu, then the columns without any positive number
    hidden = model.layers[0](Tensor(rows)).relu().data
    return int((hidden == 0).all(axis=0).sum())
    ### END SOLUTION


# %% tags=["demo"]
check("dead_units")

# %% [markdown]
# A network whose loss does not fall. Nothing in your code is wrong, and neither are rate, rows and labels. Look at what
# the second cell prints.

# %% tags=["demo"]
rng = np.random.default_rng(0)
stuck = MLP([64, 32, 10], rng)
stuck.layers[0].bias.data -= 20.0
losses = train(stuck, SGD(stuck.parameters(), 0.1, 0.9), train_rows, train_labels, 5, 50, rng)
print("losses", [round(loss, 2) for loss in losses])

# %% tags=["demo"]
print("dead units:", dead_units(stuck, train_rows))
for i, layer in enumerate(stuck.layers):
    for name in ("weight", "bias"):
        print(f"layer {i}, largest gradient of {name}: {np.abs(getattr(layer, name).grad).max():.3f}")

# %% [markdown]
# `stuck_dead`: the number of dead units. `stuck_reason`: why does the loss stay?
#
# - A: the scores are all 0, so cross-entropy has no gradient
# - B: the gradients are so large that each step jumps over the goal
# - C: whatever the digit, the hidden units are 0; only the last bias learns, and it gives all digits the same scores
# - D: momentum carries the weights back after each step

# %%
### BEGIN SOLUTION: fill in both answers
# STUB: stuck_dead = ...  # a number
# STUB: stuck_reason = ...  # a letter in quotes
stuck_dead = 32
stuck_reason = "C"
### END SOLUTION

# %% tags=["demo"]
check("stuck")

# %% [markdown]
# ## Quiz
#
# 1. `quiz_velocity`: the gradient of a parameter is 2 in every step, and momentum is 0.9. Towards which number does its
#    velocity go?
# 2. `quiz_held_out`: the loss of the training rows still falls, and the accuracy on held-out rows gets worse. What
#    happens?
#    - A: the rate is too small
#    - B: the network learns its training rows by heart, their accidents included
#    - C: the held-out rows are trained on too rarely
#    - D: the gradients vanish
# 3. `quiz_zeros`: all weights and biases of an MLP start at 0. What happens in training?
#    - A: the same as with small random weights
#    - B: the first loss is infinite
#    - C: only the last bias ever gets a gradient other than 0
#    - D: all weights get the same gradient, other than 0, and stay equal
# 4. `quiz_linear`: without relu between its layers, what can an MLP of two layers compute?
#    - A: what one linear layer can
#    - B: the same as with relu, but slower
#    - C: nothing: the gradients vanish
#    - D: only positive scores

# %%
### BEGIN SOLUTION: fill in the quiz
# STUB: quiz_velocity = ...  # a number
# STUB: quiz_held_out = ...  # a letter in quotes
# STUB: quiz_zeros = ...  # a letter in quotes
# STUB: quiz_linear = ...  # a letter in quotes
quiz_velocity = 20
quiz_held_out = "B"
quiz_zeros = "C"
quiz_linear = "A"
### END SOLUTION

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | scores | what the last layer gives, one for each class |
# | softmax | powers of e of the scores, divided by their sum |
# | cross-entropy | the mean of -log of the share of the right class |
# | parameters | the Tensors that training changes |
# | batch | the rows of one step |
# | pass | one time through all rows, also called *epoch* |
# | momentum | the share of a velocity that is left in the next step |
# | held out | kept away from training, to judge it |
#
# This is the last day. Everything that your network uses, from `a * b` on day 1 to the training loop, is your own.

# %% [markdown]
# # Day 6: tensors
#
# On [day 4](../day4/README.md) a network was a graph of single numbers. Today a node holds an array. The walk stays
# the same; new is what happens to *shapes*.
#
# - **Do first:** sections 1 to 3, 46 of the 100 points.
# - **Then:** sections 4 to 6, matrix products, sums and the other rules: 37 more. Day 7 needs all of them.
# - **If there is time:** section 7, where your two engines meet; the traps and the quiz.
# - **With care:** a gradient has the shape of its data. numpy stretches arrays without a word.
# - **Another day:** the topological sort is [day 3](../day3/README.md)'s, losses and training are
#   [day 7](../day7/README.md)'s.
#
# A cell that stops with `NotImplementedError` says what to write in the place of that line.

# %%
import numpy as np

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. Shapes on paper
#
# numpy *broadcasts*: it lines the shapes up at the right. An axis that is missing, or has length 1, is repeated until
# it fits. Two lengths that differ, with neither 1, are an error. For the matrix product `@` nothing is repeated: the inner
# two lengths have to be equal, and they are gone.
#
# ```text
#   (2, 4)      (2, 1)
# +    (4,)   * (1, 4)
#   ------      ------
#   (2, 4)      (2, 4)
# ```
#
# Which shape has each result? Paper first. Write a tuple of numbers, or `"error"` where numpy raises one.


# %%
### BEGIN SOLUTION: fill in the five shapes
# STUB: shape_a = ...  # (6, 1) + (5,)
# STUB: shape_b = ...  # (4, 6, 1) + (6, 5)
# STUB: shape_c = ...  # (6, 5) + (6,)
# STUB: shape_d = ...  # (7, 1, 5) * (6, 1)
# STUB: shape_e = ...  # (6, 5) @ (5, 8)
shape_a = (6, 5)
shape_b = (4, 6, 5)
shape_c = "error"
shape_d = (7, 6, 5)
shape_e = (6, 8)
### END SOLUTION

# %% tags=["demo"]
check("shapes")

# %% [markdown]
# A repeated entry is used several times. As with `a + a` on day 2, its gradient is the **sum over its uses**.
#
# *stretch*: the sum of all entries of (A + b) · C. Here b is one row for both rows of A:
#
# ```text
# A = 1  2  3    b = 10  20  30    C = 1  -2  0.5
#     4  5  6                          3   1   -1
# ```
#
# *row × column*: the sum of all entries of (P · Q) · W, where P is a column and Q a row:
#
# ```text
# P =  2    Q = 1  3  -2    W =  1  0    2
#     -1                        -1  4  0.5
# ```
#
# The gradient of the sum is 1 everywhere, so the upstream gradient of A + b is C, and that of P · Q is W. A gets C as
# it is. And b, P and Q? Write lists of the shape of their data: a row is `[1, 2, 4]`, a matrix `[[1, 2, 4], [8, 5, 6]]`.

# %%
### BEGIN SOLUTION: fill in the three gradients
# STUB: stretch_b = ...  # 3 numbers
# STUB: column_P = ...  # 2 rows of 1 number
# STUB: row_Q = ...  # 1 row of 3 numbers
stretch_b = [4, -1, -0.5]
column_P = [[-3], [10]]
row_Q = [[3, -4, 3.5]]
### END SOLUTION

# %% tags=["demo"]
check("broadcast_grads")

# %% [markdown]
# ## 2. unbroadcast
#
# Now as a function. `grad` has the shape of a result, `shape` is the shape of one input. Return `grad` summed over
# everything that was repeated, so that it has this shape:
#
# - Axes that the input lacks are at the left: sum over them, and they are gone.
# - An axis of length 1 was repeated: sum over it, and it stays, with length 1 (`keepdims=True`).


# %%
def unbroadcast(grad, shape):
    """Return `grad` summed over what broadcasting repeated: an array of this shape."""
    ### BEGIN SOLUTION: unbroadcast: sum over added axes, and over axes of length 1
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
    ### END SOLUTION


# %% tags=["demo"]
upstream = np.array([[2, -1, 0.5, 1], [4, 1, -3, 8]])
for shape in [(2, 4), (4,), (1, 4), (2, 1), (1, 1), ()]:
    try:
        print(f"{shape!s:7} {unbroadcast(upstream, shape).tolist()}")
    except NotImplementedError:
        print(f"{shape!s:7} is still to write")

# %% tags=["demo"]
check("unbroadcast")

# %% [markdown]
# ## 3. The class
#
# The forward pass is given: one line of numpy each. `grad` starts as zeros of the shape of `data`. Subtraction and
# division are made of the others. You write the `_backward` closures, here first those of `+` and `*`, and `backward`:
#
# - `+` and `*` have day 2's rules, entry by entry, **and then** `unbroadcast`. numpy's `*` multiplies entry by entry.
# - Add with `+=`. Day 2's trap is the same: x may be used twice.
# - `backward`: your sort of day 3; the inputs are in `_prev`. The seed has the shape of the root: `np.ones_like`.
#
# The other closures belong to the next sections.


# %%
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
            ### BEGIN SOLUTION: Tensor.__add__: the gradients of self and other
            self.grad += unbroadcast(out.grad, self.data.shape)
            other.grad += unbroadcast(out.grad, other.data.shape)
            ### END SOLUTION

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data * other.data, (self, other), "*")

        def _backward():
            ### BEGIN SOLUTION: Tensor.__mul__: the gradients of self and other
            self.grad += unbroadcast(other.data * out.grad, self.data.shape)
            other.grad += unbroadcast(self.data * out.grad, other.data.shape)
            ### END SOLUTION

        out._backward = _backward
        return out

    def backward(self):
        """Fill in the gradient of every tensor that this one is made of."""
        ### BEGIN SOLUTION: Tensor.backward: sort, seed, call every _backward
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
        ### END SOLUTION

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other), "@")

        def _backward():
            ### BEGIN SOLUTION: Tensor.__matmul__: the gradients of self and other (section 4)
            self.grad += out.grad @ other.data.T
            other.grad += self.data.T @ out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,), "sum")

        def _backward():
            ### BEGIN SOLUTION: Tensor.sum: the gradient of self (section 5)
            grad = out.grad
            if axis is not None and not keepdims:
                grad = np.expand_dims(grad, axis)
            self.grad += grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        ### BEGIN SOLUTION: Tensor.mean: made of sum and * (section 5)
        total = self.sum(axis=axis, keepdims=keepdims)
        return total * (total.data.size / self.data.size)
        ### END SOLUTION

    def __pow__(self, n):
        out = Tensor(self.data**n, (self,), f"**{n}")

        def _backward():
            ### BEGIN SOLUTION: Tensor.__pow__: the gradient of self, for a plain number n (section 6)
            self.grad += n * self.data ** (n - 1) * out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,), "exp")

        def _backward():
            ### BEGIN SOLUTION: Tensor.exp: the gradient of self (section 6)
            self.grad += out.data * out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def log(self):
        out = Tensor(np.log(self.data), (self,), "log")

        def _backward():
            ### BEGIN SOLUTION: Tensor.log: the gradient of self (section 6)
            self.grad += out.grad / self.data
            ### END SOLUTION

        out._backward = _backward
        return out

    def tanh(self):
        out = Tensor(np.tanh(self.data), (self,), "tanh")

        def _backward():
            ### BEGIN SOLUTION: Tensor.tanh: the gradient of self (section 6)
            self.grad += (1 - out.data**2) * out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(self.data, 0), (self,), "relu")

        def _backward():
            ### BEGIN SOLUTION: Tensor.relu: the gradient of self (section 6)
            self.grad += (self.data > 0) * out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def __getitem__(self, rows):
        out = Tensor(self.data[rows], (self,), "[]")

        def _backward():
            ### BEGIN SOLUTION: Tensor.__getitem__: the gradient of self (section 6)
            np.add.at(self.grad, rows, out.grad)
            ### END SOLUTION

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


# %% [markdown]
# After a change of the class, run all cells below it again. The check of an operation calls its `_backward` itself:
# it does not need your `backward`. If your `unbroadcast` is not right yet, it tries a right one.

# %% tags=["demo"]
check("add")

# %% tags=["demo"]
check("multiply")

# %% tags=["demo"]
check("backward")

# %% [markdown]
# *stretch*, by your engine. `draw` shows the shape of every node; the data and the gradient of a node always have the
# same one.

# %% tags=["demo"]
A = Tensor([[1, 2, 3], [4, 5, 6]], label="A")
b = Tensor([10, 20, 30], label="b")
C = Tensor([[1, -2, 0.5], [3, 1, -1]], label="C")
weighted = (A + b) * C
weighted.backward()
draw(weighted)

# %% [markdown]
# ## 4. Matrix products
#
# In C = A @ B, row i of A meets column j of B: C[i, j] is the sum over k of A[i, k] · B[k, j]. So A[i, k] is used in
# all of row i of C, each time with another factor. All its contributions together are again a matrix product.
#
# Find it by the shapes. A is (2, 3), B is (3, 4), and the upstream gradient G is (2, 4). Which product of G with B
# has the shape of A? Which product with A has the shape of B? `.T` swaps rows and columns: here `B.data.T` is (4, 3).
#
# Write the closure of `__matmul__`. Both are matrices, so nothing is broadcast.

# %% tags=["demo"]
check("matmul")

# %% [markdown]
# **Square matrices do not tell.** With A, B and G all 2 × 2, a wrong product runs, and only the numbers are wrong.
# *square*: the sum of all entries of (A @ B) · D, where
#
# ```text
# A = 1  2    B =   1  -1    D =  1    2
#     3  4        0.5   2        -1  0.5
# ```
#
# On paper: what is the gradient of A, and what would a closure without the transpose, `G @ B`, give for it?

# %%
### BEGIN SOLUTION: fill in the two matrices
# STUB: square_A = ...  # 2 rows of 2 numbers
# STUB: square_A_without_transpose = ...  # 2 rows of 2 numbers
square_A = [[-1, 4.5], [-1.5, 0.5]]
square_A_without_transpose = [[2, 3], [-0.75, 2]]
### END SOLUTION

# %% tags=["demo"]
check("square")

# %% [markdown]
# ## 5. Sums and means
#
# A sum uses each entry once, with the factor 1. So each entry gets the upstream gradient of the sum that it went into.
# That gradient has fewer axes, and has to be stretched back:
#
# - `x.sum()`: one number for all entries. numpy stretches it by itself.
# - `x.sum(axis=1, keepdims=True)`: the summed axis is still there, with length 1. numpy stretches that, too.
# - `x.sum(axis=1)`: the axis is gone. Put it back first: `np.expand_dims(grad, axis)`.
#
# A mean is a sum divided by how many entries went into it. Make it of `sum` and `*`; it needs no closure.

# %% tags=["demo"]
check("sums")

# %% tags=["demo"]
check("means")

# %% [markdown]
# ## 6. One input, and rows
#
# The rules of day 4, entry by entry: upstream times local derivative. The shapes are equal, so there is nothing to sum.
#
# | out | local derivative |
# |---|---|
# | `x ** n`, n a plain number | n · xⁿ⁻¹ |
# | `x.exp()` | out |
# | `x.log()` | 1 / x |
# | `x.tanh()` | 1 - out² |
# | `x.relu()` | 1 where x > 0, else 0 |

# %% tags=["demo"]
check("one_input")

# %% [markdown]
# `E[[0, 2, 0]]` is a tensor of three rows of E: the first, the third, the first again. This is how a network looks words
# up in a table. Each row of the gradient goes back to the row that it came from, and row 0 gets two.
#
# `self.grad[rows] += g` adds only one of them: numpy computes all right sides first and then stores them, so the last one
# stands. It is the `+=` trap once more. `np.add.at(array, rows, g)` adds each of them.

# %% tags=["demo"]
check("rows")

# %% [markdown]
# ## 7. Two engines, one graph
#
# Day 2's neuron, in tensors: o = tanh(x @ w + b). The gradients have to be day 2's: x = -1.5 and 0.5, w = 1 and 0,
# b = 0.5.

# %% tags=["demo"]
x = Tensor([[2.0, 0.0]], label="x")
w = Tensor([[-3.0], [1.0]], label="w")
b = Tensor(6.8813735870195432, label="b")
o = (x @ w + b).tanh()
o.backward()
draw(o)

# %% [markdown]
# A layer of a thousand such neurons, once with your scalar engine and once with today's. If the notebook of day 4 is
# elsewhere, change the path.

# %% tags=["demo"]
import contextlib
import io
import json
import time
from pathlib import Path

day4 = Path("../day4/day4_engine.ipynb")


def value_of(notebook):
    """The class Value of a notebook, whose cells run in a place of their own; demo cells are left out."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "day4"}
    for cell in cells:
        if cell["cell_type"] != "code" or cell["metadata"].get("tags"):
            continue
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            exec("".join(cell["source"]), names)
    return names.get("Value")


def timed(function):
    """The result of a function, and how long it took in seconds."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


numbers = np.random.default_rng(0)
weights, biases = numbers.normal(size=(2, 1000)), numbers.normal(size=1000)


def in_tensors():
    """The gradient of the weights of a thousand neurons: an array of shape (2, 1000)."""
    w = Tensor(weights)
    (Tensor([[2.0, -1.0]]) @ w + Tensor(biases)).tanh().sum().backward()
    return w.grad


def in_scalars(Value):
    """The same, neuron by neuron."""
    grads = np.zeros_like(weights)
    for i in range(1000):
        w1, w2 = Value(weights[0, i]), Value(weights[1, i])
        (w1 * 2.0 + w2 * -1.0 + Value(biases[i])).tanh().backward()
        grads[:, i] = w1.grad, w2.grad
    return grads


mine, seconds = timed(in_tensors)
print(f"tensors: {seconds * 1000:.2f} ms")
if not day4.is_file():
    print(f"There is no {day4} here.")
elif (Value := value_of(day4)) is None:
    print(f"{day4} defines no Value yet.")
else:
    try:
        theirs, long = timed(lambda: in_scalars(Value))
    except NotImplementedError:
        print(f"{day4} is not filled in yet.")
    else:
        print(f"scalars: {long * 1000:.2f} ms, {long / seconds:.0f} times as long")
        print("the gradients are", "equal" if np.allclose(mine, theirs) else "different")

# %% [markdown]
# The rules are the same, and so are the numbers. What is faster is that numpy's loops run in compiled code.

# %% tags=["demo"]
check("neuron")

# %% [markdown]
# PyTorch's tensors broadcast as numpy's arrays do. The checks compare whole expressions with its gradients.


# %% tags=["verify"]
def stretched(A, b, C):
    return (((A + b) * C).tanh() / 2 - A.mean(axis=0, keepdims=True)).sum()


try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    arrays = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.5, -1.0, 2.0], [[1.0, -2.0, 0.5], [3.0, 1.0, -1.0]]
    own = [Tensor(array) for array in arrays]
    theirs = [torch.tensor(array, dtype=torch.float64, requires_grad=True) for array in arrays]
    stretched(*own).backward()
    stretched(*theirs).backward()
    for name, one, other in zip("AbC", own, theirs):
        same = one.grad.shape == other.grad.shape and np.allclose(one.grad, other.grad)
        print(f"{name}: {'agrees' if same else 'differs'}")

# %% tags=["demo"]
check("pytorch_parity")

# %% [markdown]
# ## 8. Seven traps
#
# Every one of these runs without an error. What comes out? Think first, then try it in a cell of your own.
#
# 1. A closure of + forgets `unbroadcast` and says `b.grad = b.grad + out.grad`. b has the shape (4,), out (8, 4).
#    How many numbers does `b.grad` hold then? `trap_size`
# 2. A closure sums with `axis=1` and without `keepdims`, so the gradient of a column p of shape (2, 1) has the shape (2,).
#    Which shape has `p.data - 0.1 * grad`? `trap_lost_axis`
# 3. `x.grad = out.grad` and `y.grad = out.grad`: one array with three names. `out.grad` is `[1.0, 2.0]`. Then x gets a
#    second contribution: `x.grad += np.array([10.0, 20.0])`. What is `y.grad`? `trap_one_array`
# 4. The gradient of whole numbers: `grad = np.zeros_like(np.array([1, 2, 4]))`, then `grad[:] = [0.5, 2.5, -1.5]`.
#    What does `grad` hold? `trap_integers`
# 5. x = [1, -2, 3], and the sum of 2·(x·x) + x is the root. All closures assign with `=` in the place of `+=`. What is
#    `x.grad` after the backward pass? `trap_assigned`
# 6. The mean of (x - t)² for four entries, x = [1, -2, 3, 0] and t = [0, 1, 1, -2]. A `mean` with a
#    closure of its own forgets to divide there. What is `x.grad`? `trap_mean`
# 7. `rows = [0, 2, 0]`, all of `grad` is 1, its shape is (3, 2), and g = `[[1, 10], [2, 20], [3, 30]]`. What is row 0 of
#    `grad` after `grad[rows] += g`? `trap_rows`

# %%
### BEGIN SOLUTION: fill in the seven traps
# STUB: trap_size = ...  # a number
# STUB: trap_lost_axis = ...  # a tuple
# STUB: trap_one_array = ...  # a list of 2 numbers
# STUB: trap_integers = ...  # a list of 3 numbers
# STUB: trap_assigned = ...  # a list of 3 numbers
# STUB: trap_mean = ...  # a list of 4 numbers
# STUB: trap_rows = ...  # a list of 2 numbers
trap_size = 32
trap_lost_axis = (2, 2)
trap_one_array = [11, 22]
trap_integers = [0, 2, -1]
trap_assigned = [2, -4, 6]
trap_mean = [2, -6, 4, 4]
trap_rows = [4, 31]
### END SOLUTION

# %% tags=["demo"]
check("traps")

# %% [markdown]
# ## Quiz
#
# 1. `quiz_uses`: a bias of shape (10,) is added to a batch of shape (32, 10). How many contributions does each entry of
#    its gradient collect?
# 2. `quiz_seed`: the root has the shape (2, 3), and `backward` seeds it with ones. What are the gradients then?
#    - A: those of each of the six entries, in one array
#    - B: those of the sum of the six entries
#    - C: those of the mean of the six entries
#    - D: those of the first entry
# 3. `quiz_sum`: one bias row is added to a batch of 32 rows. Why is its gradient a sum over the batch?
#    - A: because the loss is a sum over the batch
#    - B: to give the gradient the shape of the bias; the mean would do as well
#    - C: because each row of the batch is a use of the same entry, and contributions of uses add up
#    - D: because numpy's broadcasting sums
# 4. `quiz_transpose`: A is (2, 3), B is (3, 3), C = A @ B, and the upstream gradient is G. A closure computes
#    `G @ B.data` for A. What happens?
#    - A: numpy raises an error, since the shapes do not fit
#    - B: it runs, and the gradient has a wrong shape
#    - C: it runs, and is right as well
#    - D: it runs, with the right shape and wrong numbers

# %%
### BEGIN SOLUTION: fill in the quiz
# STUB: quiz_uses = ...  # a number
# STUB: quiz_seed = ...  # a letter in quotes
# STUB: quiz_sum = ...  # a letter in quotes
# STUB: quiz_transpose = ...  # a letter in quotes
quiz_uses = 32
quiz_seed = "B"
quiz_sum = "C"
quiz_transpose = "D"
### END SOLUTION

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | tensor | an array that is a node of a graph |
# | shape | the lengths of an array's axes, as a tuple |
# | broadcasting | numpy's repeating of missing axes, and of axes of length 1 |
# | unbroadcast | to sum a gradient over what was repeated |
# | elementwise | entry by entry, as `+`, `*`, `exp` |
# | transpose | rows and columns swapped, `.T` |
#
# Next: [day 7](../day7/README.md), where this engine learns to read digits.

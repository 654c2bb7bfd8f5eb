# %% [markdown]
# # Day 4: the engine in thirty lines
#
# For three days you have built the parts. Today you write the whole engine once more, from nothing,
# in one class: `+ * - / **`, `exp`, `tanh`, `relu`, and a `backward` that finds its own order. Then
# you train with it, and find out why gradients vanish and explode.
#
# - **Do first:** section 1 and the first four steps of section 2: `__init__`, `+`, `×` and
#   `backward`. Everything else rests on them.
# - **Then:** the other operations, one at a time, each with the cell that tries it out. They carry
#   half of the points. After them sections 4 and 5, in which the engine learns something.
# - **If there is time:** the comparison with PyTorch in section 3 (nothing to write, worth a run),
#   and the network at the end of section 5.
# - **With care:** `number - value` and `number / value`, whose sides cannot be exchanged; the
#   divisor's gradient; `+=` in every closure; and section 4, which is about a mistake that raises no
#   error.
# - **Another day:** how the order of the backward pass is found is
#   [day 3, the day before](../day3/README.md). An engine without closures, which keeps numbers in
#   their place, is [day 5, the day after](../day5/README.md).
#
# How to work: the class is one cell. Fill in a method, run the class's cell, then run the cell that
# tries the method, and go back. A cell that stops with `NotImplementedError` is waiting for you. In
# a terminal, `grade day4` tells you how far you are.

# %%
import math

# %% [markdown]
# ## 1. What each operation owes
#
# An operation does two things. Forward, it computes a number and remembers its inputs. Backward, it
# adds to the gradient of each input **upstream gradient times local derivative**. So all that
# tells one operation from another is its local derivatives. Here they are, with `out` for the
# operation's result:
#
# | Operation | out | local derivative for x | local derivative for y |
# |---|---|---|---|
# | sum | x + y | 1 | 1 |
# | product | x · y | y | x |
# | difference | x - y | 1 | -1 |
# | quotient | x / y | 1 / y | -x / y² |
# | power, n a plain number | xⁿ | n · xⁿ⁻¹ | |
# | negation | -x | -1 | |
# | exponential | eˣ | eˣ, which is out | |
# | tanh | tanh x | 1 - tanh² x, which is 1 - out² | |
# | relu | x if x > 0, else 0 | 1 if x > 0, else 0 | |
#
# Two of them deserve a second look before you write them. If the divisor grows, the quotient gets
# smaller: that is the minus in -x / y². And the slope of a power has the exponent twice, as a factor
# in front and, one smaller, above.
#
# There are two ways to subtract and to divide. One gives `-` and `/` closures of their own, from the
# table. The other builds them from what is there already: x - y is x + (-1)·y, and x / y is x · y⁻¹.
# Both are right, and both get full marks. The second is shorter; in the first, an error stays where
# it was made.
#
# **Numbers on either side.** In `value - 3` the value stands on the left, and Python calls
# `value.__sub__(3)`: turn the 3 into a `Value` first. In `3 - value` the 3 is a plain number that
# knows nothing of your class, so Python calls `value.__rsub__(3)`, the *reflected* method, with the
# number as its argument. For + and × the sides may be exchanged. For - and / they may not.

# %% [markdown]
# ## 2. The class, one method at a time
#
# Write the methods in this order, and try each as soon as it stands:
#
# 1. `__init__` keeps the number in `data`, starts `grad` at 0, and keeps what the value was made
#    from. The names `data`, `grad` and `backward` are the ones that the checks use. How you keep the
#    inputs, in a set, a tuple or otherwise, is up to you. `__repr__` gives the text that you see when
#    you print a value; it is for your eyes alone.
# 2. `__add__` and `__mul__`, then `__radd__` and `__rmul__`.
# 3. `backward`: list every node once, inputs before what uses them; seed `self`; call each
#    `_backward` from the end of the list. It is day 3's function, written again. It leaves the
#    gradients that are already there alone.
# 4. Run the first two cells below the class.
# 5. `-`, `/`, `**`, `exp`, `tanh`, `relu`: one at a time, each with the cell that tries it.
#
# The skeleton has one block per method. You may arrange the class as you like, as long as the
# operators, `exp`, `tanh`, `relu`, `backward`, `data` and `grad` are there.


# %%
class Value:
    """A number that remembers what it was made from and collects its gradient."""

    def __init__(self, data, children=(), op=""):
        ### BEGIN SOLUTION: Value.__init__: keep data and inputs, start grad at 0
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(children)
        self._op = op
        ### END SOLUTION

    def __repr__(self):
        ### BEGIN SOLUTION: Value.__repr__: show data and grad
        return f"Value({self.data}, grad {self.grad})"
        ### END SOLUTION

    def __add__(self, other):
        ### BEGIN SOLUTION: Value.__add__: self + other, forward and backward
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def __radd__(self, other):
        ### BEGIN SOLUTION: Value.__radd__: other + self, where other is a plain number
        return self + other
        ### END SOLUTION

    def __mul__(self, other):
        ### BEGIN SOLUTION: Value.__mul__: self * other, forward and backward
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def __rmul__(self, other):
        ### BEGIN SOLUTION: Value.__rmul__: other * self, where other is a plain number
        return self * other
        ### END SOLUTION

    def backward(self):
        ### BEGIN SOLUTION: Value.backward: sort the graph, seed self, call every _backward
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
        ### END SOLUTION

    def __neg__(self):
        ### BEGIN SOLUTION: Value.__neg__: -self, forward and backward
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad -= out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def __sub__(self, other):
        ### BEGIN SOLUTION: Value.__sub__: self - other, forward and backward
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def __rsub__(self, other):
        ### BEGIN SOLUTION: Value.__rsub__: other - self, where other is a plain number
        return Value(other) - self
        ### END SOLUTION

    def __truediv__(self, other):
        ### BEGIN SOLUTION: Value.__truediv__: self / other, forward and backward
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
        ### END SOLUTION

    def __rtruediv__(self, other):
        ### BEGIN SOLUTION: Value.__rtruediv__: other / self, where other is a plain number
        return Value(other) / self
        ### END SOLUTION

    def __pow__(self, n):
        ### BEGIN SOLUTION: Value.__pow__: self ** n for a plain number n, forward and backward
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def exp(self):
        ### BEGIN SOLUTION: Value.exp: forward and backward
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def tanh(self):
        ### BEGIN SOLUTION: Value.tanh: forward and backward
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION

    def relu(self):
        ### BEGIN SOLUTION: Value.relu: forward and backward
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad

        out._backward = _backward
        return out
        ### END SOLUTION


# %% [markdown]
# The next cell needs nothing of yours. `measure` finds each slope without any closure, with plain
# numbers: it moves one number up a little, then down a little, and looks at the result. `compare`
# sets your engine beside it. Read every row: an operation can be right for its left input and wrong
# for its right one.

# %% tags=["demo"]


class Plain(float):
    """A plain number that has exp, tanh and relu as well, to measure slopes with."""

    def exp(self):
        return Plain(math.exp(self))

    def tanh(self):
        return Plain(math.tanh(self))

    def relu(self):
        return Plain(max(0.0, self))


def stays_plain(operator):
    """The same operator of float, with a Plain as its result."""
    return lambda *numbers: Plain(operator(*numbers))


for name in ("add", "radd", "mul", "rmul", "sub", "rsub", "truediv", "rtruediv", "pow", "neg"):
    setattr(Plain, f"__{name}__", stays_plain(getattr(float, f"__{name}__")))


def measure(build, numbers, nudge=1e-5):
    """The slope of `build(*numbers)` for each of the numbers, by moving it a little."""
    slopes = []
    for place in range(len(numbers)):
        up, down = list(numbers), list(numbers)
        up[place] += nudge
        down[place] -= nudge
        slopes.append((build(*map(Plain, up)) - build(*map(Plain, down))) / (2 * nudge))
    return slopes


def verdict(mine, measured):
    """Whether two numbers agree as far as measuring can tell."""
    agrees = math.isclose(mine, measured, rel_tol=1e-4, abs_tol=1e-6)
    return f"yours {mine:g}, measured {measured:.5g}: {'agrees' if agrees else 'differs'}"


def compare(text, build, *numbers):
    """Print your value and gradients beside the measured ones for one expression."""
    leaves = [Value(number) for number in numbers]
    root = build(*leaves)
    root.backward()
    print(f"{text}: {verdict(root.data, build(*map(Plain, numbers)))}")
    for leaf, number, slope in zip(leaves, numbers, measure(build, numbers), strict=True):
        print(f"   gradient at {number:g}: {verdict(leaf.grad, slope)}")


# %% [markdown]
# **Sum, product, `backward`.** The second row uses a number on the left, the third uses one value
# twice, and in the last an inner node is used twice at different depths, which is where a wrong order
# shows.

# %% tags=["demo"]
compare("a + b", lambda a, b: a + b, 2.0, -3.0)
compare("3 * a + 1", lambda a: 3 * a + 1, 2.0)
compare("a * a", lambda a: a * a, 3.0)
compare("(a*b + c) * (a + b)", lambda a, b, c: (a * b + c) * (a + b), 2.0, -3.0, 10.0)


def reuse(a):
    b = 3 * a
    c = a + b
    return b * c


compare("reuse", reuse, 2.0)

# %% [markdown]
# **Many terms.** Python's `sum` begins with the plain number 0 and adds one term after the other, so
# its first step is `0 + value`: a number on the left.

# %% tags=["demo"]
compare("sum([a, b, a])", lambda a, b: sum([a, b, a]), 2.0, 5.0)

# %% [markdown]
# **Difference and negation.** In `10 - a` the number stands on the left, and the sides must not be
# exchanged: the value would have the wrong sign, and so would the gradient.

# %% tags=["demo"]
compare("a - b", lambda a, b: a - b, 5.0, 3.0)
compare("a - (b - a)", lambda a, b: a - (b - a), 5.0, 3.0)
compare("10 - a", lambda a: 10 - a, 4.0)
compare("-a + a*b", lambda a, b: -a + a * b, 2.0, 3.0)

# %% [markdown]
# **Quotient.** Read the divisor's row with care: its sign, and its size.

# %% tags=["demo"]
compare("a / b", lambda a, b: a / b, 6.0, 2.0)
compare("a / (b / c)", lambda a, b, c: a / (b / c), 6.0, 2.0, -4.0)
compare("10 / a", lambda a: 10 / a, 4.0)

# %% [markdown]
# **Power.** The exponent is a plain number. It may be negative or a fraction.

# %% tags=["demo"]
compare("a ** 3", lambda a: a**3, 2.0)
compare("(3*a) ** 3 + (3*a) ** 2", lambda a: (3 * a) ** 3 + (3 * a) ** 2, 2.0)
compare("a ** -2", lambda a: a**-2, 2.0)
compare("a ** 0.5", lambda a: a**0.5, 9.0)

# %% [markdown]
# **exp, tanh, relu.** Each of them is tried with an upstream gradient that is not 1, and beside the
# value that it takes: a forgotten upstream and a forgotten `+=` do not show otherwise. Where an input
# of relu is negative nothing comes back, whatever arrives from upstream.

# %% tags=["demo"]
compare("3 * exp(a)", lambda a: 3 * a.exp(), 0.5)
compare("exp(a) + a", lambda a: a.exp() + a, 0.5)
compare("2 * tanh(a)", lambda a: 2 * a.tanh(), 0.5)
compare("tanh(a) + a", lambda a: a.tanh() + a, 0.5)
compare("-3 * relu(a)", lambda a: -3 * a.relu(), 2.0)
compare("relu(a) + a", lambda a: a.relu() + a, -2.0)

# %% [markdown]
# ## 3. Two graphs with relu, and PyTorch
#
# Predict before you run. In the *relu chain* `s = x ** 2`, `m = 3 * s`, `y = relu(m)`, with x = 2:
#
# ```text
# x = 2 --(** 2)-- s --(* 3)-- m --(relu)-- y
# ```
#
# - `relu_chain_grads`: the gradients of x, s and m. One path, so the local derivatives multiply.
#
# In the *dead relu* `p = w * x`, `z = p + b`, `f = relu(z)`, with w = -3, x = 2, b = 1:
#
# ```text
# w = -3 ---\
#            (*)-- p ---\
# x = 2 ----/            (+)-- z --(relu)-- f
# b = 1 ----------------/
# ```
#
# - `dead_relu_grads`: the gradients of w, x, b and z. Compute z first. What does relu do with an
#   upstream gradient there?

# %%
### BEGIN SOLUTION: fill in relu_chain_grads and dead_relu_grads
# STUB: relu_chain_grads = ...  # a dictionary with the keys "x", "s", "m"
# STUB: dead_relu_grads = ...  # a dictionary with the keys "w", "x", "b", "z"
relu_chain_grads = {"x": 12, "s": 3, "m": 1}
dead_relu_grads = {"w": 0, "x": 0, "b": 0, "z": 0}
### END SOLUTION

# %% tags=["demo"]
if relu_chain_grads is ... or dead_relu_grads is ...:
    raise NotImplementedError("fill in relu_chain_grads and dead_relu_grads first")

x = Value(2.0)
s = x**2
m = 3 * s
y = m.relu()
y.backward()
print(f"relu chain: y = {y.data:g}")
for name, node in {"x": x, "s": s, "m": m}.items():
    print(f"   {name}: predicted {relu_chain_grads.get(name)}, yours {node.grad:g}")

w, x, b = Value(-3.0), Value(2.0), Value(1.0)
z = w * x + b
f = z.relu()
f.backward()
print(f"dead relu: z = {z.data:g}, f = {f.data:g}")
for name, node in {"w": w, "x": x, "b": b, "z": z}.items():
    print(f"   {name}: predicted {dead_relu_grads.get(name)}, yours {node.grad:g}")

# %% [markdown]
# A relu whose input is negative is flat there: no nudge of w, x or b that is small enough moves f at
# all. If it is so for every example of the training data, no step will ever move w or b, and the
# unit is called *dead*. Exactly at 0 relu has a corner and no slope; 0 and 1 are both accepted there.
#
# The next cell compares your engine with PyTorch on an expression that uses every operation. It is
# for your own eyes. The grader makes its own comparison, on random expressions.

# %% tags=["verify"]


def everything(a, b, c):
    s = (a * b - c / a).tanh()
    t = ((s + 2) ** 3).relu() + (-b).exp()
    return (1 - s) * t / (c**2 + 1) + 2 / (t + a)


leaves = {"a": 1.5, "b": -0.5, "c": 2.0}
mine = {name: Value(number) for name, number in leaves.items()}
root = everything(**mine)
root.backward()

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    theirs = {
        name: torch.tensor(number, dtype=torch.float64, requires_grad=True) for name, number in leaves.items()
    }
    everything(**theirs).backward()
    for name, node in mine.items():
        expected = theirs[name].grad.item()
        same = math.isclose(node.grad, expected, abs_tol=1e-9)
        print(f"{name}: yours {node.grad:.6f}, PyTorch {expected:.6f}: {'agrees' if same else 'differs'}")

# %% [markdown]
# ## 4. zero_grad
#
# To **train** is to repeat four lines: set the gradients of the parameters to 0, compute a loss, call
# `backward`, and move every parameter a little against its gradient. The first line is the one that
# is forgotten, since nothing stops without it.
#
# Take one parameter w, beginning at 1, and the loss `(3*w - 6) ** 2`, which is 0 at w = 2. The rate is
# 0.05. In the first step the gradient is 2 · (3·1 - 6) · 3 = -18, and w moves by -0.05 · (-18) = 0.9,
# to 1.9. Now the second step, on paper:
#
# - `second_step`: the gradient that `backward` leaves in w, and where w is afterwards, when the
#   gradient was set to 0 between the steps.
# - `second_step_forgotten`: the same two numbers when it was not.
#
# Each is a dictionary with the keys `"grad"` and `"w"`.

# %%
### BEGIN SOLUTION: fill in second_step and second_step_forgotten
# STUB: second_step = ...  # a dictionary with the keys "grad" and "w"
# STUB: second_step_forgotten = ...  # a dictionary with the keys "grad" and "w"
second_step = {"grad": -1.8, "w": 1.99}
second_step_forgotten = {"grad": -19.8, "w": 2.89}
### END SOLUTION

# %% [markdown]
# Now write `zero_grad`. It gets a list of parameters and sets the gradient of each to 0. It touches
# nothing else. The cell after it runs six steps with it and six without.


# %%
def zero_grad(parameters):
    """Set the gradient of every parameter to 0."""
    ### BEGIN SOLUTION: zero_grad: clear the gradient of every parameter
    for parameter in parameters:
        parameter.grad = 0.0
    ### END SOLUTION


# %% tags=["demo"]
if second_step is ... or second_step_forgotten is ...:
    raise NotImplementedError("fill in second_step and second_step_forgotten first")

for title, clear in {"with zero_grad": True, "forgotten": False}.items():
    w = Value(1.0)
    print(f"{title}:")
    for step in range(1, 7):
        if clear:
            zero_grad([w])
        ((3 * w - 6) ** 2).backward()
        w.data -= 0.05 * w.grad
        print(f"   step {step}: grad {w.grad:8.4f}, w {w.data:.4f}")

# %% [markdown]
# ## 5. Gradient descent
#
# A gradient points the way in which the loss grows. So each parameter moves the other way, by its
# gradient times a small number, the **rate**. `descend` does that once for every parameter.
#
# `train` puts the four lines into a loop. It gets `loss_of`, a function without arguments that builds
# the graph anew from the parameters and returns the loss as a `Value`; the parameters; how many
# steps; and the rate. It returns a list with the number that the loss was in each step, before the
# step's move.


# %%
def descend(parameters, rate):
    """Move every parameter against its gradient, by rate times the gradient."""
    ### BEGIN SOLUTION: descend: move every parameter downhill
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
    ### END SOLUTION


def train(loss_of, parameters, steps, rate):
    """Make `steps` steps of gradient descent; return the loss, a number, of each step."""
    ### BEGIN SOLUTION: train: zero_grad, loss, backward, descend, and keep the loss's data
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
    ### END SOLUTION


# %% [markdown]
# A small network to train: two inputs, three hidden units with tanh, one output, thirteen parameters.
# It is to learn *exclusive or*: 1 if exactly one input is 1, and -1 otherwise. No straight line
# separates these points, so a single neuron cannot do it. The loss is the sum of the squared
# distances from the targets.

# %% tags=["demo"]
POINTS = [(0.0, 0.0, -1.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, -1.0)]
START = [1.2, -0.8, 0.1, -0.9, 1.1, 0.2, 0.7, 0.6, -0.3, 0.9, 0.8, -0.5, 0.1]


def output(parameters, x1, x2):
    """The network's answer for two inputs: nine numbers for the hidden units, four for the output."""
    hidden = []
    for i in range(0, 9, 3):
        w1, w2, b = parameters[i : i + 3]
        hidden.append((w1 * x1 + w2 * x2 + b).tanh())
    v1, v2, v3, c = parameters[9:]
    return v1 * hidden[0] + v2 * hidden[1] + v3 * hidden[2] + c


parameters = [Value(number) for number in START]


def loss_of():
    """The sum of the squared distances over the four points."""
    return sum((output(parameters, x1, x2) - target) ** 2 for x1, x2, target in POINTS)


losses = train(loss_of, parameters, 100, 0.05)
for step in range(0, 100, 10):
    print(f"step {step:3}: loss {losses[step]:8.5f}  {'#' * round(8 * losses[step])}")
for x1, x2, target in POINTS:
    print(f"{x1:g} and {x2:g}: target {target:g}, output {output(parameters, x1, x2).data:.3f}")

# %% [markdown]
# ## 6. Why gradients vanish and explode
#
# A deep network is a chain of layers. Along a chain local derivatives multiply, so the gradient that
# reaches the beginning is their **product**. If all n of them are equal to d, it is dⁿ. For d below 1
# it shrinks towards 0, and for d above 1 it grows without bound; in either case exponentially, with
# every layer by the same factor.
#
# Write `chain_gradient`. It makes a leaf from `start`, applies `layer` to it n times, one after the
# other, calls `backward` on the last result, and returns the gradient of the leaf.


# %%
def chain_gradient(layer, start, n):
    """The gradient of the leaf `start` after n layers."""
    ### BEGIN SOLUTION: chain_gradient: apply the layer n times, backward, the leaf's gradient
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(node)
    node.backward()
    return leaf.grad
    ### END SOLUTION


# %% [markdown]
# Three layers to chain:
#
# - `"w = 0.5"`: multiply by 0.5.
# - `"w = 1.5"`: multiply by 1.5.
# - `"tanh"`: `tanh(h + b)`, with a bias b chosen so that 0.6 goes in and 0.6 comes out. Then every
#   layer of the chain works at the same point, and all local derivatives are equal. They are
#   1 - 0.6², each time.
#
# Run the cell and read off the gradient after ten layers. Then predict, before you let the engine
# compute anything, the gradient after *thirty* layers.
#
# - `after_ten`, `after_thirty`: dictionaries with the three names above as keys. Three significant
#   digits are enough.
#
# A **residual connection** adds a layer's input to its output. Take the layer `0.05 * h`, whose local
# derivative is 0.05: after thirty of them next to nothing is left. What is the local derivative of
# `h + 0.05 * h`?
#
# - `residual_after_thirty`: the gradient after thirty layers `h + 0.05 * h`.

# %% tags=["demo"]
BIAS = math.atanh(0.6) - 0.6
LAYERS = {
    "w = 0.5": (lambda h: h * 0.5, 1.0),
    "w = 1.5": (lambda h: h * 1.5, 1.0),
    "tanh": (lambda h: (h + BIAS).tanh(), 0.6),
}
for name, (layer, start) in LAYERS.items():
    gradients = [chain_gradient(layer, start, n) for n in (1, 2, 3, 10)]
    print(f"{name:>8}: after 1, 2, 3 and 10 layers", ", ".join(f"{g:.6g}" for g in gradients))

# %%
### BEGIN SOLUTION: fill in after_ten, after_thirty and residual_after_thirty
# STUB: after_ten = ...  # a dictionary with the keys "w = 0.5", "w = 1.5", "tanh"
# STUB: after_thirty = ...  # the same keys
# STUB: residual_after_thirty = ...  # a number
after_ten = {"w = 0.5": 0.5**10, "w = 1.5": 1.5**10, "tanh": 0.64**10}
after_thirty = {"w = 0.5": 0.5**30, "w = 1.5": 1.5**30, "tanh": 0.64**30}
residual_after_thirty = 1.05**30
### END SOLUTION

# %% tags=["demo"]
if after_thirty is ... or residual_after_thirty is ...:
    raise NotImplementedError("fill in after_thirty and residual_after_thirty first")

for name, (layer, start) in LAYERS.items():
    gradient = chain_gradient(layer, start, 30)
    print(f"{name:>8}: after 30 layers {gradient:.4g}, predicted {after_thirty.get(name):.4g}")
gradient = chain_gradient(lambda h: h + 0.05 * h, 1.0, 30)
print(f"residual: after 30 layers {gradient:.4g}, predicted {residual_after_thirty:.4g}")
plain = chain_gradient(lambda h: 0.05 * h, 1.0, 30)
print(f"without the connection: {plain:.4g}")

# %% [markdown]
# What is done about it all works on the factors of that product:
#
# - **Activations.** The slope of tanh is 1 at one point only, and far out it is next to 0. The slope
#   of relu is exactly 1 wherever its input is positive, so a layer of active relus does not shrink
#   the product by itself. Its price is the dead relu: a factor of exactly 0.
# - **Residual connections.** The factor of `h + f(h)` is 1 + f′(h) and not f′(h). As long as f′ is
#   small, the product stays near 1.
# - **Normalisation.** It shifts and scales what goes into a layer so that it stays around 0 and of
#   size 1, where tanh is steep and relu is not dead for all examples. The factors stay away from 0.
# - **Initialisation.** The weights are factors too. They are drawn at random, with a spread that is
#   the smaller, the more inputs a unit has, so that at the start of training the factors are about 1
#   in size on average.

# %% [markdown]
# ## 7. Quiz
#
# Six questions about today. `quiz_divisor` is a number, the others are a letter in quotes.
#
# **`quiz_divisor`.** L = a / b with a = 8 and b = 4. What is the gradient of b?
#
# **`quiz_dead_relu`.** w · x + b is negative and goes into relu. Why is the gradient of w 0?
#
# - A. Either w or x is negative, and relu makes negative gradients 0.
# - B. relu is flat there, so its slope of 0 is a factor of the gradient.
# - C. The output is 0, and a gradient is always a share of the output.
# - D. relu has no slope there, so backward leaves the node out.
#
# **`quiz_activation`.** In a deep chain every tanh works far from 0. What changes about the product if
# each is replaced by a relu that is active?
#
# - A. The outputs are larger, and larger outputs have larger gradients.
# - B. No output is negative, so the factors do not cancel each other.
# - C. The factor of each activation is 1 instead of a number near 0.
# - D. The sum over the layers has no negative terms any more.
#
# **`quiz_residual`.** A layer f(h) becomes h + f(h). What becomes of its factor f′(h)?
#
# - A. It is doubled to 2 · f′(h), since there are two paths.
# - B. It stays f′(h); only the values of the forward pass grow.
# - C. It becomes 1 · f′(h), so the layer no longer changes it.
# - D. It becomes 1 + f′(h), which is near 1 where f′(h) is small.
#
# **`quiz_normalisation`.** What goes into each tanh is shifted and scaled to lie around 0, with a size of
# about 1. What does that change about the product?
#
# - A. tanh is steep around 0, so the factors are not close to 0.
# - B. Each gradient is divided by its own size, so none is small.
# - C. Every factor is exactly 1, and so is the product of them all.
# - D. The gradients are centred, so large ones cancel each other.
#
# **`quiz_initialisation`.** Weights are drawn at random, with a spread that is the smaller, the more
# inputs a unit has. Why?
#
# - A. The weights then start close to 0, where the loss is smallest.
# - B. The factors are then about 1 in size on average at the start.
# - C. The weights then stay small for as long as training goes on.
# - D. The units then all start alike, and training treats them alike.

# %%
### BEGIN SOLUTION: answer the six questions of the quiz
# STUB: quiz_divisor = ...  # a number
# STUB: quiz_dead_relu = ...  # a letter in quotes
# STUB: quiz_activation = ...  # a letter in quotes
# STUB: quiz_residual = ...  # a letter in quotes
# STUB: quiz_normalisation = ...  # a letter in quotes
# STUB: quiz_initialisation = ...  # a letter in quotes
quiz_divisor = -0.5
quiz_dead_relu = "B"
quiz_activation = "C"
quiz_residual = "D"
quiz_normalisation = "A"
quiz_initialisation = "B"
### END SOLUTION

# %% [markdown]
# ## Glossary
#
# | Term | Meaning |
# |---|---|
# | forward pass | computing the data of every node, from the leaves to the root |
# | backward pass | computing the gradient of every node, from the root to the leaves |
# | local derivative | how far an operation's output moves for each unit that one input moves |
# | upstream gradient | how far the root moves for each unit that a node's output moves |
# | reflected method | what Python calls when a plain number stands on the left: `__radd__`, `__rsub__` |
# | dead relu | a relu whose input is negative for every example, so that no gradient passes |
# | parameter | a leaf that training moves |
# | loss | the root of the graph in training: a number that is to become small |
# | zero_grad | setting the gradients of the parameters to 0 before the next backward pass |
# | gradient descent | moving every parameter against its gradient, again and again |
# | rate | how far a parameter moves for each unit of its gradient |
# | vanishing gradient | a product of many factors below 1 in size: next to nothing arrives |
# | exploding gradient | a product of many factors above 1 in size: the gradient grows without bound |
# | residual connection | adding a layer's input to its output, so that its factor is 1 + f′ |
#
# ## What comes next
#
# Your engine keeps a function on every node. On [day 5](../day5/README.md) you write it once more in
# another style, in which each node keeps nothing but numbers: its local derivatives. The gradients
# will be the same.

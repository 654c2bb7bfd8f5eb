# %% [markdown]
# # Day 4: the whole engine
#
# You write the whole engine in one class of about 85 lines, train with it, and see why gradients vanish
# and explode.
#
# - **Do first:** sections 1 and 2, and steps 1 to 4 of section 3: 22 of the 100 points.
# - **Then:** the other methods of section 3, for 53 points, and sections 4 to 8, for 25.
# - **If there is time:** the PyTorch cell of section 3, the network of section 6.
# - **With care:** `3 - a` and `3 / a`; the divisor's gradient; `+=`; a forgotten `zero_grad`.
# - **Another day:** the topological sort is [day 3](../day3/README.md)'s, an engine without closures
#   [day 5](../day5/README.md)'s.
#
# Replace each line `raise NotImplementedError` with what it asks for.

# %%
import math

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. A tiny engine to try
#
# A complete engine in about twenty lines. It builds chains only: each operation has one input. `backward`
# goes back along the chain and multiplies by one slope at each step.


# %% tags=["demo"]
class Link:
    """A number in a chain. It knows the number before it, and the slope of the step between them."""

    def __init__(self, data, before=None, slope=None, op=""):
        self.data, self.grad = data, 0
        self.before, self.slope, self._op = before, slope, op
        self._prev = [before] if before else []  # draw follows these

    def square(self):
        return Link(self.data * self.data, self, lambda x: x + x, "square")

    def scale(self, k):
        return Link(k * self.data, self, lambda x: k, f"scale {k}")

    def sin(self):
        return Link(math.sin(self.data), self, math.cos, "sin")

    def backward(self):
        self.grad, link = 1, self
        while link.before:
            link.before.grad += link.slope(link.before.data) * link.grad
            link = link.before


# %% tags=["demo"]
first = Link(1.5)
last = first.square().scale(0.5).sin()
last.backward()
draw(last)

# %% [markdown]
# `draw` shows data and gradient of every node. Three things to try:
#
# 1. Another number in the place of 1.5. For which is `first.grad` negative?
# 2. The nudge 1.501: how far does `last.data` move? Divided by 0.001, that is close to `first.grad`.
# 3. A second `.sin()` at the end. What happens to `first.grad`?
#
# In your engine an operation may have two inputs and a value may be used twice: hence `+=`, and a sort.
#
# ## 2. What each operation owes
#
# Forward, an operation computes a number and remembers its inputs. Backward, it adds **upstream
# gradient times local derivative** to each input's gradient. As on day 2, a closure does that: a function
# inside the method, which still knows `self`, `other` and `out` later. Only the local derivatives differ:
#
# | out | for x | for y |
# |---|---|---|
# | x + y | 1 | 1 |
# | x · y | y | x |
# | x - y | 1 | -1 |
# | x / y | 1 / y | -x / y² |
# | xⁿ, n a plain number | n · xⁿ⁻¹ | |
# | -x | -1 | |
# | eˣ | out | |
# | tanh x | 1 - out² | |
# | relu x: x if x > 0, else 0 | 1 if x > 0, else 0 | |
#
# At exactly 0, relu's slope may be 0 or 1. If the divisor grows, the quotient shrinks: hence the minus. `-` and `/` may have closures of their own,
# or be built from the others: x + (-1)·y and x · y⁻¹. Both earn full marks.
#
# **Numbers on either side.** For `a - 3` Python calls `a.__sub__(3)`: turn the 3 into a `Value`. For
# `3 - a` it calls the *reflected* method `a.__rsub__(3)`. For + and × the sides may be exchanged, for -
# and / not.
#
# ## 3. The class, one method at a time
#
# 1. `__init__`: the number in `data`, 0 in `grad`, the inputs in `_prev` or `_children` (where `draw`
#    looks), a `_backward` that does nothing, for leaves. `__repr__`: the text that `print` shows.
# 2. `__add__` and `__mul__`, then `__radd__` and `__rmul__`.
# 3. `backward`, as on day 3. List every node once, inputs before what uses them. Set the gradient of
#    `self` to 1, the seed. Call each `_backward` from the end of the list.
# 4. The cells below, down to the check of `sums`.
# 5. `-`, `/`, `**`, `exp`, `tanh`, `relu`: one at a time, each with its cell and check.
#
# The check of an operation calls `_backward` of its results itself: it does not need your `backward`. After each
# change run the class's cell again, then the cell that tries it. Values made before keep the old methods.


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
# You need not read the next cell. Its `compare` sets your gradients beside slopes measured by nudging.
# Read every row: the left input may be right and the right one wrong.


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
# **Sum, product, `backward`.** In `reuse` an inner node is used twice at different depths: a wrong order shows.

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
# `check("...")` shows one check's feedback for the values that the notebook has now. In a terminal,
# `grade day4` grades the saved file.

# %% tags=["demo"]
check("add_multiply")

# %% tags=["demo"]
check("backward")

# %% [markdown]
# **Many terms.** Python's `sum` begins with 0, so its first step is `0 + value`: a number on the left.

# %% tags=["demo"]
compare("sum([a, b, a])", lambda a, b: sum([a, b, a]), 2.0, 5.0)

# %% tags=["demo"]
check("sums")

# %% [markdown]
# **Difference and negation.** In `10 - a` the sides matter.

# %% tags=["demo"]
compare("a - b", lambda a, b: a - b, 5.0, 3.0)
compare("a - (b - a)", lambda a, b: a - (b - a), 5.0, 3.0)
compare("10 - a", lambda a: 10 - a, 4.0)
compare("-a + a*b", lambda a, b: -a + a * b, 2.0, 3.0)

# %% tags=["demo"]
check("subtract")

# %% [markdown]
# **Quotient.** Read the divisor's row: its sign and its size.

# %% tags=["demo"]
compare("a / b", lambda a, b: a / b, 6.0, 2.0)
compare("a / (b / c)", lambda a, b, c: a / (b / c), 6.0, 2.0, -4.0)
compare("10 / a", lambda a: 10 / a, 4.0)

# %% tags=["demo"]
check("divide")

# %% [markdown]
# **Power.** The exponent may be negative or a fraction.

# %% tags=["demo"]
compare("a ** 3", lambda a: a**3, 2.0)
compare("(3*a) ** 3 + (3*a) ** 2", lambda a: (3 * a) ** 3 + (3 * a) ** 2, 2.0)
compare("a ** -2", lambda a: a**-2, 2.0)
compare("a ** 0.5", lambda a: a**0.5, 9.0)

# %% tags=["demo"]
check("power")

# %% [markdown]
# **exp, tanh, relu.** Some rows add the input itself, as `exp(a) + a`: there a forgotten `+=` shows.

# %% tags=["demo"]
compare("3 * exp(a)", lambda a: 3 * a.exp(), 0.5)
compare("exp(a) + a", lambda a: a.exp() + a, 0.5)
compare("2 * tanh(a)", lambda a: 2 * a.tanh(), 0.5)
compare("tanh(a) + a", lambda a: a.tanh() + a, 0.5)
compare("-3 * relu(a)", lambda a: -3 * a.relu(), 2.0)
compare("relu(a) + a", lambda a: a.relu() + a, -2.0)

# %% tags=["demo"]
check("exp")

# %% tags=["demo"]
check("tanh")

# %% tags=["demo"]
check("relu")

# %% [markdown]
# **All together.** The cell compares your engine with PyTorch, where that is installed. The checks use
# random expressions, and the loss of a small network (a *multi-layer perceptron*, MLP).


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


# %% tags=["demo"]
check("pytorch_parity")

# %% tags=["demo"]
check("mlp_loss")

# %% [markdown]
# ## 4. Two graphs with relu
#
# Here are the *relu chain* and the *dead relu* after the forward pass.

# %% tags=["demo"]
x = Value(2.0)
s = x**2
m = 3 * s
y = m.relu()
draw(y)

# %% tags=["demo"]
w, u, b = Value(-3.0), Value(2.0), Value(1.0)
p = w * u
z = p + b
f = z.relu()
u.label = "x"  # the x of w * x + b
draw(f)

# %% [markdown]
# Predict their gradients before you run `backward`:
#
# - `relu_chain_grads`, of x, s and m. On one path local derivatives multiply.
# - `dead_relu_grads`, of w, x, b and z. What is the slope of relu there?

# %%
### BEGIN SOLUTION: fill in relu_chain_grads and dead_relu_grads
# STUB: relu_chain_grads = ...  # a dictionary with the keys "x", "s", "m"
# STUB: dead_relu_grads = ...  # a dictionary with the keys "w", "x", "b", "z"
relu_chain_grads = {"x": 12, "s": 3, "m": 1}
dead_relu_grads = {"w": 0, "x": 0, "b": 0, "z": 0}
### END SOLUTION

# %% tags=["demo"]
check("dead_relu")

# %% tags=["demo"]
x = Value(2.0)  # built anew: backward would add to the gradients of a graph that it has walked before
s = x**2
m = 3 * s
y = m.relu()
y.backward()
draw(y)

# %% tags=["demo"]
f.backward()
draw(f)

# %% [markdown]
# Where its input is negative, relu is flat: no small nudge of w, x or b moves f. Such a `relu(w*x + b)` is a
# *unit* of a network. If it is flat on every example that training uses, it never learns again: it is *dead*.
#
# ## 5. zero_grad
#
# A **parameter** is a leaf that training moves. (With *weight tying* one parameter stands in several
# places, and `+=` adds up.) The **loss** is the root, which is to become small. To **train** is to repeat four
# lines: set the parameters' gradients to 0, compute the loss, call `backward`, move every parameter by
# minus the **rate**, a small number, times its gradient. Python reports no error if you forget the first line.
#
# Take one parameter w = 1, the loss `(3*w - 6) ** 2` and the rate 0.05. The first gradient is
# 2 · (3·1 - 6) · 3 = -18, so w moves by -0.05 · (-18) = 0.9, to 1.9. Now the second step, on paper:
#
# - `second_step`: the gradient after `backward`, and w after the move, if the gradient was set to 0 before.
# - `second_step_forgotten`: the same if it was not.

# %%
### BEGIN SOLUTION: fill in second_step and second_step_forgotten
# STUB: second_step = ...  # a dictionary with the keys "grad" and "w"
# STUB: second_step_forgotten = ...  # a dictionary with the keys "grad" and "w"
second_step = {"grad": -1.8, "w": 1.99}
second_step_forgotten = {"grad": -19.8, "w": 2.89}
### END SOLUTION

# %% [markdown]
# Write `zero_grad`. It sets the gradient of each parameter to 0 and changes nothing else.


# %%
def zero_grad(parameters):
    """Set the gradient of every parameter to 0."""
    ### BEGIN SOLUTION: zero_grad: clear the gradient of every parameter
    for parameter in parameters:
        parameter.grad = 0.0
    ### END SOLUTION


# %% tags=["demo"]
check("zero_grad")

# %% [markdown]
# Six steps with `zero_grad` and six without:

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
# ## 6. Gradient descent
#
# The gradient points where the loss grows, so each parameter moves the other way. The rule for the move
# is the **optimizer**. `descend` is the simplest, *gradient descent*: minus rate times gradient. Others,
# such as Adam, also use earlier gradients.
#
# `train` repeats the four lines. Each call of `loss_of()` builds the graph anew and returns the loss, a
# `Value`. `train` returns a list with a plain number a step: the loss before the move.


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


# %% tags=["demo"]
check("gradient_descent")

# %% [markdown]
# A small network with thirteen parameters learns *exclusive or*: 1 if exactly one input is 1, else -1.
# The loss sums the squared distances from these targets.

# %% tags=["demo"]
POINTS = [(0.0, 0.0, -1.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, -1.0)]
START = [1.2, -0.8, 0.1, -0.9, 1.1, 0.2, 0.7, 0.6, -0.3, 0.9, 0.8, -0.5, 0.1]


def output(parameters, x1, x2):
    """The network's answer for two inputs: nine numbers for three units in the middle, four for the output."""
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
# ## 7. Vanishing and exploding gradients
#
# A *layer* makes new numbers from those of the layer before. A deep network is a chain of layers, and along a
# chain local derivatives multiply. If all n are equal to
# d, the gradient at the beginning is dⁿ. For d below 1 in size it vanishes, above 1 it explodes.
#
# Write `chain_gradient`: make a leaf from `start`, apply `layer` n times, each to the result before, call
# `backward` on the last, return the leaf's gradient.


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
# Three layers: `h * 0.5`, `h * 1.5`, and `tanh(h + b)` with b chosen so that the output for 0.6 is
# again 0.6. So all local derivatives of tanh are equal: 1 - 0.6². The drawing shows three such layers.

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

# %% tags=["demo"]
h = Value(0.6)
for _ in range(3):
    h = (h + BIAS).tanh()
h.backward()
draw(h)

# %% [markdown]
# - `after_ten`: the gradients after ten layers, read off above, to three significant digits.
# - `after_thirty`: those after thirty, predicted, to two digits.
# - `residual_after_thirty`: the gradient after thirty layers `h + 0.05 * h`. Adding the input is called a
#   **residual connection**. What is the local derivative of one such layer?

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
check("chain_products")

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
# The remedies change the factors of the product:
#
# - **Activations** are the bent functions in a layer. tanh is flat far out. relu has slope 1 wherever its input is positive, but can be
#   dead. *GELU*, common in language models, is x · Φ(x), where Φ(x) is the share of a normal distribution
#   below x. It is close to relu, but smooth where relu has a corner.
# - **Residual connections.** The factor of `h + f(h)` is 1 + f′(h), near 1 while f′ is small.
# - **Normalisation** moves a layer's inputs to around 0, with a size of about 1. There tanh is steep, and
#   relu is not dead.
# - **Initialisation.** Weights are factors too. They are drawn at random, with a smaller spread the more
#   inputs a unit has, since a sum of more terms is larger. So the factors start at about 1 in size.
#
# ## 8. Quiz
#
# `quiz_divisor` is a number, the others are letters in quotes, judged by hidden checks.
#
# **`quiz_divisor`.** L = a / b with a = 8, b = 4. What is the gradient of b?
#
# **`quiz_dead_relu`.** w · x + b is negative and goes into relu. Why is the gradient of w 0?
#
# - A. relu makes negative gradients 0.
# - B. relu's slope of 0 is a factor.
# - C. Gradients are shares of the output, 0.
# - D. relu has no slope there: the node is left out.
#
# **`quiz_activation`.** Each tanh of a chain works far from 0. What if it becomes a relu with a positive
# input?
#
# - A. Larger outputs have larger gradients.
# - B. No negative outputs: no factors cancel.
# - C. Its factor is 1, not near 0.
# - D. The sum over the layers has no negative terms.
#
# **`quiz_residual`.** A layer f(h) becomes h + f(h). What becomes of its factor f′(h)?
#
# - A. 2 · f′(h), since there are two paths.
# - B. f′(h) as before; only the values grow.
# - C. 1 · f′(h): the layer no longer changes it.
# - D. 1 + f′(h), near 1 where f′(h) is small.
#
# **`quiz_normalisation`.** The input of each tanh is normalised. What about the product?
#
# - A. tanh is steep around 0: most factors are not near 0.
# - B. Gradients divided by their size are not small.
# - C. Every factor is exactly 1.
# - D. Centred gradients cancel each other.
#
# **`quiz_initialisation`.** Why is the spread of the weights smaller, the more inputs a unit has?
#
# - A. They start where the loss is smallest, near 0.
# - B. The factors start at about 1 in size on average.
# - C. The weights stay small during training.
# - D. The units start alike.

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

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## Terms
#
# | Term | Meaning |
# |---|---|
# | dead relu | a relu whose input is negative on every example |
# | parameter | a leaf that training moves |
# | loss | the root, which is to become small |
# | zero_grad | clears the parameters' gradients before `backward` |
# | optimizer | the rule that moves the parameters; gradient descent is one |
# | vanishing, exploding | many factors below, or above, 1 in size |
# | residual connection | a layer's input added to its output |
#
# Next: [day 5](../day5/README.md), the same engine without closures.

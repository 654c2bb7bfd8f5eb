# %% [markdown]
# # Day 5: local gradients
#
# On [day 4](../day4/README.md) every operation had a closure that handed its gradient on. Today you
# build the same engine without closures. A node keeps its inputs, and one number for each of them.
# Then one loop is the backward pass of every operation.
#
# - **Do first:** sections 1 and 2, 75 of the 100 points.
# - **Then:** sections 3 and 4, a graph on paper and what its gradients mean.
# - **If there is time:** section 5, with nothing to write, and the quiz.
# - **With care:** keep each number at the place of its input. If two are exchanged, no error is raised.
# - **Another day:** derivatives are from [day 2](../day2/README.md) and day 4, the sort is from
#   [day 3](../day3/README.md).
#
# A cell that stops with `NotImplementedError` says what to write in the place of that line.

# %%
import math

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. What each node keeps
#
# On day 2, the closure of × used the value of each factor, for the gradient of the other one. Both
# values are known in the forward pass. So the node can write them down at once:
#
# ```text
# a = 2 ----\
#            (*)---- p = -6        p._children     is  (a,  b)
# b = -3 ---/                      p._local_grads  is  (-3, 2)
# ```
#
# Such a number is a **local gradient**: how far this node moves for each unit that one child moves. It
# is the local derivative of the earlier days. The upstream gradient comes later, in the loop.
#
# - A child and its local gradient are a **pair**: the first with the first, and so on.
# - A value that is used twice is a child twice: `a * a` has the children `(a, a)`. A set would keep it
#   once.
# - A leaf has no children and no local gradients.
#
# Now write the operations. Most are one line: `return Value(..., (...), (...))`, with the result, the
# children and the local gradients. Write + and × first, and run the check below. Then go on.
#
# - A tuple of one child has a comma: `(self,)`.
# - In `a**n`, n is a plain number, not a child. It may be negative or a fraction.
# - `exp` is its own derivative. For `tanh` it is 1 - t², where t is the output.
# - `relu` is 0 for a negative input, and the input itself for a positive one. What is its slope on
#   either side? At exactly 0, a slope of 0 or 1 is accepted.
# - `-` and `/` may have pairs of their own or be built from other operations.
# - For `1 - a` Python calls `a.__rsub__(1)`, so `other` is the number 1. There, `other - self` would
#   call `__rsub__` again, without end.
#
# To test a derivative, raise the input by 0.001 and divide the move of the result by 0.001.


# %%
class Value:
    """A number that keeps what it was made from, and how strongly it depends on each part."""

    def __init__(self, data, _children=(), _local_grads=(), label=""):
        self.data = data
        self.grad = 0.0
        self._children = _children
        self._local_grads = _local_grads
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__add__: the sum, its children, its local gradients
        return Value(self.data + other.data, (self, other), (1.0, 1.0))
        ### END SOLUTION

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__mul__: the product, its children, its local gradients
        return Value(self.data * other.data, (self, other), (other.data, self.data))
        ### END SOLUTION

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        ### BEGIN SOLUTION: Value.__neg__: minus the value, its child, its local gradient
        return Value(-self.data, (self,), (-1.0,))
        ### END SOLUTION

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__sub__: the difference, its children, its local gradients
        return Value(self.data - other.data, (self, other), (1.0, -1.0))
        ### END SOLUTION

    def __rsub__(self, other):
        ### BEGIN SOLUTION: Value.__rsub__: a number minus this value
        return Value(other) - self
        ### END SOLUTION

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__truediv__: the quotient, its children, its local gradients
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1 / b, -a / b**2))
        ### END SOLUTION

    def __rtruediv__(self, other):
        ### BEGIN SOLUTION: Value.__rtruediv__: a number divided by this value
        return Value(other) / self
        ### END SOLUTION

    def __pow__(self, exponent):
        ### BEGIN SOLUTION: Value.__pow__: the power, its child, its local gradient
        return Value(self.data**exponent, (self,), (exponent * self.data ** (exponent - 1),))
        ### END SOLUTION

    def exp(self):
        ### BEGIN SOLUTION: Value.exp: e to this value, its child, its local gradient
        e = math.exp(self.data)
        return Value(e, (self,), (e,))
        ### END SOLUTION

    def tanh(self):
        ### BEGIN SOLUTION: Value.tanh: the hyperbolic tangent, its child, its local gradient
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t**2,))
        ### END SOLUTION

    def relu(self):
        ### BEGIN SOLUTION: Value.relu: the positive part, its child, its local gradient
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0 else 0.0,))
        ### END SOLUTION

    def backward(self):
        """Run the backward pass from this value, with the function of section 2."""
        backward(self)


# %% [markdown]
# `check` grades the values in this kernel. After a change of the class, run all cells below it again.

# %% tags=["demo"]
check("local_grads")

# %% [markdown]
# Do the pairs belong together? A child without a name is shown by its value.

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
examples = {
    "a + b": lambda: a + b,
    "a - b": lambda: a - b,
    "a * b": lambda: a * b,
    "a * a": lambda: a * a,
    "a / b": lambda: a / b,
    "a ** 3": lambda: a**3,
    "1 - a": lambda: 1 - a,
    "exp(b)": lambda: b.exp(),
    "tanh(b)": lambda: b.tanh(),
    "relu(b)": lambda: b.relu(),
}
for text, make in examples.items():
    try:
        node = make()
    except NotImplementedError:
        print(f"{text:8} is still to write")
        continue
    children = [child.label or f"{child.data:g}" for child in node._children]
    numbers = [f"{number:g}" for number in node._local_grads]
    print(f"{text:8} = {node.data:8.4f}   children {children}   local gradients {numbers}")

# %% [markdown]
# Each operation again, in small expressions. The checks multiply the local gradients along every path
# from the result to a leaf, and add up the paths. That is the **slope** of the result for this leaf.

# %% tags=["demo"]
check("add_multiply")

# %% tags=["demo"]
check("subtract_divide")

# %% tags=["demo"]
check("power")

# %% tags=["demo"]
check("one_input")

# %% [markdown]
# ## 2. One loop
#
# `build_topo` is your function of day 3: all nodes, each once, children before parents. The children
# are now in `_children`. Remember visited nodes, not their data. Recursion is enough today.


# %%
def build_topo(root):
    """Return a list of all nodes that `root` is made of, and `root`, children before parents."""
    ### BEGIN SOLUTION: build_topo: bring yours from day 3; the children stand in _children
    topo = []
    visited = set()
    stack = [(root, False)]  # a node, and whether its children are in the list already
    while stack:
        node, ready = stack.pop()
        if ready:
            topo.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._children)
    return topo
    ### END SOLUTION


# %% tags=["demo"]
check("build_topo")

# %% [markdown]
# Now the backward pass. Seed the root with 1.0. Go through the nodes in reverse topological order. At
# each node, every child gets its contribution:
#
# ```text
# child.grad  +=  local gradient of the pair  *  node.grad
# ```
#
# This is the chain rule, local times upstream, once for all operations. The contribution is *added*,
# since other pairs may have the same child. The order matters, since a node must not hand on while its
# own `grad` is incomplete.
#
# `zip(xs, ys)` goes through two tuples side by side. `Value.backward` already calls your function.


# %%
def backward(root):
    """Fill in the gradient of every node in the graph of `root`, in one loop over its pairs."""
    ### BEGIN SOLUTION: backward: the seed, then one loop over the pairs of every node
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
    ### END SOLUTION


# %% tags=["demo"]
check("backward")

# %% [markdown]
# Does the loop multiply by what the nodes keep? The check doubles some of these numbers by hand.

# %% tags=["demo"]
check("reads_pairs")

# %% [markdown]
# Three graphs of the earlier days. At a = 2, a.grad is 15 in *diamond*, 48 in *reuse*, 6148 in *deep*.


# %% tags=["demo"]
def diamond(a):
    """b = a + 1, c = a * 3, d = b * c."""
    return (a + 1) * (a * 3)


def reuse(a):
    """An inner node, b, is used twice."""
    b = 3 * a
    c = a + b
    b.label, c.label = "b", "c"
    return b * c


def deep(a):
    """Shared nodes at every level."""
    b = a * a
    c = b * b
    d = c * b + c
    return d * c + b


for graph in (diamond, reuse, deep):
    a = Value(2.0)
    root = graph(a)
    root.backward()
    print(f"{graph.__name__:8} root {root.data:g}, a.grad {a.grad:g}")

# %% [markdown]
# This is *reuse*. Which two contributions make the gradient 14 of b?

# %% tags=["demo"]
d = reuse(Value(2.0, label="a"))
d.label = "d"
d.backward()
draw(d)

# %% [markdown]
# d hands on 8, the value of c, and c hands on its own gradient, 6.

# %% tags=["demo"]
check("shared_nodes")

# %% [markdown]
# ## 3. The relu sum
#
# The graph `c = a * b`, `e = c + d`, `f = relu(e)` after its forward pass:


# %% tags=["demo"]
def relu_sum(a=2.0, b=-3.0, d=10.0):
    """The nodes of the relu sum by name, after the forward pass."""
    nodes = {"a": Value(a, label="a"), "b": Value(b, label="b"), "d": Value(d, label="d")}
    nodes["c"] = nodes["a"] * nodes["b"]
    nodes["e"] = nodes["c"] + nodes["d"]
    nodes["f"] = nodes["e"].relu()
    for name in "cef":
        nodes[name].label = name
    return nodes


draw(relu_sum()["f"])

# %% [markdown]
# On paper, write the local gradient on every arrow. Go from f, with 1, towards the leaves, and multiply
# along the way. relu looks only at the sign of its own input, e.
#
# `relu_sum_grads` is a dictionary of the gradients of a, b, c, d and e by name.

# %%
### BEGIN SOLUTION: fill in relu_sum_grads
# STUB: relu_sum_grads = ...  # a dictionary with the keys "a", "b", "c", "d", "e"
relu_sum_grads = {"a": -3, "b": 2, "c": 1, "d": 1, "e": 1}
### END SOLUTION

# %% tags=["demo"]
check("relu_sum")

# %% [markdown]
# The same graph after your backward pass, and then with d = 2. There e is negative, and relu passes
# nothing: a *dead relu*.

# %% tags=["demo"]
if relu_sum_grads is ...:
    raise NotImplementedError("fill in relu_sum_grads first")

alive = relu_sum()["f"]
alive.backward()
draw(alive)

# %% tags=["demo"]
dead = relu_sum(d=2.0)["f"]
dead.backward()
draw(dead)

# %% [markdown]
# ## 4. What a gradient means
#
# A gradient of -3 at a says: **if a grows by 1, f falls by 3.** The sign is the direction. With a
# gradient of 0, f stays.
#
# Write `meaning(gradient)`. It returns a pair for a value that grows by 1:
#
# - what the root does: `"rises"`, `"falls"` or `"stays"`;
# - by how much, without a sign. Where the root stays, this is 0.
#
# For example, `meaning(0.5)` is `("rises", 0.5)`.


# %%
def meaning(gradient):
    """Return which way the root goes when a value with this gradient grows by 1, and how far."""
    ### BEGIN SOLUTION: meaning: a pair of "rises", "falls" or "stays", and a size
    if gradient == 0:
        return "stays", 0.0
    return ("rises" if gradient > 0 else "falls"), abs(gradient)
    ### END SOLUTION


# %% [markdown]
# Every node of the relu sum, and what its gradient means:

# %% tags=["demo"]
nodes = relu_sum()
nodes["f"].backward()
print("node    data  gradient  meaning")
for name, node in nodes.items():
    direction, size = meaning(node.grad)
    how_far = "" if direction == "stays" else f" by {size:g}"
    words = f"if {name} grows by 1, f {direction}{how_far}"
    print(f"{name:4} {node.data:7g} {node.grad:9g}  {words}")

# %% [markdown]
# A gradient is the slope at one place. Its promise holds for a small **nudge**, a move of the value, and
# for a large one only while the slope stays the same.
#
# Let a grow from 2 to 4, a nudge of 2.
#
# - `f_by_gradient`: the f that the gradient of a promises for a = 4. Begin at the f of a = 2, and move
#   by gradient times nudge.
# - `f_in_truth`: the f of the graph computed anew with a = 4.
#
# They differ. Which node is the reason, and from which a on?

# %%
### BEGIN SOLUTION: fill in f_by_gradient and f_in_truth
# STUB: f_by_gradient = ...  # a number
# STUB: f_in_truth = ...  # a number
f_by_gradient = -2
f_in_truth = 0
### END SOLUTION

# %% tags=["demo"]
check("meaning")

# %% tags=["demo"]
if f_by_gradient is ... or f_in_truth is ...:
    raise NotImplementedError("fill in f_by_gradient and f_in_truth first")

print("    a   promised   computed anew")
for nudge in (0.01, 0.5, 1.0, 1.25, 1.5, 2.0):
    promised = nodes["f"].data + nodes["a"].grad * nudge
    anew = relu_sum(a=2.0 + nudge)["f"].data
    print(f"{2 + nudge:5g} {promised:10g} {anew:15g}")
print(f"you wrote: promised {f_by_gradient}, computed anew {f_in_truth}")
print("The reason is relu: from a = 10/3 on, e is not positive.")

# %% [markdown]
# ## 5. Two engines, one answer
#
# Day 4 and today apply the same chain rule, so their gradients agree. Random graphs show it; there is
# nothing to write.

# %% tags=["demo"]
import random

OPERATIONS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: (x * y).tanh(),
    "/": lambda x, y: x / (y * y + 1),
    "number -": lambda x, y: 1 - x,
    "number /": lambda x, y: 2 / (x * x + 1),
    "**": lambda x, y: (x * x + 1) ** 0.5,
    "exp": lambda x, y: (-(x * x)).exp(),
    "tanh": lambda x, y: x.tanh(),
    "relu": lambda x, y: x.relu() + y,
}


def random_plan(seed, steps=12):
    """A list of operations, each with the places of the two nodes that it is to use."""
    rng = random.Random(seed)
    names = list(OPERATIONS)
    return [(rng.choice(names), rng.randrange(3 + step), rng.randrange(3 + step)) for step in range(steps)]


def gradients(plan, make):
    """Build the graph of a plan with `make` for the leaves; the gradient of each leaf."""
    leaves = [make(number) for number in (0.7, -1.3, 0.4)]
    nodes = list(leaves)
    for name, i, j in plan:
        nodes.append(OPERATIONS[name](nodes[i], nodes[j]))
    root = nodes[0]
    for node in nodes[1:]:
        root = root + node
    root.backward()
    return [float(leaf.grad) for leaf in leaves]


def compare(title, make, graphs=20):
    """Say how many random graphs have the same gradients in both engines."""
    same = 0
    for seed in range(graphs):
        mine = gradients(random_plan(seed), Value)
        theirs = gradients(random_plan(seed), make)
        if all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) for x, y in zip(mine, theirs)):
            same += 1
        else:
            print(f"graph {seed}: yours {mine}, {title} {theirs}")
    print(f"{title}: {same} of {graphs} random graphs agree")


# %% [markdown]
# Your day 4. If its notebook is elsewhere, change the path.

# %% tags=["demo"]
import contextlib
import io
import json
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


if not day4.is_file():
    print(f"There is no {day4} here; the grader makes its own comparison.")
elif (closures := value_of(day4)) is None:
    print(f"{day4} defines no Value yet.")
else:
    compare("day 4", closures)

# %% [markdown]
# And PyTorch:

# %% tags=["verify"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    compare(
        "PyTorch",
        lambda number: torch.tensor(number, dtype=torch.float64, requires_grad=True),
    )

# %% tags=["demo"]
check("agreement")

# %% [markdown]
# What differs:
#
# | | closures | local gradients |
# |---|---|---|
# | the chain rule stands | in every operation | in `backward`, once |
# | a derivative is evaluated | in the backward pass | in the forward pass |
#
# So a local gradient belongs to the values of its own forward pass.

# %% [markdown]
# ## Quiz
#
# Paper is enough.
#
# 1. `quiz_quotient`: let a = 6, b = 2 and q = a / b. What is the local gradient of q for b?
# 2. `quiz_changed_later`: someone runs `a, b = Value(2.0), Value(-3.0)`, then `L = a * b`, then
#    `a.data = 5.0`, then `L.backward()`. With local gradients, what is `b.grad`?
# 3. `quiz_three_pairs`: in `y = a * a + 3 * a` with a = 4, what is `a.grad` after `y.backward()`?
# 4. `quiz_square`: with × as in section 1, what does the node of `a * a` keep?
#    - A: the child a once, with the local gradient a
#    - B: the child a twice, with 1 for the first and 2·a for the second
#    - C: the child a twice, with the local gradient 2·a each time
#    - D: the child a twice, with the local gradient a each time
# 5. `quiz_dead_relu`: in `relu(w * x + b)` the sum is negative. Why is `w.grad` 0?
#    - A: a gradient is the output times the upstream gradient, and the output is 0
#    - B: relu keeps the local gradient 0, a factor on every path from w to the root
#    - C: a negative sum is cut out of the graph, so the loop never comes to w
#    - D: w is itself negative, and relu hands gradients to positive values only
# 6. `quiz_order`: all local gradients are known beforehand. Why must the loop still go in reverse
#    topological order?
#    - A: a node multiplies by its own gradient, which must be complete by then
#    - B: its local gradients are final only once the nodes above it had their turn
#    - C: children are reached from parents only, so no other order finds them all
#    - D: it need not; sums do not depend on their order, it only saves time

# %%
### BEGIN SOLUTION: fill in the quiz
# STUB: quiz_quotient = ...  # a number
# STUB: quiz_changed_later = ...  # a number
# STUB: quiz_three_pairs = ...  # a number
# STUB: quiz_square = ...  # a letter in quotes
# STUB: quiz_dead_relu = ...  # a letter in quotes
# STUB: quiz_order = ...  # a letter in quotes
quiz_quotient = -1.5
quiz_changed_later = 2
quiz_three_pairs = 11
quiz_square = "D"
quiz_dead_relu = "B"
quiz_order = "A"
### END SOLUTION

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## Where you are now
#
# You have built *reverse mode* differentiation in both of its usual styles: one walk from the root
# gives the gradients of all leaves. Your graph is made while the program runs, which is called
# *define-by-run*. So is PyTorch's; its values are arrays, and it knows many more operations.
#
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | local gradient | a local derivative, evaluated and kept |
# | children | what a node was made from, one entry for each use |
# | upstream gradient | `node.grad`: how far the root moves for each unit of this node |
# | contribution | local gradient times upstream gradient |
# | accumulate | to add a contribution with `+=` |
# | reverse topological order | each node after all nodes that use it |
# | dead relu | a relu with a negative input: local gradient 0 |

# %% [markdown]
# # Day 5: local gradients
#
# On [day 4](../day4/README.md) every operation wrote a closure that knew how to hand its gradient
# on. Today you build the same engine once more, without a single closure. Each node keeps two
# things from the forward pass: the values it was made from, and one number for each of them. With
# those, the backward pass of every operation there is becomes the same three lines.
#
# - **Do first:** sections 1 and 2, what each operation keeps, and the loop. They carry most of the
#   points, and everything below runs on them.
# - **Then:** sections 3 and 4, the relu sum on paper, and what its gradients mean in words.
# - **If there is time:** section 5 (nothing to write, worth a run), and the quiz.
# - **With care:** the pairs. A child and its local gradient belong together; the engine finds no
#   error if they are exchanged, only other numbers. And use `+=` in the loop.
# - **Another day:** where the local derivatives come from is [day 2](../day2/README.md) for `+`,
#   `*` and `tanh`, and [day 4](../day4/README.md) for the rest; the topological sort is
#   [day 3](../day3/README.md). Bring yours along. This is the last day of the course, so nothing
#   has to wait for tomorrow.
#
# Run the notebook from the top. A cell that stops with `NotImplementedError` waits for you and says
# for what; an answer that is still blank reads `...`. When you have changed the class, run all the
# cells below it again. In a terminal, `grade day5` tells you how far you are.

# %%
import math

# %% [markdown]
# ## 1. What a node keeps
#
# Think of the closure for × on day 2. Of everything it held on to, only two numbers mattered: the
# value of one factor, for the other factor's gradient, and the other way round. Both are known as
# soon as the product is computed. So the node can write them down at once, and needs no closure to
# remember how to find them later:
#
# ```text
# a = 2 ----\
#            (*)---- p = a * b = -6        p._children     is  (a,  b)
# b = -3 ---/                              p._local_grads  is  (-3, 2)
# ```
#
# Such a number is a **local gradient**: how far this node moves for each unit that one child moves,
# while its other children stay where they are. It is the local derivative of the earlier days,
# evaluated and stored. It knows nothing of the root and nothing of any upstream gradient; that
# comes later, in the loop.
#
# Three rules for the two tuples:
#
# - They have the same length and the same order: the first local gradient belongs to the first
#   child, and so on. The **pairs** are what counts; which child comes first is up to you.
# - A value that is used twice is a child twice. `a * a` has two children, and both are `a`. That is
#   why the children stand in a tuple or list: a set would keep `a` once, and a set has no order in
#   which a pair could find together.
# - A leaf has no children and no local gradients.
#
# Now write the operations. Each needs its result, its children and its local gradients, which is
# one line, `return Value(..., (...), (...))`, or two where a number is needed twice. You know all
# the derivatives from the days before. If you doubt one, measure it: raise the input by 0.001 and
# divide the move of the output by 0.001.
#
# - `a**n` takes a plain number n as its exponent, so it has one child. n may be negative or a
#   fraction.
# - `relu` is 0 for negative inputs and the input itself for positive ones. What is its slope on
#   either side? At exactly 0, a slope of 0 or of 1 is accepted.
# - `-` and `/` may have pairs of their own, or be built out of the other operations. Both are fine.
# - With a plain number on the left, as in `1 - a` or `1 / a`, Python calls `__rsub__` and
#   `__rtruediv__`. Mind which operand is which.


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
# Look at what is kept. Each line shows a node's children and, under them, the number beside each.
# Do the pairs belong together?

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
examples = {
    "a + b": a + b,
    "a - b": a - b,
    "a * b": a * b,
    "a * a": a * a,
    "a / b": a / b,
    "a ** 3": a**3,
    "1 - a": 1 - a,
    "exp(b)": b.exp(),
    "tanh(b)": b.tanh(),
    "relu(b)": b.relu(),
}
for text, node in examples.items():
    children = [child.label or f"{child.data:g}" for child in node._children]
    numbers = [f"{number:g}" for number in node._local_grads]
    print(f"{text:8} = {node.data:8.4f}   children {children}   local gradients {numbers}")

# %% [markdown]
# ## 2. One loop
#
# `build_topo` is the function of day 3: a list of all nodes, each once, children before their
# parents. Bring yours. The only change is where the children stand: in `_children`. If your version
# for day 3 was recursive, that is enough today too. Remember the nodes that you have visited, not
# their data.


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


# %% [markdown]
# Now the backward pass. Seed the root with 1.0. Then go through the nodes in reverse topological
# order. At each node, go through its pairs, and give each child its contribution:
#
# ```text
# child.grad  +=  local gradient of the pair  *  node.grad
# ```
#
# That is the chain rule, local times upstream, and it stands in one place for all operations. Two
# things are as they have always been. The contribution is *added*, because a child may have
# received something from another parent, or from the other pair of the same parent. And the order
# matters: that all local gradients are known beforehand does not help a node whose own `grad` is
# not complete yet.
#
# The method `backward` of the class already calls this function, so that `root.backward()` works
# as soon as it is written.


# %%
def backward(root):
    """Fill in the gradient of every node in the graph of `root`, in one loop over its pairs."""
    ### BEGIN SOLUTION: backward: the seed, then one loop over the pairs of every node
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
    ### END SOLUTION


# %% [markdown]
# Three graphs of the earlier days, which small mistakes do not survive. *diamond* should give 15,
# *reuse* 48, *deep* 6148, all at a = 2.


# %% tags=["demo"]
def diamond(a):
    """b = a + 1, c = a * 3, d = b * c."""
    return (a + 1) * (a * 3)


def reuse(a):
    """An inner node, b, is used twice."""
    b = 3 * a
    c = a + b
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
# ## 3. The relu sum
#
# The graph is called *relu sum*: `c = a * b`, `e = c + d`, `f = relu(e)`, with a = 2, b = -3 and
# d = 10.
#
# ```text
# a = 2  ----\
#             (*)---- c ----\
# b = -3 ----/               (+)---- e ----(relu)---- f
# d = 10 -------------------/
# ```
#
# On paper: compute every node forward. Write the local gradient on every edge. Then go backward
# from f with 1, and multiply along the way. Note that relu looks at the sign of its own input, e,
# and not at the signs of a, b or c.
#
# `relu_sum_grads` is a dictionary from each of the names a, b, c, d and e to its gradient.

# %%
### BEGIN SOLUTION: fill in relu_sum_grads
# STUB: relu_sum_grads = ...  # a dictionary with the keys "a", "b", "c", "d", "e"
relu_sum_grads = {"a": -3, "b": 2, "c": 1, "d": 1, "e": 1}
### END SOLUTION

# %% tags=["demo"]
if relu_sum_grads is ...:
    raise NotImplementedError("fill in relu_sum_grads first")


def relu_sum(a=2.0, b=-3.0, d=10.0):
    """The nodes of relu sum by name, after a backward pass."""
    nodes = {"a": Value(a), "b": Value(b), "d": Value(d)}
    nodes["c"] = nodes["a"] * nodes["b"]
    nodes["e"] = nodes["c"] + nodes["d"]
    nodes["f"] = nodes["e"].relu()
    nodes["f"].backward()
    return nodes


for name, node in relu_sum().items():
    guess = relu_sum_grads.get(name, "nothing")
    print(f"{name}: data {node.data:6g}, predicted {guess}, yours {node.grad:g}")

print("with d = 2, so that e is negative:")
for name, node in relu_sum(d=2.0).items():
    print(f"{name}: data {node.data:6g}, gradient {node.grad:g}")

# %% [markdown]
# ## 4. What a gradient means
#
# A gradient of -3 at a says: **if a grows by 1, f falls by 3.** Its sign is the direction, its size
# is how far. A gradient of 0 says that f stays where it is.
#
# Write a function `meaning(gradient)` that puts this into two values, a pair of a word and a
# number:
#
# - the direction in which the root goes when the value grows: `"rises"`, `"falls"` or `"stays"`;
# - how far it goes when the value grows by 1: a size, so it has no minus sign.
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
# The table of the relu sum: every node, its gradient, and what that means.

# %% tags=["demo"]
print("node    data  gradient  meaning")
for name, node in relu_sum().items():
    direction, size = meaning(node.grad)
    how_far = "" if direction == "stays" else f" by {size:g}"
    words = f"if {name} grows by 1, f {direction}{how_far}"
    print(f"{name:4} {node.data:7g} {node.grad:9g}  {words}")

# %% [markdown]
# How far can such a sentence be trusted? A gradient is the slope at one place. It is a promise
# about small nudges, and it is kept for larger ones only as long as the slope stays what it is.
#
# Let a grow by 2, from 2 to 4, and leave b = -3 and d = 10 alone.
#
# - `f_by_gradient`: the value of f that the gradient of a promises for a = 4. Begin at the f of
#   a = 2, and move by gradient times nudge.
# - `f_in_truth`: the value of f if you compute the graph anew with a = 4.
#
# They are not the same. Which node of the graph is the reason, and at which value of a does the
# promise begin to fail?

# %%
### BEGIN SOLUTION: fill in f_by_gradient and f_in_truth
# STUB: f_by_gradient = ...  # a number
# STUB: f_in_truth = ...  # a number
f_by_gradient = -2
f_in_truth = 0
### END SOLUTION

# %% tags=["demo"]
if f_by_gradient is ... or f_in_truth is ...:
    raise NotImplementedError("fill in f_by_gradient and f_in_truth first")

start = relu_sum()
print("nudge   promised   computed anew")
for nudge in (0.01, 0.5, 1.0, 1.25, 1.5, 2.0):
    promised = start["f"].data + start["a"].grad * nudge
    anew = relu_sum(a=2.0 + nudge)["f"].data
    print(f"{nudge:5g} {promised:10g} {anew:15g}")
print(f"you wrote: promised {f_by_gradient}, computed anew {f_in_truth}")

# %% [markdown]
# ## 5. Two engines, one answer
#
# The engine of day 4 and the engine of today compute the same gradients, because both apply the
# same chain rule; they only keep it in different places. Let them prove it. Each of the next cells
# builds random graphs out of all operations, once with each engine, and compares every leaf. There
# is nothing to write.
#
# The first cell makes the graphs. A graph is planned with random numbers, then built with whatever
# kind of value it is given.

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


compare("the same engine again", Value)

# %% [markdown]
# Your own day 4, if its notebook lies in the folder beside this one. Its cells run in a place of
# their own, so that the two classes do not get in each other's way. If your day 4 lies elsewhere,
# change the path.

# %% tags=["demo"]
import contextlib
import io
import json
from pathlib import Path

day4 = Path("../day4/day4_engine.ipynb")


def value_of(notebook):
    """The class Value of a notebook; cells for your own eyes are left out."""
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
# And PyTorch. This cell is for your own eyes; the grader makes its own comparison, on other graphs
# and on the loss of a small network.

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

# %% [markdown]
# What is the difference, then, if the gradients are the same?
#
# | | closures (days 2 to 4) | local gradients (today) |
# |---|---|---|
# | a node keeps | its inputs, and a function | its children, and a number for each |
# | the chain rule stands | in every operation | in `backward`, once |
# | the derivative is evaluated | when the closure is called | when the node is made |
# | a slip in `=` for `+=` | can hide in a single operation | shows in every graph with a reuse |
# | a new operation needs | a result and a closure | a result and its pairs |
#
# The third row has a consequence that is easy to overlook: a local gradient belongs to the values
# of the forward pass in which it was computed. The second quiz question comes back to it.

# %% [markdown]
# ## Quiz
#
# Values are numbers; choices are a letter in quotes, such as `"A"`. Paper is enough for all of
# them.
#
# 1. `quiz_quotient`: let a = 6, b = 2 and q = a / b. Which number does q keep beside b?
# 2. `quiz_changed_later`: someone runs the four lines `a, b = Value(2.0), Value(-3.0)`, then
#    `L = a * b`, then `a.data = 5.0`, then `L.backward()`. In an engine that keeps local
#    gradients, what is `b.grad`?
# 3. `quiz_three_pairs`: in `y = a * a + 3 * a` with a = 4, the value a is a child in three pairs.
#    What is `a.grad` after `y.backward()`?
# 4. `quiz_square`: what does the node of `a * a` have to keep for the loop to be right?
#    - A: the child a once, with the local gradient a, for the loop comes to each child only once
#    - B: the child a twice, with 1 for the first and 2·a for the second, which make up the rule
#    - C: the child a twice, with the local gradient 2·a each time, as the derivative of a² says
#    - D: the child a twice, with the local gradient a each time, and the loop adds both of them
# 5. `quiz_dead_relu`: in `relu(w * x + b)` the sum is negative. Why is `w.grad` 0?
#    - A: the output is 0, and a gradient is the output of a node times the upstream gradient
#    - B: relu keeps the local gradient 0 for its child, and every path from w to the root has
#      that factor
#    - C: a negative sum is cut out of the graph, so the sort does not list w and the loop never
#      comes to it
#    - D: w is itself negative, and relu hands on gradients to positive values only
# 6. `quiz_order`: all local gradients are known before the backward pass begins. Why must the loop
#    still go through the nodes in reverse topological order?
#    - A: a node multiplies by its own gradient, which is complete only when all that use it are
#      done
#    - B: the local gradients of a node are final only once the nodes above it have been walked
#    - C: children can be reached from their parents only, so no other order would find them all
#    - D: it need not, since sums do not depend on their order; it only saves the loop some time

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

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | local gradient | the local derivative of a node with respect to one child, evaluated and kept |
# | children | the values that a node was made from, one entry for each use |
# | pair | a child and the local gradient that belongs to it |
# | leaf | a value that no operation made: it has no children and no local gradients |
# | upstream gradient | how far the root moves for each unit that this node moves: `node.grad` |
# | contribution | local gradient times upstream gradient: what one pair brings to a child |
# | accumulate | to add a contribution to the gradient that is there, with `+=` |
# | seed | the gradient of 1 that the root is given before the loop |
# | reverse topological order | each node after all nodes that use it; the order of the loop |
# | dead relu | a relu whose input is negative: local gradient 0, nothing passes |
#
# ## Where you are now
#
# You have built reverse-mode differentiation twice, in both of the ways in which it is usually
# written. What large frameworks add to it is that their values are arrays instead of single
# numbers, and that they know many more operations. The graph, the local derivative, the seed, the
# order and the `+=` are the ones that you have written here.

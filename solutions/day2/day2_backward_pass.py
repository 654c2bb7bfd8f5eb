# %% [markdown]
# # Day 2: the backward pass
#
# Yesterday, on [day 1, the forward pass](../day1/README.md), your `Value` learned to compute a
# result and to remember what it was made from. Today it learns to answer a question about that
# result: **if I nudge this number a little, how much does the result move?** The answer, for every
# number in the graph, is its gradient.
#
# - **Do first:** sections 1 to 4, the two closures and the walk by hand. They carry more than half
#   of the points, and everything after them rests on them.
# - **Then:** sections 6 to 8, a larger graph, `tanh`, and what a wrong order costs.
# - **If there is time:** the comparison with PyTorch in section 5 (nothing to write, worth a run),
#   the thermometer in section 9, the quiz in section 10, and a second right order for the graph of
#   section 6.
# - **With care:** section 4 and section 8. Both are about mistakes that raise no error.
# - **Another day:** finding the order by program. That is the topological sort of
#   [day 3, the day after](../day3/README.md); today you write every order down as a list. Division,
#   powers, `exp` and `relu` belong to day 4. If you built subtraction out of + and × on day 1, you
#   may bring it along: it needs no closure of its own.
#
# How to work: run the notebook from the top. A cell that stops with `NotImplementedError` is not
# broken; it is waiting for you, and its message says for what. An answer that is still blank reads
# `...`; replace the three dots. When you have changed the class, run all the cells below it again:
# objects that were made before still belong to the old class. In a terminal, `grade day2` tells you
# how far you are.

# %%
import math

# %% [markdown]
# ## 1. Closures for + and ×
#
# Every operation answers for itself only. It needs two things:
#
# - its **local derivative**: how far its output moves for each unit that one input moves, while the
#   other input stays where it is;
# - the **upstream gradient**: how far the root moves for each unit that this output moves. By the
#   time the operation is asked, that number stands in `out.grad`.
#
# The **chain rule** joins them: upstream times local. Think of a crank that turns a wheel 4 times
# for each turn of its own, and a wheel that lifts a bucket half a metre for each of its turns. One
# turn of the crank lifts the bucket 4 · 0.5 = 2 metres. Rates along one path multiply; where there
# are several paths, what they contribute adds up.
#
# What are the local derivatives of + and ×? Measure them. Take u = 4 and v = 7, and nudge one of
# them by 0.01:
#
# | | before | u nudged | v nudged |
# |---|---|---|---|
# | u + v | 11 | 11.01 | 11.01 |
# | u · v | 28 | 28.07 | 28.04 |
#
# Divide each move by the nudge. For ×, find the number that you get among the numbers you started
# from, and ask yourself why it is that one.
#
# The rule goes into a function named `_backward` that is defined inside the operation and kept on
# its output. It is written now and called later: while the forward pass runs nobody knows
# `out.grad` yet. When it is called, it reads `out.grad`, gives each input its contribution, and
# returns nothing. A contribution is *added* to what `.grad` already holds; section 4 shows what
# happens otherwise. A **leaf**, a value that no operation made, has nothing to pass on, so its
# `_backward` does nothing.
#
# Four blocks are yours: two forward lines from [day 1](../day1/README.md), two closures. The rest
# stands.


# %%
class Value:
    """A number that remembers what it was made from and collects its gradient."""

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__add__: bring your forward pass from day 1
        out = Value(self.data + other.data, (self, other), "+")
        ### END SOLUTION

        def _backward():
            ### BEGIN SOLUTION: Value.__add__: write its _backward
            self.grad += out.grad
            other.grad += out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION: Value.__mul__: bring your forward pass from day 1
        out = Value(self.data * other.data, (self, other), "*")
        ### END SOLUTION

        def _backward():
            ### BEGIN SOLUTION: Value.__mul__: write its _backward
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
            ### END SOLUTION

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


# %% [markdown]
# ## 2. Walk one graph by hand
#
# The graph is called *product*: `d = a * b`, then `L = d + c`, with a = 2, b = -3, c = 10.
#
# ```text
# a = 2  ----\
#             (*)---- d ----\
# b = -3 ----/               (+)---- L
# c = 10 -------------------/
# ```
#
# The forward pass goes through it from left to right, the backward pass from right to left. It
# begins with the **seed**: the gradient of the root L with respect to itself. However far L moves,
# L moves just as far, so the seed is 1. Then one node after the other gets its `_backward` called,
# and each call hands gradients to the inputs of that node. A node can only pass on what it has
# received by then.
#
# Write down the names of the nodes in the order in which their `_backward` is to be called, the
# root first, as a list of strings. The leaves a, b and c may be on the list or not: theirs do
# nothing.
#
# The cell after it walks in your order and prints what it finds. If you would like the predictions
# of section 3 to be real ones, make them on paper before you run it.

# %%
### BEGIN SOLUTION: fill in product_order
# STUB: product_order = ...  # names, the root first
product_order = ["L", "d"]
### END SOLUTION

# %% tags=["demo"]
if product_order is ...:
    raise NotImplementedError("fill in product_order first")

a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(10.0, label="c")
d = a * b
L = d + c
nodes = {"a": a, "b": b, "c": c, "d": d, "L": L}

L.grad = 1.0
for name in product_order:
    nodes[name]._backward()
    print(f"after {name}:", ", ".join(f"{key} {node.grad:g}" for key, node in nodes.items()))

# %% [markdown]
# ## 3. Predict, then measure
#
# A gradient that you can predict is one that you understand. Start at the root with 1 and go
# backward along the edges with a pencil, upstream times local at each.
#
# - `product_grads`: the gradients of a, b, c and d in product.
# - `sum_times_grads`: the gradients of a, b, c and e in *sum-times*: `e = a + b`, then `f = e * c`,
#   again with a = 2, b = -3, c = 10. The root is f.
#
# ```text
# a = 2  ----\
#             (+)---- e ----\
# b = -3 ----/               (*)---- f
# c = 10 -------------------/
# ```
#
# Both are dictionaries from a name to a number. The cell after it measures the slopes of sum-times
# without any closure: it moves one number up a little, then down a little, and looks at f. Section
# 5 compares your predictions for product.

# %%
### BEGIN SOLUTION: fill in product_grads and sum_times_grads
# STUB: product_grads = ...  # a dictionary with the keys "a", "b", "c", "d"
# STUB: sum_times_grads = ...  # a dictionary with the keys "a", "b", "c", "e"
product_grads = {"a": -3, "b": 2, "c": 1, "d": 1}
sum_times_grads = {"a": 10, "b": 10, "c": -1, "e": 10}
### END SOLUTION

# %% tags=["demo"]
if sum_times_grads is ...:
    raise NotImplementedError("fill in sum_times_grads first")

nudge = 0.001


def sum_times(a=2.0, b=-3.0, c=10.0, on_e=0.0):
    """The root f of sum-times, with a nudge on the inner node e if one is given."""
    e = Value(a) + Value(b) + on_e
    return (e * Value(c)).data


slopes = {
    "a": (sum_times(a=2.0 + nudge) - sum_times(a=2.0 - nudge)) / (2 * nudge),
    "b": (sum_times(b=-3.0 + nudge) - sum_times(b=-3.0 - nudge)) / (2 * nudge),
    "c": (sum_times(c=10.0 + nudge) - sum_times(c=10.0 - nudge)) / (2 * nudge),
    "e": (sum_times(on_e=nudge) - sum_times(on_e=-nudge)) / (2 * nudge),
}
for name, slope in slopes.items():
    print(f"{name}: predicted {sum_times_grads.get(name)}, measured {slope:.4f}")

# %% [markdown]
# ## 4. The += trap
#
# A value may be used twice, and then a nudge reaches the root along two paths. Both contributions
# arrive at the same `.grad`, one after the other. If 4 arrives and then 5, the gradient is 9. That
# is what **accumulate** means.
#
# If a closure assigns with `=` where `+=` belongs, the second arrival wipes out the first, and 5 is
# left. Nothing crashes, and every graph in which each value is used once still comes out right.
# That is why this is the most frequent mistake of the course.
#
# Look at `a + a` and at `a * a` with a = 3. In both, `self` and `other` are one and the same
# object. Suppose that the closures said `=` for both inputs: what would `a.grad` be then, with a
# seed of 1? Note that the question is about the broken closures, not about yours.

# %%
### BEGIN SOLUTION: fill in twice_with_assignment
# STUB: twice_with_assignment = ...  # a dictionary with the keys "a + a" and "a * a"
twice_with_assignment = {"a + a": 1, "a * a": 3}
### END SOLUTION

# %% tags=["demo"]
if twice_with_assignment is ...:
    raise NotImplementedError("fill in twice_with_assignment first")

for expression, build in {"a + a": lambda x: x + x, "a * a": lambda x: x * x}.items():
    a = Value(3.0, label="a")
    L = build(a)
    L.grad = 1.0
    L._backward()
    slope = (build(3.0 + 0.001) - build(3.0 - 0.001)) / 0.002
    broken = twice_with_assignment.get(expression)
    print(f"{expression}: measured {slope:.4f}, your engine {a.grad:g}, with = only {broken}")

# %% [markdown]
# ## 5. Ask PyTorch
#
# PyTorch does on tensors what you do on single numbers. A leaf says `requires_grad=True`, which
# asks PyTorch to remember how it is used; `backward()` seeds the root and walks. The gradient of an
# inner node is not kept unless `retain_grad()` asks for it.
#
# There is nothing to write here. The cell sets your predictions for product, your walk in your
# order and PyTorch's numbers side by side. If PyTorch is not installed, go on: the grader makes its
# own comparison, on graphs of its own.

# %% tags=["verify"]
if product_order is ... or product_grads is ...:
    raise NotImplementedError("fill in product_order and product_grads first")

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    a, b, c = Value(2.0), Value(-3.0), Value(10.0)
    d = a * b
    L = d + c
    nodes = {"a": a, "b": b, "c": c, "d": d, "L": L}
    L.grad = 1.0
    for name in product_order:
        nodes[name]._backward()

    ta, tb, tc = (
        torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.0, -3.0, 10.0)
    )
    td = ta * tb
    td.retain_grad()
    tL = td + tc
    tL.backward()

    for name, tensor in {"a": ta, "b": tb, "c": tc, "d": td}.items():
        ours, theirs = nodes[name].grad, tensor.grad.item()
        verdict = "agrees" if math.isclose(ours, theirs, abs_tol=1e-9) else "differs"
        guess = product_grads.get(name)
        print(f"{name}: predicted {guess}, yours {ours:g}, PyTorch {theirs:g}: {verdict}")

# %% [markdown]
# ## 6. A graph in which leaves are used twice
#
# The graph *complex* is `(a*b + c) * (a + b)` with a = 2, b = -3, c = 10. Give its inner nodes
# names: `p = a * b`, `q = p + c`, `s = a + b`, `L = q * s`.
#
# ```text
# a, b ---(*)---- p ----\
#                        (+)---- q ----\
# c --------------------/               (*)---- L
# a, b ---(+)--------------------- s ---/
# ```
#
# Now a and b each reach L along two paths. On paper first: compute every node forward, then the
# gradient of every node backward, and for a and b add what the two paths bring. That is
# `complex_grads`, for the leaves a, b and c.
#
# Then `complex_order`: the names L, q, s and p in an order that works. There are several, and all
# are accepted. Leaves may be listed as well. Test each name on your list with one question: has
# every node that uses this one been called already?

# %%
### BEGIN SOLUTION: fill in complex_grads and complex_order
# STUB: complex_grads = ...  # a dictionary with the keys "a", "b", "c"
# STUB: complex_order = ...  # names, the root first
complex_grads = {"a": 7, "b": 2, "c": -1}
complex_order = ["L", "q", "s", "p"]
### END SOLUTION

# %% [markdown]
# Last, `reset_grads`. Gradients accumulate, so a second walk over the same graph adds to what the
# first one left, in the inner nodes too. Before you walk again, every value has to start from
# nothing. Write the body of a function that takes any number of values and clears the gradient of
# each. The cell after it walks twice, with a reset before each walk, and the two should agree.


# %%
def reset_grads(*values):
    """Clear the gradient of each of the values, so that a walk can start afresh."""
    ### BEGIN SOLUTION: reset_grads: clear the gradient of every value
    for value in values:
        value.grad = 0.0
    ### END SOLUTION


# %% tags=["demo"]
if complex_grads is ... or complex_order is ...:
    raise NotImplementedError("fill in complex_grads and complex_order first")

a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(10.0, label="c")
p = a * b
q = p + c
s = a + b
L = q * s
nodes = {"a": a, "b": b, "c": c, "p": p, "q": q, "s": s, "L": L}

walks = []
for _ in range(2):
    reset_grads(*nodes.values())
    L.grad = 1.0
    for name in complex_order:
        nodes[name]._backward()
    walks.append({name: node.grad for name, node in nodes.items()})

first, second = walks
for name in ("a", "b", "c"):
    guess = complex_grads.get(name)
    print(f"{name}: predicted {guess}, first walk {first[name]:g}, second walk {second[name]:g}")

# %% [markdown]
# ## 7. tanh, and a neuron
#
# `tanh` squeezes any number into the range from -1 to 1. It is steepest at 0, where its slope is 1,
# and nearly flat far out on either side, where a nudge of the input hardly moves the output.
#
# It has one input, so its closure has one contribution to give: upstream times local, as always.
# The local derivative can be written with the output alone, which is at hand under the name `t`.
# Derive it from tanh x = (eˣ - e⁻ˣ) / (eˣ + e⁻ˣ) with the quotient rule, or find a formula that
# fits this table:
#
# | output t | 0 | 0.6 | 0.8 | -0.8 |
# |---|---|---|---|---|
# | slope there | 1 | 0.64 | 0.36 | 0.36 |
#
# Mind the parentheses when you multiply by the upstream gradient. At a root the upstream is 1, and
# a misplaced parenthesis does not show; elsewhere it does.

# %%
def tanh(self):
    """The hyperbolic tangent of a value, as a value."""
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        ### BEGIN SOLUTION: Value.tanh: write its _backward
        self.grad += (1 - t**2) * out.grad
        ### END SOLUTION

    out._backward = _backward
    return out


Value.tanh = tanh

# %% [markdown]
# A neuron weighs its inputs, adds a bias, and squeezes the sum:
# `n = x1*w1 + x2*w2 + b`, then `o = tanh(n)`. Here x1 = 2, x2 = 0, w1 = -3, w2 = 1 and
# b = 6.8813735870195432, a bias chosen so that o is 1/√2, about 0.7071, and paper is enough.
#
# ```text
# x1, w1 ---(*)----\
#                   (+)----\
# x2, w2 ---(*)----/        (+)---- n ---(tanh)---- o
# b -----------------------/
# ```
#
# Write the gradients of o with respect to x1, w1, x2, w2, b and n into `neuron_grads`. Look at x2
# and w2 in particular: a weight whose input is 0 and an input that is 0 are not the same thing.
# The cell after it compares your numbers with your engine and, if it is there, with PyTorch.

# %%
### BEGIN SOLUTION: fill in neuron_grads
# STUB: neuron_grads = ...  # a dictionary with the keys "x1", "w1", "x2", "w2", "b", "n"
neuron_grads = {"x1": -1.5, "w1": 1, "x2": 0.5, "w2": 0, "b": 0.5, "n": 0.5}
### END SOLUTION

# %% tags=["verify"]
if neuron_grads is ...:
    raise NotImplementedError("fill in neuron_grads first")

numbers = {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.8813735870195432}

nodes = {name: Value(number, label=name) for name, number in numbers.items()}
left = nodes["x1"] * nodes["w1"]
right = nodes["x2"] * nodes["w2"]
both = left + right
nodes["n"] = both + nodes["b"]
o = nodes["n"].tanh()
o.grad = 1.0
for node in (o, nodes["n"], both, left, right):
    node._backward()

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
    tensors = {}
else:
    tensors = {
        name: torch.tensor(number, dtype=torch.float64, requires_grad=True)
        for name, number in numbers.items()
    }
    tensors["n"] = tensors["x1"] * tensors["w1"] + tensors["x2"] * tensors["w2"] + tensors["b"]
    tensors["n"].retain_grad()
    torch.tanh(tensors["n"]).backward()

for name, node in nodes.items():
    line = f"{name:>2}: predicted {neuron_grads.get(name)}, yours {node.grad:.6f}"
    if tensors:
        theirs = tensors[name].grad.item()
        verdict = "agrees" if math.isclose(node.grad, theirs, abs_tol=1e-9) else "differs"
        line += f", PyTorch {theirs:.6f}: {verdict}"
    print(line)

# %% [markdown]
# ## 8. The diamond, in the wrong order
#
# In the *diamond*, a goes two ways and the ways meet again: `b = a + 1`, `c = a * 3`, `d = b * c`,
# with a = 2.
#
# ```text
#          /---(+ 1)---- b ----\
# a = 2 --<                     (*)---- d
#          \---(* 3)---- c ----/
# ```
#
# A node passes on the gradient that it holds at the moment it is called. If it is called before its
# own gradient has arrived, it passes on 0; what arrives afterwards stays with it and never reaches
# its inputs. No error is raised. The contribution is simply missing from the total.
#
# - `diamond_order`: the names in an order in which a receives its whole gradient. Several are
#   right. The leaf a may stand anywhere, or be left out.
# - `lost_by_b_first`: someone calls b before d, and everything else in a right order. How much is
#   missing from `a.grad`?
# - `lost_by_c_first`: the same for c before d.
#
# The cell after it walks in your order, and then in your order with b, or c, moved to the front. It
# compares each walk with the slope that a nudge of a measures.

# %%
### BEGIN SOLUTION: fill in diamond_order, lost_by_b_first and lost_by_c_first
# STUB: diamond_order = ...  # names in the order of the calls
# STUB: lost_by_b_first = ...  # a number: what is missing from a.grad
# STUB: lost_by_c_first = ...  # a number: what is missing from a.grad
diamond_order = ["d", "b", "c", "a"]
lost_by_b_first = 6
lost_by_c_first = 9
### END SOLUTION

# %% tags=["demo"]
if diamond_order is ... or lost_by_b_first is ... or lost_by_c_first is ...:
    raise NotImplementedError("fill in diamond_order and the two lost amounts first")


def walk_diamond(order):
    """The gradient of a after a walk over a fresh diamond in this order."""
    a = Value(2.0, label="a")
    b = a + 1
    c = a * 3
    d = b * c
    nodes = {"a": a, "b": b, "c": c, "d": d}
    d.grad = 1.0
    for name in order:
        nodes[name]._backward()
    return a.grad


def diamond_root(a):
    """The root of the diamond, from plain numbers."""
    return (a + 1) * (a * 3)


slope = (diamond_root(2.0 + 0.001) - diamond_root(2.0 - 0.001)) / 0.002
print(f"measured slope: {slope:.4f}")
print(f"your order {diamond_order}: a.grad = {walk_diamond(diamond_order):g}")
for early, predicted in {"b": lost_by_b_first, "c": lost_by_c_first}.items():
    order = [early, *(name for name in diamond_order if name != early)]
    grad = walk_diamond(order)
    print(f"{early} first: a.grad = {grad:g}, lost {slope - grad:.4f}, predicted {predicted}")

# %% [markdown]
# ## 9. Reading gradients: the thermometer
#
# A gradient tells you two things. Its **sign** says which way the output goes when the value goes
# up: the same way for plus, the opposite way for minus. Its **size** says how much leverage the
# value has: with a gradient of -5, a small nudge upward moves the output five times as far down.
# Do not read leverage off the value itself: a large number can have very little of it.
#
# Back to product, with the gradients from section 2. The next cell draws them. Then:
#
# - `strongest`: the name of the leaf, among a, b and c, with the most leverage.
# - `leverage_a_over_c`: how many times as much leverage a has as c. Leverage is a size, so leave
#   signs out of it.
# - `nudge_up`: the names of those leaves among a, b and c to nudge up so that L rises. The others
#   will be nudged down.
#
# This is all that training does: find out which way each number should go, and move it a little.

# %% tags=["demo"]
if product_order is ...:
    raise NotImplementedError("fill in product_order first")

a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(10.0, label="c")
d = a * b
L = d + c
nodes = {"a": a, "b": b, "c": c, "d": d, "L": L}
L.grad = 1.0
for name in product_order:
    nodes[name]._backward()

width = 24
largest = max(abs(node.grad) for node in nodes.values()) or 1.0
print(f"{'gradient':>12}  {'minus':>{width}} | plus")
for name, node in nodes.items():
    bar = "#" * round(width * abs(node.grad) / largest)
    minus, plus = (bar, "") if node.grad < 0 else ("", bar)
    print(f"{name:>2} {node.grad:+9.3f}  {minus:>{width}} | {plus}".rstrip())

# %%
### BEGIN SOLUTION: fill in strongest, leverage_a_over_c and nudge_up
# STUB: strongest = ...  # a name
# STUB: leverage_a_over_c = ...  # a number
# STUB: nudge_up = ...  # a list of names
strongest = "a"
leverage_a_over_c = 3
nudge_up = ["b", "c"]
### END SOLUTION

# %% tags=["demo"]
if nudge_up is ...:
    raise NotImplementedError("fill in nudge_up first")


def product_root(a, b, c):
    """The root L of product."""
    return (Value(a) * Value(b) + Value(c)).data


step = 0.01
start = {"a": 2.0, "b": -3.0, "c": 10.0}
print(f"L at the start: {product_root(**start):.4f}")
for name, number in start.items():
    way, change = ("up", step) if name in nudge_up else ("down", -step)
    moved = {**start, name: number + change}
    print(f"{name} alone {way} by {step}: L = {product_root(**moved):.4f}")
everything = {
    name: number + (step if name in nudge_up else -step) for name, number in start.items()
}
print(f"all three together: L = {product_root(**everything):.4f}")

# %% [markdown]
# ## 10. Quiz
#
# Five questions about today's graphs. Answer on paper first. For a value write a number; your own
# engine can tell you whether it is right. For a choice write its letter in quotes, such as `"A"`;
# only one of the four is right.
#
# 1. *sum-times*, `e = a + b`, then `f = e * c`, with a = 2, b = -3, c = 10. What is the slope of f
#    for a, and what is it for b? (`quiz_df_da`, `quiz_df_db`)
# 2. The neuron of section 7. What is the slope of o for w1 (`quiz_do_dw1`)? And why is it 0 for w2
#    (`quiz_w2`)?
#    - A: tanh is so flat at n that nothing of the gradient gets through to w2.
#    - B: w2 is 1 here, and the derivative of a constant such as 1 is 0.
#    - C: x2·w2 is 0, so no gradient arrives at that product.
#    - D: x2 is 0, so x2·w2 stays where it is, whatever becomes of w2.
# 3. `L = a * a` with a = 3. What does a.grad hold after a right backward pass (`quiz_a_times_a`)?
#    And why does a closure write `+=` where `=` would be shorter (`quiz_why_add`)?
#    - A: A gradient can be negative, and `=` would lose its sign.
#    - B: A value can be used several times, and every use brings a contribution.
#    - C: The gradients of all the steps of a training run are meant to add up.
#    - D: Every gradient holds a seed of 1 already, and `=` would wipe it out.
# 4. The *diamond*, `b = a + 1`, `c = a * 3`, `d = b * c`, with a = 2. What is the slope of d for a?
#    (`quiz_dd_da`)
# 5. What does one backward pass compute? (`quiz_backpropagation`)
#    - A: The value of every node once more, this time from the root to the leaves.
#    - B: For every node, how far it moves for each unit that one leaf moves.
#    - C: For every node, how far the root moves for each unit that this node moves.
#    - D: For every leaf, the new value that it should take so that the root falls.

# %%
### BEGIN SOLUTION: fill in the answers of the quiz
# STUB: quiz_df_da = ...  # a number
# STUB: quiz_df_db = ...  # a number
# STUB: quiz_do_dw1 = ...  # a number
# STUB: quiz_w2 = ...  # a letter in quotes
# STUB: quiz_a_times_a = ...  # a number
# STUB: quiz_why_add = ...  # a letter in quotes
# STUB: quiz_dd_da = ...  # a number
# STUB: quiz_backpropagation = ...  # a letter in quotes
quiz_df_da = 10
quiz_df_db = 10
quiz_do_dw1 = 1
quiz_w2 = "D"
quiz_a_times_a = 6
quiz_why_add = "B"
quiz_dd_da = 15
quiz_backpropagation = "C"
### END SOLUTION

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | forward pass | computing the data of every node, from the leaves to the root |
# | backward pass | computing the gradient of every node, from the root to the leaves |
# | leaf | a value that no operation made: an input or a parameter |
# | root | the value at the end of the graph, whose slope we ask for |
# | upstream gradient | how far the root moves for each unit that a node's output moves |
# | local derivative | how far an operation's output moves for each unit that one input moves |
# | accumulate | to add a contribution to the gradient that is there, without replacing it |
# | seed | the gradient of 1 that the root is given before the walk begins |
# | reverse topological order | an order in which each node comes after all nodes that use it |
#
# ## What comes next
#
# Today you wrote three orders by hand, for graphs of a few nodes each. That does not go on for
# long: a small network has thousands. On [day 3](../day3/README.md) a function finds the order for
# any graph, and `backward` becomes one call. It uses the closures that you wrote today just as they
# are.

# %% [markdown]
# # Day 3: topological sort
#
# On [day 2](../day2/README.md) you wrote down by hand in which order the `_backward` functions
# are called, and saw that a wrong order loses gradient without any error. Today the engine finds
# the order itself. At the end, `L.backward()` works for every graph that you can build.
#
# - **First:** bring your `Value` class along, then write `build_topo`, `backward`, and make
#   `backward` a method. The diamond tells you whether they work.
# - **If there is time:** the graphs *reuse* and *deep*, the quiz at the end, and a chain of 5,000
#   nodes, for which `build_topo` has to do without recursion. The chain is worth 10 points of 100;
#   the other 90 can be had with a recursive answer.
# - **With care:** every node once; children before parents; `backward` leaves the gradients
#   that are already there alone.
# - **Another day:** what happens inside a `_backward` closure belongs to day 2. If a gradient is
#   wrong although the order is right, look there. Subtraction, division, powers and training
#   belong to [day 4](../day4/README.md).

# %% [markdown]
# ## Your Value from day 2
#
# Paste your `Value` class from day 2 into the next cell, with its imports. Today needs `data`,
# `grad`, `_backward` and `_prev`, and `+` and `*` with a number on either side.
#
# When this notebook is graded in a course folder that also holds your day 2 submission, that
# submission is loaded first, and the cell may stay as it is. To run the notebook yourself you
# need the class here.
#
# `build_topo` and `backward` are graded first on plain nodes that have nothing but `_prev`,
# `data`, `grad` and `_backward`, and whose `_backward` only logs that it was called. A mistake in
# day 2 does not cost you those checks. It also means that your two functions should use nothing
# of a node but these four.

# %% tags=["paste"]
### BEGIN SOLUTION: paste your Value class from day 2 into this cell
# STUB: # Paste your Value class from day 2 into this cell.
# STUB: if "Value" not in globals():
# STUB:     raise NotImplementedError("paste your Value class from day 2 into this cell")
import math


class Value:
    """A number that remembers what it was made from and can pass its gradient on."""

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
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out


### END SOLUTION

# %% [markdown]
# ## Children before parents
#
# A node's *children* are the nodes it was computed from, the ones in its `_prev`. A
# **topological order** is a list of all nodes in which every node stands after its children. The
# root, which everything else leads to, is last.
#
# **Why the order matters.** Remember the diamond of day 2:
#
# ```text
#           +--> b = a + 1 --+
#           |                |
# a = 2 ----+                +--> d = b * c
#           |                |
#           +--> c = a * 3 --+
# ```
#
# A node's `_backward` hands on the gradient that the node has at that moment. If `b` is called
# before `d`, its gradient is still 0, and 0 is what it hands to `a`. Nothing repairs that later.
# So a node may be called only when everything that uses it has been called. Read a topological
# order from its end, and this holds for every node: that is the **reverse topological order**,
# and the reason for sorting.
#
# **Why a node must be remembered.** The natural way to list a graph is a depth-first search: go
# to each child, do the same there, and deal with the node itself once its children are done. But
# two paths lead to `a`, one through `b` and one through `c`, and a search that does not remember
# where it has been arrives at `a` twice and lists it twice. For a leaf that happens to be
# harmless, since its `_backward` does nothing. An inner node that stands in the list twice hands
# on its gradient twice. That graphs like these have no cycles does not help: the search ends, but
# nothing stops two paths from meeting. So keep a set of the **visited** nodes, and keep the nodes
# in it, not their data: two leaves that both hold 2.0 are two leaves.
#
# **What recursion costs.** In a function that calls itself for each child, every node on the way
# down is a call that waits for the one below. Python allows about 1,000 waiting calls, the
# **recursion limit**, and raises `RecursionError` beyond it. A sum of a few thousand terms, added
# one at a time, is a chain longer than that. Start with recursion if it is clearer to you; it is
# enough for everything but the long chain.
#
# A graph usually has several topological orders, and each of them is accepted. The order in which
# a set such as `_prev` is walked is not fixed, so yours may change from run to run. It has to be
# right each time.


# %%
def build_topo(root):
    """Return a list of all nodes that the graph of `root` is made of, sorted topologically.

    The list holds every node that can be reached from `root` through `_prev`, and `root` itself,
    each of them once. Children stand before their parents, so `root` is last.
    """
    ### BEGIN SOLUTION: list every node once, children before parents
    order = []
    visited = set()
    stack = [(root, False)]  # nodes still to handle, and whether their children are done
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
    ### END SOLUTION


# %% [markdown]
# Try it on *complex*, `L = (a * b + c) * (a + b)`. Each of the seven labels should appear once:
# `p` after `a` and `b`, `q` after `p` and `c`, `s` after `a` and `b`, and `L` last.

# %% tags=["demo"]
a, b, c = Value(2.0), Value(-3.0), Value(10.0)
p = a * b
q = p + c
s = a + b
L = q * s
for name, node in {"a": a, "b": b, "c": c, "p": p, "q": q, "s": s, "L": L}.items():
    node.label = name

print(" ".join(node.label for node in build_topo(L)))

# %% [markdown]
# ## The backward pass
#
# What you did by hand on day 2 is now a function of two steps:
#
# 1. **Seed** the root: its gradient becomes 1.0, because the root changes one for one with itself.
#    Without the seed every gradient is computed from 0 and stays 0.
# 2. Call `_backward` of every node, once, in **reverse topological order**: the root first, and
#    no node before everything that uses it.
#
# Apart from the seed, `backward` itself does not touch any gradient. In particular it does not
# set gradients back to 0; why not is explained further down.


# %%
def backward(root):
    """Fill in the gradient of every node in the graph of `root`.

    The root is seeded with 1.0, then the `_backward` of every node is called in reverse
    topological order. Gradients are not cleared first: they accumulate.
    """
    ### BEGIN SOLUTION: seed the root, then call every _backward in reverse topological order
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        node._backward()
    ### END SOLUTION


# %% [markdown]
# ## From function to method
#
# A function that is stored in a class is a method of its objects: the object before the dot
# becomes its first argument. So `backward` need not be written a second time. Give `Value` an
# attribute `backward`, and `L.backward()` does what `backward(L)` does.

# %%
### BEGIN SOLUTION: make backward a method of Value
# STUB: # make it a method, so that L.backward() works
# STUB: raise NotImplementedError("make backward a method of Value")
Value.backward = backward
### END SOLUTION

# %% [markdown]
# ## The diamond
#
# On day 2 only 8 of the 24 orders of this graph gave the right gradient for `a`. Now nobody
# chooses the order by hand. Compare with your answer of day 2, and run the cell more than once.

# %% tags=["demo"]
a = Value(2.0)
b = a + 1
c = a * 3
d = b * c
backward(d)
print("diamond: d =", d.data)
print("gradients: a =", a.grad, " b =", b.grad, " c =", c.grad, " d =", d.grad)

# %% [markdown]
# ## If there is time: shared nodes
#
# In the diamond only a leaf is used twice, and a leaf's `_backward` does nothing, so calling it
# too early or too often goes unnoticed. In *reuse* the inner node `b` is used twice, and `d` lies
# at different distances from it:
#
# ```text
# +-------------------+
# |                   v
# a --> b = 3 * a --> c = a + b --> d = b * c
#       |                           ^
#       +---------------------------+
# ```
#
# `b` is a child of `d`, but it must wait for `c` as well. Work out the gradients on paper before
# you run the cell: `c` first, then `b` from two contributions, then `a` from two.

# %% tags=["demo"]
a = Value(2.0)
b = 3 * a
c = a + b
d = b * c
print("reuse: d =", d.data, " nodes =", len(build_topo(d)))
d.backward()
print("gradients: a =", a.grad, " b =", b.grad, " c =", c.grad, " d =", d.grad)

# %% [markdown]
# *deep* shares inner nodes at every level. An order that is right by luck on a small graph is
# rarely right here. The comparison with PyTorch below uses the same graph.

# %% tags=["demo"]
a = Value(2.0)
b = a * a
c = b * b
d = c * b + c
e = d * c + b
print("deep: e =", e.data, " nodes =", len(build_topo(e)))
e.backward()
print("gradients: a =", a.grad, " b =", b.grad, " c =", c.grad, " d =", d.grad, " e =", e.grad)

# %% [markdown]
# ## If there is time: a long chain
#
# Each sum in this cell is made from the one before, so the leaf lies 4,999 steps below the root.
# If the recursion limit stops you, do not raise it. Think instead of what each waiting call
# remembers for you. A list of your own can remember it too, and a list may grow as long as it
# needs to.

# %% tags=["demo"]
a = Value(1.0)
total = a
for _ in range(4999):
    total = total + a

try:
    backward(total)
except RecursionError:
    print("long chain: Python's recursion limit was reached")
else:
    print("long chain: total =", total.data, " nodes =", len(build_topo(total)))
    print("gradient: a =", a.grad)

# %% [markdown]
# ## Gradients accumulate: what zero_grad is for
#
# Build a graph over some leaves and call `backward`. Then build a new graph over *the same*
# leaves and call `backward` on its root. The leaves still hold the gradients of the first pass,
# every `_backward` adds with `+=`, and so the leaves end up with the sum of both passes.
#
# **Why `backward` must not clear.** The sum is often what one wants. With two losses over the
# same parameters, the gradient of their sum is the sum of their gradients, and two backward
# passes deliver just that. A `backward` that cleared first would throw the first loss away.
# PyTorch accumulates for the same reason.
#
# **What `zero_grad` is for.** Sometimes one wants to start over instead, as in training, where
# each step needs the gradient of that step alone. Then the gradients are set back to 0 before the
# next pass, by whoever knows that a new step begins. In PyTorch and on day 4 the function that
# does so is called `zero_grad`; on day 2 your `reset_grads` did the same by hand.
#
# **Why the same graph twice is something else.** In a new graph the inner nodes are new and start
# at 0. In the same graph they still hold the gradient of the first pass. The second pass adds to
# it, and the inner node then hands on old and new together, as if all of it were new. What
# reaches the leaves is then not the gradient once more but something else, and clearing the
# leaves alone does not help. Build the graph anew for each pass, or clear every node of it.

# %% tags=["demo"]
a = Value(2.0)

first = (a + 1) * (a * 3)
backward(first)
print("after one graph:                  a.grad =", a.grad)

second = (a + 1) * (a * 3)
backward(second)
print("after a second, fresh graph:      a.grad =", a.grad)

a.grad = 0.0
third = (a + 1) * (a * 3)
backward(third)
print("set to 0, then a third graph:     a.grad =", a.grad)

# %% [markdown]
# ## Compare with PyTorch
#
# The same graph, *deep*, in your engine and in PyTorch. Every row should end with `same`. This
# cell is for your own eyes; the grader makes its own comparison, on other graphs as well.

# %% tags=["verify"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:

    def deep_nodes(a):
        b = a * a
        c = b * b
        d = c * b + c
        e = d * c + b
        return {"a": a, "b": b, "c": c, "d": d, "e": e}

    mine = deep_nodes(Value(2.0))
    backward(mine["e"])

    theirs = deep_nodes(torch.tensor(2.0, dtype=torch.float64, requires_grad=True))
    for tensor in theirs.values():
        tensor.retain_grad()
    theirs["e"].backward()

    print("node       yours     PyTorch")
    for name, node in mine.items():
        expected = theirs[name].grad.item()
        verdict = "same" if abs(node.grad - expected) < 1e-6 else "different"
        print(f"{name:4}{node.grad:12.4f}{expected:12.4f}  {verdict}")

# %% [markdown]
# ## Quiz
#
# Six questions about today's graphs. Answer on paper first. For a value write a number; your own
# engine can tell you whether it is right. For a choice write its letter in quotes, such as `"A"`;
# only one of the four is right.
#
# 1. *reuse*, `b = 3 * a`, `c = a + b`, `d = b * c`, with a = 2. What does a.grad hold after
#    `d.backward()`? (`quiz_reuse_a`)
# 2. *complex*, `(a * b + c) * (a + b)`, with a = 2, b = -3, c = 10. Nothing is cleared in between.
#    What does a.grad hold after `backward` was called twice on one and the same graph
#    (`quiz_same_graph_twice`), and what after two graphs, each built anew over the same three
#    leaves and each walked once (`quiz_two_fresh_graphs`)?
# 3. How many elements does the list have that `build_topo` returns for *complex*?
#    (`quiz_topo_length`)
# 4. The graph of an expression has no cycles. Why does `build_topo` remember the visited nodes all
#    the same? (`quiz_visited`)
#    - A: Without the set the search would go round and round and never end.
#    - B: Leaves that hold the same data are one node, and the set finds them.
#    - C: Two paths can meet at a node, and it would be listed for each of them.
#    - D: The set keeps the nodes in the order in which the search found them.
# 5. What is `zero_grad` for? (`quiz_zero_grad`)
#    - A: The leaves keep their gradients, and the next pass would add to them.
#    - B: The inner nodes of a new graph still hold gradients of the one before.
#    - C: The root has to stand at 0, so that the seed of 1 can be added to it.
#    - D: The parameters have to go back to the values that training began with.
# 6. In *reuse*, b is a child of d. Why may b be called only after c? (`quiz_wait`)
#    - A: The data of b is computed anew in the backward pass, and c is needed for it.
#    - B: c has a part of b's gradient, and b hands on only what it holds when called.
#    - C: The children of a node are called in the order in which its `_prev` holds them.
#    - D: b lies on two paths, and it has to be called once for each of the two.

# %%
### BEGIN SOLUTION: fill in the answers of the quiz
# STUB: quiz_reuse_a = ...  # a number
# STUB: quiz_same_graph_twice = ...  # a number
# STUB: quiz_two_fresh_graphs = ...  # a number
# STUB: quiz_topo_length = ...  # a number
# STUB: quiz_visited = ...  # a letter in quotes
# STUB: quiz_zero_grad = ...  # a letter in quotes
# STUB: quiz_wait = ...  # a letter in quotes
quiz_reuse_a = 48
quiz_same_graph_twice = 24
quiz_two_fresh_graphs = 14
quiz_topo_length = 7
quiz_visited = "C"
quiz_zero_grad = "A"
quiz_wait = "B"
### END SOLUTION

# %% [markdown]
# ## Glossary
#
# - **Topological order:** a list of all nodes of a graph, each once, in which every node stands
#   after its children. Usually there are several.
# - **Reverse topological order:** the same list from its end: the root first, and every node after
#   everything that uses it. The order of the backward pass.
# - **Depth-first search:** a walk through a graph that follows one child all the way down before it
#   turns to the next.
# - **Visited:** the set of nodes that a search has already come to, so that it does not list them
#   again.
# - **Shared node:** a node that is used more than once. Its gradient has one contribution from each
#   use.
# - **Seed:** to set the root's gradient to 1.0 before the backward pass.
# - **Accumulate:** to add a contribution to the gradient that is already there, with `+=`.
# - **Recursion limit:** how many calls may wait for one another in Python, about 1,000 by default;
#   beyond it a `RecursionError` is raised.
# - **zero_grad:** setting gradients back to 0 on purpose, between passes that should not add up.
#
# ## What comes next
#
# The engine now runs on its own, but it knows only addition, multiplication and tanh. On
# [day 4](../day4/README.md) you write it once more from nothing, with subtraction, division,
# powers, `exp` and `relu`, and train a small network with it.

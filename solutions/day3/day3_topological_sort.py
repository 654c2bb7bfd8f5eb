# %% [markdown]
# # Day 3: topological sort
#
# On [day 2](../day2/README.md) you chose the order of the backward pass. A wrong order lost gradient
# without any error. Today the engine finds the order, for every graph that you can build.
#
# - **First:** sections 1 to 4, which earn 90 of 100 points.
# - **If there is time:** sections 5 and 6 show why it works. The quiz earns 5 points, a sort without
#   recursion (section 7) the last 5.
# - **With care:** every node once; children before parents; clear no gradient.
# - **Another day:** what a `_backward` computes is day 2's. More operations and training are
#   [day 4](../day4/README.md)'s.

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. Your Value from day 2
#
# Paste your `Value` class from day 2, with its imports, into the next cell. You need it to run this
# notebook. Grading also finds it if your day 2 is in this repository.
#
# The checks use **plain nodes**: objects of a small class of their own, with `_prev`, `data`, `grad`
# and `_backward` only. They are no Values, and numbers are no nodes there. Only `pytorch_parity` uses your
# Values, so a mistake from day 2 shows there.

# %% tags=["paste"]
### BEGIN SOLUTION: paste your Value class from day 2 into this cell
# STUB: # Paste your Value class from day 2 into this cell.
# STUB: # Otherwise grading needs your day 2 in this repository.
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
# ## 2. Children before parents
#
# The *children* of a node are what it was computed from: its `_prev`. Its *parents* are computed from
# it. The *root* has no parents, a *leaf* no children; the others are *inner* nodes. `draw` shows the
# diamond of day 2. Its root is `d`.

# %% tags=["demo"]
a = Value(2.0)
b = a + 1
c = a * 3
d = b * c
a.label, b.label, c.label, d.label = "a", "b", "c", "d"
draw(d)

# %% [markdown]
# "Call `b`" means "call `b._backward()`". This hands on the gradient that `b` has at that moment. If `b`
# is called before `d`, it hands on 0, and nothing repairs that. A node may be called only after
# all its parents.
#
# A **topological order** is a list of all nodes, each after its children. The root is last. Read
# backwards, it has each node after all its parents: the **reverse topological order**.
#
# **How to sort.** A **depth-first search** goes to each child and does the same there. Then it appends
# the node itself to a list. Write it as a function inside `build_topo` that calls itself. As a closure,
# it can use the list of the function around it.
#
# **What to remember.** Two paths lead to `a`, so a search without a memory lists it twice. An inner node
# that is listed twice hands on its gradient twice. So keep a set of **visited** nodes: the nodes, not
# their data. Two leaves that hold 2.0 are two leaves.
#
# **In every call** make a new list and a new set. A default such as `order=[]` is made only once.
#
# Several orders are right, and each is accepted. A set has no fixed order, so your list may change from
# run to run.
#
# Replace the line with `raise`.


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
# Try it on *complex*. Each of the seven labels should appear once: `p` after `a` and `b`, `q` after `p`
# and `c`, `s` after `a` and `b`, and `L` last.

# %% tags=["demo"]
a, b, c = Value(2.0), Value(-3.0), Value(10.0)
p = a * b
q = p + c
s = a + b
L = q * s
for name, node in {"a": a, "b": b, "c": c, "p": p, "q": q, "s": s, "L": L}.items():
    node.label = name

print(" ".join(node.label for node in build_topo(L)))
draw(L)

# %% [markdown]
# `check` shows the feedback on what your kernel holds now; `grade day3` grades the saved file.

# %% tags=["demo"]
check("build_topo")

# %% [markdown]
# ## 3. The backward pass
#
# 1. **Seed** the root: set its gradient to 1.0, because dL/dL = 1.
# 2. Call `_backward` of every node once, in reverse topological order.
#
# `backward` touches no other gradient (see section 6).
#
# This is **reverse mode**: one pass from the root gives the gradients of all leaves. *Forward mode*
# starts at a leaf and needs one pass for each leaf.


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


# %% tags=["demo"]
check("seed")

# %% tags=["demo"]
check("reverse_order")

# %% [markdown]
# On day 2, 8 of the 24 orders of the diamond were right. Now run this cell several times: only the list
# may change. On paper, d = (a + 1) · 3a = 3a² + 3a, and its slope 6a + 3 is 15 at
# a = 2.

# %% tags=["demo"]
a = Value(2.0)
b = a + 1
c = a * 3
d = b * c
a.label, b.label, c.label, d.label = "a", "b", "c", "d"
backward(d)
print("list:", *[node.label or node.data for node in build_topo(d)])
print("gradients: a =", a.grad, " b =", b.grad, " c =", c.grad, " d =", d.grad)
draw(d)

# %% tags=["demo"]
check("diamond")

# %% [markdown]
# ## 4. From function to method
#
# A function that is stored in a class is a method: the object before the dot becomes its first
# argument. Assign your function, without calling it, to `backward` of `Value`. Then `L.backward()`
# does what `backward(L)` does.

# %%
### BEGIN SOLUTION: make backward a method of Value
# STUB: # make it a method, so that L.backward() works
# STUB: raise NotImplementedError("make backward a method of Value")
Value.backward = backward
### END SOLUTION

# %% tags=["demo"]
check("pytorch_parity")

# %% [markdown]
# ## 5. Shared nodes
#
# Sections 5 and 6 have nothing to write. If a check fails, correct section 2 or 3.
#
# In the diamond only a leaf is used twice, and its `_backward` does nothing. In *reuse* the inner node
# `b` is used twice. It is a child of `d`, but must wait for `c` as well. Called too early, `b` loses a
# part of its gradient. Called twice, it hands on a part again.
#
# Find the gradients on paper first: `c`, then `b` from two contributions, then `a` from two. The list
# has five nodes, for the number 3 is one too.

# %% tags=["demo"]
a = Value(2.0)
b = 3 * a
c = a + b
d = b * c
a.label, b.label, c.label, d.label = "a", "b", "c", "d"
d.backward()
print("reuse: d =", d.data, " nodes =", len(build_topo(d)))
print("gradients: a =", a.grad, " b =", b.grad, " c =", c.grad, " d =", d.grad)
draw(d)

# %% tags=["demo"]
check("shared_nodes")

# %% [markdown]
# *deep* shares inner nodes at every level. An order that is right by luck is rarely right here. With
# PyTorch, every row should end with `same`.


# %% tags=["verify"]
def deep_nodes(a):
    b = a * a
    c = b * b
    d = c * b + c
    e = d * c + b
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


mine = deep_nodes(Value(2.0))
mine["e"].backward()
print("deep: e =", mine["e"].data, " nodes =", len(build_topo(mine["e"])), " a.grad =", mine["a"].grad)

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
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
# ## 6. Gradients accumulate
#
# Build a new graph over *the same* leaves and call `backward` again. The leaves still hold the
# gradients of the first pass, and `+=` adds to them.
#
# **Why `backward` must not clear.** The gradient of a sum of two losses is the sum of their gradients.
# Two passes give just that, in PyTorch too.
#
# **What `zero_grad` is for.** Each step of training needs a gradient of its own, so the gradients are
# set back to 0 in between. This is `zero_grad` on day 4 and in PyTorch. On day 2 it was `reset_grads`.
#
# **The same graph twice** is something else. Its inner nodes still hold their first gradient. They add
# the second and hand on both, which is too much. Build the graph anew, or clear every node: clearing
# the leaves alone does not help.

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

# %% tags=["demo"]
check("accumulates")

# %% [markdown]
# ## 7. A long chain
#
# When a function calls itself, each node on the way down is a call that waits. Python allows about
# 1,000 of them, the **recursion limit**. Here the leaf lies 4,999 steps below the root.

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
    print("long chain: total =", total.data, " nodes =", len(build_topo(total)), " a.grad =", a.grad)

# %% [markdown]
# Do not raise the limit. Keep pairs `(node, children_done)` in a list of your own, a **stack**, and loop
# until it is empty. A node goes on twice: first with False, and once that is taken off, with True,
# below its children. Change `build_topo` in section 2.

# %% tags=["demo"]
check("deep_chain")

# %% [markdown]
# ## 8. Quiz
#
# Answer on paper first; your engine can check the values. For a choice write its letter in quotes, such
# as `"A"`.
#
# 1. *reuse*, `b = 3 * a`, `c = a + b`, `d = b * c`, with a = 2: what is a.grad after `d.backward()`?
#    (`quiz_reuse_a`)
# 2. *complex*, `(a * b + c) * (a + b)`, with a = 2, b = -3, c = 10, nothing cleared: what is a.grad
#    after two calls of `backward` on the same graph (`quiz_same_graph_twice`), and after one on each of
#    two fresh graphs over the same leaves (`quiz_two_fresh_graphs`)?
# 3. How many nodes does `build_topo` list for *complex*? (`quiz_topo_length`)
# 4. Why does `build_topo` remember the visited nodes? (`quiz_visited`)
#    - A: Without the set the search would never end.
#    - B: Two leaves that hold the same data are one node.
#    - C: A node would be listed once for each path to it.
#    - D: The set keeps the order in which nodes are found.
# 5. What is `zero_grad` for? (`quiz_zero_grad`)
#    - A: The next pass would add to the gradients of the leaves.
#    - B: The inner nodes of a new graph hold gradients of the old.
#    - C: The root has to stand at 0 before it is seeded.
#    - D: The parameters go back to the values of the beginning.
# 6. In *reuse*, why may b be called only after c? (`quiz_wait`)
#    - A: The data of b is computed anew, and c is needed for it.
#    - B: b hands on only what it holds, and c has a part of it.
#    - C: Children are called in the order in which `_prev` holds them.
#    - D: Two paths lead to b, and it is called once for each.

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

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## Terms
#
# - **Topological order:** all nodes, each once, each after its children.
# - **Reverse topological order:** the same list from its end.
# - **Depth-first search:** follows one child all the way down before the next.
# - **Visited:** the nodes that a search has come to.
# - **Shared node:** a node that is used more than once.
# - **Seed:** the root's gradient is set to 1.0.
# - **Reverse mode:** one pass from the root, for all leaves.
# - **Accumulate:** add to a gradient, with `+=`.
# - **zero_grad:** sets gradients back to 0.
# - **Recursion limit:** how many calls may wait, about 1,000.
# - **Stack:** a list whose last element is taken first.
#
# Your engine knows only +, × and tanh. On [day 4](../day4/README.md) you write it again from nothing,
# with more operations, and train a network.

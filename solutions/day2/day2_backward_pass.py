# %% [markdown]
# # Day 2: the backward pass
#
# [Yesterday](../day1/README.md) your `Value` computed a result. Today it answers a question: **if I
# nudge this number a little, how far does the result move?** That slope is its **gradient**.
#
# - **Do first:** sections 1 to 4: 55 of the 100 points.
# - **Then:** sections 6 to 8.
# - **If there is time:** sections 5, 9 and 10.
# - **With care:** sections 4 and 8. Their mistakes raise no error.
# - **Another day:** finding the order by program ([day 3](../day3/README.md)); division, powers,
#   `exp` and `relu` (day 4).
#
# Run the cells from the top. `NotImplementedError` says what is still to be written. Replace each
# `...` by numbers, or by names in quotes. `a.grad` does not work: `a` comes from a cell that draws,
# and grading does not run those. After a change to the class, run all cells below it again.

# %%
import math

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. Closures for + and ×
#
# The result of an operation is called `out` below. For the way back the operation needs two numbers:
#
# - its **local derivative**: how far its output moves for each unit that one input moves, while the
#   other stays;
# - the **upstream gradient**, in `out.grad`: how far the root, the end of the graph, moves for each
#   unit that `out` moves.
#
# By the **chain rule** an input receives upstream times local. If a crank turns a wheel 4 times, and
# each turn of the wheel lifts a bucket by 0.5 m, one turn of the crank lifts it by 2 m.
#
# What are the local derivatives of + and ×? Measure them at u = 4, v = 7, with a nudge of 0.01:
#
# | | before | u nudged | v nudged |
# |---|---|---|---|
# | u + v | 11 | 11.01 | 11.01 |
# | u · v | 28 | 28.07 | 28.04 |
#
# Divide each move by the nudge. For ×, compare the two quotients with u and v.
#
# A function that is defined inside another one is a **closure**: it still knows the names of the call
# that made it when that call has ended.
#
# ```python
# def make(word):
#     def say():
#         print(word)
#     return say
#
# hello = make("hello")
# hello()  # prints hello
# ```
#
# Here `__add__` defines `_backward`, which knows `self`, `other` and `out`, and keeps it on
# `out`, without parentheses. The backward pass calls it, once `out.grad` is known. Then it *adds* a
# contribution to the gradient of each input. A **leaf** passes nothing on: its `_backward` is
# `lambda: None`, a function that does nothing.
#
# Replace four `raise` lines, two in each operation. The upper one becomes the forward line of day 1:
# call its result `out`, and leave the `return` to the last line. The lower one becomes the body of
# the closure.
#
# A `raise` ends the method: the lines below it are never reached until you replace it. `__radd__` and
# `__rmul__` are those of day 1, for a number on the left.


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
# `check` shows the feedback of one check on the cells that you ran. `grade day2` in a terminal grades
# the saved file.

# %% tags=["demo"]
check("add_rule")

# %% tags=["demo"]
check("swap_rule")

# %% [markdown]
# ## 2. Walk one graph by hand
#
# The graph *product* is `d = a * b`, then `L = d + c`. `draw(L)` draws all that L was made from.

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(10.0, label="c")
d = a * b
L = d + c
draw(L)

# %% [markdown]
# The forward pass has filled in the data. The backward pass begins with the **seed**: the gradient of
# the root is 1, because L moves by exactly as much as itself. Then one `_backward` after the other is
# called and hands gradients to the inputs of its node. A node can only pass on what it has received
# by then.
#
# Write the names in the order of these calls, the root first, as a list such as `["y", "x"]`. Leaves
# may be left out. The next cell walks in your order, with other numbers.

# %%
### BEGIN SOLUTION: fill in product_order
# STUB: product_order = ...  # names, the root first
product_order = ["L", "d"]
### END SOLUTION

# %% tags=["demo"]
if product_order is ...:
    raise NotImplementedError("fill in product_order first")

a = Value(4.0, label="a")
b = Value(-5.0, label="b")
c = Value(-1.0, label="c")
d = a * b
L = d + c
nodes = {"a": a, "b": b, "c": c, "d": d, "L": L}

L.grad = 1.0
for name in product_order:
    nodes[name]._backward()
    print(f"after {name}:", ", ".join(f"{key} {node.grad:g}" for key, node in nodes.items()))
draw(L)

# %% tags=["demo"]
check("manual_walk")

# %% [markdown]
# ## 3. Predict, then measure
#
# A second graph, *sum-times*: `e = a + b`, then `f = e * c`, with the same leaves.

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(10.0, label="c")
e = a + b
f = e * c
draw(f)

# %% [markdown]
# On paper, give the root 1 and go back along the edges, upstream times local at each.
#
# - `product_grads`: the gradients of a, b, c and d in product.
# - `sum_times_grads`: the gradients of a, b, c and e in sum-times.
#
# Both are dictionaries, such as `{"a": 1, "b": 0}`.

# %%
### BEGIN SOLUTION: fill in product_grads and sum_times_grads
# STUB: product_grads = ...  # a dictionary with the keys "a", "b", "c", "d"
# STUB: sum_times_grads = ...  # a dictionary with the keys "a", "b", "c", "e"
product_grads = {"a": -3, "b": 2, "c": 1, "d": 1}
sum_times_grads = {"a": 10, "b": 10, "c": -1, "e": 10}
### END SOLUTION

# %% tags=["demo"]
if product_grads is ... or sum_times_grads is ...:
    raise NotImplementedError("fill in product_grads and sum_times_grads first")


def product(a=2.0, b=-3.0, c=10.0, d=0.0):
    """The root of product from plain numbers; d is a nudge on the inner node."""
    return a * b + d + c


def sum_times(a=2.0, b=-3.0, c=10.0, e=0.0):
    """The root of sum-times from plain numbers; e is a nudge on the inner node."""
    return (a + b + e) * c


leaves = {"a": 2.0, "b": -3.0, "c": 10.0}
for root, grads, names in ((product, product_grads, "abcd"), (sum_times, sum_times_grads, "abce")):
    for name in names:
        at = leaves.get(name, 0.0)
        slope = (root(**{name: at + 0.001}) - root(**{name: at - 0.001})) / 0.002
        print(f"{root.__name__}, {name}: predicted {grads.get(name)}, measured {slope:.4f}")

# %% [markdown]
# ## 4. The += trap
#
# Use a value twice and measure: `L = a + a` is 6 at a = 3 and 8 at a = 4. The slope is 2.
#
# So gradients **accumulate**: if 4 arrives and then 5, the gradient is 9. With `=` instead of `+=`
# the 5 overwrites the 4. Nothing crashes, and a graph that uses each value once still comes out
# right.
#
# In `a + a` and in `a * a`, `self` and `other` are the same object. If both lines of the closure
# said `=`, what would `a.grad` be for a = 3 and a seed of 1?

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
# Many language models read words in and write them out with one matrix (**weight tying**). Its
# gradient collects both uses by `+=`.
#
# `predictions` reads your answers of sections 3 and 4.

# %% tags=["demo"]
check("accumulate")

# %% tags=["demo"]
check("predictions")

# %% [markdown]
# ## 5. Ask PyTorch
#
# PyTorch does on tensors, tables of numbers, what you do on one number. `requires_grad=True`
# marks a leaf, `backward()` seeds and walks, `retain_grad()` keeps the gradient of an inner node. A
# walk from the root to the leaves is called **reverse mode**: one walk serves all leaves.
#
# Nothing to write here. PyTorch is optional: `pip install torch`, several gigabytes on Linux.

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

    ta, tb, tc = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.0, -3.0, 10.0))
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
# ## 6. Leaves used twice
#
# The graph *complex* is `(a*b + c) * (a + b)`. Its inner nodes are `p = a * b`, `q = p + c`,
# `s = a + b` and `L = q * s`.


# %% tags=["demo"]
def build_complex():
    """The nodes of complex by name."""
    a = Value(2.0, label="a")
    b = Value(-3.0, label="b")
    c = Value(10.0, label="c")
    p = a * b
    q = p + c
    s = a + b
    L = q * s
    nodes = {"a": a, "b": b, "c": c, "p": p, "q": q, "s": s, "L": L}
    for name, node in nodes.items():
        node.label = name
    return nodes


draw(build_complex()["L"])

# %% [markdown]
# Now a and b each reach L along two paths. On paper, add what the two paths bring.
#
# - `complex_grads`: the gradients of a, b and c.
# - `complex_order`: L, q, s and p in an order that works; several are right. Ask of each name: has
#   every node that uses it been called already?

# %%
### BEGIN SOLUTION: fill in complex_grads and complex_order
# STUB: complex_grads = ...  # a dictionary with the keys "a", "b", "c"
# STUB: complex_order = ...  # names, the root first
complex_grads = {"a": 7, "b": 2, "c": -1}
complex_order = ["L", "q", "s", "p"]
### END SOLUTION

# %% [markdown]
# A second walk over the same graph adds to what the first one left, in the inner nodes too. So write
# `reset_grads`, which clears the gradients. The star means: any number of values, as a tuple.


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

nodes = build_complex()
walks = []
for _ in range(2):
    reset_grads(*nodes.values())
    nodes["L"].grad = 1.0
    for name in complex_order:
        nodes[name]._backward()
    walks.append({name: node.grad for name, node in nodes.items()})

first, second = walks
for name in ("a", "b", "c"):
    guess = complex_grads.get(name)
    print(f"{name}: predicted {guess}, first walk {first[name]:g}, second walk {second[name]:g}")
draw(nodes["L"])

# %% tags=["demo"]
check("complex_expression")

# %% tags=["verify"]
if complex_grads is ...:
    raise NotImplementedError("fill in complex_grads first")

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
else:
    ta, tb, tc = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.0, -3.0, 10.0))
    ((ta * tb + tc) * (ta + tb)).backward()
    for name, tensor in {"a": ta, "b": tb, "c": tc}.items():
        print(f"{name}: predicted {complex_grads.get(name)}, PyTorch {tensor.grad.item():g}")

# %% [markdown]
# ## 7. tanh and a neuron
#
# `tanh` squeezes any number into the range from -1 to 1. It is steepest at 0 and nearly flat far out.
#
# The local derivative can be written with the output alone, here `t`. Derive it, or find a formula
# that fits:
#
# | output t | 0 | 0.6 | 0.8 | -0.8 |
# |---|---|---|---|---|
# | slope there | 1 | 0.64 | 0.36 | 0.36 |
#
# Mind the parentheses: while `out.grad` is 1, a misplaced one does not show. A power is written `**`.


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


Value.tanh = tanh  # the function becomes a method

# %% tags=["demo"]
x = Value(0.5, label="x")
t = x.tanh()
t.grad = 2.0
t._backward()
slope = (math.tanh(0.5 + 0.001) - math.tanh(0.5 - 0.001)) / 0.002
print(f"twice the measured slope: {2 * slope:.4f}, your x.grad with an upstream gradient of 2: {x.grad:.4f}")

# %% [markdown]
# A neuron weighs its inputs, adds a bias and squeezes the sum: `n = x1*w1 + x2*w2 + b`,
# `o = tanh(n)`. With this bias o is 1/√2, so paper is enough.


# %% tags=["demo"]
def build_neuron():
    """The nodes of the neuron by name."""
    numbers = {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.8813735870195432}
    nodes = {name: Value(number, label=name) for name, number in numbers.items()}
    nodes["x1·w1"] = nodes["x1"] * nodes["w1"]
    nodes["x2·w2"] = nodes["x2"] * nodes["w2"]
    nodes["sum"] = nodes["x1·w1"] + nodes["x2·w2"]
    nodes["n"] = nodes["sum"] + nodes["b"]
    nodes["o"] = nodes["n"].tanh()
    for name, node in nodes.items():
        node.label = name
    return nodes


draw(build_neuron()["o"])

# %% [markdown]
# `neuron_grads`: the gradients of o for x1, w1, x2, w2, b and n. An input of 0 and a weight whose
# input is 0 are not the same.

# %%
### BEGIN SOLUTION: fill in neuron_grads
# STUB: neuron_grads = ...  # a dictionary with the keys "x1", "w1", "x2", "w2", "b", "n"
neuron_grads = {"x1": -1.5, "w1": 1, "x2": 0.5, "w2": 0, "b": 0.5, "n": 0.5}
### END SOLUTION

# %% tags=["verify"]
if neuron_grads is ...:
    raise NotImplementedError("fill in neuron_grads first")

nodes = build_neuron()
nodes["o"].grad = 1.0
for name in ("o", "n", "sum", "x1·w1", "x2·w2"):
    nodes[name]._backward()

try:
    import torch
except ImportError:
    print("PyTorch is not installed here. The grader makes its own comparison.")
    tensors = {}
else:
    tensors = {
        name: torch.tensor(nodes[name].data, dtype=torch.float64, requires_grad=True)
        for name in ("x1", "w1", "x2", "w2", "b")
    }
    tensors["n"] = tensors["x1"] * tensors["w1"] + tensors["x2"] * tensors["w2"] + tensors["b"]
    tensors["n"].retain_grad()
    torch.tanh(tensors["n"]).backward()

for name in ("x1", "w1", "x2", "w2", "b", "n"):
    line = f"{name:>2}: predicted {neuron_grads.get(name)}, yours {nodes[name].grad:.6f}"
    if tensors:
        theirs = tensors[name].grad.item()
        verdict = "agrees" if math.isclose(nodes[name].grad, theirs, abs_tol=1e-9) else "differs"
        line += f", PyTorch {theirs:.6f}: {verdict}"
    print(line)
draw(nodes["o"])

# %% tags=["demo"]
check("tanh_neuron")

# %% [markdown]
# `pytorch_parity` takes your engine through other graphs.

# %% tags=["demo"]
check("pytorch_parity")

# %% [markdown]
# ## 8. The diamond in the wrong order
#
# In the *diamond*, a goes two ways that meet again: `b = a + 1`, `c = a * 3`, `d = b * c`, with
# a = 2.


# %% tags=["demo"]
def build_diamond():
    """The nodes of the diamond by name."""
    a = Value(2.0, label="a")
    b = a + 1
    c = a * 3
    d = b * c
    nodes = {"a": a, "b": b, "c": c, "d": d}
    for name, node in nodes.items():
        node.label = name
    return nodes


draw(build_diamond()["d"])

# %% [markdown]
# A node passes on the gradient that it holds when it is called. Called too early, it passes on 0.
# What arrives later stays with it. No error is raised: a contribution is missing.
#
# - `diamond_order`: names in an order in which a receives its whole gradient; several are right. The
#   leaf a may stand anywhere.
# - `lost_by_b_first`: b is called before d, the rest in a right order. How much is missing from
#   `a.grad`?
# - `lost_by_c_first`: the same for c before d.

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
    """The nodes of a fresh diamond after a walk in this order."""
    nodes = build_diamond()
    nodes["d"].grad = 1.0
    for name in order:
        nodes[name]._backward()
    return nodes


def diamond_root(a):
    """The root of the diamond, from a plain number."""
    return (a + 1) * (a * 3)


slope = (diamond_root(2.0 + 0.001) - diamond_root(2.0 - 0.001)) / 0.002
print(f"measured slope: {slope:.4f}")
print(f"your order {diamond_order}: a.grad = {walk_diamond(diamond_order)['a'].grad:g}")
if math.isclose(walk_diamond(diamond_order)["a"].grad, slope, abs_tol=0.01):
    for early, predicted in {"b": lost_by_b_first, "c": lost_by_c_first}.items():
        order = [early, *(name for name in diamond_order if name != early)]
        grad = walk_diamond(order)["a"].grad
        print(f"{early} first: a.grad = {grad:g}, lost {slope - grad:.4f}, predicted {predicted}")
else:
    print("Mend diamond_order first: what b and c lose is compared with a right order.")
draw(walk_diamond(diamond_order)["d"])

# %% tags=["demo"]
check("visit_order")

# %% [markdown]
# Calculus agrees: d = (a + 1) · 3a = 3a² + 3a. The derivative is 6a + 3, which is 15 at a = 2.

# %% [markdown]
# ## 9. The thermometer
#
# Drawn as bars to both sides of 0, gradients read like a thermometer.
#
# The **sign** of a gradient says which way the root goes when the value goes up: the same way for
# plus, the opposite way for minus. The **size** says how much **leverage** the value has: at -5, a
# small nudge moves the root five times as far. A large value may have little leverage. Here is
# product:

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

# %% [markdown]
# Of the leaves a, b and c:
#
# - `strongest`: the name of the one with the most leverage.
# - `leverage_a_over_c`: how many times as much leverage a has as c, without signs.
# - `nudge_up`: the names of those to nudge up so that L rises. The others go down.
#
# Training does the same the other way round: it makes a loss fall.

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
everything = {name: number + (step if name in nudge_up else -step) for name, number in start.items()}
print(f"all three together: L = {product_root(**everything):.4f}")

# %% tags=["demo"]
check("leverage")

# %% [markdown]
# ## 10. Quiz
#
# The eight answers share the points.
#
# 1. *sum-times* of section 3: what is the slope of f for a, and for b? (`quiz_df_da`, `quiz_df_db`)
# 2. The neuron of section 7: what is the slope of o for w1 (`quiz_do_dw1`)? Why is it 0 for w2
#    (`quiz_w2`)?
#    - A: tanh is too flat at n to let a gradient through.
#    - B: w2 is 1, and the derivative of a constant is 0.
#    - C: x2·w2 is 0, so no gradient arrives there.
#    - D: x2 is 0, so x2·w2 stays 0, whatever w2 is.
# 3. `L = a * a` with a = 3: what does a.grad hold after a right backward pass (`quiz_a_times_a`)? Why
#    does a closure write `+=` instead of `=` (`quiz_why_add`)?
#    - A: A gradient can be negative, and `=` would lose the sign.
#    - B: A value can be used several times, and every use contributes.
#    - C: The gradients of all training steps are meant to add up.
#    - D: Every gradient holds a seed of 1, which `=` would wipe out.
# 4. The *diamond* of section 8: what is the slope of d for a? (`quiz_dd_da`)
# 5. What does one backward pass compute? (`quiz_backpropagation`)
#    - A: The value of every node again, from the root to the leaves.
#    - B: How far every node moves for each unit that one leaf moves.
#    - C: How far the root moves for each unit that each node moves.
#    - D: The new value of every leaf that makes the root fall.

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

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | backward pass, reverse mode | computing the gradients, from the root to the leaves |
# | upstream gradient | how far the root moves for each unit that an output moves |
# | local derivative | how far an output moves for each unit that one input moves |
# | closure | a function that knows the names of the call that made it |
# | accumulate | to add to the gradient that is there |
# | seed | the gradient of 1 that the root is given |
#
# On [day 3](../day3/README.md) a function finds the order of any graph, and `backward` becomes one
# call.

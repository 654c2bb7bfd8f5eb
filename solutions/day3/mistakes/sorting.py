Mistake(
    "topo_keeps_both",
    "build_topo keeps its list and its set from one call to the next: they are made outside of it, or "
    "as defaults such as `order=[]`, which Python makes only once. Make both anew in every call.",
    edits={
        "def build_topo(root):": ("order = []\nvisited = set()\n\n\ndef build_topo(root):"),
        "    order = []\n    visited = set()\n": "",
    },
    fails="build_topo",
)

Mistake(
    "topo_keeps_list",
    "build_topo keeps its list from one call to the next (a default argument or a global list), so "
    "the second graph is appended to the first. Begin every call with a new, empty list.",
    edits={
        "def build_topo(root):": "def build_topo(root, order=[]):",
        "    order = []\n    visited = set()\n": "    visited = set()\n",
    },
    fails="build_topo",
)

Mistake(
    "topo_keeps_visited",
    "build_topo remembers the visited nodes from one call to the next (a default argument, a global "
    "set, or a mark on the nodes): the second call finds everything visited already and lists nothing. "
    "Begin every call with a new, empty set.",
    edits={
        "def build_topo(root):": "def build_topo(root, visited=set()):",
        "    order = []\n    visited = set()\n": "    order = []\n",
    },
    fails="build_topo",
)

Mistake(
    "topo_empties_the_graph",
    "build_topo takes the children out of `_prev`, so afterwards the graph is gone. Read `_prev`, and "
    "remember in a set or on a stack of your own how far you are.",
    edits={
        "            stack.extend((child, False) for child in node._prev)\n": (
            "            while node._prev:\n                stack.append((node._prev.pop(), False))\n"
        ),
    },
    fails="build_topo",
)

Mistake(
    "backward_reverses_in_place",
    "`.reverse()` turns a list around in place and returns None, so there is nothing to loop over. "
    "`reversed(...)` returns something to loop over.",
    edits={"in reversed(build_topo(root)):": "in build_topo(root).reverse():"},
    fails="reverse_order seed diamond shared_nodes accumulates pytorch_parity",
)

Mistake(
    "seed_is_a_value",
    "backward sets the root's gradient to a Value. A gradient is a plain number, as `data` is.",
    edits={"    root.grad = 1.0\n": "    root.grad = Value(1.0)\n"},
    fails="seed diamond shared_nodes accumulates pytorch_parity",
)

Mistake(
    "seed_is_added",
    "backward adds 1 to what the root's gradient held before. The root changes one for one with itself, "
    "whatever was computed earlier: set its gradient.",
    edits={"    root.grad = 1.0\n": "    root.grad += 1.0\n"},
    fails="seed accumulates",
)

Mistake(
    "topo_visited_by_value",
    "build_topo remembers the visited nodes by their value, so that two different nodes with the same "
    "data count as one and the second is left out. Remember the nodes themselves.",
    edits={
        "elif node not in visited:\n            visited.add(node)\n": (
            "elif node.data not in visited:\n            visited.add(node.data)\n"
        ),
    },
    fails="build_topo diamond shared_nodes deep_chain pytorch_parity",
)

Mistake(
    "backward_clears_afterwards",
    "backward sets every gradient below the root to 0 after the walk: what was computed is gone "
    "before anybody can read it.",
    edits={
        "    for node in reversed(build_topo(root)):\n        node._backward()\n": (
            "    for node in reversed(build_topo(root)):\n"
            "        node._backward()\n"
            "        if node is not root:\n"
            "            node.grad = 0.0\n"
        ),
    },
    fails="seed diamond shared_nodes accumulates pytorch_parity",
)

Mistake(
    "backward_clears_first",
    "backward sets every gradient to 0 before it walks, so gradients of two graphs over the same "
    "leaves never add up. Clearing is a step of its own (zero_grad), taken when you want to begin "
    "anew.",
    edits={
        "    root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node._backward()\n": (
            "    for node in build_topo(root):\n"
            "        node.grad = 0.0\n"
            "    root.grad = 1.0\n"
            "    for node in reversed(build_topo(root)):\n"
            "        node._backward()\n"
        ),
    },
    fails="accumulates",
)

Mistake(
    "method_missing",
    "`backward` works as a function, but L.backward() does not do the same: Value has no method of that "
    "name, or one that does not call your function. The class needs the function itself as "
    "`Value.backward`, without parentheses and without lambda.",
    edits=[
        {"Value.backward = backward": "Value.backwards = backward"},
        {"Value.backward = backward": "Value.backward = lambda self: backward"},
    ],
    fails="pytorch_parity",
)

Mistake(
    "backward_calls_itself",
    "`backward` calls itself. If you wrote a second function of that name for the method, it took the "
    "place of the first: assign the first one instead.",
    edits={
        "Value.backward = backward": (
            "def backward(self):\n    backward(self)\n\n\nValue.backward = backward"
        ),
    },
    fails="reverse_order seed diamond shared_nodes accumulates pytorch_parity",
)

Mistake(
    "backward_asks_the_node",
    "`backward` calls the method `backward` of the node. A plain node has none, and on a Value it would "
    "call itself. If you wrote a second function of that name, it took the place of the first.",
    edits={
        "Value.backward = backward": (
            "def backward(self):\n    self.backward()\n\n\nValue.backward = backward"
        ),
    },
    fails="reverse_order seed diamond shared_nodes accumulates pytorch_parity",
)

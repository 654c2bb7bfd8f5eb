Mistake(
    "backward_reverses_in_place",
    "`.reverse()` turns a list around in place and returns None, so there is nothing to loop over. "
    "`reversed(...)` returns something to loop over.",
    edits={"in reversed(build_topo(root)):": "in build_topo(root).reverse():"},
    fails="reverse_order seed diamond shared_nodes accumulates pytorch_parity",
)

Mistake(
    "method_missing",
    "`backward` works as a function, but L.backward() does not do the same: Value has no method of that "
    "name, or one that does not call your function. The class needs the function itself as "
    "`Value.backward`, without parentheses and without lambda.",
    edits={"Value.backward = backward": "pass"},
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

"""build_topo leaves out the leaves: nodes without children are nodes too, and come first."""
# fails: build_topo quiz

_with_leaves = build_topo


def build_topo(root):
    return [node for node in _with_leaves(root) if node._prev]

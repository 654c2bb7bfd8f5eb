"""build_topo leaves out the root: it lists what lies below it only. The root is a node too, the
last one.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity quiz

_with_root = build_topo


def build_topo(root):
    return _with_root(root)[:-1]

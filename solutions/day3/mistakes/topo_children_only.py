"""build_topo looks at the root's own children and no deeper. Each child's children have to be
visited in the same way.
"""
# fails: build_topo reverse_order shared_nodes accumulates deep_chain pytorch_parity quiz

def build_topo(root):
    return [*root._prev, root]

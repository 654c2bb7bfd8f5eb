"""build_topo does not remember which nodes it has already listed, so a node that is used twice is
listed twice, and everything below it too. A graph without cycles can still meet the same node
on two paths: keep a set of visited nodes.
"""
# fails: build_topo reverse_order shared_nodes deep_chain pytorch_parity

def build_topo(root):
    topo = []

    def visit(node):
        for child in node._prev:
            visit(child)
        topo.append(node)

    visit(root)
    return topo

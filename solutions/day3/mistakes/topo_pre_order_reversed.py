"""build_topo is a depth-first search that lists each node when it first meets it (pre-order),
turned around at the end. The root comes last, but a node that is used twice can stand after one
of those that use it. Append a node only when all its children are listed.
"""
# fails: build_topo reverse_order shared_nodes deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            topo.append(node)
            for child in node._prev:
                visit(child)

    visit(root)
    return topo[::-1]

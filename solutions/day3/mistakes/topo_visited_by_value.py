"""build_topo remembers the visited nodes by their value, so that two different nodes with the same
data count as one and the second is left out. Remember the nodes themselves.
"""
# fails: build_topo reverse_order seed diamond shared_nodes deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node.data not in visited:
            visited.add(node.data)
            for child in node._prev:
                visit(child)
            topo.append(node)

    visit(root)
    return topo

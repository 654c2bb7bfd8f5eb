"""build_topo appends the root every time instead of the node that is being visited: the list has
the right length, but every entry is the root.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            topo.append(root)

    visit(root)
    return topo

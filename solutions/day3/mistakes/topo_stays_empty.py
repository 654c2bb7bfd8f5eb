"""build_topo returns an empty list: nothing is ever appended to it."""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)

    visit(root)
    return topo

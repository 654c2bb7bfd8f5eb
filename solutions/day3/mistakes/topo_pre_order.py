"""build_topo lists a node before its children (pre-order). Turned around for the walk, this lets a
shared node hand its gradient on before it has all of it. Append the node after its children.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            topo.append(node)
            for child in node._prev:
                visit(child)

    visit(root)
    return topo

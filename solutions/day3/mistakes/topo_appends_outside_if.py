"""In build_topo the line that appends stands outside of the `if`, so a node is appended at every
visit, the second and third included. It belongs inside, after the loop over the children.
"""
# fails: build_topo reverse_order shared_nodes deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
        topo.append(node)

    visit(root)
    return topo

"""build_topo follows one child of every node only: the loop over the children is left after its
first round.
"""
# fails: build_topo reverse_order diamond shared_nodes accumulates deep_chain pytorch_parity

def build_topo(root):
    topo, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in sorted(node._prev, key=lambda child: child.label):
                visit(child)
                break
            topo.append(node)

    visit(root)
    return topo

"""backward calls `_backward` while it searches the graph from the root (pre-order), each node
once: a node that is used twice hands its gradient on before the second contribution has
arrived. Sort first, then call.
"""
# fails: reverse_order shared_nodes deep_chain pytorch_parity

def backward(root):
    root.grad = 1.0
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            node._backward()
            for child in node._prev:
                visit(child)

    visit(root)

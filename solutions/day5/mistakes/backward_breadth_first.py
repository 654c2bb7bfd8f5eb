"""The nodes are walked level by level from the root, each once. A node that lies at two distances
from the root then hands on before all of its gradient has arrived. Use the topological order.
"""
# fails: shared_nodes agreement


def backward(root):
    root.grad = 1.0
    nodes = [root]
    for node in nodes:
        nodes += [child for child in dict.fromkeys(node._children) if child not in nodes]
    for node in nodes:
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad

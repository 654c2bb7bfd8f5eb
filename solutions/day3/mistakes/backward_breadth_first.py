"""backward goes through the graph level by level (breadth-first), each node once: a node that is
used on two levels hands its gradient on before the contribution from the deeper level has
arrived. Sort first, then call.
"""
# fails: reverse_order shared_nodes pytorch_parity


def backward(root):
    root.grad = 1.0
    queue, visited = [root], {root}
    while queue:
        node = queue.pop(0)
        node._backward()
        for child in node._prev:
            if child not in visited:
                visited.add(child)
                queue.append(child)

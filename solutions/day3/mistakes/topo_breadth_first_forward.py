"""build_topo goes through the graph level by level from the root (breadth-first) and lists parents
before their children. Children come first, the root last.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def build_topo(root):
    topo, visited, queue = [], {root}, [root]
    while queue:
        node = queue.pop(0)
        topo.append(node)
        for child in node._prev:
            if child not in visited:
                visited.add(child)
                queue.append(child)
    return topo

"""build_topo goes through the graph level by level (breadth-first), turned around at the end. A
node that is used on two levels is then listed too late or too early: the level says how far
away the root is, not who needs whom. A depth-first search that appends a node after its
children gets it right.
"""
# fails: build_topo reverse_order shared_nodes pytorch_parity


def build_topo(root):
    topo, visited, queue = [], {root}, [root]
    while queue:
        node = queue.pop(0)
        topo.append(node)
        for child in node._prev:
            if child not in visited:
                visited.add(child)
                queue.append(child)
    return topo[::-1]

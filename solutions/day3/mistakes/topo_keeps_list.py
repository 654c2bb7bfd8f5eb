"""build_topo keeps its list from one call to the next (a default argument or a global list), so
the second graph is appended to the first. Begin every call with a new, empty list.
"""
# fails: build_topo accumulates deep_chain

def build_topo(root, topo=[]):
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            topo.append(node)

    visit(root)
    return topo

"""build_topo remembers the visited nodes from one call to the next (a default argument or a global
set): the second call finds everything visited already and lists nothing. Begin every call with
a new, empty set.
"""
# fails: build_topo deep_chain

def build_topo(root, visited=set()):
    topo = []

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            topo.append(node)

    visit(root)
    return topo

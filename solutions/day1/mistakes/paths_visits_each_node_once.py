"""count_paths remembers where it has been and does not go there again. A node on two paths has to
be counted on both.
"""
# fails: read_back
# same_as: paths_only_one


def count_paths(root, leaf):
    seen = set()

    def ways(node):
        if node in seen:
            return 0
        seen.add(node)
        return 1 if node is leaf else sum(ways(child) for child in node._prev)

    return ways(root)

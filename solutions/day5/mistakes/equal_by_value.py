"""Two values count as equal when they hold the same data, so the visited set takes two different
nodes for one and leaves the second out. Nodes are compared as objects: take `__eq__` and `__hash__`
out of the class.
"""
# fails: backward add_multiply subtract_divide one_input relu_sum meaning shared_nodes agreement quiz
# same_as: topo_visited_by_value


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data

    def __hash__(self):
        return hash(self.data)

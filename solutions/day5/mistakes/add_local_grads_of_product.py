"""a + b keeps the other summand's value beside each summand, which is the rule of ×. If one summand
grows by 1, the sum grows by 1, whatever the other is.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (other.data, self.data))

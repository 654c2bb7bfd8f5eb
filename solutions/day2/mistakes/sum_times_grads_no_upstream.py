"""In sum_times_grads a and b have 1: that is the local derivative of +. It is multiplied by the
gradient of e, which is c's value.
"""
# fails: predictions

sum_times_grads = {"a": 1.0, "b": 1.0, "c": -1.0, "e": 10.0}

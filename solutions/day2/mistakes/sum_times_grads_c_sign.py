"""In sum_times_grads the gradient of c has the wrong sign. It is the value of the other factor, e
= a + b, which is negative here.
"""
# fails: predictions

sum_times_grads = {"a": 10.0, "b": 10.0, "c": 1.0, "e": 10.0}

"""In sum_times_grads the factors are not swapped: c and e each have their own value as gradient."""
# fails: predictions

sum_times_grads = {"a": -1.0, "b": -1.0, "c": 10.0, "e": -1.0}

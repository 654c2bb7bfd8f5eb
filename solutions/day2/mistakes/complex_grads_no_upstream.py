"""In complex_grads the step through p is not multiplied by the upstream gradient: a and b have the
other's value from there as it is. The gradient of p is -1, and it belongs into that step.
"""
# fails: complex_expression

complex_grads = {"a": 1.0, "b": 6.0, "c": -1.0}

"""The root has its gradient of 1, and nothing arrives below it. Either the loop hands nothing on to
the children, or the root is given its 1 only after the loop, or a contribution is multiplied by the
gradient of the child, which is still 0, instead of by node.grad.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0

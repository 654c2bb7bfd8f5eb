"""backward seeds the root and stops there: nothing is handed on to its children."""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_times_child_grad

def backward(root):
    root.grad = 1.0

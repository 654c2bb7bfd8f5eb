"""quiz_order: local gradients are final when the node is made; no walk changes them. What is not
final before its turn is the gradient of the node.
"""
# fails: quiz

quiz_order = "B"

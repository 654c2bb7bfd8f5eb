"""quiz_backpropagation nudges one leaf and watches every node. That can be computed too, but it
goes forward and needs a pass for each leaf. The backward pass is about one root and gives an
answer for every node at once.
"""
# fails: quiz

quiz_backpropagation = "B"

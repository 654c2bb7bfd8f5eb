"""quiz_dead_relu: a contribution is the local gradient times upstream; the node's output is not
part of it. A product can be 0 and still hand on a gradient.
"""
# fails: quiz

quiz_dead_relu = "A"

"""relu has no slope at exactly 0 only. Where its input is negative it has one, and it is 0.
backward calls the node as any other; it hands on a product with 0.
"""
# fails: quiz

quiz_dead_relu = "D"

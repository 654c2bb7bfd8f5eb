"""quiz_reuse_a is 90: b had all of its gradient and was called again nevertheless, once for each
node that uses it. Each node is called once.
"""
# fails: quiz

quiz_reuse_a = 90

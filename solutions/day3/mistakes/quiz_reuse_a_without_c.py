"""quiz_reuse_a is 42, the contribution through b alone. a is used a second time, in c = a + b, and
that contribution is added.
"""
# fails: quiz

quiz_reuse_a = 42

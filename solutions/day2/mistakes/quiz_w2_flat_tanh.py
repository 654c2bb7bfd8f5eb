"""quiz_w2 says that tanh is too flat at n. Its slope there is one half, and w1, which lies behind
the same tanh, does receive a gradient.
"""
# fails: quiz

quiz_w2 = "A"

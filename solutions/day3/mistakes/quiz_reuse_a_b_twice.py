"""quiz_reuse_a is 72: b was called twice, before c and after it, and handed on its first
contribution both times. Each node is called once, when it has all of its gradient.
"""
# fails: quiz

quiz_reuse_a = 72

"""quiz_reuse_a is 30: b was called before c and handed on only what it had from d. What c gave it
afterwards never reached a.
"""
# fails: quiz

quiz_reuse_a = 30

"""quiz_wait speaks of the order within `_prev`. That order is not fixed, and the result must not
depend on it. Ask what b would lose if it were called before c.
"""
# fails: quiz

quiz_wait = "C"

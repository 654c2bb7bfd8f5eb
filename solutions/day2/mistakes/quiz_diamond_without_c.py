"""quiz_dd_da is 6, the contribution through b alone. It is what is left when c is called before d.
Both paths reach a, and what they bring adds up.
"""
# fails: quiz

quiz_dd_da = 6

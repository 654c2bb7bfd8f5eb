"""quiz_dd_da is 9, the contribution through c alone. It is what is left when b is called before d.
Both paths reach a, and what they bring adds up.
"""
# fails: quiz

quiz_dd_da = 9

"""quiz_quotient has the right size, but not its sign. When the denominator grows, a positive
quotient falls.
"""
# fails: quiz

quiz_quotient = 1.5

"""-2 is -a / b, minus the quotient itself. The divisor is squared in its local derivative: -a /
b² is -8 / 16.
"""
# fails: quiz

quiz_divisor = -2

"""quiz_quotient is the number kept beside a: 1/b. Beside b stands how far the quotient moves when b
grows: -a/b².
"""
# fails: quiz

quiz_quotient = 0.5

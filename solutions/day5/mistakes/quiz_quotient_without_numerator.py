"""quiz_quotient is the slope of 1/b. Here the numerator is 6, and it multiplies the slope."""
# fails: quiz

quiz_quotient = -0.25

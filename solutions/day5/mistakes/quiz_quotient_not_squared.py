"""quiz_quotient divides by b once. The slope of a / b for b is -a/b², with b squared."""
# fails: quiz

quiz_quotient = -3

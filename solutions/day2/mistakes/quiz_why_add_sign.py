"""quiz_why_add says that `=` would lose a sign. `=` keeps the sign of what it writes; what it
loses is the number that was there before.
"""
# fails: quiz

quiz_why_add = "A"

"""quiz_why_add says that every gradient holds a seed. Only the root is seeded with 1; all others
start at 0. What `=` would wipe out is something else that has arrived.
"""
# fails: quiz

quiz_why_add = "D"

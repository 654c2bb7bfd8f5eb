"""quiz_after_change is 15: that is 5 times 3. b is -3, and besides L was computed before a was
changed and keeps what it was then.
"""
# fails: quiz

quiz_after_change = 15

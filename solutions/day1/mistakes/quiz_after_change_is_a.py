"""quiz_after_change is 5, the new data of a. L is another node: it was computed as 2 times -3 and
keeps that number.
"""
# fails: quiz

quiz_after_change = 5

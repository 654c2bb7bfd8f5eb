"""quiz_after_change is 6: the sign was lost. 2 times -3 is -6."""
# fails: quiz

quiz_after_change = 6

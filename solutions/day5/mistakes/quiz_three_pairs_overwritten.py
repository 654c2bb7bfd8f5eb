"""quiz_three_pairs is the contribution of 3 * a alone, as if it had overwritten the others.
Contributions are added.
"""
# fails: quiz

quiz_three_pairs = 3

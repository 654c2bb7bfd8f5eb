"""quiz_three_pairs counts a * a once. a is a child twice there, with 4 each time, and once more in
3 * a.
"""
# fails: quiz

quiz_three_pairs = 7

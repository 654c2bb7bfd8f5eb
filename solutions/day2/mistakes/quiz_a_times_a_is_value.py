"""quiz_a_times_a is 9, the value of L. The gradient says how far L moves for each unit that a
moves: try a = 3.01 and divide the move of L by 0.01.
"""
# fails: quiz

quiz_a_times_a = 9

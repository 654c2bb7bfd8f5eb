"""quiz_a_times_a is 2, the number of uses. That is the gradient of a + a, where each use brings 1;
in a * a each use brings the value of the other factor.
"""
# fails: quiz

quiz_a_times_a = 2

"""quiz_a_times_a is 3, the contribution of one use. a stands on both sides of ×, so two
contributions of 3 arrive; 3 is what is left when the second one overwrites the first.
"""
# fails: quiz

quiz_a_times_a = 3

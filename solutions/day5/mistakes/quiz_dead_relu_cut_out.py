"""quiz_dead_relu: the graph does not change with the sign. The sort lists w, and its turn comes;
what arrives there is 0.
"""
# fails: quiz

quiz_dead_relu = "C"

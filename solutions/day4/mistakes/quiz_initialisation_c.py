"""The initialisation has no hold on what training does to the weights afterwards. It decides how
large the factors are when training starts.
"""
# fails: quiz

quiz_initialisation = "C"

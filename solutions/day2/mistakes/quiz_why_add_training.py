"""quiz_why_add speaks of the steps of a training run. Their gradients do add up when nobody clears
them, and that is a nuisance, not the reason. The reason lies within a single graph, such as a * a.
"""
# fails: quiz

quiz_why_add = "C"

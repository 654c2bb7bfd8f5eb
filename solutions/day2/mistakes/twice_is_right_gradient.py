"""twice_with_assignment holds the true gradients, 2 and 6. The question is what is left when `=`
overwrites the first contribution with the second.
"""
# fails: predictions

twice_with_assignment = {"a + a": 2, "a * a": 6}

"""twice_with_assignment holds zeros. With `=` the second contribution overwrites the first one,
but it is there.
"""
# fails: predictions

twice_with_assignment = {"a + a": 0, "a * a": 0}

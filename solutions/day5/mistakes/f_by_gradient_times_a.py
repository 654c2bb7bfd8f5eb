"""f_by_gradient uses 4, the new value of a, as the nudge. The nudge is how far a moves, from 2 to
4.
"""
# fails: meaning

f_by_gradient = -8

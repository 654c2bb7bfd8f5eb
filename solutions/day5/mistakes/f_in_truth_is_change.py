"""f_in_truth is how far f has moved, from 4 to 0. The question is for its new value."""
# fails: meaning

f_in_truth = -4

"""It keeps the factors away from 0, but nothing makes them exactly 1: tanh has the slope 1 at
one single point.
"""
# fails: quiz

quiz_normalisation = "C"

"""quiz_dd_da is 18: that is the value of d, and also the gradient of b times that of c. Rates
multiply along one path; what several paths bring is added.
"""
# fails: quiz

quiz_dd_da = 18

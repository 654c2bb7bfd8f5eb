"""quiz_zero_grad speaks of the seed. backward sets the root's gradient to 1, whatever stood there,
so nobody needs to clear it for that.
"""
# fails: quiz

quiz_zero_grad = "C"

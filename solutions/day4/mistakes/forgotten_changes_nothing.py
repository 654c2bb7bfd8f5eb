"""In second_step_forgotten the old gradient was taken to be gone. backward adds to what is
there: without zero_grad the -18 of the first step still is, and -1.8 is added to it.
"""
# fails: zero_grad

second_step_forgotten = {"grad": -1.8, "w": 1.99}

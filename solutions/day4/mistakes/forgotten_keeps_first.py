"""In second_step_forgotten the new gradient was not added. backward adds -1.8 to the -18 that is
there, which makes -19.8.
"""
# fails: zero_grad

second_step_forgotten = {"grad": -18, "w": 2.8}

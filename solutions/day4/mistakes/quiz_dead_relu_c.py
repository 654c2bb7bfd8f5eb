"""The output is 0 indeed, but a gradient is no share of the output: tanh is 0 at 0 and steepest
there. What counts is the slope of relu at its input, and that is 0.
"""
# fails: quiz

quiz_dead_relu = "C"

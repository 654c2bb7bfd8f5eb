"""quiz_w2 says that w2 is a constant. Every leaf holds some number, w1 too, whose gradient is not
0. The question is what o does when that number is nudged.
"""
# fails: quiz

quiz_w2 = "B"

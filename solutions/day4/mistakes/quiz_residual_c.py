"""1 · f′(h) would mean that the two paths follow one another. They lie side by side and meet in
a sum, so what they bring is added: 1 + f′(h).
"""
# fails: quiz

quiz_residual = "C"

"""It is the layer's inputs that are centred, not the gradients, and factors of a product do not
cancel. Around 0 tanh is steep: that is what helps.
"""
# fails: quiz

quiz_normalisation = "D"

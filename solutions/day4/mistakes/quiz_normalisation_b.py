"""That is done to gradients in other methods, such as clipping. Normalisation acts in the
forward pass: it moves what goes into a layer to where the slopes are not near 0.
"""
# fails: quiz

quiz_normalisation = "B"

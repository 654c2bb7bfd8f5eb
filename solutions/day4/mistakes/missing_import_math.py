"""`math` is not imported where the class is, so exp and tanh raise NameError. Put `import math`
into the first cell and run it before the class.
"""
# fails: exp tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz

del math

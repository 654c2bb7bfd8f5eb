"""`math` is used in tanh, but it is not imported: `import math` belongs into a cell above."""
# fails: predictions tanh_neuron pytorch_parity quiz

del math

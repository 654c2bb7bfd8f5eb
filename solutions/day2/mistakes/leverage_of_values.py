"""leverage_a_over_c compares the values of a and c. Leverage compares gradients."""
# fails: leverage

leverage_a_over_c = 0.2

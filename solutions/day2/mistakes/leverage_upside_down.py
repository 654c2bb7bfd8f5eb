"""leverage_a_over_c is upside down: it is a's gradient over c's."""
# fails: leverage

leverage_a_over_c = 1 / 3

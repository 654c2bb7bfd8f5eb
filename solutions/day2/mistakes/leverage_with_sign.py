"""leverage_a_over_c has a sign. Leverage compares sizes: how many times as far L moves, whichever
way.
"""
# fails: leverage

leverage_a_over_c = -3

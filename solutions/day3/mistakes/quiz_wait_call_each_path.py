"""quiz_wait has b called once for each path. Called twice, b would hand on again what it has
handed on already. It is called once, so it matters when.
"""
# fails: quiz

quiz_wait = "D"

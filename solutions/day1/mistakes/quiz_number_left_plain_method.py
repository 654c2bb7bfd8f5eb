"""quiz_number_left is D. The 2 has a method for × too, and Python asks it first; and to the side on
the right it never speaks by the name `__mul__`, but by `__rmul__`.
"""
# fails: quiz

quiz_number_left = "D"

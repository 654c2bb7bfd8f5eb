"""lost_by_b_first and lost_by_c_first are exchanged, or they say what is left of a.grad. What is
lost is what that node would have handed to a: its own gradient times its slope.
"""
# fails: visit_order

lost_by_b_first, lost_by_c_first = 9, 6
lost_by_b_first = 9
lost_by_c_first = 6

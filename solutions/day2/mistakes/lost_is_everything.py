"""lost_by_b_first and lost_by_c_first say that everything is lost. The other path still delivers
its contribution.
"""
# fails: visit_order

lost_by_b_first = 15
lost_by_c_first = 15

"""In diamond_order b comes before d: it hands on a gradient that is still 0, and its contribution
to a is lost.
"""
# fails: visit_order

diamond_order = ["b", "d", "c", "a"]

"""In diamond_order b and c come before d: both hand on a gradient that is still 0, and nothing
reaches a.
"""
# fails: visit_order

diamond_order = ["b", "c", "d", "a"]

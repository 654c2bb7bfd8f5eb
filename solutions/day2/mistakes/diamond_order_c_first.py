"""In diamond_order c comes before d: it hands on a gradient that is still 0, and its contribution
to a is lost.
"""
# fails: visit_order

diamond_order = ["c", "d", "b", "a"]

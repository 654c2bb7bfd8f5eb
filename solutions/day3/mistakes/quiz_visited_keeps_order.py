"""quiz_visited says that the set keeps the order. A set has no order that one could rely on; the
order is in the list. The set only tells whether the search has come to a node before.
"""
# fails: quiz

quiz_visited = "D"

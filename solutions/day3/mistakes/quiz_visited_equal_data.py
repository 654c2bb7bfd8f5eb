"""quiz_visited takes leaves with the same data for one node. Two leaves that both hold 2.0 are two
leaves, and each has a gradient of its own. The set keeps nodes, not their data.
"""
# fails: quiz

quiz_visited = "B"
